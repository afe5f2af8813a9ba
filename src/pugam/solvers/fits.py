"""What a fit is: the parameters reported, the penalised optimum they came from, and all they were made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.solvers.adjustment import Adjustment
from pugam.solvers.exploring import StartRecord
from pugam.solvers.optimum import Optimum
from pugam.solvers.settings import Settings
from pugam.terms import Design

__all__ = ["Fit", "Fitted", "Shrinkage"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Shrinkage:
    """How curves were shrunken, and what rows held out made of them.

    Attributes
    ----------
    ridge : float
        Strength of the ridge on the columns, scaled to unit variance.
    adjustment : Adjustment
        Share of positives, intercept and steepness.
    """

    ridge: float
    adjustment: Adjustment


@dataclass(frozen=True)
class Fit:
    """A fitted model.

    Attributes
    ----------
    optimum, penalized : Optimum
        The parameters reported, and the penalised optimum, each with its expected information. They differ where the
        bias of pi was corrected and the curves refitted.
    observed : array of shape (q, q)
        The observed information at the penalised optimum.
    kappas : array of shape (n_penalties,)
    starts : tuple of StartRecord
    debiased : bool
        Whether the bias correction was applied.
    shrinkage : Shrinkage, optional
        Where a ridge shrank the curves: the parameters reported are then those of the penalised optimum, adjusted.
    """

    optimum: Optimum
    penalized: Optimum
    observed: Array
    kappas: Array
    starts: tuple[StartRecord, ...]
    debiased: bool
    shrinkage: Shrinkage | None = None

    @property
    def converged(self) -> bool:
        """Whether every climb that counts ended at its optimum."""
        return self.optimum.converged and self.penalized.converged


@dataclass(frozen=True)
class Fitted:
    """A fit together with all it was made from."""

    engine: Engine
    design: Design
    settings: Settings
    fit: Fit
