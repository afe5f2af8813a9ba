"""The profile of pi of a fit by marginal likelihood: its evidence, which was followed when it was fitted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pugam.inference.calibration import Calibration, calibrate
from pugam.inference.intervals import normal_quantile
from pugam.inference.profile import KindOfProfile
from pugam.likelihood import expit, logit
from pugam.solvers import MarginalFit, Objective, Optimum, PiRange

__all__ = ["MarginalProfile"]

LEVEL = 0.95


@dataclass
class MarginalProfile(KindOfProfile[MarginalFit]):
    """Evidence along pi; fits with pi fixed have the variances of the fit."""

    @property
    def _known(self) -> Optimum:
        return self.fitted.fit.optimum

    def _fix(self, place: float) -> Optimum:
        fitted, pi = self.fitted, float(expit(place))
        nearest = self._fits[min(self._fits, key=lambda other: abs(other - place))]
        objective = Objective(fitted.engine, fitted.design.penalty(fitted.fit.kappas), fitted.settings.prior)
        start = nearest.layout.with_share(nearest.beta, place)
        settings = fitted.settings
        (found,) = settings.maximize(objective, start[None], PiRange(pi, pi), settings.tol, settings.max_iter)
        return found

    @property
    def standard_error(self) -> float:
        """Of logit pi: that of a normal one with the same interval."""
        limits = np.clip(self.fitted.fit.curve.limits(0.5 * normal_quantile(LEVEL) ** 2), *PiRange().logits)
        return float((limits[1] - limits[0]) / (2.0 * normal_quantile(LEVEL)))

    @property
    def peak(self) -> float:
        """The estimate."""
        return self.fitted.fit.optimum.logit_pi

    def deviance(self, pi: float) -> float:
        """Twice the fall of the evidence."""
        return 2.0 * self.fitted.fit.curve.fall(float(logit(pi)))

    def calibrate(self) -> Calibration:
        """Compare predicted with observed labels of the rows of the fit."""
        return calibrate(self.fitted)
