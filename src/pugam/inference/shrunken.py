"""What can be said of a shrunken fit: share, intercept and steepness are as sure as rows held out make them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit

from pugam.engines import Engine
from pugam.errors import InputError
from pugam.inference.held_out_profile import HeldOutProfile
from pugam.inference.intervals import USUAL_LEVEL, Interval, wald_interval_logit
from pugam.inference.kind import Inference, Unconstrained
from pugam.inference.open_effects import OpenEffects
from pugam.inference.profile import PiProfile
from pugam.likelihood import alpha_shift, logit
from pugam.linear_algebra import inverse
from pugam.solvers import TUNING, Adjustment, Optimum, ShrunkenFit
from pugam.terms.expressions import Expression, Number, Plus, Times

__all__ = ["ShrunkenInference", "adjusted_covariance", "averaged_logits"]

Array = NDArray[np.float64]

AVERAGED_OVER = 16  # steepnesses


@dataclass(frozen=True)
class ShrunkenInference(Inference[ShrunkenFit]):
    """What can be said of a shrunken fit; see `Inference`."""

    def bayesian_covariance(self) -> Array:
        """That of the curves at a known share, and of what rows held out gave them."""
        return adjusted_covariance(self.fit)

    def frequentist_covariance(self) -> Array:
        """Not known; the Bayesian one is given."""
        return adjusted_covariance(self.fit)

    def curve_covariance(self) -> Array:
        """The same: a ridge counts as known."""
        return adjusted_covariance(self.fit)

    def unconstrained(self) -> Unconstrained:
        """The shrunken curves, released from their constraints and adjusted as they were."""
        fit = self.fit
        released = replace(fit, penalized=fit.penalized.released())
        centre = fit.adjustment.moved(fit.penalized.layout, released.penalized.beta)
        return Unconstrained(centre, adjusted_covariance(released), fit.penalized, share_fixed=True)

    def movement(self) -> Array:
        """How the shrunken curves move with the score."""
        return self.fit.penalized.covariance(self.settings.pi_range)

    def sampling_interval(self, pi: float, level: float) -> Interval:
        """Wald's interval, on the logit scale: pi may be near one."""
        return wald_interval_logit(pi, self.fit.adjustment.logit_variance, level, self.settings.pi_range.limits)

    def posterior_logits(self, ratio: Array, pi: float | Array) -> Array:
        """Logits of posteriors averaged over what rows held out leave open."""
        return averaged_logits(self.fit, self.n0, self.n1, ratio, float(pi))

    def posterior_expression(self, ratio: Expression, pi: float) -> tuple[tuple[float, Expression], ...]:
        """Logits under each intercept and steepness that are averaged over."""
        adjustment, shift = self.fit.adjustment, float(alpha_shift(self.fit.optimum.pi, self.n0, self.n1))
        if adjustment.stray:
            raise InputError("The model was saved by an earlier pugam and counts strays; fit it again to export it.")
        softened = 1.0 / np.sqrt(1.0 + np.pi / 8.0 * adjustment.intercept_variance)
        parts: list[tuple[float, Expression]] = []
        for weight, change, factor in adjustment.alternatives(AVERAGED_OVER):
            constant = float(logit(pi)) - shift + factor * shift + change - (factor - 1.0) * adjustment.intercept
            logits = Plus((Number(float(softened * constant)), Times((Number(float(softened * factor)), ratio))))
            parts.append((weight, logits))
        return tuple(parts)

    @property
    def averages(self) -> bool:
        """Yes."""
        return True

    def profile(self, engine: Engine) -> PiProfile:
        """Prepare the profile in held-out rows."""
        return HeldOutProfile(self.with_rows(engine))

    def open_effects(self, engine: Engine) -> OpenEffects:
        """None: the ridge keeps every effect small."""
        return OpenEffects()

    @property
    def doubted_curves(self) -> Optimum:
        """The adjusted ones: shrunken curves doubt more than they should."""
        return self.fit.optimum

    @property
    def says_little(self) -> bool:
        """Whether the interval for pi says next to nothing."""
        interval = self.sampling_interval(self.fit.optimum.pi, USUAL_LEVEL)
        return not self.settings.pi_range.fixed and interval.upper - interval.lower > TUNING.undetermined

    @property
    def leaning(self) -> float:
        """How much the prior on separation adds to what rows say."""
        return self.fit.adjustment.leaning

    @property
    def needs_terms(self) -> bool:
        """No: there is the prior on separation, too."""
        return False

    @property
    def knows_surveys(self) -> bool:
        """No: rows held out are drawn singly."""
        return False

    @property
    def announcement(self) -> str | None:
        """That curves were shrunken, which was not asked for."""
        return f"{self._restraint}, pi from held-out rows"

    def describe(self, prior: str) -> str:
        """Tell how strong the ridge was, and where pi comes from."""
        fixed = self.settings.pi_range.fixed
        return f"{self._restraint}, {'pi fixed' if fixed else f'pi from held-out rows; prior on pi {prior}'}"

    @property
    def _restraint(self) -> str:
        return f"curves shrunk (ridge {self.fit.ridge:g})"


def adjusted_covariance(fit: ShrunkenFit) -> Array:
    """Covariance of parameters that were shrunken and then adjusted: shape (q, q)."""
    penalized, adjustment = fit.penalized, fit.adjustment
    slopes = adjustment.slopes(penalized.layout, penalized.beta)
    curves = inverse(penalized.hessian, penalized.directions(share_fixed=True))
    covariance: Array = slopes @ adjustment.covariance @ slopes.T + adjustment.steepness**2 * curves
    return covariance


def averaged_logits(fit: ShrunkenFit, n0: float, n1: float, ratio: Array, pi: float) -> Array:
    """Logits of posteriors of rows with these log density ratios, where a share pi is positive.

    How steep shrunken curves are is known from those few rows held out that are in doubt. The posterior is the average
    over what these leave open: at the best steepness alone it would be too sure of itself.
    """
    shift = float(alpha_shift(fit.optimum.pi, n0, n1))
    return _averaged(fit.adjustment, ratio + shift, float(logit(pi)) - shift)


def _averaged(adjustment: Adjustment, s: Array, shift: float) -> Array:
    """Logits of mean posteriors, over other intercepts and steepnesses of the linear predictors s.

    As each alternative rises with s, so does the mean. The normal distribution of the intercept at a known steepness
    is averaged over by MacKay's approximation, as if the logistic curve were a normal one.
    """
    softened = 1.0 / np.sqrt(1.0 + np.pi / 8.0 * adjustment.intercept_variance)
    steep = s - adjustment.intercept
    positive = negative = np.full(len(s), -np.inf)  # logarithms, so that the surest rows keep their order
    for weight, change, factor in adjustment.alternatives(AVERAGED_OVER):
        other = softened * (shift + adjustment.with_strays(s + change + (factor - 1.0) * steep))
        positive = np.logaddexp(positive, np.log(weight) + log_expit(other))
        negative = np.logaddexp(negative, np.log(weight) + log_expit(-other))
    mean: Array = positive - negative
    return mean
