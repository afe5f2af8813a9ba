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

from pugam.solvers.damping import FIRST_GROWTH, STUCK, loosened, tightened
from pugam.solvers.objective import Objective
from pugam.solvers.optimum import Optimum
from pugam.solvers.pi import PiRange
from pugam.solvers.standpoint import Standpoint
from pugam.solvers.steps import LITTLE_GAIN, bounded_steps, least_value, slack, stays

__all__ = ["maximize_fisher"]

Array = NDArray[np.float64]
# Climbers' numbers, points, whether the observed information is wanted, and values below which nothing is.
Look = Callable[[list[int], list[Array], bool, list[float] | None], list[Standpoint]]

NEAR = 0.5  # predicted gain in log-likelihood below which the observed information is tried
FAR_BEHIND, HOPEFUL_STEPS = 5.0, 20  # in log-likelihood, and as a multiple of the last gain
JOINING_DISTANCE = 0.05  # squared distance, in standard errors, at which two climbers are taken for one
# Of the tolerance: a start from which so little can be gained is the optimum. With many rows, where a pass is dear and
# a standard error small, what counts as converged elsewhere will do.
ALREADY_THERE, ALREADY_THERE_WITH_MANY, MANY_ROWS = 1e-4, 1e-2, 500_000


@dataclass
class _Climber:
    """One start on its way up: where it stands and how it got there."""

    number: int
    here: Standpoint
    history: list[float]
    damping: float = 0.0
    growth: float = FIRST_GROWTH
    n_iter: int = 0
    converged: bool = False
    stuck: bool = False
    leader: _Climber | None = None

    @property
    def resting(self) -> bool:
        return self.converged or self.stuck or self.leader is not None

    @property
    def last_gain(self) -> float:
        return self.history[-1] - self.history[-2] if len(self.history) > 1 else np.inf

    def finish(self) -> Optimum:
        end = self
        while end.leader is not None:
            end = end.leader
        return Optimum.at(end.here, self.n_iter, end.converged, self.history)


def maximize_fisher(objective: Objective, starts: Array, pi_range: PiRange, tol: float, max_iter: int) -> list[Optimum]:
    """Climb from every row of `starts`, shape (B, q).

    A start has converged when the quadratic model predicts a gain below `tol / 100` for a full step, however much the
    one taken is damped, and a relative change of pi below `tol`; that last step is still taken, unless it leads nowhere
    at once. With pi fixed its entry never moves. A start that comes close to another near the same optimum is not
    followed further and ends where that one ends; one that hardly gains while far below an optimum already found is
    given up, unconverged. Only climbs with the same penalty are so compared.
    """

    def look(numbers: list[int], betas: list[Array], observed: bool, floors: list[float] | None) -> list[Standpoint]:
        return objective.of_climbs(numbers).stand(betas, observed, floors)

    def after_each_pass(climbers: list[_Climber]) -> None:
        for companions in _on_one_landscape(climbers):
            _join(companions)
            _give_up(companions)

    there = (ALREADY_THERE_WITH_MANY if objective.engine.n_rows > MANY_ROWS else ALREADY_THERE) * tol
    starts = np.array(starts, dtype=float)
    if not pi_range.fixed:
        share = objective.layout.share
        starts[:, share] = np.clip(starts[:, share], *pi_range.logits)
    return _climb(look, starts, pi_range, tol, there, max_iter, after_each_pass)


def _climb(
    look: Look,
    starts: Array,
    pi_range: PiRange,
    tol: float,
    there: float,
    max_iter: int,
    after_each_pass: Callable[[list[_Climber]], None] | None = None,
) -> list[Optimum]:
    first = look(list(range(len(starts))), list(starts), False, None)
    climbers = [_Climber(number, here, [here.value]) for number, here in enumerate(first)]
    for _ in range(max_iter):
        active = [climber for climber in climbers if not climber.resting]
        if not active:
            break
        steps = _steps(look, active, pi_range)
        gains = [0.5 * float(climber.here.gradient @ step) for climber, step in zip(active, steps, strict=True)]
        for climber, gain in zip(active, gains, strict=True):
            climber.converged = climber.n_iter == 0 and 0.0 <= gain < there
        moving = [place for place, climber in enumerate(active) if not climber.resting]
        if not moving:
            break
        active, steps, gains = ([some[place] for place in moving] for some in (active, steps, gains))  # type: ignore[assignment]
        # The last step ends where the expected information is wanted, so that it need not be summed again.
        left = [_left_to_gain(climber, gain, pi_range, tol) for climber, gain in zip(active, gains, strict=True)]
        wanted = [LITTLE_GAIN * tol <= gain < NEAR for gain in left]
        floors = [least_value(climber.here.value, gain) for climber, gain in zip(active, gains, strict=True)]
        trials = _look_around(look, active, steps, wanted, floors)
        for climber, trial, gain, full_gain in zip(active, trials, gains, left, strict=True):
            _accept_or_damp(climber, trial, gain, full_gain, tol)
        if after_each_pass is not None:
            after_each_pass(climbers)
    return [climber.finish() for climber in climbers]


