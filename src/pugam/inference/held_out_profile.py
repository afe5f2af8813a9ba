"""The profile of pi of a shrunken fit, in rows held out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pugam.inference.calibration import Calibration, calibrate_held_out
from pugam.inference.profile import KindOfProfile
from pugam.likelihood import expit, logit
from pugam.solvers import (
    Adjustment,
    Dealing,
    HeldOutRows,
    Objective,
    Optimum,
    PiRange,
    ShrunkenFit,
    hold_out,
    make_folds,
)

__all__ = ["HeldOutProfile"]

Array = NDArray[np.float64]
Numbers = NDArray[np.intp]


@dataclass
class HeldOutProfile(KindOfProfile[ShrunkenFit]):
    """Shrunken curves with pi fixed: intercept and steepness follow, and rows held out say how well.

    The deviance does not count the prior on separation, so that it may be lowest elsewhere than at the estimate.
    """

    @cached_property
    def rows(self) -> HeldOutRows:
        """Rows with the scores that curves fitted without them gave them."""
        fitted = self.fitted
        objective = Objective(fitted.engine, fitted.design.penalty(fitted.fit.kappas), fitted.settings.prior)
        return hold_out(objective, fitted.fit.penalized, self._dealings)

    @cached_property
    def _dealings(self) -> list[Dealing]:
        return make_folds(self.fitted.engine)

    @property
    def _known(self) -> Optimum:
        return self.fitted.fit.optimum

    def _fix(self, place: float) -> Optimum:
        """Adjust intercept and steepness to held-out rows; the objective is theirs."""
        fit, pi = self.fitted.fit, float(expit(place))
        adjustment = self.rows.adjust(PiRange(pi, pi), near=fit.adjustment)
        beta = adjustment.moved(fit.penalized.layout, fit.penalized.beta)
        return replace(fit.optimum, beta=beta, value=adjustment.value)

    @cached_property
    def _rows_alone(self) -> HeldOutRows:
        """The held-out rows, with no prior on separation."""
        return replace(self.rows, separation=False)

    @cached_property
    def _best_alone(self) -> Adjustment:
        return self._rows_alone.adjust(self.fitted.settings.pi_range)

    @cached_property
    def _alone(self) -> dict[float, Adjustment]:
        """What rows alone would say at values of pi looked at so far."""
        return {self._best_alone.pi: self._best_alone}

    @property
    def standard_error(self) -> float:
        """Standard error of logit pi."""
        return float(np.sqrt(self.fitted.fit.adjustment.logit_variance))

    @property
    def peak(self) -> float:
        """Where rows alone would put logit pi."""
        return self._best_alone.logit_pi

    def deviance(self, pi: float) -> float:
        """Twice the fall of the held-out likelihood from where it is highest."""
        known = self._alone
        if pi not in known:
            nearest = known[min(known, key=lambda other: abs(logit(other) - logit(pi)))]
            known[pi] = self._rows_alone.adjust(PiRange(pi, pi), near=nearest)
        return max(0.0, 2.0 * (self._best_alone.value - known[pi].value))

    def calibrate(self) -> Calibration:
        """Compare predicted with observed labels of the rows held out."""
        return calibrate_held_out(self.fitted, self.rows)

    @property
    def holds_out(self) -> bool:
        """They are: shrunken curves know the labels of their rows too well."""
        return True

    def predictors_of(self, rows: Numbers, copies: Numbers) -> Array:
        """Those that curves fitted without a row give it."""
        adjustment, places = self.fitted.fit.adjustment, self._dealings[0].places(rows, copies)
        return adjustment.with_strays(adjustment.intercept + adjustment.steepness * self.rows.scores[places])
