"""Terms that have met the data: each turns its column into model columns with a diagonal penalty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pugam.data import Column, require_numeric
from pugam.errors import InputError, RowError, warn_user
from pugam.terms.scales import LogScale, find_log_scale, is_skewed
from pugam.terms.specs import Factor, Linear, Smooth, TermSpec
from pugam.terms.splines import CUBIC_ORDER, PiecewiseBasis, centred_basis, even_knots, quantile_knots

__all__ = [
    "Basis",
    "Encoded",
    "FactorBasis",
    "LinearBasis",
    "MissingBasis",
    "SmoothBasis",
    "count_distinct",
    "listed",
    "refuse_gaps",
    "resolve_term",
    "with_logarithm",
]

Array = NDArray[np.float64]
Encoded = NDArray[np.float64] | NDArray[np.int32]

UNSEEN, MISSING = -1, -2  # codes of levels that are none; -1 is also the last row of the contrasts, of zeros
FEW_LEVELS = 12
MOST_NAMES = 10
SMALLEST_RANGE, LARGEST_HALF_RANGE = 1e-290, 1e300  # so that slopes are finite, and so are ranges
MOST_RANGES = 1e6  # by which values may lie beyond bounds, and bounds beyond values
FARTHEST = 1e100  # from the range of a term, in units of it: squares of what is predicted there stay finite
FAR_VALUES_SAMPLE, SMALLEST_SHARE = 1000, 1e-3
SCALE_SAMPLE, FEWEST_DISTINCT = 100_000, 20


class Basis(Protocol):
    """What a fitted term offers to the design.

    `encode` checks a column and brings it into the compact numeric form that engines keep; `columns` turns encoded
    values into the term's model columns, `slopes` into their derivatives; `roughness` is the diagonal of the penalty
    that the term's smoothing parameter multiplies (zeros where nothing is penalised); `coarse` is a cheaper term of
    the same kind, the smoothest `n_functions` of it, and where its columns stand in the whole one. Every term is made
    of polynomials: `pieces` are its model columns as functions of where `places` puts encoded values.
    """

    @property
    def spec(self) -> TermSpec:
        """The term as the user wrote it."""
        ...

    @property
    def roughness(self) -> Array:
        """The diagonal of the penalty."""
        ...

    def encode(self, column: Column) -> Encoded:
        """Check a column and make it compact."""
        ...

    def columns(self, encoded: Encoded) -> Array:
        """Evaluate the model columns."""
        ...

    @property
    def pieces(self) -> PiecewiseBasis:
        """The model columns as polynomials between breaks."""
        ...

    def places(self, encoded: Encoded) -> Array:
        """Where values lie among the breaks of `pieces`: between 0 and 1 unless out of range, NaN where missing."""
        ...

    def slopes(self, encoded: Encoded) -> Array:
        """Evaluate the derivatives of the model columns, in units of the column."""
        ...

    def effect(self, encoded: Encoded, theta: Array) -> Array:
        """Evaluate the effect with these coefficients, `columns(encoded) @ theta`, without making the columns."""
        ...

    def coarse(self, n_functions: int) -> tuple[Basis, NDArray[np.intp]]:
        """Return a cheaper term, and where its columns stand in this one."""
        ...


@dataclass(frozen=True)
class SmoothBasis:
    """A spline of a numeric column whose interval [lower, upper] is taken as [0, 1], along its values or logarithms."""

    spec: Smooth
    lower: float
    upper: float
    functions: PiecewiseBasis
    scale: LogScale | None = None

    @property
    def roughness(self) -> Array:
        """The integral of the squared second derivative of each function."""
        return self.functions.roughness

    def encode(self, column: Column) -> Encoded:
        """Check that the column is numeric and complete."""
        return _complete_numbers(column, self.spec)

    def columns(self, encoded: Encoded) -> Array:
        """Evaluate the centred splines: shape (n, k - 1)."""
        return self.functions(self.places(encoded))

    @property
    def pieces(self) -> PiecewiseBasis:
        """The splines themselves."""
        return self.functions

    def effect(self, encoded: Encoded, theta: Array) -> Array:
        """Evaluate the one spline that they add up to."""
        return self.functions.combine(theta)(self.places(encoded))[:, 0]

    def slopes(self, encoded: Encoded) -> Array:
        """Evaluate the derivatives of the splines."""
        low, high = self._ends
        slope = 1.0 if self.scale is None else self.scale.slope(encoded)[:, None]
        return self.functions.derivative()(self.places(encoded)) * slope / (high - low)

    def places(self, encoded: Encoded) -> Array:
        """Where values lie between the ends, taken as 0 and 1."""
        return _unit_interval(encoded if self.scale is None else self.scale(encoded), *self._ends)

    @cached_property
    def _ends(self) -> tuple[float, float]:
        if self.scale is None:
            return self.lower, self.upper
        low, high = self.scale(np.array([self.lower, self.upper]))
        return float(low), float(high)

    def coarse(self, n_functions: int) -> tuple[SmoothBasis, NDArray[np.intp]]:
        """Keep the smoothest functions only."""
        kept = self.functions.coarse(n_functions)
        return replace(self, functions=kept), np.arange(len(kept.roughness))


@dataclass(frozen=True)
class LinearBasis:
    """A straight line, zero at the middle of the range and rising by one over it."""

    spec: Linear
    lower: float
    upper: float

    @property
    def roughness(self) -> Array:
        """A straight line is not penalised."""
        return np.zeros(1)

    def encode(self, column: Column) -> Encoded:
        """Check that the column is numeric and complete."""
        return _complete_numbers(column, self.spec)

    def columns(self, encoded: Encoded) -> Array:
        """Scale and centre: shape (n, 1)."""
        return self.places(encoded)[:, None] - 0.5

    @cached_property
    def pieces(self) -> PiecewiseBasis:
        """One line, within the range and beyond."""
        coefficients = np.array([[-0.5, -0.5, 0.5], [1.0, 1.0, 1.0]])[:, :, None]
        return PiecewiseBasis(np.array([0.0, 1.0]), np.array([0.0, 0.0, 1.0]), coefficients, self.roughness)

    def places(self, encoded: Encoded) -> Array:
        """Where values lie within the range."""
        return _unit_interval(encoded, self.lower, self.upper)

    def effect(self, encoded: Encoded, theta: Array) -> Array:
        """Evaluate the line."""
        line: Array = (self.places(encoded) - 0.5) * theta[0]
        return line

    def slopes(self, encoded: Encoded) -> Array:
        """Return the slope of the line, everywhere the same."""
        return np.full((len(encoded), 1), 1.0 / (self.upper - self.lower))

    def coarse(self, n_functions: int) -> tuple[LinearBasis, NDArray[np.intp]]:
        """Return the line itself: nothing is coarser."""
        return self, np.arange(1)


@dataclass(frozen=True)
class FactorBasis:
    """One effect per level through orthonormal contrasts, so that the effects sum to zero over the levels."""

    spec: Factor
    levels: tuple[object, ...]

    @property
    def roughness(self) -> Array:
        """Factor effects are not penalised."""
        return np.zeros(len(self.levels) - 1)

    @cached_property
    def contrasts(self) -> Array:
        """The effects' matrix, shape (n_levels + 1, n_levels - 1); its last row, of zeros, serves unseen levels."""
        size = len(self.levels)
        helmert = np.tril(np.ones((size, size - 1)), -1)
        helmert[np.arange(size - 1), np.arange(size - 1)] = -np.arange(size - 1, 0, -1.0)
        return np.vstack([helmert / np.linalg.norm(helmert, axis=0), np.zeros(size - 1)])

    def encode(self, column: Column) -> Encoded:
        """Turn values into level numbers, with a number of its own for unseen levels where they are permitted."""
        _refuse_missing(column, self.spec)
        numbers = {level: number for number, level in enumerate(self.levels)}
        codes = np.fromiter((numbers.get(value, UNSEEN) for value in column.values), np.int32, len(column.values))
        if self.spec.unseen == "error" and (codes == UNSEEN).any():
            row = int(np.argmax(codes == UNSEEN))
            level = column.values[row]
            shown = level.item() if isinstance(level, np.generic) else level
            raise RowError(
                f"{self.spec.label}: level {shown!r} in ",
                row,
                " was not seen in the fit; leave such rows out, or fit with "
                f'{self.spec.label[:-1]}, unseen="zero") to give them a zero effect.',
            )
        return codes

    def columns(self, encoded: Encoded) -> Array:
        """Look up the contrasts of each row's level: shape (n, n_levels - 1)."""
        rows: Array = self.contrasts[encoded.astype(np.int32)]
        return rows

    @cached_property
    def pieces(self) -> PiecewiseBasis:
        """Constants, one interval for each level; zeros beyond them, for unseen levels."""
        size = len(self.levels)
        breaks = np.arange(size + 1) / size
        constants = np.vstack([self.contrasts[-1], self.contrasts])  # its last row, of zeros, is the right end
        return PiecewiseBasis(breaks, np.append(0.0, breaks), constants[None], self.roughness)

    def places(self, encoded: Encoded) -> Array:
        """The middle of the level's interval."""
        return np.asarray((encoded + 0.5) / len(self.levels))

    def effect(self, encoded: Encoded, theta: Array) -> Array:
        """Look up the effect of each row's level."""
        effects: Array = (self.contrasts @ theta)[encoded.astype(np.int32)]
        return effects

    def slopes(self, encoded: Encoded) -> Array:
        """Refuse: between levels there is nothing to go along."""
        raise InputError(f"{self.spec.label} is a factor and has no derivative; compare its levels with odds_ratio.")

    def coarse(self, n_functions: int) -> tuple[FactorBasis, NDArray[np.intp]]:
        """Return the factor itself: its levels have no order in which to leave some out."""
        return self, np.arange(len(self.levels) - 1)


