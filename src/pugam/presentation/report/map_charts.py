"""Maps of a report: an effect over the plane of two columns, between contour lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.presentation.heat import VEIL, HeatScale, heat_scale
from pugam.presentation.report.content import Map
from pugam.presentation.report.contours import Field, place_labels
from pugam.presentation.report.drawing import (
    WIDTH,
    Box,
    Card,
    Chart,
    Key,
    Path,
    Scale,
    Tick,
    circles,
    line,
    rectangles,
    shortened,
    ticks_below,
    ticks_beside,
)
from pugam.presentation.report.formats import fine, number, percent, rounded
from pugam.presentation.rows import blurred
from pugam.presentation.surfaces import Surface

__all__ = ["draw_map"]

Array = NDArray[np.float64]

HEIGHT, BOX = 276.0, Box(46.0, 8.0, 312.0, 232.0)
COLOURS_HEIGHT, COLOURS_BOX = 28.0, Box(46.0, 2.0, 312.0, 10.0)
LONGEST_NAME = 34  # of a column along an axis
DOTS, DOT = 150, 0.9
HIDDEN = 1.5  # distance from rows from which on hatches cover all
HATCH = "url(#hatch)"  # a pattern of the page
SWATCH = "M0 0H16V10H0Z"


def draw_map(shown: Map) -> Card:
    """Draw bands of colour between contour lines, a veil where nothing is clear, and hatches where no rows are near."""
    surface, heat = shown.surface, heat_scale(shown.largest)
    along = Scale.over(surface.x.tolist(), BOX.left, BOX.right)
    up = Scale.over(surface.y.tolist(), BOX.bottom, BOX.top)
    x, y = np.array([along(value) for value in surface.x]), np.array([up(value) for value in surface.y])
    everywhere, near = (Field(x, y, u) for u in (surface.u, np.ma.masked_where(surface.distance > 1.0, surface.u)))
    contours = "".join(map(_line, (points for level in heat.lines for points in everywhere.lines(level))))
    chart = Chart(
        _label(shown, along, up),
        WIDTH,
        HEIGHT,
        BOX,
        ticks_below(along),
        ticks_beside(up),
        (*_areas(surface, heat, x, y), Path("contour", contours), *_marks(surface, along, up, x, y)),
        grid="",
        below_title=shortened(shown.columns[0], LONGEST_NAME),
        beside_title=shortened(shown.columns[1], LONGEST_NAME),
        labels=tuple(
            place_labels([(heat.name(level), line) for level in heat.lines for line in near.lines(level)], BOX)
        ),
    )
    data = _data(shown, x, y, *(_names(scale, values) for scale, values in ((along, surface.x), (up, surface.y))))
    return Card(shown.label, chart, data, keys=tuple(_keys(surface)), colours=_draw_colours(heat), notes=shown.notes)


def _areas(surface: Surface, heat: HeatScale, x: Array, y: Array) -> Iterator[Path]:
    """Areas of colour, each over those below it, so that no gaps are seen between them, and a veil over all."""
    u = np.ma.masked_where(surface.distance > HIDDEN, np.clip(surface.u, -heat.limit, heat.limit))
    for edge, colour in zip(heat.edges[:-1], heat.colours, strict=True):
        outline = Field(x, y, u).above(edge)
        if outline:
            yield Path("area", outline, colour)
    yield Path("area veil", Field(x, y, -surface.certainty).above(0.0), VEIL)


def _marks(surface: Surface, along: Scale, up: Scale, x: Array, y: Array) -> Iterator[Path]:
    """Hatches where no rows are near, over everything else, and some of the rows."""
    away = Field(x, y, surface.distance).above(1.0)
    yield Path("area away", away)
    yield Path("area", away, HATCH)
    rows = blurred(surface.rows[:: max(1, len(surface.rows) // DOTS)])
    yield Path("cloud", circles([(along(x), up(y)) for x, y in rows.tolist()], DOT))


def _line(points: Array) -> str:
    return line((float(x), float(y)) for x, y in points)


def _names(scale: Scale, values: Array) -> list[str]:
    return [fine(float(value), (scale.high - scale.low) / 100.0) for value in values]


def _keys(surface: Surface) -> Iterator[Key]:
    yield Key(Path("area veil", SWATCH, VEIL), "not distinguishable from zero")
    if (surface.distance > 1.0).any():
        yield Key(Path("area", SWATCH, HATCH), "no rows near")


def _draw_colours(heat: HeatScale) -> Chart:
    """Draw the colours and the effects they stand for on a line."""
    box = COLOURS_BOX
    along = Scale(-heat.limit, heat.limit, box.left, box.right)
    ends = zip(heat.edges[:-1], heat.edges[1:], heat.colours, strict=True)
    bands = [
        Path("area", rectangles([((along(low), box.top), (along(high), box.bottom))]), colour)
        for low, high, colour in ends
    ]
    ticks = tuple(Tick(along(level), heat.name(level)) for level in heat.lines)
    return Chart(
        "", WIDTH, COLOURS_HEIGHT, box, ticks, (Tick(0.5 * (box.top + box.bottom), "effect"),), tuple(bands), ""
    )


def _data(shown: Map, x: Array, y: Array, x_names: list[str], y_names: list[str]) -> dict[str, Any]:
    surface = shown.surface
    values = {name: [rounded(row) for row in getattr(surface, name)] for name in ("u", "lower", "upper")}
    far = (surface.distance > 1.0).astype(int).tolist()
    places = {"x": np.round(x, 1).tolist(), "y": np.round(y, 1).tolist()}
    return {"columns": list(shown.columns), **places, "xNames": x_names, "yNames": y_names, **values, "far": far}


def _label(shown: Map, along: Scale, up: Scale) -> str:
    """Say in words where the effect is lowest and highest, and how much of the map is grey."""
    surface = shown.surface
    near = np.where(surface.is_near & np.isfinite(surface.u), surface.u, np.nan)
    if np.isnan(near).all():
        return shown.label
    names = [_names(scale, values) for scale, values in ((along, surface.x), (up, surface.y))]
    ends = []
    for row, column in (np.unravel_index(flat, near.shape) for flat in (np.nanargmin(near), np.nanargmax(near))):
        at = f"{shown.columns[0]} {names[0][column]}, {shown.columns[1]} {names[1][row]}"
        ends.append(f"{number(float(near[row, column]))} at {at}")
    unclear = percent(float(surface.is_unclear.sum() / surface.is_near.sum()))
    return (
        f"{shown.label}: effect on the log odds from {' to '.join(ends)}; not distinguishable from zero in {unclear} "
        "of the area where rows are near"
    )
