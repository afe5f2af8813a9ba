"""Standard errors without a bootstrap: from the penalised information, corrected for sampling given z."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pugam.likelihood import label_frequency
from pugam.solvers import Fit
from pugam.solvers.linear_algebra import inverse

__all__ = ["bayesian_covariance", "pi_log_variance"]

Array = NDArray[np.float64]


def bayesian_covariance(fit: Fit, n0: float, n1: float, free_pi: bool) -> Array:
    """Covariance of beta = (logit pi, a, theta) given the smoothing parameters, shape (2 + p, 2 + p).

    The inverse of the penalised information, less what it owes to treating the numbers n0 and n1 of labelled and
    unlabelled rows as random: (1/n0 + 1/n1) v v', with v = (-1/(1 - pi), c, 0). What a prior on pi adds comes after
    that correction. Zero for pi where it is fixed.
    """
    optimum = fit.penalized
    covariance = np.zeros_like(optimum.information)
    if not free_pi:
        covariance[1:, 1:] = inverse(optimum.hessian[1:, 1:])
        return covariance
    covariance = inverse(optimum.hessian_without_prior)
    direction = _label_direction(optimum.pi, n0, n1)
    covariance[:2, :2] -= (1.0 / n0 + 1.0 / n1) * np.outer(direction, direction)
    prior = optimum.curvature[0]
    shrinkage: Array = np.outer(covariance[0], covariance[0]) * (prior / (1.0 + prior * covariance[0, 0]))
    return covariance - shrinkage


def pi_log_variance(fit: Fit, n0: float, n1: float) -> float:
    """Variance of log pi-hat, of the bias-corrected estimate where there is one.

    With V = (I + P)^-1, A = V I and F = V I V, the corrected estimate has Cov = (2 - A) F (2 - A)'; on the log
    scale the correction for sampling given z is exactly 1/n0 + 1/n1. The precision of a prior is added at the end.
    """
    optimum, pi = fit.penalized, fit.optimum.pi
    inverse_hessian = inverse(optimum.hessian_without_prior)
    variance = float(inverse_hessian[0, 0])
    if fit.debiased:
        shrinkage = inverse_hessian @ optimum.information
        row = -shrinkage[0]
        row[0] += 2.0
        variance = float(row @ (shrinkage @ inverse_hessian) @ row)
    log_variance = max((1.0 - pi) ** 2 * variance - 1.0 / n0 - 1.0 / n1, 0.0)
    prior = float(optimum.curvature[0]) / (1.0 - pi) ** 2
    return log_variance / (1.0 + prior * log_variance)


def _label_direction(pi: float, n0: float, n1: float) -> Array:
    """How (logit pi, a) move with the labelling rate when nothing else changes."""
    c, _ = label_frequency(np.array(pi), n0, n1)
    return np.array([-1.0 / (1.0 - pi), float(c)])
