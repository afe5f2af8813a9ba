"""Statistics of weighted rows in which a row of weight two counts as two rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pugam.engines import Engine

__all__ = ["are_copies", "count_rows", "quantiles", "unit_of"]

Array = NDArray[np.float64]


def are_copies(weights: Array) -> bool:
    """Whether weights are whole numbers, and so stand for repeated rows."""
    return bool(np.array_equal(weights, np.rint(weights)))


def count_rows(engine: Engine) -> float:
    """How many rows there are: one of weight two is two, unless weights are no whole numbers."""
    copied = engine.weights is not None and are_copies(engine.weights)
    return engine.n0 + engine.n1 if copied else float(engine.n_rows)


def unit_of(weights: Array, unit: float = 1.0) -> float:
    """The weight that counts as one row: `unit`, or the mean where rows weigh less than that."""
    present = weights[weights > 0.0]
    return float(min(unit, present.mean())) if len(present) else unit


def quantiles(values: Array, weights: Array, shares: ArrayLike, unit: float = 1.0) -> Array:
    """Quantiles as NumPy interpolates them, of values of which each stands as many times as it has units of weight."""
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(weights[order]) / unit_of(weights, unit)
    places = (np.rint(ends[-1]) - 1.0) * np.asarray(shares)
    # Looked up by the middle of a unit, which rounding does not take for the next one.
    numbers = [np.searchsorted(ends, np.floor(places) + beyond, side="right") for beyond in (0.5, 1.5)]
    low, high = (values[order][np.minimum(number, len(values) - 1)] for number in numbers)
    return np.asarray(low + (high - low) * (places - np.floor(places)))
