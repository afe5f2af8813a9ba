"""Several tests at once: which of them reject, at a level for all of them together, or what they say in one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["combine", "holm"]

SMALLEST, LARGEST = 1e-300, 0.99  # a p-value of one is nothing against the hypothesis, and no proof of it
IN_THE_TAIL = 1e-8  # where a Cauchy quantile is as good as one over pi times the probability


def holm(pvalues: Sequence[float], level: float) -> NDArray[np.bool_]:
    """Tell which hypotheses are rejected by Holm's procedure.

    Whatever the tests have to do with each other, the chance that a true hypothesis is among them is at most `level`.
    """
    order = np.argsort(pvalues, kind="stable")
    allowed = level / np.arange(len(order), 0, -1)
    rejected = np.zeros(len(order), dtype=bool)
    rejected[order] = np.logical_and.accumulate(np.asarray(pvalues, dtype=float)[order] < allowed)
    return rejected


def combine(pvalues: Sequence[float], weights: Sequence[float]) -> float:
    """One p-value from several of the same hypothesis, however they depend on each other (Liu and Xie 2020).

    Each becomes a Cauchy variable, and so does their mean by weights that add up to one. Its tail hardly knows of the
    dependence: a single small p-value is divided by its weight.
    """
    bounded = np.clip(pvalues, SMALLEST, LARGEST)
    tails = np.where(bounded < IN_THE_TAIL, 1.0 / (np.pi * bounded), np.tan(np.pi * (0.5 - bounded)))
    mean = float(np.dot(tails, weights))
    return 1.0 / (np.pi * mean) if mean > 1.0 / IN_THE_TAIL else 0.5 - float(np.arctan(mean)) / np.pi
