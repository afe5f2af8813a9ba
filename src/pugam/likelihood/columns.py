"""Model columns of a block of rows, and what sums need of them: four products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Columns", "DenseColumns", "ShiftedColumns", "products_of_columns"]

Array = NDArray[np.float64]
Products = Callable[[Array], Array]

# With so many matrices of so few columns, one product of the weights with all products of columns is faster.
MANY_GRAMS, FEW_COLUMNS = 8, 80
FEW_VECTORS = 4  # fewer are multiplied with a matrix one by one


class Columns(Protocol):
    """The matrix X of n rows and q model columns, the intercept's ones first, whether it is written out or not."""

    def __len__(self) -> int: ...

    def predict(self, b: Array) -> Array:
        """Return b X', shape (B, n), for b of shape (B, q)."""
        ...

    def project(self, rows: Array) -> Array:
        """Return rows X, shape (B, q), for rows of shape (B, n)."""
        ...

    def grams(self, weights: Array, out: Array) -> None:
        """Write X' diag(w) X for every row w of weights, shape (B, n), into out, shape (B, q, q)."""
        ...

    def forms(self, matrix: Array) -> Array:
        """Return x' M x of every row x, shape (n,), for a symmetric matrix M."""
        ...

    def written_out(self) -> Array:
        """Return X itself, shape (n, q)."""
        ...


class DenseColumns:
    """Columns written out as a matrix, multiplied by BLAS.

    Parameters
    ----------
    X : array of shape (n, q)
    products : callable
        Gives the products of the columns of X, which may be kept between calls.
    """

    def __init__(self, X: Array, products: Products | None = None) -> None:
        self.X = X
        self._products = products or products_of_columns

    def __len__(self) -> int:
        return len(self.X)

    def predict(self, b: Array) -> Array:
        """Return b X'."""
        return _product(b, self.X.T)

    def project(self, rows: Array) -> Array:
        """Return rows X."""
        return _product(rows, self.X)

    def grams(self, weights: Array, out: Array) -> None:
        """Write X' diag(w) X for every row w of weights."""
        X = self.X
        if len(weights) >= MANY_GRAMS and X.shape[1] <= FEW_COLUMNS:
            first, second = np.triu_indices(X.shape[1])
            grams = weights @ self._products(X).T
            out[:, first, second] = out[:, second, first] = grams
            return
        for w, gram in zip(weights, out, strict=True):
            gram[...] = _symmetric(X, w)

    def forms(self, matrix: Array) -> Array:
        """Return x' M x of every row x."""
        return np.asarray(np.einsum("ij,ij->i", self.X @ matrix, self.X))

    def written_out(self) -> Array:
        """Return X."""
        return self.X


class ShiftedColumns:
    """Any columns, with a known part that is added to all predictors.

    Parameters
    ----------
    X : Columns
    known : array of shape (n,)
    """

    def __init__(self, X: Columns, known: Array) -> None:
        self._X, self._known = X, known

    def __len__(self) -> int:
        return len(self._X)

    def predict(self, b: Array) -> Array:
        """Return b X' and the known part."""
        return self._X.predict(b) + self._known

    def project(self, rows: Array) -> Array:
        """Return rows X."""
        return self._X.project(rows)

    def grams(self, weights: Array, out: Array) -> None:
        """Write X' diag(w) X for every row w of weights."""
        self._X.grams(weights, out)

    def forms(self, matrix: Array) -> Array:
        """Return x' M x of every row x."""
        return self._X.forms(matrix)

    def written_out(self) -> Array:
        """Return X."""
        return self._X.written_out()


def _product(vectors: Array, matrix: Array) -> Array:
    """Multiply vectors with a matrix: a few one by one, since BLAS packs the whole matrix for several together."""
    if len(vectors) >= FEW_VECTORS:
        return np.asarray(vectors @ matrix)
    product = np.empty((len(vectors), matrix.shape[1]))
    for vector, out in zip(vectors, product, strict=True):
        np.matmul(vector, matrix, out=out)
    return product


def _symmetric(X: Array, weights: Array) -> Array:
    """One matrix against its own transpose: BLAS computes half of a symmetric product.

    Rows of negative weights are first added as if it were positive, and then taken off twice.
    """
    scaled = X.T * np.sqrt(np.abs(weights))
    gram = np.asarray(scaled @ scaled.T)
    negative = np.flatnonzero(weights < 0.0)
    if len(negative):
        twice = scaled[:, negative]
        gram -= 2.0 * (twice @ twice.T)
    return gram


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
