"""Where effects are drawn: over the range of their column, or over the middle of it where few rows lie far out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.inference import default_grid
from pugam.terms import Axis, Basis

__all__ = ["grid_for_drawing", "range_for_drawing"]

MIDDLE = (0.005, 0.995)  # quantiles of the column


def grid_for_drawing(basis: Basis, values: Any, n_points: int, derivative: bool = False) -> NDArray[Any]:
    """Return a grid over the one column of a term, or over its middle 99% where the whole is more than twice as wide.

    `values` are those of the rows, as an engine keeps them; without any the whole range is drawn.
    """
    (axis,) = basis.axes
    if not axis.is_numeric:
        return np.asarray(default_grid(basis))
    grid = np.linspace(*range_for_drawing(axis, values), n_points)
    return np.append(grid, np.nan) if basis.has_missing_effect and not derivative else grid


def range_for_drawing(axis: Axis, values: Any) -> tuple[float, float]:
    """Return the range of a numeric column, or that of its middle 99%."""
    low, high = axis.lower, axis.upper
    if len(values):
        middle = np.nanquantile(values, MIDDLE)
        if 0.0 < 2.0 * (middle[1] - middle[0]) < high - low:
            low, high = middle
    return low, high
