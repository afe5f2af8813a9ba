"""What smoothing adds to the uncertainty of the curves: its bias, and not knowing how much of it is right.

The covariance given the smoothing parameters is too small in two ways. Penalties of all terms flatten all curves
together, which no prior with independent curves counts: the estimated bias b = V P beta enters as b b'. And a smoothing
parameter is itself estimated: a term's covariance is averaged over what its marginal likelihood leaves
possible, which matters most for terms that were estimated as straight lines.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pugam.inference.covariance import bayesian_covariance
from pugam.linear_algebra import inverse
from pugam.solvers import Canonical, Evidence, PiRange, Settings, SmoothedFit, gather_evidence
from pugam.terms import Design

__all__ = ["bias_covariance", "curve_covariance", "smoothing_covariance", "widened"]

Array = NDArray[np.float64]

LARGEST_VARIANCE = 1e140
PER_DECADE = 2  # smoothing parameters averaged over
LEAST_BENDING = 1e-8  # effective degrees of freedom at the smoothest of them
ROUGHEST, FEWEST_DECADES = 30.0, 9  # at most: a thirtieth of the chosen one, or so many decades from the smoothest


def curve_covariance(fit: SmoothedFit, design: Design, settings: Settings, n0: float, n1: float) -> Array:
    """Covariance of beta = (logit pi, a, theta) that bands and odds ratios rest on: given smoothing, and what it adds.

    Smoothing parameters that were given count as known, and so does the one common to all terms that AIC chose.
    """
    return widened(bayesian_covariance(fit, n0, n1, settings.pi_range), fit, design, settings)


def widened(covariance: Array, fit: SmoothedFit, design: Design, settings: Settings) -> Array:
    """Add to a covariance of beta what smoothing does; of active constraints, all along the directions they leave."""
    pi_range, predictor = settings.pi_range, fit.optimum.layout.predictor
    covariance = covariance + bias_covariance(fit, pi_range)
    if isinstance(settings.smoothing, str) and settings.smoothing == "reml":
        evidence = gather_evidence(fit.penalized, fit.penalized.layout.free(share_fixed=pi_range.fixed))
        added = smoothing_covariance(evidence, design, fit.kappas)
        covariance[predictor, predictor] += _with_intercept(added, fit)
    return _bounded(covariance)


def _bounded(covariance: Array) -> Array:
    """Keep squares of variances finite, where rows tell nothing at all about curves because classes separate."""
    largest = float(np.abs(covariance).max())
    return covariance if largest <= LARGEST_VARIANCE else covariance * (LARGEST_VARIANCE / largest)


def _with_intercept(added: Array, fit: SmoothedFit) -> Array:
    """Let the intercept follow the curves, shape (1 + p, 1 + p).

    A curve is centred over its range. Where most rows lie in a small part of that, bending it elsewhere would move all
    of them, if the intercept did not make up for it, as in the likelihood it does.
    """
    hessian, intercept = fit.optimum.hessian, fit.optimum.layout.intercept
    followed_by = -hessian[intercept, fit.optimum.layout.coefficients] / hessian[intercept, intercept]
    moved = fit.optimum.layout.join_predictor(followed_by, np.eye(len(added))).T
    followed: Array = moved @ added @ moved.T
    return followed


def bias_covariance(fit: SmoothedFit, pi_range: PiRange) -> Array:
    """Return b b' for the estimated bias b that smoothing leaves in beta = (logit pi, a, theta).

    Where pi was corrected for its bias, the bias of the others is that at known pi.
    """
    layout = fit.optimum.layout
    covariance = inverse(fit.optimum.hessian, fit.optimum.directions(share_fixed=fit.debiased or pi_range.fixed))
    penalty = layout.with_share(fit.optimum.curvature, 0.0)
    bias = covariance @ (penalty * fit.optimum.beta)
    return np.outer(bias, bias)


def smoothing_covariance(evidence: Evidence, design: Design, kappas: Array) -> Array:
    """Return what averaging over smoothing parameters adds to the covariance of theta, shape (p, p)."""
    added = np.zeros((design.n_columns, design.n_columns))
    # How strong the penalties of a term are is taken to be open, not how they compare.
    penalty = design.penalty(kappas)
    for block in design.blocks:
        columns = np.arange(design.n_columns)[block]
        term = evidence.canonical(columns, penalty[block], on_face=True)
        if term.bending.any():
            added[np.ix_(columns, columns)] = _positive_part(_averaged(term))
    return added


def _averaged(term: Canonical) -> Array:
    """Average covariance and squared shift over multiples of the smoothing parameters, less the covariance at these."""
    ratios = np.where(term.bending, term.ratios, 0.0)
    kappas = _possible_kappas(ratios[term.bending])
    shares = 1.0 / (1.0 + kappas[:, None] * ratios)
    shares_here = 1.0 / (1.0 + ratios)
    logs = term.log_marginal(kappas)
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    shifts = (shares - shares_here) * term.z
    spread = np.diag(weights @ shares - shares_here) + (shifts * weights[:, None]).T @ shifts
    extra: Array = term.transform @ spread @ term.transform.T
    return extra


def _possible_kappas(ratios: Array) -> Array:
    smoothest = float(np.sum(1.0 / ratios)) / LEAST_BENDING
    roughest = min(1.0 / ROUGHEST, smoothest * 10.0**-FEWEST_DECADES)
    n_values = 1 + round(PER_DECADE * np.log10(smoothest / roughest))
    return np.geomspace(roughest, smoothest, n_values)


def _positive_part(matrix: Array) -> Array:
    values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    positive: Array = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return positive