@dataclass(frozen=True)
class MissingBasis:
    """A term whose missing values have an effect of their own: one more column, the others zero there.

    `stand_in` stands in the gaps while other values are encoded: a level, or the median of the numbers there are,
    whatever their weights. To the median a summary compares missing values.
    """

    inner: SmoothBasis | LinearBasis | FactorBasis
    stand_in: Any

    @property
    def spec(self) -> TermSpec:
        """The term as the user wrote it."""
        return self.inner.spec

    @property
    def roughness(self) -> Array:
        """The inner term's penalty; the effect of missing values is not penalised."""
        return np.append(self.inner.roughness, 0.0)

    def encode(self, column: Column) -> Encoded:
        """Encode the values there are; missing ones become NaN (numbers) or a code of their own (levels)."""
        missing = column.missing
        factor = isinstance(self.inner, FactorBasis)
        if missing.all():  # such a column has lost its type
            return np.full(len(missing), MISSING, np.int32) if factor else np.full(len(missing), np.nan)
        values = column.values.astype(object) if factor else require_numeric(column, self.spec.label).copy()
        values[missing] = self.stand_in
        filled = replace(column, kind="category" if factor else "numeric", values=values)
        encoded = self.inner.encode(filled).copy()
        encoded[missing] = MISSING if encoded.dtype == np.int32 else np.nan
        return encoded

    def columns(self, encoded: Encoded) -> Array:
        """Evaluate the inner columns where there is a value, and an indicator of missing values."""
        missing, filled = self._fill(encoded)
        inner = self.inner.columns(filled)
        inner[missing] = 0.0
        return np.column_stack([inner, missing])

    @cached_property
    def pieces(self) -> PiecewiseBasis:
        """The inner polynomials, and a constant for missing values."""
        return self.inner.pieces.with_missing()

    def places(self, encoded: Encoded) -> Array:
        """Where the values there are lie; NaN where there is none."""
        missing, filled = self._fill(encoded)
        return np.where(missing, np.nan, self.inner.places(filled))

    def effect(self, encoded: Encoded, theta: Array) -> Array:
        """Evaluate the inner effect where there is a value, and that of missing values elsewhere."""
        missing, filled = self._fill(encoded)
        return np.where(missing, theta[-1], self.inner.effect(filled, theta[:-1]))

    def slopes(self, encoded: Encoded) -> Array:
        """Evaluate the inner derivatives; a missing value has none."""
        missing, filled = self._fill(encoded)
        inner = self.inner.slopes(filled)
        inner[missing] = np.nan
        return np.column_stack([inner, np.zeros(len(encoded))])

    def _fill(self, encoded: Encoded) -> tuple[NDArray[np.bool_], Encoded]:
        missing = encoded == MISSING if encoded.dtype == np.int32 else np.isnan(encoded)
        filled = encoded.copy()
        filled[missing] = UNSEEN if encoded.dtype == np.int32 else self.stand_in
        return missing, filled

    def coarse(self, n_functions: int) -> tuple[MissingBasis, NDArray[np.intp]]:
        """Coarsen the inner term; the effect of missing values stays."""
        inner, kept = self.inner.coarse(n_functions)
        return MissingBasis(inner, self.stand_in), np.append(kept, len(self.inner.roughness))


