"""Factors, `f(site)`: one effect per level of a column, summing to zero over the levels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pugam.data import Column
from pugam.errors import InputError
from pugam.nodes import Node
from pugam.terms.basis import Comparison, Encoded, LevelInDoubt
from pugam.terms.expressions import Case, cases_by_level
from pugam.terms.level_terms import LevelBasis, LevelTerm
from pugam.terms.levels import UNSEEN_CODE, find_levels, read_levels
from pugam.terms.options import MISSING, UNSEEN, MissingPolicy, UnseenPolicy
from pugam.terms.shelf import Shelf
from pugam.terms.splines import PiecewiseBasis
from pugam.terms.term import register_term

__all__ = ["Factor", "FactorBasis", "f"]

Array = NDArray[np.float64]

MOST_IN_A_MARGIN = 12  # levels of a factor whose interactions are looked for


@register_term
@dataclass(frozen=True)
class Factor(LevelTerm):
    """One effect per level of a column, summing to zero over the levels; see `f`."""

    column: str
    missing: MissingPolicy = "error"
    unseen: UnseenPolicy = "error"

    function: ClassVar[str] = "f"
    kind: ClassVar[str] = "factor"
    is_margin: ClassVar[bool] = True
    tells_levels_apart: ClassVar[bool] = True
    purpose: ClassVar[str] = "for a factor"
    options: ClassVar = {"missing": MISSING, "unseen": UNSEEN}

    def resolve(self, columns: Sequence[Column]) -> FactorBasis:
        """Find the levels."""
        return FactorBasis(self, find_levels(self, columns[0]))

    def restore(self, found: Node, shelf: Sequence[PiecewiseBasis]) -> FactorBasis:
        """Read the levels."""
        return FactorBasis(self, read_levels(found.fields("levels")["levels"]))


@dataclass(frozen=True)
class FactorBasis(LevelBasis):
    """One effect per level through orthonormal contrasts, so that the effects sum to zero over the levels."""

    spec: Factor
    levels: tuple[object, ...]

    @property
    def size(self) -> int:
        """One column less than there are levels."""
        return len(self.levels) - 1

    def margin(self, n_functions: int) -> FactorBasis | None:
        """All levels, unless they are many."""
        if len(self.levels) > MOST_IN_A_MARGIN:
            return None
        return replace(self, spec=replace(self.spec, missing="error"))

    @cached_property
    def contrasts(self) -> Array:
        """The effects' matrix, shape (n_levels + 1, n_levels - 1); its last row, of zeros, serves unseen levels."""
        size = len(self.levels)
        helmert = np.tril(np.ones((size, size - 1)), -1)
        helmert[np.arange(size - 1), np.arange(size - 1)] = -np.arange(size - 1, 0, -1.0)
        return np.vstack([helmert / np.linalg.norm(helmert, axis=0), np.zeros(size - 1)])

    @property
    def equals(self) -> NDArray[np.intp]:
        """All contrasts: other ones would do, and these follow from the order of the levels."""
        return np.zeros(self.size, dtype=np.intp)

    def columns(self, encoded: Encoded) -> Array:
        """Look up the contrasts of each row's level: shape (n, n_levels - 1)."""
        rows: Array = self.contrasts[encoded.astype(np.int32)]
        return rows

    @cached_property
    def pieces(self) -> PiecewiseBasis:
        """Constants, one interval for each level; zeros beyond them, for unseen levels."""
        size = len(self.levels)
        breaks = np.arange(size + 1) / size
        constants = np.vstack([self.contrasts[UNSEEN_CODE], self.contrasts])  # its last row, of zeros, is the right end
        return PiecewiseBasis(breaks, np.append(0.0, breaks), constants[None], np.zeros(self.size))

    def places(self, encoded: Encoded) -> Array:
        """The middle of the level's interval."""
        return np.asarray((encoded + 0.5) / len(self.levels))

    def cases(self) -> tuple[Case, ...]:
        """The contrasts of each level."""
        return cases_by_level(self.spec.column, self.levels, self.contrasts, self.spec.unseen != "error")

    def effect(self, encoded: Encoded, theta: Array) -> Array:
        """Look up the effect of each row's level."""
        effects: Array = (self.contrasts @ theta)[encoded.astype(np.int32)]
        return effects

    def slopes(self, encoded: Encoded, along: int = 0) -> Array:
        """Refuse: between levels there is nothing to go along."""
        raise InputError(f"{self.spec.label} is a factor and has no derivative; compare its levels with odds_ratio.")

    def comparisons(self) -> Iterator[Comparison]:
        """The effect of each level."""
        for level, weights in zip(self.levels, self.contrasts, strict=False):
            yield Comparison(str(level), weights, is_level=True)

    @property
    def is_tested_jointly(self) -> bool:
        """All levels together."""
        return True

    def levels_in_doubt(self, everywhere: float, sums: Array, squares: Array, theta: Array) -> Iterator[LevelInDoubt]:
        """Contrasts are orthonormal: with the constant they give back the indicator of every level."""
        contrasts = self.contrasts[: len(self.levels)]
        rows = everywhere / len(self.levels) + contrasts @ sums
        for level, in_doubt, effect in zip(self.levels, rows, contrasts @ theta, strict=True):
            yield LevelInDoubt(f"= {level!r}", float(in_doubt), float(effect))

    def found(self, shelf: Shelf) -> dict[str, Any]:
        """The levels.

        Contrasts follow from their number by sums of whole numbers, square roots and divisions, which every machine
        rounds alike.
        """
        return {"levels": list(self.levels)}


def f(column: str, missing: MissingPolicy = "error", unseen: UnseenPolicy = "error") -> Factor:
    """Ask for one effect per level of a column.

    Effects sum to zero over the levels in the fit (`effect` with ``center="range"``). By default they are shown so that
    their mean over the unlabelled rows is zero, as those of all terms are.

    Parameters
    ----------
    column : str
        Name of the column: text, boolean, categorical or numeric codes.
    missing : {"error", "effect"}
        Refuse missing values, or give them an effect of their own.
    unseen : {"error", "zero"}
        What prediction does with a level that the fit never saw: refuse it, or give it a zero effect.

    Examples
    --------
    >>> from pugam import f
    >>> f("site", unseen="zero").label
    'f(site)'
    """
    return Factor(column, missing, unseen)
