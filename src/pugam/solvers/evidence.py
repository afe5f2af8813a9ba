"""What the data say about some of the coefficients, apart from their own penalty.

Near the optimum the likelihood of a block theta of coefficients, all others following, is that of an observation
h ~ N(W theta, W): W is the block's information and h its score at zero. The choice of smoothing, what is uncertain
about it, and tests rest on it. In coordinates in which W is the identity and the penalty a diagonal q,

    theta = T y,    z = T' h ~ N(y, 1),    and the penalised estimate is y = z / (1 + q).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.solvers.linear_algebra import inverse
from pugam.solvers.objective import Standpoint

__all__ = ["Canonical", "Evidence", "gather_evidence"]

Array = NDArray[np.float64]
Numbers = NDArray[np.intp]

LARGEST_RATIO = 1e4  # of penalty to information: beyond it the penalty would drown what the likelihood says
STRAIGHT = 1e-9  # a direction so little penalised, compared with the most penalised one, is not penalised at all
SMALLEST_INFORMATION = 1e-10  # relative; below it a direction is taken for one the data say nothing about


@dataclass(frozen=True)
class Canonical:
    """A block in coordinates in which its information is the identity and its penalty diagonal.

    Attributes
    ----------
    transform : array of shape (m, r)
        T: theta = T y.
    z : array of shape (r,)
        What the data say: standard normal around y.
    ratios : array of shape (r,)
        Penalty in units of information, smallest first.
    """

    transform: Array
    z: Array
    ratios: Array

    @property
    def shares(self) -> Array:
        """Share of each direction that the penalty leaves; their sum are the effective degrees of freedom."""
        return 1.0 / (1.0 + self.ratios)

    @property
    def bending(self) -> NDArray[np.bool_]:
        """Which directions are penalised at all."""
        return np.asarray(self.ratios > STRAIGHT * self.ratios.max(initial=0.0))

    def log_marginal(self, kappas: Array) -> Array:
        """Log marginal likelihood, up to a constant, of smoothing parameters that multiply the penalty."""
        ratios = self.ratios[self.bending]
        shares = 1.0 / (1.0 + kappas[:, None] * ratios)
        fit: Array = np.sum(np.log(kappas[:, None] * shares) + shares * self.z[self.bending] ** 2, axis=1)
        return 0.5 * fit


@dataclass(frozen=True)
class Evidence:
    """Information W and score h at zero of blocks of theta, at a penalised optimum.

    Attributes
    ----------
    theta, penalty : arrays of shape (p,)
        The penalised estimate, and the diagonal Hessian of the penalty.
    """

    theta: Array
    penalty: Array
    _covariance: Array
    _held_by: Array

    def information(self, block: Numbers) -> Array:
        """W of the coefficients with these numbers: their information when all others follow."""
        matrix = inverse(self._covariance[np.ix_(block, block)]) - np.diag(self._held_by[block])
        return 0.5 * (matrix + matrix.T)

    def canonical(self, block: Numbers, penalty: Array | None = None) -> Canonical:
        """Bring a block to canonical coordinates, for its own penalty or another one, shape (m,)."""
        information = self.information(block)
        # At the optimum the likelihood's score of the block is what the penalty takes: P theta.
        h = information @ self.theta[block] + self.penalty[block] * self.theta[block]
        scale = 1.0 / np.sqrt(np.maximum(information.diagonal(), np.finfo(float).tiny))
        values, vectors = np.linalg.eigh(information * scale * scale[:, None])
        kept = values > SMALLEST_INFORMATION * max(values[-1], 0.0)
        whiten = (scale[:, None] * vectors[:, kept]) / np.sqrt(values[kept])
        shrinking = self.penalty[block] if penalty is None else penalty
        ratios, rotation = np.linalg.eigh(whiten.T @ (shrinking[:, None] * whiten))
        transform = whiten @ rotation
        return Canonical(transform, transform.T @ h, np.maximum(ratios, 0.0))


def gather_evidence(optimum: Standpoint, free: slice) -> Evidence:
    """Prepare the evidence on theta at a penalised optimum, from its expected information."""
    most = LARGEST_RATIO * np.maximum(optimum.information.diagonal(), np.finfo(float).tiny)
    held_by = np.minimum(optimum.curvature, most)
    covariance = inverse(optimum.information + np.diag(held_by), free)
    return Evidence(optimum.beta[2:], optimum.curvature[2:], covariance[2:, 2:], held_by[2:])
