"""Damped Fisher scoring with a Newton finish: many starts at once, one pass over the rows per iteration.

Far from an optimum the expected information, which is never indefinite, gives the step. Near one the observed
information takes over where it is positive definite: it converges quadratically where Fisher scoring may
swing to and fro. No accepted step lowers the objective.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from pugam.likelihood import expit
from pugam.solvers.linear_algebra import solve, solve_definite
from pugam.solvers.objective import Evaluation, Objective, PiRange
from pugam.solvers.optimum import Optimum

__all__ = ["bounded_step", "maximize_fisher"]

Array = NDArray[np.float64]

# No further is the quadratic model trusted. Where classes separate, curves grow without bound: let them grow fast.
LONGEST_PI_STEP = 2.0  # on the logit scale
LONGEST_INTERCEPT_STEP, LONGEST_GROWTH = 20.0, 1.0
NEAR = 0.5  # predicted gain in log-likelihood below which the observed information is tried
JOINING_DISTANCE = 0.05  # squared distance, in standard errors, at which two climbers are taken for one
FIRST_DAMPING = 0.1
STUCK_DAMPING = 1e8
ROUNDING = 1e-12  # relative size of the fall in the objective that rounding alone can cause


@dataclass
class _Climber:
    """One start on its way up: where it stands, the derivatives there, and how it got there."""

    beta: Array
    damping: float = 0.0
    observed: bool = False
    n_iter: int = 0
    converged: bool = False
    stuck: bool = False
    leader: _Climber | None = None
    history: list[float] = field(default_factory=list)
    value: float = -np.inf
    loglik: float = -np.inf
    gradient: Array = field(default_factory=lambda: np.empty(0))
    information: Array = field(default_factory=lambda: np.empty(0))
    curvature: Array = field(default_factory=lambda: np.empty(0))

    @property
    def resting(self) -> bool:
        return self.converged or self.stuck or self.leader is not None

    def stand(self, beta: Array, at: Evaluation, number: int) -> None:
        self.beta, self.value, self.loglik = beta, float(at.value[number]), float(at.loglik[number])
        self.gradient, self.information = at.gradient[number], at.information[number]
        self.curvature = at.curvature[number]

    def finish(self) -> Optimum:
        if self.leader is not None:
            return replace(self.leader.finish(), n_iter=self.n_iter, history=tuple(self.history))
        return Optimum(
            self.beta,
            self.value,
            self.loglik,
            self.information,
            self.curvature,
            self.n_iter,
            self.converged,
            tuple(self.history),
        )


def maximize_fisher(objective: Objective, starts: Array, pi_range: PiRange, tol: float, max_iter: int) -> list[Optimum]:
    """Climb from every row of `starts`, shape (B, 2 + p).

    A start has converged when the quadratic model predicts a gain below `tol / 100` and a relative change of pi
    below `tol`; that last step is still taken. With pi fixed its entry never moves. A start that comes close to
    another near the same optimum is not followed further and ends where that one ends.
    """
    climbers = [_Climber(beta) for beta in np.array(starts, dtype=float)]
    if not pi_range.fixed:
        for climber in climbers:
            climber.beta[0] = np.clip(climber.beta[0], *pi_range.logits)
    _look_around(objective, climbers)
    for climber in climbers:
        climber.history.append(climber.value)

    for _ in range(max_iter):
        active = [climber for climber in climbers if not climber.resting]
        if not active:
            break
        steps = _steps(objective, active, pi_range)
        trials = [
            _Climber(climber.beta + step, observed=predicted < NEAR)
            for climber, (step, predicted) in zip(active, steps, strict=True)
        ]
        _look_around(objective, trials)
        for climber, trial, (_, predicted) in zip(active, trials, steps, strict=True):
            _accept_or_damp(climber, trial, predicted, tol)
        _join(climbers)
    return [climber.finish() for climber in climbers]


def _look_around(objective: Objective, climbers: list[_Climber]) -> None:
    """Evaluate the objective at every climber, those that want the same information in one pass."""
    for observed in (False, True):
        group = [climber for climber in climbers if climber.observed is observed]
        if group:
            at = objective.evaluate(np.array([climber.beta for climber in group]), observed)
            for number, climber in enumerate(group):
                climber.stand(climber.beta, at, number)


def _steps(objective: Objective, climbers: list[_Climber], pi_range: PiRange) -> list[tuple[Array, float]]:
    """Return each climber's step and the gain that the quadratic model predicts for it."""
    steps = [_step(climber, pi_range) for climber in climbers]
    saddled = [climber for climber, step in zip(climbers, steps, strict=True) if step is None]
    if saddled:
        for climber in saddled:
            climber.observed = False
        _look_around(objective, saddled)
        steps = [
            _step(climber, pi_range) if step is None else step for climber, step in zip(climbers, steps, strict=True)
        ]
    return [
        (step, 0.5 * float(climber.gradient @ step))
        for climber, step in zip(climbers, steps, strict=True)
        if step is not None
    ]


