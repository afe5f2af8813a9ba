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
ROWS_FOR_MEANS = 400  # evenly among all, over which mean posteriors are taken
ROWS_AT_A_TIME = 1000
SEED = 0
HALVINGS = 35
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
    covariance : array of shape (2 + p, 2 + p)
        Of logit pi, of the intercept of the logit posterior, and of all coefficients, as made by
        `share_and_intercept_covariance`.
    reviewed : array of shape (K,)
        How many rows are reviewed, in rising order; the last are all of them.
    """
    normal_quantile(level)  # refuses what is no level
    posterior = rows.posterior
    estimate = _sums(posterior, reviewed)
    drawn = _drawn_counts(rows, design, covariance, reviewed, estimate)
    ends = np.array([0.5 - 0.5 * level, 0.5 + 0.5 * level])
    low, high = _widest(np.quantile(drawn, ends, axis=1, method="inverted_cdf"))
    short = _sums(errors.shortfall(posterior, rows.share), reviewed)
    more = estimate + errors.missed * (reviewed - estimate)
    below = np.hypot(np.maximum(estimate - low, 0.0), short)
    lower, upper = np.rint(np.maximum(estimate - below, 0.0)), np.rint(np.maximum.reduce([high, more, estimate]))
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


def _drawn_counts(rows: RankedRows, design: Design, covariance: Array, reviewed: Numbers, estimate: Array) -> Array:
    """Numbers of positives found, drawn at random, in each review: shape (2, N, K), drawn freely and with the share.

    On average over the parameters they are as many as the posteriors, which are averages themselves, say.
    """
    size = np.maximum(reviewed, 1)
    wanted = np.clip(estimate / size, SUREST, 1.0 - SUREST)
    found = []
    for expected, chance in _drawn_sums(rows, design, covariance, reviewed):
        share = _with_mean(np.clip(expected / size, SUREST, 1.0 - SUREST), wanted)
        found.append(np.clip(np.rint(share * size + chance), 0.0, reviewed))
    return np.array(found)


def _with_mean(shares: Array, wanted: Array) -> Array:
    """Move shares, of shape (N, K), along the logit scale until their means are those wanted, shape (K,)."""
    logits = logit(shares)
    shift = _solve(lambda shift: expit(logits + shift).mean(axis=0) - wanted, len(wanted))
    return np.asarray(expit(logits + shift))


def _drawn_sums(
    rows: RankedRows, design: Design, covariance: Array, reviewed: Numbers
) -> tuple[tuple[Array, Array], ...]:
    """Sums of drawn posteriors over the rows of each review, and what chance adds to them: each of shape (N, K).

    First of free draws, then of those in which the mean posterior moves as the share does.
    """
    rng = np.random.default_rng(SEED)
    drawn = _opposite_pairs(rng, len(covariance)) @ _root(covariance).T
    shares, moves = drawn[:, 0], drawn[:, 1:]
    of_samples = _opposite_pairs(rng, len(rows.excess)) * np.sqrt(rows.excess)
    places, counts = _thinned(len(rows.logits))
    shifts = np.array([np.zeros(len(shares)), _with_the_share(rows, design, shares, moves)])
    segment = np.searchsorted(reviewed, places, side="right")
    expected, chance = np.zeros((2, len(shifts), len(reviewed) + 1, len(shares)))
    encoded = rows.encoded_at(places)
    for start in range(0, len(places), ROWS_AT_A_TIME):
        some = slice(start, start + ROWS_AT_A_TIME)
        at, weight = places[some], counts[some, None]
        moved = rows.centre[at, None] + design.matrix([values[some] for values in encoded]) @ moves.T
        moved += of_samples.T[rows.sample[at]]
        starts = np.flatnonzero(np.diff(segment[some], prepend=-1))
        luck = rng.random(moved.shape)
        for one, shift in enumerate(shifts):
            posterior = expit(moved + shift)
            more = np.sqrt(weight) * ((luck < posterior) - posterior)
            expected[one, segment[some][starts]] += np.add.reduceat(weight * posterior, starts, axis=0)
            chance[one, segment[some][starts]] += np.add.reduceat(more, starts, axis=0)
    sums = (np.cumsum(parts, axis=1)[:, :-1].swapaxes(1, 2) for parts in (expected, chance))
    return tuple(zip(*sums, strict=True))


def _with_the_share(rows: RankedRows, design: Design, shares: Array, moves: Array) -> Array:
    """By how much to shift the logits of each draw, so that their mean posterior moves as the share does: shape (N,).

    Both move by the same on the logit scale. Of the rows of a fit, the mean posterior is the share.
    """
    places = np.unique(np.linspace(0, len(rows.logits) - 1, ROWS_FOR_MEANS).round().astype(np.intp))
    moved = rows.centre[places, None] + design.matrix(rows.encoded_at(places)) @ moves.T
    mean = np.clip(expit(rows.logits[places]).mean(), SUREST, 1.0 - SUREST)
    wanted = expit(logit(mean) + shares)
    return _solve(lambda shift: expit(moved + shift).mean(axis=0) - wanted, len(shares))


def _solve(excess: Callable[[Array], Array], size: int) -> Array:
    """Where functions that rise are zero, by halving: shape (size,)."""
    low, high = np.full(size, -FARTHEST), np.full(size, FARTHEST)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        above = excess(middle) > 0.0
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.asarray(0.5 * (low + high))


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
