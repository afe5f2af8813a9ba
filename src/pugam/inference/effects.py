"""The estimated curves: their bands, pointwise or simultaneous, their derivatives, and differences between points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pugam.data import Column, as_array, is_missing, require_numeric
from pugam.errors import InputError, warn_user
from pugam.inference.intervals import Interval, normal_quantile
from pugam.terms import Basis, Design, Encoded, Factor, FactorBasis, LinearBasis, MissingBasis, SmoothBasis

__all__ = [
    "Scale",
    "contrast",
    "contrast_weights",
    "curve_columns",
    "default_grid",
    "effect_table",
    "mean_columns",
    "outside_range",
    "require_scale",
    "simultaneous_quantile",
    "standard_errors",
]

Array = NDArray[np.float64]
Scale = Literal["log", "odds"]

GRID_POINTS = 100
N_DRAWS = 10_000
MOST_LEVELS_SHOWN = 10
HARDLY_OUTSIDE = 0.05  # share of the range by which values may lie outside it without a word
EXPONENT_LIMIT = 700.0  # exp() of more overflows
LARGEST_RELATIVE_ERROR = 1e3  # of odds: what is less sure is not known at all, and the largest odds bear no more


def default_grid(basis: Basis, derivative: bool = False) -> NDArray[Any]:
    """Where to show a term by default: evenly over its range, or at its levels; missing values last.

    There is no derivative at missing values, so they are left out there.
    """
    inner = basis.inner if isinstance(basis, MissingBasis) else basis
    if isinstance(inner, FactorBasis):
        grid = np.array([*inner.levels, *([None] if basis is not inner else [])], dtype=object)
        return grid
    assert isinstance(inner, SmoothBasis | LinearBasis)
    numbers = np.linspace(inner.lower, inner.upper, GRID_POINTS)
    return np.append(numbers, np.nan) if basis is not inner and not derivative else numbers


def effect_table(
    basis: Basis,
    grid: Any,
    theta: Array,
    covariance: Array,
    level: float,
    simultaneous: bool = False,
    scale: Scale = "log",
    derivative: bool = False,
    center: Array | None = None,
) -> dict[str, NDArray[Any]]:
    """Evaluate a term on a grid: x, u, standard error and limits.

    Parameters
    ----------
    grid : array-like
        Values of the term's column.
    theta, covariance : arrays of shape (m,) and (m, m)
        The term's own coefficients and their covariance.
    level : float
    simultaneous : bool
        Limits that hold the whole curve, over all points of the grid, with the probability `level`.
    scale : "log" or "odds"
        The effect u on the log density ratio, or its factor exp(u) on the odds.
    derivative : bool
        The first derivative of u instead, per unit of the column.
    center : array of shape (m,), optional
        Model columns of where u shall be zero, such as their mean over rows.
    """
    require_scale(scale)
    if derivative and scale == "odds":
        raise InputError("A derivative is one of the log odds; use scale='log' with derivative=True.")
    column = _grid_column(basis, grid)
    columns = curve_columns(basis, grid, derivative)
    if center is not None and not derivative:
        columns = columns - center
    u = columns @ theta
    se = standard_errors(columns, covariance)
    quantile = normal_quantile(level)
    if simultaneous:
        quantile = max(quantile, simultaneous_quantile(columns, covariance, level))
    lower, upper = u - quantile * se, u + quantile * se
    if scale == "odds":
        u, lower, upper = (np.exp(np.clip(values, -EXPONENT_LIMIT, EXPONENT_LIMIT)) for values in (u, lower, upper))
        se = np.minimum(se, LARGEST_RELATIVE_ERROR) * u
    return {"x": column.values, "u": u, "se": se, "lower": lower, "upper": upper}


def standard_errors(weights: Array, covariance: Array) -> Array:
    """Standard errors of weighted sums of coefficients, weights of shape (n, m), in whatever units these are."""
    largest = np.abs(weights).max(axis=1, initial=0.0)
    scale = np.where(largest > 0.0, largest, 1.0)
    unit = weights / scale[:, None]
    errors: Array = scale * np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", unit, covariance, unit), 0.0))
    return errors


def mean_columns(basis: Basis, encoded: Encoded, weights: Array | None = None) -> Array:
    """Mean of a term's model columns over rows."""
    return np.asarray(np.average(basis.columns(encoded), axis=0, weights=weights))


def require_scale(scale: str) -> None:
    """Refuse an unknown scale."""
    if scale not in get_args(Scale):
        raise InputError(f"scale is 'log' or 'odds'; got {scale!r}.")


def curve_columns(basis: Basis, grid: Any, derivative: bool = False) -> Array:
    """Model columns of a term, or their derivatives, at the points of a grid: shape (len(grid), m)."""
    column = _grid_column(basis, grid)
    _warn_outside(basis, column)
    encoded = basis.encode(column)
    return basis.slopes(encoded) if derivative else basis.columns(encoded)


