"""Pictures of a report other than effects: posteriors, the profile of pi, and calibration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from pugam.inference import Interval, normal_quantile
from pugam.presentation.report.content import Diagnostics, FixedPi
from pugam.presentation.report.drawing import (
    WIDTH,
    Box,
    Chart,
    Path,
    Scale,
    circles,
    finite,
    in_percent,
    line,
    rectangles,
    ticks_below,
    ticks_beside,
)
from pugam.presentation.report.formats import p_equals, percent

__all__ = [
    "draw_calibration",
    "draw_histogram",
    "draw_profile",
    "histogram_label",
    "histogram_scales",
    "profile_scales",
]

HEIGHT = 220.0
BOX = Box(46.0, 8.0, 312.0, 178.0)
POINT = 2.6
HIGHEST_DEVIANCE = 2.5  # times the limit: what lies above is of no interest


def histogram_scales(shown: Sequence[FixedPi]) -> tuple[Scale, Scale]:
    """Return the scales of posteriors and of shares of rows, the same for all rows and for those of each sample."""
    box = BOX
    highest = max((share for one in shown for shares in one.histogram for share in shares), default=1.0)
    return Scale(0.0, 1.0, box.left, box.right), Scale.over([0.0, 1.05 * highest], box.bottom, box.top)


def histogram_label(fixed_pi: FixedPi, rows: str = "the unlabelled rows") -> str:
    """Say what a histogram shows."""
    called = percent(fixed_pi.called_positive[fixed_pi.estimate])
    return f"Histogram of the probability of being positive: {called} of {rows} above one half"


def draw_histogram(fixed_pi: FixedPi, scales: tuple[Scale, Scale]) -> Chart:
    """Draw how many of the unlabelled rows have which posterior, at the estimate."""
    along, up = scales
    return Chart(
        histogram_label(fixed_pi),
        WIDTH,
        HEIGHT,
        BOX,
        in_percent(ticks_below, along),
        in_percent(ticks_beside, up),
        (Path("zero half", f"M{along(0.5)} {up.end}V{up.start}"), _columns(fixed_pi, along, up)),
        below_title="probability of being positive",
        beside_title="share of rows",
    )


def _columns(fixed_pi: FixedPi, along: Scale, up: Scale) -> Path:
    """The columns of the histogram at the estimate."""
    shares = fixed_pi.histogram[fixed_pi.estimate]
    bins = len(shares)
    bars = [
        ((along(place / bins) + 0.5, up(0.0)), (along((place + 1) / bins) - 0.5, up(share)))
        for place, share in enumerate(shares)
    ]
    return Path("column", rectangles(bars))


def profile_scales(found: Diagnostics, limit: float) -> tuple[Scale, Scale]:
    """Return the scales of pi and of the deviance."""
    box = BOX
    return Scale.over(found.profile_pi, box.left, box.right), Scale(0.0, HIGHEST_DEVIANCE * limit, box.bottom, box.top)


def draw_profile(found: Diagnostics, pi: Interval, limit: float) -> Chart:
    """Draw how far the fit falls behind with pi fixed away from its estimate, and the limit of the interval."""
    along, up = profile_scales(found, limit)
    pairs = list(zip(found.profile_pi, found.profile_deviance, strict=True))
    inside = _below_limit(pairs, limit) or [pi.estimate]
    allowed = ((along(min(inside)), up(0.0)), (along(max(inside)), up(limit)))
    marks = (
        Path("band", rectangles([allowed])),
        Path("limit", f"M{along.start} {up(limit):.1f}H{along.end}"),
        Path("line", line((along(value), up(deviance)) for value, deviance in pairs if math.isfinite(deviance))),
        Path("estimate", f"M{along.inside(pi.estimate):.1f} {up.start}V{up.end}"),
    )
    text = f"Profile of pi: below the limit from {percent(min(inside))} to {percent(max(inside))}"
    return Chart(
        text,
        WIDTH,
        HEIGHT,
        BOX,
        in_percent(ticks_below, along),
        ticks_beside(up),
        marks,
        below_title="pi fixed at",
        beside_title="deviance",
    )


def _below_limit(pairs: Sequence[tuple[float, float]], limit: float) -> list[float]:
    """Return the values of pi with a deviance up to the limit, and those between points where it is crossed."""
    crossed = [
        first + (limit - low) / (high - low) * (second - first)
        for (first, low), (second, high) in pairwise(pairs)
        if (low <= limit) != (high <= limit) and math.isfinite(high - low)
    ]
    return crossed + [value for value, deviance in pairs if deviance <= limit]


def draw_calibration(found: Diagnostics) -> Chart:
    """Draw observed against predicted shares of labelled rows, with bars of the level of 95%."""
    box = BOX
    half = normal_quantile(0.95)
    top = max(1.05 * max(finite([*found.predicted, *found.observed]), default=1.0), 1e-6)
    along, up = Scale(0.0, top, box.left, box.right), Scale(0.0, top, box.bottom, box.top)
    places = [along(value) for value in found.predicted]
    bars = "".join(
        line([(place, up.inside(share - half * se)), (place, up.inside(share + half * se))])
        for place, share, se in zip(places, found.observed, found.se, strict=True)
    )
    dots = circles([(place, up(share)) for place, share in zip(places, found.observed, strict=True)], POINT)
    return Chart(
        f"Calibration: observed against predicted shares of labelled rows, {p_equals(found.pvalue)}",
        WIDTH,
        HEIGHT,
        box,
        ticks_below(along),
        ticks_beside(up),
        (
            Path("zero", line([(along(0.0), up(0.0)), (along(top), up(top))])),
            Path("bar", bars),
            Path("dot", dots),
        ),
        below_title="predicted share of labelled rows",
        beside_title="observed",
    )
