"""Pictures of several curves in one box: for levels of another column, or slices through a surface."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

from pugam.presentation.report.content import Curves
from pugam.presentation.report.drawing import (
    WIDTH,
    Card,
    Chart,
    Key,
    Path,
    Scale,
    line,
    shortened,
    ticks_below,
    ticks_beside,
)
from pugam.presentation.report.effect_marks import (
    BOX,
    HEIGHT,
    band,
    chart_data,
    curve_data,
    effect_scale,
    rug,
    zero_line,
)
from pugam.presentation.report.formats import fine, number

__all__ = ["draw_curves"]

TITLE_ROOM = 16.0  # below the numbers of the axis
LONGEST_NAME = 40  # of the column below the axis
FEW = 3  # curves whose bands can be told apart where they overlap
SWATCH = "M0 5H16"  # in a box of 16 by 10


def draw_curves(shown: Curves) -> Card:
    """Draw curves with bands, each in a colour of its own, dotted where no rows are near."""
    x = [float(value) for value in shown.curves[0].x]
    along, scale = Scale.over(x, BOX.left, BOX.right), effect_scale(shown.curves, BOX.bottom, BOX.top)
    places = [along(value) for value in x]
    names = [fine(value, (along.high - along.low) / 100.0) for value in x]
    chart = Chart(
        _label(shown, names),
        WIDTH,
        HEIGHT + TITLE_ROOM,
        BOX,
        ticks_below(along),
        ticks_beside(scale),
        (zero_line(scale), *_bands(shown, places, scale), rug(shown.curves[0], along), *_lines(shown, places, scale)),
        below_title=shortened(shown.column, LONGEST_NAME),
    )
    curves = [curve_data(*pair) for pair in zip(shown.curves, _full_names(shown), strict=True)]
    data = chart_data(shown.column, scale, places, names, curves, upright=True, joined=len(places))
    moving = tuple(f"what-if curve-{k}" for k in range(len(shown.curves)))
    return Card(shown.label, chart, data, moving, shown.by, tuple(_keys(shown)), notes=shown.notes)


def _bands(shown: Curves, places: Sequence[float], scale: Scale) -> Iterator[Path]:
    faint = " faint" if len(shown.curves) > FEW else ""
    for k, curve in enumerate(shown.curves):
        yield Path(f"band{faint} curve-{k}", band(curve, places, scale))


def _lines(shown: Curves, places: Sequence[float], scale: Scale) -> Iterator[Path]:
    for k, (curve, far) in enumerate(zip(shown.curves, shown.far, strict=True)):
        near, away = _parts([(place, scale(u)) for place, u in zip(places, curve.u, strict=True)], far)
        yield Path(f"line curve-{k}", near)
        yield Path(f"line far curve-{k}", away)


def _parts(points: Sequence[tuple[float, float]], far: Sequence[bool]) -> tuple[str, str]:
    """A curve in parts: where rows are near, and where they are not; parts touch."""
    outlines = {False: "", True: ""}
    for is_far, places in groupby(range(len(points)), key=far.__getitem__):
        run = list(places)
        start, end = (run[0] - 1, run[-1] + 2) if is_far else (run[0], run[-1] + 1)
        outlines[is_far] += line(points[max(start, 0) : end])
    return outlines[False], outlines[True]


def _keys(shown: Curves) -> list[Key]:
    keys = [Key(Path(f"line curve-{k}", SWATCH), name) for k, name in enumerate(shown.names)]
    if any(map(any, shown.far)):
        keys.append(Key(Path("line far", SWATCH), "no rows near"))
    return keys


def _full_names(shown: Curves) -> list[str]:
    return [f"{shown.by} {name}" for name in shown.names]


def _label(shown: Curves, names: Sequence[str]) -> str:
    """Say in words where the effect is lowest and highest."""
    known = [
        (u, f"{number(u)} at {name} ({case})")
        for case, curve in zip(_full_names(shown), shown.curves, strict=True)
        for name, u in zip(names, curve.u, strict=True)
        if math.isfinite(u)
    ]
    if not known:
        return shown.label
    return f"{shown.label}: effect on the log odds from {min(known)[1]} to {max(known)[1]}"
