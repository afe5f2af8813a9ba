"""Parameters that keep to rows @ x >= 0, a cone: its nearest point to a given one, and the directions left on a face.

Within a cone a parabola is highest at the point nearest to its free maximum, where distance is measured by its Hessian.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space, solve_triangular
from scipy.optimize import nnls

from pugam.linear_algebra import Factor, solve_factorized
from pugam.solvers.tuning import TUNING
from pugam.terms import Design

__all__ = [
    "UNCONSTRAINED",
    "Projection",
    "constrained_step",
    "constraint_rows",
    "free_directions",
    "nearest",
    "project",
    "project_all",
]

Array = NDArray[np.float64]

UNCONSTRAINED: Array = np.zeros((0, 0))


class Projection(NamedTuple):
    """The way from a point, or from B points, to the nearest of a cone.

    Attributes
    ----------
    shift : array of shape (q,) or (B, q)
        What to add to the point.
    multipliers : array of shape (c,) or (B, c)
        How strongly each constraint pushes; zero for those that do not: hessian @ shift = rows.T @ multipliers.
    """

    shift: Array
    multipliers: Array


def constraint_rows(design: Design) -> Array:
    """Rows of shape (c, q) for the parameters of a design, shares and intercepts among them."""
    return design.layout.spread(design.constraints) if len(design.constraints) else UNCONSTRAINED


def project(rows: Array, factor: Factor, point: Array) -> Projection:
    """Find the point x with rows @ x >= 0 that is nearest to a given one, in the metric of a Hessian.

    The dual problem is to minimise |G' m + v| over multipliers m >= 0, in coordinates in which the Hessian is the
    identity: G are the rows and v is the point there.

    Parameters
    ----------
    rows : array of shape (c, q)
    factor : Factor
        Of the Hessian, shape (q, q).
    point : array of shape (q,)
    """
    shifts, multipliers = project_all(rows, factor, point[None])
    return Projection(shifts[0], multipliers[0])


def project_all(rows: Array, factor: Factor, points: Array) -> Projection:
    """Find the nearest points to many, shape (B, q), as `project` does for one."""
    outside = np.flatnonzero((points @ rows.T < 0.0).any(axis=1))
    multipliers, shifts = np.zeros((len(points), len(rows))), np.zeros_like(points)
    if len(outside) == 0:
        return Projection(shifts, multipliers)
    lower, scale = factor
    whitened = solve_triangular(lower, (rows * scale).T, lower=True)
    lengths = np.linalg.norm(whitened, axis=0)
    orthonormal, upper = np.linalg.qr(whitened / lengths)
    targets = (points[outside] / scale) @ (lower @ orthonormal)
    for place, target in zip(outside, targets, strict=True):
        pushes = nnls(upper, -target, maxiter=TUNING.most_exchanges * len(rows))[0]
        multipliers[place] = np.where(pushes > TUNING.negligible_push * pushes.max(), pushes, 0.0) / lengths
    shifts[outside] = solve_triangular(lower, whitened @ multipliers[outside].T, lower=True, trans="T").T * scale
    return Projection(shifts, multipliers)


def constrained_step(factor: Factor, gradient: Array, rows: Array, here: Array) -> tuple[Array, float]:
    """Return the step to the top of a parabola within a cone, and what to add to the slope along it for its gain.

    With multipliers m the step d solves H d = g + A' m, so that its gain g'd - d'Hd / 2 is (g'd + m'A x) / 2.
    """
    step = solve_factorized(factor, gradient)
    if len(rows) == 0:
        return step, 0.0
    shift, multipliers = project(rows, factor, here + step)
    return step + shift, float(multipliers @ (rows @ here))


def nearest(rows: Array, points: Array) -> Array:
    """Bring points, shape (B, q), to the nearest ones with rows @ x >= 0; parameters without constraints stay."""
    if len(rows) == 0:
        return points
    bound, moved = np.flatnonzero(rows.any(axis=0)), points.copy()
    factor = np.eye(len(bound)), np.ones(len(bound))
    for point in moved:
        point[bound] += project(rows[:, bound], factor, point[bound]).shift
    return moved


def free_directions(rows: Array, free: slice, scale: Array) -> Array:
    """Directions along which rows @ x stays zero and only free parameters move, as columns of shape (q, r).

    Parameters
    ----------
    rows : array of shape (c, q)
        Of the active constraints; none concerns a parameter that is not free.
    free : slice
    scale : array of shape (q,)
        A step of each parameter that counts as one. Directions are orthonormal in these units, which keeps what is
        solved along them as well conditioned as it is without constraints.
    """
    bound = np.flatnonzero(rows.any(axis=0))
    others = np.setdiff1d(np.arange(rows.shape[1])[free], bound)
    inside = scale[bound, None] * null_space(rows[:, bound] * scale[bound])
    directions = np.zeros((rows.shape[1], len(others) + inside.shape[1]))
    directions[others, np.arange(len(others))] = 1.0
    directions[bound, len(others) :] = inside
    return directions
