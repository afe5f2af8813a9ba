"""Everything that decides a fit apart from the data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pugam.solvers.em import maximize_em
from pugam.solvers.fisher import maximize_fisher
from pugam.solvers.pi import PiPrior, PiRange
from pugam.solvers.starts import Maximize

__all__ = ["Settings"]

Array = NDArray[np.float64]
Solver = Literal["newton", "em"]

SOLVERS: dict[Solver, Maximize] = {"newton": maximize_fisher, "em": maximize_em}


@dataclass(frozen=True, eq=False)
class Settings:
    """Everything that decides a fit apart from the data.

    Attributes
    ----------
    smoothing : "reml", "aic" or array of shape (n_penalties,)
        How smoothing parameters are chosen, or their values.
    estimate : "marginal" or "mode"
        Whether pi is where the marginal likelihood is highest, or part of the penalised optimum.
    most_pairs : int
        How many interactions may be added where the evidence asks for them.
    grid : tuple of float
        The common values tried by "aic".
    """

    smoothing: Literal["reml", "aic"] | Array
    solver: Solver = "newton"
    n_starts: int = 12
    tol: float = 1e-4
    max_iter: int = 1000
    pi_range: PiRange = field(default_factory=PiRange)
    prior: PiPrior = field(default_factory=PiPrior)
    debias: bool = True
    estimate: Literal["marginal", "mode"] = "mode"
    most_pairs: int = 0
    grid: tuple[float, ...] = ()

    @property
    def maximize(self) -> Maximize:
        """The solver's climb."""
        return SOLVERS[self.solver]
