"""Terms whose missing values have an effect of their own, or none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.data import Column, require_numeric
from pugam.errors import InputError
from pugam.nodes import Node
from pugam.terms.axes import Axis, as_objects
from pugam.terms.basis import STRAIGHT, Basis, Comparison, Encoded, LevelInDoubt, Penalty
from pugam.terms.expressions import Choice, Expression, Has, Lacks, Number
from pugam.terms.gaps import missing_rows, refuse_missing
from pugam.terms.levels import MISSING_CODE, UNSEEN_CODE
from pugam.terms.shelf import Shelf
from pugam.terms.splines import PiecewiseBasis
from pugam.terms.term import Term

__all__ = ["MissingBasis", "SkippingBasis", "read_stand_ins", "resolve_term", "with_gaps"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


def resolve_term(term: Term, columns: Sequence[Column]) -> Basis:
    """Let a term meet its columns; missing values get an effect of their own, or none, where the term says so.

    Raises `InputError` for a column that the term cannot use, and warns where it had to be changed.
    """
    missing = missing_rows(columns)
    if not missing.any():
        return term.resolve(columns)
    _require_values(term, columns, missing)
    present = [replace(column, values=column.values[~missing]) for column in columns]
    inner = term.resolve(present)
    return with_gaps(inner, tuple(map(_stand_in, inner.axes, present)))


def _require_values(term: Term, columns: Sequence[Column], missing: np.ndarray) -> None:
    """Refuse missing values that the term cannot have, or that leave nothing to fit."""
    empty = next((column for column in columns if column.missing.all()), None)
    if empty is not None:
        raise InputError(f"{term.label}: column {empty.name!r} has no values at all; leave it out.")
    if term.missing == "error":
        for column in columns:
            refuse_missing(column, term)
    if missing.all():
        raise InputError(f"{term.label}: every row lacks a value in one of its columns; leave the term out.")


def with_gaps(inner: Basis, stand_ins: tuple[object, ...]) -> SkippingBasis:
    """Let a term take rows that lack values, as it says."""
    return (SkippingBasis if inner.spec.missing == "zero" else MissingBasis)(inner, stand_ins)


def _stand_in(axis: Axis, column: Column) -> object:
    """A value that a term can take: a level, or the median of the numbers there are, whatever their weights."""
    return float(np.median(column.values.astype(float))) if axis.is_numeric else column.values[0]


@dataclass(frozen=True)
class SkippingBasis(Basis):
    """Any term, whose columns are zero where a value is missing.

    `stand_ins`, one for each column of the table, stand in the gaps while other values are encoded.
    """

    inner: Basis
    stand_ins: tuple[Any, ...]

    def in_gaps(self) -> tuple[Any, ...]:
        """Return the stand-ins."""
        return self.stand_ins

    @property
    def spec(self) -> Term:  # type: ignore[override]
        """The term as the user wrote it."""
        return self.inner.spec

    @property
    def size(self) -> int:
        """As many columns."""
        return self.inner.size

    @property
    def axes(self) -> tuple[Axis, ...]:
        """Those of the inner term."""
        return self.inner.axes

    @property
    def spans(self) -> frozenset[frozenset[str]]:
        """Those of the inner term."""
        return self.inner.spans

    @property
    def penalties(self) -> tuple[Penalty, ...]:
        """Those of the inner term."""
        return self.inner.penalties

    @property
    def priors(self) -> tuple[Penalty, ...]:
        """Those of the inner term."""
        return self.inner.priors

    @property
    def constraints(self) -> Array:
        """Those of the inner term."""
        return self.inner.constraints

    def common(self, column: str) -> Basis | None:
        """The same for the common inner term."""
        inner = self.inner.common(column)
        return None if inner is None else replace(self, inner=inner)

    def alone(self, encoded: Encoded) -> tuple[Basis, Encoded]:
        """The same for the inner term, whose gaps are NaN."""
        inner, values = self.inner.alone(encoded)
        if inner is self.inner:
            return self, encoded
        return replace(self, inner=inner, stand_ins=self.stand_ins[: len(inner.axes)]), values

    @property
    def varying(self) -> Basis:
        """The same for the inner term that varies."""
        inner = self.inner.varying
        return self if inner is self.inner else replace(self, inner=inner)

    def encode(self, columns: Sequence[Column]) -> Encoded:
        """Encode the values there are; missing ones become NaN (numbers) or a code of their own (levels)."""
        missing = missing_rows(columns)
        filled = [
            self._filled(axis, column, stand_in)
            for axis, column, stand_in in zip(self.axes, columns, self.stand_ins, strict=True)
        ]
        encoded = self.inner.encode(filled).copy()
        encoded[missing] = MISSING_CODE if encoded.dtype == np.int32 else np.nan
        return encoded

    def _filled(self, axis: Axis, column: Column, stand_in: Any) -> Column:
        missing = column.missing
        if missing.all():  # such a column has lost its type
            values = np.full(len(missing), stand_in, dtype=float if axis.is_numeric else object)
        elif axis.is_numeric:
            values = require_numeric(column, self.spec.label).copy()
        else:
            values = column.values.astype(object)
        values[missing] = stand_in
        return replace(column, kind="numeric" if axis.is_numeric else "category", values=values)

    def columns(self, encoded: Encoded) -> Array:
        """Evaluate the inner columns where there is a value."""
        missing, filled = self._split(encoded)
        inner = self.inner.columns(filled)
        inner[missing] = 0.0
        return inner

    def effect(self, encoded: Encoded, theta: Array) -> Array:
        """Evaluate the inner effect where there is a value."""
        missing, filled = self._split(encoded)
        return np.where(missing, 0.0, self.inner.effect(filled, theta))

    def expression(self, theta: Array) -> Expression | None:
        """The inner effect where there is a value."""
        return self._with_gaps(self.inner.expression(theta), 0.0)

    def _with_gaps(self, inner: Expression | None, effect: float) -> Expression | None:
        columns = tuple(axis.column for axis in self.axes)
        if inner is None:
            return None
        return Choice(((Lacks(columns), Number(effect)), (Has(columns), inner)))

    def slopes(self, encoded: Encoded, along: int = 0) -> Array:
        """Evaluate the inner derivatives; a missing value has none."""
        missing, filled = self._split(encoded)
        inner = self.inner.slopes(filled, along)
        inner[missing] = np.nan
        return inner

    def _split(self, encoded: Encoded) -> tuple[Flags, Encoded]:
        """Which values are missing, and values with something the inner term can take in their place."""
        filled = encoded.copy()
        if encoded.dtype == np.int32:
            missing = encoded == MISSING_CODE
            filled[missing] = UNSEEN_CODE
            return missing, filled
        missing = np.asarray(np.isnan(encoded) if encoded.ndim == 1 else np.isnan(encoded).any(axis=1))
        filled[missing] = self._encoded_stand_ins
        return missing, filled

    @cached_property
    def _encoded_stand_ins(self) -> Any:
        pairs = zip(self.axes, self.stand_ins, strict=True)
        columns = [axis.read(self.spec.label, as_objects([stand_in])) for axis, stand_in in pairs]
        return self.inner.encode(columns)[0]

    @property
    def orders(self) -> NDArray[np.intp]:
        """Those of the inner term."""
        return self.inner.orders

    @property
    def equals(self) -> NDArray[np.intp]:
        """Those of the inner term."""
        return self.inner.equals

    @property
    def bends(self) -> Flags | None:
        """Those of the inner term."""
        return self.inner.bends

    def coarse(self, n_functions: int) -> tuple[Basis, NDArray[np.intp]]:
        """Coarsen the inner term."""
        inner, kept = self.inner.coarse(n_functions)
        return replace(self, inner=inner), kept

    def on_log_scale(self, columns: Sequence[Column]) -> Basis:
        """Take logarithms in the inner term, if it does."""
        inner = self.inner.on_log_scale(columns)
        return self if inner is self.inner else replace(self, inner=inner)

    def comparisons(self) -> Iterator[Comparison]:
        """Those of the inner term."""
        return self.inner.comparisons()

    @property
    def is_tested_jointly(self) -> bool:
        """As the inner term is."""
        return self.inner.is_tested_jointly

    @property
    def has_levels(self) -> bool:
        """As the inner term."""
        return self.inner.has_levels

    @property
    def is_random(self) -> bool:
        """As the inner term; an effect of gaps, which no distribution restrains, is tested like any other direction."""
        return self.inner.is_random

    def levels_in_doubt(self, everywhere: float, sums: Array, squares: Array, theta: Array) -> Iterator[LevelInDoubt]:
        """Those of the inner term."""
        return self.inner.levels_in_doubt(everywhere, sums, squares, theta)

    def found(self, shelf: Shelf) -> dict[str, Any]:
        """What the inner term found."""
        return self.inner.found(shelf)


@dataclass(frozen=True)
class MissingBasis(SkippingBasis):
    """Any term, and one more column that is one where a value is missing; the others are zero there.

    To the stand-ins a summary compares missing values.
    """

    @property
    def size(self) -> int:
        """One column more."""
        return self.inner.size + 1

    @cached_property
    def penalties(self) -> tuple[Penalty, ...]:
        """Those of the inner term; the effect of missing values is not penalised."""
        return tuple(replace(penalty, diagonal=np.append(penalty.diagonal, 0.0)) for penalty in self.inner.penalties)

    @cached_property
    def priors(self) -> tuple[Penalty, ...]:
        """Those of the inner term; the effect of missing values is like that of a level."""
        inner = (replace(prior, diagonal=np.append(prior.diagonal, 0.0)) for prior in self.inner.priors)
        return (*inner, Penalty(np.eye(self.size)[-1], STRAIGHT))

    @property
    def constraints(self) -> Array:
        """Those of the inner term."""
        inner = self.inner.constraints
        return np.column_stack([inner, np.zeros(len(inner))])

    @property
    def has_missing_effect(self) -> bool:
        """It is what this class is for."""
        return True

    def columns(self, encoded: Encoded) -> Array:
        """Evaluate the inner columns where there is a value, and an indicator of missing values."""
        missing, filled = self._split(encoded)
        inner = self.inner.columns(filled)
        inner[missing] = 0.0
        return np.column_stack([inner, missing])

    @cached_property
    def pieces(self) -> PiecewiseBasis | None:
        """The inner polynomials, and a constant for missing values."""
        return None if self.inner.pieces is None else self.inner.pieces.with_missing()

    def places(self, encoded: Encoded) -> Array:
        """Where the values there are lie; NaN where there is none."""
        missing, filled = self._split(encoded)
        return np.where(missing, np.nan, self.inner.places(filled))

    def effect(self, encoded: Encoded, theta: Array) -> Array:
        """Evaluate the inner effect where there is a value, and that of missing values elsewhere."""
        missing, filled = self._split(encoded)
        return np.where(missing, theta[-1], self.inner.effect(filled, theta[:-1]))

    def expression(self, theta: Array) -> Expression | None:
        """The inner effect where there is a value, and that of missing values elsewhere."""
        return self._with_gaps(self.inner.expression(theta[:-1]), float(theta[-1]))

    def slopes(self, encoded: Encoded, along: int = 0) -> Array:
        """Evaluate the inner derivatives; a missing value has none."""
        return np.column_stack([super().slopes(encoded, along), np.zeros(len(encoded))])

    @property
    def orders(self) -> NDArray[np.intp]:
        """Those of the inner term."""
        return np.append(self.inner.orders, 0)

    @property
    def equals(self) -> NDArray[np.intp]:
        """Those of the inner term; the effect of gaps has none."""
        return np.append(self.inner.equals, -1)

    @property
    def bends(self) -> Flags | None:
        """Those of the inner term."""
        return None if self.inner.bends is None else np.append(self.inner.bends, False)

    def coarse(self, n_functions: int) -> tuple[Basis, NDArray[np.intp]]:
        """Coarsen the inner term; the effect of missing values stays."""
        coarse, kept = super().coarse(n_functions)
        return coarse, np.append(kept, self.inner.size)

    def comparisons(self) -> Iterator[Comparison]:
        """Those of the inner term, and missing values against the column's median, or the mean of levels.

        The zero of a curve is its mean over the range of its column, where there may be few rows.
        """
        for line in self.inner.comparisons():
            yield line._replace(weights=np.append(line.weights, 0.0))
        alone = np.eye(self.size)[-1]
        if not any(axis.is_numeric for axis in self.axes):
            yield Comparison("missing", alone, is_level=True)
            return
        at_stand_ins = self.inner.columns(np.array([self._encoded_stand_ins]))[0]
        against = ", ".join(map(_named, self.axes, self.stand_ins))
        yield Comparison("missing", alone - np.append(at_stand_ins, 0.0), f" against {against}")

    @property
    def has_levels(self) -> bool:
        """Yes: missing values count as one."""
        return True

    def levels_in_doubt(self, everywhere: float, sums: Array, squares: Array, theta: Array) -> Iterator[LevelInDoubt]:
        """Missing values count as a level."""
        missing = float(sums[-1])
        yield LevelInDoubt("missing", missing, float(theta[-1]))
        yield from self.inner.levels_in_doubt(everywhere - missing, sums[:-1], squares[:-1, :-1], theta[:-1])

    def curve(self, t: Array) -> Array:
        """The curve of the inner term; missing values have no part in it."""
        return np.column_stack([self.inner.curve(t), np.zeros(len(t))])


def _named(axis: Axis, value: Any) -> str:
    return f"{value:.4g}" if axis.is_numeric else str(value)


def read_stand_ins(node: Node, inner: Basis) -> tuple[object, ...]:
    """Read the values that are put, and then ignored, where the columns have gaps: ones that the term can take."""
    if inner.spec.missing == "error":
        raise node.error("null, as the term does not say what to do with missing values")
    return tuple(_read_stand_in(item, axis) for item, axis in zip(node.items(len(inner.axes)), inner.axes, strict=True))


def _read_stand_in(node: Node, axis: Axis) -> object:
    if not axis.is_numeric:
        if node.plain() not in axis.levels:
            raise node.error("one of the levels")
        return node.value
    # Numbers come from a column of numbers, true and false from one of booleans, which takes nothing else.
    return node.value if type(node.value) is bool else node.number()
