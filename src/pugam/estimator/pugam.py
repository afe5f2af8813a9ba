"""The estimator `PUGAM`: orchestrates data, terms, engine, solver and inference."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from pugam.data import RareKinds, SampleRoles, read_samples, row_index
from pugam.engines import one_blas_thread
from pugam.estimator.curves import RowsOfFit
from pugam.estimator.fitting import fit_designs
from pugam.estimator.methods import FittedMethods
from pugam.estimator.options import (
    EngineName,
    EstimateName,
    ShrinkageName,
    make_settings,
    read_generator,
    read_labelling,
    read_missing,
    read_pi_range,
    read_terms,
    read_unseen,
    require_distinct,
    require_identifiable,
    require_rows,
    with_given_pairs,
    with_labelling,
)
from pugam.estimator.own_curves import common_terms, naming_samples, own_column, rows_telling, with_effects_of_samples
from pugam.estimator.reading import all_or_nothing, either, remember_features
from pugam.estimator.requirements import (
    require_enough_rows,
    require_labelling,
    require_marginal,
    require_no_names,
    require_rows_for_labelling,
    require_shares,
    require_words_of_kinds,
    warn_of_columns,
    warn_of_samples,
    warn_of_size,
    warn_of_survey,
    with_pooled_shares,
)
from pugam.estimator.roles import columns_taken, open_engine, take_labels, take_roles
from pugam.estimator.training import TrainingRows, by_survey, rows_placed
from pugam.inference import first_look, inference_of, know_survey, with_average
from pugam.likelihood import alpha_shift, label_frequency
from pugam.solvers import Fit, Fitted, Settings, edf
from pugam.terms import Design, MissingPolicy, UnseenPolicy, columns_read, format_formula, with_policies

__all__ = ["PUGAM"]


class PUGAM(FittedMethods, ClassifierMixin, BaseEstimator):
    """Generalized additive model for positive-unlabelled data, with unknown share of positives.

    From a sample known to be positive (z = 1) and an unlabelled sample (z = 0) in which a share pi is positive
    too, estimates pi and the log density ratio of positives to negatives,

        log g(x) / h(x) = alpha + u_1(x_1) + ... + u_p(x_p),

    by default by marginal likelihood (see ``estimate``). The labelled sample has to be a random sample of the
    positives, unless ``labelling`` says what labels depend on.

    Parameters
    ----------
    terms : None, str or list of terms, default=None
        A formula such as ``"s(age) + l(dose) + f(site)"`` (a bare name is linear, ``dose:sex`` a product, and names
        with spaces go in backticks), or a list of formulas and of `s`, `l`, `f`, `r`, `offset`, `te` and `ti` terms.
        None chooses from the columns: smooth for numbers, linear for two-valued numbers, factor for text, booleans and
        categories. Columns of an array are called x0, x1, ...
    smoothing : {"reml", "aic"}, float or dict, default="reml"
        By REML: one smoothing parameter per term with ``estimate="mode"``, otherwise variances are shared (see there).
        One for all by AIC, as in the paper; or values kappa, times the integral of u''^2 with features on [0, 1].
    solver : {"newton", "em"}, default="newton"
        Damped Fisher scoring with a Newton finish, or the paper's EM-type algorithm; both reach the same optima.
    n_starts : int, default=None
        Number of starts, compared by the penalised objective; None stands for 12, the paper uses 20.
    tol : float, default=1e-4
        Stop when the log-likelihood and, relatively, pi change by less (newton: when a step would gain less than a
        hundredth of it).
    max_iter : int, default=None
        Most iterations of the final climb; None stands for 200 (newton) or 5000 (em).
    pi : float or (float, float), default=None
        Fix the share when it is known, or bound it.
    pi_prior : {"weak"}, (float, float) or None, default="weak"
        A Beta(a, b) density for pi; "weak" is Beta(2, 2), which keeps weakly determined fits off the
        boundary; None is the pure likelihood, as in the paper.
    debias : bool, default=True
        Take the bias that smoothing brings on pi out of it, and refit the curves; False: the penalised estimate, as
        in the paper.
    shrinkage : {"auto", "always", "never"}, default="auto"
        Shrink curves by a ridge, and take pi from held-out rows: for tables with few rows for their columns. "auto"
        does so with fewer than 20 rows of either label for each column that smoothing does not restrain; with
        ``estimate="mode"`` also where features leave fewer than five rows for each of these columns in doubt, and where
        pi is not determined otherwise. Only with ``smoothing="reml"``.
    estimate : {"marginal", "mode"}, default="marginal"
        pi by marginal likelihood: every coefficient has a prior, the straight parts of all terms with one variance,
        their bends with another, interactions with a third; variances are estimated, coefficients integrated out, and
        pi is where what is left is highest. "mode": pi and curves at their joint penalised optimum, corrected for the
        bias of smoothing. Marginal likelihood is for ``smoothing="reml"``, ``solver="newton"``, ``shrinkage="auto"``,
        ``debias=True``, a pi that is not fixed and curves without a shape; otherwise the mode is taken.
    interactions : {"auto"}, None, int or list of pairs, default="auto"
        Interactions of two columns, in addition to the terms. "auto": by marginal likelihood, all pairs are looked at,
        and those added that the evidence clearly asks for; a number: at most so many; None: only those among the
        terms. A list such as ``[("age", "bmi")]``: these, whatever the evidence says.
    labelling : None, str or list of terms, default=None
        What the chance that a positive is labelled depends on, as terms: ``"s(age) + f(sex)"``. None: labelled rows are
        a random sample of the positives. With such terms, pi is that of all positives, labelled by preference; it is
        identified by two features, at least, that matter and are not among these columns, or by an audit. No
        interactions are then searched for.
    missing : {"error", "effect"}, default="error"
        What terms do with missing values that do not say it themselves: refuse them, or give them an effect of their
        own; in interactions a zero effect, since main effects account for them.
    unseen : {"error", "zero"}, default="error"
        What predictions do with levels that the fit never saw, in all terms: "zero" gives them a zero effect; "error"
        leaves that to each term, and `f` refuses them.
    kappas : {"both", "linear", "smooth"} or list of float, default="both"
        The values that ``smoothing="aic"`` tries: the paper's grid for nearly linear effects (10^-1 to 10^4), its grid
        for curved ones (10^-6 to 10^-1), or both.
    engine : {"auto", "memory", "stream", "dask", "gpu"}, default="auto"
        Where the sums over rows are taken: in memory; from a file that is read in parts; on the workers of a Dask
        cluster (needs ``dask[dataframe]`` and ``distributed``); on a GPU, with PyTorch (``torch``), for one large
        fit and for hundreds of refits at a time. "auto" takes what the rows ask for: memory for tables and small files,
        a stream for files of more than 1 GiB, Dask for a Dask data frame.
    random_state : int, RandomState, Generator or None, default=None
        Seeds random starts and the choice of rows for the first look at large tables. None is a fixed seed: the
        same data give the same result.
    n_jobs : int, default=None
        Threads for the passes over the rows; None uses one for small tables and all cores for large ones. The
        result does not depend on it.
    check : bool, default=True
        Whether `fit` ends with a diagnosis, which `diagnose` returns: it warns (`VerdictWarning`) unless pi is well
        determined by a model that fits, and intervals for pi are wider where the model does not fit. False saves its
        time where a model is fitted again and again.
    verbose : int, default=0
        Print what the fit does.

    Attributes
    ----------
    pi_ : float
        Share of positives among the unlabelled rows.
    pi_penalized_ : float
        The same before the bias correction.
    verdict_ : str or None
        "well determined", "weakly determined", "not determined", "does not fit" or "fixed"; None if not checked.
    prevalence_ : float
        Share of positives among all rows.
    label_frequency_ : float
        c = n0 / (n0 + n1 pi): share of labelled among positive rows.
    alpha_, loglik_, penalized_loglik_, edf_, aic_ : float
        Intercept of the log density ratio, profile log-likelihood, penalised objective (the prior on pi included),
        effective degrees of freedom (pi included) and Akaike's criterion.
    smoothing_ : dict
        Smoothing parameter of each smooth term, by column; very large values mean a straight line.
    shrinkage_ : float or None
        Strength of the ridge on the curves, where there is one.
    coef_ : array
        Coefficients of all terms, in the centred basis of each; `effect` shows what they mean.
    n0_, n1_ : float
        Number (total weight) of labelled and of unlabelled rows.
    terms_ : list
        The terms in the model.
    n_iter_ : int
        Iterations of the final climb; by marginal likelihood, places at which the curve of the evidence was found.
    converged_, at_boundary_ : bool
        Whether the climb ended at an optimum, and whether that lies on the boundary of the range of pi.
    starts_ : list of dict
        Of the mode, every start with its (largest) smoothing parameter, pi at the start and at the end, objective and
        iterations, by REML in a coarse basis on at most 2000 rows. Otherwise empty: its starts are not kept.
    kinds_ : list of str
        Names of the kinds of positives, where there are several; what has curves is then in `of_kind`.
    formula_ : str
        The terms as a formula, also where they were chosen from the columns.
    provenance_ : dict
        Of a loaded model: the version of pugam that saved it, date, command, and what was kept about the data.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from pugam import PUGAM
    >>> from pugam.datasets import simulate
    >>> data = simulate(2, n0=1250, n=1500, pi=0.4, random_state=1)
    >>> model = PUGAM().fit(data.X, data.z)
    >>> interval = model.pi_interval()
    >>> bool(interval.lower < 0.4 < interval.upper)
    True
    >>> model.predict_proba(data.X).shape
    (1500, 2)
    """

    def __init__(
        self,
        terms: Any = None,
        *,
        smoothing: Any = "reml",
        solver: Literal["newton", "em"] = "newton",
        n_starts: int | None = None,
        tol: float = 1e-4,
        max_iter: int | None = None,
        pi: float | tuple[float, float] | None = None,
        pi_prior: Any = "weak",
        debias: bool = True,
        shrinkage: ShrinkageName = "auto",
        estimate: EstimateName = "marginal",
        interactions: Any = "auto",
        labelling: Any = None,
        missing: MissingPolicy = "error",
        unseen: UnseenPolicy = "error",
        kappas: Any = "both",
        engine: EngineName = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        check: bool = True,
        verbose: int = 0,
    ) -> None:
        self.terms = terms
        self.smoothing = smoothing
        self.solver = solver
        self.n_starts = n_starts
        self.tol = tol
        self.max_iter = max_iter
        self.pi = pi
        self.pi_prior = pi_prior
        self.debias = debias
        self.shrinkage = shrinkage
        self.estimate = estimate
        self.interactions = interactions
        self.labelling = labelling
        self.missing = missing
        self.unseen = unseen
        self.kappas = kappas
        self.engine = engine
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.check = check
        self.verbose = verbose

    @classmethod
    def paper(cls, **changes: Any) -> PUGAM:
        """Return an estimator set as in the paper: EM, common kappa by AIC, 20 starts, no prior, no bias correction.

        Parameters
        ----------
        **changes
            Settings that differ, by their names: ``kappas="linear"`` is Setting 1 of the paper.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> PUGAM.paper(kappas="smooth").n_starts
        20
        """
        settings: dict[str, Any] = {
            "solver": "em",
            "smoothing": "aic",
            "n_starts": 20,
            "tol": 1e-4,
            "pi_prior": None,
            "debias": False,
            "shrinkage": "never",
            "estimate": "mode",
            "check": False,
        }
        return cls(**{**settings, **changes})

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        z: Any = None,
        sample: Any = None,
        audit: Any = None,
        audit_chance: Any = None,
        negative: Any = None,
        kind: Any = None,
        rare_kinds: RareKinds = "error",
        shares: Literal["separate", "pooled"] = "separate",
        groups: Any = None,
        strata: Any = None,
    ) -> PUGAM:
        """Fit the model.

        Parameters
        ----------
        X : data frame (pandas, polars, Arrow), array of shape (n_rows, n_features), path, or Dask data frame
            Features. The path is that of a CSV or Parquet file, or of a folder of Parquet files; labels and weights are
            columns there. A file whose numbers take more than 1 GiB is read in parts.
        y, z : array-like of shape (n_rows,), or str
            The labels, under either name: 1 for a labelled positive, 0 or -1 for an unlabelled row; booleans work too.
            They are z in the model; scikit-learn expects a second argument y. Or the name of their column in X, which
            is then no feature; of a file or a Dask data frame always. The same holds for weights.
        sample_weight : array-like of shape (n_rows,), or str, optional
            Weights: a row of weight 2 counts as two rows, one of weight 0 as none. With ``groups`` or ``strata`` they
            are sampling weights, one over the chance of being drawn, of which only the ratios count.
        sample : array-like of shape (n_rows,), or str, optional
            Which unlabelled sample a row is from, such as a site or a year, or the name of a column of X, which is then
            no feature. Each sample has a share of its own (`shares`), curves are common, and `pi_` is the share of all
            unlabelled rows together. Positives are assumed to be the same in all samples: what it says of labelled rows
            serves to test that, and nothing else. Terms that vary with the column named, such as ``s(age, by=year)``,
            have a curve for each sample.
        audit : array-like of shape (n_rows,), or str, optional
            1 or 0 for unlabelled rows whose class was found out, missing for all others. Rows have to be audited at
            random within a sample, or by their features: not because of what else is known of their class.
        audit_chance : array-like of shape (n_rows,), or str, optional
            With what chance each row was audited, where that depends on its features: for `check_audit`.
        negative : array-like of shape (n_rows,), or str, optional
            1 for rows that are known to be negative, 0 or missing for all others. They are a sample of their own, drawn
            at random from the negatives, and no part of the unlabelled rows: `pi_` does not count them.
        kind : array-like of shape (n_rows,), str or "auto", optional
            Of which kind of positives a labelled row is, such as a subtype of a disease, or the name of a column of X,
            which is then no feature. Each kind has a share (`kinds`) and curves (`of_kind`) of its own, and `pi_` is
            the sum of the shares: kinds may be labelled more or less often. What it says of unlabelled rows is not
            used. "auto" finds kinds, as clusters of the labelled rows.
        rare_kinds : {"error", "pooled"}
            Whether kinds with fewer than 20 labelled rows are refused, or taken together as one kind.
        shares : {"separate", "pooled"}
            "pooled" is for many small samples: the logits of their shares come from a normal distribution of estimated
            variance, and those of small samples are pulled towards its mean. `pi_` stays as it is.
        groups, strata : array-like of shape (n_rows,), or str, optional
            In which cluster (primary sampling unit) a row was drawn, and in which stratum that was: one label for each
            row, or the name of a column of X, which is then no feature. Standard errors, intervals and tests, also
            `test_curves` and `check_audit`, are then those of the survey: clusters vary, within strata; other tests of
            fit treat rows as independent. Without ``groups`` each row is a cluster of its own.

        Returns
        -------
        PUGAM
            The estimator itself.

        Examples
        --------
        >>> from pugam import PUGAM, s
        >>> from pugam.datasets import simulate
        >>> data = simulate(1, n0=800, n=1000, random_state=0)
        >>> PUGAM([s("x1"), s("x2")], pi=0.4).fit(data.X, data.z).pi_
        0.4

        From a file:

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     data.X.assign(label=data.z).to_parquet(path := f"{folder}/rows.parquet")
        ...     PUGAM("s(x1) + s(x2)", pi=0.4, engine="stream").fit(path, "label").n0_
        800.0
        """
        require_words_of_kinds(kind, rare_kinds, shares)
        roles = SampleRoles(sample, audit, audit_chance, negative, groups, strata)
        taken = columns_taken(roles.given, either(y, z), sample_weight)
        X, z, sample_weight = take_labels(X, either(y, z), sample_weight)
        X, kinds = self._take_kinds(X, z, sample_weight, kind, rare_kinds, roles.given)
        if kinds is not None:
            self._fit_kinds(X, z, sample_weight, kinds)
            return self
        pi_range, own = read_pi_range(self.pi), own_column(self.terms, roles)
        X, roles = take_roles(X, roles, own)
        rows, survey = by_survey(rows_telling(self._open_rows(X, z, sample_weight, roles, own), own, self.labelling))
        specs = None if self.terms is None else read_terms(self.terms, rows.header, taken)
        labelling = read_labelling(self.labelling, rows.header, taken)
        named = None if specs is None else columns_read([*with_given_pairs(specs, self.interactions), *labelling])
        numbers, shown = rows.digest(rows.header.names if named is None else named)
        with rows_placed(rows, numbers):
            specs = read_terms(None, shown) if specs is None else specs
            specs = with_labelling(with_effects_of_samples(with_given_pairs(specs, self.interactions), own), labelling)
            specs = with_policies(specs, shown, read_missing(self.missing), read_unseen(self.unseen))
            require_identifiable(common_terms(specs, own), rows.header, pi_range, audited=roles.audit is not None)
        positive = rows.positive  # what is no label is refused before columns are looked at
        with rows_placed(rows, numbers):
            design = Design.resolve(specs, shown)
            logged = design.with_logarithms(shown) if self.smoothing == "reml" else None
        require_distinct(design)
        require_rows(design, rows.n_rows, not pi_range.fixed)
        settings = make_settings(self.get_params(deep=False), design)
        samples = read_samples(rows.roles, positive, rows.kept)
        require_marginal(settings, samples)
        require_labelling(design, settings, samples, survey)
        require_shares(shares, samples)
        if own is None:
            require_no_names(design, shown, samples, numbers)
        rng = read_generator(self.random_state)
        with one_blas_thread():
            engine = open_engine(rows, design, samples)
            require_enough_rows(engine, samples)
            require_rows_for_labelling(engine)
            warn_of_size(design)
            designs = [design] if logged is None else [design, logged]
            names = () if samples is None else samples.names
            fitted = fit_designs(engine, designs, settings, rng, names, own, self.shrinkage, self.verbose)
            fitted = know_survey(naming_samples(fitted, sample), survey)
            fitted = self._take_over(fitted, X, rows, survey, samples, shares == "pooled")
            findings = list(first_look(fitted))
        warn_of_columns(design, labelling, shown, positive[numbers])
        self._warn(findings)
        warn_of_samples(rows.roles, samples, positive, rows.kept)
        warn_of_survey(survey, self._fit.survey, rows.weights, positive)
        return self

    def _take_over(
        self, fitted: Fitted, X: Any, rows: TrainingRows, survey: Any = None, samples: Any = None, pooled: bool = False
    ) -> Fitted:
        """Become the model of a fit to these rows; return the fit with what was still to be found out of its rows."""
        fitted = with_average(replace(fitted, fit=inference_of(fitted).averaged(fitted.engine)))
        fitted = with_pooled_shares(fitted) if pooled else fitted
        with all_or_nothing(self):
            remember_features(self, X, rows.header)
            self._remember(fitted.fit, fitted.settings, fitted.engine.n0, fitted.engine.n1, fitted.design)
            self.classes_, self._library = rows.classes, rows.library
            self._rows, self._index, self._survey = RowsOfFit(fitted.engine, rows.kept), row_index(X), survey
            self._chances, self._origins = (None, None) if samples is None else (samples.chances, samples.origins)
            self._judge()
        return fitted

    def _remember(self, fit: Fit, settings: Settings, n0: float, n1: float, design: Design) -> None:
        optimum, pi_range = fit.optimum, settings.pi_range
        self._fitted_with = self.get_params(deep=False)  # which may be set anew later, for another fit
        self.terms_ = [basis.spec for basis in design.bases]
        self.formula_ = format_formula(self.terms_)
        self.n0_, self.n1_ = n0, n1
        self.pi_, self.pi_penalized_ = (float(pi_range.clip(np.array(point.pi))) for point in (optimum, fit.penalized))
        self.prevalence_ = (n0 + n1 * self.pi_) / (n0 + n1)
        self.label_frequency_ = float(label_frequency(np.array(self.pi_), n0, n1)[0])
        self.alpha_ = float(optimum.intercept - alpha_shift(self.pi_, n0, n1))
        self.coef_ = optimum.theta
        self.loglik_, self.penalized_loglik_ = optimum.loglik, optimum.value
        self.edf_ = edf(fit.penalized, fit.penalized.free(pi_range))
        self.aic_ = -2.0 * self.loglik_ + 2.0 * self.edf_
        self.shrinkage_ = fit.ridge
        self.smoothing_ = design.smoothing_by_term(fit.kappas)
        self.n_iter_, self.converged_ = max(1, optimum.n_iter), fit.converged
        inside = [pi_range.is_inside(pi) for pi in (self.pi_, self.pi_penalized_)]
        self.at_boundary_ = not (pi_range.fixed or all(inside))
        self.starts_ = [asdict(record) for record in fit.starts]
        for name in ("kinds_", "provenance_", "_covariance"):  # of an earlier fit, or of a file
            self.__dict__.pop(name, None)
        self._design, self._settings, self._fit, self._kinds = design, settings, fit, None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.string = True
        return tags
