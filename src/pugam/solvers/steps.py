"""The step of Fisher scoring, of one climb or of many: how long it may be, and what it has to gain.

Everything here works along the last axis: for one parameter vector, or for one in each row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pugam.layout import Layout
from pugam.linear_algebra import factorize, factorize_semidefinite
from pugam.solvers.constraints import constrained_step
from pugam.solvers.pi import PiRange
from pugam.solvers.standpoint import Standpoint
from pugam.solvers.tuning import TUNING

__all__ = [
    "Step",
    "bounded_step",
    "bounded_steps",
    "fixed_shares",
    "least_value",
    "shortened",
    "slack",
    "stays",
]

Array = NDArray[np.float64]


class Step(NamedTuple):
    """How far to go in each parameter, and what the quadratic model promises for it."""

    move: Array
    gain: float


def bounded_steps(points: Sequence[Standpoint], pi_range: PiRange, dampings: Sequence[float]) -> list[Step | None]:
    """Solve for Newton steps that keep to the constraints, each short enough to be trusted and pi within its range.

    None where the observed information is not positive definite.
    """
    layout, beta = points[0].layout, np.array([here.beta for here in points])
    share_fixed = fixed_shares(layout, beta, np.array([here.gradient for here in points]), pi_range)
    steps, pressures, definite = np.zeros_like(beta), np.zeros(len(points)), []
    for number, (here, damping) in enumerate(zip(points, dampings, strict=True)):
        free = layout.free(share_fixed=bool(share_fixed[number]))
        factor = (factorize if here.observed else factorize_semidefinite)(here.hessian[free, free], damping)
        definite.append(factor is not None)
        if factor is not None:
            around = here.constraints[:, free], here.beta[free]
            steps[number, free], pressures[number] = constrained_step(factor, here.gradient[free], *around)
    overlengths = _overlengths(layout, beta, steps)
    moves = _within_range(layout, beta, steps / overlengths[:, None], share_fixed, pi_range)
    pressures /= overlengths
    return [
        Step(move, _gain(here, move, float(pressure))) if good else None
        for here, move, pressure, good in zip(points, moves, pressures, definite, strict=True)
    ]


def _gain(here: Standpoint, move: Array, pressure: float) -> float:
    """What a step promises: half its slope, and half the pressure of constraints."""
    gain = 0.5 * (float(here.gradient @ move) + pressure)
    return max(gain, 0.0) if len(here.constraints) else gain  # less is rounding, at an active constraint


def bounded_step(here: Standpoint, pi_range: PiRange) -> Step:
    """The same for one point, from its expected information."""
    (step,) = bounded_steps([here], pi_range, [0.0])
    assert step is not None
    return step


def fixed_shares(layout: Layout, beta: Array, gradient: Array, pi_range: PiRange) -> Any:
    """Whether pi stays: it is known, or it is at an end of its range and pushed outwards."""
    if pi_range.fixed:
        return np.full(beta.shape[:-1], True)
    (low, high), logit_pi, slope = pi_range.logits, beta[..., layout.share], gradient[..., layout.share]
    outwards = ((logit_pi <= low) & (slope < 0.0)) | ((logit_pi >= high) & (slope > 0.0))
    return outwards


def shortened(layout: Layout, beta: Array, steps: Array, share_fixed: Any, pi_range: PiRange) -> Array:
    """Bring steps to a length at which the quadratic model can be trusted, and pi into its range."""
    return _within_range(layout, beta, steps / _overlengths(layout, beta, steps)[..., None], share_fixed, pi_range)


def _within_range(layout: Layout, beta: Array, steps: Array, share_fixed: Any, pi_range: PiRange) -> Array:
    """Bring the share of each step into its range, in place; where it is fixed it stays."""
    if not pi_range.fixed:
        share = layout.share
        logit_pi = beta[..., share]
        low, high = pi_range.logits
        moved = np.minimum(np.maximum(logit_pi + steps[..., share], low), high) - logit_pi
        steps[..., share] = np.where(share_fixed, 0.0, moved)
    return steps


def _overlengths(layout: Layout, beta: Array, steps: Array) -> Any:
    """How many times as long as they may be steps are; at least one."""
    intercepts, of_shares = layout.intercepts, np.abs(steps[..., layout.shares]).max(axis=-1)
    farthest = TUNING.longest_intercept_step + TUNING.longest_growth * np.abs(beta[..., intercepts])
    of_intercepts = (np.abs(steps[..., intercepts]) / farthest).max(axis=-1)
    return np.maximum(1.0, np.maximum(of_shares / TUNING.longest_pi_step, of_intercepts))


def least_value(value: Any, predicted: Any) -> Any:
    """The least value a step has to lead to, from one value, for a gain predicted.

    A gain far below the prediction is a leap onto a plateau, where every row is saturated and no way leads back.
    """
    return value + TUNING.least_share_of_gain * predicted - slack(value)


def slack(value: Any) -> Any:
    """How far the objective can fall by rounding alone."""
    return TUNING.rounding * (1.0 + abs(value))


def stays(pi: Any, new_pi: Any, tol: float) -> Any:
    """Whether pi changes, relatively, by no more than a tolerance."""
    return abs(new_pi - pi) <= tol * pi
