"""The columns that a term goes along: a range of numbers, or levels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.data import Column, as_array, is_missing, require_numeric
from pugam.errors import InputError
from pugam.messages import first_of

__all__ = ["Axis", "as_objects", "level_axis", "number_axis"]

MOST_LEVELS_SHOWN = 10
LARGEST_WHOLE = 1e9  # numbers are written with all their digits up to here
HARDLY_OUTSIDE = 0.05  # share of the range by which values may lie outside it without a word


@dataclass(frozen=True)
class Axis:
    """A column of the table as a term sees it; made by `number_axis` or `level_axis`.

    Attributes
    ----------
    column : str
    lower, upper : float
        The range of numbers that the term was fitted on; an empty one, from infinity down, for levels.
    levels : tuple
        Empty for numbers.
    open : bool
        Whether values outside the range, or other levels, are as good as any.
    """

    column: str
    lower: float
    upper: float
    levels: tuple[object, ...]
    open: bool

    @property
    def is_numeric(self) -> bool:
        """Whether the column holds numbers, not levels."""
        return not self.levels

    @property
    def gap(self) -> Any:
        """What stands for a missing value."""
        return np.nan if self.is_numeric else None

    def stand_in(self, n_rows: int) -> Column:
        """A column of a single value that the fit has seen."""
        if self.is_numeric:
            return Column(self.column, "numeric", np.full(n_rows, self.lower))
        return Column(self.column, "category", as_objects([self.levels[0]] * n_rows))

    def grid(self, n_points: int) -> NDArray[Any]:
        """Return points spread evenly over the range, or all levels."""
        return np.linspace(self.lower, self.upper, n_points) if self.is_numeric else as_objects(self.levels)

    def read(self, label: str, values: Any) -> Column:
        """Read values that a user gives for the column; `label` is that of the term, for messages."""
        return self._read_numbers(label, values) if self.is_numeric else self._read_levels(label, values)

    def _read_numbers(self, label: str, values: Any) -> Column:
        try:
            numbers = np.asarray(values, dtype=float).reshape(len(values))
        except (TypeError, ValueError):
            numbers = np.array([np.inf])
        if np.isinf(numbers).any():
            raise InputError(f"{label}: a grid is a list of finite numbers; got {values!r}.")
        return Column(self.column, "numeric", numbers)

    def _read_levels(self, label: str, values: Any) -> Column:
        if isinstance(values, str) or not hasattr(values, "__len__"):
            raise InputError(f"{label}: a grid is a list of levels; got {values!r}.")
        objects = as_objects(None if is_missing(value) else value for value in as_array(values).tolist())
        for value in objects:
            if value not in self.levels and value is not None and not self.open:
                levels = first_of(self.levels, MOST_LEVELS_SHOWN, repr)
                raise InputError(f"{label} has no level {value!r}; its levels are {levels}.")
        return Column(self.column, "category", objects)

    @cached_property
    def _levels_shown(self) -> dict[object, str]:
        """Levels as they were in the fit: a table may hold the whole number 2020 as 2020.0."""
        return {level: str(level) for level in self.levels}

    def show(self, value: Any) -> str:
        """Write a value of the column as its reader knows it."""
        if is_missing(value):
            return "missing"
        if not self.is_numeric:
            return self._levels_shown.get(value, str(value))
        number = float(value)
        return f"{number:.0f}" if number.is_integer() and abs(number) < LARGEST_WHOLE else f"{number:.6g}"

    def decoded(self, codes: NDArray[Any]) -> NDArray[Any]:
        """Return the values behind encoded ones: numbers are what they were, levels are found by their codes."""
        if self.is_numeric:
            return codes
        return as_objects(self.levels[int(code)] if code >= 0 else None for code in codes)

    def outside(self, label: str, column: Column) -> NDArray[np.bool_]:
        """Tell which values lie well outside the range; levels have none, nor has a period."""
        if not self.is_numeric or self.open:
            return np.zeros(len(column.values), dtype=bool)
        slack = HARDLY_OUTSIDE * (self.upper - self.lower)
        values = require_numeric(column, label)
        return np.asarray((values < self.lower - slack) | (values > self.upper + slack))


def number_axis(column: str, lower: float, upper: float, open: bool = False) -> Axis:
    """Make the axis of a numeric column from the range that a term was fitted on."""
    return Axis(column, lower, upper, (), open)


def level_axis(column: str, levels: Iterable[object], open: bool = False) -> Axis:
    """Make the axis of a column of levels."""
    return Axis(column, np.inf, -np.inf, tuple(levels), open)


def as_objects(values: Iterable[Any]) -> NDArray[Any]:
    """Return values as an array of objects, each kept as it is."""
    listed = list(values)
    objects = np.empty(len(listed), dtype=object)
    objects[:] = listed
    return objects
