"""The estimated effects: their bands, pointwise or simultaneous, their derivatives, and differences between points."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pugam.data import Column
from pugam.errors import InputError, warn_user
from pugam.inference.intervals import Interval, normal_quantile
from pugam.inference.shapes import shaped_limits
from pugam.solvers import Fit
from pugam.terms import Basis, Design

__all__ = [
    "Center",
    "Scale",
    "centered_curves",
    "contrast",
    "contrast_weights",
    "curve_columns",
    "default_grid",
    "effect_table",
    "join_points",
    "known_curve",
    "point_names",
    "require_scale",
    "simultaneous_quantile",
    "standard_errors",
    "term_center",
]

Array = NDArray[np.float64]
Scale = Literal["log", "odds"]

GRID_POINTS = {1: 100, 2: 30, 3: 10}  # along each numeric column, by how many of them a term has
N_DRAWS = 10_000
POINTS_AT_ONCE = 500  # of a surface, whose deviations in all draws would take much memory
EXPONENT_LIMIT = 700.0  # exp() of more overflows
LARGEST_RELATIVE_ERROR = 1e3  # of odds: what is less sure is not known at all, and the largest odds bear no more


def default_grid(basis: Basis, derivative: bool = False) -> Any:
    """Where to show a term by default: evenly over its range, or at its levels; missing values last.

    A list of values for a term of one column, of one value for each column for others. There is no derivative at
    missing values, so they are left out there.
    """
    n_numeric = sum(axis.is_numeric for axis in basis.axes)
    points = join_points([axis.grid(GRID_POINTS.get(n_numeric, 5)) for axis in basis.axes])
    if basis.has_missing_effect and not derivative:
        points = [np.append(values, axis.gap) for values, axis in zip(points, basis.axes, strict=True)]
    return as_grid(points)


def join_points(grids: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Combine values along each axis to all points, the last axis running fastest."""
    places = np.indices([len(grid) for grid in grids]).reshape(len(grids), -1)
    return [grid[place] for grid, place in zip(grids, places, strict=True)]


def as_grid(points: Sequence[NDArray[Any]]) -> Any:
    """Return points as a grid: the values of the only column, or one tuple for each point."""
    return points[0] if len(points) == 1 else list(zip(*(values.tolist() for values in points), strict=True))


def point_names(basis: Basis) -> tuple[str, ...]:
    """What the columns of a tidy frame of points are called: x, or x1, x2, ..."""
    n_axes = len(basis.axes)
    return ("x",) if n_axes == 1 else tuple(f"x{number}" for number in range(1, n_axes + 1))


def effect_table(
    basis: Basis,
    grid: Any,
    theta: Array,
    covariance: Array,
    level: float,
    simultaneous: bool = False,
    scale: Scale = "log",
    derivative: bool | str = False,
    center: Center | None = None,
    draws: Array | None = None,
) -> dict[str, NDArray[Any]]:
    """Evaluate a term on a grid: x (or x1, x2, ...), u, standard error and limits.

    Parameters
    ----------
    grid : array-like
        Values of the term's column; for several columns see `curve_columns`.
    theta, covariance : arrays of shape (m,) and (m, m)
        The term's own coefficients and their covariance.
    level : float
    simultaneous : bool
        Limits that hold the whole curve, over all points of the grid, with the probability `level`.
    scale : "log" or "odds"
        The effect u on the log density ratio, or its factor exp(u) on the odds.
    derivative : bool or str
        The first derivative of u instead, per unit of the column; of several columns, along the one named.
    center : Center, optional
        Where u shall be zero, such as at its mean over rows.
    draws : array of shape (N, m), optional
        Coefficients of curves that keep to the term's constraints; limits are then quantiles of these curves.
    """
    require_scale(scale)
    if derivative and scale == "odds":
        raise InputError("A derivative is one of the log odds; use scale='log' with derivative=True.")
    points = _read_points(basis, grid)
    columns, known = curve_columns(basis, grid, derivative), known_curve(basis, grid, derivative)
    if center is not None and not derivative:
        columns, known = columns - center.columns, known - center.known
    u = columns @ theta + known
    se = standard_errors(columns, covariance)
    quantile = normal_quantile(level)
    if simultaneous and draws is None:
        quantile = max(quantile, simultaneous_quantile(columns, covariance, level))
    lower, upper = u - quantile * se, u + quantile * se
    if draws is not None:
        lower, upper = shaped_limits(u, draws @ columns.T, level, simultaneous)
    if scale == "odds":
        u, lower, upper = (np.exp(np.clip(values, -EXPONENT_LIMIT, EXPONENT_LIMIT)) for values in (u, lower, upper))
        se = np.minimum(se, LARGEST_RELATIVE_ERROR) * u
    places = {name: point.values for name, point in zip(point_names(basis), points, strict=True)}
    return {**places, "u": u, "se": se, "lower": lower, "upper": upper}


