"""Do the effects of columns add up? A joint score test of the products of all pairs that the model leaves out.

Added to the predictor, the product of the straight parts of two effects (a line of the ranks of numbers, the contrasts
of levels) would have the score U, and projected off the parameters of the model the information W. If effects add up,
U' W^-1 U is about chi-square on the rank of W degrees of freedom. W counts residuals as large as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pugam.inference.rows_tested import RowsTested
from pugam.inference.score_test import FEWEST_ROWS_PER_PARAMETER, in_ranks, score_directions, unit_directions

__all__ = ["PairTest", "score_pairs"]

Array = NDArray[np.float64]
Pair = tuple[int, int]

MOST_PRODUCTS, ROWS_PER_PRODUCT = 500, 10


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
    straight = _straight_parts(rows)
    tested = rows.are_enough and rows.rows_per_parameter >= FEWEST_ROWS_PER_PARAMETER
    pairs = _chosen(rows, straight) if tested else []
    if not pairs:
        return None
    products = [_products(straight[one], straight[other]) for one, other in pairs]
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
    joined = [frozenset(basis.spec.columns) for basis in rows.design.bases]
    columns = {term: joined[term] for term in straight}
    pairs = [
        (one, other)
        for one, other in combinations(straight, 2)
        if not any(columns[one] | columns[other] <= others for others in joined)
    ]
    sizes = _sizes_of_effects(rows)
    room, chosen = min(MOST_PRODUCTS, len(rows.positive) // ROWS_PER_PRODUCT), []
    for one, other in sorted(pairs, key=lambda pair: -sizes[pair[0]] * sizes[pair[1]]):
        n_products = straight[one].shape[1] * straight[other].shape[1]
        if n_products <= room:
            chosen.append((one, other))
            room -= n_products
    return chosen


def _sizes_of_effects(rows: RowsTested) -> list[float]:
    """How much the effect of each term varies over the rows."""
    effects = (rows.columns[:, 1:][:, block] @ rows.theta[block] for block in rows.design.blocks)
    return [float(np.std(effect)) for effect in effects]


def _straight_parts(rows: RowsTested) -> dict[int, Array]:
    """What does not bend of each term of one column, shape (n, m): the line of a smooth, the contrasts of levels.

    Numbers are taken as ranks, so that no row stands out.
    """
    found = {}
    for term, (basis, block) in enumerate(zip(rows.design.bases, rows.design.blocks, strict=True)):
        if len(basis.spec.columns) == 1:
            straight = rows.columns[:, 1:][:, block][:, basis.orders == basis.orders.min()]
            if basis.axes[0].is_numeric:
                straight = np.column_stack([in_ranks(values, rows.weights) for values in straight.T])
            found[term] = straight
    return found


def _products(one: Array, other: Array) -> Array:
    """All products of a column of one with a column of the other: shape (n, m m')."""
    return (one[:, :, None] * other[:, None, :]).reshape(len(one), -1)
