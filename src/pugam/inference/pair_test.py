"""Do the effects of columns add up? A joint score test of the products of all pairs that the model leaves out.

Added to the predictor, the product of the straight parts of two effects (a line of the ranks of numbers, the contrasts
of levels) would have the score U, and projected off the parameters of the model the information W. If effects add up,
U' W^-1 U is about chi-square on the rank of W degrees of freedom. W counts residuals as large as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.inference.pair_products import (
    MOST_PRODUCTS,
    Pair,
    choose_pairs,
    products_of_pair,
    sizes_of_effects,
    straight_parts,
)
from pugam.inference.rows_tested import RowsTested
from pugam.inference.score_test import FEWEST_ROWS_PER_PARAMETER, score_directions, unit_directions

__all__ = ["PairTest", "score_pairs"]

Array = NDArray[np.float64]

ROWS_PER_PRODUCT = 10


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
    left = unit_directions(rows, rows.along_predictor(np.hstack(products)))
    ends = np.cumsum([product.shape[1] for product in products])
    alone = [score_directions(rows, part).pvalue for part in np.split(left, ends[:-1], axis=1)]
    worst = sorted(range(len(pairs)), key=lambda number: alone[number])
    names = [basis.spec.columns[0] for basis in rows.design.bases]
    return PairTest(
        *score_directions(rows, left),
        tuple((names[pairs[number][0]], names[pairs[number][1]]) for number in worst),
        tuple(alone[number] for number in worst),
    )


def _chosen(rows: RowsTested, straight: dict[int, Array]) -> list[Pair]:
    """Pairs to test: all, or those of the largest effects where their products are too many for the rows."""
    room = min(MOST_PRODUCTS, len(rows.positive) // ROWS_PER_PRODUCT)
    return choose_pairs(rows.design, straight, sizes_of_effects(rows.design, rows.columns, rows.theta), room)
