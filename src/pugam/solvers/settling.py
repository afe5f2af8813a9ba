"""Climbing the evidence: precisions from afar by Fellner-Schall steps, then all that may move by quasi-Newton steps."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pugam.linear_algebra import solve
from pugam.solvers.laplace import EvidenceAt, Model, climb
from pugam.solvers.pi import FIXED, PiRange
from pugam.solvers.reml import go, stretch
from pugam.solvers.steps import bounded_step, slack
from pugam.solvers.tuning import TUNING

__all__ = ["Box", "adjust", "approach", "bounded_move", "left_to_gain", "move_to", "settle"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Box:
    """Within which points move: logits of the shares, and the logarithms of the precisions.

    Attributes
    ----------
    low, high : arrays of shape (n_shares + n_families,)
        Equal where nothing moves.
    """

    low: Array
    high: Array

    @classmethod
    def around(cls, here: EvidenceAt, pi_range: PiRange | None = None, settles: bool = True) -> Box:
        """Let shares move in their range, if one is given, and precisions, if they are to settle."""
        low, high, n_shares = here.point, here.point, here.n_shares
        if pi_range is not None:
            low[:n_shares], high[:n_shares] = pi_range.logits
        if settles:
            low[n_shares:], high[n_shares:] = TUNING.log_precision_limits
        return cls(low, high)

    def holding(self, number: int, value: float) -> Box:
        """The same, with one coordinate fixed."""
        low, high = self.low.copy(), self.high.copy()
        low[number] = high[number] = value
        return Box(low, high)

    def inside(self, point: Array) -> Array:
        """The nearest point that is allowed."""
        return np.asarray(np.clip(point, self.low, self.high))

    def free(self, point: Array, slopes: Array) -> NDArray[np.intp]:
        """Along which directions the evidence rises without leaving the box."""
        outwards = ((point <= self.low) & (slopes < 0.0)) | ((point >= self.high) & (slopes > 0.0))
        return np.flatnonzero(~outwards & (self.low < self.high))


def settle(model: Model, beta: Array, logs: Array, wanted: float = -np.inf) -> EvidenceAt:
    """Find mode and precisions with shares fixed as in `beta`, from any beginning; `wanted` is as in `adjust`."""
    here = approach(model, beta, logs)
    return adjust(model, here, Box.around(here), TUNING.settled_gain, wanted)


def approach(model: Model, beta: Array, logs: Array) -> EvidenceAt:
    """Come near the best precisions with shares fixed, a pass over the rows for each step.

    Fellner-Schall steps leave out how the information changes with the coefficients.
    """
    (here,) = model.at(logs).stand([beta])
    last = np.zeros(len(logs))
    for _ in range(TUNING.reml_iterations):
        covariance = here.covariance(FIXED)
        moves = model.families.moves(here, covariance, logs)
        if 0.5 * model.families.degrees(here, covariance, logs) @ moves**2 < TUNING.approach_gain:
            break
        logs, last = np.clip(logs + stretch(moves, last) * moves, *TUNING.log_precision_limits), moves
        step = bounded_step(here.repenalized(model.families.precision(logs)), FIXED)
        here = go(model.at(logs), here, step.move)
    return climb(model, here.beta, logs)


def adjust(model: Model, here: EvidenceAt, box: Box, least_gain: float, wanted: float = -np.inf) -> EvidenceAt:
    """Climb to where the evidence is highest within a box, by quasi-Newton steps (BFGS).

    Parameters
    ----------
    least_gain : float
        Log evidence that may be left to gain.
    wanted : float
        Log evidence that makes it worth going on: where far less is in sight, the climb gives up.
    """
    for _ in range(TUNING.most_adjustments):
        left = left_to_gain(here, box)
        if left < least_gain or here.value + TUNING.generous * left < wanted:
            break
        point = box.inside(here.point + bounded_move(here, here.bend, box))
        if np.array_equal(point, here.point):  # steps have become too short to be told from rounding
            break
        trial = move_to(model, here, point)
        if trial.value < here.value - slack(here.value):
            here = replace(here, bend=_steeper(here, trial.bend, box, point - here.point))
        else:
            here = trial
    return here


def move_to(model: Model, here: EvidenceAt, point: Array) -> EvidenceAt:
    """Go from one point to another, and learn how the evidence bends in between."""
    there = climb(model, here.moved(point), point[here.n_shares :])
    return replace(there, bend=_bent(here.bend, point - here.point, here.slopes - there.slopes))


def _steeper(here: EvidenceAt, bend: Array, box: Box, failed: Array) -> Array:
    """The bend after a step that failed: as the step has shown it, if that leads less far, or else a steeper one.

    A step onto another hill says how that one bends.
    """
    next_one = bounded_move(here, bend, box)
    if np.linalg.norm(next_one) < TUNING.shorter * np.linalg.norm(failed):
        return bend
    return np.asarray(TUNING.bend_growth * here.bend)


def left_to_gain(here: EvidenceAt, box: Box) -> float:
    """Log evidence that the box promises: as steps have shown, or as one would expect, whichever is more."""
    return max(0.5 * float(here.slopes @ bounded_move(here, bend, box)) for bend in (here.bend, here.usual_bend))


def bounded_move(here: EvidenceAt, bend: Array, box: Box) -> Array:
    """A quasi-Newton step that is not too long and stays in the box, or leads into it: what is free follows."""
    inside = box.inside(here.point)
    slopes = here.slopes - bend @ (inside - here.point)
    free = box.free(inside, slopes)
    move = np.zeros(len(slopes))
    if len(free):
        move[free] = solve(bend[np.ix_(free, free)], slopes[free])
    longest = np.full(len(move), TUNING.longest_adjustment)
    longest[: here.n_shares] = TUNING.longest_look
    move /= max(1.0, float(np.max(np.abs(move) / longest)))
    return np.asarray(box.inside(inside + move) - here.point)


def _bent(bend: Array, move: Array, change: Array) -> Array:
    """Take into account how slopes changed along a move, if they fell; otherwise nothing is learned."""
    curvature, before = float(change @ move), bend @ move
    if curvature <= TUNING.least_curvature * float(move @ before):
        return bend
    return np.asarray(bend + np.outer(change, change) / curvature - np.outer(before, before) / float(move @ before))
