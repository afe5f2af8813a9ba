"""Pictures of effects: curves with their bands, and levels as points with bars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from pugam.presentation.report.content import Effect
from pugam.presentation.report.drawing import (
    DOT,
    WIDTH,
    Box,
    Card,
    Chart,
    Path,
    Scale,
    Tick,
    circles,
    finite,
    line,
    polygon,
    shortened,
    ticks_below,
    ticks_beside,
)
from pugam.presentation.report.formats import fine, number, rounded

__all__ = ["BOX", "HEIGHT", "band", "chart_data", "curve_data", "draw_effect", "effect_scale", "rug", "zero_line"]

HEIGHT = 200.0
BOX = Box(38.0, 8.0, 312.0, 176.0)
LINE_OF_GRID = HEIGHT + 60.0  # a chart with its caption and the gap below it
MISSING_WIDTH = 62.0  # room right of a curve for the effect of missing values, and for the last text of its axis
MISSING_PLACE = 22.0  # where in it the effect stands, from the right: the middle of its text
LEVEL_HEIGHT, LEVEL_LEFT, LEVEL_ENDS = 19.0, 118.0, 34.0
LONGEST_NAME = 17
RUG_HEIGHT = 5.0
ROOM = 0.3  # for curves of the slider beyond the band, as a share of its height


def draw_effect(effect: Effect) -> Card:
    """Draw an effect: a curve with its band, or levels as points with bars."""
    return _draw_curve(effect) if effect.is_curve else _draw_levels(effect)


def effect_scale(effects: Sequence[Effect], start: float, end: float) -> Scale:
    """Return a scale with room for bands and for all curves of the slider, unless these go far beyond them."""
    band = finite([0.0, *(value for e in effects for ends in (e.u, e.lower, e.upper) for value in ends)])
    low, high = min(band), max(band)
    held = finite(value for effect in effects for curve in effect.held for value in curve)
    room = ROOM * (high - low)
    reach = [min(max(value, low - room), high + room) for value in held]
    return Scale.over([*band, *reach], start, end, pad=0.04)


def chart_data(
    column: str,
    scale: Scale,
    places: Sequence[float],
    names: Sequence[str],
    curves: Sequence[dict[str, Any]],
    upright: bool,
    joined: int,
) -> dict[str, Any]:
    """Return what the script needs to draw over curves or levels.

    Parameters
    ----------
    scale : Scale
        Of effects: upwards for curves, to the right for levels.
    places : where each place of x stands on the other axis
    names : texts of the places of x
    curves : see `curve_data`
    joined : int
        How many of the places, from the first, are joined by a line.
    """
    return {
        "column": column,
        "upright": upright,
        "scale": scale.as_list(),
        "places": [round(place, 1) for place in places],
        "joined": joined,
        "names": list(names),
        "curves": list(curves),
    }


def curve_data(effect: Effect, name: str = "") -> dict[str, Any]:
    """Return the numbers of an effect, for the script."""
    numbers = {key: rounded(getattr(effect, key)) for key in ("u", "lower", "upper")}
    return {"name": name, **numbers, "held": [rounded(curve) for curve in effect.held]}


def band(effect: Effect, places: Sequence[float], scale: Scale) -> str:
    """Return the outline of a band."""
    upper, lower = (
        [(place, scale.inside(end)) for place, end in zip(places, ends, strict=False)]
        for ends in (effect.upper, effect.lower)
    )
    return polygon([*upper, *reversed(lower)])


def rug(effect: Effect, along: Scale) -> Path:
    """Return the marks where the rows lie."""
    marks = (f"M{along(x):.1f} {BOX.bottom:.1f}v{-RUG_HEIGHT}" for x in effect.rug if along.low <= x <= along.high)
    return Path("rug", "".join(marks))


def zero_line(scale: Scale) -> Path:
    """Return the line of no effect."""
    return Path("zero", f"M{BOX.left} {scale(0.0):.1f}H{BOX.right}")


def _effect_label(effect: Effect, names: Sequence[str]) -> str:
    known = [place for place, u in enumerate(effect.u) if math.isfinite(u)]
    if not known:
        return effect.label
    lowest, highest = min(known, key=effect.u.__getitem__), max(known, key=effect.u.__getitem__)
    ends = (f"{number(effect.u[place])} at {names[place]}" for place in (lowest, highest))
    return f"{effect.label}: effect on the log odds from {' to '.join(ends)}"


def _draw_curve(effect: Effect) -> Card:
    box = BOX
    numbers = [value for value in effect.x if isinstance(value, float)]
    joined = len(numbers)
    along = Scale.over(numbers, box.left, box.right - (MISSING_WIDTH if effect.missing else 0.0))
    scale = effect_scale([effect], box.bottom, box.top)
    missing_place = box.right - MISSING_PLACE
    places = tuple(along(value) if isinstance(value, float) else missing_place for value in effect.x)
    step = (along.high - along.low) / 100.0
    names = tuple(fine(value, step) if isinstance(value, float) else value for value in effect.x)
    curve = [(place, scale(u)) for place, u in zip(places, effect.u, strict=True)]
    paths = [zero_line(scale), Path("band", band(effect, places[:joined], scale)), rug(effect, along)]
    if effect.missing:
        ends = [(missing_place, scale.inside(limits[-1])) for limits in (effect.lower, effect.upper)]
        paths.extend([Path("bar", line(ends)), Path("dot", circles([curve[-1]], DOT))])
    paths.append(Path("line", line(curve[:joined])))
    below = (*ticks_below(along), *([Tick(missing_place, "missing")] if effect.missing else []))
    chart = Chart(_effect_label(effect, names), WIDTH, HEIGHT, box, below, ticks_beside(scale), tuple(paths))
    data = chart_data(effect.column, scale, places, names, [curve_data(effect)], upright=True, joined=joined)
    return Card(effect.label, chart, data, moving=("what-if",), notes=effect.notes)


def _draw_levels(effect: Effect) -> Card:
    names = tuple(str(level) for level in effect.x)
    height = max(HEIGHT, LEVEL_ENDS + LEVEL_HEIGHT * len(names))
    box = Box(LEVEL_LEFT, 8.0, BOX.right, height - 24.0)
    scale = effect_scale([effect], box.left, box.right)
    row = box.height / len(names)
    places = tuple(box.top + row * (place + 0.5) for place in range(len(names)))
    bars = "".join(
        line([(scale.inside(low), place), (scale.inside(high), place)])
        for low, high, place in zip(effect.lower, effect.upper, places, strict=True)
    )
    dots = circles([(scale.inside(u), place) for u, place in zip(effect.u, places, strict=True)], DOT)
    chart = Chart(
        _effect_label(effect, names),
        WIDTH,
        height,
        box,
        ticks_below(scale),
        tuple(_level_tick(place, name) for place, name in zip(places, names, strict=True)),
        (Path("zero", f"M{scale(0.0):.1f} {box.top}V{box.bottom}"), Path("bar", bars), Path("dot", dots)),
        grid="below",
    )
    data = chart_data(effect.column, scale, places, names, [curve_data(effect)], upright=False, joined=0)
    span = max(1, round(height / LINE_OF_GRID))
    return Card(effect.label, chart, data, moving=("what-if",), notes=effect.notes, span=span)


def _level_tick(place: float, name: str) -> Tick:
    text = shortened(name, LONGEST_NAME)
    return Tick(place, text, "" if text == name else name)
