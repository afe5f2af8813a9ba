"""Is pi determined by these data, by a model that fits them? A fit is looked at from all sides; `verdict` judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import chain, compress

import numpy as np
from numpy.typing import NDArray

from pugam.data import SurveyRows
from pugam.inference.audit_findings import AuditedShare
from pugam.inference.audits import check_audits
from pugam.inference.best_bin import BestBin, bound_pi
from pugam.inference.beyond_one import BeyondOne, held_out_scores, look_beyond_one
from pugam.inference.boosting import held_out_chances
from pugam.inference.calibration import Calibration
from pugam.inference.common_curves import CurveTests, compare_curves
from pugam.inference.description import describe
from pugam.inference.findings import Finding
from pugam.inference.fixed_share import find_contradiction
from pugam.inference.hypotheses import HypothesisTest
from pugam.inference.intervals import USUAL_LEVEL, Interval
from pugam.inference.kind import Inference
from pugam.inference.kinds import inference_of
from pugam.inference.labelling_test import LabellingTest, score_labelling
from pugam.inference.multiple_tests import holm
from pugam.inference.omnibus import Omnibus, probe_residuals
from pugam.inference.open_effects import OpenEffects, condition_number
from pugam.inference.opinions import Opinion, ask_others, find_disagreement
from pugam.inference.own_curves import ratios_of_all
from pugam.inference.pair_test import PairTest, score_pairs
from pugam.inference.profile import PiProfile, profile_interval
from pugam.inference.reliance import inflation, reliance
from pugam.inference.rows_tested import choose_rows
from pugam.inference.sample_positives import PositivesTest, compare_positives
from pugam.inference.sensitivity import Sensitivity, fix_pi, values_within
from pugam.inference.verdict import ALPHA, FEWEST_TERMS, NEEDS_NO_CAVEAT, Verdict, headline, intervals_differ, judge
from pugam.inference.without_pairs import WithoutPairs, look_without_pairs
from pugam.likelihood import expit, logit
from pugam.messages import Message, Words, in_lines, in_python
from pugam.solvers import (
    EDGE,
    Fit,
    Fitted,
    Search,
    StartRecord,
    effect_variances,
    rows_in_doubt,
)
from pugam.terms import Basis, Design, group_columns

__all__ = ["Diagnosis", "diagnose_fit", "find_separating", "follow_pi"]

Array = NDArray[np.float64]

PROFILE_POINTS, PROFILE_REACH = 25, 1.3  # the profile is drawn a little beyond the interval, on the logit scale
NEARLY_AS_GOOD = 2.0  # in log-likelihood
FEWEST_DOUBTFUL_ROWS = 4


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis:
    """What was found about a fit.

    Attributes
    ----------
    verdict : "well determined", "weakly determined", "not determined", "does not fit" or "fixed"
        Whether these data determine pi, by a model that fits them.
    findings : tuple of Finding
        What was seen that should worry.
    warnings : tuple of str
        The same in words, each with a remedy.
    wald : Interval
        The interval for pi that is reported: of the mode that of the profile, where Wald's is far from it.
    sampling, profile_interval : Interval
        Two intervals for sampling error alone, which agree where the likelihood is well behaved.
    profile_pi, profile_deviance : arrays
        The profile of pi; a deviance of 3.84 marks the limits of the 95% interval.
    terms : tuple of HypothesisTest
        Of every term, whether it is distinguishable from a constant; pi is identified by two that are, and
        that no interactions join.
    columns : tuple of tuples of str
        The columns that each of these terms reads, without those that labelling depends on and the column of samples
        that have curves of their own: at each of their values, others have to identify pi.
    starts : tuple of StartRecord
        Every start: where it began and ended.
    starts_near : int
        Starts that ended within two units of log-likelihood of the best.
    starts_spread : float
        How far apart in pi they ended.
    at_boundary : bool
    separated : str or None
        Where hardly a row is left whose class the model doubts: the term that tells rows apart most.
    open_effects : OpenEffects
        Levels whose effects grow without bound, because the model doubts none of their rows, and terms whose effects
        can change at will, because they say the same or have too few values.
    bounds : (float, float)
        The range that pi was given.
    condition : float
        Condition number of the penalised information, scaled to a unit diagonal.
    inflation : float
        How many times larger the variance of logit pi is for not knowing the curves.
    reliance : float
        How many times larger the standard error of logit pi would be if every curve were free to bend, with two degrees
        of freedom at least: what of its precision rests on curves being smooth.
    distance : float
        By how much the mean log density ratio of positives exceeds that of negatives.
    ridge : float, optional
        Where curves were shrunken: the strength of the ridge that predicts held-out rows best.
    leaning : float
        How many times larger the variance of logit pi would be without the prior on the separation of the classes that
        shrunken curves come with; infinite where rows alone say nothing.
    needs_terms : bool
        Whether pi is identified by terms that vary alone, and not by such a prior, too.
    beyond_one : BeyondOne, optional
        Whether all columns together say more than one of them alone; None with several samples, or labelling that
        depends on columns.
    calibration : Calibration
        Predicted against observed labels: goodness of fit of additivity and of random labelling together.
    pair_test : PairTest, optional
        Whether the effects of all pairs of columns add up; None where there is no pair to test, or rows are too few.
    labelling : LabellingTest, optional
        Whether positives were labelled at random, or with a preference for some values of columns; None where rows are
        too few, or columns: a preference by one is told by two others.
    omnibus : Omnibus, optional
        Whether boosting predicts what the model does not; None where rows are too few.
    best_bin : BestBin, optional
        An upper bound on pi that needs no model; None where rows are too few.
    sensitivity : Sensitivity
        The model with pi fixed along a grid.
    search : Search, optional
        Which interactions were looked for and added, and what pi would be without them; None where none were.
    curves : CurveTests, optional
        Whether curves are the same in all unlabelled samples; None where there is one, and where terms say who is
        labelled.
    positives : PositivesTest, optional
        Whether labelled rows of different samples look alike; None where they name no two samples, or are few.
    opinions : tuple of Opinion
        What others than the model say of pi.
    audits : tuple of AuditedShare
        What rows say whose class was found out, of each audited sample, and of all of them last.
    without_pairs : WithoutPairs, optional
        Tests of labelling and of pairs without the interactions that were added; None where none were.
    """

    verdict: Verdict
    findings: tuple[Finding, ...]
    wald: Interval
    sampling: Interval
    profile_interval: Interval | None
    profile_pi: Array
    profile_deviance: Array
    terms: tuple[HypothesisTest, ...]
    columns: tuple[tuple[str, ...], ...]
    starts: tuple[StartRecord, ...]
    starts_near: int
    starts_spread: float
    at_boundary: bool
    bounds: tuple[float, float]
    separated: str | None
    open_effects: OpenEffects
    condition: float
    inflation: float
    reliance: float
    distance: float
    ridge: float | None
    leaning: float
    needs_terms: bool
    beyond_one: BeyondOne | None
    calibration: Calibration
    pair_test: PairTest | None
    labelling: LabellingTest | None
    omnibus: Omnibus | None
    best_bin: BestBin | None
    sensitivity: Sensitivity
    search: Search | None = None
    curves: CurveTests | None = None
    positives: PositivesTest | None = None
    opinions: tuple[Opinion, ...] = ()
    audits: tuple[AuditedShare, ...] = ()
    without_pairs: WithoutPairs | None = None

    @property
    def n_distinguishable(self) -> int:
        """Number of terms distinguishable from a constant."""
        return int(self.distinguishable.sum())

    @property
    def distinguishable(self) -> NDArray[np.bool_]:
        """Which terms are distinguishable from a constant, at the 5% level for all of them together.

        With a level for each, one of many columns of noise would pass for the second that pi needs.
        """
        return holm([test.pvalue for test in self.terms], ALPHA)

    @property
    def n_groups(self) -> int:
        """Number of groups that the columns of these terms fall into, without interactions between groups."""
        return len(group_columns(compress(self.columns, self.distinguishable)))

    @property
    def pairs_added(self) -> tuple[str, ...]:
        """Interactions that were added by evidence."""
        return () if self.search is None else self.search.added

    @property
    def terms_identify(self) -> bool:
        """Whether these terms identify pi: two groups do. Where pairs were added, no one term may read all columns."""
        if not self.pairs_added:
            return self.n_groups >= FEWEST_TERMS
        columns = frozenset(chain.from_iterable(compress(self.columns, self.distinguishable)))
        return not any(columns.issubset(others) for others in self.columns)

    @property
    def allows_for_errors(self) -> bool:
        """Whether the interval for pi is wider than sampling error makes it."""
        return self.wald.method != "profile" and self.wald.lower < self.sampling.lower

    @property
    def least_distance(self) -> float:
        """What the distance would be at the lower limit of the sampling interval, curves as they are.

        Unlabelled rows have a mean in between, the nearer to that of negatives the fewer positives there are: a share
        that is too large makes classes look farther apart than they are.
        """
        return self.distance * (1.0 - self.sampling.estimate) / (1.0 - self.sampling.lower)

    @property
    def neighbours(self) -> tuple[float, ...]:
        """What others say of pi where the model does not fit: trees that know of no model, and fewer interactions."""
        if self.verdict != "does not fit":
            return ()
        trees = () if self.best_bin is None else (self.best_bin.estimate,)
        return trees if self.search is None else (*trees, self.search.pi)

    @property
    def profile_limits(self) -> tuple[float, float] | None:
        """Limits of the profile interval, where that is reported in place of Wald's."""
        return (self.wald.lower, self.wald.upper) if self.wald.method == "profile" else None

    def remembered(self, fit: Fit) -> Fit:
        """The fit with what intervals for pi have to know of this diagnosis."""
        return replace(fit, neighbours=self.neighbours, profile_limits=self.profile_limits)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was seen that should worry, each with a remedy."""
        return tuple(map(str, self.messages))

    def caveat(self, n_reasons: int | None = None) -> Message | None:
        """What has to be said before any number: a verdict that leaves doubts, and its reasons, or so many of them."""
        if self.verdict in NEEDS_NO_CAVEAT:
            return None
        reasons = self.messages[:n_reasons]
        return Message(f"{headline(self.verdict)}.", *(part for reason in reasons for part in (" ", reason)))

    @property
    def messages(self) -> tuple[Message, ...]:
        """What the findings say."""
        return tuple(finding.message for finding in self.findings)

    def in_words(self, interval: Interval | None = None, words: Words = in_python) -> str:
        """Tell what was found, with an interval for pi made before in place of Wald's."""
        return in_lines(describe(self, self.wald if interval is None else interval, words))

    def __str__(self) -> str:
        return self.in_words()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f'<pre style="white-space: pre-wrap">{escape(self.in_words())}</pre>'


