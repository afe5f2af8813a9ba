"""How many positives a review of rows is expected to find, from the likeliest on, and how sure that is.

Given the parameters, rows are positive independently of each other, each with its posterior. Parameters are not known:
their errors move the posteriors of all rows together, so parameters are drawn from their distribution, and rows for
each draw. They are drawn twice: freely, and so that the mean posterior of all rows moves just as pi does, which it must
where the rows are a sample of the population. The two differ where classes are far apart: a few rows in doubt then
decide pi, and free draws, which are normal ones, hardly move the mean posterior. Limits hold those of both.

Negatives that look just like positives cannot be told from them (`model_error`): if a share q of the negatives does,
all posteriors are too high by one factor, and limits allow for it as those of pi do. A review of all unlabelled rows
finds n1 pi, with the interval of pi and what chance adds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pugam.inference.drawn_yields import SUREST, drawn_counts
from pugam.inference.intervals import Interval, normal_quantile
from pugam.inference.ranked_rows import RankedRows
from pugam.terms import Design

__all__ = ["Limits", "ModelErrors", "Yields", "expected_yields"]

Array = NDArray[np.float64]
Numbers = NDArray[np.intp]


class Limits(NamedTuple):
    """Numbers and their limits, arrays of shape (K,)."""

    estimate: Array
    lower: Array
    upper: Array

    def at(self, place: int, level: float) -> Interval:
        """The number at a place, as an interval of this level."""
        estimate, lower, upper = (float(values[place]) for values in self)
        return Interval(estimate, lower, upper, level, "draws")


class ModelErrors(NamedTuple):
    """What an interval for pi allows for model error, as shares of the negatives.

    Attributes
    ----------
    alike : float
        Of the negatives: they may look just like positives, and be counted among them.
    missed : float
        Of those that the model takes for negatives: they may be positive, where rows contradict the model.
    """

    alike: float = 0.0
    missed: float = 0.0

    @classmethod
    def of_share(cls, pi: float, lower: float, upper: float) -> ModelErrors:
        """From limits for pi that allow for model error alone."""
        left = max(1.0 - pi, SUREST)
        return cls(1.0 - left / max(1.0 - lower, left), (upper - pi) / left)

    def shortfall(self, posterior: Array, share: Array) -> Array:
        """By how much posteriors may be too high: all by the factor by which the share is."""
        true = np.maximum(1.0 - (1.0 - share) / (1.0 - self.alike), 0.0)
        return np.asarray(posterior * (1.0 - true / share))


@dataclass(frozen=True, eq=False)
class Yields:
    """What reviews of several lengths are expected to find: arrays of shape (K,), the shortest review first.

    Attributes
    ----------
    reviewed : array
        How many rows are reviewed.
    threshold : array
        The smallest posterior among them.
    found : Limits
        The number of positives among them.
    recall : Limits
        The share of these among the positives of all rows.
    level : float
    """

    reviewed: Numbers
    threshold: Array
    found: Limits
    recall: Limits
    level: float

    @property
    def precision(self) -> Limits:
        """The share of positives among the rows reviewed."""
        return Limits(*(values / np.maximum(self.reviewed, 1) for values in self.found))


def expected_yields(
    rows: RankedRows, design: Design, covariance: Array, errors: ModelErrors, reviewed: Numbers, level: float
) -> Yields:
    """Say what reviews are expected to find.

    Parameters
    ----------
    covariance : array of shape (2 + p, 2 + p)
        Of logit pi, of the intercept of the logit posterior, and of all coefficients, as made by
        `share_and_intercept_covariance`.
    reviewed : array of shape (K,)
        How many rows are reviewed, in rising order; the last are all of them.
    """
    normal_quantile(level)  # refuses what is no level
    posterior = rows.posterior
    estimate = _sums(posterior, reviewed)
    drawn = drawn_counts(rows, design, covariance, reviewed, estimate)
    ends = np.array([0.5 - 0.5 * level, 0.5 + 0.5 * level])
    low, high = _widest(np.quantile(drawn, ends, axis=1, method="inverted_cdf"))
    short = _sums(errors.shortfall(posterior, rows.share), reviewed)
    more = estimate + errors.missed * (reviewed - estimate)
    below = np.hypot(np.maximum(estimate - low, 0.0), short)
    lower, upper = np.rint(np.maximum(estimate - below, 0.0)), np.rint(np.maximum.reduce([high, more, estimate]))
    lower, upper = np.minimum(lower, np.floor(estimate)), np.maximum(upper, np.ceil(estimate))
    # A longer review finds all that a shorter one does: limits of neither are to say otherwise.
    lower, upper = np.minimum.accumulate(lower[::-1])[::-1], np.maximum.accumulate(upper)
    recalls = np.minimum(drawn / np.maximum(drawn[..., -1:], SUREST), 1.0)
    return Yields(
        reviewed,
        posterior[np.maximum(reviewed, 1) - 1],
        Limits(estimate, lower, upper),
        _recall(estimate, more, _widest(np.quantile(recalls, ends, axis=1))),
        level,
    )


def _widest(limits: Array) -> tuple[Array, Array]:
    """The lower and upper limits that hold all of several, shape (2, several, K)."""
    return limits[0].min(axis=0), limits[1].max(axis=0)


def _recall(estimate: Array, more: Array, limits: tuple[Array, Array]) -> Limits:
    """Recall with its limits; positives that the model misses are found as seldom as negatives are reviewed."""
    recall, with_missed = (values / max(float(values[-1]), SUREST) for values in (estimate, more))
    return Limits(recall, np.minimum.reduce([recall, with_missed, limits[0]]), np.maximum(recall, limits[1]))


def _sums(values: Array, reviewed: Numbers) -> Array:
    """Sums over the first rows, so many of them each."""
    return np.asarray(np.concatenate([[0.0], np.cumsum(values)])[reviewed])
