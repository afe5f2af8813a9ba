"""Numbers of positives that reviews find, drawn at random: parameters first, then the rows they make positive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.inference.ranked_rows import RankedRows
from pugam.likelihood import expit, logit
from pugam.linear_algebra import covariance_root
from pugam.terms import Design, Encoded

__all__ = ["SUREST", "drawn_counts"]

Array = NDArray[np.float64]
Numbers = NDArray[np.intp]

HALF_OF_DRAWS = 500  # parameters are drawn in pairs that lie opposite each other
MOST_ROWS = 20_000  # for which posteriors are drawn; of longer lists, rows further down stand for several
ROWS_FOR_MEANS = 400  # evenly among all, over which mean posteriors are taken
ROWS_AT_A_TIME = 1000
SEED = 0
MOST_STEPS, ENOUGH = 50, 1e-12  # of Newton, who needs about five; how far means of shares may be off
FARTHEST = 30.0  # on the logit scale, by which draws are moved
SUREST = 1e-12


@dataclass(frozen=True, eq=False)
class _Draws:
    """Draws of the parameters, and the rows whose posteriors they move.

    Attributes
    ----------
    places, weights, segments : arrays of shape (m,)
        Rows, how many rows each stands for, and the number of the shortest review that has it.
    moves : array of shape (N, 1 + p)
    of_samples : array of shape (N, n_samples)
        How samples vary beside what all have in common.
    shifts : array of shape (2, N)
        Of free draws, and of those in which the mean posterior moves as the share does.
    """

    rows: RankedRows
    design: Design
    encoded: Sequence[Encoded]
    places: Numbers
    weights: Array
    segments: Numbers
    moves: Array
    of_samples: Array
    shifts: Array

    def posteriors(self) -> Iterator[tuple[slice, list[Array]]]:
        """Drawn posteriors of some rows at a time, shape (rows, N), freely and with the share."""
        for start in range(0, len(self.places), ROWS_AT_A_TIME):
            some = slice(start, start + ROWS_AT_A_TIME)
            at = self.places[some]
            moved = self.design.matrix([values[some] for values in self.encoded]) @ self.moves.T
            moved += self.rows.centre[at, None] + self.of_samples.T[self.rows.sample[at]]
            yield some, [expit(moved + shift) for shift in self.shifts]

    def add(self, sums: Array, some: slice, values: Array) -> None:
        """Add values of some rows, shape (rows, N), to the sums of their segments, shape (n_segments, N)."""
        segments = self.segments[some]
        starts = np.flatnonzero(np.diff(segments, prepend=-1))
        sums[segments[starts]] += np.add.reduceat(values, starts, axis=0)


def drawn_counts(rows: RankedRows, design: Design, covariance: Array, reviewed: Numbers, estimate: Array) -> Array:
    """Numbers of positives found, drawn at random, in each review: shape (2, N, K), drawn freely and with the share.

    On average over the parameters they are as many as the posteriors, which are averages themselves, say.
    """
    rng = np.random.default_rng(SEED)
    draws = _draw(rows, design, covariance, reviewed, rng)
    size = np.maximum(reviewed, 1)
    wanted = np.clip(estimate / size, SUREST, 1.0 - SUREST)
    expected = _expected(draws, len(reviewed))
    totals = np.cumsum(expected, axis=1).swapaxes(1, 2)
    for one, sums in enumerate(totals):
        logits = logit(np.clip(sums / size, SUREST, 1.0 - SUREST))
        totals[one] = expit(logits + _shift_to_mean(logits, wanted)) * reviewed
    counts = np.cumsum(_drawn(draws, expected, _in_segments(totals, reviewed), rng), axis=1).swapaxes(1, 2)
    return np.clip(np.rint(counts), 0.0, reviewed)


def _in_segments(totals: Array, reviewed: Numbers) -> Array:
    """What is found in each segment, shape (2, K, N): a longer review finds no fewer, and no more than its rows."""
    for shorter in range(len(reviewed) - 2, -1, -1):
        longer = totals[..., shorter + 1]
        least = longer - (reviewed[shorter + 1] - reviewed[shorter])
        totals[..., shorter] = np.clip(totals[..., shorter], least, longer)
    return np.diff(totals, axis=2, prepend=0.0).swapaxes(1, 2)


def _draw(rows: RankedRows, design: Design, covariance: Array, reviewed: Numbers, rng: np.random.Generator) -> _Draws:
    drawn = _opposite_pairs(rng, len(covariance)) @ covariance_root(covariance).T
    shares, moves = drawn[:, 0], drawn[:, 1:]
    of_samples = _opposite_pairs(rng, len(rows.excess)) * np.sqrt(rows.excess)
    places, weights = _thinned(int(reviewed[-1]))
    segments = np.searchsorted(reviewed, places, side="right")
    shifts = np.array([np.zeros(len(shares)), _with_the_share(rows, design, shares, moves)])
    return _Draws(rows, design, rows.encoded_at(places), places, weights, segments, moves, of_samples, shifts)


def _expected(draws: _Draws, n_segments: int) -> Array:
    """Sums of drawn posteriors over the rows of each segment: shape (2, n_segments, N)."""
    sums = np.zeros((len(draws.shifts), n_segments, len(draws.moves)))
    for some, posteriors in draws.posteriors():
        for one, posterior in enumerate(posteriors):
            draws.add(sums[one], some, draws.weights[some, None] * posterior)
    return sums


def _drawn(draws: _Draws, expected: Array, targets: Array, rng: np.random.Generator) -> Array:
    """Draw which rows are positive, and count them: in each draw and segment as many as its target, on average.

    Posteriors are brought there by one factor, or, where they are to be larger, what they lack of one is.
    """
    sizes = np.bincount(draws.segments, draws.weights, expected.shape[1])[:, None]
    targets, counts = np.clip(targets, 0.0, sizes), np.zeros_like(expected)
    fewer, more = _factors(targets, expected), _factors(sizes - targets, sizes - expected)
    for some, posteriors in draws.posteriors():
        weight, segments = draws.weights[some, None], draws.segments[some]
        luck = rng.random(posteriors[0].shape)
        for one, posterior in enumerate(posteriors):
            chance = 1.0 - (1.0 - posterior * fewer[one][segments]) * more[one][segments]
            draws.add(counts[one], some, weight * chance + np.sqrt(weight) * ((luck < chance) - chance))
    return counts


def _factors(wanted: Array, there: Array) -> Array:
    """By what to multiply what is there where it is more than is wanted."""
    return np.asarray(np.minimum(wanted / np.maximum(there, SUREST), 1.0))


def _shift_to_mean(logits: Array, wanted: Array) -> Array:
    """By how much to move each column of logits, shape (N, K), so that means of shares are those wanted: shape (K,)."""
    moved = np.zeros(len(wanted))
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
    return moved


def _with_the_share(rows: RankedRows, design: Design, shares: Array, moves: Array) -> Array:
    """By how much to shift the logits of each draw, so that their mean posterior moves as the share does: shape (N,).

    Both move by the same on the logit scale. Of the rows of a fit, the mean posterior is the share.
    """
    places = np.unique(np.linspace(0, len(rows.logits) - 1, ROWS_FOR_MEANS).round().astype(np.intp))
    moved = rows.centre[places, None] + design.matrix(rows.encoded_at(places)) @ moves.T
    mean = np.clip(expit(rows.logits[places]).mean(), SUREST, 1.0 - SUREST)
    return _shift_to_mean(moved, np.clip(expit(logit(mean) + shares), SUREST, 1.0 - SUREST))


def _opposite_pairs(rng: np.random.Generator, size: int) -> Array:
    drawn = rng.standard_normal((HALF_OF_DRAWS, size))
    return np.concatenate([drawn, -drawn])


def _thinned(n_rows: int) -> tuple[Numbers, Array]:
    """Places of rows that stand for all, the first half of them each for itself, and for how many each stands."""
    if n_rows <= MOST_ROWS:
        return np.arange(n_rows), np.ones(n_rows)
    first = MOST_ROWS // 2
    edges = np.unique(np.linspace(first, n_rows, MOST_ROWS - first + 1).astype(np.intp))
    places = np.concatenate([np.arange(first), (edges[:-1] + edges[1:]) // 2])
    return places, np.concatenate([np.ones(first), np.diff(edges).astype(float)])
