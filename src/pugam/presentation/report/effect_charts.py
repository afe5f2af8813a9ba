"""Pictures of single effects: a curve with its band, or levels."""

from __future__ import annotations

from pugam.presentation.report.content import Effect
from pugam.presentation.report.drawing import (
    DOT,
    WIDTH,
    Card,
    Chart,
    Path,
    Scale,
    Tick,
    circles,
    line,
    ticks_below,
    ticks_beside,
)
from pugam.presentation.report.effect_marks import (
    BOX,
    HEIGHT,
    band,
    chart_data,
    curve_data,
    effect_label,
    effect_scale,
    rug,
    zero_line,
)
from pugam.presentation.report.formats import fine
from pugam.presentation.report.level_charts import draw_levels

__all__ = ["draw_effect"]

MISSING_WIDTH = 62.0  # room right of a curve for the effect of missing values, and for the last text of its axis
MISSING_AT = BOX.right - 22.0  # where in it the effect stands: the middle of its text


def draw_effect(effect: Effect) -> Card:
    """Draw an effect: a curve with its band, or levels as points with bars."""
    return _draw_curve(effect) if effect.is_curve else draw_levels(effect)


def _draw_curve(effect: Effect) -> Card:
    numbers = [value for value in effect.x if isinstance(value, float)]
    joined = len(numbers)
    along = Scale.over(numbers, BOX.left, BOX.right - (MISSING_WIDTH if effect.missing else 0.0))
    scale = effect_scale([effect], BOX.bottom, BOX.top)
    places = tuple(along(value) if isinstance(value, float) else MISSING_AT for value in effect.x)
    step = (along.high - along.low) / 100.0
    names = tuple(fine(value, step) if isinstance(value, float) else value for value in effect.x)
    curve = [(place, scale(u)) for place, u in zip(places, effect.u, strict=True)]
    missing = _missing_marks(effect, scale) if effect.missing else []
    under = [zero_line(scale), Path("band", band(effect, places[:joined], scale)), rug(effect, along)]
    paths = (*under, *missing, Path("line", line(curve[:joined])))
    below = (*ticks_below(along), *([Tick(MISSING_AT, "missing")] if effect.missing else []))
    chart = Chart(effect_label(effect, names), WIDTH, HEIGHT, BOX, below, ticks_beside(scale), paths)
    data = chart_data(effect.column, scale, places, names, [curve_data(effect)], upright=True, joined=joined)
    return Card(effect.label, chart, data, moving=("what-if",), notes=effect.notes)


def _missing_marks(effect: Effect, scale: Scale) -> list[Path]:
    """The effect of missing values, which is the last one, as a point with its bar."""
    ends = [(MISSING_AT, scale.inside(limits[-1])) for limits in (effect.lower, effect.upper)]
    return [Path("bar", line(ends)), Path("dot", circles([(MISSING_AT, scale(effect.u[-1]))], DOT))]
