"""Intervals as bars: that of pi on a line from 0 to 1, and those of odds ratios in the lines of their table."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pugam.inference import Interval
from pugam.presentation.report.drawing import DOT, WIDTH, Box, Chart, Path, Scale, Tick, circles, rectangles
from pugam.presentation.report.formats import percent

__all__ = ["draw_pi", "draw_ratios"]

FARTHEST_RATIO = math.log(1e4)


def draw_pi(pi: Interval) -> Chart:
    """Draw pi and its interval on a line from 0 to 1."""
    along = Scale(0.0, 1.0, 12.0, 308.0)
    middle = 12.0
    bar = [((along.inside(pi.lower), middle - 4.0), (along.inside(pi.upper), middle + 4.0))]
    marks = [Path("track", f"M{along.start} {middle}H{along.end}")]
    if pi.method != "fixed":
        marks.append(Path("interval", rectangles(bar)))
    marks.append(Path("estimate-dot", circles([(along.inside(pi.estimate), middle)], 6.0)))
    quarters = (0.0, 0.25, 0.5, 0.75, 1.0)
    interval = "" if pi.method == "fixed" else f", interval {percent(pi.lower)} to {percent(pi.upper)}"
    return Chart(
        f"pi {percent(pi.estimate)}{interval}, on a line from 0 to 100%",
        WIDTH,
        40.0,
        Box(along.start, 2.0, along.end, 22.0),
        tuple(Tick(along(share), f"{100 * share:g}%") for share in quarters),
        (),
        tuple(marks),
    )


def draw_ratios(ratios: Sequence[Interval]) -> list[Chart]:
    """Draw odds ratios with their intervals on one logarithmic scale, a small picture each."""
    width, height = 140.0, 18.0
    logs = [[_log(end) for end in (ratio.lower, ratio.estimate, ratio.upper)] for ratio in ratios]
    along = Scale.over([0.0, *(end for ends in logs for end in ends)], 4.0, width - 4.0)
    box = Box(0.0, 0.0, width, height)
    one = Path("zero", f"M{along(0.0):.1f} 0V{height}")
    return [
        Chart(
            "",
            width,
            height,
            box,
            (),
            (),
            (
                one,
                Path("bar", f"M{along(lower):.1f} {height / 2}H{along(upper):.1f}"),
                Path("dot", circles([(along(middle), height / 2)], DOT)),
            ),
        )
        for lower, middle, upper in logs
    ]


def _log(ratio: float) -> float:
    """Return the logarithm of a ratio, within what can be drawn next to others."""
    if math.isnan(ratio) or ratio <= 0.0:
        return -FARTHEST_RATIO if ratio <= 0.0 else 0.0
    return min(max(math.log(ratio), -FARTHEST_RATIO), FARTHEST_RATIO)
