"""What is kept of the columns of the unlabelled rows of a fit, to tell later whether new rows look like them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.engines.pilots import ShownRows
from pugam.solvers import are_copies
from pugam.terms import Axis, Design

__all__ = ["NEIGHBOURS", "QUANTILES", "ColumnDigest", "digest_columns"]

Array = NDArray[np.float64]

QUANTILES = np.linspace(0.0, 1.0, 101)
NEIGHBOURS = 5  # rows of which a quantile is the mean, so that nobody reads a single row's value from it


@dataclass(frozen=True, eq=False)
class ColumnDigest:
    """One column of the unlabelled rows of a fit: enough to compare its distribution with another.

    Attributes
    ----------
    column : str
    n_rows : float
        How many rows it tells of, in effect, where they are weighted.
    missing : float
        Share of them without a value.
    quantiles : array of shape (101,), or None
        Of numbers, from the least to the greatest; those between are means of five neighbours. Empty if none has a
        value.
    levels : dict of level to share
        Of those rows that have a value; empty for numbers.
    """

    column: str
    n_rows: float
    missing: float
    quantiles: Array | None
    levels: dict[object, float]


def digest_columns(design: Design, shown: ShownRows) -> tuple[ColumnDigest, ...]:
    """Describe every column that terms read, over unlabelled rows."""
    unlabelled = ~shown.positive
    weights = np.ones(int(unlabelled.sum())) if shown.weights is None else shown.weights[unlabelled]
    found: dict[str, ColumnDigest] = {}
    for basis, encoded in zip(design.bases, shown.encoded, strict=True):
        for number, axis in enumerate(basis.axes):
            if axis.column not in found:
                values = np.asarray(basis.along(encoded, number), dtype=float)[unlabelled]
                found[axis.column] = _digest(axis, values, weights)
    return tuple(found.values())


def _digest(axis: Axis, values: Array, weights: Array) -> ColumnDigest:
    missing = np.isnan(values) if axis.is_numeric else ~(values >= 0.0)  # NaN beside a gap in another column
    total, present = float(weights.sum()), weights[~missing]
    n_rows = total if are_copies(weights) else total**2 / float((weights**2).sum())
    lacking = 1.0 - float(present.sum()) / total
    if axis.is_numeric:
        quantiles = _quantiles(values[~missing], present) if lacking < 1.0 else np.zeros(0)
        return ColumnDigest(axis.column, n_rows, lacking, quantiles, {})
    counts = np.bincount(values[~missing].astype(np.intp), present, minlength=len(axis.levels))
    shares = (counts / max(float(counts.sum()), 1e-300)).tolist()
    return ColumnDigest(axis.column, n_rows, lacking, None, dict(zip(axis.levels, shares, strict=True)))


def _quantiles(values: Array, weights: Array) -> Array:
    """Weighted quantiles: the ends of the range, and between them means of neighbours, which tell of no single row."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    places = np.searchsorted(reached, QUANTILES * reached[-1] * (1.0 - 1e-12))
    means = _means_of_neighbours(values[order])[np.minimum(places, len(values) - 1)]
    means[[0, -1]] = values[order[[0, -1]]]
    return np.asarray(means)


def _means_of_neighbours(values: Array) -> Array:
    """For each of these sorted values the mean of its group: of five, and at the end of up to nine."""
    groups = np.minimum(np.arange(len(values)) // NEIGHBOURS, max(len(values) // NEIGHBOURS, 1) - 1)
    shares = values / np.bincount(groups)[groups]  # of which sums are finite, however large the numbers
    first, last = (np.searchsorted(groups, groups, side) for side in ("left", "right"))
    return np.asarray(np.clip(np.bincount(groups, shares)[groups], values[first], values[last - 1]))
