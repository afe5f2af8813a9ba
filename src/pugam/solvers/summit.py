"""The last climb of a fit: to the optimum, and on until nothing is left to gain but rounding.

Climbs that begin elsewhere, or sum the same rows in another order, stop at different places within the tolerance.
Newton steps take them to the same one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pugam.solvers.objective import Objective
from pugam.solvers.optimum import Optimum
from pugam.solvers.pi import PiRange
from pugam.solvers.settings import Settings
from pugam.solvers.standpoint import Standpoint
from pugam.solvers.steps import bounded_step, bounded_steps, least_value, slack
from pugam.solvers.tuning import TUNING

__all__ = ["newton_path", "reach_summit"]

Array = NDArray[np.float64]


def reach_summit(
    objective: Objective,
    start: Array,
    pi_range: PiRange,
    settings: Settings,
    near: bool = False,
    seen: Standpoint | None = None,
) -> Optimum:
    """Climb to the optimum; return it with the expected information there.

    From a start that is meant to be near, Newton steps are the whole climb if they lead there. Where it is known how it
    is `seen` with expected information, they begin one step further on, which takes no pass.
    """
    by_newton = settings.solver == "newton"
    path = newton_path(objective, start, pi_range, settings.max_iter, seen=seen) if by_newton and near else None
    if path is not None:
        return Optimum.at(_arrived(objective, path), len(path.values), True, path.values)
    found = settings.maximize(objective, start[None], pi_range, settings.tol, settings.max_iter)[0]
    if found.converged and by_newton:
        path = newton_path(objective, found.beta, pi_range, TUNING.last_steps)
    (here,) = objective.stand([found.beta]) if path is None else [_arrived(objective, path)]
    return Optimum.at(here, found.n_iter, found.converged, found.history)


def _arrived(objective: Objective, path: _Path) -> Standpoint:
    """Look around where a path ends; where its last step led down, stay where that began."""
    (here,) = objective.stand([path.end])
    if here.value >= path.values[-1] - slack(path.values[-1]):
        return here
    return objective.stand([path.last_seen.beta])[0]


class _Path(NamedTuple):
    """Where Newton steps end, from where the last one was taken, and the objective up to there."""

    end: Array
    last_seen: Standpoint
    values: list[float]


def newton_path(
    objective: Objective,
    start: Array,
    pi_range: PiRange,
    most: int,
    least: float = TUNING.little_left,
    seen: Standpoint | None = None,
) -> _Path | None:
    """Take Newton steps as long as each leaves less to gain; None where they begin too far away, or lead nowhere.

    What is left to gain is squared by each step: the first one that promises less than `least` is the last, and where
    it leads is not looked at.
    """
    lowest = -np.inf
    if seen is not None:
        step = bounded_step(seen, pi_range)
        start, lowest = start + step.move, float(least_value(seen.value, step.gain))
    (here,) = objective.stand([start], observed=True)
    (following,) = bounded_steps([here], pi_range, [0.0])
    if here.value < lowest or following is None or not following.gain < TUNING.near:
        return None
    step, values = following, [here.value]
    for _ in range(min(most, TUNING.last_steps) - 1):
        if step.gain < least:
            break
        (trial,) = objective.stand([here.beta + step.move], observed=True)
        (following,) = bounded_steps([trial], pi_range, [0.0])
        if trial.value < here.value - slack(here.value) or following is None or not following.gain < step.gain:
            return None
        here, step = trial, following
        values.append(here.value)
    if step.gain >= least:
        return None
    return _Path(here.beta if step.gain < TUNING.nothing else here.beta + step.move, here, values)
