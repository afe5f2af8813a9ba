"""Which rows stand for all, in a first look or in a picture: the same ones wherever the rows are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.terms import Encoded

__all__ = ["ShownRows", "pilot_rows", "shown_rows"]

Flags = NDArray[np.bool_]
Numbers = NDArray[np.intp]

ROWS_AT_A_TIME = 4_000_000
ENOUGH_TO_SHOW = 20_000


@dataclass(frozen=True, eq=False)
class ShownRows:
    """Rows spread evenly over all: enough for means and pictures.

    Attributes
    ----------
    encoded : tuple of arrays, one for each term
    positive : bool array
    weights : array or None
    """

    encoded: tuple[Encoded, ...]
    positive: Flags
    weights: NDArray[np.float64] | None


def shown_rows(n_rows: int) -> Numbers:
    """Choose the rows that are shown."""
    return np.arange(0, n_rows, max(1, n_rows // ENOUGH_TO_SHOW))


def pilot_rows(positive: Flags, n_rows: int, rng: np.random.Generator) -> Numbers | None:
    """Draw about `n_rows` rows without replacement, numbers increasing; None stands for all of them.

    Twice as many or fewer are all kept: leaving out less than half is not worth the noise. As many labelled as
    unlabelled rows are drawn if there are enough: the model describes rows given their label, so the rarer kind need
    not be thinned out.
    """
    if len(positive) <= 2 * n_rows:
        return None
    n_labelled = int(np.count_nonzero(positive))
    wanted = min(n_labelled, max(n_rows // 2, n_rows - (len(positive) - n_labelled)))
    labelled = np.sort(rng.choice(n_labelled, wanted, replace=False))
    unlabelled = np.sort(rng.choice(len(positive) - n_labelled, n_rows - wanted, replace=False))
    return np.sort(np.concatenate([_at_ranks(positive, labelled), _at_ranks(~positive, unlabelled)]))


def _at_ranks(chosen: Flags, ranks: Numbers) -> Numbers:
    """Row numbers of the rows with these ranks, which increase, among those chosen."""
    found, before = [np.empty(0, np.intp)], 0
    for start in range(0, len(chosen), ROWS_AT_A_TIME):
        rows = np.flatnonzero(chosen[start : start + ROWS_AT_A_TIME])
        first, last = np.searchsorted(ranks, [before, before + len(rows)])
        found.append(start + rows[ranks[first:last] - before])
        before += len(rows)
    return np.concatenate(found)
