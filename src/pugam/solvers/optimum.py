"""What a solver returns: the point where a climb ended, and how it was reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from pugam.solvers.standpoint import Standpoint

__all__ = ["Optimum", "best_of"]


@dataclass(frozen=True)
class Optimum(Standpoint):
    """Where one start ended.

    Attributes
    ----------
    n_iter : int
    converged : bool
    history : tuple of float
        The objective after every accepted step, the start first; of a start that followed another one, its own steps.
    """

    n_iter: int
    converged: bool
    history: tuple[float, ...]

    @classmethod
    def at(cls, end: Standpoint, n_iter: int, converged: bool, history: Sequence[float]) -> Optimum:
        """Make an optimum of the point where a climb ended."""
        parts = {part.name: getattr(end, part.name) for part in fields(Standpoint)}
        return cls(**parts, n_iter=n_iter, converged=converged, history=tuple(history))


def best_of(optima: list[Optimum]) -> Optimum:
    """Return the optimum with the highest objective, the first of equals."""
    return max(optima, key=lambda optimum: optimum.value)
