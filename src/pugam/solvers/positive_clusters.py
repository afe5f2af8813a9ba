"""Finds kinds of positives: clusters of the labelled rows, a mixture whose size is chosen by evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pugam.solvers.tuning import TUNING

if TYPE_CHECKING:
    from sklearn.mixture import GaussianMixture

__all__ = ["find_clusters"]

Array = NDArray[np.float64]
Numbers = NDArray[np.intp]

SHAPES = ("full", "tied", "diag")  # of the covariances of components


def find_clusters(columns: list[Array], fewest: int, seed: int) -> Numbers:
    """Number the cluster of each row; all are 0 where one normal distribution does as well.

    Mixtures of normal distributions of 1, 2, ... components are compared by BIC. A component in which fewer than
    `fewest` rows are most likely is left out, and its rows go to the others.

    Parameters
    ----------
    columns : list of arrays of shape (n_rows,)
        Numbers, with NaN for missing.
    """
    rows = _standardized(columns)
    if rows.shape[1] == 0 or len(rows) < 2 * fewest:
        return np.zeros(len(rows), dtype=np.intp)
    best, lowest = _best_of_size(rows, 1, seed)
    for size in range(2, min(TUNING.most_clusters, len(rows) // fewest) + 1):
        found, criterion = _best_of_size(rows, size, seed)
        if criterion < lowest:
            best, lowest = found, criterion
        elif size >= best.n_components + TUNING.cluster_patience:
            break
    return _assigned(np.asarray(best.predict_proba(rows)), fewest)


def _best_of_size(rows: Array, size: int, seed: int) -> tuple[GaussianMixture, float]:
    """The mixture of so many components with the lowest criterion, over shapes of their covariances."""
    found = [_mixture(rows, size, shape, seed) for shape in SHAPES]
    criteria = [float(mixture.bic(rows)) for mixture in found]
    least = int(np.argmin(criteria))
    return found[least], criteria[least]


def _mixture(rows: Array, size: int, shape: str, seed: int) -> GaussianMixture:
    from sklearn.mixture import GaussianMixture

    found = GaussianMixture(
        size,
        covariance_type=shape,
        n_init=TUNING.cluster_starts,
        reg_covar=TUNING.least_cluster_variance,
        random_state=seed,
    )
    return found.fit(rows)


def _standardized(columns: list[Array]) -> Array:
    """Columns with many values, with mean 0 and variance 1; skewed ones as logarithms, gaps filled by medians."""
    from scipy.stats import skew

    kept = []
    for column in columns:
        values = column[np.isfinite(column)]
        if len(np.unique(values)) < TUNING.fewest_cluster_values:
            continue
        _, exponent = np.frexp(np.abs(values).max())  # squares of huge numbers overflow, those of tiny ones vanish
        filled = np.ldexp(np.where(np.isfinite(column), column, np.median(values)), -exponent)
        if filled.min() >= 0.0 and float(skew(filled)) > TUNING.skewed:
            filled = np.log(filled + _smallest_step(filled))
        kept.append((filled - filled.mean()) / filled.std())
    return np.column_stack(kept) if kept else np.empty((len(columns[0]) if columns else 0, 0))


def _smallest_step(values: Array) -> float:
    """Something to add before a logarithm: half of the smallest positive value where there are zeros."""
    return 0.0 if values.min() > 0.0 else 0.5 * float(values[values > 0.0].min())


def _assigned(chances: Array, fewest: int) -> Numbers:
    """The most likely component of each row, among those that have rows enough."""
    left = list(range(chances.shape[1]))
    while True:
        numbers = np.argmax(chances[:, left], axis=1)
        counts = np.bincount(numbers, minlength=len(left))
        smallest = int(np.argmin(counts))
        if counts[smallest] >= fewest or len(left) == 1:
            return np.asarray(numbers, dtype=np.intp)
        del left[smallest]
