"""Where effects are drawn: over the range of their column, or over the middle of it where few rows lie far out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.inference import default_grid
from pugam.terms import Basis, LinearBasis, MissingBasis, SmoothBasis

__all__ = ["grid_for_drawing"]

MIDDLE = (0.005, 0.995)  # quantiles of the column


def grid_for_drawing(basis: Basis, values: Any, n_points: int, derivative: bool = False) -> NDArray[Any]:
    """Return a grid over the column, or over its middle 99% where the whole is more than twice as wide.

    `values` are those of the rows, as an engine keeps them; without any the whole range is drawn.
    """
    inner = basis.inner if isinstance(basis, MissingBasis) else basis
    if not isinstance(inner, SmoothBasis | LinearBasis):
        return default_grid(basis)
    low, high = inner.lower, inner.upper
    if len(values):
        middle = np.nanquantile(values, MIDDLE)
        if 0.0 < 2.0 * (middle[1] - middle[0]) < high - low:
            low, high = middle
    grid = np.linspace(low, high, n_points)
    return np.append(grid, np.nan) if basis is not inner and not derivative else grid