def diagnose_fit(
    fitted: Fitted,
    pi: float,
    terms: Sequence[HypothesisTest],
    at_boundary: bool,
    survey: SurveyRows | None = None,
    chances: Array | None = None,
    origins: NDArray[np.int32] | None = None,
) -> Diagnosis:
    """Look at a fit, with this estimate of pi, from all sides that a verdict needs; `follow_pi` looks further.

    Rows count as independent unless it is said how a survey drew them, and as audited with the same chance unless it is
    said with which. `origins` are the samples that labelled rows name (see `compare_positives`).
    """
    inference = inference_of(fitted)
    sampling = _interval(inference, pi, sampling=True)
    profile = inference.profile(fitted.engine)
    fixed = fitted.settings.pi_range.fixed
    interval = None if fixed else profile_interval(profile, USUAL_LEVEL)
    starts = _relevant_starts(fitted.fit)
    near, spread = _spread(starts)
    rows = choose_rows(profile)
    of_trees = held_out_chances(rows) if rows.are_enough and fitted.fit.labelling is None else None
    found = Diagnosis(
        verdict="fixed",
        findings=(),
        wald=_interval(inference, pi),
        sampling=sampling,
        profile_interval=interval,
        profile_pi=np.array([pi]),
        profile_deviance=np.zeros(1),
        terms=tuple(terms),
        columns=tuple(_columns_identifying(basis, fitted.design, fitted.fit) for basis in fitted.design.bases),
        starts=starts,
        starts_near=near,
        starts_spread=spread,
        at_boundary=at_boundary,
        bounds=fitted.settings.pi_range.limits,
        separated=find_separating(fitted),
        open_effects=inference.open_effects(fitted.engine),
        condition=condition_number(fitted),
        inflation=1.0 if fixed else inflation(fitted.fit.penalized),
        reliance=1.0 if fixed else reliance(fitted),
        distance=_distance(fitted),
        ridge=fitted.fit.ridge,
        leaning=inference.leaning,
        needs_terms=inference.needs_terms,
        beyond_one=look_beyond_one(rows, held_out_scores(fitted.fit, rows, of_trees), bool(fitted.fit.added)),
        calibration=profile.calibrate(),
        pair_test=score_pairs(rows),
        labelling=score_labelling(rows),
        omnibus=probe_residuals(rows),
        best_bin=bound_pi(rows, of_trees) if fitted.fit.labelling is None else None,
        sensitivity=fix_pi(profile, np.array([pi])),
        search=fitted.fit.search,
        curves=compare_curves(fitted, survey) if fitted.fit.labelling is None else None,
        positives=compare_positives(fitted, origins, survey),
        audits=check_audits(fitted, USUAL_LEVEL, chances, survey),
        without_pairs=look_without_pairs(fitted),
    )
    found = replace(found, wald=_reported_interval(inference, found, pi))
    verdict, findings = judge(found)
    return replace(found, verdict=verdict, findings=(*findings, *find_contradiction(fitted)))