@dataclass(frozen=True, eq=False)
class Center:
    """Where an effect is zero: model columns of a term, shape (m,), and what is known of it beside its coefficients."""

    columns: Array
    known: float = 0.0


def term_center(fit: Fit, design: Design, number: int) -> Center:
    """Return where the effect of a term is zero: at its mean over the unlabelled rows.

    Models of older files do not know it; their effects stay as columns are made, centred over the range.
    """
    columns = np.zeros(design.n_columns) if fit.average is None else fit.average
    known = 0.0 if fit.known_average is None else float(fit.known_average[number])
    return Center(columns[design.blocks[number]], known)


def centered_curves(basis: Basis, grid: Any, coef: Array, center: Center) -> Array:
    """Curves of a term on a grid for each of B sets of its coefficients, shape (B, n_points)."""
    return np.asarray(coef @ (curve_columns(basis, grid) - center.columns).T + known_curve(basis, grid) - center.known)


def standard_errors(weights: Array, covariance: Array) -> Array:
    """Standard errors of weighted sums of coefficients, weights of shape (n, m), in whatever units these are."""
    largest = np.abs(weights).max(axis=1, initial=0.0)
    scale = np.where(largest > 0.0, largest, 1.0)
    unit = weights / scale[:, None]
    errors: Array = scale * np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", unit, covariance, unit), 0.0))
    return errors


def require_scale(scale: str) -> None:
    """Refuse an unknown scale."""
    if scale not in get_args(Scale):
        raise InputError(f"scale is 'log' or 'odds'; got {scale!r}.")


def curve_columns(basis: Basis, grid: Any, derivative: bool | str = False) -> Array:
    """Model columns of a term, or their derivatives, at the points of a grid: shape (n_points, m).

    The grid is a list of values for a term of one column; for others a list of tuples, or a mapping or data frame with
    a list of values for each column.
    """
    points = _read_points(basis, grid)
    _warn_outside(basis, points)
    encoded = basis.encode(points)
    return basis.slopes(encoded, _axis_along(basis, derivative)) if derivative else basis.columns(encoded)


def known_curve(basis: Basis, grid: Any, derivative: bool | str = False) -> Array:
    """What is known of a term beside its coefficients, or its derivative, on a grid: shape (n_points,)."""
    encoded = basis.encode(_read_points(basis, grid))
    return basis.known_slopes(encoded, _axis_along(basis, derivative)) if derivative else basis.known(encoded)


def _axis_along(basis: Basis, derivative: bool | str) -> int:
    """The number of the column along which a derivative is wanted."""
    columns = basis.spec.columns
    if derivative is True and len(columns) == 1:
        return 0
    named = [column for column, axis in zip(columns, basis.axes, strict=True) if axis.is_numeric]
    if derivative not in (named or columns):
        raise InputError(
            f"{basis.spec.label}: name the column of the derivative, {'one of ' if len(named) > 1 else ''}"
            f"{', '.join(named or columns)}."
        )
    return columns.index(str(derivative))


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
    unit = root[varying] / se[varying, None]
    some_at_a_time = [unit[start : start + POINTS_AT_ONCE] for start in range(0, len(unit), POINTS_AT_ONCE)]
    deviations = np.max([np.abs(draws @ some.T).max(axis=1) for some in some_at_a_time], axis=0)
    return float(np.quantile(deviations, level))


def contrast(
    design: Design,
    a: Mapping[str, Any],
    b: Mapping[str, Any],
    theta: Array,
    covariance: Array,
    level: float,
    draw: Callable[[], Array] | None = None,
    averaged: Collection[str] = (),
) -> Interval:
    """Difference of the log density ratio between two sets of values, b less a, of the same columns.

    Parameters
    ----------
    a, b : mappings from a term (its column or label) to a value
    theta, covariance : arrays of shape (p,) and (p, p)
    draw : callable, optional
        Gives coefficients that keep to constraints, shape (N, p). Where these concern the values compared, limits are
        quantiles of what comes out for such coefficients.
    averaged : collection of str
        Labels of interactions that are averaged over the range of a column whose values are not given: they are zero.
    """
    weights, known = contrast_weights(design, a, b, averaged)
    estimate = float(weights @ theta) + known
    if draw is not None and design.constraints[:, weights != 0.0].any():
        lower, upper = shaped_limits(np.array([estimate]), draw() @ weights[:, None] + known, level)
        return Interval(estimate, float(lower[0]), float(upper[0]), level, "draws")
    half = normal_quantile(level) * float(standard_errors(weights[None], covariance)[0])
    return Interval(estimate, estimate - half, estimate + half, level, "wald")


