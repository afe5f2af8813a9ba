"""Criteria for smoothing parameters: the Fellner-Schall step towards REML, degrees of freedom, AIC."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pugam.linear_algebra import Free, inverse, restrict
from pugam.solvers.optimum import Optimum
from pugam.solvers.priors import prior_at
from pugam.solvers.standpoint import Standpoint
from pugam.solvers.tuning import TUNING
from pugam.terms import Design

__all__ = [
    "LINEAR_GRID",
    "SMOOTH_GRID",
    "aic",
    "edf",
    "edf_by_column",
    "edf_by_term",
    "fellner_schall",
    "log_marginal",
]

Array = NDArray[np.float64]

LINEAR_GRID = tuple(10.0**power for power in range(4, -2, -1))  # the paper's Setting 1, smoothest first
SMOOTH_GRID = tuple(10.0**power for power in range(-1, -7, -1))  # its Settings 2 and 3


def fellner_schall(design: Design, here: Standpoint, covariance: Array, kappas: Array) -> Array:
    """Return the next smoothing parameters by the generalized Fellner-Schall update (Wood and Fasiolo 2017).

        kappa_j <- kappa_j (tr(P^- S_j) - tr(V S_j)) / (theta' S_j theta),    P = 2 sum_j kappa_j S_j

    For a penalty that shares no coefficient with others, tr(P^- S_j) is its rank divided by 2 kappa_j. Where
    constraints are active, all this is meant along the directions left; a penalty without a part in them stays.

    Parameters
    ----------
    design : Design
    here : Standpoint
        At, or near, the penalised optimum for `kappas`.
    covariance : array of shape (q, q)
        V, the inverse of the penalised information there.
    kappas : array of shape (n_penalties,)
    """
    variances = covariance.diagonal()[design.layout.coefficients]
    given = design.roughness @ prior_at(design, here, kappas).variances
    room = given - design.roughness @ variances
    bending = design.roughness @ here.theta**2
    factors = np.clip(room / np.maximum(bending, 1e-300), 1.0 / TUNING.largest_factor, TUNING.largest_factor)
    return np.asarray(np.where(given > 0.0, np.clip(kappas * factors, *TUNING.kappa_limits), kappas))


def log_marginal(design: Design, here: Standpoint, kappas: Array, free: Free = slice(None)) -> float:
    """The REML criterion: log-likelihood of the smoothing parameters, by Laplace's approximation, up to a constant."""
    _, log_determinant = np.linalg.slogdet(restrict(here.hessian, free))
    if not isinstance(free, slice):
        log_determinant -= np.linalg.slogdet(free.T @ free)[1]
    return here.value + 0.5 * prior_at(design, here, kappas).log_determinant - 0.5 * float(log_determinant)


def edf_by_column(design: Design, here: Standpoint, covariance: Array) -> Array:
    """Effective degrees of freedom of each coefficient: its part of tr(V I), with V = (I + P)^-1 for a diagonal P.

    Where constraints are active, V is the covariance along the directions left.
    """
    inside = design.layout.coefficients
    if len(here.active_constraints):
        return np.asarray(np.sum(covariance * here.information, axis=1)[inside])
    return np.asarray(1.0 - covariance.diagonal()[inside] * here.curvature[inside])


def edf_by_term(design: Design, here: Standpoint, covariance: Array) -> Array:
    """Effective degrees of freedom of each term."""
    degrees = edf_by_column(design, here, covariance)
    return np.array([degrees[block].sum() for block in design.blocks])


def edf(optimum: Optimum, free: Free = slice(None)) -> float:
    """Effective degrees of freedom of the free parameters, pi included unless it is fixed."""
    return float(np.sum(inverse(optimum.hessian, free) * optimum.information))


def aic(optimum: Optimum, free: Free = slice(None)) -> float:
    """Akaike's criterion of a penalised fit: -2 loglik + 2 edf."""
    return -2.0 * optimum.loglik + 2.0 * edf(optimum, free)
