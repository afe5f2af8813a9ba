"""Scores of rows some of which cannot be scored."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Literal, get_args

import narwhals as nw
import numpy as np

from pugam.errors import InputError
from pugam.terms import stand_ins

__all__ = ["UnscorablePolicy", "read_unscorable", "scored_where_possible"]

UnscorablePolicy = Literal["error", "nan"]


def read_unscorable(unscorable: Any) -> UnscorablePolicy:
    """Read what becomes of rows that cannot be scored."""
    if isinstance(unscorable, str) and unscorable in get_args(UnscorablePolicy):
        return unscorable  # type: ignore[return-value]
    raise InputError(f"unscorable is 'error' or 'nan'; got {unscorable!r}.")


def scored_where_possible(
    score: Callable[[Any], np.ndarray], X: Any, n_rows: int, unscorable: Collection[int]
) -> np.ndarray:
    """Score rows, all but those that cannot be, which become NaN; another row stands in for them meanwhile."""
    if not unscorable:
        return score(X)
    places = stand_ins(n_rows, unscorable)
    if places is None:
        return np.full(n_rows, np.nan)
    scores = np.array(score(_rows_at(X, places)), dtype=float)
    scores[list(unscorable)] = np.nan
    return scores


def _rows_at(X: Any, places: np.ndarray) -> Any:
    if nw.dependencies.is_into_dataframe(X) and not isinstance(X, np.ndarray):
        return nw.from_native(X, eager_only=True)[places.tolist()].to_native()
    return X[places] if isinstance(X, np.ndarray) else [X[place] for place in places]
