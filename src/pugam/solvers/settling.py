"""Smoothing for many rows, from a good start, with few passes over them: in between all is done on a parabola."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pugam.solvers.bends import Choice, bent_smoothing
from pugam.solvers.exploring import ObjectiveAt
from pugam.solvers.pi import PiRange
from pugam.solvers.reml import go
from pugam.solvers.smoothing import KAPPA_LIMITS, edf_by_term, log_marginal, reml_derivatives
from pugam.solvers.standpoint import Standpoint
from pugam.solvers.steps import bounded_step
from pugam.terms import Design

__all__ = ["settle_reml"]

Array = NDArray[np.float64]

MOST_PASSES, MOST_UPDATES, MOST_HALVINGS = 10, 20, 5
CLOSER = 0.1  # between two passes smoothing is followed so much more closely than it is wanted in the end
# What the parabola gets wrong is of second order: after a step as small as this nothing is left to be found.
SMALL_CHANGE, SMALL_GAIN = 10.0, 0.1  # of degrees of freedom, as a multiple of their tolerance; of the objective
LONGEST_MOVE = 5.0  # of a logarithm of a smoothing parameter
FLATTEST = 1e-3  # curvature of the REML criterion below which a direction is taken for flat


def settle_reml(
    design: Design, at: ObjectiveAt, beta: Array, kappas: Array, pi_range: PiRange, edf_tol: float
) -> Choice:
    """Choose smoothing near a good start, with as few passes as possible; terms that should bend are bent.

    One pass over the rows gives value, gradient and information, and so a parabola for the log-likelihood. On it,
    smoothing is moved towards the maximum of the REML criterion, which costs no pass. The next one shows how well the
    parabola held. The point returned is close to, not at, the penalised optimum: the caller finishes the climb.
    """
    (here,) = at(kappas).stand([beta])
    for _ in range(MOST_PASSES):
        parabola = Parabola(design, here, pi_range)
        before = parabola.degrees(kappas)
        gain = parabola.stand(kappas).value - here.value
        new = parabola.settle(kappas, edf_tol)
        change = float(np.max(np.abs(parabola.degrees(new) - before), initial=0.0))
        if change < SMALL_CHANGE * edf_tol and gain < SMALL_GAIN:
            bent = bent_smoothing(design, here, new, pi_range)
            if (bent == new).all() or parabola.log_marginal(bent) <= parabola.log_marginal(new):
                return parabola.stand(new).beta, new
            new = parabola.settle(bent, edf_tol)
        here, kappas = go(at(new), here, parabola.stand(new).beta - here.beta), new
    return here.beta, kappas


@dataclass(frozen=True)
class Parabola:
    """The penalised objective with the log-likelihood taken for a parabola, as seen from one point."""

    design: Design
    here: Standpoint
    pi_range: PiRange

    def stand(self, kappas: Array) -> Standpoint:
        """The top of the parabola under other smoothing parameters; its log-likelihood alone is not worked out."""
        here = self.here.repenalized(self.design.penalty(kappas))
        step = bounded_step(here, self.pi_range)
        fall = here.hessian @ step
        value = here.value + float(here.gradient @ step - 0.5 * step @ fall)
        return replace(here, beta=here.beta + step, value=value, loglik=np.nan, gradient=here.gradient - fall)

    def degrees(self, kappas: Array) -> Array:
        """Effective degrees of freedom of each term."""
        top = self.stand(kappas)
        return edf_by_term(self.design, top.covariance(self.pi_range), top.curvature)

    def log_marginal(self, kappas: Array) -> float:
        """The REML criterion."""
        top = self.stand(kappas)
        return log_marginal(self.design, top, kappas, top.free(self.pi_range))

    def settle(self, kappas: Array, edf_tol: float) -> Array:
        """Climb to the maximum of the REML criterion by Newton steps of all smoothing parameters together."""
        degrees = np.full(len(self.design.bases), np.inf)
        value = self.log_marginal(kappas)
        for _ in range(MOST_UPDATES):
            top = self.stand(kappas)
            covariance = top.covariance(self.pi_range)
            new_degrees = edf_by_term(self.design, covariance, top.curvature)
            if np.max(np.abs(new_degrees - degrees), initial=0.0) < CLOSER * edf_tol:
                break
            degrees = new_degrees
            move = _ascent(*reml_derivatives(self.design, top.beta, covariance, kappas))
            for _ in range(MOST_HALVINGS):
                new = np.clip(kappas * np.exp(move), *KAPPA_LIMITS)
                new_value = self.log_marginal(new)
                if new_value >= value:
                    kappas, value = new, new_value
                    break
                move = move / 4.0
        return kappas


def _ascent(gradient: Array, hessian: Array) -> Array:
    """Newton's step, turned uphill where the criterion is not concave, and none of its entries too long."""
    values, vectors = np.linalg.eigh(hessian)
    step = vectors @ ((vectors.T @ gradient) / np.maximum(np.abs(values), FLATTEST))
    return np.asarray(np.clip(step, -LONGEST_MOVE, LONGEST_MOVE))
