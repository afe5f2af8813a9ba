"""Score tests of directions in which a model may be wrong, projected off the directions in which it can move."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pugam.inference.distributions import squares_sf
from pugam.inference.rows_tested import RowsTested

__all__ = ["FEWEST_ROWS_PER_PARAMETER", "ScoreTest", "orthonormal", "score_directions", "unit_directions"]

Array = NDArray[np.float64]

FEWEST_ROWS_PER_PARAMETER = 5  # with fewer, hardly a direction is left that the model does not fit
LEAST_LEFT = 1e-8  # of the square of a direction's length, outside the model's tangent space: less is rounding
NO_INFORMATION = 1e-6  # eigenvalue, of a unit diagonal, below which directions say the same


class ScoreTest(NamedTuple):
    """A sum of squares, about chi-square with these degrees of freedom, and its p-value, which knows how nearly."""

    statistic: float
    df: float
    pvalue: float


def unit_directions(rows: RowsTested, directions: Array, beside: Array | None = None) -> Array:
    """Project directions off the model and give them unit length; zeros for those inside it: shape (n, r).

    `beside`, shape (n, k), are directions off the model that are taken out as well.
    """
    left = rows.off_tangents(directions)
    if beside is not None:
        inside = orthonormal(beside)
        left = left - inside @ (inside.T @ left)
    before, after = (np.sum(columns**2, axis=0) for columns in (directions, left))
    outside = after > LEAST_LEFT * before
    unit = np.where(outside, left, 0.0) / np.sqrt(np.where(outside, after, 1.0))
    return np.asfortranarray(unit)  # they are tested a few columns at a time


def score_directions(rows: RowsTested, directions: Array) -> ScoreTest:
    """Test directions that are projected off the model together.

    The statistic is relative to the squares of residuals as they are in the rows that count: curves that are a little
    too flat make them smaller than the model says, and a few rows whose labels were next to certain much larger.
    """
    among = orthonormal(directions)
    df = float(among.shape[1])
    if df == 0.0:
        return ScoreTest(0.0, 0.0, 1.0)
    own = np.sum(among**2, axis=1)
    spread = float(own @ rows.squares) / df
    statistic = float(np.sum((among.T @ rows.residuals) ** 2)) / spread
    return ScoreTest(statistic, df, squares_sf(statistic, df, float(own**2 @ rows.excess)))


def orthonormal(directions: Array) -> Array:
    """Orthonormal directions that span the same space as some of unit length, without those that say the same."""
    values, vectors = np.linalg.eigh(directions.T @ directions)
    kept = values > NO_INFORMATION
    return np.asarray(directions @ (vectors[:, kept] / np.sqrt(values[kept])))
