"""What a report says of a review: how many positives it is expected to find, collected and drawn."""

from __future__ import annotations

import numpy as np

from pugam.inference import Worklist, Yields, said_lengths
from pugam.presentation.report.content import Yield
from pugam.presentation.report.drawing import (
    WIDTH,
    Box,
    Chart,
    Path,
    Scale,
    line,
    polygon,
    ticks_below,
    ticks_beside,
)
from pugam.presentation.worklist_plots import nearly_all

__all__ = ["collect_yields", "draw_yields"]

HEIGHT = 220.0
BOX = Box(46.0, 8.0, 312.0, 178.0)


def collect_yields(listed: Worklist) -> tuple[Yield, ...]:
    """Lines of the table: reviews of round lengths, until nearly all positives are found, and of all rows."""
    curve = listed.curve
    end = nearly_all(curve)
    lengths = said_lengths(listed.n_rows, end)
    return tuple(_line(curve, int(length)) for length in lengths if length <= end or length == listed.n_rows)


def _line(curve: Yields, length: int) -> Yield:
    place = int(np.searchsorted(curve.reviewed, length))
    limits = curve.found, curve.precision, curve.recall
    return Yield(length, float(curve.threshold[place]), *(one.at(place, curve.level) for one in limits))


def draw_yields(curve: Yields) -> Chart:
    """Draw the number of positives found against the number of rows reviewed, with its limits."""
    end = nearly_all(curve)
    shown = curve.reviewed <= end
    reviewed = [0.0, *curve.reviewed[shown].tolist()]
    estimate, lower, upper = ([0.0, *values[shown].tolist()] for values in curve.found)
    along = Scale(0.0, float(end), BOX.left, BOX.right)
    up = Scale(0.0, 1.05 * max(*upper, 1.0), BOX.bottom, BOX.top)
    places = [along(value) for value in reviewed]
    there, back = zip(places, map(up, upper), strict=True), list(zip(places, map(up, lower), strict=True))[::-1]
    marks = (
        Path("band", polygon([*there, *back])),
        Path("line", line(zip(places, map(up, estimate), strict=True))),
    )
    text = f"Positives found against rows reviewed: {estimate[-1]:,.0f} in {end:,} rows"
    return Chart(
        text,
        WIDTH,
        HEIGHT,
        BOX,
        ticks_below(along),
        ticks_beside(up),
        marks,
        below_title="rows reviewed",
        beside_title="positives found",
    )