def resolve_term(spec: TermSpec, column: Column) -> Basis:
    """Let a term meet the column it was asked for: find range, knots or levels.

    Raises `InputError` for a column that the term cannot use, and warns where `k` had to be capped.
    """
    missing = column.missing
    if not missing.any():
        return _resolve_complete(spec, column)
    if missing.all():
        raise InputError(f"{spec.label}: column {column.name!r} has no values at all; leave it out.")
    if spec.missing == "error":
        _refuse_missing(column, spec)
    present = replace(column, values=column.values[~missing])
    inner = _resolve_complete(spec, present)
    is_factor = isinstance(inner, FactorBasis)
    return MissingBasis(inner, present.values[0] if is_factor else float(np.median(present.values)))


def count_distinct(values: NDArray[np.float64], enough: int) -> int:
    """Count distinct numbers, stopping early once there are `enough` (columns can be long)."""
    few = np.unique(values[: 100 * enough])
    return len(few) if len(few) >= enough else len(np.unique(values))


def _unit_interval(values: Encoded, lower: float, upper: float) -> Array:
    with np.errstate(over="ignore"):
        places = np.asarray((values - lower) / (upper - lower), dtype=np.float64)
    return np.clip(places, -FARTHEST, FARTHEST, out=places)


def _resolve_complete(spec: TermSpec, column: Column) -> SmoothBasis | LinearBasis | FactorBasis:
    match spec:
        case Smooth():
            return _resolve_smooth(spec, require_numeric(column, spec.label))
        case Linear():
            values = require_numeric(column, spec.label)
            lower, upper = _observed_range(spec, values)
            _warn_of_far_values(spec, values, lower, upper)
            return LinearBasis(spec, lower, upper)
        case Factor():
            return _resolve_factor(spec, column)


