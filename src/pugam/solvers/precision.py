"""How precise the estimate of pi is, and how all estimates move with the data, for a smoothed fit.

The penalised estimate moves with the score s of the likelihood by V s, V the inverse of the penalised information.
The numbers n0 and n1 of labelled and unlabelled rows are given, not random: so the score varies less than the
information I says, by (1/n0 + 1/n1)(I v)(I v)', where v is how the truth moves when only the labelling rate does. Where
rows were drawn by a survey, its clusters tell how much the score varies.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from pugam.likelihood import label_frequency
from pugam.linear_algebra import inverse, inverse_definite, restrict
from pugam.solvers.debiasing import correction_weights
from pugam.solvers.fits import SmoothedFit
from pugam.solvers.optimum import Optimum

__all__ = ["labelling_direction", "labelling_score", "movement", "pi_limits", "pi_log_variance"]

Array = NDArray[np.float64]

LEVEL = 0.95


def pi_limits(fit: SmoothedFit, n0: float, n1: float, limits: tuple[float, float]) -> tuple[float, float]:
    """Limits of a 95% interval for pi, symmetric on the log scale and within the limits given."""
    pi, half = fit.optimum.pi, float(ndtri(0.5 + LEVEL / 2.0)) * float(np.sqrt(pi_log_variance(fit, n0, n1)))
    with np.errstate(over="ignore"):
        return max(pi * float(np.exp(-half)), limits[0]), min(pi * float(np.exp(half)), limits[1])


def pi_log_variance(fit: SmoothedFit, n0: float, n1: float) -> float:
    """Variance of log pi-hat, of the bias-corrected estimate where there is one.

    The larger of two estimates, from the expected and from the observed information: each is the smaller one about as
    often as not, and then too small.
    """
    fits = [fit]
    observed = fit.observed + np.diag(fit.penalized.curvature)
    if inverse_definite(restrict(observed, fit.penalized.directions(share_fixed=False))) is not None:
        fits.append(replace(fit, penalized=replace(fit.penalized, information=fit.observed)))
    variance = max(_logit_variance(one, n0, n1) for one in fits)
    return (1.0 - fit.optimum.pi) ** 2 * max(variance, 0.0)


def _logit_variance(fit: SmoothedFit, n0: float, n1: float) -> float:
    """Variance of logit pi-hat, in which the prior on pi counts as if it were data.

    With J = I plus the prior's curvature, it is that of M J M' for a corrected estimate, of V for a penalised one, less
    the correction for sampling given z.
    """
    free, share = fit.penalized.directions(share_fixed=False), fit.penalized.layout.share
    covariance = inverse(fit.penalized.hessian, free)
    move = movement(fit, covariance)[share]
    if fit.survey is not None:
        added = fit.penalized.curvature.copy()
        if fit.debiased:  # the penalty moves a corrected estimate no more
            added[fit.penalized.layout.predictor] = 0.0
        return float(move @ fit.survey.score_variance @ move + added @ move**2)
    variance = float(covariance[share, share])
    if fit.debiased:
        known = fit.penalized.information.copy()
        known[share, share] += fit.penalized.curvature[share]
        variance = float(move @ known @ move)
    response = float(move @ labelling_score(fit.penalized, n0, n1))
    return variance - (1.0 / n0 + 1.0 / n1) * response**2


def movement(fit: SmoothedFit, covariance: Array) -> Array:
    """How the reported estimate moves with the score: M = V, or L V after the bias correction.

    The correction moves logit pi further, by `correction_weights` times what the penalised estimate does; the refit of
    the others follows pi along g, the share's column of V, divided by its diagonal entry.
    """
    if not fit.debiased:
        return covariance
    layout = fit.penalized.layout
    penalty, along = layout.with_share(fit.penalized.curvature, 0.0), covariance[:, layout.share]
    further = correction_weights(layout, penalty, lambda rhs: rhs @ covariance) @ covariance
    moved: Array = covariance + np.outer(along / along[layout.share], further)
    return moved


def labelling_score(optimum: Optimum, n0: float, n1: float) -> Array:
    """Return I v, the direction of the score that the numbers of labels fix."""
    score: Array = optimum.information @ labelling_direction(optimum, n0, n1)
    return score


def labelling_direction(optimum: Optimum, n0: float, n1: float) -> Array:
    """Return v = (-1/(1 - pi), c, 0), how the truth moves when only the labelling rate does."""
    c, _ = label_frequency(np.array(optimum.pi), n0, n1)
    return optimum.layout.join(-1.0 / (1.0 - optimum.pi), c, np.zeros_like(optimum.theta))
