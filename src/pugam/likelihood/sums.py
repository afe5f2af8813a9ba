"""Sums over a block of rows: value, score and information of the likelihood in (log c, a, theta)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.layout import Layout
from pugam.likelihood.columns import Columns
from pugam.likelihood.rows import (
    expected_labels,
    information_slope_rows,
    logistic_rows,
    saturating_rows,
    score_rows,
)

__all__ = [
    "LOWEST_VALUE",
    "Scores",
    "Sums",
    "label_block",
    "logistic_sums",
    "saturating_sums",
    "score_sums",
    "trace_slopes",
]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

LOWEST_VALUE = -1e100  # finite, so that impossible rows of weight zero add nothing, and others can be stored
LOWEST_SUM = -1e140  # of them, whatever their weights


@dataclass(frozen=True, eq=False)
class Scores:
    """Sums of value and score for B parameter vectors of length q; blocks of rows add up.

    Attributes
    ----------
    value : array of shape (B,)
    score : array of shape (B, q)
    """

    value: Array
    score: Array

    def __add__(self, other: Scores) -> Scores:
        return Scores(self.value + other.value, self.score + other.score)


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums for B parameter vectors of length q; blocks of rows add up.

    Attributes
    ----------
    value : array of shape (B,)
    score : array of shape (B, q)
    information : array of shape (B, q, q)
    """

    value: Array
    score: Array
    information: Array

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.value + other.value, self.score + other.score, self.information + other.information)


def saturating_sums(
    X: Columns, positive: Flags, weights: Array | None, b: Array, c: Array, d: Array, observed: bool = False
) -> Sums:
    """Sum the saturating likelihood over a block.

    Parameters
    ----------
    X : Columns
        Model columns of n rows, the intercept's ones first, then p others.
    positive : bool array of shape (n,)
    weights : array of shape (n,) or (B, n), or None
        Row weights, the same for all parameter vectors or different ones for each; None stands for ones.
    b : array of shape (B, 1 + p) or (1, 1 + p)
        Intercept and coefficients of each parameter vector, or of one that all weightings share.
    c, d : arrays of shape (B,) or (1,)
        Label frequency and its complement.
    observed : bool
        Observed instead of expected information.

    Returns
    -------
    Sums
        In coordinates (log c, a, theta).
    """
    rows = saturating_rows(positive, X.predict(b), c[:, None], d[:, None], observed)
    if weights is not None:
        rows = rows._replace(value=np.maximum(rows.value, LOWEST_VALUE))
        rows = type(rows)(*(part * weights for part in rows))
    n_vectors, layout = len(rows.value), _layout(b)
    share, predictor = layout.share, layout.predictor
    projected = X.project(np.concatenate([rows.score_s, rows.info_sc]))
    score = _joined(layout, rows.score_c, projected[:n_vectors])
    information = np.empty((n_vectors, layout.size, layout.size))
    information[:, share, share] = rows.info_cc.sum(axis=1)
    information[:, share, predictor] = information[:, predictor, share] = projected[n_vectors:]
    X.grams(rows.info_ss, information[:, predictor, predictor])
    return Sums(np.maximum(rows.value.sum(axis=1), LOWEST_SUM), score, information)


def score_sums(X: Columns, positive: Flags, weights: Array, b: Array, c: Array, d: Array) -> Scores:
    """Sum value and score alone over a block; the arguments are those of `saturating_sums`."""
    rows = score_rows(positive, X.predict(b), c[:, None], d[:, None])
    rows = rows._replace(value=np.maximum(rows.value, LOWEST_VALUE))
    rows = type(rows)(*(part * weights for part in rows))
    return Scores(rows.value.sum(axis=1), _joined(_layout(b), rows.score_c, X.project(rows.score_s)))


def trace_slopes(X: Columns, weights: Array | None, b: Array, c: Array, d: Array, matrix: Array) -> Array:
    """Sum, over a block, how the trace of a matrix times the expected information changes with the parameters.

    Parameters
    ----------
    X, weights : Columns of n rows, and array of shape (n,) or None
    b, c, d : arrays of shape (1, 1 + p), (1,) and (1,)
        A single parameter vector.
    matrix : array of shape (1 + p, 1 + p)
        Symmetric; multiplied with the information in (a, theta).

    Returns
    -------
    array of shape (2 + p,)
        Derivatives in (log c, a, theta).
    """
    leverages = X.forms(matrix)
    if weights is not None:
        leverages *= weights
    of_s, of_c = information_slope_rows(X.predict(b)[0], c, d)
    slopes: Array = _joined(_layout(b), (leverages * of_c)[None], X.project((leverages * of_s)[None]))[0]
    return slopes


def _layout(b: Array) -> Layout:
    """Where the parameters stand whose intercept and p coefficients are the rows of b, shape (B, 1 + p)."""
    return Layout.single(b.shape[1] - 1)


def _joined(layout: Layout, score_c: Array, of_predictor: Array) -> Array:
    """Sums of the score in all parameters, from those of rows in log c and the sums in (a, theta)."""
    score = np.empty((len(score_c), layout.size))
    score[:, layout.share], score[:, layout.predictor] = score_c.sum(axis=1), of_predictor
    return score


def label_block(X: Columns, positive: Flags, b: Array, d: Array) -> Array:
    """Expected labels of a block under B parameter vectors: shape (B, n)."""
    return expected_labels(positive, X.predict(b), d[:, None])


def logistic_sums(X: Columns, y: Array, weights: Array | None, b: Array) -> Sums:
    """Sum the logistic likelihood of expected labels y, shape (B, n), over a block, in (a, theta)."""
    rows = logistic_rows(y, X.predict(b))
    if weights is not None:
        rows = type(rows)(*(part * weights for part in rows))
    information = np.empty((len(b), b.shape[1], b.shape[1]))
    X.grams(rows.info_ss, information)
    return Sums(rows.value.sum(axis=1), X.project(rows.score_s), information)
