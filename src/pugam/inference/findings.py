"""What a diagnosis means: a verdict on pi, warnings with their remedies, and the whole in words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from scipy.special import ndtr

from pugam.inference.open_effects import LARGEST_CONDITION, OpenEffects

if TYPE_CHECKING:
    from pugam.inference.diagnosis import Diagnosis
    from pugam.inference.intervals import Interval

__all__ = ["ALPHA", "FEWEST_TERMS", "Verdict", "describe", "judge", "open_effects_advice", "without_advice_taken"]

Verdict = Literal["well determined", "weakly determined", "not determined", "fixed"]

ALPHA = 0.05  # level at which terms are told from a constant
FEWEST_TERMS = 2  # that vary: identifiability needs them
WIDE = 0.4  # width of an interval for pi that leaves most questions open
UNEVEN = 1.5  # ratio of profile to Wald width at which the likelihood is far from quadratic
APART = 0.2  # difference of their ends, as a share of the width, that should be told
FEW_STARTS = 0.25  # share of starts near the best, below which it may have been found by chance
SMALLEST_PVALUE = 0.01  # of the calibration, below which the model is said not to fit
LARGEST_RELIANCE = 1.3
SMALLEST_DISTANCE = 3.0  # of positives and negatives in mean log density ratio
# How many times larger the variance of logit pi is without the prior that shrunken curves come with.
LARGEST_LEANING, MOSTLY_LEANING = 1.5, 4.0
MOST_NAMES = 3
FAR_APART = 0.5  # starts nearly as good as the best, as a share of the interval's width

ON_PROFILE = re.compile(r" Report the profile interval, (?:pi_interval\(method='profile'\)|--ci profile)\.")
ADD_INFORMATION = (
    "Fix pi or bound it if you know something about it (pi=0.2, pi=(0.1, 0.4)), or add features that tell positives "
    "from negatives."
)


def judge(found: Diagnosis) -> tuple[Verdict, tuple[str, ...]]:
    """Give a verdict on pi and collect what should worry."""
    severe = list(_severe(found))
    doubts = list(_doubts(found))
    remarks = (*severe, *doubts, *_remarks(found))
    if found.profile_interval is None:
        return "fixed", remarks
    return ("not determined" if severe else "weakly determined" if doubts else "well determined"), remarks


def open_effects_advice(found: OpenEffects) -> Iterator[str]:
    """Advise on effects that rows leave open."""
    if found.levels:
        yield (
            f"Nothing holds the effects of some levels, which grow without bound: {_listed(found.levels)}. The model "
            "doubts none of their rows: pi counts those of a level all as positive or all as negative. Effects of the "
            "column's other levels are relative to these and no better known. Merge them with others, or leave the "
            "column out."
        )
    if found.terms:
        yield (
            f"These rows leave some effects open: {_listed(found.terms)}. Either terms say the same, or a term has "
            "more functions than its values can tell apart. Leave one out, or use more smoothing or a smaller k: what "
            "they add up to at values like these is determined, not each effect."
        )


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _severe(found: Diagnosis) -> Iterator[str]:
    """Signs that the data do not determine pi."""
    held = found.profile_interval
    if held is None:
        return
    low, high = found.bounds
    if found.at_boundary:
        remedy = ADD_INFORMATION if found.bounds == (0.0, 1.0) else "Widen the bounds, or ask what they rest on."
        yield f"The estimate of pi lies on the boundary of its range. {remedy}"
    elif held.lower <= low and held.upper >= high:
        yield f"The profile of pi is flat: no value from {low:g} to {high:g} is excluded. {ADD_INFORMATION}"
    elif held.lower <= low or held.upper >= high:
        end = low if held.lower <= low else high
        yield f"The profile of pi does not fall off towards {end:g}: there is no limit on that side. {ADD_INFORMATION}"
    if found.leaning > MOSTLY_LEANING:
        yield _leaning("next to nothing")
    if found.ridge is None and found.n_distinguishable < FEWEST_TERMS and found.condition < LARGEST_CONDITION:
        names = [test.terms[0] for test in found.terms if test.pvalue < ALPHA]
        seen = f"only {names[0]} is" if names else "no term is"
        yield (
            f"Of {len(found.terms)} terms {seen} distinguishable from a constant, but two are needed to identify pi. "
            f"{ADD_INFORMATION}"
        )


def _leaning(how_much: str) -> str:
    return (
        f"These rows alone say {how_much} about pi: the estimate mostly reflects how well features usually separate "
        f"classes. {ADD_INFORMATION}"
    )


def _doubts(found: Diagnosis) -> Iterator[str]:
    """Signs that pi is determined, but not well."""
    held, wald = found.profile_interval, found.wald
    if held is None:
        return
    width, wald_width = held.upper - held.lower, wald.upper - wald.lower
    if width > WIDE:
        yield (
            f"The interval for pi is wide, {held.lower:.2f} to {held.upper:.2f}. More unlabelled rows or stronger "
            "features narrow it; until then show results for pi fixed at several values (plot('sensitivity'))."
        )
    ratio = max(width, 1e-9) / max(wald_width, 1e-9)
    if not 1.0 / UNEVEN < ratio < UNEVEN:
        yield (
            f"The profile interval is {ratio:.1f} times as wide as Wald's: the likelihood is far from quadratic. "
            "Report the profile interval, pi_interval(method='profile')."
        )
    if found.separated:
        yield (
            "The terms separate positives from negatives (almost) perfectly: pi only counts the rows on one side, and "
            "the height of the curves is not determined; do not interpret odds ratios. Look for a column that gives "
            "the labels away, such as an identifier or a date. Use fewer terms, or more smoothing."
        )
    if found.starts and found.starts_near < FEW_STARTS * len(found.starts):
        yield (
            f"Only {found.starts_near} of {len(found.starts)} starts ended near the best: there may be better ones. "
            "Use more starts (n_starts=40), fewer terms, or factors with fewer levels."
        )
    if LARGEST_LEANING < found.leaning <= MOSTLY_LEANING:
        yield _leaning("little")
    if found.distance < SMALLEST_DISTANCE:
        area = float(ndtr(math.sqrt(max(found.distance, 0.0) / 2.0)))
        yield (
            f"The features put positives and negatives little apart, by {found.distance:.1f} in mean log density ratio "
            f"(for normal features, a ROC area of {area:.2f}): what is known of pi rests on effects adding up exactly "
            "as the model says. Add stronger features, bound pi, or show results for several values of it "
            "(plot('sensitivity'))."
        )
    if found.reliance > LARGEST_RELIANCE:
        yield (
            f"What pi is known by rests on curves being smooth: were they free to bend, its standard error would be "
            f"{found.reliance:.1f} times as large. Ask whether smooth curves are plausible here, add a second strong "
            "feature, or fix pi."
        )
    if found.starts_near > 1 and found.starts_spread > max(0.02, FAR_APART * width):
        yield (
            f"Starts nearly as good as the best ended {found.starts_spread:.2f} apart in pi: the likelihood has "
            "several maxima or a long ridge. Use more starts (n_starts=40), more smoothing, or fewer terms."
        )


def _remarks(found: Diagnosis) -> Iterator[str]:
    """What casts doubt on the model rather than on pi, and which interval to report."""
    held, wald = found.profile_interval, found.wald
    if held is not None:
        apart = max(abs(held.lower - wald.lower), abs(held.upper - wald.upper)) / max(held.upper - held.lower, 1e-9)
        ratio = max(held.upper - held.lower, 1e-9) / max(wald.upper - wald.lower, 1e-9)
        if apart > APART and 1.0 / UNEVEN < ratio < UNEVEN:
            yield (
                f"Profile and Wald intervals differ ({held.lower:.3f} to {held.upper:.3f}, {wald.lower:.3f} to "
                f"{wald.upper:.3f}). Report the profile interval, pi_interval(method='profile')."
            )
    if not _fits(found):
        yield (
            f"Predicted and observed labels disagree (p = {found.calibration.pvalue:.2g}): effects may not be "
            "additive, or labelled positives not a random sample of all positives. Look at plot('calibration'); add "
            "products of features as columns, or ask how the labels came about."
        )
    if not found.separated:
        yield from open_effects_advice(found.open_effects)


def _fits(found: Diagnosis) -> bool:
    """Whether predicted and observed labels agree."""
    return found.calibration.pvalue >= SMALLEST_PVALUE


def describe(found: Diagnosis, interval: Interval) -> Iterator[str]:
    """Tell what was found, line by line, with this interval for pi."""
    held, calibration, sensitivity = found.profile_interval, found.calibration, found.sensitivity
    doubted = "" if _fits(found) else " by a model that does not fit"
    yield f"pi is {found.verdict}{doubted}: {interval}"
    if held is not None:
        yield f"  profile      {100 * held.level:g}% interval {held.lower:.3f} to {held.upper:.3f}"
    vary = f"{found.n_distinguishable} of {len(found.terms)}"
    yield f"  terms        {vary} distinguishable from a constant{'' if held is None else ' (two are needed)'}"
    if found.starts:
        near = f"{found.starts_near} of {len(found.starts)}"
        yield f"  starts       {near} near the best, within {found.starts_spread:.3f} in pi"
    if held is not None:
        yield f"  boundary     {'on it' if found.at_boundary else 'not reached'}"
        inflated = f"not knowing the curves inflates the variance of pi {found.inflation:.2g} times"
        yield f"  information  condition number {found.condition:.2g}; {inflated}"
        if found.ridge is None:
            free = f"with curves free to bend, the standard error of pi would grow {found.reliance:.2f} times"
            yield f"  smoothness   {free}"
    if found.ridge is not None:
        yield f"  shrinkage    curves shrunken by a ridge of {found.ridge:g}, chosen by rows held out"
    apart = f"classes {found.distance:.1f} apart in mean log density ratio"
    yield f"  separation   {'(almost) perfect' if found.separated else 'none'}; {apart}"
    test = f"chi-square {calibration.statistic:.3g} on {calibration.df:g} df, p = {calibration.pvalue:.2g}"
    yield f"  calibration  {test}"
    called = f"{sensitivity.share_positive[0]:.3f} to {sensitivity.share_positive[-1]:.3f}"
    along = f"pi held from {sensitivity.pi[0]:.3f} to {sensitivity.pi[-1]:.3f}"
    yield f"  sensitivity  {along}: {called} of the unlabelled called positive"
    for warning in found.warnings_beside(interval):
        yield f"  ! {warning}"


def without_advice_taken(warnings: Sequence[str], interval: Interval) -> tuple[str, ...]:
    """Leave out the advice to report the profile interval where it is the one reported."""
    if interval.method != "profile":
        return tuple(warnings)
    return tuple(ON_PROFILE.sub("", warning) for warning in warnings)
