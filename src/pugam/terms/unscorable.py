"""Rows for which a model has no score: a level that the fit never saw, or a gap that its terms do not permit."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.data import Column, Table, require_numeric
from pugam.terms.axes import Axis
from pugam.terms.design import Design
from pugam.terms.levels import require_told_apart

__all__ = ["stand_ins", "unscorable_rows"]

Flags = NDArray[np.bool_]


def unscorable_rows(designs: Iterable[Design], table: Table) -> dict[int, str]:
    """Return the numbers of rows that cannot be scored, in order, each with the first reason for it.

    Raises
    ------
    InputError
        A column is text where the fit had numbers, or has numbers too long to be levels: no fault of single rows.
    """
    reasons: dict[int, str] = {}
    for basis in (basis for design in designs for basis in design.effect_bases):
        for axis in basis.axes:
            column = table.column(axis.column)
            if axis.is_numeric:
                require_numeric(column, basis.spec.label)
            require_told_apart(basis.spec.label, column, axis.levels)
            if basis.in_gaps() is None:
                _add(reasons, column.missing, lambda _, name=axis.column: f"{name} is missing")
            _add(reasons, _unseen(axis, column), lambda row, column=column: _unseen_reason(column, row))
    return dict(sorted(reasons.items()))


def stand_ins(n_rows: int, without: Collection[int]) -> NDArray[np.intp] | None:
    """Return which row to score in place of each: itself, or for those without a score the first that has one.

    So scores stay beside their rows, and beside what else is known of these. None where no row has a score.
    """
    places = np.arange(n_rows)
    if len(without) == n_rows:
        return None
    places[list(without)] = np.setdiff1d(places, list(without))[0]
    return places


def _add(reasons: dict[int, str], rows: Flags, reason: Any) -> None:
    for row in np.flatnonzero(rows).tolist():
        reasons.setdefault(row, reason(row))


def _unseen(axis: Axis, column: Column) -> Flags:
    """Which values are levels that the fit never saw, where these are refused; a gap is none."""
    if axis.is_numeric or axis.open:
        return np.zeros(len(column.values), dtype=bool)
    known = {*axis.levels, None}
    unknown = np.fromiter((value not in known for value in column.values.tolist()), bool, len(column.values))
    return np.asarray(unknown & ~column.missing)


def _unseen_reason(column: Column, row: int) -> str:
    level = column.values[row]
    shown = level.item() if isinstance(level, np.generic) else level
    return f"{column.name} {shown!r} was not seen in the fit"
