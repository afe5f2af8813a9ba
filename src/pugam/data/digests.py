"""The few rows of a table in parts that tell what terms need to know of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from pugam.data.tables import Column, Table
from pugam.errors import InputError

__all__ = ["digest", "join_digests"]

FEW_ROWS = 100_000  # of so many rows, evenly spread, terms take their sample
MOST_LEVELS = 20_000  # of a column in one part: more are no levels


def digest(table: Table, first: int, n_rows: int, names: Sequence[str]) -> tuple[np.ndarray, dict[str, Column]]:
    """Choose the rows of one part that tell what there is to see in all of them, and read their columns.

    These are rows spread evenly over the whole table and, of each column, those of the least and greatest number, the
    first of every level and the first missing value. `first` is the number of the part's first row in the whole table,
    which has `n_rows`; the rows chosen are numbered likewise.
    """
    return _chosen(np.arange(first, first + table.n_rows), {name: table.column(name) for name in names}, n_rows)


def join_digests(
    parts: Sequence[tuple[np.ndarray, dict[str, Column]]], n_rows: int, library: str
) -> tuple[np.ndarray, Table]:
    """Join what was chosen of every part to one table that stands for all rows; also return their numbers."""
    names = tuple(parts[0][1])
    columns = {name: _joined(name, [columns[name] for _, columns in parts]) for name in names}
    rows, columns = _chosen(np.concatenate([numbers for numbers, _ in parts]), columns, n_rows)
    if len(rows) < n_rows:
        columns = {name: replace(column, stands_for=n_rows) for name, column in columns.items()}
    return rows, Table(names, len(rows), partial(_of, columns), library)


def _chosen(rows: np.ndarray, columns: dict[str, Column], n_rows: int) -> tuple[np.ndarray, dict[str, Column]]:
    """Choose among rows of these numbers; chosen twice, of parts and of what was chosen there, they are the same."""
    step = max(1, n_rows // FEW_ROWS)
    if step == 1:
        return rows, columns
    chosen = rows % step == 0
    for column in columns.values():
        chosen[_telling_rows(column)] = True
    places_chosen = np.flatnonzero(chosen)
    return rows[places_chosen], {
        name: replace(column, values=column.values[places_chosen]) for name, column in columns.items()
    }


def _of(columns: dict[str, Column], name: str) -> Column:
    return columns[name]


def _telling_rows(column: Column) -> np.ndarray:
    if column.kind == "category":
        first_rows: dict[object, int] = {}
        for row, value in enumerate(column.values.tolist()):
            if value not in first_rows and len(first_rows) < MOST_LEVELS:
                first_rows[value] = row
        return np.fromiter(first_rows.values(), dtype=np.intp, count=len(first_rows))
    values = column.values
    if not len(values):
        return np.zeros(0, np.intp)
    lowest, highest = int(np.argmin(values)), int(np.argmax(values))  # a missing value is both, where there is one
    if not np.isnan(values[lowest]):
        return np.array([lowest, highest])
    if np.isnan(values).all():
        return np.array([lowest])
    return np.array([lowest, int(np.nanargmin(values)), int(np.nanargmax(values))])


def _joined(name: str, columns: list[Column]) -> Column:
    kinds = {column.kind for column in columns if not column.missing.all()}
    if len(kinds) > 1:
        raise InputError(
            f"Column {name!r} holds numbers in some parts of the data and text in others; make it one everywhere."
        )
    kind = kinds.pop() if kinds else columns[0].kind
    values = [column.values if column.kind == kind else _all_missing(kind, len(column.values)) for column in columns]
    orders = {column.order for column in columns}
    order = orders.pop() if len(orders) == 1 else ()
    return Column(name, kind, np.concatenate(values), order=order, was_index=any(part.was_index for part in columns))


def _all_missing(kind: str, size: int) -> np.ndarray:
    return np.full(size, np.nan) if kind == "numeric" else np.full(size, None, dtype=object)
