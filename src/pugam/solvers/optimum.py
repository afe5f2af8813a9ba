"""What a solver returns: a point, its objective, and how it was reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.likelihood import expit
from pugam.solvers.objective import Standpoint

__all__ = ["Optimum", "best_of"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Optimum:
    """Where one start ended.

    Attributes
    ----------
    beta : array of shape (2 + p,)
        logit pi, intercept a, coefficients theta.
    value, loglik : float
        Penalised objective and profile log-likelihood.
    information : array of shape (2 + p, 2 + p)
        Information of the likelihood at beta: expected, or observed where a Newton finish ended the climb.
    curvature : array of shape (2 + p,)
        What penalty and prior add to its diagonal.
    n_iter : int
    converged : bool
    history : tuple of float
        The objective after every accepted step, the start first.
    """

    beta: Array
    value: float
    loglik: float
    information: Array
    curvature: Array
    n_iter: int
    converged: bool
    history: tuple[float, ...]

    @classmethod
    def at(cls, end: Standpoint, n_iter: int, converged: bool, history: Sequence[float]) -> Optimum:
        """Make an optimum of the point where a climb ended."""
        return cls(end.beta, end.value, end.loglik, end.information, end.curvature, n_iter, converged, tuple(history))

    @property
    def pi(self) -> float:
        """The mixture proportion."""
        return float(expit(self.beta[0]))

    @property
    def hessian(self) -> Array:
        """Information plus the curvature of penalty and prior."""
        return self.information + np.diag(self.curvature)


def best_of(optima: list[Optimum]) -> Optimum:
    """Return the optimum with the highest objective, the first of equals."""
    return max(optima, key=lambda optimum: optimum.value)
