"""Expressions of columns that any language can evaluate: what a model is made of where it is scored elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pugam.terms.splines import PiecewiseBasis

__all__ = [
    "AtLeast",
    "Below",
    "Call",
    "Case",
    "Choice",
    "Condition",
    "Expression",
    "Has",
    "Is",
    "Lacks",
    "Number",
    "Plus",
    "Quotient",
    "Result",
    "Times",
    "Value",
    "add_cases",
    "between",
    "cases_by_level",
    "cases_of_pieces",
    "columns_with_level",
    "fraction",
    "scaled",
    "shifted",
]

Array = NDArray[np.float64]
Function = Literal["ln", "sqrt", "floor"]


@dataclass(frozen=True)
class Number:
    """A constant."""

    value: float


@dataclass(frozen=True)
class Value:
    """The number in a column; where it is missing there is no result."""

    column: str


@dataclass(frozen=True)
class Result:
    """What was worked out before, by its name."""

    name: str


@dataclass(frozen=True)
class Plus:
    """A sum."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Times:
    """A product."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Quotient:
    """One expression divided by another."""

    above: Expression
    below: Expression


@dataclass(frozen=True)
class Call:
    """A function of one argument."""

    function: Function
    of: Expression


@dataclass(frozen=True)
class Below:
    """Whether an expression is below a number."""

    of: Expression
    bound: float


@dataclass(frozen=True)
class AtLeast:
    """Whether an expression is as large as a number, or larger."""

    of: Expression
    bound: float


@dataclass(frozen=True)
class Is:
    """Whether a column holds this level."""

    column: str
    level: object


@dataclass(frozen=True)
class Lacks:
    """Whether one of the columns lacks a value."""

    columns: tuple[str, ...]


@dataclass(frozen=True)
class Has:
    """Whether all of the columns have a value."""

    columns: tuple[str, ...]


@dataclass(frozen=True)
class Choice:
    """The expression of the first condition that holds; where none does there is no result."""

    cases: tuple[tuple[Condition, Expression], ...]


Condition = Below | AtLeast | Is | Lacks | Has
Expression = Number | Value | Result | Plus | Times | Quotient | Call | Choice


@dataclass(frozen=True, eq=False)
class Case:
    """Model columns as polynomials of an argument, where a condition holds.

    Attributes
    ----------
    when : Condition or None
        None where they are so everywhere.
    argument : Expression
    coefficients : array of shape (order, m)
        By rising power.
    """

    when: Condition | None
    argument: Expression
    coefficients: Array


def columns_with_level(of: Expression, level: object) -> set[str]:
    """The columns of which a level is asked for."""
    match of:
        case Plus(parts) | Times(parts):
            return set().union(*(columns_with_level(part, level) for part in parts))
        case Quotient(above, below):
            return columns_with_level(above, level) | columns_with_level(below, level)
        case Call(_, inner):
            return columns_with_level(inner, level)
        case Choice(cases):
            asked = {when.column for when, _ in cases if isinstance(when, Is) and when.level == level}
            return asked.union(*(columns_with_level(part, level) for _, part in cases))
    return set()


def shifted(of: Expression, by: float) -> Expression:
    """Add a number to an expression."""
    return Plus((of, Number(by)))


def scaled(of: Expression, low: float, high: float) -> Expression:
    """Where an expression lies between two ends, taken as 0 and 1."""
    return Quotient(shifted(of, -low), Number(high - low))


def fraction(of: Expression) -> Expression:
    """What is left of an expression beyond the whole number below it."""
    return Plus((of, Times((Number(-1.0), Call("floor", of)))))


def between(of: Expression, low: float, high: float) -> Expression:
    """Keep an expression between two numbers."""
    return Choice(
        (
            (Below(of, low), Number(low)),
            (Below(of, high), of),
            (AtLeast(of, high), Number(high)),
        )
    )


def cases_of_pieces(pieces: PiecewiseBasis, place: Expression) -> tuple[Case, ...]:
    """One case for each interval, counted from where its polynomials are."""
    last = len(pieces.breaks)
    conditions: list[Condition] = [Below(place, float(end)) for end in pieces.breaks]
    conditions.append(AtLeast(place, float(pieces.breaks[-1])))
    return tuple(
        Case(conditions[number], shifted(place, -float(pieces.origins[number])), pieces.coefficients[:, number])
        for number in range(last + 1)
    )


def cases_by_level(column: str, levels: Sequence[object], rows: Array, permit_unseen: bool) -> tuple[Case, ...]:
    """One case for each level, whose model columns are a row; zeros for other levels where they are permitted."""
    known = [
        Case(Is(column, level), Number(0.0), row[None]) for level, row in zip(levels, rows[: len(levels)], strict=True)
    ]
    others = Case(Has((column,)), Number(0.0), np.zeros((1, rows.shape[1])))
    return (*known, others) if permit_unseen else tuple(known)


def add_cases(margins: Sequence[Sequence[Case]], theta: Array) -> Expression:
    """Sum products of model columns, one of each margin, times coefficients of shape (m_1, m_2, ...)."""
    if not margins:
        return Number(float(theta))
    first, *others = margins
    parts = [(case.when, _polynomial(case, others, theta)) for case in first]
    (when, alone), *rest = parts
    if when is None and not rest:
        return alone
    return Choice(tuple((when, part) for when, part in parts if when is not None))


def _polynomial(case: Case, others: Sequence[Sequence[Case]], theta: Array) -> Expression:
    """The polynomial of a case by Horner's rule, the coefficients of which may be expressions of other columns."""
    contracted = [np.tensordot(row, theta, axes=(0, 0)) for row in case.coefficients]
    while len(contracted) > 2 and not contracted[-1].any():  # a line keeps its slope: it tells of missing values
        contracted.pop()
    *lower, value = (add_cases(others, part) for part in contracted)
    for part in reversed(lower):
        value = Plus((Times((value, case.argument)), part))
    return value
