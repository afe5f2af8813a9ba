"""Levels of a column: found in the data, turned into codes, and read from a saved model."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from pugam.data import LARGEST_EXACT, Column, Levels, require_exact
from pugam.errors import InputError, RowError
from pugam.messages import LeavingUnscored, UnseenZero
from pugam.nodes import Node
from pugam.terms.order_of_levels import in_order
from pugam.terms.term import Term

__all__ = [
    "MISSING_CODE",
    "UNSEEN_CODE",
    "encode_levels",
    "find_levels",
    "grouping",
    "read_levels",
    "require_told_apart",
    "written_levels",
]

UNSEEN_CODE, MISSING_CODE = -1, -2  # codes of levels that are none; -1 is also the last row of a table by level


def find_levels(term: Term, column: Column) -> tuple[object, ...]:
    """Return the distinct values of a column, in its own order if it has one; there have to be two at least."""
    require_exact(column, term.label)
    levels = list(dict.fromkeys(column.values.tolist()))
    if len(levels) < 2:
        raise InputError(f"{term.label}: column {column.name!r} has the single level {levels[0]!r}; leave it out.")
    if column.order:
        return tuple(level for level in column.order if level in levels)
    return in_order(levels)


def encode_levels(term: Term, column: Column, levels: tuple[object, ...], permit_unseen: bool) -> NDArray[np.int32]:
    """Turn values into level numbers; levels that the fit never saw are refused, or get a code of their own.

    Where all levels are text, as from a CSV file, numbers and booleans are found among them as they are written.
    """
    require_told_apart(term.label, column, levels)
    numbers = {level: number for number, level in enumerate(levels)}
    codes = np.fromiter((numbers.get(value, UNSEEN_CODE) for value in column.values), np.int32, len(column.values))
    unseen = np.flatnonzero(codes == UNSEEN_CODE)
    if len(unseen):
        known = written_levels(column.name, levels, column.values[unseen].tolist())
        codes[unseen] = [known.get(value, UNSEEN_CODE) for value in column.values[unseen].tolist()]
    if not permit_unseen and (codes == UNSEEN_CODE).any():
        row = int(np.argmax(codes == UNSEEN_CODE))
        level = column.values[row]
        shown = level.item() if isinstance(level, np.generic) else level
        raise RowError(
            f"{term.label}: level {shown!r} in ",
            row,
            " was not seen in the fit; ",
            LeavingUnscored(),
            "fit again with ",
            UnseenZero(term.with_option('unseen="zero"')),
            " to give them a zero effect.",
        )
    return codes


def written_levels(name: str, levels: tuple[object, ...], values: Iterable[object]) -> dict[object, int]:
    """Numbers of the levels, if all are text, that numbers and booleans among these values are written like."""
    if not all(isinstance(level, str) for level in levels):
        return {}
    numbers = {str(level): number for number, level in enumerate(levels)}
    written = Levels(name, list(numbers))
    found = {value: written.find(value) for value in dict.fromkeys(values) if isinstance(value, bool | int | float)}
    return {value: numbers[level] for value, level in found.items() if level in numbers}


def require_told_apart(label: str, column: Column, levels: Iterable[object]) -> None:
    """Refuse numbers that may have been rounded to a level; if no level has as many digits, they are none of them."""
    if any(isinstance(level, int | float) and abs(level) >= LARGEST_EXACT for level in levels):
        require_exact(column, label)


def read_levels(node: Node) -> tuple[object, ...]:
    """Read levels, each of the type it is written in: 1 is whole, 1.0 is not, though they are equal."""
    levels = [_read_level(item) for item in node.items()]
    if len(levels) < 2 or len(set(levels)) < len(levels):
        raise node.error("at least two levels, all different")
    return tuple(levels)


def _read_level(node: Node) -> object:
    level = node.plain()
    if level is None:
        raise node.error("a level: text, true, false or a finite number")
    return level


def grouping(column: str) -> str:
    """Say what to type, to keep the common levels of a column and group all others into one."""
    values = f"X[{column!r}]"
    return f"in pandas, {values} = {values}.where({values}.isin({values}.value_counts().index[:100]), 'other')"
