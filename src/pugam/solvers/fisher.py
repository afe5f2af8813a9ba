"""Damped Fisher scoring with a Newton finish: many starts at once, one pass over the rows per iteration.

Far from an optimum the expected information, which is never indefinite, gives the step. Near one the observed
information takes over where it is positive definite: it converges quadratically where Fisher scoring may
swing to and fro. No accepted step lowers the objective.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.solvers.constraints import nearest
from pugam.solvers.damping import loosened, tightened
from pugam.solvers.objective import Objective
from pugam.solvers.optimum import Optimum
from pugam.solvers.pi import PiRange
from pugam.solvers.standpoint import Standpoint
from pugam.solvers.steps import Step, bounded_steps, least_value, slack, stays
from pugam.solvers.tuning import TUNING

__all__ = ["maximize_fisher"]

Array = NDArray[np.float64]
# Climbers' numbers, points, and whether the observed information is wanted.
Look = Callable[[list[int], list[Array], bool], list[Standpoint]]


@dataclass
class _Climber:
    """One start on its way up: where it stands and how it got there."""

    number: int
    here: Standpoint
    history: list[float]
    damping: float = 0.0
    growth: float = TUNING.first_growth
    n_iter: int = 0
    creeping: int = 0
    patience: float = np.inf
    converged: bool = False
    stuck: bool = False
    leader: _Climber | None = None

    @property
    def resting(self) -> bool:
        return self.converged or self.stuck or self.creeping >= self.patience or self.leader is not None

    def finish(self) -> Optimum:
        end = self
        while end.leader is not None:
            end = end.leader
        return Optimum.at(end.here, self.n_iter, end.converged, self.history)


def maximize_fisher(
    objective: Objective, starts: Array, pi_range: PiRange, tol: float, max_iter: int, patience: float = np.inf
) -> list[Optimum]:
    """Climb from every row of `starts`, shape (B, q).

    A start has converged when the quadratic model predicts a gain below `tol / 100` for a full step, however much the
    one taken is damped, and a relative change of pi below `tol`; that last step is still taken, unless it leads nowhere
    at once. With pi fixed its entry never moves. A start that comes close to another on the same hill is followed no
    further: it ends where that one ends. Nor is one that has crept for more Newton steps than `patience`: a step
    squares what is left to gain, unless matrices are next to singular. With proper priors creeping leads nowhere;
    without, curves may run off to infinity, and what hundreds of steps gain adds up.
    """

    def look(numbers: list[int], betas: list[Array], observed: bool) -> list[Standpoint]:
        return objective.of_climbs(numbers).stand(betas, observed)

    starts = np.array(starts, dtype=float)
    if not pi_range.fixed:
        share = objective.layout.share
        starts[:, share] = np.clip(starts[:, share], *pi_range.logits)
    starts = nearest(objective.constraints, starts)
    return _climb(look, starts, pi_range, tol, max_iter, patience)


def _climb(look: Look, starts: Array, pi_range: PiRange, tol: float, max_iter: int, patience: float) -> list[Optimum]:
    first = look(list(range(len(starts))), list(starts), False)
    climbers = [_Climber(number, here, [here.value], patience=patience) for number, here in enumerate(first)]
    for _ in range(max_iter):
        active = [climber for climber in climbers if not climber.resting]
        if not active:
            break
        steps = _steps(look, active, pi_range)
        for climber, step in zip(active, steps, strict=True):
            climber.converged = climber.n_iter == 0 and 0.0 <= step.gain < TUNING.little_gain * tol
        moving = [place for place, climber in enumerate(active) if not climber.resting]
        if not moving:
            break
        active, steps = [active[place] for place in moving], [steps[place] for place in moving]
        # The last step ends where the expected information is wanted, so that it need not be summed again.
        left = [_left_to_gain(climber, step.gain, pi_range, tol) for climber, step in zip(active, steps, strict=True)]
        wanted = [TUNING.little_gain * tol <= gain < TUNING.near for gain in left]
        trials = _look_around(look, active, steps, wanted)
        for climber, trial, step, full_gain in zip(active, trials, steps, left, strict=True):
            _accept_or_damp(climber, trial, step.gain, full_gain, tol)
        _join(climbers)
    return [climber.finish() for climber in climbers]


def _look_around(look: Look, climbers: list[_Climber], steps: list[Step], observed: list[bool]) -> list[Standpoint]:
    """See where each step would lead, those that want the same information in one pass."""
    seen: dict[int, Standpoint] = {}
    for kind in (False, True):
        chosen = [place for place, wanted in enumerate(observed) if wanted is kind]
        if chosen:
            numbers = [climbers[place].number for place in chosen]
            betas = [climbers[place].here.beta + steps[place].move for place in chosen]
            seen.update(zip(chosen, look(numbers, betas, kind), strict=True))
    return [seen[place] for place in range(len(climbers))]


def _steps(look: Look, climbers: list[_Climber], pi_range: PiRange) -> list[Step]:
    """Return each climber's damped step; where the observed information is indefinite, the expected one gives it."""
    steps = _damped_steps(climbers, pi_range)
    saddled = [place for place, step in enumerate(steps) if step is None]
    if saddled:
        numbers = [climbers[place].number for place in saddled]
        anew = look(numbers, [climbers[place].here.beta for place in saddled], False)
        for place, here in zip(saddled, anew, strict=True):
            climbers[place].here = here
        for place, step in zip(saddled, _damped_steps([climbers[place] for place in saddled], pi_range), strict=True):
            steps[place] = step
    return [step for step in steps if step is not None]


