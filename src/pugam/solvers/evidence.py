"""What the data say about some of the coefficients, apart from their own penalty.

Near the optimum the likelihood of a block theta of coefficients, all others following, is that of an observation
h ~ N(W theta, W): W is the block's information and h its score at zero. The choice of smoothing, what is uncertain
about it, and tests rest on it. In coordinates in which W is the identity and the penalty a diagonal q,

    theta = T y,    z = T' h ~ N(y, 1),    and the penalised estimate is y = z / (1 + q).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space

from pugam.linear_algebra import inverse
from pugam.solvers.constraints import free_directions
from pugam.solvers.standpoint import Standpoint
from pugam.solvers.tuning import TUNING

__all__ = ["Canonical", "Evidence", "gather_evidence"]

Array = NDArray[np.float64]
Numbers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
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
    bending : bool array of shape (r,)
        Which directions are penalised at all.
    """

    transform: Array
    z: Array
    ratios: Array
    bending: NDArray[np.bool_]

    @property
    def shares(self) -> Array:
        """Share of each direction that the penalty leaves; their sum are the effective degrees of freedom."""
        return 1.0 / (1.0 + self.ratios)

    def log_marginal(self, kappas: Array) -> Array:
        """Log marginal likelihood, up to a constant, of smoothing parameters that multiply the penalty."""
        ratios = self.ratios[self.bending]
        shares = 1.0 / (1.0 + kappas[:, None] * ratios)
        fit: Array = np.sum(np.log(kappas[:, None] * shares) + shares * self.z[self.bending] ** 2, axis=1)
        return 0.5 * fit


@dataclass(frozen=True, eq=False)
class Evidence:
    """Information W and score h at zero of blocks of theta, at a penalised optimum.

    Attributes
    ----------
    theta, penalty : arrays of shape (p,)
        The penalised estimate, and the diagonal Hessian of the penalty.
    likelihood, curvature : arrays of shape (q, q) and (q,)
        Information of all free parameters, and what penalty and prior add to its diagonal; theta comes last.
    gradient, active : arrays of shape (q,) and (c, q)
        Of the penalised objective, and the rows of the constraints that are active there. A block is looked at as if
        its own constraints were not there; others keep to theirs.
    """

    theta: Array
    penalty: Array
    likelihood: Array
    curvature: Array
    gradient: Array = field(default_factory=lambda: np.zeros(0))
    active: Array = field(default_factory=lambda: np.zeros((0, 0)))

    def information(self, block: Numbers) -> Array:
        """W of the coefficients with these numbers: their information when all others follow, under their penalties."""
        inside, others = self._split(block)
        across = self.likelihood[np.ix_(inside, others)]
        matrix: Array = self.likelihood[np.ix_(inside, inside)] - across @ self._covariance(inside, others) @ across.T
        return np.asarray(0.5 * (matrix + matrix.T))

    def _split(self, block: Numbers) -> tuple[Numbers, Numbers]:
        """Where the coefficients of a block stand among all parameters, and where the others do."""
        inside = len(self.curvature) - len(self.theta) + block
        return inside, np.setdiff1d(np.arange(len(self.curvature)), inside)

    def _covariance(self, inside: Numbers, others: Numbers) -> Array:
        """Covariance of the others, were the block known."""
        hessian = self.likelihood[np.ix_(others, others)] + np.diag(self.curvature[others])
        rows = self.active[~self.active[:, inside].any(axis=1)][:, others] if len(self.active) else self.active
        scale = 1.0 / np.sqrt(np.maximum(hessian.diagonal(), TUNING.smallest_information))
        return inverse(hessian, free_directions(rows, slice(None), scale) if len(rows) else slice(None))

    def _pull(self, block: Numbers) -> Array:
        """What would draw a block away from its estimate, were its constraints not there."""
        if len(self.active) == 0:
            return np.zeros(len(block))
        inside, others = self._split(block)
        followed = self._covariance(inside, others) @ self.gradient[others]
        return np.asarray(self.gradient[inside] - self.likelihood[np.ix_(inside, others)] @ followed)

    def _on_face(self, block: Numbers, penalty: Array) -> tuple[Array, Array] | None:
        """Directions in which the constraints on a block stay active, with a diagonal penalty, and that penalty."""
        inside, _ = self._split(block)
        own = self.active[:, inside][self.active[:, inside].any(axis=1)] if len(self.active) else self.active
        if len(own) == 0:
            return None
        directions = null_space(own)
        values, vectors = np.linalg.eigh(directions.T @ (penalty[:, None] * directions))
        return directions @ vectors, np.where(values > TUNING.no_information * penalty.max(), values, 0.0)

    def canonical(self, block: Numbers, penalty: Array | None = None, on_face: bool = False) -> Canonical:
        """Bring a block to canonical coordinates, for its own penalty or another one, shape (m,).

        With `on_face` only along the directions in which its active constraints stay so.
        """
        information = self.information(block)
        # At the optimum the likelihood's score of the block is what the penalty takes: P theta.
        h = information @ self.theta[block] + self.penalty[block] * self.theta[block] + self._pull(block)
        shrinking = self.penalty[block] if penalty is None else penalty
        face = self._on_face(block, shrinking) if on_face else None
        if face is None:
            return _canonical(information, h, shrinking)
        directions, along = face
        found = _canonical(directions.T @ information @ directions, directions.T @ h, along)
        return replace(found, transform=directions @ found.transform)


