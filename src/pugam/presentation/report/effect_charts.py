"""Pictures of effects: curves with their bands, and levels as points with bars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pugam.presentation.report.content import Effect
from pugam.presentation.report.drawing import (
    DOT,
    WIDTH,
    Box,
    Chart,
    Path,
    Scale,
    Tick,
    circles,
    finite,
    line,
    polygon,
    ticks_below,
    ticks_beside,
)
from pugam.presentation.report.formats import fine, number

__all__ = ["EffectChart", "draw_effect"]

HEIGHT = 200.0
BOX = Box(38.0, 8.0, 312.0, 176.0)
LINE_OF_GRID = HEIGHT + 60.0  # a chart with its caption and the gap below it
MISSING_WIDTH = 62.0  # room right of a curve for the effect of missing values, and for the last text of its axis
MISSING_PLACE = 22.0  # where in it the effect stands, from the right: the middle of its text
LEVEL_HEIGHT, LEVEL_LEFT, LEVEL_ENDS = 19.0, 118.0, 34.0
LONGEST_NAME = 17
RUG_HEIGHT = 5.0
ROOM = 0.3  # for curves of the slider beyond the band, as a share of its height


@dataclass(frozen=True)
class EffectChart:
    """The picture of an effect, and what the script needs to draw over it.

    Attributes
    ----------
    chart : Chart
    scale : Scale
        Of effects: upwards for a curve, to the right for levels.
    places : where each place of x stands on the other axis
    joined : int
        How many of them, from the first, are joined by a line.
    names : texts of the places of x
    span : int
        How many lines of the grid of charts it is as high as.
    """

    chart: Chart
    scale: Scale
    places: tuple[float, ...]
    joined: int
    names: tuple[str, ...]
    span: int


def draw_effect(effect: Effect) -> EffectChart:
    """Draw an effect: a curve with its band, or levels as points with bars."""
    return _draw_curve(effect) if effect.is_curve else _draw_levels(effect)


def _effect_label(effect: Effect, names: Sequence[str]) -> str:
    known = [place for place, u in enumerate(effect.u) if math.isfinite(u)]
    if not known:
        return effect.label
    lowest, highest = min(known, key=effect.u.__getitem__), max(known, key=effect.u.__getitem__)
    ends = (f"{number(effect.u[place])} at {names[place]}" for place in (lowest, highest))
    return f"{effect.label}: effect on the log odds from {' to '.join(ends)}"


def _effect_scale(effect: Effect, start: float, end: float) -> Scale:
    """Return a scale with room for the band and for all curves of the slider, unless these go far beyond it."""
    band = finite([*effect.u, *effect.lower, *effect.upper, 0.0])
    low, high = min(band), max(band)
    held = finite(value for curve in effect.held for value in curve)
    room = ROOM * (high - low)
    reach = [min(max(value, low - room), high + room) for value in held]
    return Scale.over([*band, *reach], start, end, pad=0.04)


def _draw_curve(effect: Effect) -> EffectChart:
    box = BOX
    numbers = [value for value in effect.x if isinstance(value, float)]
    joined = len(numbers)
    along = Scale.over(numbers, box.left, box.right - (MISSING_WIDTH if effect.missing else 0.0))
    scale = _effect_scale(effect, box.bottom, box.top)
    missing_place = box.right - MISSING_PLACE
    places = tuple(along(value) if isinstance(value, float) else missing_place for value in effect.x)
    step = (along.high - along.low) / 100.0
    names = tuple(fine(value, step) if isinstance(value, float) else value for value in effect.x)
    upper, lower = (
        [(place, scale.inside(end)) for place, end in zip(places, ends, strict=True)]
        for ends in (effect.upper, effect.lower)
    )
    curve = [(place, scale(u)) for place, u in zip(places, effect.u, strict=True)]
    rug = "".join(f"M{along(x):.1f} {box.bottom:.1f}v{-RUG_HEIGHT}" for x in effect.rug if along.low <= x <= along.high)
    zero = f"M{box.left} {scale(0.0):.1f}H{box.right}"
    paths = [Path("zero", zero), Path("band", polygon([*upper[:joined], *reversed(lower[:joined])])), Path("rug", rug)]
    if effect.missing:
        paths.append(Path("bar", line([lower[-1], upper[-1]])))
        paths.append(Path("dot", circles([curve[-1]], DOT)))
    paths.append(Path("line", line(curve[:joined])))
    below = (*ticks_below(along), *([Tick(missing_place, "missing")] if effect.missing else []))
    chart = Chart(_effect_label(effect, names), WIDTH, HEIGHT, box, below, ticks_beside(scale), tuple(paths))
    return EffectChart(chart, scale, places, joined, names, span=1)


def _draw_levels(effect: Effect) -> EffectChart:
    names = tuple(str(level) for level in effect.x)
    height = max(HEIGHT, LEVEL_ENDS + LEVEL_HEIGHT * len(names))
    box = Box(LEVEL_LEFT, 8.0, BOX.right, height - 24.0)
    scale = _effect_scale(effect, box.left, box.right)
    row = box.height / len(names)
    places = tuple(box.top + row * (place + 0.5) for place in range(len(names)))
    bars = "".join(
        line([(scale.inside(low), place), (scale.inside(high), place)])
        for low, high, place in zip(effect.lower, effect.upper, places, strict=True)
    )
    dots = circles([(scale.inside(u), place) for u, place in zip(effect.u, places, strict=True)], DOT)
    zero = f"M{scale(0.0):.1f} {box.top}V{box.bottom}"
    beside = tuple(_level_tick(place, name) for place, name in zip(places, names, strict=True))
    chart = Chart(
        _effect_label(effect, names),
        WIDTH,
        height,
        box,
        ticks_below(scale),
        beside,
        (Path("zero", zero), Path("bar", bars), Path("dot", dots)),
        grid="below",
    )
    return EffectChart(chart, scale, places, 0, names, span=max(1, round(height / LINE_OF_GRID)))


def _level_tick(place: float, name: str) -> Tick:
    if len(name) <= LONGEST_NAME:
        return Tick(place, name)
    return Tick(place, name[: LONGEST_NAME - 1].rstrip() + "…", name)
