"""What can be said of a smoothed fit."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.inference.covariance import bayesian_covariance, frequentist_covariance
from pugam.inference.intervals import Interval, wald_interval_log
from pugam.inference.kind import Inference, Unconstrained
from pugam.inference.open_effects import OpenEffects, find_open_effects
from pugam.inference.profile import PiProfile
from pugam.inference.smoothed_profile import SmoothedProfile
from pugam.inference.smoothing_uncertainty import curve_covariance, widened
from pugam.likelihood import logit
from pugam.solvers import Optimum, SmoothedFit, movement, pi_log_variance

__all__ = ["SmoothedInference"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SmoothedInference(Inference[SmoothedFit]):
    """What can be said of a smoothed fit; see `Inference`."""

    def bayesian_covariance(self) -> Array:
        """The inverse of the penalised information, corrected for sampling given z."""
        return bayesian_covariance(self.fit, self.n0, self.n1, self.settings.pi_range)

    def frequentist_covariance(self) -> Array:
        """The sandwich."""
        return frequentist_covariance(self.fit, self.n0, self.n1, self.settings.pi_range)

    def curve_covariance(self) -> Array:
        """The Bayesian covariance, and what smoothing adds to it."""
        return curve_covariance(self.fit, self.design, self.settings, self.n0, self.n1)

    def unconstrained(self) -> Unconstrained:
        """The reported parameters, released from their constraints."""
        fit, pi_range = self.fit, self.settings.pi_range
        released = replace(fit, optimum=fit.optimum.released(), penalized=fit.penalized.released())
        covariance = widened(bayesian_covariance(released, self.n0, self.n1, pi_range), fit, self.design, self.settings)
        return Unconstrained(released.optimum.beta, covariance, fit.optimum, pi_range.fixed)

    def movement(self) -> Array:
        """How the estimate moves with the score, corrected for bias or not."""
        return movement(self.fit, self.fit.penalized.covariance(self.settings.pi_range))

    def sampling_interval(self, pi: float, level: float) -> Interval:
        """Wald's interval, symmetric on the log scale."""
        variance = pi_log_variance(self.fit, self.n0, self.n1)
        return wald_interval_log(pi, variance, level, self.settings.pi_range.limits)

    def posterior_logits(self, ratio: Array, pi: float | Array) -> Array:
        """Logits by Bayes' rule.

        Where curves saturate, the errors of their logits are large upwards only: an average over both sides would doubt
        what the rows do not.
        """
        return np.asarray(ratio + float(logit(pi)))

    def profile(self, engine: Engine) -> PiProfile:
        """Prepare the profile of the penalised likelihood."""
        return SmoothedProfile(self.with_rows(engine))

    def open_effects(self, engine: Engine) -> OpenEffects:
        """Find levels on one side, and terms that say the same."""
        return find_open_effects(self.with_rows(engine))

    @property
    def doubted_curves(self) -> Optimum:
        """Those of the penalised optimum."""
        return self.fit.penalized

    @property
    def says_little(self) -> bool:
        """Never: the profile tells."""
        return False

    @property
    def leaning(self) -> float:
        """One: there is no prior but the user's."""
        return 1.0

    @property
    def announcement(self) -> str | None:
        """Nothing: it is what users expect."""
        return None

    def describe(self, prior: str) -> str:
        """Tell by what smoothing was chosen, and whether pi was corrected for its bias."""
        settings = self.settings
        method = settings.smoothing if isinstance(settings.smoothing, str) else "given"
        bias = "bias of smoothing taken out of pi" if self.fit.debiased else "penalised estimate of pi"
        about_pi = "pi fixed" if settings.pi_range.fixed else f"prior on pi {prior}, {bias}"
        return f"smoothing {method}, solver {settings.solver}, {about_pi}"
