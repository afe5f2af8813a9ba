"""Where in a picture rows are near: an effect elsewhere rests on the shape of the model alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pugam.presentation.rows import FAR, distance_to_rows
from pugam.presentation.views import Case, View

__all__ = ["distances", "rows_near"]

Array = NDArray[np.float64]


def distances(view: View, rows: Array) -> Array:
    """Return how far each point of a view is from rows of the same levels: from 1 on, no rows are near.

    All numeric columns count, and the range of each is taken as 1. Zeros where the rows are not known.
    """
    if not len(rows) or not view.along:
        return np.zeros(view.shape)
    return np.stack([_distances(view, case, rows) for case in view.cases])


def _distances(view: View, case: Case, rows: Array) -> Array:
    fixed = _numeric(view, case)
    places = np.meshgrid(*view.ticks, *([case[number]] for number in fixed), indexing="ij")
    points = np.stack(places, axis=-1).reshape(-1, len(places))
    found = distance_to_rows(points / _widths(view, fixed), _alike(view, case, rows) / _widths(view, fixed))
    return found.reshape(view.shape[1:])


def rows_near(view: View, rows: Array) -> Array:
    """Return the rows near the first case of a view, along its axes: shape (n_rows, number of axes drawn along)."""
    case = view.cases[0]
    fixed, alike = _numeric(view, case), _alike(view, case, rows)
    n_along, widths = len(view.along), _widths(view, fixed)
    low = [*(ticks[0] for ticks in view.ticks), *(case[number] for number in fixed)]
    high = [*(ticks[-1] for ticks in view.ticks), *(case[number] for number in fixed)]
    slack = FAR * widths * (np.arange(len(widths)) >= n_along)
    return alike[((alike >= low - slack) & (alike <= high + slack)).all(axis=1), :n_along]


def _numeric(view: View, case: Case) -> list[int]:
    """The numeric axes that are fixed at a value."""
    return [number for number in case if view.axes[number].is_numeric]


def _widths(view: View, fixed: list[int]) -> Array:
    return np.array(
        [*map(np.ptp, view.ticks), *(view.axes[number].upper - view.axes[number].lower for number in fixed)]
    )


def _alike(view: View, case: Case, rows: Array) -> Array:
    """The rows with the levels of a case: their values along the axes drawn along, then of those fixed."""
    codes = {
        number: view.axes[number].levels.index(case[number]) for number in case if not view.axes[number].is_numeric
    }
    same = np.all(
        [np.ones(len(rows), dtype=bool), *(rows[:, number] == code for number, code in codes.items())], axis=0
    )
    return rows[same][:, [*view.along, *_numeric(view, case)]]
