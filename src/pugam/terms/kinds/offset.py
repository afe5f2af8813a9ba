"""Offsets, `offset(log_effort)`: a known part of the log density ratio, added as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pugam.data import Column, require_numeric
from pugam.errors import InputError
from pugam.nodes import Node
from pugam.terms.axes import Axis, number_axis
from pugam.terms.basis import Basis, Encoded
from pugam.terms.expressions import Expression, Value, shifted
from pugam.terms.gaps import complete_numbers
from pugam.terms.options import JointMissingPolicy, MissingPolicy, check_column
from pugam.terms.ranges import FARTHEST_PLACE
from pugam.terms.shelf import Shelf
from pugam.terms.splines import PiecewiseBasis
from pugam.terms.term import Term, register_term

__all__ = ["Offset", "OffsetBasis", "offset"]

Array = NDArray[np.float64]

WIDEST_RANGE = 700.0  # of log odds: what differs more has odds that no number holds


@register_term
@dataclass(frozen=True)
class Offset(Term):
    """A known part of the log density ratio; see `offset`."""

    column: str

    function: ClassVar[str] = "offset"
    kind: ClassVar[str] = "offset"
    purpose: ClassVar[str] = "for a known part"
    is_known: ClassVar[bool] = True
    options: ClassVar = {}
    missing: ClassVar[MissingPolicy] = "error"  # type: ignore[misc]

    def __post_init__(self) -> None:
        check_column(self.column)

    @property
    def columns(self) -> tuple[str, ...]:
        """Its one column."""
        return (self.column,)

    @property
    def spans(self) -> frozenset[frozenset[str]]:
        """None: it has no effect to estimate, so `s(x)` beside `offset(x)` is how x departs from what is known."""
        return frozenset()

    @property
    def gap_policy(self) -> JointMissingPolicy:
        """None to advise: what is known of other rows says nothing about a gap."""
        return "error"

    def resolve(self, columns: Sequence[Column]) -> OffsetBasis:
        """Find the range of the column, which may be a single value."""
        (column,) = columns
        values = require_numeric(column, self.label)
        lower, upper = float(values.min()), float(values.max())
        if not upper / 2.0 - lower / 2.0 <= WIDEST_RANGE / 2.0:
            raise InputError(
                f"{self.label}: column {column.name!r} runs from {lower:g} to {upper:g}, but an offset is added to log "
                "odds; take logarithms of a rate, an effort or a ratio first."
            )
        return OffsetBasis(self, lower, upper)

    def restore(self, found: Node, shelf: Sequence[PiecewiseBasis]) -> OffsetBasis:
        """Read the range."""
        parts = found.fields("lower", "upper")
        lower = parts["lower"].number()
        return OffsetBasis(self, lower, parts["upper"].number(lower, lower + WIDEST_RANGE))


@dataclass(frozen=True)
class OffsetBasis(Basis):
    """The column less the middle of its range, without model columns: there is nothing to estimate."""

    spec: Offset
    lower: float
    upper: float

    @property
    def size(self) -> int:
        """No model columns."""
        return 0

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The range; values beyond it are as good as any."""
        return (number_axis(self.spec.column, self.lower, self.upper, open=True),)

    def encode(self, columns: Sequence[Column]) -> Encoded:
        """Check that the column is numeric and complete."""
        return complete_numbers(columns[0], self.spec)

    def columns(self, encoded: Encoded) -> Array:
        """No columns: shape (n, 0)."""
        return np.empty((len(encoded), 0))

    def known(self, encoded: Encoded) -> Array:
        """The values, zero at the middle of their range."""
        middle = self.lower / 2.0 + self.upper / 2.0
        return np.clip(np.asarray(encoded, dtype=np.float64) - middle, -FARTHEST_PLACE, FARTHEST_PLACE)

    def effect(self, encoded: Encoded, theta: Array) -> Array:
        """The values, zero at the middle of their range."""
        return self.known(encoded)

    def expression(self, theta: Array) -> Expression:
        """The values less the middle of their range."""
        return shifted(Value(self.spec.column), -(self.lower / 2.0 + self.upper / 2.0))

    def known_slopes(self, encoded: Encoded, along: int = 0) -> Array:
        """One, everywhere."""
        return np.ones(len(encoded))

    def slopes(self, encoded: Encoded, along: int = 0) -> Array:
        """No columns."""
        return np.empty((len(encoded), 0))

    def found(self, shelf: Shelf) -> dict[str, Any]:
        """The range."""
        return {"lower": self.lower, "upper": self.upper}


def offset(column: str) -> Offset:
    """Add a numeric column to the log density ratio as it is, with coefficient one.

    For what is known beforehand: the logarithm of a sampling effort, a published risk score on the scale of log odds.
    In the model it is zero at the middle of its range, and the intercept alpha takes up the rest. It is shown as other
    effects are, with mean zero over the unlabelled rows.

    Examples
    --------
    >>> from pugam import offset
    >>> offset("log_effort").label
    'offset(log_effort)'
    """
    return Offset(column)
