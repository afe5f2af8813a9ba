"""Sums over a block of rows: value, score and information of the likelihood in (log c, a, theta)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.likelihood.rows import SaturatingRows, ScoreRows, expected_labels, logistic_rows, saturating_rows, score_rows

__all__ = ["Scores", "Sums", "label_block", "logistic_sums", "products_of_columns", "saturating_sums", "score_sums"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Products = Callable[[Array], Array]

LOWEST_VALUE = -1e300  # finite, so that an impossible row of weight zero adds nothing
# With so many matrices of so few columns, one product of the weights with all products of columns is faster.
MANY_GRAMS, FEW_COLUMNS = 8, 80


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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


def products_of_columns(X: Array) -> Array:
    """Products of each column with itself and those after it, in the order of `triu_indices`: shape (pairs, n)."""
    columns = np.ascontiguousarray(X.T)
    q, n = columns.shape
    products = np.empty((q * (q + 1) // 2, n))
    start = 0
    for number in range(q):
        np.multiply(columns[number], columns[number:], out=products[start : start + q - number])
        start += q - number
    return products


def saturating_sums(
    X: Array,
    positive: Flags,
    weights: Array | None,
    b: Array,
    c: Array,
    d: Array,
    observed: bool = False,
    products: Products = products_of_columns,
) -> Sums:
    """Sum the saturating likelihood over a block.

    Parameters
    ----------
    X : array of shape (n, 1 + p)
        Model columns, the intercept's ones first.
    positive : bool array of shape (n,)
    weights : array of shape (n,) or (B, n), or None
        Row weights, the same for all parameter vectors or different ones for each; None stands for ones.
    b : array of shape (B, 1 + p) or (1, 1 + p)
        Intercept and coefficients of each parameter vector, or of one that all weightings share.
    c, d : arrays of shape (B,) or (1,)
        Label frequency and its complement.
    observed : bool
        Observed instead of expected information.
    products : callable
        Gives the products of the columns of X, which may be kept between calls.

    Returns
    -------
    Sums
        In coordinates (log c, a, theta), so q = 2 + p.
    """
    rows = saturating_rows(positive, b @ X.T, c[:, None], d[:, None], observed)
    if weights is not None:
        rows = rows._replace(value=np.maximum(rows.value, LOWEST_VALUE))
        rows = type(rows)(*(part * weights for part in rows))
    scores = _sum_scores(X, rows)
    n_vectors, q = scores.score.shape
    information = np.empty((n_vectors, q, q))
    information[:, 0, 0] = rows.info_cc.sum(axis=1)
    information[:, 0, 1:] = information[:, 1:, 0] = rows.info_sc @ X
    weighted_grams(X, rows.info_ss, information[:, 1:, 1:], products)
    return Sums(scores.value, scores.score, information)


def score_sums(X: Array, positive: Flags, weights: Array, b: Array, c: Array, d: Array) -> Scores:
    """Sum value and score alone over a block; the arguments are those of `saturating_sums`."""
    rows = score_rows(positive, b @ X.T, c[:, None], d[:, None])
    rows = rows._replace(value=np.maximum(rows.value, LOWEST_VALUE))
    return _sum_scores(X, type(rows)(*(part * weights for part in rows)))


def _sum_scores(X: Array, rows: SaturatingRows | ScoreRows) -> Scores:
    score = np.empty((len(rows.value), 1 + X.shape[1]))
    score[:, 0] = rows.score_c.sum(axis=1)
    score[:, 1:] = rows.score_s @ X
    return Scores(rows.value.sum(axis=1), score)


def label_block(X: Array, positive: Flags, b: Array, d: Array) -> Array:
    """Expected labels of a block under B parameter vectors: shape (B, n)."""
    return expected_labels(positive, b @ X.T, d[:, None])


def logistic_sums(X: Array, y: Array, weights: Array | None, b: Array) -> Sums:
    """Sum the logistic likelihood of expected labels y, shape (B, n), over a block, in (a, theta)."""
    rows = logistic_rows(y, b @ X.T)
    if weights is not None:
        rows = type(rows)(*(part * weights for part in rows))
    information = np.empty((len(b), b.shape[1], b.shape[1]))
    weighted_grams(X, rows.info_ss, information)
    return Sums(rows.value.sum(axis=1), rows.score_s @ X, information)


def weighted_grams(X: Array, weights: Array, out: Array, products: Products = products_of_columns) -> None:
    """Write X' diag(w) X for every row w of weights, shape (B, n), into out, shape (B, q, q)."""
    if len(weights) >= MANY_GRAMS and X.shape[1] <= FEW_COLUMNS:
        first, second = np.triu_indices(X.shape[1])
        grams = weights @ products(X).T
        out[:, first, second] = out[:, second, first] = grams
        return
    scaled = np.empty_like(X)
    for w, gram in zip(weights, out, strict=True):
        if w.min() >= 0.0:
            # One matrix against its own transpose: BLAS computes half of a symmetric product.
            np.multiply(X, np.sqrt(w)[:, None], out=scaled)
            gram[...] = scaled.T @ scaled
        else:
            np.multiply(X, w[:, None], out=scaled)
            gram[...] = X.T @ scaled
