"""How far off pi may be although nothing in the rows contradicts the model.

Negatives that look just like positives cannot be told from them. If a share q of the negatives does, rows determine
pi* with 1 - pi* = (1 - pi)(1 - q), and nothing in them tells pi* from pi: the estimate is too high. The lower limit of
an interval allows for that: -log(1 - q) is taken to be exponential, with a mean for which intervals hold on real tables
(benchmarks/results/model_error.md). Where rows do contradict the model, the interval also holds what others say of pi.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from pugam.inference.intervals import Interval

__all__ = ["ALLOWING", "allow_for_model_error"]

ALLOWING = "wald, with an allowance for model error"  # the method of Wald's interval, widened

MEAN_ERROR = 0.05  # of -log(1 - q), over tables that benchmarks/model_error.py chooses on
NEARLY_ONE = 1.0 - 1e-12


def allow_for_model_error(interval: Interval, neighbours: Sequence[float], limits: tuple[float, float]) -> Interval:
    """Widen an interval for pi that knows of sampling errors alone.

    Both errors add on the scale of log(1 - pi), where their limits are put together like standard deviations.

    Parameters
    ----------
    neighbours : sequence of float
        What others than the model say of pi, where rows contradict it.
    limits : (float, float)
        Of the range that pi was given.
    """
    lowest = min(interval.estimate, NEARLY_ONE, *neighbours)
    sampling = math.log1p(-min(interval.lower, lowest)) - math.log1p(-lowest)
    below = math.hypot(sampling, _largest_error(lowest, interval.level))
    lower, upper = -math.expm1(math.log1p(-lowest) + below), max((interval.upper, *neighbours))
    low, high = limits
    method = ALLOWING if interval.method == "wald" else interval.method
    return replace(interval, lower=max(min(lower, interval.estimate), low), upper=min(upper, high), method=method)


def _largest_error(pi: float, level: float) -> float:
    """The quantile of -log(1 - q), which is no larger than -log(1 - pi): there are no fewer positives than none."""
    most = -math.log1p(-pi)
    return -MEAN_ERROR * math.log1p(level * math.expm1(-most / MEAN_ERROR))
