"""Do predicted and observed labels agree? P(z = 1 | x), the one thing in the model that data show directly, in bins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.inference.distributions import squares_sf
from pugam.inference.labels import label_rows
from pugam.likelihood import expit, label_frequency
from pugam.solvers import Fitted, FittedKind, HeldOutRows, ShrunkenFit, quantiles

__all__ = ["Calibration", "calibrate", "calibrate_held_out"]

Array = NDArray[np.float64]

N_BINS = 10
LEAST_VARIANCE = 1.0  # of the number of labelled rows in a bin
VARIANCE = 3  # its place among the sums of a bin
ALIKE_DECIMALS = 12  # of predictions that go to the same bin, however their sums were rounded


@dataclass(frozen=True, eq=False)
class Calibration:
    """Labels predicted and observed, in bins of equal numbers of rows.

    Attributes
    ----------
    predicted, observed, se, weight : arrays of shape (n_bins,)
        Mean predicted P(z = 1 | x), share of labelled rows, the standard error of their difference if the model holds,
        and number (total weight) of rows in each bin.
    statistic, df, pvalue : float
        Hosmer and Lemeshow's test that they differ by chance alone.
    """

    predicted: Array
    observed: Array
    se: Array
    weight: Array
    statistic: float
    df: float
    pvalue: float


def calibrate(fitted: Fitted, n_bins: int = N_BINS) -> Calibration:
    """Compare predicted with observed labels over bins of the prediction."""
    engine = fitted.engine
    predictors, c, _ = label_rows(fitted)
    weights = np.ones(engine.n_rows) if engine.weights is None else engine.weights
    weight, expected, seen, variance, _ = _in_bins(c * expit(predictors), engine.positive, weights, n_bins)
    filled = variance > 0.0
    return _compared(weight[filled], expected[filled], seen[filled], variance[filled])


def calibrate_held_out(fitted: FittedKind[ShrunkenFit], rows: HeldOutRows, n_bins: int = N_BINS) -> Calibration:
    """Compare labels with those that curves predict which were fitted without these rows.

    Shrunken curves know the labels of the few rows they were fitted to too well. Of others they may be too sure: where
    labels are next to certain, one that is not as expected counts as no more than that.
    """
    engine, fit = fitted.engine, fitted.fit
    c, _ = label_frequency(np.array(fit.optimum.pi), engine.n0, engine.n1)
    predictor = fit.adjustment.with_strays(fit.adjustment.intercept + fit.adjustment.steepness * rows.scores)
    sums = _joined(_in_bins(c * expit(predictor), rows.positive, rows.weights, n_bins, rows.unit))
    weight, expected, seen, variance, excess = sums
    return _compared(weight, expected, seen, variance, float(np.sum(excess / variance**2)))


def _compared(weight: Array, expected: Array, seen: Array, variance: Array, excess: float = 0.0) -> Calibration:
    statistic, df = float(np.sum((seen - expected) ** 2 / variance)), float(max(1, len(weight) - 2))
    errors, pvalue = np.sqrt(variance) / weight, squares_sf(statistic, df, excess)
    return Calibration(expected / weight, seen / weight, errors, weight, statistic, df, pvalue)


def _in_bins(predicted: Array, positive: NDArray[np.bool_], weights: Array, n_bins: int, unit: float = 1.0) -> Array:
    """Sums by bins of equal numbers of rows: weights, labels expected and seen, their variance, and its excess."""
    rounded = np.round(predicted, ALIKE_DECIMALS)
    edges = np.unique(quantiles(rounded, weights, np.linspace(0.0, 1.0, n_bins + 1)[1:-1], unit))
    bins = np.searchsorted(edges, rounded, side="right")

    def in_bins(values: Array) -> Array:
        return np.asarray(np.bincount(bins, weights=values * weights, minlength=len(edges) + 1), dtype=float)

    own = predicted * (1.0 - predicted)
    parts = np.ones(len(own)), predicted, positive.astype(np.float64), own, own * (1.0 - 6.0 * own)
    sums = np.array([in_bins(one) for one in parts])
    return sums[:, sums[0] > 0.0]


def _joined(sums: Array) -> Array:
    """Join bins with those after them until the number of labelled rows can vary there."""
    bins: list[Array] = []
    left = np.zeros(len(sums))
    for one in sums.T:
        left = left + one
        if left[VARIANCE] >= LEAST_VARIANCE:
            bins.append(left)
            left = np.zeros(len(sums))
    if not bins:
        left[VARIANCE] = LEAST_VARIANCE
        return left[:, None]
    bins[-1] = bins[-1] + left
    return np.array(bins).T