def _columns_identifying(basis: Basis, design: Design, fit: Fit) -> tuple[str, ...]:
    """The columns of a term that may identify pi, each sample by itself, and at each value of columns of labelling."""
    kept = set(design.labelling_columns)
    if fit.samples is not None and fit.samples.own_column is not None:
        kept.add(fit.samples.own_column)
    return tuple(name for name in basis.spec.columns if name not in kept)


def follow_pi(found: Diagnosis, fitted: Fitted) -> Diagnosis:
    """Add the profile, what becomes of the model when pi is fixed along a grid, and what others say of pi."""
    profile, interval = inference_of(fitted).profile(fitted.engine), found.profile_interval
    sensitivity = fix_pi(profile, values_within(interval, found.wald.estimate))
    if interval is None:
        return replace(found, sensitivity=sensitivity)
    places, deviance = _curve(profile, interval)
    opinions = ask_others(choose_rows(profile)) if found.best_bin is not None else ()
    return replace(
        found,
        profile_pi=places,
        profile_deviance=deviance,
        sensitivity=sensitivity,
        opinions=opinions,
        findings=(*found.findings, *find_disagreement(opinions, found.wald)),
    )


def _reported_interval(inference: Inference[Fit], found: Diagnosis, pi: float) -> Interval:
    """The interval for pi with what it has to know of the diagnosis: no misfit depends on it, but other findings do."""
    found = replace(found, verdict=judge(found)[0])
    limits = _better_limits(found) if inference.settings.estimate == "mode" else None
    return _interval(
        replace(inference, fit=replace(inference.fit, neighbours=found.neighbours, profile_limits=limits)), pi
    )


