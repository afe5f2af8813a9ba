"""Sums that were just taken: the same point is looked at under several penalties, one after the other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pugam.likelihood import Sums

__all__ = ["LastSums"]

Array = NDArray[np.float64]
Take = Callable[[Array, Array, bool], Sums]

REMEMBERED = 4


class LastSums:
    """Remembers the sums at the last few points: the likelihood does not know the penalty, so they serve again."""

    def __init__(self) -> None:
        self._sums: dict[tuple[float, bytes, bool], Sums] = {}

    def get(self, take: Take, pi: Array, b: Array, observed: bool) -> Sums:
        """Return the sums at a point, taken anew unless they are remembered; those of several points always are."""
        if len(b) > 1:
            return take(pi, b, observed)
        key = (float(pi[0]), b.tobytes(), observed)
        found = self._sums.pop(key, None) or take(pi, b, observed)
        self._sums[key] = found
        if len(self._sums) > REMEMBERED:
            self._sums.pop(next(iter(self._sums)), None)
        return Sums(found.value.copy(), found.score.copy(), found.information.copy())
