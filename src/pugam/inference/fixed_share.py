"""A share that was given: do the rows contradict it?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from pugam.inference.findings import Finding
from pugam.inference.verdict import SMALLEST_PVALUE
from pugam.linear_algebra import inverse
from pugam.solvers import Fitted

__all__ = ["ShareContradicted", "find_contradiction"]


@dataclass(frozen=True)
class ShareContradicted(Finding):
    """The likelihood rises clearly on one side of the share that was given."""

    pi: float
    side: str
    pvalue: float
    said = (
        "pi is fixed at {pi:g}, but these rows suggest a {side} share (score test, p = {pvalue:.2g}). If {pi:g} is "
        "beyond doubt, labelled rows may not be a random sample of the positives, or effects may not add up.",
    )


def find_contradiction(fitted: Fitted) -> Iterator[Finding]:
    """Test a single share that was given, by the slope of the likelihood there, with all else following."""
    optimum = fitted.fit.optimum
    if not fitted.settings.pi_range.fixed or len(optimum.shares) > 1:
        return
    score = _standardised(optimum.gradient, optimum.hessian, optimum.layout.share)
    pvalue = float(2.0 * ndtr(-abs(score)))
    if pvalue < SMALLEST_PVALUE:
        yield ShareContradicted(optimum.pi, "larger" if score > 0.0 else "smaller", pvalue)


def _standardised(gradient: np.ndarray, hessian: np.ndarray, share: int) -> float:
    others = np.arange(len(gradient)) != share
    across = hessian[others, share]
    left = hessian[share, share] - across @ inverse(hessian[np.ix_(others, others)]) @ across
    return float(gradient[share]) / math.sqrt(left) if left > 0.0 else 0.0
