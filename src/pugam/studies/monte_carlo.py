"""Figures of a simulation with their Monte-Carlo errors, and their comparison with printed ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

__all__ = [
    "PRINTED_REPLICATES",
    "Comparison",
    "Measured",
    "average_of",
    "mean_of",
    "mean_square_of",
    "median_of",
    "rate_of",
    "spread_of",
]

PRINTED_REPLICATES = 500  # of every figure in the paper
FAR = 3.0  # standard errors


@dataclass(frozen=True)
class Measured:
    """A figure from so many replicates.

    Attributes
    ----------
    value, error : float
        The figure and its standard error.
    replicates : int
    is_rate : bool
        Whether it is a share of replicates, whose error follows from the share itself.
    """

    value: float
    error: float
    replicates: int
    is_rate: bool = False


@dataclass(frozen=True)
class Comparison:
    """A measured figure next to the printed one, if there is one.

    Attributes
    ----------
    digits : int
        Decimals that are printed.
    """

    measured: Measured
    printed: float | None
    digits: int = 3

    @property
    def differs(self) -> bool:
        """Whether the two are further apart than three standard errors of their difference.

        The printed figure, from 500 replicates, is taken to vary as much as ours would, and by its rounding.
        """
        if self.printed is None:
            return False
        ours, rounding = self.measured, 10.0**-self.digits / math.sqrt(12.0)
        if ours.is_rate:
            # Their common share: one that is estimated as 0 or 1 would claim to have no error.
            weight = ours.replicates / (ours.replicates + PRINTED_REPLICATES)
            share = weight * ours.value + (1.0 - weight) * self.printed
            variance = share * (1.0 - share) * (1.0 / ours.replicates + 1.0 / PRINTED_REPLICATES)
        else:
            variance = ours.error**2 * (1.0 + ours.replicates / PRINTED_REPLICATES)
        return abs(ours.value - self.printed) > FAR * math.sqrt(variance + rounding**2)


def mean_of(values: ArrayLike) -> Measured:
    """The mean."""
    numbers = np.asarray(values, dtype=float)
    return Measured(float(numbers.mean()), _error_of_mean(numbers), len(numbers))


def spread_of(values: ArrayLike) -> Measured:
    """The standard deviation; its error by the delta method, from the fourth moment."""
    numbers = np.asarray(values, dtype=float)
    spread = float(numbers.std(ddof=1))
    squares = (numbers - numbers.mean()) ** 2
    return Measured(spread, _error_of_mean(squares) / (2.0 * spread) if spread > 0.0 else 0.0, len(numbers))


def mean_square_of(values: ArrayLike) -> Measured:
    """The mean of squares."""
    return mean_of(np.asarray(values, dtype=float) ** 2)


def rate_of(flags: ArrayLike) -> Measured:
    """The share of replicates in which something happened."""
    happened = np.asarray(flags, dtype=float)
    share = float(happened.mean())
    return Measured(share, math.sqrt(share * (1.0 - share) / len(happened)), len(happened), is_rate=True)


def median_of(values: ArrayLike) -> Measured:
    """The median; its error is half the distance of the values half a root of their number to either side of it."""
    ordered = np.sort(np.asarray(values, dtype=float))
    n = len(ordered)
    aside = 0.5 * math.sqrt(n)  # the number of values below the true median has this standard deviation
    low, high = (ordered[min(max(round(0.5 * (n - 1) + side), 0), n - 1)] for side in (-aside, aside))
    return Measured(float(np.median(ordered)), float(high - low) / 2.0, n)


def average_of(parts: Sequence[Measured]) -> Measured:
    """The mean of figures that are independent of each other, each counted once, whatever their replicates."""
    value = math.fsum(part.value for part in parts) / len(parts)
    error = math.sqrt(math.fsum(part.error**2 for part in parts)) / len(parts)
    return Measured(value, error, sum(part.replicates for part in parts))


def _error_of_mean(values: np.ndarray) -> float:
    if len(values) == 1:
        return math.nan  # one value does not tell how much it varies
    return float(values.std(ddof=1)) / math.sqrt(len(values))
