"""Standard errors without a bootstrap: from the penalised information, corrected for sampling given z."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pugam.likelihood import label_frequency
from pugam.solvers import Fit
from pugam.solvers.linear_algebra import inverse

__all__ = ["bayesian_covariance", "pi_log_variance"]

Array = NDArray[np.float64]


def bayesian_covariance(fit: Fit, n0: float, n1: float, free: slice = slice(None)) -> Array:
    """Covariance of beta = (logit pi, a, theta) given the smoothing parameters, shape (2 + p, 2 + p).

    The inverse V of the information with penalty and prior, less what it owes to treating the numbers n0 and n1 of
    labelled and unlabelled rows as random: (1/n0 + 1/n1) w w'. Zero for parameters that are not free.
    """
    covariance = inverse(fit.penalized.hessian, free)
    w = _labelling_response(fit, covariance, n0, n1)
    corrected: Array = covariance - (1.0 / n0 + 1.0 / n1) * np.outer(w, w)
    return corrected


def pi_log_variance(fit: Fit, n0: float, n1: float) -> float:
    """Variance of log pi-hat, of the bias-corrected estimate where there is one.

    With J = I plus the curvature of the prior, V = (J + P)^-1, A = V J and F = V J V, the corrected estimate moves by
    (2 - A) V times the score, so Cov = (2 - A) F (2 - A)' less (1/n0 + 1/n1) ((2 - A) w) ((2 - A) w)'.
    """
    optimum = fit.penalized
    covariance = inverse(optimum.hessian)
    w = _labelling_response(fit, covariance, n0, n1)
    variance, response = float(covariance[0, 0]), float(w[0])
    if fit.debiased:
        known = optimum.information.copy()
        known[0, 0] += optimum.curvature[0]
        shrinkage = covariance @ known
        row = -shrinkage[0]
        row[0] += 2.0
        variance, response = float(row @ (shrinkage @ covariance) @ row), float(row @ w)
    corrected = variance - (1.0 / n0 + 1.0 / n1) * response**2
    return (1.0 - fit.optimum.pi) ** 2 * max(corrected, 0.0)


def _labelling_response(fit: Fit, covariance: Array, n0: float, n1: float) -> Array:
    """How the estimate moves when the labelling rate does, and nothing else: w = V I v.

    Labels drawn at another rate shift the truth by v = (-1/(1 - pi), c, 0). Given n0 and n1 the score therefore varies
    less, by (1/n0 + 1/n1) (I v)(I v)'. Without prior, and with pi free, w = v.
    """
    optimum = fit.penalized
    c, _ = label_frequency(np.array(optimum.pi), n0, n1)
    direction = np.array([-1.0 / (1.0 - optimum.pi), float(c)])
    response: Array = covariance @ (optimum.information[:, :2] @ direction)
    return response
