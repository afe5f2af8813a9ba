"""What can be said of a fit by marginal likelihood: pi is as sure as the evidence falls off around it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.inference.covariance import in_alpha, intercept_covariance, posterior_errors, sampling_covariance
from pugam.inference.intervals import USUAL_LEVEL, Interval, normal_quantile
from pugam.inference.kind import Inference, Unconstrained
from pugam.inference.marginal_profile import MarginalProfile, given_labels
from pugam.inference.open_effects import OpenEffects, find_one_sided
from pugam.inference.profile import PiProfile
from pugam.likelihood import alpha_shift, expit, logit
from pugam.linear_algebra import inverse
from pugam.solvers import TUNING, EvidenceCurve, MarginalFit, Optimum, fit_averaging
from pugam.terms.expressions import Expression, shifted

__all__ = ["MarginalInference"]

Array = NDArray[np.float64]

LARGEST_FLATTENING = 0.9  # where nothing but the prior is left, any share would do
FEWEST_ROWS = 10  # unlabelled ones, to tell from how sure posteriors are


@dataclass(frozen=True)
class MarginalInference(Inference[MarginalFit]):
    """What can be said of a fit by marginal likelihood; see `Inference`."""

    def bayesian_covariance(self) -> Array:
        """That of the curves at a known share, and of the share, which they follow; and the bias that priors bring.

        Priors flatten all curves together, which none with independent coefficients counts: as with smoothing, the
        estimated bias enters as its square.
        """
        curves = self._curves_given_pi()
        bias = self._bias(curves)
        return self._posterior_covariance(curves) + np.outer(bias, bias)

    def _curves_given_pi(self) -> Array:
        """Covariance at a known share."""
        optimum, others = self.fit.optimum, self.fit.optimum.layout.predictor
        covariance = np.zeros_like(optimum.information)
        covariance[others, others] = inverse(optimum.hessian[others, others])
        return covariance

    def _posterior_covariance(self, curves: Array) -> Array:
        """Covariance of share and curves, from that of the curves at a known share, without any bias."""
        optimum, layout = self.fit.optimum, self.fit.optimum.layout
        follows = np.zeros(layout.size)
        follows[layout.share] = 1.0
        follows[layout.predictor] = -(curves @ optimum.information[:, layout.share])[layout.predictor]
        if self.fit.survey is not None:
            return self._among_clusters(follows)
        return np.asarray(curves + self.logit_variance * np.outer(follows, follows))

    def _among_clusters(self, follows: Array) -> Array:
        """Covariance by a survey, in which the share varies as its interval says, and curves follow it."""
        covariance = sampling_covariance(self.fit.optimum, self.fit.survey, self.n0, self.n1)
        share = self.fit.optimum.layout.share
        own = max(float(covariance[share, share]), TUNING.smallest_information)
        stretched = np.eye(len(follows))
        stretched[:, share] += (np.sqrt(self.logit_variance / own) - 1.0) * follows
        return np.asarray(stretched @ covariance @ stretched.T)

    def _bias(self, covariance: Array) -> Array:
        """By how much priors flatten the curves, all by the same share, with this covariance: shape (q,).

        The share is that of the predictor, in the metric of the information: coefficients that the priors pull far, but
        that hardly move a row, count as little as they do there. The intercept follows.
        """
        optimum, layout = self.fit.optimum, self.fit.optimum.layout
        assert self.design.ridge is not None
        coefficients, theta = layout.coefficients, optimum.theta
        pulled = covariance[coefficients, coefficients] @ (self.design.ridge * theta)
        along = theta @ optimum.information[coefficients, coefficients]
        share = float(along @ pulled) / max(float(along @ theta), TUNING.smallest_information)
        share = float(np.clip(share, 0.0, LARGEST_FLATTENING))
        bias = np.zeros(layout.size)
        bias[coefficients] = share / (1.0 - share) * theta  # of curves that were not flattened, so much is missing
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
        low, high = self._limits(USUAL_LEVEL)
        bounds = self.settings.pi_range.logits
        width = min(high, bounds[1]) - max(low, bounds[0])
        return float((width / (2.0 * normal_quantile(USUAL_LEVEL))) ** 2)

    @cached_property
    def _evidence(self) -> EvidenceCurve:
        """The evidence along pi, for given numbers of labels."""
        return self.fit.curve.falling(given_labels(self.fit, self.n0, self.n1))

    def _limits(self, level: float) -> tuple[float, float]:
        return self._evidence.limits(0.5 * normal_quantile(level) ** 2)

    def sampling_interval(self, pi: float, level: float) -> Interval:
        """Where the evidence, given the numbers of labels, has fallen by no more than half a chi-square quantile.

        It always holds the estimate.
        """
        low, high = self._limits(level)
        bounds = self.settings.pi_range.limits
        lower = bounds[0] if np.isneginf(low) else max(float(expit(low)), bounds[0])
        upper = bounds[1] if np.isposinf(high) else min(float(expit(high)), bounds[1])
        return Interval(pi, min(lower, pi), max(upper, pi), level, "marginal")

    def posterior_logits(self, ratio: Array, pi: float | Array) -> Array:
        """Logits of averaged posteriors; for another share than the estimate, by Bayes' rule from these."""
        averaging = self.fit.averaging
        if averaging is None:
            return self.central_logits(ratio, pi)
        return np.asarray(averaging.logits(ratio) + logit(pi) - self.fit.optimum.logit_pi)

    def posterior_expression(self, ratio: Expression, pi: float) -> tuple[tuple[float, Expression], ...]:
        """The logit of the averaged posterior."""
        averaging = self.fit.averaging
        if averaging is None:
            return super().posterior_expression(ratio, pi)
        return ((1.0, shifted(averaging.expression(ratio), float(logit(pi)) - self.fit.optimum.logit_pi)),)

    def central_logits(self, ratio: Array, pi: float | Array) -> Array:
        """Logits by Bayes' rule."""
        return np.asarray(ratio + logit(pi))

    @property
    def averages(self) -> bool:
        """Yes, unless the model was saved before posteriors were averaged, or has too few rows to tell how."""
        return self.fit.averaging is not None

    def averaged(self, engine: Engine) -> MarginalFit:
        """Find out from unlabelled rows how variances of logits depend on the log density ratio."""
        shown, optimum = engine.shown, self.fit.optimum
        unlabelled = ~shown.positive
        if self.settings.pi_range.fixed or np.count_nonzero(unlabelled) < FEWEST_ROWS:
            return self.fit
        encoded = [values[unlabelled] for values in shown.encoded]
        weights = None if shown.weights is None else shown.weights[unlabelled]
        covariance = self._posterior_covariance(self._curves_given_pi())
        covariance = in_alpha(optimum.layout, covariance, optimum.pi, self.n0, self.n1)
        errors = posterior_errors(self.design, encoded, intercept_covariance(optimum.layout, covariance))
        ratio = self.design.predict(encoded, optimum.b) - float(alpha_shift(optimum.pi, self.n0, self.n1))
        samples = self.fit.samples
        if samples is not None and samples.own_column is not None:  # effects of samples are the last term
            ratio += (samples.logits - optimum.logit_pi)[encoded[-1].astype(np.intp)]
        return replace(self.fit, averaging=fit_averaging(ratio, errors**2, weights, optimum.pi))

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
        interval = self.sampling_interval(self.fit.optimum.pi, USUAL_LEVEL)
        return interval.upper - interval.lower > TUNING.undetermined

    @property
    def leaning(self) -> float:
        """One: how far apart features put the classes is estimated, too."""
        return 1.0

    @property
    def smooths_terms_alone(self) -> bool:
        """No: terms share variances."""
        return False

    @property
    def evidence(self) -> float | None:
        """Where it is highest."""
        return float(self.fit.curve.values.max())

    @property
    def announcement(self) -> str | None:
        """Which interactions were added, which nobody asked for."""
        added = self.fit.added
        return f"interactions added: {', '.join(added)}" if added else None

    def describe(self, prior: str) -> str:
        """Tell where pi comes from."""
        return f"pi by marginal likelihood, prior on pi {prior}"
