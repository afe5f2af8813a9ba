"""Rows with levels that the fit never saw, where terms permit them: their effect is that of an average level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np

from pugam.data import Table
from pugam.errors import warn_user
from pugam.terms.design import Design
from pugam.terms.levels import written_levels

__all__ = ["count_unseen", "warn_unseen"]

MOST_LEVELS = 3


def count_unseen(designs: Iterable[Design], table: Table) -> dict[str, Counter[object]]:
    """Count the rows of each level that no fit saw and terms permit, by column."""
    bases = (basis for design in designs for basis in design.effect_bases)
    axes = {axis.column: axis for basis in bases for axis in basis.axes if axis.open}
    found: dict[str, Counter[object]] = {}
    for name, axis in axes.items():
        if not axis.is_numeric:
            column, known = table.column(name), set(axis.levels)
            counts = Counter(column.values[~column.missing].tolist())
            known |= written_levels(name, axis.levels, counts).keys()
            found[name] = Counter({level: count for level, count in counts.items() if level not in known})
    return {name: counts for name, counts in found.items() if counts}


def warn_unseen(counts: Mapping[str, Counter[object]]) -> None:
    """Warn of such rows, column by column."""
    for column, levels in counts.items():
        count = sum(levels.values())
        rows, they = ("1 row has", "it counts") if count == 1 else (f"{count:,} rows have", "they count")
        named = ", ".join(repr(_plain(level)) for level, _ in levels.most_common(MOST_LEVELS))
        more = f" and {len(levels) - MOST_LEVELS:,} more" if len(levels) > MOST_LEVELS else ""
        warn_user(f"{rows} a level of {column} that the fit did not see ({named}{more}); {they} as average there.")


def _plain(level: object) -> object:
    return level.item() if isinstance(level, np.generic) else level
