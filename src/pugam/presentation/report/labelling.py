"""What a report says of labels that may not have been given at random: bounds on pi, collected and drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pugam.presentation.labelling_plots import DRAWN_GAMMAS
from pugam.presentation.protocol import FittedModel
from pugam.presentation.report.content import Bounds
from pugam.presentation.report.drawing import (
    WIDTH,
    Box,
    Chart,
    Path,
    Scale,
    Tick,
    in_percent,
    line,
    polygon,
    ticks_beside,
)
from pugam.presentation.report.formats import percent

__all__ = ["collect_bounds", "draw_bounds"]

SAID_GAMMAS = (1.5, 2.0, 3.0, 5.0, 10.0)  # in the table
TICKS = (1, 2, 3, 5, 10)
HEIGHT = 220.0
BOX = Box(46.0, 8.0, 312.0, 178.0)


def collect_bounds(model: FittedModel, level: float) -> Bounds | None:
    """Bounds on pi for the picture and the table; None where pi was fixed."""
    if model._settings.pi_range.fixed:
        return None
    gamma = sorted({*DRAWN_GAMMAS, *SAID_GAMMAS})
    found = model.labelling_bounds(gamma, level)
    ranges = (found.lower, found.upper, found.lower_limit, found.upper_limit, found.without_model)
    lower, upper, lower_limit, upper_limit, without_model = (tuple(map(float, values)) for values in ranges)
    return Bounds(tuple(gamma), lower, upper, lower_limit, upper_limit, without_model, SAID_GAMMAS, found.given)


def draw_bounds(bounds: Bounds, estimate: float) -> Chart:
    """Draw the range of pi against Gamma, with and without sampling error, and the limit without a model."""
    along = Scale(0.0, math.log(bounds.gamma[-1]), BOX.left, BOX.right)
    up = Scale(0.0, 1.0, BOX.bottom, BOX.top)
    places = [along(math.log(gamma)) for gamma in bounds.gamma]
    marks = (
        Path("band", _between(places, bounds.lower_limit, bounds.upper_limit, up)),
        Path("interval", _between(places, bounds.lower, bounds.upper, up)),
        Path("limit", line(zip(places, map(up, bounds.without_model), strict=True))),
        Path("estimate", f"M{along.start} {up(estimate):.1f}H{along.end}"),
    )
    last = bounds.rows[-1]
    text = (
        f"Range of pi: {percent(last[1])} to {percent(last[2])} if some are {last[0]:g} times as likely to be labelled"
    )
    ticks = tuple(Tick(along(math.log(tick)), str(tick)) for tick in TICKS)
    return Chart(
        text,
        WIDTH,
        HEIGHT,
        BOX,
        ticks,
        in_percent(ticks_beside, up),
        marks,
        below_title="times as likely to be labelled",
        beside_title="pi",
    )


def _between(places: Sequence[float], low: Sequence[float], high: Sequence[float], up: Scale) -> str:
    there = zip(places, map(up, high), strict=True)
    back = list(zip(places, map(up, low), strict=True))[::-1]
    return polygon([*there, *back])
