"""Solving with symmetric matrices whose rows are of very different scales."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

__all__ = [
    "FLOOR",
    "LARGER_RIDGE",
    "MOST_RIDGES",
    "RIDGE",
    "Factor",
    "Free",
    "covariance_root",
    "factorize",
    "factorize_semidefinite",
    "inverse",
    "inverse_definite",
    "log_determinant",
    "restrict",
    "solve",
    "solve_definite",
    "solve_factorized",
]

Array = NDArray[np.float64]
Factor = tuple[Array, Array]  # a Cholesky factor of the matrix brought to a unit diagonal, and its scale
Free = slice | Array  # which parameters may move; or along which directions, as columns of shape (q, r)

RIDGE = 1e-11  # relative; keeps directions the data say nothing about (collinear columns) from drifting
FLOOR = 1e-100  # absolute; keeps the scaling finite where there is no information at all
LARGER_RIDGE = 1e-8
MOST_RIDGES = 30  # each ten times the last one


def solve_definite(matrix: Array, rhs: Array, damping: float = 0.0) -> Array | None:
    """Solve (M + damping diag(M)) x = rhs, or return None where M is not positive definite."""
    factor = factorize(matrix, damping)
    return None if factor is None else solve_factorized(factor, rhs)


def factorize(matrix: Array, damping: float = 0.0) -> Factor | None:
    """Factorize M + damping diag(M), or return None where M is not positive definite."""
    if matrix.diagonal().min() < 0.0:
        return None
    scaled, scale = _scaled(matrix, damping)
    lower, info = lapack.dpotrf(scaled, lower=1, overwrite_a=1)
    return (lower, scale) if info == 0 else None


def solve_factorized(factor: Factor, rhs: Array) -> Array:
    """Solve the system that was factorized, for one right-hand side or for several, as columns."""
    lower, scale = factor
    x, _ = lapack.dpotrs(lower, (rhs.T * scale).T, lower=1)
    solution: Array = (x.T * scale).T
    return solution


def solve(matrix: Array, rhs: Array, damping: float = 0.0) -> Array:
    """Solve (M + damping diag(M)) x = rhs for a positive semi-definite M, with a small ridge if need be."""
    return solve_factorized(factorize_semidefinite(matrix, damping), rhs)


def factorize_semidefinite(matrix: Array, damping: float = 0.0) -> Factor:
    """Factorize M + damping diag(M) for a positive semi-definite M, with a small ridge if need be."""
    for _ in range(MOST_RIDGES):
        factor = factorize(matrix, damping)
        if factor is not None:
            return factor
        damping = max(10.0 * damping, LARGER_RIDGE)
    raise np.linalg.LinAlgError("the matrix is not positive semi-definite")


def log_determinant(matrix: Array) -> float:
    """Logarithm of the determinant of a symmetric matrix, without its sign; fast where it is positive definite."""
    scale = 1.0 / np.sqrt(np.maximum(matrix.diagonal(), FLOOR))
    lower, info = lapack.dpotrf(matrix * scale * scale[:, None], lower=1, overwrite_a=1)
    if info != 0:
        return float(np.linalg.slogdet(matrix)[1])
    return 2.0 * float(np.sum(np.log(lower.diagonal())) - np.sum(np.log(scale)))


def restrict(matrix: Array, free: Free) -> Array:
    """The part of a matrix that concerns free parameters, or Z' M Z for directions Z."""
    return matrix[free, free] if isinstance(free, slice) else free.T @ matrix @ free


def inverse(matrix: Array, free: Free = slice(None)) -> Array:
    """Invert a positive semi-definite matrix, with a small relative ridge where it is singular.

    With `free` only that part is inverted, and the rest of the result is zero: the covariance where some parameters
    are known. With directions Z it is Z (Z' M Z)^-1 Z', the covariance where parameters vary along these only.
    """
    if not isinstance(free, slice):
        return np.asarray(free @ _inverse(restrict(matrix, free)) @ free.T)
    result: Array = np.zeros_like(matrix)
    result[free, free] = _inverse(matrix[free, free])
    return result


def _inverse(matrix: Array) -> Array:
    ridge = 0.0
    for _ in range(MOST_RIDGES):
        result = inverse_definite(matrix, ridge)
        if result is not None:
            return result
        ridge = max(10.0 * ridge, LARGER_RIDGE)
    raise np.linalg.LinAlgError("the matrix is not positive semi-definite")


def inverse_definite(matrix: Array, ridge: float = 0.0) -> Array | None:
    """Invert M + ridge diag(M), or return None where that is not positive definite."""
    if matrix.diagonal().min() < 0.0:
        return None
    scaled, scale = _scaled(matrix, ridge)
    factor, info = lapack.dpotrf(scaled.T, lower=1, overwrite_a=1)  # transposed it is in LAPACK's order
    if info != 0:
        return None
    lower, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
    result: Array = lower + lower.T  # above the diagonal there are zeros
    result.flat[:: len(result) + 1] *= 0.5
    result = _without_ridge(result, RIDGE / (1.0 + ridge + RIDGE))
    result *= scale
    result *= scale[:, None]
    return result


def _without_ridge(inverted: Array, ridge: float) -> Array:
    """Take the ridge r out of W = (M + r)^-1, to first order: W + r W W.

    For an eigenvalue v of M a relative r / v is wrong without this, its square with it: without it, variances of nearly
    collinear columns, where v is small, would be too small by far more than rounding.
    """
    refined: Array = inverted + ridge * (inverted.T @ inverted)  # W = W', and this way BLAS computes half of it
    return refined


def _scaled(matrix: Array, damping: float) -> tuple[Array, Array]:
    """Bring the damped matrix to a unit diagonal; return it with the scale of each row."""
    diagonal = matrix.diagonal() * (1.0 + damping + RIDGE) + FLOOR
    scale = 1.0 / np.sqrt(diagonal)
    scaled = matrix * scale
    scaled *= scale[:, None]
    scaled.flat[:: len(scaled) + 1] = 1.0
    return scaled, scale


def covariance_root(covariance: Array) -> Array:
    """A matrix R with R R' the covariance, shape (m, m), which may be singular: R times white noise is a draw."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))
