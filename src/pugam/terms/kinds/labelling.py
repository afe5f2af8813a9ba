"""Terms that say who is labelled, `labelling(s(age))`: any term, of the preference of labels among positives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from pugam.data import Column
from pugam.errors import InputError
from pugam.nodes import Node
from pugam.terms.axes import Axis
from pugam.terms.basis import Basis, Comparison, Encoded, Penalty
from pugam.terms.kinds.linear import Linear
from pugam.terms.options import JointMissingPolicy, Option, UnseenPolicy
from pugam.terms.shelf import Shelf
from pugam.terms.splines import PiecewiseBasis
from pugam.terms.term import Argument, Term, read_term, register_term

__all__ = ["Labelling", "LabellingBasis"]

Array = NDArray[np.float64]


@register_term
@dataclass(frozen=True)
class Labelling(Term):
    """What a term contributes to the logarithm of the chance that a positive is labelled.

    Attributes
    ----------
    inner : Term
    """

    inner: Term

    function: ClassVar[str] = "labelling"
    kind: ClassVar[str] = "labelling"
    purpose: ClassVar[str] = "for who is labelled"
    takes: ClassVar[str] = "term"
    is_labelling: ClassVar[bool] = True
    options: ClassVar[Mapping[str, Option]] = {}

    def __post_init__(self) -> None:
        if not isinstance(self.inner, Term) or self.inner.is_labelling:
            raise InputError("labelling() takes one term, as in labelling(s(age)).")

    @property
    def missing(self) -> JointMissingPolicy:  # type: ignore[override]
        """As the term says."""
        return self.inner.missing

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the term."""
        return self.inner.columns

    @property
    def level_columns(self) -> tuple[str, ...]:
        """Those of the term."""
        return self.inner.level_columns

    @property
    def spans(self) -> frozenset[frozenset[str]]:
        """Those of the term, told apart from effects on the density ratio."""
        return frozenset(frozenset(f"labelling({name})" for name in span) for span in self.inner.spans)

    @property
    def gap_policy(self) -> JointMissingPolicy:
        """As the term says."""
        return self.inner.gap_policy

    def permitting_gaps(self) -> Labelling:
        """Permit them in the term."""
        return replace(self, inner=self.inner.permitting_gaps())

    def treating_unseen(self, policy: UnseenPolicy) -> Labelling:
        """Change what becomes of unseen levels in the term."""
        return replace(self, inner=self.inner.treating_unseen(policy))

    @property
    def label(self) -> str:
        """The term as it is shown."""
        return f"labelling({self.inner.label})"

    @property
    def formula(self) -> str:
        """The term as a formula that reads back."""
        return f"labelling({self.inner.formula})"

    def with_option(self, option: str) -> str:
        """Write the term with one more option of the term inside."""
        return f"labelling({self.inner.with_option(option)})"

    @classmethod
    def of_arguments(cls, arguments: Sequence[Argument], options: Mapping[str, Any]) -> Self:
        """Make the term of another term, or of a column, which is linear."""
        inner, *others = arguments
        if others or options or not isinstance(inner, str | Term):
            raise InputError("labelling() takes one term, as in labelling(s(age)).")
        return cls(Linear(inner) if isinstance(inner, str) else inner)

    def resolve(self, columns: Sequence[Column]) -> LabellingBasis:
        """Let the term meet its columns."""
        inner = self.inner.resolve(columns)
        if self.inner.is_known:
            raise InputError(f"{self.label}: the preference of labels is estimated; an offset has no part in it.")
        if len(inner.constraints):
            raise InputError(f"{self.label}: terms that say who is labelled have no shape; leave it out.")
        return LabellingBasis(self, inner)

    def restore(self, found: Node, shelf: Sequence[PiecewiseBasis]) -> LabellingBasis:
        """Restore the term."""
        return LabellingBasis(self, self.inner.restore(found, shelf))

    def to_plain(self) -> dict[str, Any]:
        """Return the term inside as plain values."""
        return {"kind": self.kind, "term": self.inner.to_plain()}

    @classmethod
    def from_plain(cls, node: Node) -> Self:
        """Read the term from a saved model."""
        return cls(read_term(node.fields("kind", "term")["term"]))


@dataclass(frozen=True)
class LabellingBasis(Basis):
    """A term of the preference, with the model columns of the term inside.

    It takes part in no interaction. It offers no `pieces`, because a likelihood of who is labelled is summed over dense
    columns; no `cases`, because it has no part in what is exported; and no levels in doubt, because rows whose class is
    in doubt say how steep density ratios are.
    """

    spec: Labelling
    inner: Basis

    @property
    def size(self) -> int:
        """That of the term."""
        return self.inner.size

    @property
    def axes(self) -> tuple[Axis, ...]:
        """Those of the term."""
        return self.inner.axes

    @property
    def penalties(self) -> tuple[Penalty, ...]:
        """Those of the term."""
        return self.inner.penalties

    @property
    def priors(self) -> tuple[Penalty, ...]:
        """Those of the term, in families of their own."""
        return self.inner.priors

    def encode(self, columns: Sequence[Column]) -> Encoded:
        """As the term does."""
        return self.inner.encode(columns)

    def columns(self, encoded: Encoded) -> Array:
        """As the term does."""
        return self.inner.columns(encoded)

    def effect(self, encoded: Encoded, theta: Array) -> Array:
        """As the term does."""
        return self.inner.effect(encoded, theta)

    def slopes(self, encoded: Encoded, along: int = 0) -> Array:
        """As the term does."""
        return self.inner.slopes(encoded, along)

    @cached_property
    def orders(self) -> NDArray[np.intp]:
        """Those of the term."""
        return self.inner.orders

    @property
    def equals(self) -> NDArray[np.intp]:
        """Those of the term."""
        return self.inner.equals

    @property
    def bends(self) -> NDArray[np.bool_] | None:
        """Those of the term."""
        return self.inner.bends

    def coarse(self, n_functions: int) -> tuple[LabellingBasis, NDArray[np.intp]]:
        """Coarsen the term."""
        inner, kept = self.inner.coarse(n_functions)
        return replace(self, inner=inner), kept

    def on_log_scale(self, columns: Sequence[Column]) -> LabellingBasis:
        """Let the term decide."""
        inner = self.inner.on_log_scale(columns)
        return self if inner is self.inner else replace(self, inner=inner)

    def comparisons(self) -> Iterator[Comparison]:
        """Those of the term."""
        return self.inner.comparisons()

    @property
    def is_random(self) -> bool:
        """As the term is."""
        return self.inner.is_random

    @property
    def is_tested_jointly(self) -> bool:
        """As the term is."""
        return self.inner.is_tested_jointly

    def curve(self, t: Array) -> Array:
        """As the term does."""
        return self.inner.curve(t)

    def found(self, shelf: Shelf) -> dict[str, Any]:
        """What the term found."""
        return self.inner.found(shelf)
