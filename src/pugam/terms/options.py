"""Options of terms: how each is checked, and how it is written in a formula and in a saved model."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from pugam.errors import InputError
from pugam.nodes import Node

__all__ = [
    "BASIS_SIZE",
    "BOUNDS",
    "BY",
    "CYCLIC",
    "KNOTS",
    "MISSING",
    "SCALE",
    "SHAPE",
    "UNSEEN",
    "JointMissingPolicy",
    "KnotPlacement",
    "MissingPolicy",
    "Option",
    "ScaleChoice",
    "ShapeChoice",
    "UnseenPolicy",
    "check_basis_size",
    "check_choice",
    "check_column",
    "checked_bounds",
    "choice",
    "read_range",
    "shown",
    "whole_number",
]

KnotPlacement = Literal["even", "quantile"]
ScaleChoice = Literal["auto", "linear", "log"]
MissingPolicy = Literal["error", "effect"]
JointMissingPolicy = Literal["error", "effect", "zero"]  # of terms of several columns
UnseenPolicy = Literal["error", "zero"]
ShapeChoice = Literal["increasing", "decreasing", "convex", "concave"]

MIN_BASIS_SIZE = 3
MOST_BASIS_SIZE = 2**31
WIDEST = 1.7e308


@dataclass(frozen=True)
class Option:
    """An option that a term is given by name.

    Attributes
    ----------
    accepts : tuple of types
        What a formula may give.
    wanted : str
        What that is, for messages: "a whole number, as in k=12".
    read : callable
        Reads the option from a saved model.
    is_column : bool
        Whether it is the name of a column, which a formula may write without quotes.
    """

    accepts: tuple[type, ...]
    wanted: str
    read: Callable[[Node], Any]
    is_column: bool = False


def choice(name: str, choices: tuple[Any, ...], example: str) -> Option:
    """Make an option that is one of a few words; None among them is its default."""
    return Option((str,), f'quoted text, as in {name}="{example}"', lambda node: node.choice(choices))


def whole_number(name: str, example: int, least: int = 1, most: int = MOST_BASIS_SIZE) -> Option:
    """Make an option that is a whole number."""
    return Option((int,), f"a whole number, as in {name}={example}", lambda node: node.whole(least, most))


def read_range(lower: Node, upper: Node) -> tuple[float, float]:
    """Read the ends of an interval from a saved model."""
    low = lower.number(-WIDEST, WIDEST)
    high = upper.number(-WIDEST, WIDEST)
    if not 0.0 < high - low <= WIDEST:
        raise upper.error(f"a number above {low!r}, the lower end, and not too far from it")
    return low, high


def _read_bounds(node: Node) -> tuple[float, float] | None:
    if node.value is None:
        return None
    low, high = node.items(2)
    return read_range(low, high)


def _read_column(node: Node) -> str | None:
    return None if node.value is None else node.text()


BASIS_SIZE = whole_number("k", 12, MIN_BASIS_SIZE)
BOUNDS = Option((tuple,), "two numbers, as in bounds=(0, 100)", _read_bounds)
KNOTS = choice("knots", get_args(KnotPlacement), "quantile")
MISSING = choice("missing", get_args(JointMissingPolicy), "effect")
SCALE = choice("scale", get_args(ScaleChoice), "log")
UNSEEN = choice("unseen", get_args(UnseenPolicy), "zero")
SHAPE = choice("shape", (None, *get_args(ShapeChoice)), "increasing")
BY = Option((str,), "the name of a column, as in by=sex", _read_column, is_column=True)
CYCLIC = Option((bool,), "True or False, as in cyclic=True", lambda node: node.flag())


def shown(column: str) -> str:
    """The name of a column, in one line."""
    return column if column.isprintable() else repr(column)[1:-1]


def check_column(column: object) -> None:
    """Refuse what is no name of a column."""
    if not isinstance(column, str) or not column:
        raise InputError(f"A term takes the name of a column as text; got {column!r}.")


def check_choice(label: str, name: str, value: object, choices: tuple[Any, ...]) -> None:
    """Refuse a word that is none of the choices."""
    if value not in choices:
        options = " or ".join(repr(choice) for choice in choices)
        raise InputError(f"{label}: {name} must be {options}; got {value!r}.")


def check_basis_size(label: str, k: object) -> None:
    """Refuse a number of basis functions that is none, or too small."""
    if isinstance(k, bool) or not isinstance(k, numbers.Integral) or k < MIN_BASIS_SIZE:
        raise InputError(
            f"{label}: k is the number of basis functions, an integer of at least {MIN_BASIS_SIZE}; got {k!r}."
        )


def checked_bounds(label: str, bounds: object) -> tuple[float, float] | None:
    """Return bounds as two finite numbers in order, or refuse them."""
    if bounds is None:
        return None
    try:
        low, high = (float(end) for end in bounds)  # type: ignore[attr-defined]
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{label}: bounds are two numbers (low, high); got {bounds!r}.") from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InputError(f"{label}: bounds must be finite with low < high; got {bounds!r}.")
    return low, high
