"""Do the effects of columns add up? A joint score test of the products of all pairs that the model leaves out.

Added to the predictor, the product of the straight parts of two effects (a line of the ranks of numbers, the contrasts
of levels) would have the score U, and projected off the parameters of the model the information W. If effects add up,
U' W^-1 U is about chi-square on the rank of W degrees of freedom. W counts residuals as large as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from pugam.inference.pair_products import (
    MOST_PRODUCTS,
    Pair,
    choose_pairs,
    products_of_pair,
    sizes_of_effects,
    straight_parts,
)
from pugam.inference.rows_tested import RowsTested

__all__ = ["PairTest", "score_pairs"]

Array = NDArray[np.float64]

FEWEST_ROWS_PER_PARAMETER = 5  # with fewer, hardly a direction is left that the model does not fit
ROWS_PER_PRODUCT = 10
LEAST_LEFT = 1e-8  # of the square of a product's length, outside the model's tangent space: less is rounding
NO_INFORMATION = 1e-6  # eigenvalue, of a unit diagonal, below which products say the same


@dataclass(frozen=True)
class PairTest:
    """A joint test that the effects of all pairs of columns add up.

    Attributes
    ----------
    statistic, df, pvalue : float
        Of the products of all pairs together.
    pairs : tuple of pairs of str
        The columns of the pairs that were tested, those that add up least first.
    pvalues : tuple of float, as long
        Of each pair by itself.
    """

    statistic: float
    df: float
    pvalue: float
    pairs: tuple[tuple[str, str], ...]
    pvalues: tuple[float, ...]


def score_pairs(rows: RowsTested) -> PairTest | None:
    """Test all pairs of terms of one column each that no interaction joins; None where there are none, or few rows."""
    straight = straight_parts(rows.design, rows.columns, rows.weights)
    tested = rows.are_enough and rows.rows_per_parameter >= FEWEST_ROWS_PER_PARAMETER
    pairs = _chosen(rows, straight) if tested else []
    if not pairs:
        return None
    products = [products_of_pair(straight[one], straight[other]) for one, other in pairs]
    left = _unit_directions(rows, rows.along_predictor(np.hstack(products)))
    ends = np.cumsum([product.shape[1] for product in products])
    alone = [_test(rows, part)[2] for part in np.split(left, ends[:-1], axis=1)]
    worst = sorted(range(len(pairs)), key=lambda number: alone[number])
    names = [basis.spec.columns[0] for basis in rows.design.bases]
    return PairTest(
        *_test(rows, left),
        tuple((names[pairs[number][0]], names[pairs[number][1]]) for number in worst),
        tuple(alone[number] for number in worst),
    )


def _unit_directions(rows: RowsTested, directions: Array) -> Array:
    """Project directions off the model and give them unit length; zeros for those inside it: shape (n, r)."""
    left = rows.off_tangents(directions)
    before, after = (np.sum(columns**2, axis=0) for columns in (directions, left))
    outside = after > LEAST_LEFT * before
    unit = np.where(outside, left, 0.0) / np.sqrt(np.where(outside, after, 1.0))
    return np.asfortranarray(unit)  # pairs are tested a few columns at a time


def _test(rows: RowsTested, directions: Array) -> tuple[float, float, float]:
    """Statistic, degrees of freedom and p-value of directions that are projected off the model.

    The statistic is relative to the squares of residuals as they are in the rows that count: curves that are a little
    too flat make them smaller than the model says, and a few rows whose labels were next to certain much larger.
    """
    values, vectors = np.linalg.eigh(directions.T @ directions)
    kept = values > NO_INFORMATION
    if not kept.any():
        return 0.0, 0.0, 1.0
    orthonormal = directions @ (vectors[:, kept] / np.sqrt(values[kept]))
    df = float(np.count_nonzero(kept))
    spread = float(np.sum(orthonormal**2, axis=1) @ rows.squares) / df
    statistic = float(np.sum((orthonormal.T @ rows.residuals) ** 2)) / spread
    return statistic, df, float(chdtrc(df, statistic))


def _chosen(rows: RowsTested, straight: dict[int, Array]) -> list[Pair]:
    """Pairs to test: all, or those of the largest effects where their products are too many for the rows."""
    room = min(MOST_PRODUCTS, len(rows.positive) // ROWS_PER_PRODUCT)
    return choose_pairs(rows.design, straight, sizes_of_effects(rows.design, rows.columns, rows.theta), room)
