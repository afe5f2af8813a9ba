"""Climbs under many weightings of the rows at once, in arrays: the refits of a bootstrap.

Every climb begins near its optimum, so observed information soon serves. Close to the optimum it changes little: the
last steps are taken with that seen before, and cost no more than a gradient.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Hessians
from pugam.solvers.fisher import (
    LEAST_SHARE_OF_GAIN,
    LONGEST_GROWTH,
    LONGEST_INTERCEPT_STEP,
    LONGEST_PI_STEP,
    ROUNDING,
)
from pugam.solvers.objective import PiRange, ResampledObjective

__all__ = ["maximize_resamples", "solve_semidefinite"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Numbers = NDArray[np.intp]

CLOSE = 0.1  # predicted gain in log-likelihood below which information is not renewed
FALLING = 0.2  # part of the last predicted gain below which the next one has to lie for that to go on
FINER = 1e-4  # such steps converge more slowly than the tolerance expects, which is therefore taken so much finer
# Refits begin near their optimum and hardly ever need damping: a coarser rule than that of `damping` will do.
FIRST_DAMPING, STUCK_DAMPING = 0.1, 1e8
LARGER_RIDGE, MOST_RIDGES = 1e-8, 30  # each ten times the last one


@dataclass
class _Party:
    """Where B climbs stand.

    Attributes
    ----------
    observed : bool array of shape (B,)
        Whether the Hessian is that of the observed information.
    coasted : int array of shape (B,)
        Steps taken since it was renewed.
    predicted : array of shape (B,)
        What the last step was expected to gain.
    stale : bool array of shape (B,)
        Whether it has to be renewed before the next step.
    """

    beta: Array
    value: Array
    gradient: Array
    hessians: Hessians
    damping: Array
    observed: Flags
    coasted: NDArray[np.int_]
    predicted: Array
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
            flags[0],
            np.zeros(size, dtype=int),
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
        _move(party, objective, active[coasting], steps[coasting], predicted[coasting], tol, renewing=False)
        _move(party, objective, active[~coasting], steps[~coasting], predicted[~coasting], tol, renewing=True)
    return party.beta, party.converged


def solve_semidefinite(hessians: Hessians, numbers: Numbers, rhs: Array, damping: Array, held: Flags) -> Array:
    """Solve systems that are positive semi-definite, with a small ridge where one is needed."""
    solutions, definite = hessians.solve(numbers, rhs, damping, held)
    damping = damping.copy()
    for _ in range(MOST_RIDGES):
        left = np.flatnonzero(~definite)
        if len(left) == 0:
            return solutions
        damping[left] = np.maximum(10.0 * damping[left], LARGER_RIDGE)
        solutions[left], definite[left] = hessians.solve(numbers[left], rhs[left], damping[left], held[left])
    raise np.linalg.LinAlgError("a matrix is not positive semi-definite")


def _renew(party: _Party, objective: ResampledObjective, numbers: Numbers, observed: bool) -> None:
    """Look anew at the Hessians of some climbs, where they stand."""
    if len(numbers):
        _, hessians = objective.take(numbers).survey(party.beta[numbers], observed)
        party.hessians.put(numbers, hessians)
        party.observed[numbers], party.stale[numbers], party.coasted[numbers] = observed, False, 0


def _steps(party: _Party, objective: ResampledObjective, active: Numbers, pi_range: PiRange) -> Array:
    """Return damped steps, not too long; where observed information is indefinite, the expected one serves."""
    beta, gradient = party.beta[active], party.gradient[active]
    share, intercept = objective.layout.share, objective.layout.intercept
    (low, high), logits, slopes = pi_range.logits, beta[:, share], gradient[:, share]
    outwards = ((logits <= low) & (slopes < 0.0)) | ((logits >= high) & (slopes > 0.0))
    held = np.full(len(active), True) if pi_range.fixed else outwards
    steps, definite = party.hessians.solve(active, gradient, party.damping[active], held)
    saddled = active[~definite]
    if len(saddled):
        _renew(party, objective, saddled[party.observed[saddled]], observed=False)
        steps[~definite] = solve_semidefinite(
            party.hessians, saddled, gradient[~definite], party.damping[saddled], held[~definite]
        )
    farthest = LONGEST_INTERCEPT_STEP + LONGEST_GROWTH * np.abs(beta[:, intercept])
    excess = np.maximum(np.abs(steps[:, share]) / LONGEST_PI_STEP, np.abs(steps[:, intercept]) / farthest)
    steps /= np.maximum(1.0, excess)[:, None]
    if not pi_range.fixed:
        steps[:, share] = np.where(held, 0.0, np.clip(logits + steps[:, share], low, high) - logits)
    return steps


def _may_coast(
    party: _Party, objective: ResampledObjective, active: Numbers, predicted: Array, pi_range: PiRange
) -> Flags:
    """Which climbs are so close to an optimum inside the range of pi that the Hessian they know will do."""
    pi = objective.pi(party.beta[active])
    inside = np.array([pi_range.fixed or pi_range.is_inside(float(share)) for share in pi], dtype=bool)
    undamped = party.observed[active] & (party.damping[active] == 0.0)
    well = (party.coasted[active] == 0) | (predicted < FALLING * party.predicted[active])
    party.predicted[active] = predicted
    return np.asarray(inside & undamped & well & (predicted < CLOSE))


def _move(
    party: _Party,
    objective: ResampledObjective,
    numbers: Numbers,
    steps: Array,
    predicted: Array,
    tol: float,
    renewing: bool,
) -> None:
    """Try the steps; take those that lead upwards, damp the others, or renew their Hessian if it was not seen here."""
    if len(numbers) == 0:
        return
    part, beta = objective.take(numbers), party.beta[numbers] + steps
    if renewing:
        slopes, hessians = part.survey(beta, observed=True)
    else:
        slopes, tol = part.slopes(beta), FINER * tol
    value = party.value[numbers]
    slack = ROUNDING * (1.0 + np.abs(value))
    upwards = slopes.value >= value + LEAST_SHARE_OF_GAIN * predicted - slack
    up, down = numbers[upwards], numbers[~upwards]

    pi, new_pi = objective.pi(party.beta[up]), objective.pi(beta[upwards])
    settled = (predicted[upwards] < 0.01 * tol) & (np.abs(new_pi - pi) <= tol * pi)
    damping = party.damping[up]
    party.converged[up] = settled & (damping <= FIRST_DAMPING)
    party.damping[up] = np.where(damping <= FIRST_DAMPING, 0.0, damping / 10.0)
    party.beta[up], party.value[up] = beta[upwards], slopes.value[upwards]
    party.gradient[up] = slopes.gradient[upwards]
    if renewing:
        party.hessians.put(up, hessians.take(np.flatnonzero(upwards)))
        party.observed[up], party.coasted[up] = True, 0
        _damp(party, down)
        party.converged[down] = party.stuck[down] & (predicted[~upwards] < slack[~upwards])
    else:
        party.coasted[up] += 1
        party.stale[down] = party.coasted[down] > 0
        _damp(party, down[party.coasted[down] == 0])


def _damp(party: _Party, numbers: Numbers) -> None:
    party.damping[numbers] = np.maximum(10.0 * party.damping[numbers], FIRST_DAMPING)
    party.stuck[numbers] = party.damping[numbers] > STUCK_DAMPING
