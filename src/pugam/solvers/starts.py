"""Where to start climbing: points that differ in pi and, above all, in the steepness of the curves.

With flat curves pi is not identified at all, so a flat start is a trap that leads to the boundary. All
starts share the direction of the naive fit, in which every unlabelled row counts as a negative (pi = 0).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.likelihood import logit
from pugam.linear_algebra import inverse
from pugam.solvers.constraints import nearest
from pugam.solvers.objective import Objective
from pugam.solvers.optimum import Optimum
from pugam.solvers.pi import PiRange
from pugam.solvers.tuning import TUNING

__all__ = ["GRID_SIZE", "Maximize", "fit_naively", "make_starts"]

Array = NDArray[np.float64]
Maximize = Callable[[Objective, Array, PiRange, float, int], list[Optimum]]

GRID_SIZE = len(TUNING.start_steepness) * len(TUNING.start_shares)


def fit_naively(smooth: Objective, maximize: Maximize) -> Optimum:
    """Fit with pi = 0.

    The objective is one of enough smoothing that the fit cannot run away along curves that happen to separate the
    labels.
    """
    flat = smooth.layout.join(-np.inf, 0.0, np.zeros(len(smooth.penalty)))
    return maximize(smooth, flat[None], PiRange(0.0, 0.0), TUNING.naive_tol, TUNING.naive_iterations)[0]


def make_starts(engine: Engine, naive: Optimum, pi_range: PiRange, n_starts: int, rng: np.random.Generator) -> Array:
    """Return `n_starts` points, shape (n_starts, q): first a fixed grid, then random ones.

    With pi fixed there are at most three, which differ in steepness.
    """
    layout = naive.layout
    steep, some = TUNING.start_steepness, TUNING.start_shares
    grid = list(product(steep, some[:1] if pi_range.fixed else some))[:n_starts]
    steepness, shares = np.array(grid).T
    curves = steepness[:, None] * naive.theta
    extra = n_starts - len(grid)
    if extra and not pi_range.fixed:
        shares = np.concatenate([shares, rng.uniform(0.1, 0.9, extra)])
        random = np.exp(rng.uniform(np.log(min(steep)), np.log(max(steep)), extra))
        steepness = np.concatenate([steepness, random])
        spread = np.linalg.cholesky(inverse(naive.hessian[layout.predictor, layout.predictor]))
        noise = (rng.standard_normal((extra, len(spread))) @ spread.T)[:, layout.of_predictors.coefficients]
        curves = np.vstack([curves, steepness[len(grid) :, None] * (naive.theta + noise)])
        curves = nearest(naive.constraints[:, layout.coefficients], curves)
    pi = pi_range.low + shares * (pi_range.high - pi_range.low)
    intercepts = _calibrate(engine, pi, curves, steepness * naive.intercept)
    return layout.join(logit(pi), intercepts, curves)


def _calibrate(engine: Engine, pi: Array, curves: Array, guess: Array) -> Array:
    """Find intercepts at which the posteriors of the unlabelled rows average about pi, by secant steps in logits.

    The guess scales the naive intercept with the curves: it takes up what they are, on average, for the rows there are.
    """
    target = logit(pi)
    low, high = np.minimum(1e-6, 0.1 * pi), 1.0 - np.minimum(1e-6, 0.1 * (1.0 - pi))  # a fixed pi may be very small

    def excess(intercept: Array) -> Array:
        hidden = engine.expectation(pi, engine.design.layout.join_predictor(intercept, curves)).hidden_positives
        return np.asarray(logit(np.clip(hidden / engine.n1, low, high)) - target)

    last = guess
    last_excess = excess(last)
    here = last - np.where(last_excess == 0.0, 1.0, last_excess)
    for _ in range(TUNING.calibration_steps):
        here_excess = excess(here)
        rise = here_excess - last_excess
        # The excess grows with the intercept; where rounding or clipping hides that, step as if with slope one.
        slope = np.where(rise * (here - last) > 0.0, rise / np.where(here == last, 1.0, here - last), 1.0)
        step = np.clip(-here_excess / np.maximum(slope, 0.05), -20.0, 20.0)
        last, last_excess, here = here, here_excess, here + step
    return here
