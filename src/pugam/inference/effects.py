"""The estimated curves and their bands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.data import Column
from pugam.errors import InputError
from pugam.inference.intervals import normal_quantile
from pugam.terms import Basis, Factor, FactorBasis, LinearBasis, MissingBasis, SmoothBasis

__all__ = ["default_grid", "effect_table"]

Array = NDArray[np.float64]

GRID_POINTS = 100


def default_grid(basis: Basis) -> NDArray[Any]:
    """Where to show a term by default: evenly over its range, or at its levels; missing values last."""
    inner = basis.inner if isinstance(basis, MissingBasis) else basis
    if isinstance(inner, FactorBasis):
        grid = np.array([*inner.levels, *([None] if basis is not inner else [])], dtype=object)
        return grid
    assert isinstance(inner, SmoothBasis | LinearBasis)
    numbers = np.linspace(inner.lower, inner.upper, GRID_POINTS)
    return np.append(numbers, np.nan) if basis is not inner else numbers


def effect_table(basis: Basis, grid: Any, theta: Array, covariance: Array, level: float) -> dict[str, NDArray[Any]]:
    """Evaluate a term on a grid: x, u, standard error and pointwise limits.

    Parameters
    ----------
    grid : array-like
        Values of the term's column.
    theta, covariance : arrays of shape (m,) and (m, m)
        The term's own coefficients and their covariance.
    """
    column = _grid_column(basis, grid)
    columns = basis.columns(basis.encode(column))
    u = columns @ theta
    se = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", columns, covariance, columns), 0.0))
    half = normal_quantile(level) * se
    return {"x": column.values, "u": u, "se": se, "lower": u - half, "upper": u + half}


def _grid_column(basis: Basis, grid: Any) -> Column:
    name = basis.spec.column
    if isinstance(basis.spec, Factor):
        if isinstance(grid, str) or not isinstance(grid, Sequence | np.ndarray):
            raise InputError(f"{basis.spec.label}: a grid is a list of levels; got {grid!r}.")
        values = np.empty(len(grid), dtype=object)
        values[:] = list(grid)
        return Column(name, "category", values)
    refusal = InputError(f"{basis.spec.label}: a grid is a list of finite numbers; got {grid!r}.")
    try:
        numbers = np.asarray(grid, dtype=float).reshape(len(grid))
    except (TypeError, ValueError):
        raise refusal from None
    if np.isinf(numbers).any():
        raise refusal
    return Column(name, "numeric", numbers)
