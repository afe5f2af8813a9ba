"""Reading a parsed file value by value, each checked: a refusal names file and place, and says what belongs there."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pugam.errors import InputError
from pugam.messages import counted

__all__ = ["LARGEST", "Node", "Plain"]

Array = NDArray[np.float64]
T = TypeVar("T")
Plain = str | bool | int | float | None

LARGEST = 1e150  # of a number that is computed with: squares and products stay finite
LARGEST_COEFFICIENT = 1e50  # which is multiplied by several others
LARGEST_PENALTY = 1e120  # the strongest smoothing that a fit takes, 1e100, on the roughest of functions
MOST_WHOLE = 2**53
SHOWN_LENGTH = 40


@dataclass(frozen=True, eq=False)
class Node:
    """A value of a parsed file, and where it stands: "terms[2].basis"."""

    file: str
    path: str
    value: Any

    def error(self, expected: str) -> InputError:
        """Say what should have stood here."""
        return self.refusal(f"expected {expected}; got {_in_short(self.value)}.")

    def refusal(self, told: str) -> InputError:
        """Say what is wrong here, in words that follow the place."""
        place = f"{self.path}: " if self.path else ""
        return InputError(f"{self.file}: {place}{told}")

    def fields(self, *names: str, optional: Sequence[str] = (), others: bool = False) -> dict[str, Node]:
        """Take an object apart: it has these keys, some optional ones, and others only if permitted (and ignored)."""
        if not isinstance(self.value, dict):
            raise self.error(f"an object with {', '.join(names)}" if names else "an object")
        place = self.path or "the file"
        lacking = [name for name in names if name not in self.value]
        if lacking:
            raise InputError(f"{self.file}: {place} lacks {_quoted(lacking[0])}.")
        unknown = [] if others else [key for key in self.value if key not in names and key not in optional]
        if unknown:
            expected = ", ".join(map(_quoted, [*names, *optional]))
            raise InputError(f"{self.file}: {place} has the unknown key {_quoted(unknown[0])}; expected {expected}.")
        present = [*names, *(name for name in optional if name in self.value)]
        return {name: self._below(f".{name}" if self.path else name, self.value[name]) for name in present}

    def entries(self) -> dict[str, Node]:
        """Take an object apart whose keys are free."""
        if not isinstance(self.value, dict):
            raise self.error("an object")
        return {key: self._below(f"[{_quoted(key)}]", item) for key, item in self.value.items()}

    def items(self, size: int | None = None) -> Iterator[Node]:
        """Take a list apart, of this size where one is given, one by one: all at once would take much memory."""
        if not isinstance(self.value, list):
            raise self.error("a list" if size is None else f"a list of {size}")
        if size is not None and len(self.value) != size:
            raise self.error(f"a list of {size}")
        return (self._below(f"[{number}]", item) for number, item in enumerate(self.value))

    def text(self) -> str:
        """Read text."""
        if type(self.value) is not str:
            raise self.error("text")
        return self.value

    def flag(self) -> bool:
        """Read true or false."""
        if type(self.value) is not bool:
            raise self.error("true or false")
        return self.value

    def choice(self, options: Sequence[T]) -> T:
        """Read one of a few values; true is not 1."""
        for option in options:
            if type(self.value) is type(option) and self.value == option:
                return option
        raise self.error(f"one of {', '.join(map(_quoted, options))}")

    def whole(self, least: int, most: int = MOST_WHOLE) -> int:
        """Read a whole number of a range."""
        if type(self.value) is not int or not least <= self.value <= most:
            above = f"from {least} to {most}" if most < MOST_WHOLE else f"of at least {least}"
            raise self.error(f"a whole number {above}")
        return self.value

    def number(self, low: float = -LARGEST, high: float = LARGEST, what: str = "a finite number") -> float:
        """Read a number from `low` to `high`; one written without a point counts as one with it."""
        if not _is_number(self.value) or not low <= self.value <= high:
            raise self.error(what)
        return float(self.value)

    def number_as_written(self, low: float, high: float, what: str) -> int | float:
        """Read a number, whole where it is written without a point."""
        self.number(low, high, what)
        return self.value  # type: ignore[no-any-return]

    def numbers(
        self, size: int | None = None, low: float = -LARGEST, what: str = "a finite number", high: float = LARGEST
    ) -> Array:
        """Read a list of numbers from `low` to `high`, of this size where one is given."""
        if not isinstance(self.value, list):
            raise self.error("a list of numbers" if size is None else f"a list of {counted(size, 'number')}")
        if size is not None and len(self.value) != size:
            raise self.error(f"a list of {counted(size, 'number')}")
        right = all(map(_is_number, self.value))
        array = np.array(self.value, dtype=np.float64) if right else np.empty(0)
        if not right or not ((low <= array) & (array <= high)).all():
            for item in self.items():
                item.number(low, high, what)
        return array

    def coefficients(self, size: int) -> Array:
        """Read coefficients, of features that are scaled to [0, 1]."""
        most = LARGEST_COEFFICIENT
        return self.numbers(size, -most, f"a number from {-most:g} to {most:g}", most)

    def penalties(self, size: int) -> Array:
        """Read penalties, one for each coefficient."""
        return self.numbers(size, 0.0, f"a number from 0 to {LARGEST_PENALTY:g}", LARGEST_PENALTY)

    def plain(self) -> Plain:
        """Read null, text, true, false or a finite number, each as it is."""
        value = self.value
        if value is None or type(value) in (str, bool, int) or (type(value) is float and math.isfinite(value)):
            return value  # type: ignore[no-any-return]
        raise self.error("text, true, false or a finite number")

    def _below(self, step: str, value: Any) -> Node:
        return Node(self.file, self.path + step, value)


def _is_number(value: Any) -> bool:
    # NaN passes here, and no comparison later; whole numbers beyond 2^53 have no exact float.
    return type(value) is float or (type(value) is int and abs(value) <= MOST_WHOLE)


def _in_short(value: Any) -> str:
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return f"an object of {len(value)}"
    return _quoted(value)


def _quoted(value: Any) -> str:
    """Show a value as JSON does, in printable ASCII and not too long: it may come from anyone."""
    if value is None or isinstance(value, bool):
        return str(value).lower() if value is not None else "null"
    if not isinstance(value, str):
        shown = repr(value)
        return shown if len(shown) <= SHOWN_LENGTH else f"{shown[:SHOWN_LENGTH]}..."
    cut = value if len(value) <= SHOWN_LENGTH else f"{value[:SHOWN_LENGTH]}..."
    escaped = "".join(sign if sign.isprintable() and sign not in '"\\' else ascii(sign)[1:-1] for sign in cut)
    return f'"{escaped}"'
