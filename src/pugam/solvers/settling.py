"""Precisions of the families at one pi: from afar by Fellner-Schall steps, then to where the evidence is highest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pugam.likelihood import expit
from pugam.linear_algebra import solve
from pugam.solvers.laplace import EvidenceAt, Model, climb
from pugam.solvers.pi import PiRange
from pugam.solvers.reml import go, stretch
from pugam.solvers.steps import bounded_step, slack
from pugam.solvers.tuning import TUNING

__all__ = ["adjust", "left_to_gain", "settle"]

Array = NDArray[np.float64]


def settle(model: Model, beta: Array, logs: Array) -> EvidenceAt:
    """Find mode and precisions with pi fixed where `beta` has it, from any beginning."""
    return adjust(model, climb(model, *_approach(model, beta, logs)), TUNING.settled_gain)


def _approach(model: Model, beta: Array, logs: Array) -> tuple[Array, Array]:
    """Come near the best precisions, a pass over the rows for each step.

    Fellner-Schall steps leave out how the information changes with the coefficients.
    """
    pi = float(expit(beta[model.design.layout.share]))
    fixed = PiRange(pi, pi)
    (here,) = model.at(logs).stand([beta])
    degrees, last = np.full(len(logs), np.inf), np.zeros(len(logs))
    for _ in range(TUNING.reml_iterations):
        covariance = here.covariance(fixed)
        new_degrees = model.families.degrees(here, covariance, logs)
        if np.max(np.abs(new_degrees - degrees)) < TUNING.approach_edf_tol:
            break
        degrees, moves = new_degrees, model.families.moves(here, covariance, logs)
        logs = np.clip(logs + stretch(moves, last) * moves, *TUNING.log_precision_limits)
        last = moves
        step = bounded_step(here.repenalized(model.families.precision(logs)), fixed)
        here = go(model.at(logs), here, step.move)
    return here.beta, logs


def adjust(model: Model, here: EvidenceAt, least_gain: float) -> EvidenceAt:
    """Climb to the precisions where the evidence is highest, pi fixed, by quasi-Newton steps (BFGS).

    Parameters
    ----------
    least_gain : float
        Log evidence that may be left to gain.
    """
    for _ in range(TUNING.most_adjustments):
        if left_to_gain(here) < least_gain:
            break
        move = _bounded_move(here, here.bend)
        trial = climb(model, here.moved(here.place, here.logs + move), here.logs + move)
        bend = _bent(here.bend, move, here.log_slopes - trial.log_slopes)
        if trial.value < here.value - slack(here.value):
            here = replace(here, bend=bend if bend is not here.bend else TUNING.bend_growth * bend)
        else:
            here = replace(trial, bend=bend)
    return here


def left_to_gain(here: EvidenceAt) -> float:
    """Log evidence that other precisions promise: as steps have shown, or as one would expect, whichever is more."""
    return max(0.5 * float(here.log_slopes @ _bounded_move(here, bend)) for bend in (here.bend, here.usual_bend))


def _bounded_move(here: EvidenceAt, bend: Array) -> Array:
    """A quasi-Newton step that is not too long and leaves no family beyond its limits."""
    low, high = TUNING.log_precision_limits
    outwards = ((here.logs <= low) & (here.log_slopes < 0.0)) | ((here.logs >= high) & (here.log_slopes > 0.0))
    free = np.flatnonzero(~outwards)
    move = np.zeros(len(here.logs))
    if len(free) == 0:
        return move
    move[free] = solve(bend[np.ix_(free, free)], here.log_slopes[free])
    longest = float(np.abs(move).max(initial=0.0))
    move *= min(1.0, TUNING.longest_adjustment / max(longest, TUNING.longest_adjustment))
    return np.asarray(np.clip(here.logs + move, low, high) - here.logs)


def _bent(bend: Array, move: Array, change: Array) -> Array:
    """Take into account how slopes changed along a move, if they fell; otherwise nothing is learned."""
    curvature, before = float(change @ move), bend @ move
    if curvature <= TUNING.least_curvature * float(move @ before):
        return bend
    return np.asarray(bend + np.outer(change, change) / curvature - np.outer(before, before) / float(move @ before))
