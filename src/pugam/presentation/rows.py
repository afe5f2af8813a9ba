"""What pictures need to know of the rows: over which range to draw, which levels are common, where no rows are near."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pugam.terms import Axis, Basis, Encoded

__all__ = [
    "FAR",
    "blurred",
    "common_levels",
    "distance_to_rows",
    "quantiles_of",
    "range_for_drawing",
    "rows_of",
    "rug_of",
]

Array = NDArray[np.float64]

MIDDLE = (0.005, 0.995)  # quantiles of a column: where the whole is more than twice as wide, it is drawn to here
FAR = 0.1  # of the ranges drawn: rows that are farther away are not near, as in mgcv's pictures
FEW_ROWS = 3  # have to be near: a single one may be a stray
ROWS_PER_MARK = 5  # of a rug, at least: whoever gets a picture is not to read single rows from it
BLUR = 0.025  # of the range of a column: how far dots may stand from the rows that they are for
FARTHEST_ROW = 10.0  # distances are cut off here


def rows_of(basis: Basis, encoded: Encoded | None) -> Array:
    """Return the values of the rows along each axis, codes for levels: shape (n_rows, n_axes); no rows for None."""
    n_axes = len(basis.axes)
    if encoded is None:
        return np.empty((0, n_axes))
    return np.column_stack([basis.along(encoded, number) for number in range(n_axes)]).astype(float)


def range_for_drawing(axis: Axis, values: Array) -> tuple[float, float]:
    """Return the range of a numeric column, or that of its middle 99%."""
    low, high = axis.lower, axis.upper
    if len(values):
        middle = np.nanquantile(values, MIDDLE)
        if 0.0 < 2.0 * (middle[1] - middle[0]) < high - low:
            low, high = middle
    return float(low), float(high)


def quantiles_of(axis: Axis, values: Array, shares: Sequence[float]) -> Array:
    """Return quantiles of a numeric column, which are values of it; without rows, points of its range."""
    present = values[~np.isnan(values)]
    if len(present):
        return np.asarray(np.quantile(present, shares, method="inverted_cdf"))
    return axis.lower + np.asarray(shares) * (axis.upper - axis.lower)


def rug_of(values: Array, most: int) -> Array:
    """Return where the marks of a rug stand: at values that five rows share, and at means of five others or more."""
    found, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    shared = counts >= ROWS_PER_MARK
    others = np.repeat(found[~shared], counts[~shared])
    n_marks = min(most, len(others) // ROWS_PER_MARK)
    means = [group.mean() for group in np.array_split(others, n_marks)] if n_marks else []
    marks = np.sort([*found[shared], *means])
    return np.asarray(marks[:: 1 + len(marks) // (most + 1)])


def blurred(rows: Array) -> Array:
    """Move rows a little, the same rows always alike: a cloud shows where there are some, and none of them exactly."""
    shown = rows[~np.isnan(rows).any(axis=1)]
    if not len(shown):
        return shown
    low, high = shown.min(axis=0), shown.max(axis=0)
    moves = np.random.default_rng(0).uniform(-BLUR, BLUR, size=shown.shape)
    return np.asarray(np.clip(shown + moves * (high - low), low, high))


def common_levels(codes: Array, most: int) -> list[tuple[int, ...]]:
    """Return the codes of the combinations of levels that most rows have, in order."""
    known = codes[(codes >= 0.0).all(axis=1)].astype(np.intp)
    found, counts = np.unique(known, axis=0, return_counts=True)
    chosen = np.sort(np.argsort(-counts, kind="stable")[:most])
    return [tuple(combination) for combination in found[chosen].tolist()]


def distance_to_rows(points: Array, rows: Array) -> Array:
    """Return how far points are from the nearest few rows, with the ranges drawn as units; from 1 on none is near."""
    from scipy.spatial import KDTree

    present = rows[~np.isnan(rows).any(axis=1)]
    if len(present) < FEW_ROWS:
        return np.full(len(points), FARTHEST_ROW)
    distances, _ = KDTree(present).query(points, k=[FEW_ROWS])
    return np.asarray(np.minimum(distances[:, 0] / FAR, FARTHEST_ROW))
