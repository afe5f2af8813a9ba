"""An effect over the plane of two columns, with where it cannot be told from zero, and where no rows are near."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.presentation.nearness import rows_near
from pugam.presentation.views import View

__all__ = ["Surface", "surface_of"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Surface:
    """What is drawn of an effect over a plane; arrays have a line for each value of the second column.

    Attributes
    ----------
    x, y : arrays of shape (n,) and (m,)
    u, lower, upper : arrays of shape (m, n)
        The effect and its limits, on the log scale.
    distance : array of shape (m, n)
        From the nearest row: from 1 on, no rows are near.
    rows : array of shape (n_rows, 2)
        Those of the rows that lie on the map.
    """

    x: Array
    y: Array
    u: Array
    lower: Array
    upper: Array
    distance: Array
    rows: Array

    @property
    def certainty(self) -> Array:
        """How far the limits stay away from zero; below 0 they hold it."""
        return np.maximum(self.lower, -self.upper)

    @property
    def is_near(self) -> NDArray[np.bool_]:
        """Where rows are near; everywhere, if they are nowhere."""
        near = self.distance < 1.0
        return near if near.any() else ~near

    @property
    def is_unclear(self) -> NDArray[np.bool_]:
        """Where rows are near, but the effect cannot be told from zero."""
        return (self.certainty <= 0.0) & self.is_near

    @property
    def largest(self) -> float:
        """The largest effect, up or down, where rows are near."""
        return float(np.nanmax(np.abs(self.u), where=self.is_near, initial=0.0))


def surface_of(view: View, values: Sequence[Array], distance: Array, rows: Array) -> Surface:
    """Return the surface of a map.

    Parameters
    ----------
    view : View
    values : u, lower and upper, on the log scale, in the shape of the view
    distance : array in the shape of the view
    rows : array of shape (n_rows, number of axes)
        Values of the rows; none where they are not known.
    """
    u, lower, upper, far = (value[0].T for value in (*values, distance))
    x, y = view.ticks
    return Surface(x, y, u, lower, upper, far, rows_near(view, rows))
