"""The profile of pi: how far the objective falls when pi is held elsewhere and all else follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from pugam.inference.covariance import pi_log_variance
from pugam.inference.intervals import Interval, normal_quantile
from pugam.likelihood import expit, logit
from pugam.linear_algebra import inverse
from pugam.solvers import EDGE, Fitted, Objective, Optimum, PiRange

__all__ = ["PiProfile", "profile_interval"]

Array = NDArray[np.float64]

ROOT_TOL = 1e-4  # on the logit scale
MOST_DOUBLINGS = 12
LARGEST_FACTOR = 2.0  # more is seen only where pi is close to one and hardly determined
FIRST_STEP = 0.2  # on the logit scale, where the standard error is of no use


@dataclass
class PiProfile:
    """Fits with pi held, remembered as starts for their neighbours.

    The likelihood ratio is not chi-square here, even in large samples: the numbers of labelled and unlabelled rows are
    given, so pi varies less than the curvature of the likelihood says. `factor` makes up for it, and for the
    variance of the bias correction. That correction itself moves the whole profile along the logit scale by `shift`,
    so that it falls from the estimate reported.
    """

    fitted: Fitted
    shift: float = field(init=False)
    factor: float = field(init=False)
    _fits: dict[float, Optimum] = field(init=False)

    def __post_init__(self) -> None:
        fit, engine = self.fitted.fit, self.fitted.engine
        self.shift = float(fit.optimum.beta[0] - fit.penalized.beta[0])
        flat = float(inverse(fit.penalized.hessian)[0, 0])
        variance = pi_log_variance(fit, engine.n0, engine.n1) / (1.0 - fit.optimum.pi) ** 2
        inside = self.fitted.settings.pi_range.is_inside(fit.penalized.pi)
        self.factor = min(flat / variance, LARGEST_FACTOR) if inside and variance > 0.0 else 1.0
        self._fits = {float(fit.penalized.beta[0]): fit.penalized}

    @property
    def standard_error(self) -> float:
        """Standard error of logit pi."""
        fit, engine = self.fitted.fit, self.fitted.engine
        return float(np.sqrt(pi_log_variance(fit, engine.n0, engine.n1))) / (1.0 - fit.optimum.pi)

    def held(self, pi: float) -> Optimum:
        """Fit with pi held at a value."""
        place = float(np.clip(logit(pi), *PiRange().logits))
        if place not in self._fits:
            nearest = self._fits[min(self._fits, key=lambda other: abs(other - place))]
            start = nearest.beta.copy()
            start[0] = place
            settings, fit = self.fitted.settings, self.fitted.fit
            objective = Objective(self.fitted.engine, self.fitted.design.penalty(fit.kappas), settings.prior)
            held = float(expit(place))
            (self._fits[place],) = settings.maximize(
                objective, start[None], PiRange(held, held), settings.tol, settings.max_iter
            )
        return self._fits[place]

    def deviance(self, pi: float) -> float:
        """Twice the fall of the objective, scaled so that it compares with a chi-square variable of one degree."""
        moved = self.held(float(expit(logit(pi) - self.shift)))
        return max(0.0, 2.0 * self.factor * (self.fitted.fit.penalized.value - moved.value))


def profile_interval(profile: PiProfile, level: float) -> Interval:
    """Interval of the values of pi at which the deviance stays below its quantile.

    Where it stays below up to the end of the range of pi, that end is the limit.
    """
    fit, pi_range = profile.fitted.fit, profile.fitted.settings.pi_range
    pi = float(pi_range.clip(np.array(fit.optimum.pi)))
    critical = normal_quantile(level) ** 2

    def excess(logit_pi: float) -> float:
        return profile.deviance(float(expit(logit_pi))) - critical

    limits = pi_range.limits
    guess = normal_quantile(level) * profile.standard_error
    step = guess if np.isfinite(guess) and 0.0 < guess < 2.0 else FIRST_STEP
    ends = [
        _crossing(excess, float(logit(pi)), side * step, float(logit(np.clip(limit, EDGE, 1.0 - EDGE))))
        for side, limit in zip((-1.0, 1.0), limits, strict=True)
    ]
    lower, upper = (limit if end is None else float(expit(end)) for end, limit in zip(ends, limits, strict=True))
    return Interval(pi, min(lower, pi), max(upper, pi), level, "profile")


def _crossing(excess: Callable[[float], float], start: float, step: float, end: float) -> float | None:
    """Find where the excess becomes positive on the way from start to end, if it does."""
    inside = start
    for doubling in range(MOST_DOUBLINGS):
        outside = start + step * 2.0**doubling
        beyond = outside <= end if step < 0.0 else outside >= end
        outside = end if beyond else outside
        if outside == inside:
            return None
        if excess(outside) > 0.0:
            return float(brentq(excess, inside, outside, xtol=ROOT_TOL))
        if beyond:
            return None
        inside = outside
    return None
