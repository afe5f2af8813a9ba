"""Products of lines, `dose:weight`, and lines or levels by level, `dose:sex`: interactions without curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from pugam.data import Column
from pugam.errors import InputError
from pugam.nodes import Node
from pugam.terms.kinds.factor import Factor
from pugam.terms.kinds.linear import Linear
from pugam.terms.options import JointMissingPolicy, MissingPolicy, check_column, shown
from pugam.terms.splines import PiecewiseBasis
from pugam.terms.tensor_basis import TensorBasis, restore_products
from pugam.terms.term import Argument, Term, read_column, register_term
from pugam.terms.tokens import format_column

__all__ = ["Product"]


@register_term
@dataclass(frozen=True)
class Product(Term):
    """The product of columns: of numbers as lines, of text, booleans and categories as one effect per level.

    Which of them a column holds is seen when the term meets the data. A product contains no main effects. It is
    written ``dose:sex`` in a formula; `ti` with `l` and `f` asks for the same, and takes options.

    Examples
    --------
    >>> from pugam.terms import parse_formula
    >>> parse_formula("dose + f(sex) + dose:sex")[-1]
    Product(factors=('dose', 'sex'))
    """

    factors: tuple[str, ...]

    function: ClassVar[str] = ":"
    kind: ClassVar[str] = "product"
    purpose: ClassVar[str] = "for a product"
    options: ClassVar = {}
    missing: ClassVar[MissingPolicy] = "error"  # type: ignore[misc]

    def __post_init__(self) -> None:
        for column in self.factors:
            check_column(column)
        if len(self.factors) < 2 or len(set(self.factors)) < len(self.factors):
            raise InputError(f"{self.label}: a product is one of two columns or more, all different.")

    @property
    def columns(self) -> tuple[str, ...]:
        """Its factors."""
        return self.factors

    @property
    def label(self) -> str:
        """The term as it is shown."""
        return self.function.join(map(shown, self.factors))

    @property
    def formula(self) -> str:
        """The term as a formula that reads back."""
        return self.function.join(map(format_column, self.factors))

    @property
    def gap_policy(self) -> JointMissingPolicy:
        """Main effects tell of missing values."""
        return "zero"

    def with_option(self, option: str) -> str:
        """Write the term with an option, which `ti` takes."""
        margins = ", ".join(f"l({shown(column)})" for column in self.factors)
        return f"ti({margins}, {option}), with f() in place of l() for levels"

    @classmethod
    def of_arguments(cls, arguments: Sequence[Argument], options: Mapping[str, Any]) -> Self:
        """Make the term of its columns."""
        columns: Sequence[Any] = arguments
        return cls(tuple(columns))

    def resolve(self, columns: Sequence[Column]) -> TensorBasis:
        """Let each column become a line, or levels."""
        kinds = [Linear if column.kind == "numeric" else Factor for column in columns]
        margins = [kind(column.name).resolve([column]) for kind, column in zip(kinds, columns, strict=True)]
        return TensorBasis(self, tuple(margins)).checked()

    def restore(self, found: Node, shelf: Sequence[PiecewiseBasis]) -> TensorBasis:
        """Restore lines and levels."""
        nodes = found.fields("margins")["margins"].items(len(self.factors))
        kinds = [Factor if isinstance(node.value, dict) and "levels" in node.value else Linear for node in nodes]
        margins = [kind(column) for kind, column in zip(kinds, self.factors, strict=True)]
        return restore_products(self, margins, found, shelf)

    def to_plain(self) -> dict[str, Any]:
        """Return the term as plain values."""
        return {"kind": self.kind, "columns": list(self.factors)}

    @classmethod
    def from_plain(cls, node: Node) -> Self:
        """Read the term from a saved model."""
        parts = node.fields("kind", "columns")
        return cls(tuple(read_column(item) for item in parts["columns"].items()))
