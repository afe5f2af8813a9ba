"""How sure curves of a given shape are: parameters drawn at random that keep to their constraints.

Without its constraints the model would be about normal around an estimate of its own. Parameters are drawn from that
normal distribution, and each draw is brought to the nearest parameters that keep to the constraints, as the estimate
was. Curves made of them are monotone, or convex, and so are the quantiles of monotone curves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pugam.inference.kind import Inference
from pugam.linear_algebra import factorize_semidefinite
from pugam.solvers import Fit, project_all

__all__ = ["draw_deviations", "draw_parameters", "shaped_covariance", "shaped_limits"]

Array = NDArray[np.float64]

N_PAIRS, SEED = 1000, 0


def shaped_covariance(inference: Inference[Fit]) -> Array:
    """Covariance of beta = (logit pi, a, theta) behind bands and odds ratios; with shapes, that of draws."""
    if len(inference.design.constraints) == 0:
        return inference.curve_covariance()
    return np.atleast_2d(np.cov(draw_parameters(inference), rowvar=False, bias=True))


def draw_parameters(inference: Inference[Fit]) -> Array:
    """Draw parameters that keep to the constraints, always the same ones for the same fit: shape (N, q)."""
    loose = inference.unconstrained()
    draws = loose.centre + draw_deviations(loose.covariance)
    free, rows = loose.curved.layout.free(loose.share_fixed), loose.curved.constraints
    factor = factorize_semidefinite(loose.curved.hessian[free, free])
    draws[:, free] += project_all(rows[:, free], factor, draws[:, free]).shift
    return draws


def draw_deviations(covariance: Array) -> Array:
    """Draw pairs of opposite normal deviations whose mean is zero and whose covariance is that given, to rounding."""
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    standard = np.random.default_rng(SEED).standard_normal((N_PAIRS, len(root)))
    if len(root) < N_PAIRS:
        standard = np.linalg.qr(standard)[0] * np.sqrt(N_PAIRS)
    deviations = standard @ root.T
    return np.vstack([deviations, -deviations])


def shaped_limits(estimate: Array, curves: Array, level: float, simultaneous: bool = False) -> tuple[Array, Array]:
    """Limits of a curve, from those drawn around it, shape (N, n): quantiles at each point.

    Simultaneous limits are quantiles further out, so far that the share `level` of the curves lies within them
    everywhere.
    """
    ordered = np.sort(curves, axis=0)
    count = 0.5 * (1.0 - level) * len(curves)
    if simultaneous:
        depths = np.min([_depths(ordered[:, point], curves[:, point]) for point in range(curves.shape[1])], axis=0)
        count = min(count, float(np.quantile(depths, 1.0 - level, method="lower")))
    place = max(round(count), 1) - 1
    return np.minimum(ordered[place], estimate), np.maximum(ordered[-1 - place], estimate)


def _depths(ordered: Array, values: Array) -> NDArray[np.intp]:
    """How many of the ordered values lie on the thinner side of each value, itself included."""
    below = np.searchsorted(ordered, values, side="right")
    above = len(ordered) - np.searchsorted(ordered, values, side="left")
    return np.asarray(np.minimum(below, above))
