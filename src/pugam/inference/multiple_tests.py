"""Several tests at once: which of them reject, at a level for all of them together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["holm"]


def holm(pvalues: Sequence[float], level: float) -> NDArray[np.bool_]:
    """Tell which hypotheses are rejected by Holm's procedure.

    Whatever the tests have to do with each other, the chance that a true hypothesis is among them is at most `level`.
    """
    order = np.argsort(pvalues, kind="stable")
    allowed = level / np.arange(len(order), 0, -1)
    rejected = np.zeros(len(order), dtype=bool)
    rejected[order] = np.logical_and.accumulate(np.asarray(pvalues, dtype=float)[order] < allowed)
    return rejected
