"""Symmetric matrices in a saved model: the lower triangle, or all of one that rounding has made a little uneven."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pugam.nodes import Node

__all__ = ["read_symmetric", "require_variances", "require_weighted_squares", "write_symmetric"]

Array = NDArray[np.float64]

UNDERFLOW = 1e-100  # where products of small numbers vanish, their roots may not
UNEVEN = 1e-6  # relative; how far rounding may take a matrix from being symmetric, or semi-definite


def write_symmetric(matrix: Array) -> list[list[float]]:
    """Write rows of growing length; whole rows where a number differs from its mirror image in the last bits.

    These bits are kept, so that what is computed from a loaded model is what was computed before.
    """
    rows: list[list[float]] = matrix.tolist()
    if matrix.tobytes() != matrix.T.tobytes():
        return rows
    return [row[: number + 1] for number, row in enumerate(rows)]


def read_symmetric(node: Node, size: int) -> Array:
    """Read a symmetric matrix of this size in either form."""
    rows = list(node.items(size))
    whole = isinstance(rows[0].value, list) and len(rows[0].value) == size
    # All rows are read before the matrix is made: a small file must not ask for a large one.
    read = [row.numbers(size if whole else number + 1) for number, row in enumerate(rows)]
    matrix = np.zeros((size, size))
    for number, values in enumerate(read):
        matrix[number, : len(values)] = values
        if not whole:
            matrix[: len(values), number] = values
    if (np.abs(matrix - matrix.T) > UNEVEN * np.abs(matrix).max()).any():
        raise node.error("a symmetric matrix")
    return matrix


def require_weighted_squares(node: Node, matrix: Array) -> None:
    """Refuse an information matrix that is no sum of w x x' over rows: off the diagonal it would be smaller.

    What is solved with it needs that.
    """
    diagonal = matrix.diagonal()
    if (diagonal < 0.0).any():
        raise node.error("a matrix without negative numbers on its diagonal")
    root = np.sqrt(diagonal)
    if (np.abs(matrix) > (1.0 + UNEVEN) * np.outer(root, root) + UNDERFLOW).any():
        raise node.error("a positive semi-definite matrix")


def require_variances(node: Node, matrix: Array) -> None:
    """Refuse a covariance with negative variances, rounding allowed for."""
    diagonal = matrix.diagonal()
    if (diagonal < -UNEVEN * np.abs(diagonal).max(initial=0.0)).any():
        raise node.error("a covariance, without negative numbers on its diagonal")
