"""Terms for a user who names none: one per column, of the kind its values suggest."""

from __future__ import annotations

from pugam.data import Column, Table
from pugam.errors import InputError, warn_user
from pugam.terms.bases import count_distinct
from pugam.terms.specs import Factor, Linear, Smooth, TermSpec

__all__ = ["choose_terms"]

BASIS_SIZE = 10


def choose_terms(table: Table) -> list[TermSpec]:
    """Make a term of every column: smooth, linear for two values, factor for text; constants are left out."""
    chosen = {name: _choose(table.column(name)) for name in table.names}
    constant = [name for name, term in chosen.items() if term is None]
    if constant:
        warn_user(
            f"Left out {len(constant)} constant column(s), which can have no effect: {', '.join(constant[:10])}"
            + (", ..." if len(constant) > 10 else ".")
        )
    terms = [term for term in chosen.values() if term is not None]
    if not terms:
        raise InputError("Every column of X is constant, so there is nothing to fit.")
    return terms


def _choose(column: Column) -> TermSpec | None:
    present = column.values[~column.missing]
    if column.kind == "category":
        return Factor(column.name) if len(set(present.tolist())) > 1 else None
    distinct = count_distinct(present, BASIS_SIZE)
    if distinct < 2:
        return None
    return Linear(column.name) if distinct == 2 else Smooth(column.name, k=min(BASIS_SIZE, distinct))
