"""What a cell stands for that is written as text, beside the same value in a file that knows numbers and booleans."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from pugam.errors import InputError

__all__ = ["Levels", "is_written", "value_of"]

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
WORDS = {"true": True, "false": False}


def value_of(cell: Any) -> Any:
    """The boolean or the number that a cell is, the latter exact: no two whole numbers become the same."""
    if isinstance(cell, str):
        word = cell.strip()
        return Decimal(word) if NUMBER.fullmatch(word) else WORDS.get(word.lower(), cell)
    if isinstance(cell, float):
        return Decimal(int(cell) if cell.is_integer() else repr(cell))
    return cell


def is_written(value: Any, text: str) -> bool:
    """Whether a value is what a user wrote: 1 for 1.0, and true for True."""
    if value is None or _spelt(value) == text:
        return value is not None
    if isinstance(value, bool):
        return _spelt(value) == text.lower()
    number, wanted = value_of(value), value_of(text)
    return _is_number(number) and _is_number(wanted) and number == wanted


class Levels:
    """Levels that were read as text, to be found again in a file that knows numbers and booleans."""

    def __init__(self, column: str, levels: Sequence[str]) -> None:
        self._column, self._spelt = column, frozenset(levels)
        self._of_value: dict[Any, list[str]] = {}
        for level in levels:
            self._of_value.setdefault(value_of(level), []).append(level)

    def find(self, value: Any) -> str:
        """The level that is spelt like a number or a boolean, or else the only one that is equal; a new one if none is.

        Raises `InputError` where several are equal to it, such as 1.0 and 1.00 to 1.
        """
        spelt = _spelt(value)
        equal = self._of_value.get(value_of(value), [])
        if spelt in self._spelt or not equal:
            return spelt
        alike = [level for level in equal if level.lower() == spelt] or equal
        if len(alike) > 1:
            both = " and ".join(map(repr, alike[:2]))
            raise InputError(
                f"Column {self._column!r} holds {spelt}, but the fit has levels {both}, which are text; write the "
                "column as text, as in the file of the fit."
            )
        return alike[0]


def _spelt(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool)
