"""Linear terms, `l(dose)` or just `dose`: a straight line in a numeric column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, get_args

import numpy as np
from numpy.typing import NDArray

from pugam.data import Column, require_numeric
from pugam.nodes import Node
from pugam.terms.axes import Axis, number_axis
from pugam.terms.basis import Basis, Comparison, Encoded, LevelInDoubt
from pugam.terms.expressions import Case, Value, scaled, shifted
from pugam.terms.gaps import complete_numbers
from pugam.terms.options import MISSING, MissingPolicy, check_choice, check_column, read_range
from pugam.terms.ranges import observed_range, unit_interval, warn_of_far_values
from pugam.terms.shelf import Shelf
from pugam.terms.splines import PiecewiseBasis
from pugam.terms.term import Term, register_term

__all__ = ["Linear", "LinearBasis", "l"]

Array = NDArray[np.float64]

ROUNDING = 1e-9  # of the rows in doubt


@register_term
@dataclass(frozen=True)
class Linear(Term):
    """A straight line in a numeric column; see `l`."""

    column: str
    missing: MissingPolicy = "error"

    function: ClassVar[str] = "l"
    kind: ClassVar[str] = "linear"
    is_margin: ClassVar[bool] = True
    purpose: ClassVar[str] = "for a line"
    options: ClassVar = {"missing": MISSING}

    def __post_init__(self) -> None:
        check_column(self.column)
        check_choice(self.label, "missing", self.missing, get_args(MissingPolicy))

    @property
    def columns(self) -> tuple[str, ...]:
        """Its one column."""
        return (self.column,)

    def resolve(self, columns: Sequence[Column]) -> LinearBasis:
        """Find the range of the column."""
        (column,) = columns
        values = require_numeric(column, self.label)
        seen = observed_range(self, column, values)
        warn_of_far_values(self, column, values, seen)
        return LinearBasis(self, *seen)

    def restore(self, found: Node, shelf: Sequence[PiecewiseBasis]) -> LinearBasis:
        """Read the range."""
        parts = found.fields("lower", "upper")
        return LinearBasis(self, *read_range(parts["lower"], parts["upper"]))


@dataclass(frozen=True)
class LinearBasis(Basis):
    """A straight line, zero at the middle of the range and rising by one over it."""

    spec: Linear
    lower: float
    upper: float

    @property
    def size(self) -> int:
        """One column."""
        return 1

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The range."""
        return (number_axis(self.spec.column, self.lower, self.upper),)

    def margin(self, n_functions: int) -> LinearBasis:
        """The line itself."""
        return replace(self, spec=replace(self.spec, missing="error"))

    def encode(self, columns: Sequence[Column]) -> Encoded:
        """Check that the column is numeric and complete."""
        return complete_numbers(columns[0], self.spec)

    def columns(self, encoded: Encoded) -> Array:
        """Scale and centre: shape (n, 1)."""
        return self.places(encoded)[:, None] - 0.5

    @cached_property
    def pieces(self) -> PiecewiseBasis:
        """One line, within the range and beyond."""
        coefficients = np.array([[-0.5, -0.5, 0.5], [1.0, 1.0, 1.0]])[:, :, None]
        return PiecewiseBasis(np.array([0.0, 1.0]), np.array([0.0, 0.0, 1.0]), coefficients, np.zeros(1))

    def places(self, encoded: Encoded) -> Array:
        """Where values lie within the range."""
        return unit_interval(encoded, self.lower, self.upper)

    def cases(self) -> tuple[Case, ...]:
        """One line everywhere."""
        place = scaled(Value(self.spec.column), self.lower, self.upper)
        return (Case(None, shifted(place, -0.5), np.array([[0.0], [1.0]])),)

    def effect(self, encoded: Encoded, theta: Array) -> Array:
        """Evaluate the line."""
        (slope,) = theta
        line: Array = (self.places(encoded) - 0.5) * slope
        return line

    def slopes(self, encoded: Encoded, along: int = 0) -> Array:
        """Return the slope of the line, everywhere the same."""
        return np.full((len(encoded), 1), 1.0 / (self.upper - self.lower))

    def comparisons(self) -> Iterator[Comparison]:
        """The slope per unit of the column."""
        yield Comparison("", np.ones(1) / (self.upper - self.lower))

    def levels_in_doubt(self, everywhere: float, sums: Array, squares: Array, theta: Array) -> Iterator[LevelInDoubt]:
        """The two values of a binary column count as levels."""
        (slope,) = theta
        upper = everywhere / 2.0 + float(sums.sum())  # of rows, each as far as it lies above the lower end
        between = everywhere / 4.0 - float(squares.sum())  # products of the distances from both ends
        if between <= ROUNDING * everywhere:
            yield LevelInDoubt(f"= {self.lower:g}", everywhere - upper, -float(slope))
            yield LevelInDoubt(f"= {self.upper:g}", upper, float(slope))

    def curve(self, t: Array) -> Array:
        """Evaluate the line."""
        return self.columns(self.lower + t * (self.upper - self.lower))

    def found(self, shelf: Shelf) -> dict[str, Any]:
        """The range."""
        return {"lower": self.lower, "upper": self.upper}


def l(column: str, missing: MissingPolicy = "error") -> Linear:  # noqa: E743
    """Ask for a linear effect of a numeric column, centred at the middle of its range.

    Examples
    --------
    >>> from pugam import l
    >>> l("dose").label
    'l(dose)'
    """
    return Linear(column, missing)
