"""The last climb of a fit: to the optimum, and on until nothing is left to gain but rounding.

Climbs that begin elsewhere, or sum the same rows in another order, stop at different places within the tolerance.
Newton steps take them to the same one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pugam.solvers.objective import Objective
from pugam.solvers.optimum import Optimum
from pugam.solvers.pi import PiRange
from pugam.solvers.settings import Settings
from pugam.solvers.standpoint import Standpoint
from pugam.solvers.steps import bounded_step, bounded_steps, least_value, slack
from pugam.solvers.tuning import TUNING

__all__ = ["reach_summit"]

Array = NDArray[np.float64]


def reach_summit(
    objective: Objective, start: Array, pi_range: PiRange, settings: Settings, seen: Standpoint | None = None
) -> tuple[Optimum, Array]:
    """Climb to the optimum; return it with the expected information there, and the observed information.

    From nearby, Newton steps are the whole climb. Where it is known how the start is `seen` with expected information,
    they begin one step further on, which takes no pass.
    """
    by_newton = settings.solver == "newton"
    path = _newton_path(objective, start, pi_range, settings.max_iter, seen) if by_newton else []
    if path:
        return _summit(objective, path[-1], len(path) - 1, True, [here.value for here in path])
    found = settings.maximize(objective, start[None], pi_range, settings.tol, settings.max_iter)[0]
    path = _newton_path(objective, found.beta, pi_range, TUNING.last_steps) if found.converged and by_newton else []
    (end,) = path[-1:] or objective.stand([found.beta], observed=True)
    return _summit(objective, end, found.n_iter, found.converged, found.history)


def _summit(
    objective: Objective, here: Standpoint, n_iter: int, converged: bool, history: Sequence[float]
) -> tuple[Optimum, Array]:
    (expected,) = objective.stand([here.beta])
    return Optimum.at(expected, n_iter, converged, history), here.information


def _newton_path(
    objective: Objective, start: Array, pi_range: PiRange, most: int, seen: Standpoint | None = None
) -> list[Standpoint]:
    """Take Newton steps as long as each leaves less to gain; empty where they begin too far away, or lead nowhere."""
    lowest = -np.inf
    if seen is not None:
        step = bounded_step(seen, pi_range)
        start, lowest = start + step.move, float(least_value(seen.value, step.gain))
    (here,) = objective.stand([start], observed=True)
    (following,) = bounded_steps([here], pi_range, [0.0])
    if here.value < lowest or following is None or not following.gain < TUNING.near:
        return []
    path, step = [here], following
    for _ in range(min(most, TUNING.last_steps)):
        if step.gain < TUNING.nothing:
            break
        (trial,) = objective.stand([here.beta + step.move], observed=True)
        (following,) = bounded_steps([trial], pi_range, [0.0])
        if trial.value < here.value - slack(here.value) or following is None or not following.gain < step.gain:
            break
        here, step = trial, following
        path.append(here)
    return path if step.gain < TUNING.next_to_nothing else []
