"""What SciPy lacks: the distribution of a weighted sum of independent chi-square variables, and one by its moments."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import chdtrc, log_ndtr

__all__ = ["scaled_chi2_sf", "squares_sf", "weighted_chi2_sf"]

Array = NDArray[np.float64]

NEGLIGIBLE = 1e-6  # weight, relative to the largest
NEAR_MEAN = 1e-4
NARROWEST = 0.5  # variance of a sum of squares, relative to that of as many of what is normal: less is rounding
NEXT_TO_NOTHING = 1e-15  # two variables or more exceed it with a probability of one, to rounding


def scaled_chi2_sf(x: float, mean: float, variance: float) -> float:
    """Probability that a multiple of a chi-square variable with this mean and variance exceeds x (Satterthwaite)."""
    if mean <= 0.0 or variance <= 0.0:
        return 1.0
    df = 2.0 * mean**2 / variance
    return float(chdtrc(df, df * max(x, 0.0) / mean))


def squares_sf(x: float, df: float, excess: float) -> float:
    """Probability that a sum of squares of so many variables, of variance one, exceeds x.

    Were they normal, its variance would be twice their number. What their fourth moments have more is the excess: much
    where labels are next to certain, and directions rest on few rows. The reference has the variance that comes of
    both, but no less than one degree of freedom.
    """
    wider = min(max(1.0 + 0.5 * excess / df, NARROWEST), max(df, 1.0))
    return scaled_chi2_sf(x, df, 2.0 * df * wider)


def weighted_chi2_sf(x: float, weights: Array) -> float:
    """Probability that a sum of weights times independent chi-square variables (one degree each) exceeds x.

    Exact for equal weights; otherwise the saddlepoint approximation of Kuonen (1999), whose relative error is a few
    percent, and about ten in the far tail.
    """
    weights = weights[weights > NEGLIGIBLE * weights.max(initial=0.0)]
    if len(weights) == 0 or x <= 0.0:
        return 1.0
    weights, x = weights / weights.max(), x / float(weights.max())
    if np.ptp(weights) < NEGLIGIBLE:
        return float(chdtrc(len(weights), x))
    if x < NEXT_TO_NOTHING:
        return 1.0
    return float(np.exp(log_ndtr(-_saddlepoint(x, weights))))


def _saddlepoint(x: float, weights: Array) -> float:
    """The normal quantile of the probability to fall below x."""
    mean = float(weights.sum())
    if abs(x - mean) < NEAR_MEAN * mean:  # the formula is 0/0 there, its value between those on both sides
        below, above = (_saddlepoint(mean * (1.0 + side), weights) for side in (-2 * NEAR_MEAN, 2 * NEAR_MEAN))
        return 0.5 * (below + above)

    def slope(t: float) -> float:
        return float(np.sum(weights / (1.0 - 2.0 * t * weights))) - x

    highest = 0.5 * (1.0 - 1e-12)
    t = brentq(slope, -len(weights) / x - 1.0, highest) if slope(highest) > 0.0 else highest
    logs = np.log1p(-2.0 * t * weights)
    bend = 2.0 * float(np.sum((weights / (1.0 - 2.0 * t * weights)) ** 2))
    w = np.sign(t) * np.sqrt(max(2.0 * (t * x + 0.5 * float(logs.sum())), 0.0))
    return float(w + np.log(t * np.sqrt(bend) / w) / w)
