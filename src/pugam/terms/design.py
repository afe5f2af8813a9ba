"""The design: all fitted terms side by side, as model columns behind an intercept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pugam.data import Table
from pugam.errors import InputError
from pugam.layout import Layout
from pugam.terms.bases import Basis, Encoded, refuse_gaps, resolve_term, with_logarithm
from pugam.terms.specs import TermSpec
from pugam.terms.support import LocalSupport

__all__ = ["Design"]

Array = NDArray[np.float64]

PREDICTION_ROWS = 8192


@dataclass(frozen=True)
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
    def resolve(cls, specs: Sequence[TermSpec], table: Table) -> Design:
        """Let every term meet its column."""
        terms = [(spec, table.column(spec.column)) for spec in specs]
        refuse_gaps(terms)
        return cls(tuple(resolve_term(spec, column) for spec, column in terms))

    def with_logarithms(self, table: Table) -> Design | None:
        """Return the design with logarithms of the columns that have one long tail; None where there are none.

        Only terms that leave their scale open change.
        """
        bases = tuple(with_logarithm(basis, table.column(basis.spec.column)) for basis in self.bases)
        unchanged = all(new is old for new, old in zip(bases, self.bases, strict=True))
        return None if unchanged else Design(bases)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Number of columns of each term."""
        return tuple(len(basis.roughness) for basis in self.bases)

    @cached_property
    def n_columns(self) -> int:
        """Number of columns of all terms, intercept excluded."""
        return sum(self.sizes)

    @cached_property
    def layout(self) -> Layout:
        """Where the parameters stand in a vector beta = (logit pi, a, theta)."""
        return Layout.single(self.n_columns)

    @cached_property
    def blocks(self) -> tuple[slice, ...]:
        """Where each term's coefficients stand in theta."""
        ends = np.cumsum(self.sizes)
        return tuple(slice(int(end) - size, int(end)) for end, size in zip(ends, self.sizes, strict=True))

    @cached_property
    def roughness(self) -> Array:
        """Diagonal of the penalty at smoothing parameters of one, shape (n_columns,)."""
        return np.concatenate([basis.roughness for basis in self.bases])

    @cached_property
    def columns_used(self) -> tuple[str, ...]:
        """The table columns the terms were built on, in term order."""
        return tuple(basis.spec.column for basis in self.bases)

    @cached_property
    def support(self) -> LocalSupport:
        """Where the terms are polynomials, and which."""
        return LocalSupport(self.bases)

    def index(self, term: str) -> int:
        """Find a term by its column or by its label, `age` or `s(age)`."""
        for number, basis in enumerate(self.bases):
            if term in (basis.spec.column, basis.spec.label):
                return number
        raise InputError(f"There is no term {term!r} in the model; its terms are {', '.join(self.labels)}.")

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The terms as they are shown."""
        return tuple(basis.spec.label for basis in self.bases)

    @cached_property
    def penalized(self) -> tuple[int, ...]:
        """Numbers of the terms that have a smoothing parameter."""
        if self.ridge is not None:
            return ()
        return tuple(number for number, basis in enumerate(self.bases) if basis.roughness.any())

    def encode(self, table: Table) -> tuple[Encoded, ...]:
        """Check and encode the columns of a table, one array per term."""
        return tuple(basis.encode(table.column(basis.spec.column)) for basis in self.bases)

    def matrix(self, encoded: Sequence[Encoded], out: Array | None = None) -> Array:
        """Evaluate the model columns of encoded rows, intercept first: shape (n, 1 + n_columns)."""
        if out is None:
            out = np.empty((len(encoded[0]), 1 + self.n_columns))
        out[:, 0] = 1.0
        for basis, block, values in zip(self.bases, self.blocks, encoded, strict=True):
            out[:, 1 + block.start : 1 + block.stop] = basis.columns(values)
        return out

    def matrices(self, encoded: Sequence[Encoded]) -> Iterator[tuple[slice, Array]]:
        """Evaluate the model columns of many rows some at a time, which keeps memory small: which rows, and theirs."""
        for rows in _some_at_a_time(len(encoded[0])):
            yield rows, self.matrix([values[rows] for values in encoded])

    def predict(self, encoded: Sequence[Encoded], b: Array) -> Array:
        """Evaluate intercept plus effects for one vector b = (a, theta).

        To the last bit, what comes out for a row does not depend on the rows around it.
        """
        out = np.full(len(encoded[0]), b[0])
        for rows in _some_at_a_time(len(out)):
            for basis, block, values in zip(self.bases, self.blocks, encoded, strict=True):
                out[rows] += basis.effect(values[rows], b[1:][block])
        return out

    def coarse(self, n_functions: int) -> tuple[Design, NDArray[np.intp]]:
        """Return a cheaper design of the smoothest functions of each term, and where its columns stand in this one."""
        pairs = [basis.coarse(n_functions) for basis in self.bases]
        kept = [block.start + columns for block, (_, columns) in zip(self.blocks, pairs, strict=True)]
        return Design(tuple(basis for basis, _ in pairs)), np.concatenate(kept)

    def held_by(self, ridge: Array) -> Design:
        """Return the design with a ridge on all columns."""
        return replace(self, ridge=ridge)

    def penalty(self, kappas: Array) -> Array:
        """Diagonal Hessian of sum_j kappa_j int u_j''^2 for one smoothing parameter per term, or the ridge."""
        if self.ridge is not None:
            return self.ridge
        return 2.0 * np.repeat(kappas, self.sizes) * self.roughness


def _some_at_a_time(n_rows: int) -> Iterator[slice]:
    return (slice(start, start + PREDICTION_ROWS) for start in range(0, n_rows, PREDICTION_ROWS))
