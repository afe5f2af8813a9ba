"""Curves that vary with another column, `s(age, by=site)`: one for each level, or one times a number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.data import Column, require_numeric
from pugam.errors import InputError
from pugam.nodes import Node
from pugam.terms.axes import Axis, level_axis, number_axis
from pugam.terms.basis import Basis, Encoded, Penalty
from pugam.terms.expressions import (
    Choice,
    Condition,
    Expression,
    Has,
    Is,
    Number,
    Quotient,
    Times,
    Value,
    shifted,
)
from pugam.terms.gaps import complete_numbers, refuse_missing
from pugam.terms.levels import encode_levels, find_levels, read_levels
from pugam.terms.options import read_range
from pugam.terms.ranges import bounded, observed_range, unit_interval
from pugam.terms.shelf import Shelf
from pugam.terms.splines import PiecewiseBasis
from pugam.terms.tensor_basis import multiply, refuse_size
from pugam.terms.term import Term

__all__ = ["CommonCurve", "CurveByLevel", "CurveTimesNumber", "resolve_varying", "restore_varying"]

Array = NDArray[np.float64]
Numbers = NDArray[np.intp]


def resolve_varying(spec: Term, curve: Basis, column: Column, permit_unseen: bool) -> CurveByLevel | CurveTimesNumber:
    """Let a curve vary with a column, according to what that holds."""
    if column.kind == "category":
        by_level = CurveByLevel(spec, curve, find_levels(spec, column), permit_unseen)
        refuse_size(by_level)
        return by_level
    return CurveTimesNumber(spec, curve, *observed_range(spec, column, require_numeric(column, spec.label)))


def restore_varying(
    spec: Term, plain: Term, found: Node, shelf: Sequence[PiecewiseBasis], permit_unseen: bool
) -> CurveByLevel | CurveTimesNumber:
    """Restore the curve, for which the term stands without the other column, and what that column holds."""
    if isinstance(found.value, dict) and "levels" in found.value:
        parts = found.fields("curve", "levels")
        levels = read_levels(parts["levels"])
        by_level = CurveByLevel(spec, plain.restore(parts["curve"], shelf), levels, permit_unseen)
        refuse_size(by_level, found)
        return by_level
    parts = found.fields("curve", "lower", "upper")
    return CurveTimesNumber(spec, plain.restore(parts["curve"], shelf), *read_range(parts["lower"], parts["upper"]))


@dataclass(frozen=True)
class CurveByLevel(Basis):
    """A curve for each level of another column, each centred and smoothed by itself.

    Means of levels are no part of it: they are the effects of a factor.
    """

    spec: Term
    inner: Basis
    levels: tuple[object, ...]
    permit_unseen: bool = False

    @property
    def size(self) -> int:
        """The columns of the curve, for each level."""
        return len(self.levels) * self.inner.size

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The range of the curve, and the levels."""
        return (*self.inner.axes, level_axis(self.spec.columns[1], self.levels, self.permit_unseen))

    @property
    def spans(self) -> frozenset[frozenset[str]]:
        """Curves of all levels contain the one that they have in common."""
        return frozenset({frozenset(self.inner.spec.columns), frozenset(self.spec.columns)})

    @cached_property
    def penalties(self) -> tuple[Penalty, ...]:
        """Those of the curve, for each level."""
        return tuple(
            Penalty(np.asarray(np.kron(of_level, penalty.diagonal), np.float64), str(level))
            for level, of_level in zip(self.levels, np.eye(len(self.levels)), strict=True)
            for penalty in self.inner.penalties
        )

    @property
    def constraints(self) -> Array:
        """Those of the curve, for each level."""
        return np.asarray(np.kron(np.eye(len(self.levels)), self.inner.constraints), np.float64)

    def encode(self, columns: Sequence[Column]) -> Encoded:
        """Encode the column of the curve, and the levels: shape (n, 2)."""
        for column in columns:
            refuse_missing(column, self.spec)
        codes = encode_levels(self.spec, columns[1], self.levels, self.permit_unseen)
        return np.column_stack([self.inner.encode(columns[:1]), codes]).astype(np.float64)

    def columns(self, encoded: Encoded) -> Array:
        """Evaluate the curve in the columns of each row's level; unseen levels have zeros."""
        return self._spread(encoded, self.inner.columns(encoded[:, 0]))

    def expression(self, theta: Array) -> Expression | None:
        """The curve of each level."""
        column = self.spec.columns[1]
        curves = [self.inner.expression(part) for part in np.split(theta, len(self.levels))]
        known: list[tuple[Condition, Expression]] = [
            (Is(column, level), curve) for level, curve in zip(self.levels, curves, strict=True) if curve is not None
        ]
        if len(known) < len(curves):
            return None
        others = (Has(self.spec.columns), Number(0.0))
        return Choice((*known, others) if self.permit_unseen else tuple(known))

    def slopes(self, encoded: Encoded, along: int = 0) -> Array:
        """Evaluate the derivatives of the curve."""
        if along:
            raise InputError(
                f"{self.spec.label} has no derivative along {self.spec.columns[along]}, which holds levels; compare "
                "them with odds_ratio."
            )
        return self._spread(encoded, self.inner.slopes(encoded[:, 0]))

    def _spread(self, encoded: Encoded, values: Array) -> Array:
        is_level = encoded[:, 1, None] == np.arange(len(self.levels))
        return multiply(is_level.astype(np.float64), values)

    @property
    def orders(self) -> Numbers:
        """Those of the curve, for each level."""
        return np.tile(self.inner.orders, len(self.levels))

    @property
    def bends(self) -> NDArray[np.bool_] | None:
        """Those of the curve, for each level."""
        return None if self.inner.bends is None else np.tile(self.inner.bends, len(self.levels))

    def coarse(self, n_functions: int) -> tuple[CurveByLevel, Numbers]:
        """Coarsen the curve."""
        inner, kept = self.inner.coarse(n_functions)
        starts = self.inner.size * np.arange(len(self.levels))
        return replace(self, inner=inner), (starts[:, None] + kept).ravel()

    def on_log_scale(self, columns: Sequence[Column]) -> CurveByLevel:
        """Take logarithms in the curve, if it does."""
        inner = self.inner.on_log_scale(columns[:1])
        return self if inner is self.inner else replace(self, spec=_rescaled(self.spec, inner), inner=inner)

    def found(self, shelf: Shelf) -> dict[str, Any]:
        """What the curve found, and the levels."""
        return {"curve": self.inner.found(shelf), "levels": list(self.levels)}

    def common(self, column: str) -> CommonCurve | None:
        """One curve for all levels."""
        return CommonCurve(self) if column == self.spec.columns[1] else None


