"""What can be said of a fit by marginal likelihood: pi is as sure as the evidence falls off around it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.inference.intervals import Interval, normal_quantile
from pugam.inference.kind import Inference, Unconstrained
from pugam.inference.marginal_profile import MarginalProfile, given_labels
from pugam.inference.open_effects import OpenEffects, find_one_sided
from pugam.inference.profile import PiProfile
from pugam.likelihood import expit, logit
from pugam.linear_algebra import inverse
from pugam.solvers import TUNING, MarginalFit, Optimum

__all__ = ["MarginalInference"]

Array = NDArray[np.float64]

LEVEL = 0.95


@dataclass(frozen=True)
class MarginalInference(Inference[MarginalFit]):
    """What can be said of a fit by marginal likelihood; see `Inference`."""

    def bayesian_covariance(self) -> Array:
        """That of the curves at a known share, and of the share, which they follow; and the bias that priors bring.

        Priors flatten all curves together, which none with independent coefficients counts: as with smoothing, the
        estimated bias enters as its square.
        """
        layout, optimum = self.fit.optimum.layout, self.fit.optimum
        others, share = layout.predictor, layout.share
        covariance = np.zeros_like(optimum.information)
        covariance[others, others] = inverse(optimum.hessian[others, others])
        follows = np.zeros(layout.size)
        follows[share] = 1.0
        follows[others] = -covariance[others, others] @ optimum.information[others, share]
        bias = self._bias(covariance)
        return np.asarray(covariance + self.logit_variance * np.outer(follows, follows) + np.outer(bias, bias))

    def _bias(self, covariance: Array) -> Array:
        """By how much priors flatten the curves, all by the same share, with this covariance: shape (q,).

        The share is a mean over coefficients, by how much each counts in the prior. The intercept follows.
        """
        optimum, layout = self.fit.optimum, self.fit.optimum.layout
        assert self.design.ridge is not None
        drawn = self.design.ridge * optimum.theta
        pulled = covariance[layout.coefficients, layout.coefficients] @ drawn
        share = float(drawn @ pulled) / max(float(drawn @ optimum.theta), TUNING.smallest_information)
        bias = np.zeros(layout.size)
        bias[layout.coefficients] = share * optimum.theta
        own = optimum.hessian[layout.intercept]
        bias[layout.intercept] = -own @ bias / own[layout.intercept]
        return bias

    def frequentist_covariance(self) -> Array:
        """Not known; the Bayesian one is given."""
        return self.bayesian_covariance()

    def curve_covariance(self) -> Array:
        """The same: the variances of the families count as known."""
        return self.bayesian_covariance()

    def unconstrained(self) -> Unconstrained:
        """The parameters reported: there are no constraints."""
        optimum = self.fit.optimum
        return Unconstrained(optimum.beta, self.bayesian_covariance(), optimum, share_fixed=True)

    def movement(self) -> Array:
        """How the curves move with the score."""
        return self.fit.optimum.covariance(self.settings.pi_range)

    @cached_property
    def logit_variance(self) -> float:
        """Variance of logit pi: that of a normal one with the same interval."""
        low, high = self._limits(LEVEL)
        bounds = self.settings.pi_range.logits
        width = min(high, bounds[1]) - max(low, bounds[0])
        return float((width / (2.0 * normal_quantile(LEVEL))) ** 2)

    def _limits(self, level: float) -> tuple[float, float]:
        return self.fit.curve.limits(0.5 * normal_quantile(level) ** 2 / given_labels(self.fit, self.n0, self.n1))

    def sampling_interval(self, pi: float, level: float) -> Interval:
        """Where the evidence, given the numbers of labels, has fallen by no more than half a chi-square quantile.

        It always holds the estimate.
        """
        low, high = self._limits(level)
        bounds = self.settings.pi_range.limits
        lower = bounds[0] if np.isneginf(low) else max(float(expit(low)), bounds[0])
        upper = bounds[1] if np.isposinf(high) else min(float(expit(high)), bounds[1])
        return Interval(pi, min(lower, pi), max(upper, pi), level, "marginal")

    def posterior_logits(self, ratio: Array, pi: float) -> Array:
        """Logits by Bayes' rule."""
        return np.asarray(ratio + float(logit(pi)))

    def profile(self, engine: Engine) -> PiProfile:
        """Prepare the profile of the evidence."""
        return MarginalProfile(self.with_rows(engine))

    def open_effects(self, engine: Engine) -> OpenEffects:
        """Levels on one side: their prior keeps effects from running off, and is all that is known of them."""
        return OpenEffects(one_sided=find_one_sided(engine))

    @property
    def doubted_curves(self) -> Optimum:
        """Those reported."""
        return self.fit.optimum

    @property
    def says_little(self) -> bool:
        """Whether the interval for pi says next to nothing."""
        interval = self.sampling_interval(self.fit.optimum.pi, LEVEL)
        return interval.upper - interval.lower > TUNING.undetermined

    @property
    def leaning(self) -> float:
        """One: how far apart features put the classes is estimated, too."""
        return 1.0

    @property
    def needs_terms(self) -> bool:
        """Yes, unless interactions were added: a term may then matter in them alone."""
        return not self.fit.added

    @property
    def announcement(self) -> str | None:
        """Which interactions were added, which nobody asked for."""
        added = self.fit.added
        return f"interactions added: {', '.join(added)}" if added else None

    def describe(self, prior: str) -> str:
        """Tell where pi comes from."""
        return f"pi by marginal likelihood, prior on pi {prior}"
