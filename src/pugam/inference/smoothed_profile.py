"""The profile of pi of a smoothed fit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pugam.inference.calibration import Calibration, calibrate
from pugam.inference.profile import KindOfProfile
from pugam.likelihood import expit, logit
from pugam.solvers import Objective, Optimum, PiRange, SmoothedFit, pi_log_variance

__all__ = ["SmoothedProfile"]

LARGEST_FACTOR = 2.0  # more is seen only where pi is close to one and hardly determined


@dataclass
class SmoothedProfile(KindOfProfile[SmoothedFit]):
    """Climbs with pi fixed, each from the end of its neighbour.

    The likelihood ratio is not chi-square here, even in large samples: the numbers of labelled and unlabelled rows are
    given, so pi varies less than the curvature of the likelihood says. `factor` makes up for it, and for the
    variance of the bias correction. That correction itself moves the whole profile along the logit scale by `shift`,
    so that it falls from the estimate reported.
    """

    @property
    def _known(self) -> Optimum:
        return self.fitted.fit.penalized

    def _fix(self, place: float) -> Optimum:
        fitted, pi = self.fitted, float(expit(place))
        nearest = self._fits[min(self._fits, key=lambda other: abs(other - place))]
        start = nearest.layout.with_share(nearest.beta, place)
        objective = Objective(fitted.engine, fitted.design.penalty(fitted.fit.kappas), fitted.settings.prior)
        settings = fitted.settings
        (found,) = settings.maximize(objective, start[None], PiRange(pi, pi), settings.tol, settings.max_iter)
        return found

    @cached_property
    def shift(self) -> float:
        """How far the correction of its bias moved logit pi."""
        return self.fitted.fit.optimum.logit_pi - self.fitted.fit.penalized.logit_pi

    @cached_property
    def factor(self) -> float:
        """How many times larger the variance of logit pi is by the curvature of the likelihood than it is."""
        fit, pi_range = self.fitted.fit, self.fitted.settings.pi_range
        share = fit.penalized.layout.share
        flat = float(fit.penalized.covariance(PiRange())[share, share])
        variance = self._log_variance / (1.0 - fit.optimum.pi) ** 2
        inside = pi_range.is_inside(fit.penalized.pi)
        return min(flat / variance, LARGEST_FACTOR) if inside and variance > 0.0 else 1.0

    @cached_property
    def _log_variance(self) -> float:
        return pi_log_variance(self.fitted.fit, self.fitted.engine.n0, self.fitted.engine.n1)

    @property
    def standard_error(self) -> float:
        """Standard error of logit pi."""
        return float(np.sqrt(self._log_variance)) / (1.0 - self.fitted.fit.optimum.pi)

    @property
    def peak(self) -> float:
        """The estimate."""
        return float(logit(self.fitted.settings.pi_range.clip(np.array(self.fitted.fit.optimum.pi))))

    def deviance(self, pi: float) -> float:
        """Twice the fall of the penalised likelihood from its optimum, scaled and shifted."""
        moved = self.fixed_at(float(expit(logit(pi) - self.shift)))
        return max(0.0, 2.0 * self.factor * (self.fitted.fit.penalized.value - moved.value))

    def calibrate(self) -> Calibration:
        """Compare predicted with observed labels of the rows of the fit."""
        return calibrate(self.fitted)
