"""The objective as it is seen from one parameter vector."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from pugam.layout import Layout
from pugam.likelihood import expit
from pugam.linear_algebra import Free, factorize_semidefinite, inverse, solve_factorized
from pugam.solvers.constraints import UNCONSTRAINED, free_directions, project
from pugam.solvers.pi import PiRange
from pugam.solvers.tuning import TUNING

__all__ = ["Standpoint"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
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
    constraints : array of shape (c, q)
        Rows A: parameters keep to A beta >= 0.
    """

    beta: Array
    value: float
    loglik: float
    gradient: Array
    information: Array
    curvature: Array
    observed: bool
    layout: Layout
    constraints: Array = field(default_factory=lambda: UNCONSTRAINED, kw_only=True)

    @property
    def logit_pi(self) -> float:
        """The mixture proportion on the scale of beta."""
        return float(self.beta[self.layout.share])

    @property
    def shares(self) -> Array:
        """All mixture proportions."""
        return np.asarray(expit(self.beta[self.layout.shares]))

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
        """Intercept and coefficients of the density ratio, as engines take them."""
        return self.layout.of_effects(self.beta[self.layout.predictor])

    @cached_property
    def hessian(self) -> Array:
        """Information plus the curvature of penalty and prior."""
        hessian = self.information.copy()
        hessian.flat[:: len(hessian) + 1] += self.curvature
        return hessian

    def repenalized(self, penalty: Array) -> Self:
        """Return the same point under another penalty, shape (p,): its likelihood is known without the rows."""
        change = penalty - self.curvature[self.layout.coefficients]
        return replace(
            self,
            value=self.value - 0.5 * float(change @ self.theta**2),
            gradient=self.gradient - self.layout.spread(change * self.theta),
            curvature=self.curvature + self.layout.spread(change),
        )

    def free(self, pi_range: PiRange) -> Free:
        """Which parameters are estimated: all, or all but a share that is known.

        Where constraints are active, the directions along which they stay so.
        """
        return self.directions(share_fixed=pi_range.fixed)

    def directions(self, share_fixed: bool) -> Free:
        """Which parameters are free, or along which directions, where the share is known or not."""
        free, active = self.layout.free(share_fixed), self.active_constraints
        if len(active) == 0:
            return free
        return free_directions(
            active, free, 1.0 / np.sqrt(np.maximum(self.hessian.diagonal(), TUNING.smallest_information))
        )

    @cached_property
    def active_constraints(self) -> Array:
        """Those of the constraints that the step to the top of the parabola seen from here, pi fixed, runs into.

        At an optimum these are the ones without which the objective would rise.
        """
        if len(self.constraints) == 0:
            return self.constraints
        others = self.layout.free(share_fixed=True)
        factor = factorize_semidefinite(self.hessian[others, others])
        top = self.beta[others] + solve_factorized(factor, self.gradient[others])
        return self.constraints[project(self.constraints[:, others], factor, top).multipliers > 0.0]

    def released(self) -> Self:
        """The top of the parabola seen from here, pi fixed, as if there were no constraints; other fields stay."""
        others, gradient = self.layout.free(share_fixed=True), self.gradient.copy()
        beta = self.beta.copy()
        beta[others] += solve_factorized(factorize_semidefinite(self.hessian[others, others]), gradient[others])
        gradient[others] = 0.0
        return replace(self, beta=beta, gradient=gradient, constraints=UNCONSTRAINED)

    def covariance(self, pi_range: PiRange) -> Array:
        """Inverse of the Hessian of the parameters that are estimated, with zeros for the others."""
        return inverse(self.hessian, self.free(pi_range))
