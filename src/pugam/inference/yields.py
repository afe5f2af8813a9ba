"""How many positives a review of rows is expected to find, from the likeliest on, and how sure that is.

Given the parameters, rows are positive independently of each other, each with its posterior. Parameters are not known:
their errors move the posteriors of all rows together, so parameters are drawn from their distribution, and rows for
each draw. Negatives that look just like positives cannot be told from them (`model_error`): if a share q of the
negatives does, all posteriors are too high by one factor, and limits allow for it as those of pi do. A review of all
unlabelled rows finds n1 pi, with the interval of pi and what chance adds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pugam.inference.intervals import normal_quantile
from pugam.likelihood import expit, logit
from pugam.terms import Design, Encoded

__all__ = ["Limits", "ModelErrors", "RankedRows", "Yields", "expected_yields"]

Array = NDArray[np.float64]
Numbers = NDArray[np.intp]

HALF_OF_DRAWS = 500  # parameters are drawn in pairs that lie opposite each other
MOST_ROWS = 20_000  # for which posteriors are drawn; of longer lists, rows further down stand for several
ROWS_AT_A_TIME = 1000
SEED = 0
MOST_STEPS, ENOUGH = 50, 1e-12  # of Newton, who needs about five; how far means of shares may be off
FARTHEST = 30.0  # on the logit scale, by which draws are moved
SUREST = 1e-12


class Limits(NamedTuple):
    """Numbers and their limits, arrays of shape (K,)."""

    estimate: Array
    lower: Array
    upper: Array


class ModelErrors(NamedTuple):
    """What an interval for pi allows for errors of the model, as shares of the negatives.

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
        """From limits for pi that know of errors of the model alone."""
        left = max(1.0 - pi, SUREST)
        return cls(1.0 - left / max(1.0 - lower, left), (upper - pi) / left)

    def shortfall(self, posterior: Array, share: Array) -> Array:
        """By how much posteriors may be too high: all by the factor by which the share is."""
        true = np.maximum(1.0 - (1.0 - share) / (1.0 - self.alike), 0.0)
        return np.asarray(posterior * (1.0 - true / share))


