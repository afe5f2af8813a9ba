"""The design: all terms side by side, as model columns behind an intercept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pugam.data import Column, Table
from pugam.errors import InputError
from pugam.layout import Layout
from pugam.terms.basis import Basis, Encoded
from pugam.terms.expressions import Expression, Number, Plus
from pugam.terms.gaps import refuse_gaps
from pugam.terms.missing import resolve_term
from pugam.terms.splines import PiecewiseBasis
from pugam.terms.support import LocalSupport
from pugam.terms.term import Term, columns_read

__all__ = ["Design", "DesignPenalty"]

Array = NDArray[np.float64]

PREDICTION_ROWS = 8192  # evaluated at a time


@dataclass(frozen=True, eq=False)
class DesignPenalty:
    """What one smoothing parameter multiplies.

    Attributes
    ----------
    term : int
        Number of the term it belongs to.
    columns : int array
        Which coefficients it penalises.
    diagonal : array, as long
        Their weights: kappa times the sum of diagonal * theta^2 is subtracted from the log-likelihood.
    alone : bool
        Whether no other one penalises any of these coefficients.
    """

    term: int
    columns: NDArray[np.intp]
    diagonal: Array
    alone: bool


@dataclass(frozen=True, eq=False)
class Design:
    """The terms of a model in order, each with its block of columns.

    Coefficients `theta` of all terms stand one after another; the intercept is not among them.

    Attributes
    ----------
    bases : tuple of Basis
    ridge : array of shape (n_columns,), optional
        Diagonal of a penalty on all columns, which takes the place of smoothing.
    """

    bases: tuple[Basis, ...]
    ridge: Array | None = field(default=None, compare=False)

    @classmethod
    def resolve(cls, specs: Sequence[Term], table: Table) -> Design:
        """Let every term meet its columns."""
        terms = [(spec, [table.column(name) for name in spec.columns]) for spec in specs]
        refuse_gaps(terms)
        return cls(tuple(resolve_term(spec, columns) for spec, columns in terms))

    def with_logarithms(self, table: Table) -> Design | None:
        """Return the design with logarithms of the columns that have one long tail; None where there are none.

        Only terms that leave their scale open change.
        """
        bases = tuple(basis.on_log_scale(_columns_read(basis, table)) for basis in self.bases)
        unchanged = all(new is old for new, old in zip(bases, self.bases, strict=True))
        return None if unchanged else Design(bases)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Number of columns of each term."""
        return tuple(basis.size for basis in self.bases)

    @cached_property
    def n_columns(self) -> int:
        """Number of columns of all terms, intercept excluded."""
        return sum(self.sizes)

    @cached_property
    def layout(self) -> Layout:
        """Where the parameters stand in a vector beta = (logit pi, a, theta)."""
        return Layout.single(self.n_columns, sum(self.sizes[self.n_effects :]))

    @cached_property
    def n_effects(self) -> int:
        """Number of terms of the density ratio; those that say who is labelled come behind them."""
        return sum(not basis.spec.is_labelling for basis in self.bases)

    @property
    def effect_bases(self) -> tuple[Basis, ...]:
        """The terms of the density ratio."""
        return self.bases[: self.n_effects]

    @property
    def labelling_columns(self) -> tuple[str, ...]:
        """The columns that those terms read which say who is labelled."""
        return columns_read([basis.spec for basis in self.bases[self.n_effects :]])

    @cached_property
    def blocks(self) -> tuple[slice, ...]:
        """Where each term's coefficients stand in theta."""
        ends = np.cumsum(self.sizes)
        return tuple(slice(int(end) - size, int(end)) for end, size in zip(ends, self.sizes, strict=True))

    @cached_property
    def penalties(self) -> tuple[DesignPenalty, ...]:
        """One for each smoothing parameter, those of the first term first."""
        found = []
        for term, (basis, block) in enumerate(zip(self.bases, self.blocks, strict=True)):
            counts = sum((penalty.diagonal > 0.0).astype(int) for penalty in basis.penalties)
            for penalty in basis.penalties:
                own = np.flatnonzero(penalty.diagonal)
                alone = bool(np.all(np.asarray(counts)[own] == 1))
                found.append(DesignPenalty(term, block.start + own, penalty.diagonal[own], alone))
        return tuple(found)

    @cached_property
    def roughness(self) -> Array:
        """Diagonals of all penalties, a row for each smoothing parameter: shape (n_penalties, n_columns)."""
        rows = np.zeros((len(self.penalties), self.n_columns))
        for row, penalty in zip(rows, self.penalties, strict=True):
            row[penalty.columns] = penalty.diagonal
        return rows

    @cached_property
    def constraints(self) -> Array:
        """Rows A of shape (c, n_columns): coefficients of all terms keep to A theta >= 0."""
        from scipy.linalg import block_diag

        rows = [basis.constraints for basis in self.bases]
        return np.asarray(block_diag(*rows)) if any(map(len, rows)) else np.zeros((0, self.n_columns))

    @cached_property
    def is_penalized(self) -> NDArray[np.bool_]:
        """Which columns smoothing restrains, shape (n_columns,)."""
        return np.asarray((self.roughness > 0.0).any(axis=0))

    def smoothing_by_term(self, kappas: Array) -> dict[str, float | tuple[float, ...]]:
        """Return the smoothing parameters of each term that has any, by its name: a number, or a tuple of several."""
        numbers = {term: self.penalties_of(term) for term in range(len(self.bases))}
        return {
            self.names[term]: float(kappas[own[0]]) if len(own) == 1 else tuple(kappas[list(own)].tolist())
            for term, own in numbers.items()
            if own and (self.ridge is None or kappas[list(own)].any())
        }

    def penalties_of(self, term: int) -> tuple[int, ...]:
        """Numbers of the smoothing parameters of a term."""
        return tuple(number for number, penalty in enumerate(self.penalties) if penalty.term == term)

    @cached_property
    def columns_used(self) -> tuple[str, ...]:
        """The table columns that the terms read, each once."""
        return columns_read(basis.spec for basis in self.bases)

    @cached_property
    def local_terms(self) -> tuple[int, ...]:
        """Numbers of the terms that are polynomials between breaks of one column."""
        return tuple(number for number, basis in enumerate(self.bases) if basis.pieces is not None)

    @cached_property
    def dense_terms(self) -> tuple[int, ...]:
        """Numbers of the other terms, whose model columns have to be written out."""
        return tuple(number for number in range(len(self.bases)) if number not in self.local_terms)

    def columns_of(self, terms: Sequence[int]) -> NDArray[np.intp]:
        """Where the columns of some terms stand among all columns, intercept excluded."""
        places = np.arange(self.n_columns)
        return np.concatenate([places[:0], *(places[self.blocks[number]] for number in terms)])

    @cached_property
    def local_part(self) -> Design:
        """The design of the terms that are polynomials, which may be none."""
        return self if not self.dense_terms else Design(tuple(self.bases[number] for number in self.local_terms))

    @cached_property
    def local_pieces(self) -> list[PiecewiseBasis]:
        """The polynomials of those terms."""
        return [basis.pieces for basis in self.bases if basis.pieces is not None]

    @cached_property
    def support(self) -> LocalSupport:
        """Where terms are polynomials, and which."""
        return LocalSupport(self.local_pieces)

    @cached_property
    def known_terms(self) -> tuple[int, ...]:
        """Numbers of the terms whose effect is known: offsets, which have no model columns."""
        return tuple(number for number, size in enumerate(self.sizes) if size == 0)

    @cached_property
    def estimated_terms(self) -> tuple[int, ...]:
        """Numbers of the other terms, which have coefficients."""
        return tuple(number for number, size in enumerate(self.sizes) if size > 0)

    def known(self, encoded: Sequence[Encoded]) -> Array | None:
        """Evaluate what known effects add to the linear predictor, shape (n,); None where there are none."""
        parts = [self.bases[number].known(encoded[number]) for number in self.known_terms]
        return np.sum(parts, axis=0) if parts else None

    def index(self, term: str) -> int:
        """Find a term by its label, or by its column where one term only goes along that alone: `age` or `s(age)`."""
        if term in self.labels:
            return self.labels.index(term)
        effects = self.bases[: self.n_effects]
        alone = [number for number, basis in enumerate(effects) if basis.spec.columns == (term,)]
        if len(alone) == 1:
            return alone[0]
        what = f"There are several terms of {term!r}" if alone else f"There is no term {term!r} in the model"
        raise InputError(f"{what}; {self.listing}.")

    @property
    def listing(self) -> str:
        """Which terms there are, for messages."""
        return f"its terms are {', '.join(self.labels)}"

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The terms as they are shown."""
        return tuple(basis.spec.label for basis in self.bases)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The terms as short as they can be named: by their column, if no other term goes along that alone."""
        columns = [basis.spec.columns for basis in self.bases[: self.n_effects]]
        short = [
            of_term[0] if len(of_term) == 1 and columns.count(of_term) == 1 else label
            for of_term, label in zip(columns, self.labels, strict=False)
        ]
        return (*short, *self.labels[self.n_effects :])

    def encode(self, table: Table) -> tuple[Encoded, ...]:
        """Check and encode the columns of a table, one array per term."""
        return tuple(basis.encode(_columns_read(basis, table)) for basis in self.bases)

    def encode_effects(self, table: Table) -> tuple[Encoded, ...]:
        """Encode what the density ratio reads; for terms with no part in it, a value of the fit stands in."""
        stand_ins = (
            basis.encode([axis.stand_in(table.n_rows) for axis in basis.axes]) for basis in self.bases[self.n_effects :]
        )
        return (*(basis.encode(_columns_read(basis, table)) for basis in self.effect_bases), *stand_ins)

    def matrix(self, encoded: Sequence[Encoded], out: Array | None = None) -> Array:
        """Evaluate the model columns of encoded rows, intercept first: shape (n, 1 + n_columns)."""
        if out is None:
            out = np.empty((len(encoded[0]), 1 + self.n_columns))
        out[:, 0] = 1.0
        for block, columns in zip(self.blocks, self.columns_by_term(range(len(self.bases)), encoded), strict=True):
            out[:, 1 + block.start : 1 + block.stop] = columns
        return out

    def columns_by_term(self, terms: Iterable[int], encoded: Sequence[Encoded]) -> Iterator[Array]:
        """Evaluate the model columns of some terms, one after the other, from the encoded rows of all."""
        known: dict[int, Array] = {}
        return (self.bases[number].columns_beside(encoded[number], known) for number in terms)

    def matrices(self, encoded: Sequence[Encoded]) -> Iterator[tuple[slice, Array]]:
        """Evaluate the model columns of many rows some at a time, which keeps memory small: which rows, and theirs."""
        for rows in _some_at_a_time(len(encoded[0])):
            yield rows, self.matrix([values[rows] for values in encoded])

    def predict(self, encoded: Sequence[Encoded], b: Array) -> Array:
        """Evaluate intercept plus effects for one vector b = (a, theta).

        To the last bit, what comes out for a row does not depend on the rows around it.
        """
        named = self.layout.of_predictors
        out, theta = np.full(len(encoded[0]), b[named.intercept]), b[named.coefficients]
        for rows in _some_at_a_time(len(out)):
            for basis, block, values in zip(self.bases, self.blocks, encoded, strict=True):
                out[rows] += basis.effect(values[rows], theta[block])
        return out

    def expression(self, b: Array) -> Expression:
        """Intercept plus effects for one vector b = (a, theta), without the terms that say who is labelled."""
        named = self.layout.of_predictors
        parts = [basis.expression(b[named.coefficients][block]) for basis, block in self._effects]
        for (basis, _), part in zip(self._effects, parts, strict=True):
            if part is None:
                raise InputError(f"{basis.spec.label} cannot be written as a formula, so the model cannot be exported.")
        return Plus((Number(float(b[named.intercept])), *(part for part in parts if part is not None)))

    @property
    def _effects(self) -> list[tuple[Basis, slice]]:
        return list(zip(self.bases, self.blocks, strict=True))[: self.n_effects]

    def coarse(self, n_functions: int) -> tuple[Design, NDArray[np.intp]]:
        """Return a cheaper design of the smoothest functions of each term, and where its columns stand in this one."""
        pairs = [basis.coarse(n_functions) for basis in self.bases]
        kept = [block.start + columns for block, (_, columns) in zip(self.blocks, pairs, strict=True)]
        return Design(tuple(basis for basis, _ in pairs)), np.concatenate(kept)

    def with_ridge(self, ridge: Array) -> Design:
        """Return the design with a ridge on all columns."""
        return replace(self, ridge=ridge)

    def smoothing_like(self, precision: Array) -> Array:
        """Smoothing parameters that restrain coefficients as much, on average, as a prior of this precision does."""
        return np.array(
            [float(np.mean(precision[one.columns] / (2.0 * one.diagonal))) for one in self.penalties], dtype=float
        )

    def penalty(self, kappas: Array) -> Array:
        """Diagonal Hessian of the penalties for one smoothing parameter each, or the ridge."""
        if self.ridge is not None:
            return self.ridge
        return np.asarray(2.0 * (kappas @ self.roughness))


def _columns_read(basis: Basis, table: Table) -> list[Column]:
    """The columns of a table that a term reads."""
    return [table.column(name) for name in basis.spec.columns]


def _some_at_a_time(n_rows: int) -> Iterator[slice]:
    return (slice(start, start + PREDICTION_ROWS) for start in range(0, n_rows, PREDICTION_ROWS))
