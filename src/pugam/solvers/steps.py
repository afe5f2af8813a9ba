"""The step of Fisher scoring, of one climb or of many: how long it may be, and what it has to gain.

Everything here works along the last axis: for one parameter vector, or for one in each row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.layout import Layout
from pugam.linear_algebra import solve, solve_definite
from pugam.solvers.pi import PiRange
from pugam.solvers.standpoint import Standpoint

__all__ = ["LITTLE_GAIN", "bounded_step", "bounded_steps", "held_shares", "least_value", "shortened", "slack", "stays"]

Array = NDArray[np.float64]

# No further is the quadratic model trusted. Where classes separate, curves grow without bound: let them grow fast.
LONGEST_PI_STEP = 2.0  # on the logit scale
LONGEST_INTERCEPT_STEP, LONGEST_GROWTH = 20.0, 1.0
LEAST_SHARE_OF_GAIN = 0.1
ROUNDING = 1e-12  # relative size of the fall in the objective that rounding alone can cause
LITTLE_GAIN = 0.01  # of the tolerance: a climb that can gain no more has converged


def bounded_steps(points: Sequence[Standpoint], pi_range: PiRange, dampings: Sequence[float]) -> list[Array | None]:
    """Solve for Newton steps, each short enough to be trusted and pi within its range.

    None where the observed information is not positive definite.
    """
    layout, beta = points[0].layout, np.array([here.beta for here in points])
    held = held_shares(layout, beta, np.array([here.gradient for here in points]), pi_range)
    steps, definite = np.zeros_like(beta), []
    for here, damping, fixed, step in zip(points, dampings, held.tolist(), steps, strict=True):
        free, solver = layout.free(share_fixed=fixed), solve_definite if here.observed else solve
        solution = solver(here.hessian[free, free], here.gradient[free], damping)
        definite.append(solution is not None)
        step[free] = 0.0 if solution is None else solution
    steps = shortened(layout, beta, steps, held, pi_range)
    return [step if good else None for step, good in zip(steps, definite, strict=True)]


def bounded_step(here: Standpoint, pi_range: PiRange) -> Array:
    """The same for one point, from its expected information."""
    (step,) = bounded_steps([here], pi_range, [0.0])
    assert step is not None
    return step


def held_shares(layout: Layout, beta: Array, gradient: Array, pi_range: PiRange) -> Any:
    """Whether pi stays: it is known, or it is at an end of its range and pushed outwards."""
    (low, high), logit_pi, slope = pi_range.logits, beta[..., layout.share], gradient[..., layout.share]
    outwards = ((logit_pi <= low) & (slope < 0.0)) | ((logit_pi >= high) & (slope > 0.0))
    return outwards | pi_range.fixed


def shortened(layout: Layout, beta: Array, steps: Array, held: Any, pi_range: PiRange) -> Array:
    """Bring steps to a length at which the quadratic model can be trusted, and pi into its range."""
    share, intercept = layout.share, layout.intercept
    farthest = LONGEST_INTERCEPT_STEP + LONGEST_GROWTH * np.abs(beta[..., intercept])
    excess = np.maximum(np.abs(steps[..., share]) / LONGEST_PI_STEP, np.abs(steps[..., intercept]) / farthest)
    steps = steps / np.maximum(1.0, excess)[..., None]
    if not pi_range.fixed:
        logit_pi = beta[..., share]
        low, high = pi_range.logits
        moved = np.minimum(np.maximum(logit_pi + steps[..., share], low), high) - logit_pi
        steps[..., share] = np.where(held, 0.0, moved)
    return np.asarray(steps)


def least_value(value: Any, predicted: Any) -> Any:
    """The least value a step has to lead to, from one value, for a gain predicted.

    A gain far below the prediction is a leap onto a plateau, where every row is saturated and no way leads back.
    """
    return value + LEAST_SHARE_OF_GAIN * predicted - slack(value)


def slack(value: Any) -> Any:
    """How far the objective can fall by rounding alone."""
    return ROUNDING * (1.0 + abs(value))


def stays(pi: Any, new_pi: Any, tol: float) -> Any:
    """Whether pi changes, relatively, by no more than a tolerance."""
    return abs(new_pi - pi) <= tol * pi
