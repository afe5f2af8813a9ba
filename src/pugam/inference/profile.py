"""The profile of pi: how far the objective falls when pi is fixed elsewhere and all else follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from pugam.inference.covariance import pi_log_variance
from pugam.inference.intervals import Interval, normal_quantile, wald_interval_log, wald_interval_logit
from pugam.likelihood import expit, logit
from pugam.solvers import EDGE, Adjustment, Fit, Fitted, HeldOutRows, Objective, Optimum, PiRange, hold_out, make_folds

__all__ = ["PiProfile", "pi_wald_interval", "profile_interval"]

Array = NDArray[np.float64]

ROOT_TOL = 1e-4  # on the logit scale
MOST_DOUBLINGS = 12
LARGEST_FACTOR = 2.0  # more is seen only where pi is close to one and hardly determined
FIRST_STEP = 0.2  # on the logit scale, where the standard error is of no use


@dataclass
class PiProfile:
    """Fits with pi fixed, remembered as starts for their neighbours.

    The likelihood ratio is not chi-square here, even in large samples: the numbers of labelled and unlabelled rows are
    given, so pi varies less than the curvature of the likelihood says. `factor` makes up for it, and for the
    variance of the bias correction. That correction itself moves the whole profile along the logit scale by `shift`,
    so that it falls from the estimate reported.

    Of shrunken curves it is the profile in held-out rows: with pi fixed, intercept and steepness follow. The deviance
    does not count the prior on separation, so that it may be lowest elsewhere than at the estimate.
    """

    fitted: Fitted
    shift: float = field(init=False)
    factor: float = field(init=False)
    outside: HeldOutRows | None = field(init=False, default=None)
    _fits: dict[float, Optimum] = field(init=False)

    def __post_init__(self) -> None:
        fit, engine = self.fitted.fit, self.fitted.engine
        if fit.shrinkage is not None:
            self.shift, self.factor, self._fits = 0.0, 1.0, {fit.optimum.logit_pi: fit.optimum}
            self.outside = hold_out(self._objective, fit.penalized, make_folds(engine))
            return
        self.shift, share = fit.optimum.logit_pi - fit.penalized.logit_pi, fit.penalized.layout.share
        flat = float(fit.penalized.covariance(PiRange())[share, share])
        variance = pi_log_variance(fit, engine.n0, engine.n1) / (1.0 - fit.optimum.pi) ** 2
        inside = self.fitted.settings.pi_range.is_inside(fit.penalized.pi)
        self.factor = min(flat / variance, LARGEST_FACTOR) if inside and variance > 0.0 else 1.0
        self._fits = {fit.penalized.logit_pi: fit.penalized}

    @property
    def standard_error(self) -> float:
        """Standard error of logit pi."""
        fit, engine = self.fitted.fit, self.fitted.engine
        return float(np.sqrt(pi_log_variance(fit, engine.n0, engine.n1))) / (1.0 - fit.optimum.pi)

    def fixed_at(self, pi: float) -> Optimum:
        """Fit with pi fixed at a value."""
        place = float(np.clip(logit(pi), *PiRange().logits))
        if place not in self._fits and self.outside is not None:
            self._fits[place] = self._adjusted(float(expit(place)), self.outside)
        elif place not in self._fits:
            nearest = self._fits[min(self._fits, key=lambda other: abs(other - place))]
            start = nearest.layout.with_share(nearest.beta, place)
            settings, fixed = self.fitted.settings, float(expit(place))
            (self._fits[place],) = settings.maximize(
                self._objective, start[None], PiRange(fixed, fixed), settings.tol, settings.max_iter
            )
        return self._fits[place]

    @cached_property
    def peak(self) -> float:
        """Where the profile is highest, on the logit scale."""
        if self.outside is None:
            return float(logit(self.fitted.settings.pi_range.clip(np.array(self.fitted.fit.optimum.pi))))
        return self._best_alone.logit_pi

    @cached_property
    def _rows_alone(self) -> HeldOutRows:
        """The held-out rows, with no prior on separation."""
        assert self.outside is not None
        return replace(self.outside, separation=False)

    @cached_property
    def _best_alone(self) -> Adjustment:
        return self._rows_alone.adjust(self.fitted.settings.pi_range)

    @property
    def _objective(self) -> Objective:
        fitted = self.fitted
        return Objective(fitted.engine, fitted.design.penalty(fitted.fit.kappas), fitted.settings.prior)

    def _adjusted(self, pi: float, outside: HeldOutRows) -> Optimum:
        """Shrunken curves with pi fixed, intercept and steepness adjusted to held-out rows, given their objective."""
        shrinkage = self.fitted.fit.shrinkage
        adjustment = outside.adjust(PiRange(pi, pi), near=None if shrinkage is None else shrinkage.adjustment)
        penalized = self.fitted.fit.penalized
        beta = adjustment.moved(penalized.layout, penalized.beta)
        return replace(self.fitted.fit.optimum, beta=beta, value=adjustment.value)

    def deviance(self, pi: float) -> float:
        """Twice the fall of the objective, scaled so that it compares with a chi-square variable of one degree."""
        if self.outside is not None:
            fixed = self._rows_alone.adjust(PiRange(pi, pi), near=self._best_alone)
            return max(0.0, 2.0 * (self._best_alone.value - fixed.value))
        moved = self.fixed_at(float(expit(logit(pi) - self.shift)))
        return max(0.0, 2.0 * self.factor * (self.fitted.fit.penalized.value - moved.value))


def pi_wald_interval(fit: Fit, n0: float, n1: float, pi: float, level: float, limits: tuple[float, float]) -> Interval:
    """Interval for pi, symmetric on the log scale; of shrunken curves, where pi may be near one, on the logit scale."""
    if fit.shrinkage is None:
        return wald_interval_log(pi, pi_log_variance(fit, n0, n1), level, limits)
    return wald_interval_logit(pi, fit.shrinkage.adjustment.logit_variance, level, limits)


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
        _crossing(excess, profile.peak, side * step, float(logit(np.clip(limit, EDGE, 1.0 - EDGE))))
        for side, limit in zip((-1.0, 1.0), limits, strict=True)
    ]
    lower, upper = (limit if end is None else float(expit(end)) for end, limit in zip(ends, limits, strict=True))
    return Interval(pi, min(lower, pi), max(upper, pi), level, "profile")


def _crossing(excess: Callable[[float], float], start: float, step: float, end: float) -> float | None:
    """Find where the excess becomes positive on the way from start to end, if it does."""
    inside = start
    if excess(start) > 0.0:
        return start
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
