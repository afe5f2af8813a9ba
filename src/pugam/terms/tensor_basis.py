"""Products of functions of single columns, the margins of a term of several columns.

The functions are centred, so a product is centred in every direction: it contains no main effects. These are products
with the constant one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import chain, combinations, product
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pugam.data import Column
from pugam.errors import InputError
from pugam.nodes import Node
from pugam.terms.axes import Axis
from pugam.terms.basis import BOW, INTERACTIONS, Basis, Comparison, Encoded, Penalty
from pugam.terms.expressions import Case, Expression, add_cases
from pugam.terms.gaps import refuse_missing
from pugam.terms.ranges import bounded
from pugam.terms.shelf import Shelf
from pugam.terms.splines import PiecewiseBasis
from pugam.terms.term import Term

__all__ = ["TensorBasis", "multiply", "refuse_size", "restore_products"]

Array = NDArray[np.float64]

MOST_COLUMNS = 1000  # of one term: beyond, a fit takes minutes, and its penalties much memory


@dataclass(frozen=True)
class TensorBasis(Basis):
    """Products of functions of single columns.

    Attributes
    ----------
    spec : Term
    margins : tuple of Basis
        Terms of one column each.
    has_main_effects : bool
        Whether margins contribute the constant one, too, though not all of them at once.
    """

    spec: Term
    margins: tuple[Basis, ...]
    has_main_effects: bool = False

    def checked(self) -> Self:
        """Return the term, or refuse it where margins are such that products of them cannot be used."""
        shaped = next((margin.spec.label for margin in self.margins if len(margin.constraints)), None)
        if shaped is not None:
            raise InputError(f"{self.spec.label}: the shape of {shaped} would be lost in a product; leave it out.")
        refuse_size(self)
        return self

    @cached_property
    def factors(self) -> NDArray[np.intp]:
        """Which function of each margin, counted from one, is a factor of each column; zero for the constant."""
        first = 0 if self.has_main_effects else 1
        counts = [margin.size + 1 - first for margin in self.margins]
        numbers = np.indices(counts).reshape(len(counts), -1).T + first
        return numbers[numbers.any(axis=1)]

    @cached_property
    def size(self) -> int:
        """As many columns as there are products."""
        with_constant = np.prod([margin.size + self.has_main_effects for margin in self.margins], dtype=object)
        return int(with_constant) - self.has_main_effects

    @property
    def axes(self) -> tuple[Axis, ...]:
        """Those of the margins."""
        return tuple(axis for margin in self.margins for axis in margin.axes)

    @cached_property
    def penalties(self) -> tuple[Penalty, ...]:
        """Those of each margin, for every product with its functions: integrals over all columns, if scaled to [0, 1].

        That follows from the functions of the other margins being orthonormal.
        """
        return tuple(
            Penalty(np.append(0.0, penalty.diagonal)[factor], f"{margin.spec.columns[0]} {penalty.name}".rstrip())
            for margin, factor in zip(self.margins, self.factors.T, strict=True)
            for penalty in margin.penalties
        )

    @cached_property
    def priors(self) -> tuple[Penalty, ...]:
        """Without main effects, one for all products: the more a factor bends, the smaller they are."""
        if self.has_main_effects:
            return super().priors
        weights = np.ones(self.size)
        for margin, factor in self._factors_of_margins:
            roughness = sum((penalty.diagonal for penalty in margin.penalties), np.zeros(margin.size))
            weights = weights * np.append(1.0, 1.0 + roughness / BOW)[factor]
        return (Penalty(weights, INTERACTIONS),)

    def encode(self, columns: Sequence[Column]) -> Encoded:
        """Encode each column for its margin: shape (n, number of margins)."""
        for column in columns:
            refuse_missing(column, self.spec)
        encoded = [margin.encode([column]) for margin, column in zip(self.margins, columns, strict=True)]
        return np.column_stack(encoded).astype(np.float64)

    def columns(self, encoded: Encoded) -> Array:
        """Multiply the margins' functions: shape (n, m)."""
        return self.columns_beside(encoded, {})

    def columns_beside(self, encoded: Encoded, known: dict[int, Array]) -> Array:
        """Evaluate each margin once for all products with it: all pairs of columns share few of them."""
        for margin, values in zip(self.margins, encoded.T, strict=True):
            if id(margin) not in known:
                known[id(margin)] = margin.columns(values)
        return self._products([known[id(margin)] for margin in self.margins])

    def expression(self, theta: Array) -> Expression | None:
        """Polynomials of the first margin whose coefficients are polynomials of the next, by case."""
        margins = [margin.cases() for margin in self.margins]
        known = [cases for cases in margins if cases is not None]
        if len(known) < len(margins):
            return None
        if self.has_main_effects:
            theta, known = np.append(0.0, theta), [tuple(map(_with_constant, cases)) for cases in known]
        sizes = [margin.size + self.has_main_effects for margin in self.margins]
        return add_cases(known, theta.reshape(sizes))

    def slopes(self, encoded: Encoded, along: int = 0) -> Array:
        """Multiply the derivatives of one margin's functions with the functions of the others."""
        parts = [margin.columns(values) for margin, values in zip(self.margins, encoded.T, strict=True)]
        parts[along] = self.margins[along].slopes(encoded[:, along])
        return self._products(parts, along)

    def _products(self, parts: Sequence[Array], along: int | None = None) -> Array:
        """Multiply functions in the order of `factors`; of the margin of a derivative the constant is zero."""
        parts = [bounded(part, len(parts)) for part in parts]
        if not self.has_main_effects:
            return reduce(multiply, parts)
        constants = [np.full((len(part), 1), float(number != along)) for number, part in enumerate(parts)]
        return reduce(multiply, map(np.hstack, zip(constants, parts, strict=True)))[:, 1:]

    @cached_property
    def orders(self) -> NDArray[np.intp]:
        """How much each product bends in all directions together."""
        orders = [np.append(0, margin.orders)[factor] for margin, factor in self._factors_of_margins]
        return np.asarray(np.sum(orders, axis=0))

    @cached_property
    def equals(self) -> NDArray[np.intp]:
        """Products of functions that are equals in every margin."""
        groups = [np.append(-1, margin.equals)[factor] for margin, factor in self._factors_of_margins]
        return np.unique(np.array(groups), axis=1, return_inverse=True)[1].ravel()

    @cached_property
    def bends(self) -> NDArray[np.bool_] | None:
        """All products but those of lines and levels; None where no margin bends."""
        margins = [(margin.bends, factor) for margin, factor in self._factors_of_margins]
        bending = [np.append(False, bends)[factor] for bends, factor in margins if bends is not None]
        return np.asarray(np.any(bending, axis=0)) if bending else None

    @property
    def _factors_of_margins(self) -> Iterator[tuple[Basis, NDArray[np.intp]]]:
        return zip(self.margins, self.factors.T, strict=True)

    def coarse(self, n_functions: int) -> tuple[TensorBasis, NDArray[np.intp]]:
        """Coarsen each margin."""
        pairs = [margin.coarse(n_functions) for margin in self.margins]
        coarse = replace(self, margins=tuple(margin for margin, _ in pairs))
        places = np.zeros([margin.size + 1 for margin in self.margins], dtype=np.intp)
        places[tuple(self.factors.T)] = np.arange(self.size)
        kept = [np.append(0, 1 + kept)[factor] for (_, kept), factor in zip(pairs, coarse.factors.T, strict=True)]
        return coarse, places[tuple(kept)]

    def on_log_scale(self, columns: Sequence[Column]) -> TensorBasis:
        """Take logarithms in the margins that do."""
        margins = tuple(margin.on_log_scale([column]) for margin, column in zip(self.margins, columns, strict=True))
        if all(new is old for new, old in zip(margins, self.margins, strict=True)):
            return self
        spec = replace(self.spec, margins=tuple(margin.spec for margin in margins))  # type: ignore[type-var]
        return replace(self, spec=spec, margins=margins)

    def comparisons(self) -> Iterator[Comparison]:
        """Products of what the margins compare, where nothing is smooth: slopes by level, slopes per unit of products.

        With main effects, these come first.
        """
        if self.penalties:
            return
        n_margins = len(self.margins)
        fewest = 1 if self.has_main_effects else n_margins
        for group in chain.from_iterable(combinations(range(n_margins), n) for n in range(fewest, n_margins + 1)):
            for lines in product(*(list(self.margins[number].comparisons()) for number in group)):
                weights = self._weights(dict(zip(group, lines, strict=True)))
                is_level = not self.has_main_effects and all(line.is_level for line in lines)
                yield Comparison(self._name(group, lines), weights, is_level=is_level)

    def _name(self, group: Sequence[int], lines: Sequence[Comparison]) -> str:
        """Name a comparison by levels; beside main effects, which have lines of their own, by columns too."""
        columns = [self.spec.columns[number] if self.has_main_effects else "" for number in group]
        return ":".join(filter(None, (line.name or column for line, column in zip(lines, columns, strict=True))))

    def _weights(self, lines: Mapping[int, Comparison]) -> Array:
        """Weights of all columns in a comparison of some margins, to which the others contribute the constant."""
        parts = []
        for number, (margin, factor) in enumerate(self._factors_of_margins):
            constant = np.eye(1, 1 + margin.size)[0]
            parts.append((np.append(0.0, lines[number].weights) if number in lines else constant)[factor])
        return np.asarray(np.prod(parts, axis=0))

    @property
    def is_tested_jointly(self) -> bool:
        """Where nothing is smooth, and there is more than one line."""
        return not self.penalties and self.size > 1

    def found(self, shelf: Shelf) -> dict[str, Any]:
        """What the margins found."""
        return {"margins": [margin.found(shelf) for margin in self.margins]}


