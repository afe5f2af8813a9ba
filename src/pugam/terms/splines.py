"""Spline mathematics on [0, 1]: knots, and a centred basis that diagonalises the roughness penalty.

The B-splines of the sieve are recombined into functions b_1, ..., b_{k-1} with

    int b_j = 0,    int b_i b_j = [i = j],    int b_i'' b_j'' = roughness_j [i = j],

so that the centring constraint of (eq:gaet) holds by construction and the penalty is a diagonal.
The first function is the straight line sqrt(12) (t - 1/2), whose roughness is exactly zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.interpolate import BSpline

__all__ = [
    "CUBIC_ORDER",
    "PiecewiseBasis",
    "bspline_coefficients",
    "centred_basis",
    "cyclic_basis",
    "even_knots",
    "quantile_knots",
]

Array = NDArray[np.float64]

CUBIC_ORDER = 4
SMALLEST_GAP = 1e-3


def even_knots(n_interior: int) -> Array:
    """Return interior knots spread evenly over (0, 1)."""
    return np.linspace(0.0, 1.0, n_interior + 2)[1:-1]


def quantile_knots(distinct: Array, n_interior: int) -> Array:
    """Return interior knots at quantiles of the distinct values, given on the [0, 1] scale.

    Distinct values rather than rows: a spike (zeros of a count, say) cannot make knots coincide, and
    repeating a row changes nothing. Knots are kept apart: roughness grows with the fourth power of their
    density, and the arithmetic bears only so much of it.
    """
    knots = np.quantile(distinct, even_knots(n_interior))
    gap = min(SMALLEST_GAP, 0.5 / (n_interior + 1))
    steps = gap * np.arange(1, n_interior + 1)
    knots = np.maximum.accumulate(np.maximum(knots - steps, 0.0)) + steps
    steps = steps[::-1]
    return np.asarray(np.minimum.accumulate(np.minimum(knots + steps, 1.0)[::-1])[::-1] - steps)


@dataclass(frozen=True, eq=False)
class PiecewiseBasis:
    """Functions that are one polynomial between neighbouring breaks, and one more on either side of them.

    Attributes
    ----------
    breaks : array of shape (n_intervals + 1,)
        From 0 to 1. Interval 0 is the left tail, interval n_intervals + 1 the right one; one more, where there is
        one, is for missing values (NaN).
    origins : array of shape (n_intervals + 2,)
        The point from which each interval's polynomial counts its argument.
    coefficients : array of shape (order, n_intervals + 2, n_functions)
        Coefficients by rising power.
    roughness : array of shape (n_functions,)
        Integral of the squared second derivative of each function over [0, 1].
    """

    breaks: Array
    origins: Array
    coefficients: Array
    roughness: Array

    def __call__(self, t: Array) -> Array:
        """Evaluate every function at every t: shape (len(t), n_functions)."""
        interval = np.searchsorted(self.breaks, t, side="right")
        offset = (t - self.origins[interval])[:, None]
        if self.coefficients.shape[1] > len(self.origins):
            missing = np.isnan(t)
            interval[missing], offset[missing] = len(self.origins), 0.0
        # Taking rows with mode="clip" skips a check of the numbers and is twice as fast as indexing.
        values: Array = self.coefficients[-1].take(interval, axis=0, mode="clip")
        for power in range(len(self.coefficients) - 2, -1, -1):
            values *= offset
            values += self.coefficients[power].take(interval, axis=0, mode="clip")
        return values

    def derivative(self) -> PiecewiseBasis:
        """Return the functions' derivatives, with the roughness of the functions themselves."""
        powers = np.arange(1, len(self.coefficients))[:, None, None]
        lower = self.coefficients[1:] * powers if len(powers) else np.zeros_like(self.coefficients)
        return PiecewiseBasis(self.breaks, self.origins, lower, self.roughness)

    def combine(self, theta: Array) -> PiecewiseBasis:
        """Return the one function that these multiples of all functions add up to; its roughness is not worked out."""
        # Not by BLAS, of which old versions round as numbers happen to lie in memory.
        combined = np.multiply(self.coefficients, theta, order="C").sum(axis=-1, keepdims=True)
        return PiecewiseBasis(self.breaks, self.origins, combined, np.full(1, np.nan))

    def with_missing(self) -> PiecewiseBasis:
        """Add a function that is one where a value is missing; the others are zero there."""
        order, n_intervals, n_functions = self.coefficients.shape
        coefficients = np.zeros((order, n_intervals + 1, n_functions + 1))
        coefficients[:, :-1, :-1] = self.coefficients
        coefficients[0, -1, -1] = 1.0
        return PiecewiseBasis(self.breaks, self.origins, coefficients, np.append(self.roughness, 0.0))

    def coarse(self, n_functions: int) -> PiecewiseBasis:
        """Keep the smoothest functions only."""
        return PiecewiseBasis(
            self.breaks, self.origins, self.coefficients[:, :, :n_functions], self.roughness[:n_functions]
        )


