"""Scores of rows some of which cannot be scored."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import narwhals as nw
import numpy as np

from pugam.data import Table
from pugam.errors import InputError
from pugam.terms import Design, stand_ins, unscorable_rows

__all__ = ["NOT_SCORED", "Scorable", "UnscorablePolicy", "read_unscorable", "scored_where_possible"]

UnscorablePolicy = Literal["error", "nan"]
NOT_SCORED = "not_scored"  # the column of reasons


def read_unscorable(unscorable: Any) -> UnscorablePolicy:
    """Read what becomes of rows that cannot be scored."""
    if isinstance(unscorable, str) and unscorable in get_args(UnscorablePolicy):
        return unscorable  # type: ignore[return-value]
    raise InputError(f"unscorable is 'error' or 'nan'; got {unscorable!r}.")


@dataclass(frozen=True, eq=False)
class Scorable:
    """Rows of a table, another row standing in for each that cannot be scored.

    Attributes
    ----------
    table : Table
    reasons : dict of row to reason, or None
        Why some rows cannot be scored; None where such rows are refused.
    """

    table: Table
    reasons: dict[int, str] | None

    @classmethod
    def read(cls, designs: Iterable[Design], table: Table, unscorable: Any) -> Scorable:
        """Find the rows that cannot be scored, if they are to be left without a score; there has to be one that can."""
        if read_unscorable(unscorable) == "error":
            return cls(table, None)
        reasons = unscorable_rows(designs, table)
        places = stand_ins(table.n_rows, reasons) if reasons else np.arange(table.n_rows)
        if places is None:
            first = next(iter(reasons.values()))
            raise InputError(f"No row can be scored, the first because {first}; unscorable(X) lists all reasons.")
        return cls(table.take(places) if reasons else table, reasons)

    @property
    def without(self) -> list[int]:
        """The rows that cannot be scored."""
        return list(self.reasons or ())

    def emptied(self, numbers: np.ndarray) -> np.ndarray:
        """Return numbers of all rows, rows along the first axis, with NaN for those that cannot be scored."""
        return _emptied(numbers, self.without)

    @property
    def reason_column(self) -> dict[str, np.ndarray]:
        """The reason of each row, None where there is a score; no column where such rows are refused."""
        if self.reasons is None:
            return {}
        return {NOT_SCORED: np.array([self.reasons.get(row) for row in range(self.table.n_rows)], dtype=object)}


def _emptied(numbers: np.ndarray, without: Collection[int]) -> np.ndarray:
    numbers = np.array(numbers, dtype=float)
    numbers[list(without)] = np.nan
    return numbers


def scored_where_possible(
    score: Callable[[Any], np.ndarray], X: Any, n_rows: int, unscorable: Collection[int]
) -> np.ndarray:
    """Score rows, all but those that cannot be, which become NaN; another row stands in for them meanwhile."""
    places = stand_ins(n_rows, unscorable)
    if places is None:
        return np.full(n_rows, np.nan)
    return _emptied(score(_rows_at(X, places)), unscorable)


def _rows_at(X: Any, places: np.ndarray) -> Any:
    if nw.dependencies.is_into_dataframe(X) and not isinstance(X, np.ndarray):
        return nw.from_native(X, eager_only=True)[places.tolist()].to_native()
    return X[places] if isinstance(X, np.ndarray) else [X[place] for place in places]
