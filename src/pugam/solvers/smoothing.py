"""Criteria for smoothing parameters: the Fellner-Schall step towards REML, degrees of freedom, AIC."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pugam.linear_algebra import inverse
from pugam.solvers.optimum import Optimum
from pugam.solvers.standpoint import Standpoint
from pugam.terms import Design

__all__ = [
    "KAPPA_LIMITS",
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

KAPPA_LIMITS = (1e-8, 1e8)
LARGEST_FACTOR = 1e3


def fellner_schall(design: Design, beta: Array, covariance: Array, kappas: Array) -> Array:
    """Return the next smoothing parameters by the generalized Fellner-Schall update (Wood and Fasiolo 2017).

        kappa_j <- kappa_j (tr(P^- S_j) - tr(V S_j)) / (theta' S_j theta),    P = 2 sum_j kappa_j S_j

    For a penalty that shares no coefficient with others, tr(P^- S_j) is its rank divided by 2 kappa_j.

    Parameters
    ----------
    design : Design
    beta : array of shape (q,)
        At, or near, the penalised optimum for `kappas`.
    covariance : array of shape (q, q)
        V, the inverse of the penalised information there.
    kappas : array of shape (n_penalties,)
    """
    theta = beta[design.layout.coefficients]
    variances = covariance.diagonal()[design.layout.coefficients]
    room = design.roughness @ _pseudo_inverse(design.penalty(kappas)) - design.roughness @ variances
    bending = design.roughness @ theta**2
    factors = np.clip(room / np.maximum(bending, 1e-300), 1.0 / LARGEST_FACTOR, LARGEST_FACTOR)
    return np.asarray(np.clip(kappas * factors, *KAPPA_LIMITS))


def log_marginal(design: Design, here: Standpoint, kappas: Array, free: slice = slice(None)) -> float:
    """The REML criterion: log-likelihood of the smoothing parameters, by Laplace's approximation, up to a constant."""
    penalty = design.penalty(kappas)[design.is_penalized]
    _, log_determinant = np.linalg.slogdet(here.hessian[free, free])
    return here.value + 0.5 * float(np.sum(np.log(penalty))) - 0.5 * float(log_determinant)


def _pseudo_inverse(diagonal: Array) -> Array:
    return np.divide(1.0, diagonal, out=np.zeros_like(diagonal), where=diagonal > 0.0)


def edf_by_column(design: Design, covariance: Array, curvature: Array) -> Array:
    """Effective degrees of freedom of each coefficient: its part of tr((I + P)^-1 I), for a diagonal P."""
    inside = design.layout.coefficients
    return np.asarray(1.0 - covariance.diagonal()[inside] * curvature[inside])


def edf_by_term(design: Design, covariance: Array, curvature: Array) -> Array:
    """Effective degrees of freedom of each term."""
    degrees = edf_by_column(design, covariance, curvature)
    return np.array([degrees[block].sum() for block in design.blocks])


def edf(optimum: Optimum, free: slice = slice(None)) -> float:
    """Effective degrees of freedom of the free parameters, pi included unless it is fixed."""
    return float(np.sum(inverse(optimum.hessian, free) * optimum.information))


def aic(optimum: Optimum, free: slice = slice(None)) -> float:
    """Akaike's criterion of a penalised fit: -2 loglik + 2 edf."""
    return -2.0 * optimum.loglik + 2.0 * edf(optimum, free)
