"""The profile of pi of a fit by marginal likelihood: its evidence, which was followed when it was fitted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pugam.inference.calibration import Calibration, calibrate
from pugam.inference.covariance import sampling_covariance
from pugam.inference.intervals import USUAL_LEVEL, normal_quantile
from pugam.inference.profile import KindOfProfile
from pugam.inference.rows_of_samples import moved_shares
from pugam.likelihood import expit, logit
from pugam.solvers import TUNING, EvidenceCurve, MarginalFit, Objective, Optimum, PiRange, fix_shares

__all__ = ["MarginalProfile", "given_labels"]


def given_labels(fit: MarginalFit, n0: float, n1: float) -> float:
    """How many times faster the evidence falls for the numbers of labels being given, and not random.

    Where rows were drawn by a survey: than clusters say, less than one where they resemble each other.
    """
    if fit.labelling is not None:
        return fit.labelling.factor
    share = fit.optimum.layout.share
    drawn = float(fit.optimum.covariance(PiRange())[share, share])
    given = float(sampling_covariance(fit.optimum, fit.survey, n0, n1)[share, share])
    largest = TUNING.largest_factor_given
    return min(drawn / given, largest) if given > 0.0 else largest


@dataclass
class MarginalProfile(KindOfProfile[MarginalFit]):
    """Evidence along pi; fits with pi fixed have the variances of the fit."""

    @cached_property
    def _curve(self) -> EvidenceCurve:
        fitted = self.fitted
        return fitted.fit.curve.falling(given_labels(fitted.fit, fitted.engine.n0, fitted.engine.n1))

    @property
    def _known(self) -> Optimum:
        return self.fitted.fit.optimum

    def _fix(self, place: float) -> Optimum:
        fitted, pi = self.fitted, float(expit(place))
        if fitted.fit.samples is not None:
            return fix_shares(fitted, np.asarray(logit(moved_shares(fitted.fit.samples, pi))))
        if fitted.fit.labelling is not None:
            return fix_shares(fitted, np.array([place]))
        nearest = self._fits[min(self._fits, key=lambda other: abs(other - place))]
        objective = Objective(fitted.engine, fitted.design.penalty(fitted.fit.kappas), fitted.settings.prior)
        start = nearest.layout.with_share(nearest.beta, place)
        settings = fitted.settings
        (found,) = settings.maximize(objective, start[None], PiRange(pi, pi), settings.tol, settings.max_iter)
        return found

    @property
    def standard_error(self) -> float:
        """Of logit pi: that of a normal one with the same interval."""
        limits = np.clip(self._curve.limits(0.5 * normal_quantile(USUAL_LEVEL) ** 2), *PiRange().logits)
        return float((limits[1] - limits[0]) / (2.0 * normal_quantile(USUAL_LEVEL)))

    @property
    def peak(self) -> float:
        """The estimate."""
        return self.fitted.fit.optimum.logit_pi

    def deviance(self, pi: float) -> float:
        """Twice the fall of the evidence, given the numbers of labels."""
        return 2.0 * self._curve.fall(float(logit(pi)))

    def calibrate(self) -> Calibration:
        """Compare predicted with observed labels of the rows of the fit."""
        return calibrate(self.fitted)
