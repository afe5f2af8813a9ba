"""Smoothing for many rows: from a start that a sample of them gave, with as few passes over all rows as possible."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.linear_algebra import inverse
from pugam.solvers.exploring import ObjectiveAt
from pugam.solvers.fisher import bounded_step
from pugam.solvers.lookout import Choice, bent_smoothing
from pugam.solvers.objective import PiRange, Standpoint
from pugam.solvers.reml import accelerated_update
from pugam.solvers.smoothing import edf_by_term, log_marginal
from pugam.terms import Design

__all__ = ["settle_reml"]

Array = NDArray[np.float64]

MOST_PASSES, MOST_UPDATES = 10, 40
CLOSER = 0.1  # between two passes smoothing is followed so much more closely than it is wanted in the end
# What the parabola gets wrong is of second order: after a step as small as this nothing is left to be found.
SMALL_CHANGE, SMALL_GAIN = 10.0, 0.1  # of degrees of freedom, as a multiple of their tolerance; of the objective


def settle_reml(
    design: Design, at: ObjectiveAt, beta: Array, kappas: Array, pi_range: PiRange, edf_tol: float
) -> Choice:
    """Choose smoothing near a good start, all updates between two passes being made on a parabola.

    One pass over the rows gives value, gradient and information, and so a parabola for the log-likelihood. On it,
    parameters and smoothing are alternated to the end, which costs no pass. The next one shows how well it held.
    The point returned is close to, not at, the penalised optimum: the caller finishes the climb.
    """
    for _ in range(MOST_PASSES):
        (here,) = at(kappas).stand([beta])
        parabola = Parabola(design, here, kappas, pi_range)
        degrees = parabola.degrees(kappas)
        bent = bent_smoothing(design, here, kappas, pi_range)
        starts = [kappas] if (bent == kappas).all() else [kappas, bent]
        gain = parabola.stand(kappas).value - here.value
        kappas = max((parabola.settle(start, edf_tol) for start in starts), key=parabola.log_marginal)
        beta = parabola.stand(kappas).beta
        change = float(np.max(np.abs(parabola.degrees(kappas) - degrees), initial=0.0))
        if change < SMALL_CHANGE * edf_tol and gain < SMALL_GAIN:
            break
    return beta, kappas


@dataclass(frozen=True)
class Parabola:
    """The penalised objective with the log-likelihood taken for a parabola, as seen from one point."""

    design: Design
    here: Standpoint
    kappas: Array
    pi_range: PiRange

    def stand(self, kappas: Array) -> Standpoint:
        """The top of the parabola under other smoothing parameters."""
        here, change = self.here, np.zeros_like(self.here.beta)
        change[2:] = self.design.penalty(kappas) - self.design.penalty(self.kappas)
        gradient, hessian = here.gradient - change * here.beta, here.hessian + np.diag(change)
        step = bounded_step(here.beta, gradient, hessian, self.pi_range)
        assert step is not None
        value = here.value - 0.5 * float(change @ here.beta**2) + float(gradient @ step - 0.5 * step @ hessian @ step)
        loglik = here.loglik  # not worked out
        return Standpoint(
            here.beta + step, value, loglik, gradient - hessian @ step, here.information, here.curvature + change, False
        )

    def degrees(self, kappas: Array) -> Array:
        """Effective degrees of freedom of each term."""
        top = self.stand(kappas)
        return edf_by_term(self.design, inverse(top.hessian, self.pi_range.free), top.curvature)

    def log_marginal(self, kappas: Array) -> float:
        """The REML criterion."""
        return log_marginal(self.design, self.stand(kappas), kappas, self.pi_range.free)

    def settle(self, kappas: Array, edf_tol: float) -> Array:
        """Alternate updates of smoothing with the parameters that follow, until no term changes any more."""
        degrees, last_move = np.full(len(kappas), np.inf), np.zeros(len(kappas))
        for _ in range(MOST_UPDATES):
            top = self.stand(kappas)
            covariance = inverse(top.hessian, self.pi_range.free)
            new_degrees = edf_by_term(self.design, covariance, top.curvature)
            if np.max(np.abs(new_degrees - degrees), initial=0.0) < CLOSER * edf_tol:
                break
            degrees = new_degrees
            kappas, last_move = accelerated_update(self.design, top.beta, covariance, kappas, last_move)
        return kappas
