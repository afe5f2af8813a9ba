"""Shares of several kinds of positives, each known among the rows that are of no other kind.

With shares pi_1, ..., pi_K, the model of kind k sees the unlabelled rows less those that are expected to be of other
kinds. It knows the odds pi_k / (1 - pi_1 - ... - pi_K), so that

    pi_k = o_k / (1 + o_1 + ... + o_K),    pi / (1 - pi) = o_1 + ... + o_K.

Limits of several odds are put together as their half-widths below and above the estimates, with the correlation of
the estimates (Zou and Donner 2008: the variance recovered from limits), so that they keep their skewness.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.inference.influence import pi_influence
from pugam.inference.intervals import Interval
from pugam.likelihood import expit, logit
from pugam.solvers import Fitted

__all__ = ["KindLimits", "kind_posteriors", "of_found_kinds", "rows_left", "share_correlation", "worst_verdict"]

Array = NDArray[np.float64]

LARGEST_LOGIT = 30.0
SMALLEST_WEIGHT = 1e-6  # of a row that is certainly of another kind: it stays among the rows
SEVERITY = ("fixed", "well determined", "weakly determined", "not determined", "does not fit")
METHOD = "kinds"


@dataclass(frozen=True, eq=False)
class KindLimits:
    """Odds of K kinds with their limits, and how they vary together.

    Attributes
    ----------
    intervals : sequence of K Interval
        For the share of a kind among rows that are of no other kind, for sampling error alone.
    others : sequence of K sequences of float
        What others than the model say of that share, where rows contradict it.
    correlation : array of shape (K, K)
        Of the logits of these shares.
    """

    intervals: Sequence[Interval]
    others: Sequence[Sequence[float]]
    correlation: Array

    @property
    def logits(self) -> Array:
        """Logits of the shares among rows of no other kind, which are the logarithms of the odds."""
        return _logits(np.array([interval.estimate for interval in self.intervals]))

    @property
    def shares(self) -> Array:
        """Shares among all unlabelled rows, shape (K,)."""
        return _shares(self.logits)

    def together(self) -> Interval:
        """The interval for the sum of all shares, for sampling error alone."""
        odds, lower, upper = (np.exp(part) for part in (self.logits, *self._ends()))
        below, above = (_length(part, self.correlation) for part in (odds - lower, upper - odds))
        total = float(odds.sum())
        low, high = total - below, total + above
        ends = max(low, 0.0) / (1.0 + max(low, 0.0)), high / (1.0 + high)
        return Interval(total / (1.0 + total), *ends, self.intervals[0].level, METHOD)

    def of_kind(self, number: int) -> Interval:
        """The interval for the share of one kind, for sampling error alone."""
        logits, shares = self.logits, self.shares
        # How its logit moves with those of all odds: more rows of other kinds leave fewer for this one.
        slopes = -shares / (1.0 - shares[number])
        slopes[number] = 1.0
        lower, upper = self._ends()
        below = _length(slopes * np.where(slopes > 0.0, logits - lower, upper - logits), self.correlation)
        above = _length(slopes * np.where(slopes > 0.0, upper - logits, logits - lower), self.correlation)
        share = float(shares[number])
        middle = float(logit(share))
        ends = float(expit(middle - below)), float(expit(middle + above))
        return Interval(share, *ends, self.intervals[0].level, METHOD)

    def by_others(self, number: int) -> list[float]:
        """What others say of the share of one kind."""
        return [float(self._moved(number, value)[number]) for value in self.others[number]]

    def _ends(self) -> tuple[Array, Array]:
        lower = _logits(np.array([interval.lower for interval in self.intervals]))
        upper = _logits(np.array([interval.upper for interval in self.intervals]))
        return np.minimum(lower, self.logits), np.maximum(upper, self.logits)

    def _moved(self, number: int, value: float) -> Array:
        """Shares of all kinds, were that of one kind another."""
        logits = self.logits.copy()
        logits[number] = _logits(np.array([value]))[0]
        return _shares(logits)

    def sums_by_others(self) -> list[float]:
        """The smallest and the largest sum by what others say of single kinds; nothing where they say nothing."""
        if not any(len(values) for values in self.others):
            return []
        known = [(interval.estimate, *values) for interval, values in zip(self.intervals, self.others, strict=True)]
        ends = np.array([(min(values), max(values)) for values in known]).T
        return [float(_shares(_logits(end)).sum()) for end in ends]


def _shares(logits: Array) -> Array:
    odds = np.exp(logits)
    return np.asarray(odds / (1.0 + odds.sum()))


def _logits(shares: Array) -> Array:
    with np.errstate(divide="ignore"):
        return np.asarray(np.clip(logit(shares), -LARGEST_LOGIT, LARGEST_LOGIT))


def _length(parts: Array, correlation: Array) -> float:
    """Standard deviation, or half-width, of a sum of parts with these half-widths."""
    return math.sqrt(max(float(parts @ correlation @ parts), 0.0))


def kind_posteriors(logits: Array) -> Array:
    """P(kind k | x) of rows, shape (n_rows, K), from the logits of each kind among rows of no other kind."""
    highest = np.maximum(logits.max(axis=1, initial=0.0), 0.0)[:, None]
    odds = np.exp(logits - highest)
    return np.asarray(odds / (np.exp(-highest) + odds.sum(axis=1, keepdims=True)))


def rows_left(posteriors: Array, number: int) -> Array:
    """What is left of each unlabelled row when those of other kinds are taken out: the weights of a kind's fit."""
    others = posteriors.sum(axis=1) - posteriors[:, number]
    return np.asarray(np.clip(1.0 - others, SMALLEST_WEIGHT, 1.0))


def share_correlation(fits: Sequence[Fitted]) -> Array:
    """Correlation of the logits of K fits with the same unlabelled rows, in the same order, and labelled rows apart."""
    influence = [pi_influence(fitted) for fitted in fits]
    common = np.array([rows[~fitted.engine.positive] for rows, fitted in zip(influence, fits, strict=True)])
    covariance = common @ common.T
    errors = np.sqrt([max(float(rows @ rows), np.finfo(float).tiny) for rows in influence])
    correlation = covariance / np.outer(errors, errors)
    np.fill_diagonal(correlation, 1.0)
    return np.asarray(correlation)


def worst_verdict(verdicts: Sequence[Any]) -> tuple[Any, int]:
    """The worst verdict on several kinds, and the first kind it is of; None where one was not judged."""
    if any(verdict is None for verdict in verdicts):
        return None, 0
    number = max(range(len(verdicts)), key=lambda place: (SEVERITY.index(verdicts[place]), -place))
    return verdicts[number], number


def of_found_kinds(worst: str | None) -> str | None:
    """The verdict on all kinds where clustering found them, whose worst is this: intervals take clusters for given."""
    return "weakly determined" if worst == "well determined" else worst
