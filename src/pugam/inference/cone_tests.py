"""Tests of terms whose curves have a shape: the alternative is a cone, so that only curves of the shape count.

In the canonical coordinates y of a block, in which the data are z ~ N(y, 1), the statistic is twice what the penalised
log-likelihood gains from y = 0 to its maximum within the cone. Under the null hypothesis it is a mixture of chi-square
variables (chi-bar-square). It grows with the square of z: given the direction of z, what is left is the length of z,
whose square is a chi-square variable. The p-value is the average over directions of what that gives.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from pugam.solvers import Canonical, project_all
from pugam.terms import Design

__all__ = ["ConeTest", "cone_test", "rows_on"]

Array = NDArray[np.float64]

N_DIRECTIONS, SEED = 4000, 0
SMALLEST_SHARE = 1e-3
NOTHING = 1e-10  # a statistic so small is that of a curve without any effect


class ConeTest(NamedTuple):
    """A statistic, its mean under the null hypothesis, and the probability that it is as large."""

    statistic: float
    mean: float
    pvalue: float


def rows_on(design: Design, columns: NDArray[np.intp]) -> Array:
    """Constraints on these coefficients alone, shape (c, len(columns)).

    Others say nothing where the null hypothesis leaves the remaining coefficients open: a straight line may be
    increasing, and bend a little without ceasing to.
    """
    rows = design.constraints
    alone = rows.any(axis=1) & ~np.delete(rows, columns, axis=1).any(axis=1)
    return rows[alone][:, columns]


def cone_test(block: Canonical, rows: Array) -> ConeTest:
    """Test whether coefficients with rows @ theta >= 0 are zero."""
    size = len(block.z)
    (statistic,) = _statistics(block, rows, block.z[None])
    directions, weights = _directions(block.shares)
    of_directions = _statistics(block, rows, directions)
    mean = size * float(weights @ of_directions)
    if statistic <= NOTHING:
        return ConeTest(0.0, mean, 1.0)
    with np.errstate(divide="ignore"):
        pvalue = float(weights @ chdtrc(size, statistic / of_directions))
    return ConeTest(float(statistic), mean, min(pvalue, 1.0))


def _directions(shares: Array) -> tuple[Array, Array]:
    """Draw directions, and give their weights in an average over all directions.

    Half of them are drawn towards the coordinates that the penalty leaves most of: what matters for large statistics.
    """
    spread, size = np.sqrt(np.maximum(shares, SMALLEST_SHARE)), len(shares)
    drawn = np.random.default_rng(SEED).standard_normal((N_DIRECTIONS // 4, size))
    directions = np.vstack([drawn, -drawn, drawn * spread, -drawn * spread])
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    # How many times as many directions are drawn around each as if none were preferred, on average over both halves.
    preferred = np.linalg.norm(directions / spread, axis=1) ** -size / np.prod(spread)
    weights = 1.0 / (0.5 + 0.5 * preferred)
    return directions, weights / weights.sum()


def _statistics(block: Canonical, rows: Array, z: Array) -> Array:
    """The statistic for data z, shape (n, r)."""
    scale = np.sqrt(block.shares)
    estimates = z * block.shares
    estimates += project_all(rows @ block.transform, (np.eye(len(scale)), scale), estimates).shift
    return np.asarray(np.sum((estimates / scale) ** 2, axis=1))
