"""Terms for a user who names none: one per column, of the kind its values suggest."""

from __future__ import annotations

import numpy as np

from pugam.data import Column, Table
from pugam.errors import InputError, warn_user
from pugam.messages import LeavingOut, counted
from pugam.terms.gaps import listed
from pugam.terms.kinds import Factor, Linear, Smooth
from pugam.terms.levels import grouping
from pugam.terms.ranges import count_distinct
from pugam.terms.term import Term

__all__ = ["choose_terms", "may_identify_rows"]

BASIS_SIZE = 10
MOST_LEVELS = 20  # beyond so many, a factor is chosen only if its levels are no numbers and have rows enough
FEWEST_ROWS_PER_LEVEL = 20
MOST_LEVELS_IN_SECONDS = 300  # time grows with the square of their number, or faster: 1,000 take an hour
FEWEST_NUMBERED_ROWS = 50
FIRST_ROWS = 1000  # which show of most columns that they do not identify rows


def choose_terms(table: Table) -> list[Term]:
    """Make a term of every column: smooth, linear for two values, factor for text.

    Constants are left out, and so are the index of a data frame and numbers that only number the rows; numbers that
    may identify rows are named.
    """
    index = _find_index(table)
    numbering = _find_numbering([column for column in map(table.column, table.names) if not column.was_index])
    left_out = {*index, *numbering}
    chosen = {name: _choose(table.column(name)) for name in table.names if name not in left_out}
    constant = [name for name, term in chosen.items() if term is None]
    if constant:
        beyond = any(table.column(name).is_rounded for name in constant)
        warn_user(
            f"Left out {counted(len(constant), 'constant column')}, which can have no effect: {listed(constant)}."
            + (" Numbers are kept to 16 digits: those that differ in further ones are the same." if beyond else "")
        )
    terms = [term for term in chosen.values() if term is not None]
    if not terms:
        raise InputError("Every column is constant, an index or numbers the rows, so there is nothing to fit.")
    _warn_of_identifiers([name for name, term in chosen.items() if term and may_identify_rows(table.column(name))])
    return terms


def _find_index(table: Table) -> list[str]:
    """Columns that were the index of a data frame, with a warning that they are left out."""
    index = [name for name in table.names if table.column(name).was_index]
    if index:
        warn_user(
            f"Left out {listed(index)}: this was the index of a pandas data frame, which tells how the table was put "
            "together. Name the terms if it means more."
        )
    return index


def _find_numbering(columns: list[Column]) -> list[str]:
    """Columns that only number the rows, with a warning that they are left out."""
    numbering = [column.name for column in columns if _numbers_the_rows(column)]
    anew = [column.name for column in columns if _numbers_parts(column) and not _numbers_the_rows(column)]
    if numbering:
        warn_user(
            f"Left out {listed(numbering)}: without gaps or repeats, the values only number the rows. Name the terms "
            "if they mean more."
        )
    if anew:
        warn_user(
            f"Left out {listed(anew)}: the values number the rows of tables that were put one below the other. Name "
            "the terms if they mean more."
        )
    return [*numbering, *anew]


def _warn_of_identifiers(names: list[str]) -> None:
    """Ask whether columns are features at all: files of positives and of others often have other identifiers."""
    if not names:
        return
    shown, out = listed([repr(name) for name in names]), LeavingOut(tuple(names), identify=True)
    if len(names) == 1:
        warn_user(
            f"Column {shown} holds whole numbers, different in every row; if it identifies rows, leave it out", out, "."
        )
    else:
        warn_user(
            f"Columns {shown} hold whole numbers, different in every row; if they identify rows, leave them out",
            out,
            ".",
        )


def _numbers_the_rows(column: Column) -> bool:
    """Whether values are whole numbers, each there once and none between them missing, as in an identifier."""
    values = column.values
    if column.kind != "numeric" or len(values) < FEWEST_NUMBERED_ROWS or column.missing.any():
        return False
    if float(values.max()) - float(values.min()) != column.n_rows - 1:
        return False
    steps = np.diff(np.sort(values))
    if column.stands_for is not None:
        return bool(np.all(steps >= 1.0) and np.all(values == np.rint(values)))
    return bool(np.all(steps == 1.0))


def _numbers_parts(column: Column) -> bool:
    """Whether values count rows one by one, beginning anew a few times: tables put together, each with its numbers."""
    values = column.values
    if column.kind != "numeric" or column.stands_for is not None or len(values) < FEWEST_NUMBERED_ROWS:
        return False
    if values[0] not in (0.0, 1.0) or values[1] - values[0] != 1.0:
        return False
    begins = np.flatnonzero(values[1:] != values[:-1] + 1.0) + 1
    if len(values) < FEWEST_NUMBERED_ROWS * (1 + len(begins)):  # hours and weekdays of rows in order begin anew, too
        return False
    return bool(np.all(values[begins] == values[0]))


def may_identify_rows(column: Column) -> bool:
    """Whether values are whole numbers, each there once: an identifier with gaps, or a large and exact measurement."""
    values = column.values
    if column.kind != "numeric" or len(values) < FEWEST_NUMBERED_ROWS or column.missing.any():
        return False
    if float(values.max()) - float(values.min()) < column.n_rows - 1:  # too few whole numbers for so many rows
        return False
    return _are_whole_and_differ(values[:FIRST_ROWS]) and _are_whole_and_differ(values)


def _are_whole_and_differ(values: np.ndarray) -> bool:
    ordered = np.sort(values)
    return bool(np.all(values == np.rint(values)) and np.all(ordered[1:] > ordered[:-1]))


def _choose(column: Column) -> Term | None:
    present = column.values[~column.missing]
    if column.kind == "category":
        return _choose_factor(column.name, present.tolist(), column.n_rows)
    distinct = count_distinct(present, BASIS_SIZE)
    if distinct < 2:
        return None
    return Linear(column.name) if distinct == 2 else Smooth(column.name, k=min(BASIS_SIZE, distinct))


def _choose_factor(name: str, values: list[object], n_rows: int) -> Term | None:
    levels = set(values)
    if len(levels) > MOST_LEVELS and all(_reads_as_number(level) for level in levels):
        raise InputError(
            f"Column {name!r} holds numbers written as text; turn it into numbers first, or name the terms and "
            f"write f({name}) if they are codes."
        )
    if len(levels) > MOST_LEVELS and len(levels) > n_rows / FEWEST_ROWS_PER_LEVEL:
        raise InputError(
            f"Column {name!r} has {len(levels)} levels in {n_rows} rows, too many for one effect each; leave it out",
            LeavingOut((name,), identify=True),
            " if it identifies or dates rows, or group its levels.",
        )
    if len(levels) > MOST_LEVELS_IN_SECONDS:
        raise InputError(
            f"Column {name!r} has {len(levels):,} levels, and a fit with an effect for each takes very long; keep the "
            f"common ones and group all others into one ({grouping(name)}), leave the column out",
            LeavingOut((name,)),
            f", or name the terms, with r({name}) among them, if you can wait.",
        )
    return Factor(name) if len(levels) > 1 else None


def _reads_as_number(level: object) -> bool:
    try:
        float(level)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return True