def _canonical(information: Array, h: Array, shrinking: Array) -> Canonical:
    """Find coordinates in which the information is the identity and the penalty, given by its diagonal, is diagonal.

    Directions are told apart by their share of information in W + t P, which has no weak ones: where functions look
    alike on the data, W alone is nearly singular.
    """
    balance = _balance(information.diagonal(), shrinking)
    whiten = _whiten(information + np.diag(balance * shrinking))
    shares, rotation = np.linalg.eigh(whiten.T @ information @ whiten)
    kept = np.flatnonzero(shares > TUNING.no_information)[::-1]
    shares = np.minimum(shares[kept], 1.0)
    transform = whiten @ rotation[:, kept] / np.sqrt(shares)
    ratios = np.sum(transform * (shrinking[:, None] * transform), axis=0)
    # The largest ratio is no measure of the others: about directions with hardly any information it is rounding.
    return Canonical(transform, transform.T @ h, ratios, bending=balance * ratios > TUNING.not_penalized)


def gather_evidence(optimum: Standpoint, free: slice) -> Evidence:
    """Prepare the evidence on theta at a penalised optimum, from its expected information."""
    coefficients = optimum.layout.coefficients
    return Evidence(
        optimum.theta,
        optimum.curvature[coefficients],
        optimum.information[free, free],
        optimum.curvature[free],
        optimum.gradient[free],
        optimum.active_constraints[:, free],
    )


def _balance(information: Array, penalty: Array) -> float:
    """A factor that brings the penalty to the size of the information."""
    both = (penalty > 0.0) & (information > 0.0)
    logs = np.log(information[both]) - np.log(penalty[both])  # a quotient of extremes is infinite
    return float(np.exp(np.mean(logs))) if both.any() else 1.0


def _whiten(matrix: Array) -> Array:
    """Columns that turn a positive semi-definite matrix into the identity, without its empty directions."""
    diagonal = np.maximum(matrix.diagonal(), 0.0)
    scale = np.divide(1.0, np.sqrt(diagonal), out=np.zeros_like(diagonal), where=diagonal > 0.0)
    values, vectors = np.linalg.eigh(matrix * scale * scale[:, None])
    kept = values > TUNING.no_information * values.max(initial=0.0)
    whitened: Array = scale[:, None] * vectors[:, kept] / np.sqrt(values[kept])
    return whitened
