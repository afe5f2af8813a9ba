"""Scales along which an effect is smooth: the values themselves, or logarithms that even out a long tail."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.nodes import Node
from pugam.terms.expressions import AtLeast, Below, Call, Choice, Expression, Number, Quotient, Times, shifted

__all__ = ["LogScale", "find_log_scale", "is_skewed"]

Array = NDArray[np.float64]

TAILS = (0.05, 0.5, 0.95)  # quantiles of the distinct values
UNEVEN = 1.5  # one tail so many times as long as the other, and thinning out: logarithms are taken
FAR_OUT, THINNING = (
    0.005,
    0.5,
)  # how far the tail goes on to this quantile; it is 0.57 for normal values, 0.1 for even ones
SYMMETRIC = 1e-6  # tails that differ by less, as a share of both, are equally long
FARTHEST_POLE = 1e302  # no further than the widest range goes
NEAREST = 0.02  # to the end of the values comes the pole of the logarithm, as a share of the distance between the tails


@dataclass(frozen=True)
class LogScale:
    """x -> log(x - shift), or, where the lower tail is the long one, the mirror image -log(shift - x).

    Beyond `near`, the end of the range next to the pole, it goes on as a straight line: no value is too far out.

    Attributes
    ----------
    mirrored : bool
    shift, near : float
        In units of the column.
    """

    mirrored: bool
    shift: float
    near: float

    def __call__(self, x: NDArray[Any]) -> Array:
        """Transform values."""
        distance, inside = self._distance(x)
        logs = np.log(inside) + (distance - inside) / self._least
        return np.asarray(-logs if self.mirrored else logs)

    def expression(self, x: Expression) -> Expression:
        """The same as an expression."""
        sign = -1.0 if self.mirrored else 1.0
        distance = Times((Number(sign), shifted(x, -self.shift)))
        beyond = Quotient(shifted(distance, -self._least), Number(self._least))
        logs = Choice(
            (
                (Below(distance, self._least), shifted(beyond, math.log(self._least))),
                (AtLeast(distance, self._least), Call("ln", distance)),
            )
        )
        return Times((Number(sign), logs))

    def slope(self, x: NDArray[Any]) -> Array:
        """Derivative of the transformation."""
        return np.asarray(1.0 / self._distance(x)[1])

    def to_plain(self) -> dict[str, Any]:
        """Return the pole for a saved model; the end of the range next to it follows."""
        return {"mirrored": self.mirrored, "shift": self.shift}

    @classmethod
    def from_plain(cls, node: Node, lower: float, upper: float) -> LogScale:
        """Read the pole of a column with this range."""
        parts = node.fields("mirrored", "shift")
        mirrored, shift = parts["mirrored"].flag(), parts["shift"].number(-FARTHEST_POLE, FARTHEST_POLE)
        if not (shift > upper if mirrored else shift < lower):
            raise parts["shift"].error("a number outside the range, below it or, if mirrored, above")
        scale = cls(mirrored, shift, upper if mirrored else lower)
        low, high = scale(np.array([lower, upper]))
        if not low < high:
            raise parts["shift"].error("a number near enough to the range for logarithms to differ within it")
        return scale

    @property
    def _least(self) -> float:
        return abs(self.near - self.shift)

    def _distance(self, x: NDArray[Any]) -> tuple[Array, Array]:
        """Distance from the pole, and the same kept within the range."""
        distance = self.shift - x if self.mirrored else x - self.shift
        return distance, np.maximum(distance, self._least)


def is_skewed(values: Array) -> bool:
    """Whether one tail of the values is much longer than the other, and thins out.

    Values between two bounds may lie towards one of them, but have no tail to be continued into.
    """
    distinct = _distinct(values)
    lowest, low, middle, high, highest = np.quantile(distinct, (FAR_OUT, *TAILS, 1.0 - FAR_OUT))
    short, long, beyond = middle - low, high - middle, highest - high
    if short > long:
        short, long, beyond = long, short, low - lowest
    return bool(long > UNEVEN * short and beyond > THINNING * long)


def find_log_scale(values: Array, lower: float, upper: float) -> LogScale | None:
    """Find the shift that makes logarithms symmetric: the tails end equally far from the median.

    Distinct values rather than rows: a spike counts for no more than its place, and repeating rows changes nothing.
    None where the values are symmetric as they are, or reach so far that rounding leaves nothing of a shift.
    """
    low, middle, high = map(float, np.quantile(_distinct(values), TAILS))
    if abs((high - middle) - (middle - low)) <= SYMMETRIC * (high - low):
        return None
    mirrored = high - middle < middle - low
    if mirrored:
        low, middle, high, near = -high, -middle, -low, -upper
    else:
        near = lower
    shift = min(_symmetric_shift(low, middle, high), near - NEAREST * (high - low))
    if not shift < near:
        return None
    return LogScale(mirrored, -shift if mirrored else shift, float(upper if mirrored else lower))


def _distinct(values: Array) -> Array:
    """Distinct values in order. NumPy's `unique` hashes them before it sorts, which takes twice as long."""
    ordered = np.sort(values)
    return np.asarray(ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])])


def _symmetric_shift(low: float, middle: float, high: float) -> float:
    """Where (middle - shift)^2 = (low - shift) (high - shift)."""
    short, long = middle - low, high - middle
    return middle - short * (long / (long - short))