@dataclass(frozen=True, eq=False)
class RankedRows:
    """Rows from the likeliest to the least likely positive, and what their posteriors depend on.

    Attributes
    ----------
    logits, centre, share : arrays of shape (n,)
        Logits of posteriors as they are reported; those around which those of other parameters lie; the share of
        positives that holds for each row.
    sample : array of shape (n,)
        The number of the sample each row is from.
    excess : array of shape (n_samples,)
        By how much logits of shares of samples vary beside what all samples have in common.
    encoded_at : callable
        Gives the encoded values of rows by their places among these, one array per term.
    """

    logits: Array
    centre: Array
    share: Array
    sample: Numbers
    excess: Array
    encoded_at: Callable[[Numbers], Sequence[Encoded]]

    @property
    def posterior(self) -> Array:
        """Their posteriors."""
        return np.asarray(expit(self.logits))


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
    covariance : array of shape (1 + p, 1 + p)
        Of the intercept of the logit posterior, and of all coefficients, as made by `intercept_covariance`.
    reviewed : array of shape (K,)
        How many rows are reviewed, in rising order; the last are all of them.
    """
    normal_quantile(level)  # refuses what is no level
    posterior = rows.posterior
    estimate = _sums(posterior, reviewed)
    drawn = _drawn_counts(rows, design, covariance, reviewed, estimate)
    ends = 0.5 - 0.5 * level, 0.5 + 0.5 * level
    low, high = np.quantile(drawn, ends, axis=0, method="inverted_cdf")
    short = _sums(errors.shortfall(posterior, rows.share), reviewed)
    more = estimate + errors.missed * (reviewed - estimate)
    below = np.hypot(np.maximum(estimate - low, 0.0), short)
    lower, upper = np.rint(np.maximum(estimate - below, 0.0)), np.rint(np.maximum.reduce([high, more, estimate]))
    recalls = drawn / np.maximum(drawn[:, -1:], SUREST)
    return Yields(
        reviewed,
        posterior[np.maximum(reviewed, 1) - 1],
        Limits(estimate, lower, upper),
        _recall(estimate, more, np.quantile(np.minimum(recalls, 1.0), ends, axis=0)),
        level,
    )


def _recall(estimate: Array, more: Array, limits: Array) -> Limits:
    """Recall with its limits; positives that the model misses are found as seldom as negatives are reviewed."""
    recall, with_missed = (values / max(float(values[-1]), SUREST) for values in (estimate, more))
    return Limits(recall, np.minimum.reduce([recall, with_missed, limits[0]]), np.maximum(recall, limits[1]))


def _sums(values: Array, reviewed: Numbers) -> Array:
    """Sums over the first rows, so many of them each."""
    return np.asarray(np.concatenate([[0.0], np.cumsum(values)])[reviewed])


def _drawn_counts(
    rows: RankedRows, design: Design, covariance: Array, reviewed: Numbers, estimate: Array
) -> NDArray[np.float64]:
    """Numbers of positives found, drawn at random, in each review: shape (N, K).

    On average over the parameters they are as many as the posteriors, which are averages themselves, say.
    """
    expected, chance = _drawn_sums(rows, design, covariance, reviewed)
    size = np.maximum(reviewed, 1)
    wanted = np.clip(estimate / size, SUREST, 1.0 - SUREST)
    share = _with_mean(np.clip(expected / size, SUREST, 1.0 - SUREST), wanted)
    return np.clip(np.rint(share * size + chance), 0.0, reviewed)


def _with_mean(shares: Array, wanted: Array) -> Array:
    """Move shares, of shape (N, K), along the logit scale until their means are those wanted, shape (K,)."""
    logits, moved = logit(shares), np.zeros(len(wanted))
    low, high = np.full(len(wanted), -FARTHEST), np.full(len(wanted), FARTHEST)
    for _ in range(MOST_STEPS):
        found = expit(logits + moved)
        mean = np.clip(found.mean(axis=0), SUREST, 1.0 - SUREST)
        if np.abs(mean - wanted).max() <= ENOUGH:
            break
        low, high = np.where(mean > wanted, low, moved), np.where(mean > wanted, moved, high)
        slope = (found * (1.0 - found)).mean(axis=0) / (mean * (1.0 - mean))
        newton = moved + (logit(wanted) - logit(mean)) / np.maximum(slope, SUREST)
        moved = np.where((newton >= low) & (newton <= high), newton, 0.5 * (low + high))
    return np.asarray(found)


def _drawn_sums(rows: RankedRows, design: Design, covariance: Array, reviewed: Numbers) -> tuple[Array, Array]:
    """Sums of drawn posteriors over the rows of each review, and what chance adds to them: each of shape (N, K)."""
    rng = np.random.default_rng(SEED)
    moves = _opposite_pairs(rng, len(covariance)) @ _root(covariance).T
    of_samples = _opposite_pairs(rng, len(rows.excess)) * np.sqrt(rows.excess)
    places, counts = _thinned(len(rows.logits))
    segment = np.searchsorted(reviewed, places, side="right")
    expected, chance = np.zeros((2, len(reviewed) + 1, 2 * HALF_OF_DRAWS))
    encoded = rows.encoded_at(places)
    for start in range(0, len(places), ROWS_AT_A_TIME):
        some = slice(start, start + ROWS_AT_A_TIME)
        at, weight = places[some], counts[some, None]
        moved = design.matrix([values[some] for values in encoded]) @ moves.T
        posterior = expit(rows.centre[at, None] + moved + of_samples.T[rows.sample[at]])
        luck = np.sqrt(weight) * ((rng.random(posterior.shape) < posterior) - posterior)
        starts = np.flatnonzero(np.diff(segment[some], prepend=-1))
        expected[segment[some][starts]] += np.add.reduceat(weight * posterior, starts, axis=0)
        chance[segment[some][starts]] += np.add.reduceat(luck, starts, axis=0)
    return np.cumsum(expected, axis=0)[:-1].T, np.cumsum(chance, axis=0)[:-1].T


def _opposite_pairs(rng: np.random.Generator, size: int) -> Array:
    drawn = rng.standard_normal((HALF_OF_DRAWS, size))
    return np.concatenate([drawn, -drawn])


def _root(covariance: Array) -> Array:
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def _thinned(n_rows: int) -> tuple[Numbers, Array]:
    """Places of rows that stand for all, the first half of them each for itself, and for how many each stands."""
    if n_rows <= MOST_ROWS:
        return np.arange(n_rows), np.ones(n_rows)
    first = MOST_ROWS // 2
    edges = np.unique(np.linspace(first, n_rows, MOST_ROWS - first + 1).astype(np.intp))
    places = np.concatenate([np.arange(first), (edges[:-1] + edges[1:]) // 2])
    return places, np.concatenate([np.ones(first), np.diff(edges).astype(float)])
