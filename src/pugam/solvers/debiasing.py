"""The bias that smoothing brings on pi, and how most of it is taken out, for one optimum or for many."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pugam.layout import Layout
from pugam.likelihood import expit
from pugam.linear_algebra import solve_definite
from pugam.solvers.fits import SmoothedFit
from pugam.solvers.objective import Objective
from pugam.solvers.optimum import Optimum
from pugam.solvers.pi import PiRange
from pugam.solvers.settings import Settings
from pugam.solvers.summit import reach_summit
from pugam.solvers.tuning import TUNING

__all__ = ["correct_bias", "correction_weights", "debiased_logits"]

Array = NDArray[np.float64]
Multiply = Callable[[Array], Array]  # brings vectors along the last axis to their products with V


def correct_bias(fit: SmoothedFit, objective: Objective, settings: Settings) -> SmoothedFit:
    """Step from the penalised towards the unpenalised optimum in pi alone, then refit the rest."""
    optimum, pi_range = fit.penalized, settings.pi_range
    if not pi_range.is_inside(optimum.pi) or not objective.penalty.any():
        return fit
    covariance = optimum.covariance(pi_range)
    logits = debiased_logits(optimum.layout, optimum.beta, objective.penalty, lambda rhs: rhs @ covariance, pi_range)
    start = _followed(optimum, fit.observed, float(logits))
    near = start is not None
    if start is None:
        start = optimum.layout.with_share(optimum.beta, float(logits))
    pi = float(expit(start[optimum.layout.share]))
    refit = reach_summit(objective, start, PiRange(pi, pi), settings, near)
    return replace(fit, optimum=refit, debiased=True)


def _followed(optimum: Optimum, information: Array, logit_pi: float) -> Array | None:
    """Where everything else goes, to first order, when pi moves: the refit then ends where it would from anywhere.

    Further away than the limits, and where the observed information is indefinite, the tangent is no guide: None. With
    constraints it may lead out of their cone.
    """
    layout, hessian = optimum.layout, information + np.diag(optimum.curvature)
    predictor, shift = layout.predictor, logit_pi - optimum.logit_pi
    followed = solve_definite(hessian[predictor, predictor], -shift * hessian[predictor, layout.share])
    if followed is None or len(optimum.constraints):
        return None
    is_near = abs(followed[layout.of_predictors.intercept]) < TUNING.longest_following
    if not is_near or np.abs(followed).max() >= TUNING.farthest_following:
        return None
    start = layout.with_share(optimum.beta, logit_pi)
    start[predictor] += followed
    return start


def debiased_logits(layout: Layout, beta: Array, penalty: Array, multiply: Multiply, pi_range: PiRange) -> Array:
    """Return logit pi without most of the bias that smoothing the curves brings on it.

    With V the inverse of the penalised information and P the penalty, the bias of beta^ is about -V P beta, and beta^
    stands in for beta; what that leaves is corrected in the same way: beta~ = (1 + V P + (V P)^2) beta^. Only its share
    is wanted. A penalised optimum on the boundary of the range of pi stays there.

    Parameters
    ----------
    beta : array of shape (q,) or (B, q)
        Penalised optima.
    penalty : array of shape (p,)
        Diagonal of P over the coefficients.
    multiply : callable
        Multiplies vectors by V, each by that of its optimum.
    """
    logits = beta[..., layout.share]
    weights = correction_weights(layout, layout.spread(penalty), multiply, beta.shape[:-1])
    corrected = np.clip(logits + np.sum(weights * beta, axis=-1), *pi_range.logits)
    return np.where(pi_range.are_inside(expit(logits)), corrected, logits)


def correction_weights(layout: Layout, penalty: Array, multiply: Multiply, batch: tuple[int, ...] = ()) -> Array:
    """Weights of beta^ in the correction of logit pi, the share's row of V P + (V P)^2: shape (*batch, q).

    The penalty is given for all parameters, shape (q,).
    """
    share = layout.with_share(np.zeros((*batch, layout.size)), 1.0)
    once = multiply(share) * penalty
    weights: Array = once + multiply(once) * penalty
    return weights
