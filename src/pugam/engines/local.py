"""Model columns that are never written out: sums over rows by moments within the intervals of each term.

On each interval between knots all functions of a term are polynomials of the same few powers: a row adds to a few
moments of its interval, not to all products of columns. What the moments mean for the columns is worked out once a
block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.errors import InputError, SlowWarning, warn_user
from pugam.extras import load_extra
from pugam.terms import POWERS, Design, Encoded

__all__ = ["MANY_ROWS", "LocalColumns", "MixedColumns", "Workspace", "is_local_faster", "local_columns"]

Array = NDArray[np.float64]

ALIGNMENT = 64  # bytes: the vectors that kernels add to then never straddle two cache lines
MANY_ROWS = 200_000  # below, importing numba costs more than it saves
MOST_MOMENTS = 4_000_000  # or coefficients: of factors with thousands of levels there are too many
# Nanoseconds per row: of a pair of terms, and of a term; of a product of columns by BLAS, and of evaluating a column.
PAIR, TERM, PRODUCT, COLUMN = 2.2, 6.0, 0.033, 3.0


def is_local_faster(design: Design, n_rows: int) -> bool:
    """Whether sums by moments beat BLAS: for many rows, unless the columns are few for so many terms.

    They need numba; where it cannot be had, BLAS does it all.
    """
    p, q = len(design.local_terms), 1 + design.n_columns
    if n_rows < MANY_ROWS or p == 0:
        return False
    n_dense = len(design.columns_of(design.dense_terms))
    across = TERM * p * n_dense / POWERS + PRODUCT * n_dense * n_dense + COLUMN * n_dense
    moments = PAIR * p * (p + 1) / 2 + TERM * p + across
    products = PRODUCT * q * q + COLUMN * q
    support = design.support
    fits = support.n_moments <= MOST_MOMENTS and support.n_coefficients <= MOST_MOMENTS
    return moments < products and fits and can_compile()


@cache
def can_compile() -> bool:
    """Whether numba is there, and works with the libraries around it; where it is not, this is told once."""
    try:
        load_extra("fast", "Sums over so many rows are much faster with")
        _kernels()
    except InputError as error:
        warn_user(error.message, category=SlowWarning)
        return False
    except ImportError:
        return False
    return True


@dataclass(frozen=True, eq=False)
class Workspace:
    """Where the intervals and offsets of rows are written: fresh memory for each block would cost as much as their use.

    Attributes
    ----------
    intervals, offsets : arrays of shape (n_terms, n)
    located : bool
        Whether they have been written already.
    """

    intervals: NDArray[np.int32]
    offsets: Array
    located: bool = False

    @classmethod
    def empty(cls, design: Design, n_rows: int) -> Workspace:
        """Room for so many rows."""
        shape = (len(design.local_terms), n_rows)
        return cls(np.empty(shape, np.int32), np.empty(shape))

    def part(self, rows: slice, located: bool = False) -> Workspace:
        """The room of some of the rows."""
        return Workspace(self.intervals[:, rows], self.offsets[:, rows], located)


def local_columns(design: Design, encoded: Sequence[Encoded], workspace: Workspace) -> LocalColumns | MixedColumns:
    """Return the model columns of a block: as many as can be are not written out."""
    local = LocalColumns(design.local_part, [encoded[number] for number in design.local_terms], workspace)
    return MixedColumns(design, local, encoded) if design.dense_terms else local


class LocalColumns:
    """Model columns of a block of rows, valid until another block is put into the workspace; see `likelihood.Columns`.

    Parameters
    ----------
    design : Design
    encoded : sequence of arrays
    workspace : Workspace
        For as many rows at least.
    """

    def __init__(self, design: Design, encoded: Sequence[Encoded], workspace: Workspace) -> None:
        self._design, self._support, self._n_rows = design, design.support, len(encoded[0])
        self._intervals = workspace.intervals[:, : self._n_rows]
        self._offsets = workspace.offsets[:, : self._n_rows]
        if not workspace.located:
            self._locate(encoded)

    def _locate(self, encoded: Sequence[Encoded]) -> None:
        design, support = self._design, self._support
        for j, (basis, values) in enumerate(zip(design.bases, encoded, strict=True)):
            tables = (support.cells[j], support.breaks[j], support.origins[j], support.missing[j])
            _kernels().locate(basis.places(values), *tables, self._intervals[j], self._offsets[j])

    def __len__(self) -> int:
        return self._n_rows

    def predict(self, b: Array) -> Array:
        """Intercept plus effects for every row of b, shape (B, n)."""
        named = self._design.layout.of_predictors
        out = np.repeat(b[:, named.intercept, None], len(self), axis=1)
        for line, theta in zip(out, b[:, named.coefficients], strict=True):
            _kernels().evaluate(self._intervals, self._offsets, self._polynomials(theta), line)
        return out

    def project(self, rows: Array) -> Array:
        """Sums of all columns weighted by each of `rows`, shape (B, n): shape (B, 1 + n_columns)."""
        support = self._support
        out = np.empty((len(rows), 1 + self._design.n_columns))
        out[:, 0] = rows.sum(axis=1)
        p, most = support.breaks.shape
        for start in range(0, len(rows), POWERS):
            some = rows[start : start + POWERS]
            weights = np.zeros((len(self), POWERS))
            weights[:, : len(some)] = some.T
            moments = _aligned_zeros(p * most * POWERS * POWERS).reshape(p, -1)
            _kernels().add_first_moments(self._intervals, self._offsets, weights.ravel(), moments)
            by_weighting = moments.reshape(p, most, POWERS, POWERS).transpose(0, 2, 1, 3).reshape(p, POWERS, -1)
            for j, (block, matrix) in enumerate(zip(self._design.blocks, support.matrices, strict=True)):
                out[start : start + POWERS, 1:][:, block] = by_weighting[j, : len(some), : len(matrix)] @ matrix
        return out

    def grams(self, weights: Array, out: Array) -> None:
        """Write the weighted products of all pairs of columns for each of `weights`, shape (B, n)."""
        support = self._support
        for w, gram in zip(weights, out, strict=True):
            moments = _aligned_zeros(support.n_moments)
            _kernels().add_second_moments(self._intervals, self._offsets, w, support.starts, support.strides, moments)
            _kernels().fill_gram(moments, support.starts, support.strides, *support.flat_matrices, gram)

    def forms(self, matrix: Array) -> Array:
        """Return x' M x of every row x, shape (n,), for a symmetric matrix M."""
        support, out = self._support, np.zeros(len(self))
        polynomials = self._products(matrix)
        _kernels().add_forms(self._intervals, self._offsets, polynomials, support.starts, support.strides, out)
        return out

    def _products(self, matrix: Array) -> Array:
        """Coefficients of x' M x by pair of terms, pair of intervals and powers, in the order of the moments."""
        support, out = self._support, np.empty(self._support.n_moments)
        inside = matrix[1:, 1:]
        for j, (block, left) in enumerate(zip(self._design.blocks, support.matrices, strict=True)):
            own = (left @ inside[block, block]).reshape(-1, POWERS, left.shape[1])
            products = own @ left.reshape(own.shape).transpose(0, 2, 1)
            products[:, :, 0] += 2.0 * (left @ matrix[1:, 0][block]).reshape(-1, POWERS)
            if j == 0:
                products[:, 0, 0] += matrix[0, 0]
            self._put(products, j, j, out)
            for k in range(j + 1, len(support.matrices)):
                right = support.matrices[k]
                across = 2.0 * left @ inside[block, self._design.blocks[k]] @ right.T
                pairs = across.reshape(len(left) // POWERS, POWERS, len(right) // POWERS, POWERS)
                self._put(pairs.transpose(0, 2, 1, 3), j, k, out)
        return out

    def _put(self, products: Array, j: int, k: int, out: Array) -> None:
        """Write what belongs to two terms where their moments would be."""
        start = int(self._support.starts[j, k])
        out[start : start + products.size] = products.ravel()

    def written_out(self) -> Array:
        """Return all columns, shape (n, q)."""
        return np.ascontiguousarray(self.predict(np.eye(1 + self._design.n_columns)).T)

    def _polynomials(self, theta: Array) -> Array:
        """Coefficients of each term's effect by interval and power, shape (p, most_intervals, 4)."""
        effects = np.zeros((*self._support.breaks.shape, POWERS))
        for effect, matrix, block in zip(effects, self._support.matrices, self._design.blocks, strict=True):
            effect.ravel()[: len(matrix)] = matrix @ theta[block]
        return effects


class MixedColumns:
    """Columns of some terms that are not written out, and of others that are; see `likelihood.Columns`.

    Parameters
    ----------
    design : Design
    local : LocalColumns
        Of the terms that are polynomials between breaks of one column.
    encoded : sequence of arrays
        Of all terms.
    """

    def __init__(self, design: Design, local: LocalColumns, encoded: Sequence[Encoded]) -> None:
        self._local, self._n_columns = local, 1 + design.n_columns
        self._of_local = np.append(0, 1 + design.columns_of(design.local_terms))
        self._of_dense = 1 + design.columns_of(design.dense_terms)
        self._dense = np.hstack(list(design.columns_by_term(design.dense_terms, encoded)))

    def __len__(self) -> int:
        return len(self._local)

    def predict(self, b: Array) -> Array:
        """Intercept plus effects for every row of b, shape (B, n)."""
        return self._local.predict(b[:, self._of_local]) + b[:, self._of_dense] @ self._dense.T

    def project(self, rows: Array) -> Array:
        """Sums of all columns weighted by each of `rows`, shape (B, n): shape (B, 1 + n_columns)."""
        out = np.empty((len(rows), self._n_columns))
        out[:, self._of_local], out[:, self._of_dense] = self._local.project(rows), rows @ self._dense
        return out

    def grams(self, weights: Array, out: Array) -> None:
        """Write the weighted products of all pairs of columns for each of `weights`, shape (B, n)."""
        size, local, dense = len(self._of_local), self._of_local, self._of_dense
        among_local = np.empty((len(weights), size, size))
        self._local.grams(weights, among_local)
        for w, gram, own in zip(weights, out, among_local, strict=True):
            weighted = self._dense * w[:, None]
            across = self._local.project(weighted.T)
            gram[np.ix_(local, local)], gram[np.ix_(dense, dense)] = own, self._dense.T @ weighted
            gram[np.ix_(dense, local)], gram[np.ix_(local, dense)] = across, across.T

    def forms(self, matrix: Array) -> Array:
        """Return x' M x of every row x, shape (n,), for a symmetric matrix M."""
        local, dense = self._of_local, self._of_dense
        with_dense = self._dense @ matrix[np.ix_(dense, dense)] + 2.0 * self._local.predict(matrix[dense][:, local]).T
        of_dense = np.einsum("ij,ij->i", with_dense, self._dense)
        return np.asarray(self._local.forms(matrix[np.ix_(local, local)]) + of_dense)

    def written_out(self) -> Array:
        """Return all columns, shape (n, q)."""
        return np.ascontiguousarray(self.predict(np.eye(self._n_columns)).T)


def _aligned_zeros(size: int) -> Array:
    spare = ALIGNMENT // 8
    cells = np.zeros(size + spare)
    skip = (-cells.ctypes.data % ALIGNMENT) // 8
    return cells[skip : skip + size]


def _kernels() -> Any:
    """The compiled loops: importing numba takes as long as a small fit, which does without."""
    from pugam.engines import kernels

    return kernels
