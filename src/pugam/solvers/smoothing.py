"""Criteria for smoothing parameters: the Fellner-Schall step towards REML, degrees of freedom, AIC."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pugam.linear_algebra import inverse
from pugam.solvers.objective import Standpoint
from pugam.solvers.optimum import Optimum
from pugam.terms import Design

__all__ = [
    "KAPPA_LIMITS",
    "LINEAR_GRID",
    "SMOOTH_GRID",
    "aic",
    "edf",
    "edf_by_term",
    "fellner_schall",
    "log_marginal",
    "reml_derivatives",
]

Array = NDArray[np.float64]

LINEAR_GRID = tuple(10.0**power for power in range(4, -2, -1))  # the paper's Setting 1, smoothest first
SMOOTH_GRID = tuple(10.0**power for power in range(-1, -7, -1))  # its Settings 2 and 3

KAPPA_LIMITS = (1e-8, 1e8)
LARGEST_FACTOR = 1e3


def fellner_schall(design: Design, beta: Array, covariance: Array, kappas: Array) -> Array:
    """Return the next smoothing parameters by the generalized Fellner-Schall update (Wood and Fasiolo 2017).

        kappa_j <- kappa_j (r_j / (2 kappa_j) - tr(V_jj S_j)) / (theta_j' S_j theta_j)

    Parameters
    ----------
    design : Design
    beta : array of shape (2 + p,)
        At, or near, the penalised optimum for `kappas`.
    covariance : array of shape (2 + p, 2 + p)
        V, the inverse of the penalised information there.
    kappas : array of shape (n_terms,)
    """
    updated = kappas.copy()
    theta, variances = beta[2:], covariance.diagonal()[2:]
    for number in design.penalized:
        block = design.blocks[number]
        roughness = design.bases[number].roughness
        rank = np.count_nonzero(roughness)
        room = rank / (2.0 * kappas[number]) - float(variances[block] @ roughness)
        bending = float(theta[block] ** 2 @ roughness)
        factor = np.clip(room / max(bending, 1e-300), 1.0 / LARGEST_FACTOR, LARGEST_FACTOR)
        updated[number] = np.clip(kappas[number] * factor, *KAPPA_LIMITS)
    return updated


def log_marginal(design: Design, here: Standpoint, kappas: Array, free: slice = slice(None)) -> float:
    """The REML criterion: log-likelihood of the smoothing parameters, by Laplace's approximation, up to a constant."""
    ranks = np.array([np.count_nonzero(basis.roughness) for basis in design.bases])
    smooth = list(design.penalized)
    _, log_determinant = np.linalg.slogdet(here.hessian[free, free])
    return here.value + 0.5 * float(ranks[smooth] @ np.log(kappas[smooth])) - 0.5 * float(log_determinant)


def reml_derivatives(design: Design, beta: Array, covariance: Array, kappas: Array) -> tuple[Array, Array]:
    """Gradient and Hessian of the REML criterion in the logarithms of the smoothing parameters, for a parabola.

    With V the inverse of the penalised information, S_j the diagonal penalty of a term and r_j its rank,

        gradient_j = r_j / 2 - kappa_j (theta' S_j theta + tr(V S_j))
        Hessian_ij = 4 kappa_i kappa_j theta' S_i V S_j theta + 2 kappa_i kappa_j tr(V S_i V S_j)
                     - [i = j] kappa_j (theta' S_j theta + tr(V S_j)).

    Entries of terms without a penalty are zero.
    """
    theta, V = beta[2:], covariance[2:, 2:]
    scaled = np.repeat(kappas, design.sizes) * design.roughness  # kappa_j S_j, all terms side by side
    starts = [block.start for block in design.blocks]
    parts = np.add.reduceat(scaled * (theta * theta + V.diagonal()), starts)
    bent = scaled * theta
    products = 4.0 * np.outer(bent, bent) * V + 2.0 * np.outer(scaled, scaled) * V * V
    hessian = np.add.reduceat(np.add.reduceat(products, starts, axis=0), starts, axis=1) - np.diag(parts)
    ranks = np.add.reduceat((design.roughness > 0.0).astype(float), starts)
    return 0.5 * ranks - parts, hessian


def edf_by_term(design: Design, covariance: Array, curvature: Array) -> Array:
    """Effective degrees of freedom of each term: its part of tr((I + P)^-1 I), for a diagonal P."""
    shrunk = covariance.diagonal()[2:] * curvature[2:]
    return np.array([size - shrunk[block].sum() for size, block in zip(design.sizes, design.blocks, strict=True)])


def edf(optimum: Optimum, free: slice = slice(None)) -> float:
    """Effective degrees of freedom of the free parameters, pi included unless it is fixed."""
    return float(np.sum(inverse(optimum.hessian, free) * optimum.information))


def aic(optimum: Optimum, free: slice = slice(None)) -> float:
    """Akaike's criterion of a penalised fit: -2 loglik + 2 edf."""
    return -2.0 * optimum.loglik + 2.0 * edf(optimum, free)
