"""The last climb of a fit: to the optimum, and on until nothing is left to gain but rounding.

Climbs that begin elsewhere, or sum the same rows in another order, stop at different places within the tolerance.
Newton steps take them to the same one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pugam.solvers.objective import Objective
from pugam.solvers.optimum import Optimum
from pugam.solvers.pi import PiRange
from pugam.solvers.settings import Settings
from pugam.solvers.standpoint import Standpoint
from pugam.solvers.steps import bounded_steps
from pugam.solvers.tuning import TUNING

__all__ = ["reach_summit"]

Array = NDArray[np.float64]


def reach_summit(objective: Objective, start: Array, pi_range: PiRange, settings: Settings) -> tuple[Optimum, Array]:
    """Climb to the optimum; return it with the expected information there, and the observed information."""
    found = settings.maximize(objective, start[None], pi_range, settings.tol, settings.max_iter)[0]
    (here,) = objective.stand([found.beta], observed=True)
    if found.converged and settings.solver == "newton":
        here = _settle(objective, here, pi_range, settings.tol)
    (expected,) = objective.stand([here.beta])
    return Optimum.at(expected, found.n_iter, found.converged, found.history), here.information


def _settle(objective: Objective, here: Standpoint, pi_range: PiRange, tol: float) -> Standpoint:
    """Take Newton steps, as long as each leaves less to gain than the one before."""
    few = objective.engine.n_rows <= TUNING.dear_rows
    least = TUNING.nothing if few else TUNING.little_gain * tol
    (step,) = bounded_steps([here], pi_range, [0.0])
    for _ in range(TUNING.last_steps):
        if step is None or step.gain < least:
            break
        (trial,) = objective.stand([here.beta + step.move], observed=True)
        (following,) = bounded_steps([trial], pi_range, [0.0])
        if following is None or not following.gain < step.gain:
            break
        here, step = trial, following
    return here