def _damped_steps(climbers: list[_Climber], pi_range: PiRange) -> list[Step | None]:
    points, dampings = [climber.here for climber in climbers], [climber.damping for climber in climbers]
    return bounded_steps(points, pi_range, dampings)


def _left_to_gain(climber: _Climber, predicted: float, pi_range: PiRange, tol: float) -> float:
    """What a full step promises, where the one to be taken promises next to nothing.

    A damped step is short along flat directions, however much there is to gain.
    """
    if climber.damping == 0.0 or predicted >= _little(climber.here, tol):
        return predicted
    (step,) = bounded_steps([climber.here], pi_range, [0.0])
    return np.inf if step is None else step.gain


def _little(here: Standpoint, tol: float) -> float:
    """A gain that is next to nothing, or no more than rounding."""
    return max(TUNING.little_gain * tol, float(slack(here.value)))


def _accept_or_damp(climber: _Climber, trial: Standpoint, predicted: float, full_gain: float, tol: float) -> None:
    climber.n_iter += 1
    here = climber.here
    if trial.value >= least_value(here.value, predicted):
        climber.converged = _is_settled(here, trial, full_gain, tol)
        climber.creeping = climber.creeping + 1 if here.observed and 0.0 <= full_gain < tol else 0
        if climber.damping > 0.0:
            climber.damping = float(loosened(climber.damping, trial.value - here.value, predicted))
        climber.growth = TUNING.first_growth
        climber.here = trial
        climber.history.append(trial.value)
    else:
        damping, climber.growth = tightened(climber.damping, climber.growth)
        climber.damping, climber.stuck = float(damping), bool(damping > TUNING.stuck_damping)
        climber.converged = climber.stuck and full_gain < _little(here, tol)


def _is_settled(here: Standpoint, trial: Standpoint, full_gain: float, tol: float) -> bool:
    """Whether next to nothing, or no more than rounding, was to be gained, and nothing was that nobody expected."""
    little = 0.0 <= full_gain < _little(here, tol)
    expected = trial.value - here.value <= tol + slack(here.value)
    return bool(little and expected and np.all(stays(here.shares, trial.shares, tol)))


def _join(climbers: list[_Climber]) -> None:
    """Let climbers follow a better one that is so near that both see the same quadratic hill."""
    near = [climber for climber in climbers if climber.here.observed or climber.converged]
    near = sorted((climber for climber in near if climber.leader is None), key=lambda climber: -climber.here.value)
    for number, climber in enumerate(near):
        if not climber.resting:
            leaders = (leader for leader in near[:number] if leader.leader is None and not leader.stuck)
            climber.leader = next((leader for leader in leaders if _on_one_hill(climber.here, leader.here)), None)


def _on_one_hill(here: Standpoint, top: Standpoint) -> bool:
    """Whether two points lie close to each other, under the same penalty."""
    coefficients = here.layout.coefficients
    if not np.array_equal(here.curvature[coefficients], top.curvature[coefficients]):
        return False
    apart = here.beta - top.beta
    shares = here.layout.shares
    if np.array_equal(here.beta[shares], top.beta[shares]):
        apart[shares] = 0.0  # also where pi is fixed at 0, whose logit is infinite
    distances = [apart @ end.information @ apart + end.curvature @ (apart * apart) for end in (here, top)]
    return bool(min(distances) >= 0.0 and max(distances) < TUNING.one_hill)
