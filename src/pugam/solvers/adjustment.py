"""What rows held out say about shrunken curves: share, intercept and steepness, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit

from pugam.layout import Layout
from pugam.likelihood import expit
from pugam.solvers.tuning import TUNING

__all__ = ["INTERCEPT", "SHARE", "STEEPNESS", "Adjustment", "count_strays"]

Array = NDArray[np.float64]

SHARE, INTERCEPT, STEEPNESS = range(3)  # where logit pi, intercept and log steepness stand in their covariance
CURVE = slice(INTERCEPT, STEEPNESS + 1)


@dataclass(frozen=True, eq=False)
class Adjustment:
    """Where the three parameters ended.

    Attributes
    ----------
    logit_pi, intercept, steepness : float
        So that the linear predictor of a row with held-out score t is intercept + steepness t.
    value : float
        The objective there: held-out log-likelihood and priors.
    covariance : array of shape (3, 3)
        Of logit pi, intercept and log steepness. It counts n0 and n1 as random, which they are not: that makes up,
        about, for the curves being known no better than the rows they were fitted to permit.
    logit_variance : float
        Of logit pi without the prior on separation, so that limits do not lean on it; infinite where rows alone say
        nothing.
    stray : float
        Share of positives among the rows that score lowest, however low: only models saved in format 1 have any.
    """

    logit_pi: float
    intercept: float
    steepness: float
    value: float
    covariance: Array
    logit_variance: float
    stray: float = 0.0

    @property
    def pi(self) -> float:
        """The share of positives."""
        return float(expit(self.logit_pi))

    @property
    def leaning(self) -> float:
        """How many times larger the variance of logit pi is without the prior on separation."""
        with_prior = float(self.covariance[SHARE, SHARE])
        return self.logit_variance / with_prior if with_prior > 0.0 else 1.0

    def alternatives(self, count: int) -> Iterator[tuple[float, float, float]]:
        """Other intercepts and steepnesses that the rows permit, were the share known: a quadrature over log steepness.

        Yields the weight of each, how far its intercept lies from this one, and how many times as steep it is.
        """
        (_, with_steepness), (_, variance) = self._given_share
        slope, spread = (with_steepness / variance, np.sqrt(variance)) if variance > 0.0 else (0.0, 0.0)
        points, weights = np.polynomial.hermite_e.hermegauss(count)
        for point, weight in zip(points, weights / weights.sum(), strict=True):
            change = float(np.clip(point * spread, -TUNING.largest_change, TUNING.largest_change))
            yield float(weight), float(slope * change), float(np.exp(change))

    @property
    def intercept_variance(self) -> float:
        """Of the intercept, were share and steepness known."""
        (variance, with_steepness), (_, of_steepness) = self._given_share
        known = with_steepness**2 / of_steepness if of_steepness > 0.0 else 0.0
        return max(float(variance - known), 0.0)

    @property
    def _given_share(self) -> Array:
        """Covariance of intercept and log steepness, were the share known."""
        given, with_share = self.covariance[CURVE, CURVE], self.covariance[CURVE, SHARE]
        variance = self.covariance[SHARE, SHARE]
        if variance > 0.0:
            given = given - np.outer(with_share, with_share) / variance
        return given

    def with_strays(self, s: Array) -> Array:
        """Bring linear predictors to those in which strays, if there are any, are counted."""
        return s if self.stray == 0.0 else count_strays(s, self.stray)

    def moved(self, layout: Layout, beta: Array) -> Array:
        """Bring the parameters whose curves gave the scores to this share, intercept and steepness."""
        intercept = self.intercept + self.steepness * beta[layout.intercept]
        return layout.join(self.logit_pi, intercept, self.steepness * beta[layout.coefficients])

    def slopes(self, layout: Layout, beta: Array) -> Array:
        """Derivatives of `moved` with logit pi, intercept and log steepness: shape (q, 3)."""
        slopes = np.zeros((layout.size, 3))
        slopes[layout.share, SHARE] = slopes[layout.intercept, INTERCEPT] = 1.0
        slopes[layout.predictor, STEEPNESS] = self.steepness * beta[layout.predictor]
        return slopes


def count_strays(s: Array, e: float) -> Array:
    """Return logit(e + (1 - e) expit(s)), to full precision far out, too."""
    rest = np.log1p(-e)
    counted: Array = np.logaddexp(np.log(e), rest + log_expit(s)) - rest - log_expit(-s)
    return counted