def contrast_weights(
    design: Design, a: Mapping[str, Any], b: Mapping[str, Any], averaged: Collection[str] = ()
) -> tuple[Array, float]:
    """Weights of all coefficients in the difference between two sets of values, b less a, and what offsets add.

    The name of a column stands for all terms that it has a part in; the label of a term for that term alone.
    """
    if not hasattr(a, "items") or not hasattr(b, "items"):
        raise InputError("A contrast compares two sets of values, each as {column: value}.")
    terms_a, terms_b = (_values_of_terms(design, side, averaged) for side in (a, b))
    if not terms_a or terms_a.keys() != terms_b.keys():
        raise InputError("A contrast compares values of the same columns; name the same ones, one or more, in a and b.")
    weights, known = np.zeros(design.n_columns), 0.0
    for number, point in terms_a.items():
        basis = design.bases[number]
        grid = as_grid([_pair(first, second) for first, second in zip(point, terms_b[number], strict=True)])
        rows, (at_a, at_b) = curve_columns(basis, grid), known_curve(basis, grid)
        weights[design.blocks[number]] = rows[1] - rows[0]
        known += float(at_b - at_a)
    return weights, known


def _pair(first: object, second: object) -> NDArray[Any]:
    both = np.empty(2, dtype=object)
    both[:] = [first, second]
    return both


def _values_of_terms(design: Design, side: Mapping[str, Any], averaged: Collection[str]) -> dict[int, tuple[Any, ...]]:
    """What a set of values says about each term that depends on it."""
    columns = {str(name): value for name, value in side.items() if str(name) in design.columns_used}
    found: dict[int, tuple[Any, ...]] = {}
    for number, basis in enumerate(design.effect_bases):
        lacking = [name for name in basis.spec.columns if name not in columns]
        if not lacking:
            found[number] = tuple(columns[name] for name in basis.spec.columns)
        elif len(lacking) < len(basis.spec.columns) and basis.spec.label not in averaged:
            raise InputError(
                f"The effect depends on {', '.join(lacking)} too, by {basis.spec.label}; give values of all its "
                "columns."
            )
    for name, value in side.items():
        if str(name) not in columns:
            number = design.index(str(name))
            if number in found:
                raise InputError("A contrast names the same term twice; give it one value on each side.")
            found[number] = _point(design.bases[number], value)
    return found


def _point(basis: Basis, value: Any) -> tuple[Any, ...]:
    """What is given for a term by its label: a value, or one for each of several columns."""
    columns = basis.spec.columns
    if len(columns) == 1:
        return (value,)
    if isinstance(value, str) or not hasattr(value, "__len__") or len(value) != len(columns):
        raise InputError(f"{basis.spec.label} takes a value of each of its columns, {columns}; got {value!r}.")
    return tuple(value)


def _read_points(basis: Basis, grid: Any) -> list[Column]:
    label, axes = basis.spec.label, basis.axes
    if len(axes) == 1:
        return [axes[0].read(label, grid)]
    return [axis.read(label, values) for axis, values in zip(axes, _split_grid(basis, grid), strict=True)]


def _split_grid(basis: Basis, grid: Any) -> list[Any]:
    """Take a grid over several columns apart: a list of values for each of them."""
    columns = basis.spec.columns
    refusal = InputError(
        f"{basis.spec.label}: a grid is a list of tuples ({', '.join(columns)}), or one list of values for each "
        f"column; got {grid!r}."
    )
    if hasattr(grid, "keys") or hasattr(grid, "columns"):
        try:
            values = [list(grid[name]) for name in columns]
        except (KeyError, TypeError):
            raise refusal from None
    else:
        try:
            values = [list(part) for part in zip(*grid, strict=True)]
        except (TypeError, ValueError):
            raise refusal from None
    if len(values) != len(columns) or len({len(part) for part in values}) > 1:
        raise refusal
    return values


def _warn_outside(basis: Basis, points: Sequence[Column]) -> None:
    for axis, point in zip(basis.axes, points, strict=True):
        outside = axis.outside(basis.spec.label, point)
        if outside.any():
            warn_user(
                f"{basis.spec.label}: {point.values[outside][0]:g} lies outside the range of the fit, {axis.lower:g} "
                f"to {axis.upper:g}; effects go on there as straight lines, which no data support."
            )
