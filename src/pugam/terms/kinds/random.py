"""Random effects, `r(clinic)`: levels whose effects are normal around zero, with an estimated variance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pugam.data import Column
from pugam.nodes import Node
from pugam.terms.basis import Encoded, Penalty
from pugam.terms.expressions import Case, cases_by_level
from pugam.terms.level_terms import LevelBasis, LevelTerm
from pugam.terms.levels import find_levels, read_levels
from pugam.terms.options import MISSING, UNSEEN, MissingPolicy, UnseenPolicy
from pugam.terms.shelf import Shelf
from pugam.terms.splines import PiecewiseBasis
from pugam.terms.term import register_term

__all__ = ["Random", "RandomBasis", "r"]

Array = NDArray[np.float64]


@register_term
@dataclass(frozen=True)
class Random(LevelTerm):
    """Levels as random effects with an estimated variance; see `r`."""

    column: str
    missing: MissingPolicy = "error"
    unseen: UnseenPolicy = "zero"

    function: ClassVar[str] = "r"
    kind: ClassVar[str] = "random"
    purpose: ClassVar[str] = "for random effects"
    options: ClassVar = {"missing": MISSING, "unseen": UNSEEN}

    @property
    def spans(self) -> frozenset[frozenset[str]]:
        """Nothing: the penalty tells a random effect from any other effect of its column."""
        return frozenset()

    def resolve(self, columns: Sequence[Column]) -> RandomBasis:
        """Find the levels."""
        return RandomBasis(self, find_levels(self, columns[0]))

    def restore(self, found: Node, shelf: Sequence[PiecewiseBasis]) -> RandomBasis:
        """Read the levels."""
        return RandomBasis(self, read_levels(found.fields("levels")["levels"]))


@dataclass(frozen=True)
class RandomBasis(LevelBasis):
    """One column for each level, all under one ridge; a level that the fit never saw has the mean effect, zero."""

    spec: Random
    levels: tuple[object, ...]

    @property
    def is_random(self) -> bool:
        """Yes."""
        return True

    @property
    def size(self) -> int:
        """One column for each level."""
        return len(self.levels)

    @cached_property
    def penalties(self) -> tuple[Penalty, ...]:
        """Half the inverse variance of the effects is what the smoothing parameter stands for."""
        return (Penalty(np.ones(self.size)),)

    @cached_property
    def priors(self) -> tuple[Penalty, ...]:
        """The same with a variance that no other term shares."""
        return (Penalty(np.ones(self.size), self.spec.label),)

    @cached_property
    def orders(self) -> NDArray[np.intp]:
        """Levels do not bend, however they are penalised."""
        return np.zeros(self.size, dtype=np.intp)

    @cached_property
    def _indicators(self) -> Array:
        """One row for each level, and one of zeros for unseen levels."""
        return np.vstack([np.eye(self.size), np.zeros(self.size)])

    def columns(self, encoded: Encoded) -> Array:
        """Look up the indicators of each row's level: shape (n, n_levels)."""
        rows: Array = self._indicators[encoded.astype(np.int32)]
        return rows

    def cases(self) -> tuple[Case, ...]:
        """The indicators of each level."""
        return cases_by_level(self.spec.column, self.levels, self._indicators, self.spec.unseen != "error")

    def effect(self, encoded: Encoded, theta: Array) -> Array:
        """Look up the effect of each row's level."""
        effects: Array = np.append(theta, 0.0)[encoded.astype(np.int32)]
        return effects

    @cached_property
    def pieces(self) -> PiecewiseBasis:
        """Constants, one interval for each level; zeros beyond them, for unseen levels."""
        breaks = np.arange(self.size + 1) / self.size
        nothing = np.zeros(self.size)
        return PiecewiseBasis(breaks, np.append(0.0, breaks), np.vstack([nothing, self._indicators])[None], nothing)

    def places(self, encoded: Encoded) -> Array:
        """The middle of the level's interval."""
        return np.asarray((encoded + 0.5) / self.size)

    def found(self, shelf: Shelf) -> dict[str, Any]:
        """The levels."""
        return {"levels": list(self.levels)}


def r(column: str, missing: MissingPolicy = "error", unseen: UnseenPolicy = "zero") -> Random:
    """Ask for random effects of the levels of a column: normal around zero, with an estimated variance.

    For factors with many levels, such as clinics or observers: levels with few rows are drawn towards zero. With
    ``smoothing="reml"`` the smoothing parameter of the term is half the inverse of the estimated variance.

    Parameters
    ----------
    column : str
        Name of the column: text, boolean, categorical or numeric codes.
    missing : {"error", "effect"}
        Refuse missing values, or give them an effect of their own.
    unseen : {"zero", "error"}
        What prediction does with a level that the fit never saw: give it the mean effect, zero, or refuse it.

    Examples
    --------
    >>> from pugam import r
    >>> r("clinic").label
    'r(clinic)'
    """
    return Random(column, missing, unseen)
