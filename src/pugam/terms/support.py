"""Tables that say where the terms of a design are polynomials, and which: what compiled sums over rows need."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pugam.terms.splines import PiecewiseBasis

__all__ = ["POWERS", "LocalSupport"]

Array = NDArray[np.float64]
Numbers = NDArray[np.intp]

POWERS = 4  # of an offset, from 0 to 3: no term is of a higher degree
PRODUCTS = POWERS * POWERS
CELLS = 256  # of the grid that leads a value to its interval


class LocalSupport:
    """Breaks, origins and coefficients of all terms that are polynomials, padded to arrays, and a place for moments.

    Parameters
    ----------
    pieces : sequence of PiecewiseBasis
        Of the p terms.

    Attributes
    ----------
    cells : int array of shape (p, CELLS)
        For a grid of cells of equal width over [0, 1]: the interval at the left end of each.
    breaks, origins : arrays of shape (p, most_intervals)
        The right end of each interval (infinite for the last), and where its polynomials count from.
    missing : int array of shape (p,)
        The interval of missing values.
    matrices : list of arrays of shape (4 * n_intervals, n_functions)
        Coefficients of each term's functions by interval and power.
    starts, strides : int arrays of shape (p, p)
        Of the moments of two terms, sixteen for each pair of intervals: where they begin, and how many pairs apart
        neighbouring intervals of the first term are. A term with itself shares intervals.
    n_moments, n_coefficients : int
        How many moments there are, and how many coefficients in all matrices.
    """

    def __init__(self, pieces: Sequence[PiecewiseBasis]) -> None:
        self._pieces = tuple(pieces)
        counts = np.array([piece.coefficients.shape[1] for piece in pieces])
        p, most = len(counts), int(counts.max())
        self.cells = np.array(
            [np.searchsorted(piece.breaks, np.arange(CELLS) / CELLS, side="right") for piece in pieces], np.int32
        )
        self.breaks, self.origins = np.full((p, most), np.inf), np.zeros((p, most))
        for j, piece in enumerate(pieces):
            self.breaks[j, : len(piece.breaks)] = piece.breaks
            self.origins[j, : len(piece.origins)] = piece.origins
        self.missing = (counts - 1).astype(np.int32)
        same = np.eye(p, dtype=bool)
        self.strides = np.where(same, 0, counts[None, :]).astype(np.uint64)
        blocks = np.where(same, counts, np.outer(counts, counts))
        pairs = np.triu_indices(p)
        ends = np.cumsum(PRODUCTS * blocks[pairs])
        self.starts = np.zeros((p, p), dtype=np.uint64)
        self.starts[pairs] = ends - PRODUCTS * blocks[pairs]
        self.n_moments = int(ends[-1])
        self.n_coefficients = POWERS * sum(piece.coefficients[0].size for piece in pieces)

    @cached_property
    def matrices(self) -> list[Array]:
        """Coefficients of each term's functions by interval and power."""
        matrices = []
        for piece in self._pieces:
            order, n_intervals, n_functions = piece.coefficients.shape
            padded = np.zeros((n_intervals, POWERS, n_functions))
            padded[:, :order] = piece.coefficients.transpose(1, 0, 2)
            matrices.append(padded.reshape(n_intervals * POWERS, n_functions))
        return matrices

    @cached_property
    def flat_matrices(self) -> tuple[Array, Numbers, Numbers]:
        """All matrices in one array, where each begins, and where the columns of each term do, behind an intercept."""
        sizes = [matrix.size for matrix in self.matrices]
        widths = [matrix.shape[1] for matrix in self.matrices]
        flat = np.concatenate([matrix.ravel() for matrix in self.matrices])
        return flat, np.cumsum([0, *sizes]), np.cumsum([1, *widths])
