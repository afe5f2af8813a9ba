"""The points of views, put together in one grid for an effect, and its values taken apart again."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.presentation.views import View
from pugam.terms import Basis

__all__ = ["grid_of", "split"]

Array = NDArray[np.float64]


def grid_of(basis: Basis, views: Sequence[View], missing: bool = False) -> Any:
    """Return all points of some views as a grid for `effect`, behind them one where values are missing."""
    points = [point for view in views for point in view.points()]
    if missing:
        points.append(tuple(axis.gap for axis in basis.axes))
    columns = [list(values) for values in zip(*points, strict=True)]
    return columns[0] if len(columns) == 1 else dict(zip(basis.spec.columns, columns, strict=True))


def split(views: Sequence[View], values: Any) -> tuple[list[Array], Array]:
    """Take values at the points of a grid apart: those of each view, in its shape, and what is left of them."""
    ends = np.cumsum([prod(view.shape) for view in views])
    *parts, rest = np.split(np.asarray(values, dtype=float), ends)
    return [part.reshape(view.shape) for part, view in zip(parts, views, strict=True)], rest