def _resolve_smooth(spec: Smooth, values: Array) -> SmoothBasis:
    lower, upper = _observed_range(spec, values)
    if spec.bounds is None:
        _warn_of_far_values(spec, values, lower, upper)
    else:
        _refuse_strange_bounds(spec, lower, upper)
        lower, upper = spec.bounds
    k = min(spec.k, count_distinct(values, spec.k))
    if k < spec.k:
        warn_user(
            f"{spec.label}: column {spec.column!r} has only {k} distinct values, so k = {spec.k} was lowered to {k}."
            + (f" f{spec.label[1:]} would give each value its own effect." if k <= FEW_LEVELS else "")
        )
    scale = find_log_scale(_inside(values, lower, upper), lower, upper) if spec.scale == "log" else None
    return _knotted(spec, values, lower, upper, k, scale)


def _knotted(spec: Smooth, values: Array, lower: float, upper: float, k: int, scale: LogScale | None) -> SmoothBasis:
    """Place the knots of a spline with k functions, and build it."""
    order = min(CUBIC_ORDER, k)
    basis = SmoothBasis(spec, float(lower), float(upper), centred_basis(even_knots(k - order), order), scale)
    if spec.knots == "even":
        return basis
    interior = _quantile_knots(spec, basis.places(np.unique(values)), k - order)
    return replace(basis, functions=centred_basis(interior, order))


