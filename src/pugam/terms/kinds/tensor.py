"""Surfaces over several columns, `te(age, bmi)`, and their interaction without main effects, `ti(age, bmi)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import Any, ClassVar, Self, TypeGuard, get_args

from pugam.data import Column
from pugam.errors import InputError
from pugam.nodes import Node
from pugam.terms.kinds.smooth import Smooth
from pugam.terms.options import (
    BASIS_SIZE,
    MISSING,
    JointMissingPolicy,
    Option,
    UnseenPolicy,
    check_choice,
    check_column,
    shown,
)
from pugam.terms.splines import PiecewiseBasis
from pugam.terms.tensor_basis import TensorBasis, restore_products
from pugam.terms.term import Argument, Term, read_term, register_term
from pugam.terms.tokens import format_column, format_value

__all__ = ["Interaction", "Tensor", "te", "ti"]

Sizes = int | Sequence[int]

MARGIN_SIZE = 5  # functions of a column that is named alone
MARGIN_SIZES = Option((int, tuple), "a whole number, or one for each column, as in k=(6, 4)", BASIS_SIZE.read)


@register_term
@dataclass(frozen=True)
class Interaction(Term):
    """The interaction of several columns alone; see `ti`."""

    margins: tuple[Term, ...]
    missing: JointMissingPolicy = "error"

    function: ClassVar[str] = "ti"
    kind: ClassVar[str] = "interaction"
    purpose: ClassVar[str] = "for an interaction"
    takes: ClassVar[str] = "columns"
    options: ClassVar = {"k": MARGIN_SIZES, "missing": MISSING}
    has_main_effects: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for margin in self.margins:
            self._check_margin(margin)
        if len(self.margins) < 2:
            raise InputError(f"{self.function}() takes two columns or more; got {self.label}.")
        twice = next((name for name in self.columns if self.columns.count(name) > 1), None)
        if twice is not None:
            raise InputError(f"{self.label}: column {twice!r} is there twice; name each column once.")
        check_choice(self.label, "missing", self.missing, get_args(JointMissingPolicy))

    def _check_margin(self, margin: object) -> None:
        if not isinstance(margin, Term) or len(margin.columns) != 1 or margin.is_known:
            what = margin.label if isinstance(margin, Term) else repr(margin)
            raise InputError(f"{self.function}() takes columns and terms of one column; got {what}.")
        if margin.missing != "error":
            raise InputError(
                f"{margin.label} inside {self.function}(): rows that lack any of the columns have one effect; give "
                f"missing={self.gap_policy!r} to {self.function}() itself."
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """The column of each margin."""
        return tuple(margin.columns[0] for margin in self.margins)

    @property
    def level_columns(self) -> tuple[str, ...]:
        """Those of its margins."""
        return tuple(chain.from_iterable(margin.level_columns for margin in self.margins))

    @property
    def spans(self) -> frozenset[frozenset[str]]:
        """All columns together; with main effects each group of them, too."""
        sizes = range(1 if self.has_main_effects else len(self.columns), len(self.columns) + 1)
        return frozenset(frozenset(group) for size in sizes for group in combinations(self.columns, size))

    @property
    def gap_policy(self) -> JointMissingPolicy:
        """Main effects, where they are other terms, tell of missing values."""
        return "effect" if self.has_main_effects else "zero"

    def treating_unseen(self, policy: UnseenPolicy) -> Self:
        """Change what becomes of unseen levels in its margins."""
        return replace(self, margins=tuple(margin.treating_unseen(policy) for margin in self.margins))

    @property
    def label(self) -> str:
        """The term as it is shown: smooth margins by their columns, others as they are shown."""
        margins = [shown(part.columns[0]) if isinstance(part, Smooth) else part.label for part in self.margins]
        return f"{self.function}({', '.join(margins)})"

    @property
    def formula(self) -> str:
        """The term as a formula that reads back: margins without other options than k by their columns alone."""
        parts = [format_column(part.column) if _is_plain(part) else part.formula for part in self.margins]
        sizes = tuple(part.k for part in self.margins if _is_plain(part))
        if set(sizes) - {MARGIN_SIZE}:
            parts.append(f"k={format_value(sizes if len(set(sizes)) > 1 else sizes[0])}")
        if self.missing != "error":
            parts.append(f"missing={format_value(self.missing)}")
        return f"{self.function}({', '.join(parts)})"

    @classmethod
    def of_arguments(cls, arguments: Sequence[Argument], options: Mapping[str, Any]) -> Self:
        """Make the term of columns and terms."""
        if any(isinstance(argument, int | float) for argument in arguments):
            raise InputError(f"{cls.function}() takes columns, and its options by name, as in k=6.")
        margins: Sequence[Any] = arguments
        return cls.of_columns(margins, **options)

    @classmethod
    def of_columns(
        cls, margins: Sequence[str | Term], k: Sizes | None = None, missing: JointMissingPolicy = "error"
    ) -> Self:
        """Make the term of columns, which become smooth margins of k functions, and of terms."""
        alone = [margin for margin in margins if not isinstance(margin, Term)]
        if k is not None and not alone:
            raise InputError(f"{cls.function}(): k is for columns that are named alone; give it to s().")
        sizes = list(k) if isinstance(k, Sequence) else [MARGIN_SIZE if k is None else k] * len(alone)
        if len(sizes) != len(alone):
            raise InputError(f"{cls.function}(): k is one number, or one for each column named alone; got {k!r}.")
        for column in alone:
            check_column(column)
        given = iter(sizes)
        found = (part if isinstance(part, Term) else Smooth(part, k=next(given)) for part in margins)
        return cls(tuple(found), missing)

    def resolve(self, columns: Sequence[Column]) -> TensorBasis:
        """Let each margin meet its column."""
        margins = [margin.resolve([column]) for margin, column in zip(self.margins, columns, strict=True)]
        return TensorBasis(self, tuple(margins), self.has_main_effects).checked()

    def restore(self, found: Node, shelf: Sequence[PiecewiseBasis]) -> TensorBasis:
        """Restore each margin."""
        return restore_products(self, self.margins, found, shelf, self.has_main_effects)

    def to_plain(self) -> dict[str, Any]:
        """Return the term as plain values: its margins, each as a term."""
        missing = {} if self.missing == "error" else {"missing": self.missing}
        return {"kind": self.kind, "margins": [margin.to_plain() for margin in self.margins], **missing}

    @classmethod
    def from_plain(cls, node: Node) -> Self:
        """Read the term from a saved model."""
        parts = node.fields("kind", "margins", optional=("missing",))
        missing = {"missing": MISSING.read(parts["missing"])} if "missing" in parts else {}
        return cls(tuple(_read_margin(item) for item in parts["margins"].items()), **missing)


@register_term
@dataclass(frozen=True)
class Tensor(Interaction):
    """A surface over several columns, with their main effects; see `te`."""

    function: ClassVar[str] = "te"
    kind: ClassVar[str] = "tensor"
    purpose: ClassVar[str] = "for a surface"
    has_main_effects: ClassVar[bool] = True


def _is_plain(margin: Term) -> TypeGuard[Smooth]:
    """Whether a margin is what the name of a column alone stands for, but for the number of its functions."""
    return isinstance(margin, Smooth) and margin == Smooth(margin.column, k=margin.k)


def _read_margin(node: Node) -> Term:
    if isinstance(node.value, dict) and "margins" in node.value:
        raise node.error("a term of one column")
    return read_term(node)


def te(*margins: str | Term, k: Sizes | None = None, missing: JointMissingPolicy = "error") -> Tensor:
    """Ask for a smooth surface over two columns or more: their main effects and their interaction.

    The surface is made of products of splines of the single columns, each scaled to [0, 1]. It has one smoothing
    parameter for each column, which multiplies the integral, over all columns, of the squared second derivative along
    that column.

    Parameters
    ----------
    *margins : str or term
        Names of columns, or terms of one column, which say how the surface goes along it: ``s("age", k=8)``,
        ``l("dose")`` for straight lines, ``f("site")`` for levels.
    k : int or sequence of int, optional
        Number of basis functions for each column that is named alone, or one for each of them; 5 by default.
    missing : {"error", "effect", "zero"}
        Refuse rows that lack a value in one of the columns, give all of them an effect of their own, or a zero effect:
        for interactions of columns whose main effects say what missing values mean.

    Examples
    --------
    >>> from pugam import te
    >>> te("age", "bmi", k=6).label
    'te(age, bmi)'
    """
    return Tensor.of_columns(margins, k, missing)


def ti(*margins: str | Term, k: Sizes | None = None, missing: JointMissingPolicy = "error") -> Interaction:
    """Ask for the interaction of two columns or more, without their main effects.

    Along each column the interaction integrates to zero, whatever the values of the others: main effects, which are
    terms of their own, keep their meaning. ``ti("age", f("site"))`` lets a curve differ between sites, and
    ``ti(l("dose"), f("sex"))`` the slope of a line. Otherwise as `te`.

    Examples
    --------
    >>> from pugam import f, s, ti
    >>> [s("age"), f("site"), ti("age", f("site"))][-1].label
    'ti(age, f(site))'
    """
    return Interaction.of_columns(margins, k, missing)
