"""Intervals as bars: pi on a line from 0 to 1, shares of samples below each other, odds ratios in their table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from pugam.inference import WELL, Interval, RatioInterval
from pugam.presentation.report.content import Kind, Sample
from pugam.presentation.report.drawing import (
    DOT,
    WIDTH,
    Box,
    Chart,
    Path,
    Scale,
    Tick,
    circles,
    line,
    polygon,
    rectangles,
    shortened,
)
from pugam.presentation.report.formats import percent

__all__ = ["draw_pi", "draw_ratios", "draw_shares"]

RATIO_WIDTH, RATIO_HEIGHT = 140.0, 18.0
FARTHEST_RATIO = math.log(1e4)
QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)
SHARE_HEIGHT, SHARES_LEFT, SHARES_TOP, BELOW_SHARES = 21.0, 92.0, 4.0, 24.0
LONGEST_NAME = 13
DIAMOND = 5.5
Share = Sample | Kind


def draw_pi(pi: Interval) -> Chart:
    """Draw pi and its interval on a line from 0 to 1."""
    along = Scale(0.0, 1.0, 12.0, 308.0)
    interval = "" if pi.method == "fixed" else f", interval {percent(pi.lower)} to {percent(pi.upper)}"
    return Chart(
        f"pi {percent(pi.estimate)}{interval}, on a line from 0 to 100%",
        WIDTH,
        40.0,
        Box(along.start, 2.0, along.end, 22.0),
        _quarters(along),
        (),
        tuple(_pi_marks(pi, along, middle=12.0)),
    )


def _quarters(along: Scale) -> tuple[Tick, ...]:
    return tuple(Tick(along(share), f"{100 * share:g}%") for share in QUARTERS)


def draw_shares(samples: Sequence[Share], pi: Interval, named: str = "samples") -> Chart:
    """Draw shares, of samples or of kinds, below each other with their intervals, and last pi as a diamond.

    Shares that are not well determined are open circles.
    """
    height = SHARES_TOP + SHARE_HEIGHT * (len(samples) + 1) + BELOW_SHARES
    box = Box(SHARES_LEFT, SHARES_TOP, 302.0, height - BELOW_SHARES)
    along = Scale(0.0, 1.0, box.left, box.right)
    places = [box.top + SHARE_HEIGHT * (place + 0.5) for place in range(len(samples) + 1)]
    names = [*(sample.name for sample in samples), "all"]
    said = ", ".join(f"{sample.name} {percent(sample.pi.estimate)}" for sample in samples)
    return Chart(
        f"Shares of the {named}: {said}; all together {percent(pi.estimate)}",
        WIDTH,
        height,
        box,
        _quarters(along),
        tuple(_name_tick(place, name) for place, name in zip(places, names, strict=True)),
        tuple(_share_marks(samples, pi, along, places)),
        grid="below",
    )


def _share_marks(samples: Sequence[Share], pi: Interval, along: Scale, places: Sequence[float]) -> Iterator[Path]:
    last = places[-1]
    yield Path("estimate", f"M{along.inside(pi.estimate):.1f} {SHARES_TOP}V{last:.1f}")
    intervals = zip([*(sample.pi for sample in samples), pi], places, strict=True)
    yield Path("bar", "".join(line([(along(one.lower), y), (along(one.upper), y)]) for one, y in intervals))
    for style, well in (("dot", True), ("dot open", False)):
        shown = [(along(one.pi.estimate), y) for one, y in zip(samples, places, strict=False) if _is_well(one) == well]
        if shown:
            yield Path(style, circles(shown, DOT))
    x = along(pi.estimate)
    yield Path("dot", polygon([(x - DIAMOND, last), (x, last - DIAMOND), (x + DIAMOND, last), (x, last + DIAMOND)]))


def _is_well(sample: Share) -> bool:
    return sample.verdict == WELL


def _name_tick(place: float, name: str) -> Tick:
    text = shortened(name, LONGEST_NAME)
    return Tick(place, text, "" if text == name else name)


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
