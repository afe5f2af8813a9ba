"""Collects the odds ratios of a report: of each column between two values, where it matters at values of others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.presentation.protocol import FittedModel
from pugam.presentation.report.content import Ratio
from pugam.presentation.report.formats import number, whole
from pugam.presentation.rows import rows_of
from pugam.solvers import Fitted
from pugam.terms import Axis, Basis

__all__ = ["collect_ratios"]

Array = NDArray[np.float64]
Pair = tuple[Any, Any]

MOST_LEVELS = 12  # of a column
MOST_WHOLE = 1e6  # from which on whole numbers are measurements, too
MOST_CASES = 4  # levels of two columns that interact, of each
PAIRS = ((0.25, 0.75), (0.1, 0.9), (0.01, 0.99), (0.0, 1.0))  # quantiles to compare: the first two that differ


@dataclass(frozen=True, eq=False)
class _Column:
    """A column of the table: as terms see it, its values in the unlabelled rows, and the columns it interacts with."""

    axis: Axis
    values: Array
    partners: tuple[str, ...]

    def pairs(self) -> list[Pair]:
        """Values to be compared: quartiles, or levels with the most frequent one."""
        if self.axis.is_numeric:
            return _number_pairs(self.values)
        first, *others = self._frequent()[: 1 + (MOST_CASES if self.partners else MOST_LEVELS)]
        return [(first, other) for other in others]

    def cases(self) -> list[Any]:
        """Values at which another column's effect is shown."""
        if self.axis.is_numeric:
            return [value for pair in self.pairs() for value in pair]
        return self._frequent()[:MOST_CASES]

    def middle(self) -> Any:
        """The median, or the most frequent level."""
        if not self.axis.is_numeric:
            return self._frequent()[0]
        present = self.values[~np.isnan(self.values)]
        return float(np.median(present)) if len(present) else 0.5 * (self.axis.lower + self.axis.upper)

    def _frequent(self) -> list[Any]:
        """The levels, from the most frequent one on."""
        codes = self.values[self.values >= 0.0].astype(np.intp)
        counts = np.bincount(codes, minlength=len(self.axis.levels))
        return [self.axis.levels[place] for place in np.argsort(-counts, kind="stable")]


def collect_ratios(model: FittedModel, fitted: Fitted, level: float) -> Iterator[Ratio]:
    """Yield the odds ratios of each column, the values of those that it interacts with being given."""
    columns = _columns(fitted)
    for name, column in columns.items():
        others = _connected(columns, name)
        middle = {other: columns[other].middle() for other in others}
        for a, b in column.pairs():
            for where in _cases(columns, column):
                fixed = {**middle, **where}
                ratio = model.odds_ratio({name: a, **fixed}, {name: b, **fixed}, level=level)
                said = ", ".join(f"{other} = {value_name(value)}" for other, value in where.items())
                yield Ratio(name, value_name(a), value_name(b), ratio, said)


def _cases(columns: Mapping[str, _Column], column: _Column) -> Iterator[dict[str, Any]]:
    """Values of one partner after another; none where a column has no partners."""
    if not column.partners:
        yield {}
    for partner in column.partners:
        yield from ({partner: value} for value in columns[partner].cases())


def _columns(fitted: Fitted) -> dict[str, _Column]:
    """All columns of the density ratio in the order of its terms, not those that only say who is labelled."""
    shown, design = fitted.engine.shown, fitted.design
    bases = design.bases[: design.n_effects]
    found: dict[str, _Column] = {}
    for basis, encoded in zip(bases, shown.encoded, strict=False):
        rows = rows_of(basis, encoded)[~shown.positive]
        for axis, values in zip(basis.axes, rows.T, strict=True):
            found.setdefault(axis.column, _Column(axis, values, _partners(bases, axis.column)))
    return found


def _partners(bases: Sequence[Basis], column: str) -> tuple[str, ...]:
    """The other columns of the terms that read a column."""
    read = [name for basis in bases if column in basis.spec.columns for name in basis.spec.columns]
    return tuple(dict.fromkeys(name for name in read if name != column))


def _connected(columns: Mapping[str, _Column], name: str) -> set[str]:
    """All columns that a column interacts with, directly or by way of others."""
    found, ahead = {name}, [name]
    while ahead:
        new = set(columns[ahead.pop()].partners) - found
        found |= new
        ahead.extend(new)
    return found - {name}


def _number_pairs(values: Array) -> list[Pair]:
    present = values[~np.isnan(values)]
    for shares in PAIRS:
        a, b = np.quantile(present, shares) if len(present) else (0.0, 0.0)
        if a < b:
            return [(float(a), float(b))]
    return []


def value_name(value: object) -> str:
    """Name a value of a column: whole numbers, which stand for years, ages and counts, without decimals.

    >>> value_name(35.0), value_name(0.5), value_name("north")
    ('35', '0.500', 'north')
    """
    if not isinstance(value, float):
        return str(value)
    return whole(value) if value.is_integer() and abs(value) < MOST_WHOLE else number(value)
