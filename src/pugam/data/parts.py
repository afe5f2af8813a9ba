"""Rows that come in parts: features, labels and weights of each, checked."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pugam.data.arrays import as_array
from pugam.data.labels import Labels, read_labels, read_weights
from pugam.data.negatives import read_negatives
from pugam.data.roles import contradiction
from pugam.data.tables import Table, read_table
from pugam.errors import RowError
from pugam.messages import Row

__all__ = ["NO_COLUMNS", "LabelPart", "Part", "read_label_part", "read_part", "rows_renumbered"]

NO_COLUMNS: Mapping[str, Any] = {}


@dataclass(frozen=True, eq=False)
class LabelPart:
    """Labels and weights of consecutive rows, those of weight zero and known negatives left out.

    Attributes
    ----------
    positive : bool array of shape (n_kept,)
    weights : array of shape (n_kept,) or None
    kept : bool array of shape (n_rows,) or None
        Which rows these are; None stands for all.
    classes : array of shape (2,)
        The codes of unlabelled and positive rows, as far as they occur here.
    roles : mapping of str to array of shape (n_rows,)
        What else is known of all rows, see `pugam.data.SampleRoles`.
    negatives : LabelPart, optional
        The known negatives, where a column tells them.
    are_negatives : bool
        Whether these are the known negatives.
    """

    positive: np.ndarray
    weights: np.ndarray | None
    kept: np.ndarray | None
    classes: np.ndarray
    roles: Mapping[str, np.ndarray] = field(default_factory=dict)
    negatives: LabelPart | None = None
    are_negatives: bool = False

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


def read_label_part(z: Any, weights: Any, n_rows: int, roles: Mapping[str, Any] = NO_COLUMNS) -> LabelPart:
    """Check labels and weights of one part, which may be empty; faults in rows are counted from its first one."""
    others = {name: _compact(values) for name, values in roles.items()}
    if not n_rows:
        nothing, negatives = np.zeros(0, bool), None
        if "negative" in roles:
            negatives = LabelPart(nothing, None, None, np.array([1, 1]), are_negatives=True)
        return LabelPart(nothing, None if weights is None else np.zeros(0), None, np.array([1, 1]), others, negatives)
    labels = read_labels(z, n_rows, need_both=False)
    numbers = read_weights(weights, n_rows, need_some=False)
    if "negative" not in roles:
        kept = None if numbers is None else numbers > 0.0
        return _labels_of(labels, numbers, kept, others)
    known = read_negatives(others["negative"], n_rows)
    known = np.zeros(n_rows, bool) if known is None else known
    if (known & labels.positive).any():
        raise contradiction("negative", int(np.argmax(known & labels.positive)))
    counted = np.ones(n_rows, bool) if numbers is None else numbers > 0.0
    negatives = replace(_labels_of(labels, numbers, known & counted, {}), are_negatives=True)
    return replace(_labels_of(labels, numbers, counted & ~known, others), negatives=negatives)


def _labels_of(
    labels: Labels, weights: np.ndarray | None, kept: np.ndarray | None, roles: Mapping[str, np.ndarray]
) -> LabelPart:
    if kept is None:
        return LabelPart(labels.positive, weights, None, labels.classes, roles)
    return LabelPart(labels.positive[kept], None if weights is None else weights[kept], kept, labels.classes, roles)


def _compact(values: Any) -> np.ndarray:
    """One array, in which equal texts are one object: many rows have few of them."""
    listed = as_array(values)
    if listed.dtype != object:
        return listed
    seen: dict[Any, Any] = {}
    return np.array([seen.setdefault(value, value) for value in listed.tolist()], dtype=object)


def read_part(
    features: Any, z: Any, weights: Any, roles: Mapping[str, Any] = NO_COLUMNS, negatives: bool = False
) -> Part:
    """Read the rows of one part, or its known negatives."""
    table = read_table(features)
    labels = read_label_part(z, weights, table.n_rows, roles)
    if negatives:
        assert labels.negatives is not None
        labels = labels.negatives
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
