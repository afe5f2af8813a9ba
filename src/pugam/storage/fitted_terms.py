"""Terms that have met the data, with their coefficients and smoothing, in a saved model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.nodes import Node
from pugam.terms import Basis
from pugam.terms.missing import read_stand_ins, with_gaps
from pugam.terms.shelf import Shelf
from pugam.terms.splines import PiecewiseBasis
from pugam.terms.term import read_term

__all__ = ["StoredTerm", "read_stored_term", "write_stored_term"]

Array = NDArray[np.float64]

KEYS = ("term", "found", "stand_ins", "smoothing", "coefficients")
NOT_NEGATIVE = "a number that is not negative"


@dataclass(frozen=True, eq=False)
class StoredTerm:
    """A term, its smoothing parameters, and its block of the coefficients theta."""

    basis: Basis
    kappas: Array
    theta: Array


def write_stored_term(term: StoredTerm, shelf: Shelf) -> dict[str, Any]:
    """Write a term: what was asked for, what was found in its columns, what was estimated."""
    basis, in_gaps = term.basis, term.basis.in_gaps()
    stand_ins = None if in_gaps is None else [_plain(value) for value in in_gaps]
    values = [basis.spec.to_plain(), basis.found(shelf), stand_ins, term.kappas.tolist(), term.theta.tolist()]
    return dict(zip(KEYS, values, strict=True))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def read_stored_term(node: Node, shelf: Sequence[PiecewiseBasis]) -> StoredTerm:
    """Read a term."""
    parts = node.fields(*KEYS)
    basis = read_term(parts["term"]).restore(parts["found"], shelf)
    if parts["stand_ins"].value is not None:
        basis = with_gaps(basis, read_stand_ins(parts["stand_ins"], basis))
    kappas = parts["smoothing"].numbers(len(basis.penalties), 0.0, NOT_NEGATIVE)
    return StoredTerm(basis, kappas, parts["coefficients"].coefficients(basis.size))
