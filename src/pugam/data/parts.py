"""Rows that come in parts: features, labels and weights of each, checked."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from pugam.data.labels import read_labels, read_weights
from pugam.data.tables import Table, read_table
from pugam.errors import RowError
from pugam.messages import Row

__all__ = ["LabelPart", "Part", "read_label_part", "read_part", "rows_renumbered"]


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
