"""Terms that have met the data: what each offers to the design, to inference and to whoever draws it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pugam.data import Column
from pugam.errors import InputError
from pugam.terms.axes import Axis
from pugam.terms.expressions import Case, Expression, add_cases
from pugam.terms.shelf import Shelf
from pugam.terms.splines import PiecewiseBasis
from pugam.terms.term import Term

__all__ = ["BENDS", "BOW", "INTERACTIONS", "STRAIGHT", "Basis", "Comparison", "Encoded", "LevelInDoubt", "Penalty"]

Array = NDArray[np.float64]
Encoded = NDArray[np.float64] | NDArray[np.int32]

STRAIGHT, BENDS, INTERACTIONS = "straight", "bends", "interactions"  # families of coefficients
BOW = 500.0  # roughness of the first function that bends: the unit in which bends are compared with lines


@dataclass(frozen=True, eq=False)
class Penalty:
    """What one smoothing parameter multiplies: kappa times the sum of diagonal * theta^2.

    Attributes
    ----------
    diagonal : array of shape (m,)
        Over the term's own columns; zeros where nothing is penalised.
    name : str
        Tells several penalties of a term apart; empty where there is one.
    """

    diagonal: Array
    name: str = ""


class Comparison(NamedTuple):
    """A line of a summary: the weights of the term's coefficients in what is compared, and to what.

    The effect of a level is compared with the average row, which the term need not know; `is_level` says so.
    """

    name: str
    weights: Array
    against: str = ""
    is_level: bool = False


class LevelInDoubt(NamedTuple):
    """How many rows in doubt a level has, and its effect."""

    name: str
    rows: float
    effect: float


class Basis(ABC):
    """A term that has met the data: model columns with diagonal penalties.

    Subclasses are frozen dataclasses with a field `spec`, the term as the user wrote it. Engines keep `encode`d values
    and turn them into model `columns`, m for each row. Values of a term with one column have shape (n,), of others
    (n, number of columns).
    """

    spec: Term

    # What the term is made of

    @property
    @abstractmethod
    def size(self) -> int:
        """Number m of model columns; none where the effect is known, and there is nothing to estimate."""

    @property
    @abstractmethod
    def axes(self) -> tuple[Axis, ...]:
        """What the columns of the table are to the term: ranges of numbers, or levels."""

    @property
    def spans(self) -> frozenset[frozenset[str]]:
        """The sets of columns whose joint effects the term contains, as far as the data had to tell."""
        return self.spec.spans

    @property
    def penalties(self) -> tuple[Penalty, ...]:
        """One for each smoothing parameter; they may share columns, and leave some free."""
        return ()

    @property
    def priors(self) -> tuple[Penalty, ...]:
        """Normal priors with a common variance for the coefficients of all terms whose priors have the same name.

        Every coefficient is in one of them, with its precision relative to others there: straight parts, and bends.
        """
        roughness = sum((penalty.diagonal for penalty in self.penalties), np.zeros(self.size))
        straight = Penalty((roughness == 0.0).astype(float), STRAIGHT)
        return tuple(prior for prior in (straight, Penalty(roughness / BOW, BENDS)) if prior.diagonal.any())

    def margin(self, n_functions: int) -> Basis | None:
        """Return the term as one side of an interaction, with its smoothest functions; None where it cannot be one."""
        return None

    def common(self, column: str) -> Basis | None:
        """Return the term as it would be if it did not vary with the levels of a column; None where it does not.

        Its encoded values are the same, and its model columns are those of one level; the term has as many for each
        level, one after another.
        """
        return None

    def alone(self, encoded: Encoded) -> tuple[Basis, Encoded]:
        """Return a `common` term as if it had never varied, and encoded values as that has them; others as they are."""
        return self, encoded

    @property
    def varying(self) -> Basis:
        """The term that this one is the `common` one of; itself where it is none."""
        return self

    @property
    def constraints(self) -> Array:
        """Rows A of shape (c, m): coefficients keep to A theta >= 0."""
        return np.zeros((0, self.size))

    @property
    def has_missing_effect(self) -> bool:
        """Whether missing values have an effect of their own."""
        return False

    @property
    def is_random(self) -> bool:
        """Whether coefficients are draws from a distribution around zero, which a test takes as if they were fixed.

        Beside them there may be the effect of gaps, which is.
        """
        return False

    # From values to model columns

    @abstractmethod
    def encode(self, columns: Sequence[Column]) -> Encoded:
        """Check the columns and bring them into the compact numeric form that engines keep."""

    @abstractmethod
    def columns(self, encoded: Encoded) -> Array:
        """Evaluate the model columns: shape (n, m)."""

    def columns_beside(self, encoded: Encoded, known: dict[int, Array]) -> Array:
        """Evaluate them beside other terms of the same rows, with what these have in common: margins, by their id."""
        return self.columns(encoded)

    def effect(self, encoded: Encoded, theta: Array) -> Array:
        """Evaluate the effect with these coefficients; what comes out for a row depends on that row alone."""
        # Unlike a product of matrices, whose last bits depend on how many rows there are.
        return np.asarray(np.einsum("ij,j->i", self.columns(encoded), theta))

    def known(self, encoded: Encoded) -> Array:
        """Evaluate the part of the effect that is known and has no coefficient, shape (n,): zero but for offsets."""
        return np.zeros(len(encoded))

    def known_slopes(self, encoded: Encoded, along: int = 0) -> Array:
        """Evaluate its derivative along one column of the table, shape (n,)."""
        return np.zeros(len(encoded))

    def slopes(self, encoded: Encoded, along: int = 0) -> Array:
        """Evaluate derivatives of the model columns along one column of the table, in its units: shape (n, m)."""
        raise InputError(f"{self.spec.label} has no derivative; compare values with odds_ratio.")

    @property
    def pieces(self) -> PiecewiseBasis | None:
        """The model columns as polynomials of where `places` puts encoded values; None otherwise.

        With them, sums over many rows are taken much faster.
        """
        return None

    def places(self, encoded: Encoded) -> Array:
        """Where values lie among the breaks of `pieces`: between 0 and 1 unless out of range, NaN where missing."""
        raise NotImplementedError

    # As an expression, for scorers in other languages

    def cases(self) -> tuple[Case, ...] | None:
        """The model columns as polynomials by case, as `pieces` have them; None otherwise."""
        return None

    def expression(self, theta: Array) -> Expression | None:
        """The effect with these coefficients as an expression of columns; None where it cannot be written so."""
        cases = self.cases()
        return None if cases is None else add_cases([cases], theta)

    # How smooth it is

    @cached_property
    def orders(self) -> NDArray[np.intp]:
        """How much each function bends: 0 for lines and levels, then 1, 2, ... from smooth to rough."""
        penalized = np.zeros(self.size, dtype=bool)
        for penalty in self.penalties:
            penalized |= penalty.diagonal > 0.0
        return np.where(penalized, np.cumsum(penalized), 0)

    @property
    def equals(self) -> NDArray[np.intp]:
        """A group number for each function; functions in one group are interchangeable.

        Which contrasts of levels there are is a matter of spelling: a prior that treats them differently depends on it.
        """
        return np.arange(self.size)

    def shared(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give functions that are equals the mean of their values, shape (m,)."""
        groups = np.unique(self.equals, return_inverse=True)[1]
        return np.asarray((np.bincount(groups, values) / np.bincount(groups))[groups])

    @property
    def bends(self) -> NDArray[np.bool_] | None:
        """Which functions a straight line does without; None where there is no line to speak of."""
        return None

    def coarse(self, n_functions: int) -> tuple[Basis, NDArray[np.intp]]:
        """Return a cheaper term of the smoothest functions, and where its columns stand in this one.

        It has the same penalties as long as it has functions for them.
        """
        return self, np.arange(self.size)

    def on_log_scale(self, columns: Sequence[Column]) -> Basis:
        """Return the term along logarithms where its column has one long tail and the scale was left open."""
        return self

    # What is said about it

    def comparisons(self) -> Iterator[Comparison]:
        """What a summary lists by its coefficients; nothing for curves."""
        return iter(())

    @property
    def is_tested_jointly(self) -> bool:
        """Whether a summary tests all lines of `comparisons` together."""
        return False

    @property
    def has_levels(self) -> bool:
        """Whether rows may be split by level."""
        return type(self).levels_in_doubt is not Basis.levels_in_doubt

    def levels_in_doubt(self, everywhere: float, sums: Array, squares: Array, theta: Array) -> Iterator[LevelInDoubt]:
        """Split rows in doubt by level, given their number, and sums and products of the term's columns over them."""
        return iter(())

    def curve(self, t: Array) -> Array:
        """Evaluate the model columns of a curve where its column, scaled to [0, 1], is t."""
        raise InputError(f"{self.spec.label} cannot be projected on Fourier functions; use method='wald'.")

    # What is kept of it

    @abstractmethod
    def found(self, shelf: Shelf) -> dict[str, Any]:
        """Return what was found in the data, as plain values; `Term.restore` makes the basis of it again."""

    def in_gaps(self) -> tuple[Any, ...] | None:
        """Return what stands in gaps while other values are encoded; None where gaps are not skipped."""
        return None

    # Helpers

    def along(self, encoded: Encoded, axis: int) -> Encoded:
        """Return encoded values of one column of the table."""
        return encoded if encoded.ndim == 1 else encoded[:, axis]
