"""The normal prior on the coefficients that smoothing stands for, also on a face of the constraints."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space

from pugam.solvers.standpoint import Standpoint
from pugam.solvers.tuning import TUNING
from pugam.terms import Design

__all__ = ["Prior", "prior_at"]

Array = NDArray[np.float64]


class Prior(NamedTuple):
    """A normal prior with the penalty as its precision, flat where nothing is penalised.

    Where constraints are active, it is that of the penalty along the directions left.

    Attributes
    ----------
    variances : array of shape (p,)
        Diagonal of P^-, the pseudo-inverse of the penalty; zero where nothing is penalised.
    log_determinant : float
        Of the precision, flat directions left out.
    """

    variances: Array
    log_determinant: float


def prior_at(design: Design, here: Standpoint, kappas: Array) -> Prior:
    """The prior of given smoothing parameters, on the face of the constraints that are active at a point."""
    penalty = design.penalty(kappas)
    variances = np.divide(1.0, penalty, out=np.zeros_like(penalty), where=penalty > 0.0)
    logarithms = np.log(penalty[penalty > 0.0])
    rows = here.active_constraints[:, here.layout.coefficients]
    for block in design.blocks if len(rows) else ():
        own = rows[rows[:, block].any(axis=1), block]
        if len(own):
            inside = penalty[block]
            variances[block], added = _on_face(inside, own)
            logarithms = np.append(logarithms, [added, -np.sum(np.log(inside[inside > 0.0]))])
    return Prior(variances, float(np.sum(logarithms)))


def _on_face(penalty: Array, rows: Array) -> tuple[Array, float]:
    """Variances and log-determinant along the directions in which rows @ theta stays zero."""
    directions = null_space(rows)
    values, vectors = np.linalg.eigh(directions.T @ (penalty[:, None] * directions))
    kept = values > TUNING.flat_direction * penalty.max()
    spread = directions @ vectors[:, kept]
    return np.asarray(np.sum(spread**2 / values[kept], axis=1)), float(np.sum(np.log(values[kept])))
