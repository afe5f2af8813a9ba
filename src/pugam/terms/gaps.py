"""Missing values in the columns of terms: found, and refused where the term gives no leave."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_

import numpy as np
from numpy.typing import NDArray

from pugam.data import Column, require_numeric
from pugam.errors import RowError
from pugam.messages import DroppingRows, LeavingUnscored, MissingEffect, Piece, first_of
from pugam.terms.term import Term

__all__ = ["complete_numbers", "listed", "missing_rows", "refuse_gaps", "refuse_missing"]

MOST_NAMES = 10


def listed(names: Sequence[str]) -> str:
    """Name the first of them, in a message."""
    return first_of(names, MOST_NAMES)


def missing_rows(columns: Sequence[Column]) -> NDArray[np.bool_]:
    """True at the rows that lack a value in any of the columns."""
    return np.asarray(reduce(or_, [column.missing for column in columns]))


def refuse_gaps(terms: Sequence[tuple[Term, Sequence[Column]]]) -> None:
    """Refuse a fit to columns that lack values without leave to, naming all of them at once."""
    strict = [(term, column) for term, columns in terms if term.missing == "error" for column in columns]
    gaps = {column.name: (term, column) for term, column in reversed(strict) if _has_gaps(column)}
    if not gaps:
        return
    (term, column), *others = reversed(gaps.values())
    names = [repr(other.name) for _, other in others]
    also = f", and so {'has' if len(names) == 1 else 'have'} {listed(names)}" if names else ""
    raise _gap_error(column, term, f"{also}; fill or drop them", DroppingRows(), *_permitted(term, "them"), ".")


def _has_gaps(column: Column) -> bool:
    missing = column.missing
    return bool(missing.any() and not missing.all())


def refuse_missing(column: Column, term: Term) -> None:
    """Refuse a column that lacks values."""
    if not column.missing.any():
        return
    if term.missing != "error":
        remedy = LeavingUnscored(), "fill or drop them."
        raise _gap_error(column, term, "; the fit saw none, so they have no effect of their own: ", *remedy)
    remedy = LeavingUnscored(), "fill or drop them"
    raise _gap_error(column, term, "; ", *remedy, *_permitted(term, "these", again=True), ".")


def _permitted(term: Term, which: str, again: bool = False) -> tuple[str | MissingEffect, ...]:
    """Say how to permit missing values, where the term can have any."""
    if term.gap_policy == "error":
        return ()
    where = "; if rows of the fit lack values, too, " if again else ", or "
    effect = "an effect of their own" if term.gap_policy == "effect" else "a zero effect here"
    return f"{where}give {which} {effect}", MissingEffect(term.with_option(f"missing={term.gap_policy!r}"), again)


def complete_numbers(column: Column, term: Term) -> NDArray[np.float64]:
    """Return a column as numbers, none of them missing."""
    refuse_missing(column, term)
    return require_numeric(column, term.label)


def _gap_error(column: Column, term: Term, *remedy: str | Piece) -> RowError:
    missing = column.missing
    row, others = int(np.argmax(missing)), int(missing.sum()) - 1
    more = f" and {others} more" if others and column.stands_for is None else " and others" if others else ""
    return RowError(f"{term.label}: column {column.name!r} has missing values (NaN) in ", row, more, *remedy)
