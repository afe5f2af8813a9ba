"""Intervals as bars: that of pi on a line from 0 to 1, and those of odds ratios in the lines of their table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from pugam.inference import Interval, RatioInterval
from pugam.presentation.report.drawing import DOT, WIDTH, Box, Chart, Path, Scale, Tick, circles, rectangles
from pugam.presentation.report.formats import percent

__all__ = ["draw_pi", "draw_ratios"]

RATIO_WIDTH, RATIO_HEIGHT = 140.0, 18.0
FARTHEST_RATIO = math.log(1e4)


def draw_pi(pi: Interval) -> Chart:
    """Draw pi and its interval on a line from 0 to 1."""
    along = Scale(0.0, 1.0, 12.0, 308.0)
    quarters = (0.0, 0.25, 0.5, 0.75, 1.0)
    interval = "" if pi.method == "fixed" else f", interval {percent(pi.lower)} to {percent(pi.upper)}"
    return Chart(
        f"pi {percent(pi.estimate)}{interval}, on a line from 0 to 100%",
        WIDTH,
        40.0,
        Box(along.start, 2.0, along.end, 22.0),
        tuple(Tick(along(share), f"{100 * share:g}%") for share in quarters),
        (),
        tuple(_pi_marks(pi, along, middle=12.0)),
    )


def _pi_marks(pi: Interval, along: Scale, middle: float) -> Iterator[Path]:
    yield Path("track", f"M{along.start} {middle}H{along.end}")
    if pi.method != "fixed":
        bar = ((along.inside(pi.lower), middle - 4.0), (along.inside(pi.upper), middle + 4.0))
        yield Path("interval", rectangles([bar]))
    yield Path("estimate-dot", circles([(along.inside(pi.estimate), middle)], 6.0))


def draw_ratios(ratios: Sequence[RatioInterval]) -> list[Chart]:
    """Draw odds ratios with their intervals on one logarithmic scale, which those determined span."""
    logs = [[_log(end) for end in (ratio.lower, ratio.estimate, ratio.upper)] for ratio in ratios]
    shown = [ends for ratio, ends in zip(ratios, logs, strict=True) if ratio.is_determined]
    along = Scale.over([0.0, *(end for ends in shown for end in ends)], 4.0, RATIO_WIDTH - 4.0)
    return [_draw_ratio(along, *ends) for ends in logs]


def _draw_ratio(along: Scale, lower: float, middle: float, upper: float) -> Chart:
    """Draw the logarithm of a ratio and of the ends of its interval."""
    box = Box(0.0, 0.0, RATIO_WIDTH, RATIO_HEIGHT)
    marks = (
        Path("zero", f"M{along(0.0):.1f} 0V{RATIO_HEIGHT}"),
        Path("bar", f"M{along(lower):.1f} {RATIO_HEIGHT / 2}H{along(upper):.1f}"),
        Path("dot", circles([(along(middle), RATIO_HEIGHT / 2)], DOT)),
    )
    return Chart("", RATIO_WIDTH, RATIO_HEIGHT, box, (), (), marks)


def _log(ratio: float) -> float:
    """Return the logarithm of a ratio, within what can be drawn next to others."""
    if math.isnan(ratio) or ratio <= 0.0:
        return -FARTHEST_RATIO if ratio <= 0.0 else 0.0
    return min(max(math.log(ratio), -FARTHEST_RATIO), FARTHEST_RATIO)
