"""Columns that say the same as others: copies, other units, other names for the same levels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pugam.data.tables import Column, Table

__all__ = ["find_copies"]

DIGITS = 9  # to which numbers agree once they have mean zero and variance one


def find_copies(table: Table, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Find groups of columns each of which tells all that the others tell."""
    groups: dict[bytes, list[str]] = {}
    for name in names:
        groups.setdefault(_essence(table.column(name)), []).append(name)
    return [tuple(columns) for columns in groups.values() if len(columns) > 1]


def _essence(column: Column) -> bytes:
    """What is left of a column without its units, or the names of its levels."""
    if column.kind == "numeric":
        there = np.isfinite(column.values)
        values = column.values / (np.abs(column.values[there]).max(initial=0.0) or 1.0)  # squares of huge ones overflow
        spread = float(np.std(values[there])) if there.any() else 0.0
        standard = (values - np.mean(values[there])) / spread if spread > 0.0 else values
        first = standard[there][np.argmax(np.abs(standard[there]))] if there.any() else 1.0
        rounded = np.round(standard * np.sign(first), DIGITS) + 0.0  # no negative zeros
        return b"number" + np.where(there, rounded, np.inf).tobytes()
    numbers: dict[object, int] = {}
    return b"level" + np.array([numbers.setdefault(value, len(numbers)) for value in column.values.tolist()]).tobytes()
