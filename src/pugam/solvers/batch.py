"""Climbs under many weightings of the rows at once, in arrays: the refits of a bootstrap.

Every climb begins near its optimum, so observed information soon serves. Close to the optimum it changes little: the
last steps are taken with that seen before, and cost no more than a gradient.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Hessians
from pugam.linear_algebra import LARGER_RIDGE, MOST_RIDGES
from pugam.solvers.damping import loosened, tightened
from pugam.solvers.objective import ResampledObjective
from pugam.solvers.pi import PiRange
from pugam.solvers.steps import fixed_shares, least_value, shortened, slack, stays
from pugam.solvers.tuning import TUNING

__all__ = ["maximize_resamples", "solve_semidefinite"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Numbers = NDArray[np.intp]


@dataclass(eq=False)
class _Party:
    """Where B climbs stand.

    Attributes
    ----------
    observed : bool array of shape (B,)
        Whether the Hessian is that of the observed information.
    coasted : int array of shape (B,)
        Steps taken since it was renewed.
    damping, growth : arrays of shape (B,)
        See `damping`.
    predicted, left : arrays of shape (B,)
        What the last step was expected to gain, and what a full one, not damped, would have been.
    stale : bool array of shape (B,)
        Whether it has to be renewed before the next step.
    """

    beta: Array
    value: Array
    gradient: Array
    hessians: Hessians
    damping: Array
    growth: Array
    observed: Flags
    coasted: NDArray[np.int_]
    predicted: Array
    left: Array
    stale: Flags
    converged: Flags
    stuck: Flags

    @classmethod
    def at(cls, objective: ResampledObjective, beta: Array) -> _Party:
        slopes, hessians = objective.survey(beta, observed=False)
        size = len(beta)
        flags = [np.zeros(size, dtype=bool) for _ in range(4)]
        return cls(
            beta,
            slopes.value,
            slopes.gradient,
            hessians,
            np.zeros(size),
            np.full(size, TUNING.first_growth),
            flags[0],
            np.zeros(size, dtype=int),
            np.full(size, np.inf),
            np.full(size, np.inf),
            *flags[1:],
        )

    def active(self) -> Numbers:
        """Numbers of the climbs that go on."""
        return np.flatnonzero(~(self.converged | self.stuck))


def maximize_resamples(
    objective: ResampledObjective, starts: Array, pi_range: PiRange, tol: float, max_iter: int
) -> tuple[Array, Flags]:
    """Climb under B weightings at once, each from its own row of `starts`, shape (B, q).

    Returns where the climbs ended and which of them converged: as in `maximize_fisher`, at points from which the
    quadratic model predicts a gain below `tol / 100` and a relative change of pi below `tol`.
    """
    beta, share = np.array(starts, dtype=float), objective.layout.share
    if not pi_range.fixed:
        beta[:, share] = np.clip(beta[:, share], *pi_range.logits)
    party = _Party.at(objective, beta)
    for _ in range(max_iter):
        active = party.active()
        if len(active) == 0:
            break
        _renew(party, objective, active[party.stale[active]], observed=True)
        steps = _steps(party, objective, active, pi_range)
        predicted = 0.5 * np.sum(party.gradient[active] * steps, axis=1)
        coasting = _may_coast(party, objective, active, predicted, pi_range)
        party.predicted[active] = predicted
        party.left[active] = _left_to_gain(party, objective, active, predicted, pi_range, tol)
        for chosen, renewing in ((coasting, False), (~coasting, True)):
            _move(party, objective, active[chosen], steps[chosen], tol, renewing)
    return party.beta, party.converged


def solve_semidefinite(hessians: Hessians, numbers: Numbers, rhs: Array, damping: Array, share_fixed: Flags) -> Array:
    """Solve systems that are positive semi-definite, with a small ridge where one is needed."""
    solutions, definite = hessians.solve(numbers, rhs, damping, share_fixed)
    damping = damping.copy()
    for _ in range(MOST_RIDGES):
        left = np.flatnonzero(~definite)
        if len(left) == 0:
            return solutions
        damping[left] = np.maximum(10.0 * damping[left], LARGER_RIDGE)
        solutions[left], definite[left] = hessians.solve(numbers[left], rhs[left], damping[left], share_fixed[left])
    raise np.linalg.LinAlgError("a matrix is not positive semi-definite")


def _renew(party: _Party, objective: ResampledObjective, numbers: Numbers, observed: bool) -> None:
    """Look anew at the Hessians of some climbs, where they stand."""
    if len(numbers):
        _, hessians = objective.take(numbers).survey(party.beta[numbers], observed)
        party.hessians.put(numbers, hessians)
        party.observed[numbers], party.stale[numbers], party.coasted[numbers] = observed, False, 0


def _steps(party: _Party, objective: ResampledObjective, active: Numbers, pi_range: PiRange) -> Array:
    """Return damped steps, not too long; where observed information is indefinite, the expected one serves."""
    layout, damping = objective.layout, party.damping[active]
    beta, gradient = party.beta[active], party.gradient[active]
    share_fixed = fixed_shares(layout, beta, gradient, pi_range)
    steps, definite = party.hessians.solve(active, gradient, damping, share_fixed)
    saddled = np.flatnonzero(~definite)
    if len(saddled):
        numbers = active[saddled]
        _renew(party, objective, numbers[party.observed[numbers]], observed=False)
        systems = numbers, gradient[saddled], damping[saddled], share_fixed[saddled]
        steps[saddled] = solve_semidefinite(party.hessians, *systems)
    return shortened(layout, beta, steps, share_fixed, pi_range)


def _left_to_gain(
    party: _Party, objective: ResampledObjective, active: Numbers, predicted: Array, pi_range: PiRange, tol: float
) -> Array:
    """What full steps promise, where those to be taken are damped and promise next to nothing."""
    left = predicted.copy()
    damped = (party.damping[active] > 0.0) & (predicted < TUNING.little_gain * tol)
    if damped.any():
        layout, numbers = objective.layout, active[damped]
        beta, gradient = party.beta[numbers], party.gradient[numbers]
        share_fixed = fixed_shares(layout, beta, gradient, pi_range)
        full, definite = party.hessians.solve(numbers, gradient, np.zeros(len(numbers)), share_fixed)
        gains = 0.5 * np.sum(gradient * shortened(layout, beta, full, share_fixed, pi_range), axis=1)
        left[damped] = np.where(definite, gains, np.inf)
    return left


def _may_coast(
    party: _Party, objective: ResampledObjective, active: Numbers, predicted: Array, pi_range: PiRange
) -> Flags:
    """Which climbs are so close to an optimum inside the range of pi that the Hessian they know will do."""
    pi = objective.pi(party.beta[active])
    inside = pi_range.are_inside(pi) | pi_range.fixed
    undamped = party.observed[active] & (party.damping[active] <= TUNING.first_damping)
    well = (party.coasted[active] == 0) | (predicted < TUNING.falling * party.predicted[active])
    return np.asarray(inside & undamped & well & (predicted < TUNING.close))


def _move(
    party: _Party, objective: ResampledObjective, numbers: Numbers, steps: Array, tol: float, renewing: bool
) -> None:
    """Try the steps; take those that lead upwards, damp the others, or renew their Hessian if it was not seen here."""
    if len(numbers) == 0:
        return
    part, beta = objective.take(numbers), party.beta[numbers] + steps
    if renewing:
        slopes, hessians = part.survey(beta, observed=True)
    else:
        slopes, tol = part.slopes(beta), TUNING.coasting_tol * tol
    upwards = slopes.value >= least_value(party.value[numbers], party.predicted[numbers])
    up, down = numbers[upwards], numbers[~upwards]

    little = party.left[up] < TUNING.little_gain * tol
    party.converged[up] = little & stays(objective.pi(party.beta[up]), objective.pi(beta[upwards]), tol)
    gain = slopes.value[upwards] - party.value[up]
    party.damping[up], party.growth[up] = loosened(party.damping[up], gain, party.predicted[up]), TUNING.first_growth
    party.beta[up], party.value[up] = beta[upwards], slopes.value[upwards]
    party.gradient[up] = slopes.gradient[upwards]
    if renewing:
        party.hessians.put(up, hessians.take(np.flatnonzero(upwards)))
        party.observed[up], party.coasted[up] = True, 0
        _damp(party, down)
        party.converged[down] = party.stuck[down] & (party.predicted[down] < slack(party.value[down]))
    else:
        party.coasted[up] += 1
        party.stale[down] = party.coasted[down] > 0
        _damp(party, down[party.coasted[down] == 0])


def _damp(party: _Party, numbers: Numbers) -> None:
    party.damping[numbers], party.growth[numbers] = tightened(party.damping[numbers], party.growth[numbers])
    party.stuck[numbers] = party.damping[numbers] > TUNING.stuck_damping