def simultaneous_quantile(columns: Array, covariance: Array, level: float) -> float:
    """Return t with P(max |deviation| / se < t) = level over the points whose model columns are given.

    By simulation with a fixed seed, whose error is about half a percent of t.
    """
    values, vectors = np.linalg.eigh(covariance)
    root = columns @ (vectors * np.sqrt(np.maximum(values, 0.0)))
    se = np.linalg.norm(root, axis=1)
    varying = np.nan_to_num(se) > 1e-12 * np.nanmax(se, initial=0.0)
    if not varying.any():
        return 0.0
    draws = np.random.default_rng(0).standard_normal((N_DRAWS, root.shape[1]))
    deviations = np.abs(draws @ (root[varying] / se[varying, None]).T).max(axis=1)
    return float(np.quantile(deviations, level))


def contrast(
    design: Design, a: Mapping[str, Any], b: Mapping[str, Any], theta: Array, covariance: Array, level: float
) -> Interval:
    """Difference of the log density ratio between two sets of values, b less a, of the same columns.

    Parameters
    ----------
    a, b : mappings from a term (its column or label) to a value
    theta, covariance : arrays of shape (p,) and (p, p)
    """
    weights = contrast_weights(design, a, b)
    estimate = float(weights @ theta)
    half = normal_quantile(level) * float(standard_errors(weights[None], covariance)[0])
    return Interval(estimate, estimate - half, estimate + half, level, "wald")


def contrast_weights(design: Design, a: Mapping[str, Any], b: Mapping[str, Any]) -> Array:
    """Weights of all coefficients in the difference between two sets of values, b less a."""
    terms_a, terms_b = ({design.index(str(term)): value for term, value in side.items()} for side in (a, b))
    if len(terms_a) < len(a) or len(terms_b) < len(b):
        raise InputError("A contrast names the same term twice; give it one value on each side.")
    if not terms_a or terms_a.keys() != terms_b.keys():
        raise InputError("A contrast compares values of the same columns; name the same ones, one or more, in a and b.")
    weights = np.zeros(design.n_columns)
    for number in terms_a:
        rows = curve_columns(design.bases[number], [terms_a[number], terms_b[number]])
        weights[design.blocks[number]] = rows[1] - rows[0]
    return weights


def _grid_column(basis: Basis, grid: Any) -> Column:
    name = basis.spec.column
    if isinstance(basis.spec, Factor):
        if isinstance(grid, str) or not hasattr(grid, "__len__"):
            raise InputError(f"{basis.spec.label}: a grid is a list of levels; got {grid!r}.")
        values = np.empty(len(grid), dtype=object)
        values[:] = as_array(grid).tolist()
        _refuse_unknown_levels(basis, values)
        return Column(name, "category", values)
    refusal = InputError(f"{basis.spec.label}: a grid is a list of finite numbers; got {grid!r}.")
    try:
        numbers = np.asarray(grid, dtype=float).reshape(len(grid))
    except (TypeError, ValueError):
        raise refusal from None
    if np.isinf(numbers).any():
        raise refusal
    return Column(name, "numeric", numbers)


def _refuse_unknown_levels(basis: Basis, values: NDArray[Any]) -> None:
    inner = basis.inner if isinstance(basis, MissingBasis) else basis
    assert isinstance(inner, FactorBasis)
    assert isinstance(basis.spec, Factor)
    for value in values:
        if value not in inner.levels and not is_missing(value) and basis.spec.unseen == "error":
            levels = ", ".join(repr(level) for level in inner.levels[:MOST_LEVELS_SHOWN])
            more = ", ..." if len(inner.levels) > MOST_LEVELS_SHOWN else ""
            raise InputError(f"{basis.spec.label} has no level {value!r}; its levels are {levels}{more}.")


def outside_range(basis: Basis, column: Column) -> NDArray[np.bool_] | None:
    """Which values lie well outside the range that a term was fitted on; None for levels, which have none."""
    inner = basis.inner if isinstance(basis, MissingBasis) else basis
    if isinstance(inner, FactorBasis):
        return None
    assert isinstance(inner, SmoothBasis | LinearBasis)
    slack = HARDLY_OUTSIDE * (inner.upper - inner.lower)
    values = require_numeric(column, basis.spec.label)
    return np.asarray((values < inner.lower - slack) | (values > inner.upper + slack))


def _warn_outside(basis: Basis, column: Column) -> None:
    inner = basis.inner if isinstance(basis, MissingBasis) else basis
    outside = outside_range(basis, column)
    if outside is not None and outside.any():
        assert isinstance(inner, SmoothBasis | LinearBasis)
        warn_user(
            f"{basis.spec.label}: {column.values[outside][0]:g} lies outside the range of the fit, {inner.lower:g} to "
            f"{inner.upper:g}; effects go on there as straight lines, which no data support."
        )