def _look_around(
    look: Look, climbers: list[_Climber], steps: list[Array], observed: list[bool], floors: list[float]
) -> list[Standpoint]:
    """See where each step would lead, those that want the same information in one pass."""
    seen: dict[int, Standpoint] = {}
    for kind in (False, True):
        chosen = [place for place, wanted in enumerate(observed) if wanted is kind]
        if chosen:
            numbers = [climbers[place].number for place in chosen]
            betas = [climbers[place].here.beta + steps[place] for place in chosen]
            seen.update(zip(chosen, look(numbers, betas, kind, [floors[place] for place in chosen]), strict=True))
    return [seen[place] for place in range(len(climbers))]


def _steps(look: Look, climbers: list[_Climber], pi_range: PiRange) -> list[Array]:
    """Return each climber's damped step; where the observed information is indefinite, the expected one gives it."""
    steps = _damped_steps(climbers, pi_range)
    saddled = [place for place, step in enumerate(steps) if step is None]
    if saddled:
        numbers = [climbers[place].number for place in saddled]
        anew = look(numbers, [climbers[place].here.beta for place in saddled], False, None)
        for place, here in zip(saddled, anew, strict=True):
            climbers[place].here = here
        for place, step in zip(saddled, _damped_steps([climbers[place] for place in saddled], pi_range), strict=True):
            steps[place] = step
    return [step for step in steps if step is not None]


def _damped_steps(climbers: list[_Climber], pi_range: PiRange) -> list[Array | None]:
    points, dampings = [climber.here for climber in climbers], [climber.damping for climber in climbers]
    return bounded_steps(points, pi_range, dampings)


def _left_to_gain(climber: _Climber, predicted: float, pi_range: PiRange, tol: float) -> float:
    """What a full step promises, where the one to be taken promises next to nothing.

    A damped step is short along flat directions, however much there is to gain.
    """
    if climber.damping == 0.0 or predicted >= LITTLE_GAIN * tol:
        return predicted
    (step,) = bounded_steps([climber.here], pi_range, [0.0])
    return np.inf if step is None else 0.5 * float(climber.here.gradient @ step)


def _accept_or_damp(climber: _Climber, trial: Standpoint, predicted: float, full_gain: float, tol: float) -> None:
    climber.n_iter += 1
    here = climber.here
    if trial.value >= least_value(here.value, predicted):
        climber.converged = _is_settled(here, trial, full_gain, tol)
        if climber.damping > 0.0:
            climber.damping = float(loosened(climber.damping, trial.value - here.value, predicted))
        climber.growth = FIRST_GROWTH
        climber.here = trial
        climber.history.append(trial.value)
    else:
        damping, climber.growth = tightened(climber.damping, climber.growth)
        climber.damping, climber.stuck = float(damping), bool(damping > STUCK)
        climber.converged = climber.stuck and bool(predicted < slack(here.value))


def _is_settled(here: Standpoint, trial: Standpoint, full_gain: float, tol: float) -> bool:
    """Whether next to nothing, or no more than rounding, was to be gained, and nothing was that nobody expected."""
    little = 0.0 <= full_gain < max(LITTLE_GAIN * tol, slack(here.value))
    expected = trial.value - here.value <= tol + slack(here.value)
    return bool(little and expected and stays(here.pi, trial.pi, tol))


def _on_one_landscape(climbers: list[_Climber]) -> list[list[_Climber]]:
    """Sort climbers by their penalty, which is all that may differ between their objectives."""
    landscapes: dict[bytes, list[_Climber]] = {}
    for climber in climbers:
        landscapes.setdefault(climber.here.curvature[climber.here.layout.coefficients].tobytes(), []).append(climber)
    return list(landscapes.values())


def _join(climbers: list[_Climber]) -> None:
    """Let climbers follow a better one that is so near that both see the same quadratic hill."""
    near = [
        climber
        for climber in climbers
        if (climber.here.observed or climber.converged) and climber.leader is None and not climber.stuck
    ]
    near.sort(key=lambda climber: -climber.here.value)
    for number, climber in enumerate(near):
        if climber.resting:
            continue
        leaders = (leader for leader in near[:number] if leader.leader is None)
        climber.leader = next((leader for leader in leaders if _on_one_hill(climber.here, leader.here)), None)


def _on_one_hill(here: Standpoint, top: Standpoint) -> bool:
    apart = here.beta - top.beta
    if here.logit_pi == top.logit_pi:
        apart[here.layout.share] = 0.0  # also where pi is fixed at 0, whose logit is infinite
    distance = apart @ top.information @ apart + top.curvature @ (apart * apart)
    return bool(0.0 <= distance < JOINING_DISTANCE)


def _give_up(climbers: list[_Climber]) -> None:
    """Stop climbers on a plateau so far below an optimum already found that they will not come near it."""
    best = max((climber.here.value for climber in climbers if climber.converged), default=-np.inf)
    for climber in climbers:
        behind = best - climber.here.value
        if not climber.resting and behind > FAR_BEHIND:
            climber.stuck = behind > HOPEFUL_STEPS * climber.last_gain