def _better_limits(found: Diagnosis) -> tuple[float, float] | None:
    """Limits of the profile interval, where they are far from Wald's."""
    interval = found.profile_interval
    return (interval.lower, interval.upper) if interval is not None and intervals_differ(found) else None


def _interval(inference: Inference[Fit], pi: float, sampling: bool = False) -> Interval:
    """Interval for pi, with or without an allowance for model error."""
    if inference.settings.pi_range.fixed:
        return Interval(pi, pi, pi, USUAL_LEVEL, "fixed")
    return (inference.sampling_interval if sampling else inference.pi_interval)(pi, USUAL_LEVEL)


def find_separating(fitted: Fitted) -> str | None:
    """Where hardly a row is left whose class the model doubts: the term whose effect varies most over the rows.

    Where nothing is known of pi, all unlabelled rows may be positive, and none in doubt for no good reason.
    """
    inference = inference_of(fitted)
    doubted = rows_in_doubt(fitted.engine, inference.doubted_curves)
    if doubted >= FEWEST_DOUBTFUL_ROWS or inference.says_little:
        return None
    most = int(np.argmax(effect_variances(fitted.engine, fitted.fit.optimum.theta)))
    return fitted.design.bases[most].spec.label


def _curve(profile: PiProfile, interval: Interval) -> tuple[Array, Array]:
    """The profile over the interval and a little beyond, every point a neighbour of the one before."""
    low, middle, high = (
        float(logit(np.clip(pi, 100 * EDGE, 1.0 - 100 * EDGE)))
        for pi in (interval.lower, interval.estimate, interval.upper)
    )
    below = np.linspace(middle, middle - PROFILE_REACH * max(middle - low, 0.1), PROFILE_POINTS // 2 + 1)
    above = np.linspace(middle, middle + PROFILE_REACH * max(high - middle, 0.1), PROFILE_POINTS // 2 + 1)
    limits = {pi for pi in (interval.lower, interval.upper) if 0.0 < pi < 1.0}
    places = limits | {float(expit(place)) for side in (below, above) for place in side}
    outwards = sorted(places, key=lambda pi: abs(float(logit(pi)) - middle))
    found = {pi: profile.deviance(pi) for pi in outwards}
    pi = np.array(sorted(found))
    return pi, np.array([found[value] for value in pi])


def _relevant_starts(fit: Fit) -> tuple[StartRecord, ...]:
    """The starts at the smoothing parameter that was chosen, where several were tried."""
    chosen = tuple(record for record in fit.starts if record.kappa == float(fit.kappas.max(initial=0.0)))
    return chosen or fit.starts


def _spread(starts: Sequence[StartRecord]) -> tuple[int, float]:
    """Number of starts that ended nearly as high as the best, and how far apart in pi."""
    best = max((record.objective for record in starts), default=0.0)
    ends = [record.pi for record in starts if record.objective > best - NEARLY_AS_GOOD]
    return len(ends), float(np.ptp(ends)) if ends else 0.0


def _distance(fitted: Fitted) -> float:
    """Difference between positives and negatives in mean log density ratio; unlabelled rows have a mean in between."""
    engine, ratio = fitted.engine, ratios_of_all(fitted)
    weights = np.ones(engine.n_rows) if engine.weights is None else engine.weights
    labelled, hidden = (
        float(np.average(ratio[rows], weights=weights[rows])) for rows in (engine.positive, ~engine.positive)
    )
    return (labelled - hidden) / (1.0 - fitted.fit.optimum.pi)
