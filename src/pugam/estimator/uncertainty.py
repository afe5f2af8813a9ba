"""How sure are we about pi and the model itself: intervals, tests, the bootstrap, diagnosis, sensitivity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from pugam.data import read_flag
from pugam.engines import PartedEngine, count_threads, one_blas_thread
from pugam.errors import InputError, warn_user
from pugam.estimator.curves import CurveMethods
from pugam.estimator.options import read_count, read_generator, read_n_jobs, read_share
from pugam.inference import (
    Bootstrap,
    BootstrapKind,
    Diagnosis,
    HypothesisTest,
    Interval,
    Null,
    Resampling,
    Sensitivity,
    fix_pi,
    fourier_test,
    make_resampling,
    profile_interval,
    profile_of,
    read_groups,
    read_null,
    refit_under_null,
    require_kind,
    resample_survey,
    run_bootstrap,
    samples_of,
    wald_test,
    with_negatives,
)
from pugam.messages import See
from pugam.progress import Progress
from pugam.solvers import Fitted, gather_evidence
from pugam.terms import Term

__all__ = ["UncertaintyMethods"]

FOURIER_FUNCTIONS = 11  # as in the paper
MOST_RESAMPLES = 1_000_000


class UncertaintyMethods(CurveMethods):
    """Inference on a fitted model as a whole; the numbers are made in `pugam.inference`."""

    at_boundary_: bool
    random_state: Any
    n_jobs: int | None
    _diagnosis: Diagnosis | None

    def pi_interval(
        self,
        level: float = 0.95,
        method: Literal["wald", "profile", "bootstrap"] | None = None,
        *,
        model_error: bool = True,
        kind: BootstrapKind | None = None,
        bootstrap: Bootstrap | None = None,
        **options: Any,
    ) -> Interval:
        """Return a confidence interval for pi, with `estimate`, `lower`, `upper`, `level` and `method`.

        Parameters
        ----------
        level : float
        method : {"wald", "profile", "bootstrap"}, optional
            None, the default, is the interval that summary and report show, and costs nothing. By marginal likelihood:
            the values of pi at which its logarithm, for given numbers of labels, falls by no more than 1.92, for a
            level of 0.95. Of the mode: Wald's, or the profile where the check of the fit found that far from Wald's.
            By marginal likelihood "wald" is the same as the default. With `estimate="mode"` it is symmetric on the log
            scale, from the penalised information, corrected for the bias of smoothing and for sampling given z; of
            shrunken curves on the logit scale, from rows held out. "profile" follows the likelihood where that is not
            symmetric, as near the ends of the range. "bootstrap" refits the model to resamples. All know the clusters
            and strata of the fit.
        model_error : bool
            With ``estimate="marginal"``, the lower limit of the default interval, and of "wald", allows for negatives
            that look just like positives, and the upper limit makes use of that room; where a checked model does not
            fit, the interval includes the estimates of other methods. False: sampling error alone, as all other
            intervals.
        kind : {"normal", "percentile", "bca"}
            Which interval a bootstrap gives; normal by default, around the estimate, since quantiles of refits lie low:
            see `Bootstrap.interval`.
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
        >>> reported, profile = model.pi_interval(), model.pi_interval(method="profile")
        >>> reported.lower < profile.lower  # by the allowance for model error
        True
        >>> abs(model.pi_interval(model_error=False).lower - profile.lower) < 0.01
        True
        """
        check_is_fitted(self)
        model_error = read_flag("model_error", model_error)
        given = [*(["kind"] if kind else []), *(["bootstrap"] if bootstrap else []), *options]
        if given and method != "bootstrap":
            raise InputError(f"{', '.join(given)} is for method='bootstrap'; got method={method!r}.")
        if method not in (None, "wald", "profile", "bootstrap"):
            raise InputError(f"method is 'wald', 'profile' or 'bootstrap'; got {method!r}.")
        require_kind(kind or "normal")
        if self._kinds is not None:
            return self._kinds.interval(level, model_error, method)
        inference = self._inference
        reported = inference.pi_interval(self.pi_, level, model_error)
        if self._settings.pi_range.fixed:
            return replace(reported, lower=self.pi_, upper=self.pi_, method="fixed")
        if method is None:
            return reported
        if method == "wald":
            return (inference.wald_interval if model_error else inference.sampling_interval)(self.pi_, level)
        if method == "profile":
            with one_blas_thread():
                return profile_interval(profile_of(self._fitted("The profile")), level)
        return self._resamples(bootstrap, options).interval(level, kind or "normal")

    def test(
        self,
        term: str | Term | Sequence[str | Term],
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
            A term with a shape is tested against curves of that shape only, which makes the test one-sided: the
            reference distribution is a mixture of chi-squares (chi-bar-square; sizes and powers are in
            benchmarks/results/shape_tests.md). A bootstrap does not hold its level there: a flat curve lies on the
            boundary of the shape, where resamples do not vary as samples do.
        null : {"zero", "linear"}
            Of increasing and decreasing terms "linear" is tested as if they had no shape: lines are of that shape, too.
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
        refit = read_flag("refit", refit)
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
            under_null = refit_under_null(self._fitted("A refit"), numbers, hypothesis).fit
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
        store: Any = None,
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
            Rows of one group are drawn together: for clustered data. None takes clusters and strata of the fit, if
            it was given any.
        random_state : int, RandomState, Generator or None
            None takes that of the model. The same seed gives the same resamples.
        n_jobs : int, optional
            Threads; the result does not depend on it. None takes that of the model.
        progress : bool, optional
            Show a progress bar; None shows one on a terminal when the work takes longer than two seconds.
        store : path-like, optional
            A file that keeps finished refits, so that the same call goes on where one was interrupted or killed, and
            gives the same to the last bit. The seed has to be None or a whole number.

        Returns
        -------
        Bootstrap
            With `pi`, `alpha` and `coef` of every refit, `interval`, and `effect` for the curves; of several samples,
            within which rows are drawn, also `shares` and `interval(sample=...)`.

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
        count = read_count("n_resamples", n_resamples, MOST_RESAMPLES)
        progress = None if progress is None else read_flag("progress", progress)
        if smoothing not in ("fixed", "reselect"):
            raise InputError(f"smoothing is 'fixed' or 'reselect'; got {smoothing!r}.")
        fitted = self._fitted("The bootstrap")
        engine, kept = self._rows
        seed = self.random_state if random_state is None else random_state
        if store is not None and isinstance(seed, np.random.Generator | np.random.RandomState):
            raise InputError(
                "store needs resamples that can be drawn again: give random_state a whole number, not a generator."
            )
        rng = read_generator(seed)
        plan = self._plan_resamples(fitted, read_groups(groups, engine.n_rows, kept), int(rng.integers(2**63)))
        jobs = read_n_jobs(self.n_jobs if n_jobs is None else n_jobs)
        # The parts of an engine that reads them share its threads already.
        own = isinstance(engine, PartedEngine)
        threads = 1 if own else count_threads(jobs, engine.n_rows * count, 1 + self._design.n_columns)
        with one_blas_thread(), Progress("bootstrap", count, progress) as bar:
            path = None if store is None else Path(store)
            result = run_bootstrap(fitted, plan, count, smoothing == "reselect", threads, bar, path)
        self._report_resamples(result, path)
        return result

    def _plan_resamples(self, fitted: Fitted, groups: np.ndarray | None, seed: int) -> Resampling:
        """Draw rows, groups, or what a survey drew: clusters within strata."""
        if groups is None and self._survey is not None:
            return resample_survey(self._survey, seed)
        beside = fitted.engine.negatives
        rows = with_negatives(fitted.engine, samples_of(fitted), groups)
        return make_resampling(*rows, seed, n_negatives=0 if beside is None else beside.n_rows)

    def sensitivity(self, pi: Any) -> Sensitivity:
        """Refit the model with pi fixed at each of these values; print the result to read it.

        It holds `pi`, `deviance`, `alpha` and `coef`, and `share_positive`, the share of the unlabelled rows whose
        posterior would exceed one half.

        Parameters
        ----------
        pi : float or array-like
            Shares strictly between 0 and 1; taken in rising order, each once.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(2, n0=1250, n=1500, random_state=0)
        >>> found = PUGAM().fit(data.X, data.z).sensitivity([0.2, 0.4, 0.6])
        >>> bool(found.share_positive[0] < found.share_positive[2])
        True
        """
        check_is_fitted(self)
        values = np.unique([read_share(value) for value in np.atleast_1d(pi)])
        with one_blas_thread():
            return fix_pi(profile_of(self._fitted("The sensitivity")), values)

    def _resamples(self, bootstrap: Bootstrap | None, options: dict[str, Any]) -> Bootstrap:
        """Run a bootstrap, or check that one made before is of this model."""
        if bootstrap is None:
            return self.bootstrap(**options)
        if not isinstance(bootstrap, Bootstrap) or not bootstrap.belongs_to(self._design, self.coef_):
            raise InputError("bootstrap holds no resamples of this model; make them with its own bootstrap().")
        return bootstrap

    def _wald_test(self, numbers: Sequence[int], null: Null) -> HypothesisTest:
        with one_blas_thread():
            free = self._design.layout.free(share_fixed=self._settings.pi_range.fixed)
            evidence = gather_evidence(self._fit.penalized, free)
            alone = self._inference.smooths_terms_alone
            return wald_test(evidence, self._design, numbers, null, self.coef_, self._curve_covariance, alone)

    def _report_resamples(self, result: Bootstrap, store: Path | None) -> None:
        unconverged = int(np.sum(~result.converged))
        if result.interrupted:
            warn_user(
                f"The bootstrap was interrupted after {len(result.pi)} of {result.n_requested} refits, and its results "
                "rest on these."
                + ("" if store is None else f" They are kept in {store}; the same call goes on from there.")
            )
        if result.n_failed or unconverged:
            warn_user(
                f"Of {result.n_requested} refits {result.n_failed} failed and {unconverged} did not converge (these "
                "are kept). If they are many, pi is weakly determined: see ",
                See("diagnosis"),
                ".",
            )
