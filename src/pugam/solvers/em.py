"""The paper's EM-type algorithm (Algorithm 1): slower than Fisher scoring, same optima, monotone by construction."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Expectation
from pugam.likelihood import logit
from pugam.linear_algebra import factorize_semidefinite
from pugam.solvers.constraints import constrained_step, nearest
from pugam.solvers.objective import Objective
from pugam.solvers.optimum import Optimum
from pugam.solvers.pi import PiPrior, PiRange
from pugam.solvers.standpoint import Standpoint
from pugam.solvers.steps import bounded_step
from pugam.solvers.tuning import TUNING

__all__ = ["maximize_em", "mixture_step"]

Array = NDArray[np.float64]


def maximize_em(objective: Objective, starts: Array, pi_range: PiRange, tol: float, max_iter: int) -> list[Optimum]:
    """Run EM from every row of `starts`, shape (B, q).

    A run stops when the log-likelihood and, relatively, pi both change by less than `tol` (the paper: 1e-4); where rows
    have weights, the log-likelihood is measured by a small one, their lowest decile. So a common factor does not count,
    and rows that count once or more are measured as if they were repeated.
    """
    return [
        _climb(objective.of_climbs(number), start, pi_range, tol, max_iter)
        for number, start in enumerate(nearest(objective.constraints, np.array(starts, dtype=float)))
    ]


def mixture_step(hidden: float, n0: float, n1: float, prior: PiPrior) -> float:
    """M-step for pi given the expected number of positives among the unlabelled rows.

    Maximises S log pi - (n0 + S) log(n0 + n1 pi) + log prior, whose derivative has the sign of a quadratic; its
    smallest positive root is the maximum. Without a prior that is S / n1, (eq:M-step-1).
    """
    up, down = hidden + prior.success, prior.failure
    constant = up * n0
    linear = up * (n1 - n0) - (n0 + hidden) * n1 - down * n0
    square = n1 * (n0 - prior.success - prior.failure)
    root = np.sqrt(max(linear * linear - 4.0 * square * constant, 0.0))
    # With labelled rows enough, linear < 0: this form of the root then does not cancel, and bears square = 0.
    return float(2.0 * constant / (root - linear))


def _climb(objective: Objective, beta: Array, pi_range: PiRange, tol: float, max_iter: int) -> Optimum:
    engine, share = objective.engine, objective.layout.share
    if not pi_range.fixed:
        beta[share] = np.clip(beta[share], *pi_range.logits)
    (here,) = objective.stand([beta])
    little = tol if engine.weights is None else tol * float(np.quantile(engine.weights, TUNING.small_weights))
    history, converged, n_iter = [here.value], False, 0
    while n_iter < max_iter and not converged:
        n_iter += 1
        pi = here.pi
        labels = engine.expectation(np.array([pi]), here.b[None])
        new_pi = pi
        if not pi_range.fixed:
            hidden = float(labels.hidden_positives[0])
            new_pi = float(pi_range.clip(np.array(mixture_step(hidden, engine.n0, engine.n1, objective.prior))))
        beta = objective.layout.with_share(here.beta, here.logit_pi if pi_range.fixed else logit(new_pi))
        beta[objective.layout.predictor] = _logistic_fit(objective, labels, here.b, TUNING.em_inner_gain * little)
        (new,) = objective.stand([beta])
        converged = abs(new.loglik - here.loglik) < little and abs(new_pi - pi) <= tol * pi
        here = new
        history.append(here.value)
    return Optimum.at(here, n_iter, converged and _is_near_top(here, pi_range, little), history)


def _is_near_top(here: Standpoint, pi_range: PiRange, little: float) -> bool:
    """Whether small steps mean that there is not much more to gain, and not only that each step gains little.

    With very many unlabelled rows for each labelled one, and where curves grow without bound, EM creeps.
    """
    step = bounded_step(here, pi_range)
    return step.gain < TUNING.em_most_left * little


def _logistic_fit(objective: Objective, labels: Expectation, b: Array, gain: float) -> Array:
    """M-step for (a, theta): penalised logistic regression on the expected labels, by damped Newton steps."""
    curvature = objective.layout.of_predictors.spread(objective.penalty)
    rows = objective.constraints[:, objective.layout.predictor]
    value, score, information = _penalized_logistic(objective, labels, b, curvature)
    for _ in range(TUNING.em_inner_iterations):
        factor = factorize_semidefinite(information + np.diag(curvature))
        step, pressure = constrained_step(factor, score, rows, b)
        length, predicted = 1.0, 0.5 * (float(score @ step) + pressure)
        while True:
            trial = b + length * step
            new_value, new_score, new_information = _penalized_logistic(objective, labels, trial, curvature)
            if new_value >= value or length < TUNING.em_smallest_step:
                break
            length /= 2.0
        if new_value < value:
            break
        b, value, score, information = trial, new_value, new_score, new_information
        if predicted < gain:
            break
    return b


def _penalized_logistic(
    objective: Objective, labels: Expectation, b: Array, curvature: Array
) -> tuple[float, Array, Array]:
    sums = objective.engine.logistic_sums(labels, b[None])
    value = float(sums.value[0]) - 0.5 * float(curvature @ (b * b))
    return value, sums.score[0] - curvature * b, sums.information[0]