def restore_products(
    spec: Term, margins: Sequence[Term], found: Node, shelf: Sequence[PiecewiseBasis], has_main_effects: bool = False
) -> TensorBasis:
    """Restore a basis from what its margins found."""
    nodes = found.fields("margins")["margins"].items(len(margins))
    restored = tuple(margin.restore(node, shelf) for margin, node in zip(margins, nodes, strict=True))
    basis = TensorBasis(spec, restored, has_main_effects)
    refuse_size(basis, found)
    return basis


def refuse_size(basis: Basis, found: Node | None = None) -> None:
    """Refuse a term of too many columns, of which a saved model may tell."""
    if basis.size > MOST_COLUMNS and found is not None:
        raise found.error(f"a term of at most {MOST_COLUMNS} functions")
    if basis.size > MOST_COLUMNS:
        raise InputError(
            f"{basis.spec.label} has {basis.size} functions, more than {MOST_COLUMNS}; use fewer along each column, as "
            "in k=4, fewer columns, or fewer levels."
        )


def _with_constant(case: Case) -> Case:
    """The model columns of a margin behind the constant one."""
    constant = np.eye(len(case.coefficients), 1)
    return replace(case, coefficients=np.hstack([constant, case.coefficients]))


def multiply(left: Array, right: Array) -> Array:
    """All products of a column of one and a column of the other, the latter running fastest."""
    return np.asarray(np.einsum("ij,ik->ijk", left, right).reshape(len(left), -1))
