"""What terms of the levels of one column have in common, `f(site)` and `r(clinic)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from pugam.data import Column
from pugam.terms.axes import Axis, level_axis
from pugam.terms.basis import Basis, Encoded
from pugam.terms.gaps import refuse_missing
from pugam.terms.levels import encode_levels
from pugam.terms.options import MissingPolicy, UnseenPolicy, check_choice, check_column
from pugam.terms.term import Term

__all__ = ["LevelBasis", "LevelTerm"]


class LevelTerm(Term):
    """A term of the levels of a column. Kinds are frozen dataclasses with these fields, each with its own defaults."""

    column: str
    missing: MissingPolicy
    unseen: UnseenPolicy

    def __post_init__(self) -> None:
        check_column(self.column)
        check_choice(self.label, "missing", self.missing, get_args(MissingPolicy))
        check_choice(self.label, "unseen", self.unseen, get_args(UnseenPolicy))

    @property
    def columns(self) -> tuple[str, ...]:
        """Its one column."""
        return (self.column,)

    @property
    def level_columns(self) -> tuple[str, ...]:
        """Its one column."""
        return (self.column,)


class LevelBasis(Basis):
    """What became of it in the data: levels, by whose numbers model columns are looked up."""

    spec: LevelTerm
    levels: tuple[object, ...]

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The levels."""
        return (level_axis(self.spec.column, self.levels, open=self.spec.unseen != "error"),)

    def encode(self, columns: Sequence[Column]) -> Encoded:
        """Turn values into level numbers, with a number of its own for unseen levels where they are permitted."""
        refuse_missing(columns[0], self.spec)
        return encode_levels(self.spec, columns[0], self.levels, permit_unseen=self.spec.unseen != "error")
