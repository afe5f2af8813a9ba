"""Intervals as values: an estimate between two limits, at a level, by a named method."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from pugam.errors import InputError
from pugam.likelihood import expit, logit
from pugam.messages import Argument

__all__ = [
    "USUAL_LEVEL",
    "Interval",
    "RatioInterval",
    "normal_quantile",
    "profile_interval_at",
    "wald_interval_log",
    "wald_interval_logit",
]

USUAL_LEVEL = 0.95
LARGEST_EXPONENT = 700.0  # exp() of more overflows
WIDEST_RATIO = 1e4  # of the limits of a ratio about which something is known
MOST_ON_LOG_SCALE = 100.0  # wide enough for any limits, and exp() does not overflow


@dataclass(frozen=True)
class Interval:
    """A confidence interval."""

    estimate: float
    lower: float
    upper: float
    level: float
    method: str

    def exp(self) -> RatioInterval:
        """Return the interval of the exponential: of an odds ratio, from that of its logarithm."""
        estimate, lower, upper = (
            math.exp(min(end, LARGEST_EXPONENT)) for end in (self.estimate, self.lower, self.upper)
        )
        return RatioInterval(estimate, lower, upper, self.level, self.method)

    def __str__(self) -> str:
        if self.method == "fixed":
            return f"{_shown(self.estimate)} (fixed)"
        ends = f"{_shown(self.lower)} to {_shown(self.upper)}"
        return f"{_shown(self.estimate)} ({100 * self.level:g}% interval {ends})"


@dataclass(frozen=True)
class RatioInterval(Interval):
    """A confidence interval for a ratio, such as an odds ratio."""

    @property
    def is_determined(self) -> bool:
        """Whether the data say anything about the ratio: its limits differ by less than a factor of 10,000."""
        return self.upper <= WIDEST_RATIO * self.lower

    def __str__(self) -> str:
        return super().__str__() if self.is_determined else f"not determined: {super().__str__()}"


def _shown(value: float) -> str:
    return f"{value:.3f}" if value == 0.0 or 1e-3 <= abs(value) < 1e4 else f"{value:.3g}"


def normal_quantile(level: float) -> float:
    """Return z with P(|N(0, 1)| < z) = level."""
    if not isinstance(level, numbers.Real) or not 0.0 < level < 1.0:
        raise InputError(Argument("level"), f" is a probability strictly between 0 and 1, such as 0.95; got {level!r}.")
    return float(ndtri(0.5 + level / 2.0))


def profile_interval_at(pi: float, limits: tuple[float, float], known: float, level: float) -> Interval:
    """Interval at any level from the limits of a profile interval at a known one.

    Roots of the deviance are taken to be straight lines on the logit scale, one on either side of the estimate.
    """
    stretch = normal_quantile(level) / normal_quantile(known)
    with np.errstate(divide="ignore"):  # limits may be zero and one
        middle, *ends = (float(logit(np.array(place))) for place in (pi, *limits))
    lower, upper = (float(expit(middle + stretch * (end - middle))) for end in ends)
    return Interval(pi, min(lower, pi), max(upper, pi), level, "profile")


def wald_interval_log(pi: float, log_variance: float, level: float, limits: tuple[float, float]) -> Interval:
    """Interval for pi, symmetric on the log scale and cut at the limits of what pi may be."""
    half = min(normal_quantile(level) * float(np.sqrt(log_variance)), MOST_ON_LOG_SCALE)
    low, high = limits
    return Interval(pi, max(low, pi * float(np.exp(-half))), min(high, pi * float(np.exp(half))), level, "wald")


def wald_interval_logit(pi: float, logit_variance: float, level: float, limits: tuple[float, float]) -> Interval:
    """Interval for pi, symmetric on the logit scale and cut at the limits of what pi may be."""
    half = normal_quantile(level) * float(np.sqrt(logit_variance))
    lower, upper = (float(expit(logit(pi) + side * half)) for side in (-1.0, 1.0))
    low, high = limits
    return Interval(pi, max(low, lower), min(high, upper), level, "wald")
