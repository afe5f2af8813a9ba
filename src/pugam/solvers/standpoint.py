"""The objective as it is seen from one parameter vector."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from pugam.layout import Layout
from pugam.likelihood import expit
from pugam.linear_algebra import inverse
from pugam.solvers.pi import PiRange

__all__ = ["Standpoint"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Standpoint:
    """The objective seen from one parameter vector.

    Attributes
    ----------
    beta : array of shape (q,)
        logit pi, intercept a, coefficients theta.
    value, loglik : float
        Penalised objective, and the profile log-likelihood alone.
    gradient : array of shape (q,)
    information : array of shape (q, q)
        Information of the likelihood alone.
    curvature : array of shape (q,)
        What penalty and prior add to its diagonal.
    observed : bool
        Whether the information is the observed one, not the expected.
    layout : Layout
        Where the parameters stand in these arrays.
    """

    beta: Array
    value: float
    loglik: float
    gradient: Array
    information: Array
    curvature: Array
    observed: bool
    layout: Layout

    @property
    def logit_pi(self) -> float:
        """The mixture proportion on the scale of beta."""
        return float(self.beta[self.layout.share])

    @property
    def pi(self) -> float:
        """The mixture proportion."""
        return float(expit(self.logit_pi))

    @property
    def intercept(self) -> float:
        """The intercept a."""
        return float(self.beta[self.layout.intercept])

    @property
    def theta(self) -> Array:
        """The coefficients."""
        return self.beta[self.layout.coefficients]

    @property
    def b(self) -> Array:
        """Intercept and coefficients, as engines take them."""
        return self.beta[self.layout.predictor]

    @property
    def hessian(self) -> Array:
        """Information plus the curvature of penalty and prior."""
        return self.information + np.diag(self.curvature)

    def repenalized(self, penalty: Array) -> Self:
        """Return the same point under another penalty, shape (p,): its likelihood is known without the rows."""
        change = penalty - self.curvature[self.layout.coefficients]
        return replace(
            self,
            value=self.value - 0.5 * float(change @ self.theta**2),
            gradient=self.gradient - self.layout.spread(change * self.theta),
            curvature=self.curvature + self.layout.spread(change),
        )

    def free(self, pi_range: PiRange) -> slice:
        """Which parameters are estimated: all, or all but a share that is known."""
        return self.layout.free(share_fixed=pi_range.fixed)

    def covariance(self, pi_range: PiRange) -> Array:
        """Inverse of the Hessian of the parameters that are estimated, with zeros for the others."""
        return inverse(self.hessian, self.free(pi_range))
