"""Pictures of the effects of levels: points with bars, below each other."""

from __future__ import annotations

from pugam.presentation.report.content import Effect
from pugam.presentation.report.drawing import (
    DOT,
    WIDTH,
    Box,
    Card,
    Chart,
    Path,
    Tick,
    circles,
    line,
    shortened,
    ticks_below,
)
from pugam.presentation.report.effect_marks import BOX, HEIGHT, chart_data, curve_data, effect_label, effect_scale

__all__ = ["draw_levels"]

LINE_OF_GRID = HEIGHT + 60.0  # a chart with its caption and the gap below it
LEVEL_HEIGHT, LEVEL_LEFT, LEVEL_ENDS = 19.0, 118.0, 34.0
LONGEST_NAME = 17


def draw_levels(effect: Effect) -> Card:
    """Draw levels below each other, as points with bars."""
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
        effect_label(effect, names),
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
