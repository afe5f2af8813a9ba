"""Products of the straight parts of two effects: the directions in which effects that do not add up are looked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pugam.terms import Design, Encoded

__all__ = [
    "MOST_PRODUCTS",
    "Pair",
    "choose_pairs",
    "in_ranks",
    "products_of_pair",
    "sizes_of_effects",
    "straight_parts",
]

Array = NDArray[np.float64]
Pair = tuple[int, int]

MOST_PRODUCTS = 500


def choose_pairs(design: Design, straight: Mapping[int, Array], sizes: Sequence[float], room: int) -> list[Pair]:
    """Pairs of terms that no interaction joins: all, or those of the largest effects where products are too many.

    Parameters
    ----------
    straight : mapping of int to array
        Straight parts, by the number of the term.
    sizes : sequence of float
        How much the effect of each term varies over the rows.
    room : int
        How many products there may be.
    """
    joined = [frozenset(basis.spec.columns) for basis in design.bases]
    columns = {term: joined[term] for term in straight}
    pairs = [
        (one, other)
        for one, other in combinations(straight, 2)
        if not any(columns[one] | columns[other] <= others for others in joined)
    ]
    chosen = []
    for one, other in sorted(pairs, key=lambda pair: -sizes[pair[0]] * sizes[pair[1]]):
        n_products = straight[one].shape[1] * straight[other].shape[1]
        if n_products <= room:
            chosen.append((one, other))
            room -= n_products
    return chosen


def sizes_of_effects(design: Design, columns: Array, theta: Array) -> list[float]:
    """How much the effect of each term varies over rows with these model columns, the intercept's ones first."""
    return [float(np.std(columns[:, 1:][:, block] @ theta[block])) for block in design.blocks]


def straight_parts(design: Design, columns: Array, weights: Array) -> dict[int, Array]:
    """What does not bend of each term of one column, shape (n, m): the line of a smooth, the contrasts of levels.

    Numbers are taken as ranks, so that no row stands out.
    """
    found = {}
    for term, (basis, block) in enumerate(zip(design.bases, design.blocks, strict=True)):
        if len(basis.spec.columns) == 1 and not basis.spec.is_labelling and basis.size > 0:
            straight = columns[:, 1:][:, block][:, basis.orders == basis.orders.min()]
            if basis.axes[0].is_numeric:
                straight = np.column_stack([in_ranks(values, weights) for values in straight.T])
            found[term] = straight
    return found


def in_ranks(values: Encoded, weights: Array) -> Array:
    """Replace values by their ranks, from -1 to 1; a row of weight two counts as two."""
    _, places = np.unique(values, return_inverse=True)
    counts = np.bincount(places, weights=weights)
    return np.asarray(((2.0 * np.cumsum(counts) - counts) / counts.sum() - 1.0)[places])


def products_of_pair(one: Array, other: Array) -> Array:
    """All products of a column of one with a column of the other: shape (n, m m')."""
    return (one[:, :, None] * other[:, None, :]).reshape(len(one), -1)
