"""Rows of a file that cannot be scored: written without a score, with the reason, and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pugam.data import read_table
from pugam.errors import warn_user
from pugam.messages import counted
from pugam.terms import stand_ins, unscorable_rows

if TYPE_CHECKING:
    import pyarrow as pa

    from pugam.estimator import PUGAM

__all__ = ["REASON", "Unscored"]

REASON = "not_scored"  # the column
MOST_REASONS = 3  # told at the end


@dataclass
class Unscored:
    """Leaves rows without a score that cannot have one, and remembers why.

    Attributes
    ----------
    n_rows : int
        Rows seen.
    reasons : Counter
        How many of them have no score, by reason.
    """

    n_rows: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    def scores(
        self, model: PUGAM, rows: pa.Table, names: Sequence[str], score: Callable[[pa.Table], dict[str, Any]]
    ) -> tuple[pa.Table, dict[str, Any]]:
        """Score rows, another row standing in for those that cannot be; return rows that can, scores, and reasons."""
        found = unscorable_rows([one._design for one in model._models], read_table(rows))
        self.n_rows += rows.num_rows
        self.reasons.update(found.values())
        reasons = [found.get(row) for row in range(rows.num_rows)]
        places = stand_ins(rows.num_rows, found)
        if places is None:
            return rows, {**{name: np.full(rows.num_rows, np.nan) for name in names}, REASON: reasons}
        scorable = rows.take(places)
        new = {name: np.array(values, dtype=float) for name, values in score(scorable).items()}
        for values in new.values():
            values[list(found)] = np.nan
        return scorable, {**new, REASON: reasons}

    def warn(self) -> None:
        """Tell once how many rows have no score, and why."""
        count = sum(self.reasons.values())
        if count == 0:
            return
        told = [f"{reason} ({counted(number, 'row')})" for reason, number in self.reasons.most_common(MOST_REASONS)]
        others = len(self.reasons) - len(told)
        more = f", and {counted(others, 'other reason')}" if others else ""
        have = "has" if count == 1 else "have"
        warn_user(
            f"{count:,} of {counted(self.n_rows, 'row')} {have} no score, see column {REASON}: {', '.join(told)}{more}."
        )
