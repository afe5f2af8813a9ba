"""Ranges of numeric columns: what was seen, what is too narrow, too wide or suspicious, and the way to [0, 1]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pugam.data import Column
from pugam.errors import InputError, warn_user
from pugam.messages import in_formula
from pugam.terms.basis import Encoded
from pugam.terms.term import Term

__all__ = [
    "FARTHEST_PLACE",
    "affordable_size",
    "bounded",
    "count_distinct",
    "observed_range",
    "refuse_strange_bounds",
    "unit_interval",
    "warn_of_far_values",
]

Array = NDArray[np.float64]

FEWEST_STEPS = 1024  # of rounding, from one end of a range to the other
SMALLEST_RANGE, LARGEST_HALF_RANGE = 1e-290, 1e300  # so that slopes are finite, and so are ranges
MOST_RANGES = 1e6  # by which values may lie beyond bounds, and bounds beyond values
# From the range of a term, in units of it, and of products of functions there: squares of predictions stay finite. All
# terms are kept to the same place: if products were kept nearer than single curves, sums of both would turn around.
FARTHEST_PLACE, LARGEST_PRODUCT = 1e45, 1e145
FAR_VALUES_SAMPLE, SMALLEST_SHARE = 1000, 1e-3
FEW_LEVELS = 12
MOST_FUNCTIONS = 300  # of a curve: more say nothing, as bends are penalised, and take minutes to hours


def unit_interval(values: Encoded, lower: float, upper: float) -> Array:
    """Return where values lie between two ends, taken as 0 and 1."""
    with np.errstate(over="ignore"):
        places = np.asarray((values - lower) / (upper - lower), dtype=np.float64)
    return np.clip(places, -FARTHEST_PLACE, FARTHEST_PLACE, out=places)


def bounded(values: Array, n_factors: int) -> Array:
    """Keep functions, shape (n, m), so small that the square of a product of so many stays finite, far out of range.

    There they are lines: all functions of a row become smaller by one factor, as they would be at a nearer place. One
    bound for each of them would lose their ratios, and turn the effects that they add up to around.
    """
    most = LARGEST_PRODUCT ** (1.0 / n_factors)
    if max(values.max(initial=0.0), -values.min(initial=0.0)) <= most:
        return values
    largest = np.abs(values).max(axis=1, keepdims=True)
    return np.asarray(values * (most / np.maximum(largest, most)))


def count_distinct(values: Array, enough: int) -> int:
    """Count distinct numbers, stopping early once there are `enough` (columns can be long)."""
    few = np.unique(values[: 100 * enough])
    return len(few) if len(few) >= enough else len(np.unique(values))


def affordable_size(term: Term, column: Column, values: Array, k: int) -> int:
    """Lower the number of functions of a curve to that of distinct values, with a warning; refuse far too many."""
    found = min(k, count_distinct(values, k))
    if found > MOST_FUNCTIONS:
        raise InputError(
            f"{term.label}: k = {k} is far more than a penalised curve can use; give at most {MOST_FUNCTIONS}; "
            "10 to 40 are usual."
        )
    may_be_factor = found <= FEW_LEVELS and len(term.columns) == 1
    if found < k:
        warn_user(
            f"{term.label}: column {column.name!r} has only {found} distinct values, so k = {k} was lowered to {found}."
            + (f" f({in_formula(column.name)}) would give each value its own effect." if may_be_factor else "")
        )
    return found


def observed_range(term: Term, column: Column, values: Array) -> tuple[float, float]:
    """Return the smallest and the largest value of a column, which must differ."""
    lower, upper = float(values.min()), float(values.max())
    if not lower < upper:
        raise InputError(f"{term.label}: column {column.name!r} is constant ({lower:g}); leave it out.")
    half_range = upper / 2.0 - lower / 2.0
    if not SMALLEST_RANGE < half_range <= LARGEST_HALF_RANGE:
        raise InputError(f"{term.label}: column {column.name!r} runs from {lower:g} to {upper:g}; rescale it.")
    if 2.0 * half_range < FEWEST_STEPS * np.spacing(max(abs(lower), abs(upper))):
        raise InputError(
            f"{term.label}: column {column.name!r} runs from {lower:.17g} to {upper:.17g}, and numbers are kept to 16 "
            "digits, which hardly tell these apart; leave the column out if it identifies rows, or subtract a constant "
            "before you make the table."
        )
    return lower, upper


def refuse_strange_bounds(term: Term, column: Column, bounds: tuple[float, float], seen: tuple[float, float]) -> None:
    """Refuse bounds that the values are far beyond, or that they hardly fill: their curve would be next to constant."""
    (low, high), (lowest, highest) = bounds, seen
    reach = MOST_RANGES * (high - low)
    runs = f"{term.label}: column {column.name!r} runs from {lowest:g} to {highest:g}, "
    if lowest < low - reach or highest > high + reach:
        raise InputError(f"{runs}far beyond bounds = {bounds}; widen the bounds.")
    if high - low > MOST_RANGES * (highest - lowest):
        raise InputError(f"{runs}next to nothing within bounds = {bounds}; narrow the bounds.")


def warn_of_far_values(term: Term, column: Column, values: Array, seen: tuple[float, float]) -> None:
    """Warn where nearly all values crowd in a small part of their range."""
    lower, upper = seen
    sample = values[:: max(1, len(values) // FAR_VALUES_SAMPLE)]
    low, high = np.quantile(sample, [0.05, 0.95])
    if 0.0 < high - low < SMALLEST_SHARE * (upper - lower):
        remedy = f", or give {term.with_option(f'bounds=({low:.3g}, {high:.3g})')}" if "bounds" in term.options else ""
        warn_user(
            f"{term.label}: nearly all values of column {column.name!r} lie between {low:.3g} and {high:.3g}, but it "
            f"runs from {lower:.3g} to {upper:.3g}; look for codes or slips among the far values, transform the "
            f"column{remedy}."
        )