def _step(climber: _Climber, pi_range: PiRange) -> Array | None:
    """Return the damped step, or None where the observed information is not positive definite."""
    hessian = climber.information + np.diag(climber.curvature)
    solver = solve_definite if climber.observed else solve
    return bounded_step(climber.beta, climber.gradient, hessian, pi_range, solver, climber.damping)


def bounded_step(
    beta: Array,
    gradient: Array,
    hessian: Array,
    pi_range: PiRange,
    solver: Callable[[Array, Array, float], Array | None] = solve,
    damping: float = 0.0,
) -> Array | None:
    """Solve for the Newton step, keeping it short enough to be trusted and pi within its range."""
    limits = pi_range.logits
    held = pi_range.fixed or _pushes_outwards(beta[0], gradient[0], limits)
    free = slice(1, None) if held else slice(None)
    solution = solver(hessian[free, free], gradient[free], damping)
    if solution is None:
        return None
    step = np.zeros_like(beta)
    step[free] = solution
    farthest = LONGEST_INTERCEPT_STEP + LONGEST_GROWTH * abs(beta[1])
    step /= max(1.0, abs(step[0]) / LONGEST_PI_STEP, abs(step[1]) / farthest)
    if not held:
        step[0] = np.clip(beta[0] + step[0], *limits) - beta[0]
    return step


def _accept_or_damp(climber: _Climber, trial: _Climber, predicted: float, tol: float) -> None:
    climber.n_iter += 1
    slack = ROUNDING * (1.0 + abs(climber.value))
    if trial.value >= climber.value - slack:
        pi, new_pi = expit(climber.beta[0]), expit(trial.beta[0])
        settled = predicted < 0.01 * tol and abs(new_pi - pi) <= tol * pi
        climber.converged = bool(settled) and climber.damping <= FIRST_DAMPING
        climber.damping = 0.0 if climber.damping <= FIRST_DAMPING else climber.damping / 10.0
        climber.observed = trial.observed
        climber.beta, climber.value, climber.loglik = trial.beta, trial.value, trial.loglik
        climber.gradient, climber.information = trial.gradient, trial.information
        climber.curvature = trial.curvature
        climber.history.append(climber.value)
    else:
        climber.damping = max(10.0 * climber.damping, FIRST_DAMPING)
        climber.stuck = climber.damping > STUCK_DAMPING
        climber.converged = climber.stuck and predicted < slack


def _join(climbers: list[_Climber]) -> None:
    """Let climbers follow a better one that is so near that both see the same quadratic hill."""
    near = sorted(
        (climber for climber in climbers if climber.observed and climber.leader is None and not climber.stuck),
        key=lambda climber: -climber.value,
    )
    for number, climber in enumerate(near):
        if climber.resting:
            continue
        for leader in near[:number]:
            apart = climber.beta - leader.beta
            apart[0] = 0.0 if climber.beta[0] == leader.beta[0] else apart[0]
            hill = apart @ leader.information @ apart + leader.curvature @ (apart * apart)
            if leader.leader is None and 0.0 <= hill < JOINING_DISTANCE:
                climber.leader = leader
                break


def _pushes_outwards(logit_pi: float, slope: float, limits: tuple[float, float]) -> bool:
    return bool((logit_pi <= limits[0] and slope < 0.0) or (logit_pi >= limits[1] and slope > 0.0))
