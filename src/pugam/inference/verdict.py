"""What a diagnosis means: findings, and a verdict on pi and on the model."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, compress
from typing import TYPE_CHECKING, Literal

from scipy.special import ndtr

from pugam.inference import findings
from pugam.inference.audit_findings import find_refuted
from pugam.inference.bound_findings import AboveBound, AboveBoundWithAllPairs
from pugam.inference.findings import Finding
from pugam.inference.open_effects import LARGEST_CONDITION, OpenEffects
from pugam.inference.sample_findings import find_differing_positives

if TYPE_CHECKING:
    from pugam.inference.common_curves import CurveTests
    from pugam.inference.diagnosis import Diagnosis
    from pugam.inference.labelling_test import LabellingTest
    from pugam.inference.pair_test import PairTest

__all__ = [
    "ALPHA",
    "DOUBTS",
    "FEWEST_TERMS",
    "NEARLY_ALL",
    "NEEDS_NO_CAVEAT",
    "SMALLEST_CALIBRATION",
    "SMALLEST_PVALUE",
    "WELL",
    "WIDE_INTERVAL",
    "Verdict",
    "find_boundary",
    "find_open",
    "fits",
    "headline",
    "intervals_differ",
    "judge",
]

Verdict = Literal["well determined", "weakly determined", "not determined", "does not fit", "fixed"]
WELL: Verdict = "well determined"
NEEDS_NO_CAVEAT: tuple[Verdict, ...] = (WELL, "fixed")
DOUBTS: tuple[Verdict, ...] = ("weakly determined", "not determined")  # about pi, of a model that fits

ALPHA = 0.05  # level at which terms are told from a constant, all of them together, and shares from each other
FEWEST_TERMS = 2  # that vary, without interactions between them: identifiability needs them
NEARLY_ALL = 0.9  # of the range of pi: an interval that excludes less says nothing
WIDE_INTERVAL = 0.4  # width of an interval for pi that leaves most questions open
UNEVEN = 1.5  # ratio of profile to Wald width at which the likelihood is far from quadratic
APART = 0.2  # difference of their ends, as a share of the width, that should be told
FEW_STARTS = 0.25  # share of starts near the best, below which it may have been found by chance
# Of each test of fit, below which the model is said not to fit: benchmarks/results/fit_tests.md has the false alarms.
SMALLEST_PVALUE = 0.01
SMALLEST_CALIBRATION = 1e-4  # of the calibration: it rejects too often at higher levels
MOST_PAIRS = 3  # that are named
LARGEST_RELIANCE = 1.3
SMALLEST_DISTANCE = 3.0  # of positives and negatives in mean log density ratio
# The same where curves are shrunken: pi then rests on the shape of a single score. Chosen on tables to choose on
# (benchmarks/division.py, benchmarks/many_tables.py), to one digit; from 3.6 to 5 no pi off by more than 0.2 passes.
SMALLEST_SHRUNKEN_DISTANCE = 4.0
OVERLAPPING = 10.0  # the same, below which pi rests on terms that vary and on how effects add up
# How many times larger the variance of logit pi is without the prior that shrunken curves come with.
LARGEST_LEANING, MOSTLY_LEANING = 1.5, 4.0
FAR_APART = 0.5  # starts nearly as good as the best, as a share of the interval's width
SMALLEST_SPREAD = 0.02  # of pi over these starts that is worth telling
SMALLEST_WIDTH = 1e-9


def judge(found: Diagnosis) -> tuple[Verdict, tuple[Finding, ...]]:
    """Give a verdict on pi and collect what should worry."""
    misfits, severe, doubts = list(_misfits(found)), list(_severe(found)), list(_doubts(found))
    all_findings = (*misfits, *severe, *doubts, *_remarks(found))
    if found.profile_interval is None:
        return "fixed", all_findings
    if misfits:
        return "does not fit", all_findings
    return ("not determined" if severe else "weakly determined" if doubts else WELL), all_findings


def headline(verdict: str) -> str:
    """Say a verdict in a line."""
    return "The model does not fit these data" if verdict == "does not fit" else f"pi is {verdict}"


def fits(found: Diagnosis) -> bool:
    """Whether the model fits: the verdict says so, but where pi is fixed; there a doubtful calibration is told, too."""
    if found.verdict != "fixed":
        return found.verdict != "does not fit"
    return found.calibration.pvalue >= SMALLEST_PVALUE and not list(_misfits(found))


def find_boundary(pi: float, bounds: tuple[float, float]) -> findings.RanToBoundary | findings.OnGivenBound:
    """Tell of an estimate on the boundary of its range."""
    end = min(bounds, key=lambda bound: abs(bound - pi))
    return findings.RanToBoundary(end) if end in (0.0, 1.0) else findings.OnGivenBound(*bounds)


def find_open(effects: OpenEffects) -> Iterator[Finding]:
    """Tell of effects that rows leave open."""
    if effects.levels:
        yield findings.RunawayLevels(effects.levels)
    if effects.terms:
        yield findings.OpenTerms(effects.terms)
    if effects.one_sided:
        yield findings.OneSidedLevels(effects.one_sided)


def _misfits(found: Diagnosis) -> Iterator[Finding]:
    """Signs that the model does not hold: what it says of pi is then worth little, however sure it is."""
    pairs, omnibus, bound = found.pair_test, found.omnibus, found.best_bin
    yield from find_refuted(found.audits, SMALLEST_PVALUE)
    yield from _find_preference(found)
    if pairs is not None and pairs.pvalue < SMALLEST_PVALUE:
        worst = [f"{one} and {other}" for one, other in pairs.pairs[:MOST_PAIRS]]
        seen = [name for name, pvalue in zip(worst, pairs.pvalues, strict=False) if pvalue < SMALLEST_PVALUE]
        yield findings.PairsDoNotAddUp(pairs.pvalue, tuple(seen or worst[:1]))
    if omnibus is not None and omnibus.pvalue < SMALLEST_PVALUE:
        yield findings.BoostingSeesMore(omnibus.pvalue)
    if found.curves is not None and found.curves.joint.pvalue < SMALLEST_PVALUE:
        yield _find_differing(found.curves)
    yield from find_differing_positives(found.positives, SMALLEST_PVALUE)
    if found.calibration.pvalue < SMALLEST_CALIBRATION:
        yield findings.LabelsDisagree(found.calibration.pvalue)
    if bound is not None and found.sampling.lower > bound.upper:
        kind = AboveBoundWithAllPairs if _has_all_pairs(found) else AboveBound
        yield kind(found.sampling.lower, bound.upper)


def _has_all_pairs(found: Diagnosis) -> bool:
    """Whether every two columns have an effect together."""
    together = [set(columns) for columns in found.columns]
    names = sorted(set().union(*together))
    pairs = combinations(names, 2)
    return len(names) > 1 and all(any(columns.issuperset(pair) for columns in together) for pair in pairs)


def _find_preference(found: Diagnosis) -> Iterator[Finding]:
    """Labels that prefer some positives; interactions that were added may have taken the preference in."""
    test, without = found.labelling, found.without_pairs
    if test is not None and _is_clearest(test, found.pair_test):
        yield findings.LabelsPrefer(test.pvalue, test.leading or test.columns[:1], test.term)
    elif without is not None and without.labelling is not None and _is_clearest(without.labelling, without.pair_test):
        test = without.labelling
        yield findings.PairsHidePreference(test.pvalue, test.leading or test.columns[:1], test.term, found.pairs_added)


def _is_clearest(test: LabellingTest, pairs: PairTest | None) -> bool:
    """Whether labels prefer some positives; effects that do not add up look like it, less than to the test of pairs."""
    if test.pvalue >= SMALLEST_PVALUE:
        return False
    return pairs is None or pairs.pvalue >= SMALLEST_PVALUE or test.pvalue < pairs.pvalue


def _find_differing(curves: CurveTests) -> Finding:
    """Name the terms that differ most, and where."""
    worst = min(curves.terms, key=lambda test: test.pvalue)
    named = curves.differing(SMALLEST_PVALUE) or (worst,)
    own = " + ".join(curves.remedies)
    remedy = f"Give each sample curves of its own, by {own}" if own else "Leave out the columns concerned"
    terms = tuple(f"{test.term} in {test.sample}" for test in named)
    return findings.CurvesDiffer(curves.joint.pvalue, terms, remedy)


def _severe(found: Diagnosis) -> Iterator[Finding]:
    """Signs that the data do not determine pi."""
    interval = found.profile_interval
    if interval is None:
        return
    low, high = found.bounds
    if found.at_boundary:
        yield find_boundary(found.wald.estimate, found.bounds)
    elif interval.upper - interval.lower > NEARLY_ALL * (high - low):
        yield findings.FlatProfile(low, high)
    elif interval.lower <= low or interval.upper >= high:
        yield findings.OpenEnd(low if interval.lower <= low else high)
    elif found.sampling.upper - found.sampling.lower > NEARLY_ALL * (high - low):
        yield findings.LargeError(low, high)
    if found.leaning > MOSTLY_LEANING:
        yield findings.LeansOnPrior("next to nothing")
    can_tell = found.separated is None and found.condition < LARGEST_CONDITION
    needs_terms = found.needs_terms and not found.audits
    if needs_terms and can_tell and not found.terms_identify and not _says_more_than_one(found):
        yield _find_too_few(found)


def _says_more_than_one(found: Diagnosis) -> bool:
    """Whether all columns say more than any one group, at a strict level: terms have been tested before."""
    return found.beyond_one is not None and found.beyond_one.pvalue < SMALLEST_PVALUE


def _find_too_few(found: Diagnosis) -> Finding:
    """What is said where terms distinguishable from a constant do not identify pi."""
    counting = [bool(columns) for columns in found.columns]
    names = tuple(test.terms[0] for test in compress(found.terms, found.distinguishable & counting))
    if len(names) > 1:
        return findings.OneGroupVaries(names)
    n_terms = sum(counting)
    return findings.OneTermVaries(n_terms, names[0]) if names else findings.NoTermVaries(n_terms)


def _find_one(found: Diagnosis) -> Iterator[Finding]:
    """Where columns are many for the rows, and single terms can hardly be told from a constant."""
    beyond = found.beyond_one
    if found.ridge is not None and beyond is not None and beyond.pvalue >= ALPHA:
        yield findings.OneTellsAll(beyond.columns, beyond.pvalue)


def _smallest_distance(found: Diagnosis) -> float:
    return SMALLEST_DISTANCE if found.ridge is None else SMALLEST_SHRUNKEN_DISTANCE


def _doubts(found: Diagnosis) -> Iterator[Finding]:
    """Signs that pi is determined, but not well."""
    interval = found.profile_interval
    if interval is None:
        return
    width = interval.upper - interval.lower
    wide = [one for one in (found.wald, interval) if one.upper - one.lower > WIDE_INTERVAL]
    if wide:  # the one that is reported goes first
        yield findings.WideInterval(wide[0].lower, wide[0].upper)
    if _is_uneven(found):
        yield findings.UnevenProfile(_width_ratio(found))
    if found.separated is not None:
        yield findings.Separated(found.separated)
    if found.starts and found.starts_near < FEW_STARTS * len(found.starts):
        yield findings.FewStartsNear(found.starts_near, len(found.starts))
    if LARGEST_LEANING < found.leaning <= MOSTLY_LEANING:
        yield findings.LeansOnPrior("little")
    if found.distance < _smallest_distance(found):
        area = float(ndtr(math.sqrt(max(found.distance, 0.0) / 2.0)))
        yield findings.LittleApart(found.distance, area, _smallest_distance(found))
    elif found.least_distance < _smallest_distance(found):
        yield findings.PerhapsLittleApart(found.distance, found.sampling.lower, found.least_distance)
    if found.distance < OVERLAPPING:
        yield from _find_one(found)
    if found.search is not None and found.pairs_added and found.distance < OVERLAPPING:
        yield findings.RestsOnPairs(found.pairs_added, found.search.pi)
    if found.open_effects.one_sided:
        yield findings.OneSidedLevels(found.open_effects.one_sided)
    if found.reliance > LARGEST_RELIANCE:
        yield findings.NeedsSmoothness(found.reliance)
    if found.starts_near > 1 and found.starts_spread > max(SMALLEST_SPREAD, FAR_APART * width):
        yield findings.StartsApart(found.starts_spread)


def _remarks(found: Diagnosis) -> Iterator[Finding]:
    """What casts doubt on the model rather than on pi, and which interval is reported."""
    if intervals_differ(found) and not _is_uneven(found) and not found.allows_for_errors:
        yield findings.IntervalsDiffer(found.sampling)
    if SMALLEST_CALIBRATION <= found.calibration.pvalue < SMALLEST_PVALUE:
        yield findings.LabelsDisagree(found.calibration.pvalue)
    if found.separated is None:
        yield from find_open(replace(found.open_effects, one_sided=()))


def intervals_differ(found: Diagnosis) -> bool:
    """Whether the profile interval is far from Wald's."""
    profile, wald = found.profile_interval, found.sampling
    if profile is None:
        return False
    apart = max(abs(profile.lower - wald.lower), abs(profile.upper - wald.upper))
    return _is_uneven(found) or apart > APART * max(profile.upper - profile.lower, SMALLEST_WIDTH)


def _width_ratio(found: Diagnosis) -> float:
    """Width of the profile interval relative to Wald's."""
    assert found.profile_interval is not None
    profile, wald = (max(one.upper - one.lower, SMALLEST_WIDTH) for one in (found.profile_interval, found.sampling))
    return profile / wald


def _is_uneven(found: Diagnosis) -> bool:
    return not 1.0 / UNEVEN < _width_ratio(found) < UNEVEN