def _inside(values: Array, lower: float, upper: float) -> Array:
    """As many values within the range as tell how long their tails are."""
    sample = values[:: max(1, len(values) // SCALE_SAMPLE)]
    return np.asarray(sample[(sample >= lower) & (sample <= upper)])


def with_logarithm(basis: Basis, column: Column) -> Basis:
    """Put a smooth term that leaves its scale open on a log scale, if one tail of its column is long."""
    inner = basis.inner if isinstance(basis, MissingBasis) else basis
    if not isinstance(inner, SmoothBasis) or inner.spec.scale != "auto":
        return basis
    numbers = require_numeric(column, inner.spec.label)
    values = numbers[~np.isnan(numbers)]
    inside = _inside(values, inner.lower, inner.upper)
    if count_distinct(inside, FEWEST_DISTINCT) < FEWEST_DISTINCT or not is_skewed(inside):
        return basis
    scale = find_log_scale(inside, inner.lower, inner.upper)
    logged = _knotted(
        replace(inner.spec, scale="log"), values, inner.lower, inner.upper, 1 + len(inner.roughness), scale
    )
    return replace(basis, inner=logged) if isinstance(basis, MissingBasis) else logged


def _quantile_knots(spec: Smooth, distinct: Array, n_interior: int) -> Array:
    inside = distinct[(distinct >= 0.0) & (distinct <= 1.0)]
    if len(inside) < n_interior + 2:
        raise InputError(
            f"{spec.label}: only {len(inside)} distinct values lie within bounds = {spec.bounds}, too few for quantile "
            'knots; widen the bounds or use knots="even".'
        )
    return quantile_knots(inside, n_interior)


def _resolve_factor(spec: Factor, column: Column) -> FactorBasis:
    levels = list(dict.fromkeys(column.values.tolist()))
    if len(levels) < 2:
        raise InputError(f"{spec.label}: column {column.name!r} has the single level {levels[0]!r}; leave it out.")
    # Levels of different types, such as text and numbers, have no order of their own: types go one after another.
    return FactorBasis(spec, tuple(sorted(levels, key=lambda level: (type(level).__name__, level))))


def _observed_range(spec: TermSpec, values: Array) -> tuple[float, float]:
    lower, upper = float(values.min()), float(values.max())
    if not lower < upper:
        raise InputError(f"{spec.label}: column {spec.column!r} is constant ({lower:g}); leave it out.")
    half_range = upper / 2.0 - lower / 2.0
    if not SMALLEST_RANGE < half_range <= LARGEST_HALF_RANGE:
        raise InputError(f"{spec.label}: column {spec.column!r} runs from {lower:g} to {upper:g}; rescale it.")
    return lower, upper


def _refuse_strange_bounds(spec: Smooth, lowest: float, highest: float) -> None:
    """Refuse bounds that the values are far beyond, or that they hardly fill: their curve would be next to constant."""
    assert spec.bounds is not None
    low, high = spec.bounds
    reach = MOST_RANGES * (high - low)
    runs = f"{spec.label}: column {spec.column!r} runs from {lowest:g} to {highest:g}, "
    if lowest < low - reach or highest > high + reach:
        raise InputError(f"{runs}far beyond bounds = {spec.bounds}; widen the bounds.")
    if high - low > MOST_RANGES * (highest - lowest):
        raise InputError(f"{runs}next to nothing within bounds = {spec.bounds}; narrow the bounds.")


def _warn_of_far_values(spec: Smooth | Linear, values: Array, lower: float, upper: float) -> None:
    sample = values[:: max(1, len(values) // FAR_VALUES_SAMPLE)]
    low, high = np.quantile(sample, [0.05, 0.95])
    if 0.0 < high - low < SMALLEST_SHARE * (upper - lower):
        remedy = f", or give {spec.label[:-1]}, bounds=({low:.3g}, {high:.3g}))" if isinstance(spec, Smooth) else ""
        warn_user(
            f"{spec.label}: nearly all values of column {spec.column!r} lie between {low:.3g} and {high:.3g}, but it "
            f"runs from {lower:.3g} to {upper:.3g}; look for codes or slips among the far values, transform the "
            f"column{remedy}."
        )


def _complete_numbers(column: Column, spec: TermSpec) -> Array:
    _refuse_missing(column, spec)
    return require_numeric(column, spec.label)


def listed(names: Sequence[str]) -> str:
    """Name the first of them, in a message."""
    return ", ".join(names[:MOST_NAMES]) + (", ..." if len(names) > MOST_NAMES else "")


def refuse_gaps(terms: Sequence[tuple[TermSpec, Column]]) -> None:
    """Refuse a fit to columns that lack values without leave to, naming all of them at once."""
    gaps = [(spec, column) for spec, column in terms if spec.missing == "error" and _has_gaps(column)]
    if not gaps:
        return
    spec, column = gaps[0]
    names = [repr(other.name) for _, other in gaps[1:]]
    others = f", and so {'has' if len(names) == 1 else 'have'} {listed(names)}" if names else ""
    remedy = f"fill or drop them, or give them an effect of their own: {spec.label[:-1]}, missing='effect')"
    raise _gap_error(column, spec, f"{others}; {remedy}.")


def _has_gaps(column: Column) -> bool:
    missing = column.missing
    return bool(missing.any() and not missing.all())


def _refuse_missing(column: Column, spec: TermSpec) -> None:
    if not column.missing.any():
        return
    if spec.missing == "effect":
        remedy = "the fit saw none, so they have no effect of their own: fill or drop them"
    else:
        remedy = (
            "fill or drop them, or, where rows of the fit lack values, give these an effect of their own: "
            f"{spec.label[:-1]}, missing='effect')"
        )
    raise _gap_error(column, spec, f"; {remedy}.")


def _gap_error(column: Column, spec: TermSpec, remedy: str) -> RowError:
    missing = column.missing
    row, others = int(np.argmax(missing)), int(missing.sum()) - 1
    more = f" and {others} more" if others and column.stands_for is None else " and others" if others else ""
    return RowError(f"{spec.label}: column {column.name!r} has missing values (NaN) in ", row, f"{more}{remedy}")
