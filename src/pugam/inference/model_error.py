"""How far off pi may be although nothing in the rows contradicts the model.

Negatives that look just like positives cannot be told from them. If a share q of the negatives does, rows determine
pi* with 1 - pi* = (1 - pi)(1 - q), and nothing in them tells pi* from pi: the estimate is too high. The lower limit of
an interval allows for that: -log(1 - q) is taken to be exponential, with a mean for which intervals hold on real tables
(benchmarks/results/model_error.md). Where rows do contradict the model, the interval also holds what others say of pi.

With so much room below, a share that is not too high is hardly ever missed there, so that nearly all of the chance of
missing it may be above (as Imbens and Manski 2004 have it for parameters that are known up to an interval).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from scipy.special import ndtr, ndtri

from pugam.inference.intervals import Interval, normal_quantile

__all__ = ["ALLOWING", "allow_for_model_error"]

ALLOWING = "wald, with an allowance for model error"  # the method of Wald's interval, widened

MEAN_ERROR = 0.06  # of -log(1 - q), over tables that benchmarks/model_error.py chooses on
NEARLY_ONE = 1.0 - 1e-12
SMALLEST_QUANTILE = 1e-6


def allow_for_model_error(
    sampling: Callable[[float], Interval], level: float, neighbours: Sequence[float], limits: tuple[float, float]
) -> Interval:
    """Bring an interval for pi that knows of sampling errors alone to account for errors of the model.

    Below, both add on the scale of log(1 - pi), where their limits are put together like standard deviations. Above,
    it is the limit of a lower level, as long as both limits together are missed no more often than the level says.

    Parameters
    ----------
    sampling : callable
        Gives the interval for sampling errors at a level.
    neighbours : sequence of float
        What others than the model say of pi, where rows contradict it.
    limits : (float, float)
        Of the range that pi was given.
    """
    interval = sampling(level)
    lowest = min(interval.estimate, NEARLY_ONE, *neighbours)
    largest = _largest_error(lowest, level)
    below = math.hypot(_distance(min(interval.lower, lowest), lowest), largest)
    lower = -math.expm1(math.log1p(-lowest) + below)
    upper = max((sampling(_level_above(interval, largest)).upper, *neighbours))
    low, high = limits
    method = ALLOWING if interval.method == "wald" else interval.method
    lower, upper = max(min(lower, interval.estimate), low), min(max(upper, interval.estimate), high)
    return replace(interval, lower=lower, upper=upper, method=method)


def _level_above(interval: Interval, largest: float) -> float:
    """The level of the sampling interval that is missed above as often as the limit below leaves room for.

    A share that is not too high lies as many standard errors above that limit as the two errors together make.
    """
    quantile = normal_quantile(interval.level)
    distance = _distance(interval.estimate, interval.upper)
    if quantile <= 0.0 or distance <= 0.0:
        return interval.level
    missed_below = float(ndtr(-math.hypot(quantile, largest * quantile / distance)))
    above = max(-float(ndtri(1.0 - interval.level - missed_below)), SMALLEST_QUANTILE)
    return min(2.0 * float(ndtr(above)) - 1.0, interval.level)  # rounding may make it higher


def _distance(lower: float, upper: float) -> float:
    """How far two shares are apart on the scale of log(1 - pi), on which errors add."""
    return math.log1p(-min(lower, NEARLY_ONE)) - math.log1p(-min(upper, NEARLY_ONE))


def _largest_error(pi: float, level: float) -> float:
    """The quantile of -log(1 - q), which is no larger than -log(1 - pi): there are no fewer positives than none."""
    most = -math.log1p(-pi)
    return -MEAN_ERROR * math.log1p(level * math.expm1(-most / MEAN_ERROR))
