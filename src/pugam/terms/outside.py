"""Rows that lie outside the range that effects were fitted on, where nothing in the data supports them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from pugam.data import Table
from pugam.errors import warn_user
from pugam.terms.design import Design

__all__ = ["count_outside", "warn_outside"]


def count_outside(designs: Iterable[Design], table: Table) -> dict[str, int]:
    """How many rows lie well outside the range of a column that all of its terms were fitted on, by column."""
    outside: dict[str, NDArray[np.bool_]] = {}
    for basis in (basis for design in designs for basis in design.effect_bases):
        for axis in basis.axes:
            found = axis.outside(basis.spec.label, table.column(axis.column))
            outside[axis.column] = found & outside.get(axis.column, found)
    return {column: int(rows.sum()) for column, rows in outside.items() if rows.any()}


def warn_outside(counts: Mapping[str, int]) -> None:
    """Warn of such rows, column by column."""
    for column, count in counts.items():
        rows = "1 row lies" if count == 1 else f"{count:,} rows lie"
        warn_user(f"{rows} outside the range of the fit in column {column!r}, where no data support its effect.")