def centred_basis(interior: Array, order: int = CUBIC_ORDER) -> PiecewiseBasis:
    """Build the centred orthonormal spline basis with the given interior knots; equal knots are built once.

    Parameters
    ----------
    interior : array
        Increasing knots inside (0, 1).
    order : int
        Order of the splines, 4 for cubic. There are `len(interior) + order - 1` functions.
    """
    return _centred_basis(tuple(interior.tolist()), order)


@lru_cache(maxsize=64)
def _centred_basis(interior: tuple[float, ...], order: int) -> PiecewiseBasis:
    from scipy.interpolate import BSpline

    knots = np.concatenate([np.zeros(order), interior, np.ones(order)])
    breaks = np.concatenate([[0.0], interior, [1.0]])
    roughness, transform = _smooth_to_rough(BSpline(knots, np.eye(len(interior) + order), order - 1), breaks)
    transform[:, 0] = _line_coefficients(knots, order)
    roughness[0] = 0.0
    transform *= np.where(transform[-1] < 0.0, -1.0, 1.0)
    return _as_piecewise(BSpline(knots, transform, order - 1), breaks, roughness)


@lru_cache(maxsize=16)
def cyclic_basis(k: int) -> PiecewiseBasis:
    """Build the centred orthonormal basis of cubic splines with period 1 and k even knots: k - 1 functions.

    Values and the first two derivatives match at 0 and 1. None of the functions is a straight line.
    """
    from scipy.interpolate import BSpline

    degree = CUBIC_ORDER - 1
    knots = np.arange(-degree, k + degree + 1) / k
    around = np.eye(k)[np.arange(k + degree) % k]  # the last B-splines are the first ones, one period on
    breaks = np.arange(k + 1) / k
    roughness, transform = _smooth_to_rough(BSpline(knots, around, degree), breaks)
    transform *= np.where(transform[0] < 0.0, -1.0, 1.0)
    return _as_piecewise(BSpline(knots, around @ transform, degree), breaks, roughness)


def _smooth_to_rough(splines: BSpline, breaks: Array) -> tuple[Array, Array]:
    """Combine functions to centred orthonormal ones, from smooth to rough: their roughness, and the combinations."""
    from scipy.linalg import eigh, null_space

    nodes, weights = _gauss_legendre(breaks, splines.k + 1)
    values = splines(nodes)
    integral = weights @ values
    inner = (values * weights[:, None]).T @ values
    second = splines(nodes, nu=2) if splines.k > 1 else np.zeros_like(values)
    bending = (second * weights[:, None]).T @ second
    free = null_space(integral[None, :])
    roughness, vectors = eigh(free.T @ bending @ free, free.T @ inner @ free)
    return roughness, free @ vectors


def bspline_coefficients(splines: PiecewiseBasis) -> Array:
    """Coefficients of splines with simple knots in the B-splines of their order: shape (n_bsplines, n_splines).

    They are the values of the splines' polar forms at neighbouring knots (blossoming). Where none is negative, neither
    is the spline.
    """
    degree, breaks = len(splines.coefficients) - 1, splines.breaks
    last = len(breaks) - 2
    knots = np.concatenate([np.repeat(breaks[0], degree), breaks[1:-1], np.repeat(breaks[-1], degree)])
    binomials = [math.comb(degree, power) for power in range(degree + 1)]
    rows = []
    for first in range(last + 1 + degree):
        interval = min(max(first - (degree + 1) // 2, 0), last)
        offsets = knots[first : first + degree] - breaks[interval]
        # Elementary symmetric polynomials of the offsets, by rising power.
        symmetric = np.atleast_1d(np.poly(-offsets)) / binomials
        rows.append(symmetric @ splines.coefficients[:, 1 + interval])
    return np.array(rows)


def _line_coefficients(knots: Array, order: int) -> Array:
    """B-spline coefficients of sqrt(12) (t - 1/2): those of t are the knot averages (Greville points)."""
    n_functions = len(knots) - order
    greville = np.array([knots[i + 1 : i + order].mean() for i in range(n_functions)])
    return np.asarray(np.sqrt(12.0) * (greville - 0.5))


def _gauss_legendre(breaks: Array, n_points: int) -> tuple[Array, Array]:
    """Nodes and weights that integrate products of two splines of this order exactly."""
    points, weights = np.polynomial.legendre.leggauss(n_points)
    width = np.diff(breaks)[:, None]
    nodes = breaks[:-1, None] + width * (points + 1.0) / 2.0
    return nodes.ravel(), (width * weights / 2.0).ravel()


def _as_piecewise(spline: BSpline, breaks: Array, roughness: Array) -> PiecewiseBasis:
    """Expand a spline in powers from the left end of each interval, and in straight lines beyond both ends."""
    order = spline.k + 1
    origins = np.concatenate([[0.0], breaks[:-1], [1.0]])
    coefficients = np.stack([spline(origins, nu=power) / math.factorial(power) for power in range(order)])
    coefficients[2:, [0, -1]] = 0.0
    return PiecewiseBasis(breaks, origins, coefficients, roughness)