@dataclass(frozen=True)
class CommonCurve(Basis):
    """One curve in place of those of all levels, along the same encoded values."""

    by: CurveByLevel

    @property
    def spec(self) -> Term:  # type: ignore[override]
        """The term as the user wrote it."""
        return self.by.spec

    def alone(self, encoded: Encoded) -> tuple[Basis, Encoded]:
        """The curve, and its own values."""
        return self.by.inner, encoded[:, 0]

    @property
    def varying(self) -> CurveByLevel:
        """A curve for each level."""
        return self.by

    @property
    def size(self) -> int:
        """Those of the curve."""
        return self.by.inner.size

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The range of the curve, and the levels."""
        return self.by.axes

    @property
    def penalties(self) -> tuple[Penalty, ...]:
        """Those of the curve."""
        return self.by.inner.penalties

    @property
    def priors(self) -> tuple[Penalty, ...]:
        """Those of the curve."""
        return self.by.inner.priors

    def encode(self, columns: Sequence[Column]) -> Encoded:
        """Encode the column of the curve, and the levels: shape (n, 2)."""
        return self.by.encode(columns)

    def columns(self, encoded: Encoded) -> Array:
        """Evaluate the curve, whatever the level."""
        return self.by.inner.columns(encoded[:, 0])

    @property
    def pieces(self) -> PiecewiseBasis | None:
        """Those of the curve."""
        return self.by.inner.pieces

    def places(self, encoded: Encoded) -> Array:
        """Where the curve puts its values."""
        return self.by.inner.places(encoded[:, 0])

    @property
    def orders(self) -> Numbers:
        """Those of the curve."""
        return self.by.inner.orders

    @property
    def bends(self) -> NDArray[np.bool_] | None:
        """Those of the curve."""
        return self.by.inner.bends

    def coarse(self, n_functions: int) -> tuple[CommonCurve, Numbers]:
        """Coarsen the curve."""
        inner, kept = self.by.inner.coarse(n_functions)
        return CommonCurve(replace(self.by, inner=inner)), kept

    def found(self, shelf: Shelf) -> dict[str, Any]:
        """What the curve found, and the levels."""
        return self.by.found(shelf)


@dataclass(frozen=True)
class CurveTimesNumber(Basis):
    """A number times a curve that is not centred: how the number's slope changes along the column of the curve.

    The number is divided by the largest one seen, in size, so that coefficients and smoothing have no units.
    """

    spec: Term
    inner: Basis
    lower: float
    upper: float

    @property
    def size(self) -> int:
        """A constant, and the columns of the curve."""
        return 1 + self.inner.size

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The ranges of the curve and of the number."""
        return (*self.inner.axes, number_axis(self.spec.columns[1], self.lower, self.upper))

    @property
    def spans(self) -> frozenset[frozenset[str]]:
        """With a curve that is constant, it is a line in the number."""
        return frozenset({frozenset(self.spec.columns[1:]), frozenset(self.spec.columns)})

    @cached_property
    def penalties(self) -> tuple[Penalty, ...]:
        """Those of the curve; its mean is not penalised."""
        return tuple(replace(penalty, diagonal=np.append(0.0, penalty.diagonal)) for penalty in self.inner.penalties)

    @property
    def constraints(self) -> Array:
        """Those of the curve."""
        constraints = self.inner.constraints
        return np.column_stack([np.zeros(len(constraints)), constraints])

    def encode(self, columns: Sequence[Column]) -> Encoded:
        """Encode the column of the curve, and the numbers: shape (n, 2)."""
        refuse_missing(columns[0], self.spec)
        return np.column_stack([self.inner.encode(columns[:1]), complete_numbers(columns[1], self.spec)]).astype(
            np.float64
        )

    def columns(self, encoded: Encoded) -> Array:
        """Evaluate the curve, times the number."""
        curve = np.column_stack([np.ones(len(encoded)), bounded(self.inner.columns(encoded[:, 0]), 2)])
        return curve * bounded(self._scaled(encoded[:, 1]), 2)

    def expression(self, theta: Array) -> Expression | None:
        """The curve, times the number."""
        curve = self.inner.expression(theta[1:])
        if curve is None:
            return None
        scaled = Quotient(Value(self.spec.columns[1]), Number(max(abs(self.lower), abs(self.upper))))
        return Times((shifted(curve, float(theta[0])), scaled))

    def slopes(self, encoded: Encoded, along: int = 0) -> Array:
        """Evaluate the derivatives of the curve, times the number; along the number, the curve itself."""
        if along:
            return self._curve(encoded) * self._scaled(np.ones(len(encoded)))
        slopes = self.inner.slopes(encoded[:, 0])
        return np.column_stack([np.zeros(len(slopes)), slopes]) * self._scaled(encoded[:, 1])

    def _curve(self, encoded: Encoded) -> Array:
        return np.column_stack([np.ones(len(encoded)), self.inner.columns(encoded[:, 0])])

    def _scaled(self, numbers: Encoded) -> Array:
        return unit_interval(numbers, 0.0, max(abs(self.lower), abs(self.upper)))[:, None]

    @property
    def orders(self) -> Numbers:
        """Those of the curve."""
        return np.append(0, self.inner.orders)

    @property
    def bends(self) -> NDArray[np.bool_] | None:
        """Those of the curve."""
        return None if self.inner.bends is None else np.append(False, self.inner.bends)

    def coarse(self, n_functions: int) -> tuple[CurveTimesNumber, Numbers]:
        """Coarsen the curve."""
        inner, kept = self.inner.coarse(n_functions)
        return replace(self, inner=inner), np.append(0, 1 + kept)

    def on_log_scale(self, columns: Sequence[Column]) -> CurveTimesNumber:
        """Take logarithms in the curve, if it does."""
        inner = self.inner.on_log_scale(columns[:1])
        return self if inner is self.inner else replace(self, spec=_rescaled(self.spec, inner), inner=inner)

    def found(self, shelf: Shelf) -> dict[str, Any]:
        """What the curve found, and the range of the number."""
        return {"curve": self.inner.found(shelf), "lower": self.lower, "upper": self.upper}


def _rescaled(spec: Term, curve: Basis) -> Term:
    """The term with the scale that its curve found."""
    return replace(spec, scale=curve.spec.scale)  # type: ignore[type-var,attr-defined]
