"""One smoothing parameter per term by REML: parameters and smoothing move together, one pass an iteration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pugam.solvers.objective import Objective
from pugam.solvers.pi import PiRange
from pugam.solvers.smoothing import edf_by_term, fellner_schall
from pugam.solvers.standpoint import Standpoint
from pugam.solvers.steps import bounded_step
from pugam.solvers.tuning import TUNING
from pugam.terms import Design

__all__ = ["Choice", "go", "select_reml", "stretch"]

Array = NDArray[np.float64]
Choice = tuple[Array, Array]  # parameters beta and smoothing parameters


def select_reml(
    design: Design,
    objective_at: Callable[[Array], Objective],
    beta: Array,
    kappas: Array,
    pi_range: PiRange,
    edf_tol: float,
) -> Choice:
    """Alternate Fellner-Schall updates of the smoothing parameters with single Fisher steps of beta.

    The penalty's part of the gradient is known without the rows, so one pass serves both updates. The point
    returned is close to, not at, the penalised optimum: the caller finishes the climb.

    Parameters
    ----------
    objective_at : callable
        Gives the objective for smoothing parameters of shape (n_penalties,).
    beta, kappas : arrays
        Where to begin.
    edf_tol : float
        Stop when no term's effective degrees of freedom change by more.

    Returns
    -------
    beta, kappas : arrays
    """
    (here,) = objective_at(kappas).stand([beta])
    degrees, last_move = np.full(len(design.bases), np.inf), np.zeros(len(kappas))
    visited: list[Array] = []
    for _ in range(TUNING.reml_iterations):
        covariance = here.covariance(pi_range)
        new_degrees = edf_by_term(design, here, covariance)
        if np.max(np.abs(new_degrees - degrees), initial=0.0) < edf_tol:
            break
        degrees = new_degrees
        visited.append(kappas)
        kappas, last_move = _updated(design, here, covariance, kappas, last_move)
        if objective_at(kappas).engine.n_rows > TUNING.many_rows:
            kappas, degrees = _settled(design, here, kappas, pi_range, edf_tol)
        if len(here.constraints) and any(_is_near(kappas, other) for other in visited[:-1]):
            break  # smoothing goes round in circles where constraints come and go
        here = _follow(objective_at(kappas), here, pi_range)
    return here.beta, kappas


def _updated(
    design: Design, here: Standpoint, covariance: Array, kappas: Array, last_move: Array
) -> tuple[Array, Array]:
    """Update smoothing parameters once; also returns by how much, in logarithms, before it is stretched."""
    move = np.log(fellner_schall(design, here, covariance, kappas) / kappas)
    return np.clip(kappas * np.exp(stretch(move, last_move) * move), *TUNING.kappa_limits), move


def _settled(design: Design, here: Standpoint, kappas: Array, pi_range: PiRange, edf_tol: float) -> tuple[Array, Array]:
    """Update smoothing parameters on the parabola seen from here until they stay; also returns degrees of freedom.

    No update needs a pass over the rows; the next pass shows how good the parabola was.
    """
    degrees, last_move = np.full(len(design.bases), np.inf), np.zeros(len(kappas))
    for _ in range(TUNING.reml_iterations):
        top = _top(here.repenalized(design.penalty(kappas)), pi_range)
        covariance = top.covariance(pi_range)
        last_degrees, degrees = degrees, edf_by_term(design, top, covariance)
        if np.max(np.abs(degrees - last_degrees), initial=0.0) < edf_tol:
            break
        kappas, last_move = _updated(design, top, covariance, kappas, last_move)
    return kappas, degrees


def _top(here: Standpoint, pi_range: PiRange) -> Standpoint:
    """The point to which a Fisher step leads, as the parabola shows it; its value is not worked out."""
    move = bounded_step(here, pi_range).move
    return replace(here, beta=here.beta + move, gradient=here.gradient - here.hessian @ move)


def _is_near(kappas: Array, other: Array) -> bool:
    return bool(np.max(np.abs(np.log(kappas / other)), initial=0.0) < TUNING.same_log)


def stretch(move: Array, last_move: Array) -> Array:
    """Anticipate the geometric tail of moves that shrink steadily in one direction (Aitken), term by term."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.asarray(np.where(last_move == 0.0, 0.0, move / last_move))
    shrinking = (ratio > 0.0) & (ratio < 1.0)
    tail = 1.0 / (1.0 - np.where(shrinking, ratio, 0.0))
    return np.asarray(np.minimum(tail, TUNING.longest_stretch))


def _follow(objective: Objective, here: Standpoint, pi_range: PiRange) -> Standpoint:
    """Take one Fisher step under new smoothing parameters."""
    step = bounded_step(here.repenalized(objective.penalty), pi_range)
    return go(objective, here, step.move)


def go(objective: Objective, here: Standpoint, step: Array) -> Standpoint:
    """Take a step under the smoothing parameters of an objective, halved until that does not fall."""
    value = here.loglik - float(objective.penalties(here.beta[None])[0])
    floor = value - 1e-9 * abs(value)
    for _ in range(TUNING.reml_halvings):
        (trial,) = objective.stand([here.beta + step])
        if trial.value >= floor:
            return trial
        step = step / 2.0
    return objective.stand([here.beta])[0]
