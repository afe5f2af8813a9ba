"""Rows that come in parts, and the few of them that tell what terms need to know of all."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from pugam.data.labels import read_labels, read_weights
from pugam.data.tables import Column, Table, read_table
from pugam.errors import InputError, RowError
from pugam.messages import Row

__all__ = ["LabelPart", "Part", "digest", "join_digests", "read_label_part", "read_part", "rows_renumbered"]

FEW_ROWS = 100_000  # of so many rows, evenly spread, terms take their sample
MOST_LEVELS = 20_000  # of a column in one part: more are no levels


@dataclass(frozen=True, eq=False)
class LabelPart:
    """Labels and weights of consecutive rows, those of weight zero left out.

    Attributes
    ----------
    positive : bool array of shape (n_kept,)
    weights : array of shape (n_kept,) or None
    kept : bool array of shape (n_rows,) or None
        Which rows have a weight; None stands for all.
    classes : array of shape (2,)
        The codes of unlabelled and positive rows, as far as they occur here.
    """

    positive: np.ndarray
    weights: np.ndarray | None
    kept: np.ndarray | None
    classes: np.ndarray

    @property
    def n_rows(self) -> int:
        """How many rows there are, those of weight zero included."""
        return len(self.positive if self.kept is None else self.kept)

    @property
    def fingerprint(self) -> tuple[int, int, float]:
        """What tells whether these are the rows that they were: their number, labels and weight."""
        weight = 0.0 if self.weights is None else float(self.weights.sum())
        return self.n_rows, zlib.crc32(np.packbits(self.positive).tobytes()), weight

    def row(self, number: int) -> int:
        """The place of the row with this number among those kept."""
        return number if self.kept is None else int(np.flatnonzero(self.kept)[number])


@dataclass(frozen=True, eq=False)
class Part:
    """Consecutive rows, those of weight zero left out: features, labels, weights."""

    table: Table
    labels: LabelPart


def read_label_part(z: Any, weights: Any, n_rows: int) -> LabelPart:
    """Check labels and weights of one part, which may be empty; faults in rows are counted from its first one."""
    if not n_rows:
        return LabelPart(np.zeros(0, bool), None if weights is None else np.zeros(0), None, np.array([1, 1]))
    labels = read_labels(z, n_rows, need_both=False)
    if weights is None:
        return LabelPart(labels.positive, None, None, labels.classes)
    numbers = read_weights(weights, n_rows, need_some=False)
    assert numbers is not None
    kept = numbers > 0.0
    return LabelPart(labels.positive[kept], numbers[kept], kept, labels.classes)


def read_part(features: Any, z: Any, weights: Any) -> Part:
    """Read the rows of one part."""
    table = read_table(features)
    labels = read_label_part(z, weights, table.n_rows)
    if labels.kept is not None and not labels.kept.all():
        table = table.take(labels.kept)
    return Part(table, labels)


@contextmanager
def rows_renumbered(number: Callable[[int], int]) -> Iterator[None]:
    """Count the rows of faults within as rows of a larger table."""
    try:
        yield
    except RowError as error:
        raise error.placed(lambda row: Row(number(row))) from None


def digest(table: Table, first: int, n_rows: int, names: Sequence[str]) -> tuple[np.ndarray, dict[str, Column]]:
    """Choose the rows of one part that tell what there is to see in all of them, and read their columns.

    These are rows spread evenly over the whole table and, of each column, those of the least and greatest number, the
    first of every level and the first missing value.

    Parameters
    ----------
    table : Table
    first, n_rows : int
        The number of its first row in the whole table, and how many rows that has.
    names : sequence of str
        The columns to look at.

    Returns
    -------
    rows : int array
        Numbers of the rows chosen, within the whole table.
    columns : dict of Column
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
    places = [np.flatnonzero(rows % step == 0), *map(_telling_rows, columns.values())]
    places_chosen = np.unique(np.concatenate(places))
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
    return Column(name, kind, np.concatenate(values))


def _all_missing(kind: str, size: int) -> np.ndarray:
    return np.full(size, np.nan) if kind == "numeric" else np.full(size, None, dtype=object)
