"""The questions one asks of a fitted model: how sure about pi, about the curves, about the model itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from pugam.data import make_frame
from pugam.engines import MemoryEngine, count_threads, one_blas_thread
from pugam.errors import InputError, warn_user
from pugam.estimator.options import read_count, read_generator, read_n_jobs, read_share
from pugam.estimator.reading import read_new_rows
from pugam.inference import (
    Bootstrap,
    BootstrapKind,
    Diagnosis,
    HypothesisTest,
    Interval,
    Null,
    PiProfile,
    Scale,
    Sensitivity,
    bayesian_covariance,
    contrast,
    default_grid,
    diagnose_fit,
    effect_table,
    fourier_test,
    frequentist_covariance,
    hold_pi,
    in_alpha,
    intercept_covariance,
    make_resampling,
    mean_columns,
    pi_log_variance,
    posterior_errors,
    posterior_limits,
    profile_interval,
    read_groups,
    read_null,
    refit_under_null,
    require_kind,
    run_bootstrap,
    wald_interval_log,
    wald_test,
)
from pugam.likelihood import logit
from pugam.progress import Progress
from pugam.solvers import Fit, Fitted, Settings, gather_evidence
from pugam.terms import Design, Factor, TermSpec, parse_formula

__all__ = ["UncertaintyMethods"]

FOURIER_FUNCTIONS = 11  # as in the paper


class UncertaintyMethods:
    """Inference on a fitted model; the numbers are made in `pugam.inference`."""

    pi_: float
    alpha_: float
    coef_: np.ndarray
    n0_: float
    n1_: float
    at_boundary_: bool
    random_state: Any
    n_jobs: int | None
    _design: Design
    _settings: Settings
    _fit: Fit
    _covariance: np.ndarray
    _library: str
    _rows: tuple[MemoryEngine, np.ndarray | None]

    def covariance(self, kind: Literal["curves", "bayesian", "frequentist"] = "curves") -> np.ndarray:
        """Return the covariance of all parameters: logit pi, alpha, then `coef_`; corrected for sampling given z.

        Parameters
        ----------
        kind : {"curves", "bayesian", "frequentist"}
            "bayesian": given the smoothing parameters, the bias of smoothing counted on average over curves as rough
            as they allow. "frequentist": the variance over repeated samples alone (sandwich). "curves", behind
            `effect`, `odds_ratio` and `contrast`: the Bayesian one, widened by the estimated bias and by not knowing
            the smoothing parameters.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(1, n0=800, n=1000, random_state=0)
        >>> model = PUGAM("x1 + x2").fit(data.X, data.z)
        >>> model.covariance().shape
        (4, 4)
        """
        check_is_fitted(self)
        free = self._settings.pi_range.free
        if kind == "curves":
            covariance = self._covariance
        elif kind == "bayesian":
            covariance = bayesian_covariance(self._fit, self.n0_, self.n1_, free)
        elif kind == "frequentist":
            covariance = frequentist_covariance(self._fit, self.n0_, self.n1_, free)
        else:
            raise InputError(f"kind is 'curves', 'bayesian' or 'frequentist'; got {kind!r}.")
        return in_alpha(covariance, self.pi_, self.n0_, self.n1_)

    def pi_interval(
        self,
        level: float = 0.95,
        method: Literal["wald", "profile", "bootstrap"] = "wald",
        *,
        kind: BootstrapKind | None = None,
        bootstrap: Bootstrap | None = None,
        **options: Any,
    ) -> Interval:
        """Return a confidence interval for pi, with `estimate`, `lower`, `upper`, `level` and `method`.

        Parameters
        ----------
        level : float
        method : {"wald", "profile", "bootstrap"}
            "wald", the default, is symmetric on the log scale, from the penalised information corrected for the bias of
            smoothing and for sampling given z. It covers best, together with the profile, and costs nothing: 0.933
            to 0.965 at a nominal 0.95 over 21 simulated cells (benchmarks/results/coverage.md), where bootstrap
            intervals cover 0.926 to 0.970 in three of them (coverage_kinds.md). "profile" follows the likelihood where
            that is not symmetric, as near the ends of the range: `diagnose` tells when to prefer it. "bootstrap"
            refits the model to resamples, and is the one for clustered rows (`groups`).
        kind : {"percentile", "normal", "bca"}
            Which interval a bootstrap gives; percentile by default.
        bootstrap : Bootstrap, optional
            Resamples made before, to be used again.
        **options
            Arguments of `bootstrap`, where it has to be run.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(1, n0=800, n=1000, pi=0.4, random_state=0)
        >>> model = PUGAM().fit(data.X, data.z)
        >>> wald, profile = model.pi_interval(), model.pi_interval(method="profile")
        >>> abs(wald.lower - profile.lower) < 0.05
        True
        """
        check_is_fitted(self)
        given = [*(["kind"] if kind else []), *(["bootstrap"] if bootstrap else []), *options]
        if given and method != "bootstrap":
            raise InputError(f"{', '.join(given)} is for method='bootstrap'; got method={method!r}.")
        if method not in ("wald", "profile", "bootstrap"):
            raise InputError(f"method is 'wald', 'profile' or 'bootstrap'; got {method!r}.")
        require_kind(kind or "percentile")
        variance = pi_log_variance(self._fit, self.n0_, self.n1_)
        wald = wald_interval_log(self.pi_, variance, level, self._settings.pi_range.limits)
        if self._settings.pi_range.fixed:
            return replace(wald, method="fixed")
        if method == "wald":
            return wald
        if method == "profile":
            with one_blas_thread():
                return profile_interval(PiProfile(self._fitted("The profile")), level)
        return self._resamples(bootstrap, options).interval(level, kind or "percentile")

    def effect(
        self,
        term: str | TermSpec,
        grid: Any = None,
        level: float = 0.95,
        simultaneous: bool = False,
        *,
        scale: Scale = "log",
        derivative: bool = False,
        center: Literal["range", "rows"] = "range",
    ) -> Any:
        """Return a term's estimated effect with limits: a tidy frame x, u, se, lower, upper.

        u is the term's contribution to the log density ratio, and so to the log odds of being positive. It is centred:
        a smooth or linear effect integrates to zero over the range of its column (or of its logarithms), the effects of
        a factor sum to zero over its levels. Differences of u are log odds ratios.

        Parameters
        ----------
        term : str or term
            The term's column, the term as written in a formula, or itself: "age", "s(age)" or s("age").
        grid : array-like, optional
            Values of the column; by default 100 points over its range, or its levels.
        level : float
        simultaneous : bool
            Limits for the curve as a whole over the grid, not for each point alone.
        scale : {"log", "odds"}
            "odds" gives exp(u), the factor by which the odds of being positive change.
        derivative : bool
            Give the first derivative of u, per unit of the column: where the effect rises and falls.
        center : {"range", "rows"}
            Let u of a number integrate to zero over the range, as in the paper, or average to zero over the rows of the
            fit. Limits are narrowest where the effect is held at zero: "rows", as pictures show it, says more where
            most rows lie in a small part of the range.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(1, n0=800, n=1000, random_state=0)
        >>> frame = PUGAM().fit(data.X, data.z).effect("x1", grid=[0.2, 0.8])
        >>> list(frame.columns)
        ['x', 'u', 'se', 'lower', 'upper']
        """
        check_is_fitted(self)
        number = self._number(term)
        basis, block = self._design.bases[number], self._design.blocks[number]
        points = default_grid(basis, derivative) if grid is None else grid
        covariance = self._covariance[2:, 2:][block, block]
        with one_blas_thread():
            middle = self._center(number, center)
            table = effect_table(
                basis, points, self.coef_[block], covariance, level, simultaneous, scale, derivative, middle
            )
        return make_frame(self._library, table)

    def _center(self, number: int, center: str) -> np.ndarray | None:
        """Model columns at which a term's effect is to be zero; levels of a factor sum to zero anyway."""
        if center not in ("range", "rows"):
            raise InputError(f"center is 'range' or 'rows'; got {center!r}.")
        basis = self._design.bases[number]
        if center == "range" or isinstance(basis.spec, Factor):
            return None
        self._fitted("An effect centred over the rows")
        engine = self._rows[0]
        return mean_columns(basis, engine.encoded[number], engine.weights)

    def contrast(self, a: Mapping[str, Any], b: Mapping[str, Any], level: float = 0.95) -> Interval:
        """Return how much larger the log density ratio is at the values b than at a, of one or several columns.

        It is a log odds ratio, and its `exp()` an odds ratio; columns that are not named are held equal.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(1, n0=800, n=1000, random_state=0)
        >>> model = PUGAM().fit(data.X, data.z)
        >>> model.contrast({"x1": 0.2, "x2": 0.2}, {"x1": 0.8, "x2": 0.8}).lower > 0
        True
        """
        check_is_fitted(self)
        if not hasattr(a, "items") or not hasattr(b, "items"):
            raise InputError("A contrast compares two sets of values, each as {column: value}.")
        return contrast(self._design, dict(a.items()), dict(b.items()), self.coef_, self._covariance[2:, 2:], level)

    def predict_interval(self, X: Any, level: float = 0.95, pi: float | None = None) -> Any:
        """Return P(y = 1 | x) of each row with its uncertainty: a frame p_positive, se, lower, upper.

        Parameters
        ----------
        X : data frame or array
        level : float
        pi : float, optional
            Share of positives in another population, as of `predict_proba`; taken as known.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(1, n0=800, n=1000, random_state=0)
        >>> frame = PUGAM().fit(data.X, data.z).predict_interval(data.X)
        >>> bool((frame["lower"] < frame["p_positive"]).all())
        True
        """
        check_is_fitted(self)
        share = self.pi_ if pi is None else read_share(pi)
        table = read_new_rows(self, X)
        encoded = self._design.encode(table)
        covariance = intercept_covariance(self.covariance(), pi_known=pi is not None)
        with one_blas_thread():
            logits = self._design.predict(encoded, np.concatenate([[self.alpha_], self.coef_])) + float(logit(share))
            errors = posterior_errors(self._design, encoded, covariance)
        return make_frame(table.library, posterior_limits(logits, errors, level))

    def odds_ratio(self, term: str | TermSpec, a: Any, b: Any, level: float = 0.95) -> Interval:
        """Return the factor by which the odds of being positive change when a term's column goes from a to b.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(1, n0=800, n=1000, random_state=0)
        >>> PUGAM().fit(data.X, data.z).odds_ratio("x1", 0.4, 0.6).estimate > 1
        True
        """
        check_is_fitted(self)
        column = self._design.bases[self._number(term)].spec.column
        return self.contrast({column: a}, {column: b}, level).exp()

    def test(
        self,
        term: str | TermSpec | Sequence[str | TermSpec],
        method: Literal["wald", "bootstrap"] = "wald",
        null: Literal["zero", "linear"] = "zero",
        *,
        refit: bool = False,
        bootstrap: Bootstrap | None = None,
        **options: Any,
    ) -> HypothesisTest:
        """Test whether a term has no effect, or no more than a linear one.

        Parameters
        ----------
        term : str, term, or a list of them
            Several terms are tested jointly.
        method : {"wald", "bootstrap"}
            Wald's test with a reference distribution for penalised terms (Wood 2013); or the paper's: the curve
            projected on 11 Fourier functions, against the spread of a bootstrap.
        null : {"zero", "linear"}
        refit : bool
            Also fit the model in which the null hypothesis holds, and report its pi (if two terms are left to identify
            it) and log-likelihood.
        bootstrap : Bootstrap, optional
            Resamples made before, to be used again.
        **options
            Arguments of `bootstrap`, where it has to be run.

        Returns
        -------
        HypothesisTest
            With `statistic`, `df`, `pvalue` and `reference`.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(1, n0=1250, n=1500, random_state=0)
        >>> model = PUGAM().fit(data.X, data.z)
        >>> model.test("x1").pvalue < 0.01
        True
        >>> model.test(["x1", "x2"], null="linear").null
        'linear'
        """
        check_is_fitted(self)
        listed = term if isinstance(term, Sequence) and not isinstance(term, str) else [term]
        numbers = [self._number(one) for one in listed]
        if not numbers or len(set(numbers)) < len(numbers):
            raise InputError(f"Name one or several different terms to be tested; got {term!r}.")
        hypothesis = read_null(null)
        if method == "wald":
            if options or bootstrap is not None:
                raise InputError("Arguments of a bootstrap are for method='bootstrap'.")
            result = self._wald_test(numbers, hypothesis)
        elif method == "bootstrap":
            if len(numbers) > 1:
                raise InputError("The bootstrap test is of one term; use method='wald' for several.")
            resamples = self._resamples(bootstrap, options)
            n_rows = self.n0_ + self.n1_
            result = fourier_test(
                self._design, numbers[0], hypothesis, self.coef_, resamples.coef, n_rows, FOURIER_FUNCTIONS
            )
        else:
            raise InputError(f"method is 'wald' or 'bootstrap'; got {method!r}.")
        if not refit:
            return result
        with one_blas_thread():
            under_null = refit_under_null(self._fitted("A refit"), numbers, hypothesis)
        identified = self._settings.pi_range.fixed or null == "linear" or len(self._design.bases) - len(numbers) > 1
        null_pi = under_null.optimum.pi if identified else None
        return replace(result, null_pi=null_pi, null_loglik=under_null.optimum.loglik)

    def bootstrap(
        self,
        n_resamples: int = 500,
        *,
        smoothing: Literal["fixed", "reselect"] = "fixed",
        groups: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: bool | None = None,
    ) -> Bootstrap:
        """Refit the model to resamples of its rows, drawn with replacement among labelled and among unlabelled rows.

        Interrupted with Ctrl-C it returns the refits that are complete, marked as `interrupted`. Rows with weights that
        are whole numbers are drawn as if they were so many rows; other weights stay with their row.

        Parameters
        ----------
        n_resamples : int
        smoothing : {"fixed", "reselect"}
            Keep the smoothing parameters, or choose them anew for every resample, which takes much longer.
        groups : array-like, one label per row, optional
            Rows of one group are drawn together: for clustered data.
        random_state : int, RandomState, Generator or None
            None takes that of the model. The same seed gives the same resamples.
        n_jobs : int, optional
            Threads; the result does not depend on it. None takes that of the model.
        progress : bool, optional
            Show a progress bar; None shows one on a terminal when the work takes longer than two seconds.

        Returns
        -------
        Bootstrap
            With `pi`, `alpha` and `coef` of every refit, `interval`, and `effect` for the curves.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(1, n0=800, n=1000, random_state=0)
        >>> resamples = PUGAM().fit(data.X, data.z).bootstrap(50)
        >>> resamples.effect("x1", [0.2, 0.8]).shape
        (50, 2)
        """
        check_is_fitted(self)
        count = read_count("n_resamples", n_resamples)
        if smoothing not in ("fixed", "reselect"):
            raise InputError(f"smoothing is 'fixed' or 'reselect'; got {smoothing!r}.")
        fitted = self._fitted("The bootstrap")
        engine, kept = self._rows
        numbers = read_groups(groups, engine.n_rows, kept)
        rng = read_generator(self.random_state if random_state is None else random_state)
        plan = make_resampling(engine.positive, engine.weights, numbers, int(rng.integers(2**63)))
        jobs = read_n_jobs(self.n_jobs if n_jobs is None else n_jobs)
        threads = count_threads(jobs, engine.n_rows * (1 + self._design.n_columns) * count)
        with one_blas_thread(), Progress("bootstrap", count, progress) as bar:
            result = run_bootstrap(fitted, plan, count, smoothing == "reselect", threads, bar)
        self._report_resamples(result)
        return result

    def diagnose(self) -> Diagnosis:
        """Find out whether pi is well determined by these data, and what to do if it is not.

        Print the result to read it. It looks at the profile of pi, the spread of the starts, the boundary, the number
        of terms distinguishable from a constant (pi is identified by two), the condition of the information,
        separation, the calibration of P(z = 1 | x), and what becomes of the model when pi is held along a grid.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(2, n0=1250, n=1500, random_state=0)
        >>> PUGAM().fit(data.X, data.z).diagnose().verdict
        'well determined'
        """
        check_is_fitted(self)
        with one_blas_thread():
            tests = [self._wald_test([number], "zero") for number in range(len(self._design.bases))]
            return diagnose_fit(self._fitted("The diagnosis"), self.pi_interval(), tests, self.at_boundary_)

    def sensitivity(self, pi: Any) -> Sensitivity:
        """Refit the model with pi held at each of these values; returns alpha, coef and deviance for each.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(2, n0=1250, n=1500, random_state=0)
        >>> held = PUGAM().fit(data.X, data.z).sensitivity([0.2, 0.4, 0.6])
        >>> bool(held.share_positive[0] < held.share_positive[2])
        True
        """
        check_is_fitted(self)
        values = np.unique([read_share(value) for value in np.atleast_1d(pi)])
        with one_blas_thread():
            return hold_pi(PiProfile(self._fitted("The sensitivity")), values)

    def _resamples(self, bootstrap: Bootstrap | None, options: dict[str, Any]) -> Bootstrap:
        """Run a bootstrap, or check that one made before is of this model."""
        if bootstrap is None:
            return self.bootstrap(**options)
        if not isinstance(bootstrap, Bootstrap) or not bootstrap.belongs_to(self._design, self.coef_):
            raise InputError("bootstrap holds no resamples of this model; make them with its own bootstrap().")
        return bootstrap

    def _wald_test(self, numbers: Sequence[int], null: Null) -> HypothesisTest:
        with one_blas_thread():
            evidence = gather_evidence(self._fit.penalized, self._settings.pi_range.free)
            covariance = self._covariance[2:, 2:]
            return wald_test(evidence, self._design, numbers, null, self.coef_, covariance)

    def _number(self, term: str | TermSpec) -> int:
        """Find a term by its column, by its label, as written in a formula, or by itself."""
        if not isinstance(term, str):
            return self._design.index(getattr(term, "column", str(term)))
        for spec in self._written(term):
            number = self._design.index(spec.column)
            if type(spec) is type(self._design.bases[number].spec):
                return number
        return self._design.index(term)

    def _written(self, term: str) -> list[TermSpec]:
        """Read a term as written in a formula, unless it is the column or label of one."""
        if "(" not in term or term in (*self._design.labels, *self._design.columns_used):
            return []
        return [spec for spec in parse_formula(term) if spec.column in self._design.columns_used][:1]

    def _fitted(self, what: str) -> Fitted:
        """Return the fit with the rows behind it, which a stored model does not have."""
        if getattr(self, "_rows", None) is None:
            raise InputError(
                f"{what} needs the rows the model was fitted to, which a copied or stored model does not carry; "
                "give them back with attach(X, z)."
            )
        return Fitted(self._rows[0], self._design, self._settings, self._fit)

    def _report_resamples(self, result: Bootstrap) -> None:
        unconverged = int(np.sum(~result.converged))
        if result.interrupted:
            warn_user(
                f"The bootstrap was interrupted: {len(result.pi)} of {result.n_requested} refits are complete, and "
                "what is made of them rests on these."
            )
        if result.n_failed or unconverged:
            warn_user(
                f"Of {result.n_requested} refits {result.n_failed} failed and {unconverged} did not converge (these "
                "are kept). Where they are many, pi is weakly determined: see diagnose()."
            )
