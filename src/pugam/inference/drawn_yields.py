"""Numbers of positives that reviews find, drawn at random: parameters first, then the rows they make positive."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pugam.inference.ranked_rows import RankedRows
from pugam.likelihood import expit, logit
from pugam.linear_algebra import covariance_root
from pugam.terms import Design

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


def drawn_counts(rows: RankedRows, design: Design, covariance: Array, reviewed: Numbers, estimate: Array) -> Array:
    """Numbers of positives found, drawn at random, in each review: shape (2, N, K), drawn freely and with the share.

    On average over the parameters they are as many as the posteriors, which are averages themselves, say.
    """
    size = np.maximum(reviewed, 1)
    wanted = np.clip(estimate / size, SUREST, 1.0 - SUREST)
    found = []
    for expected, chance in _drawn_sums(rows, design, covariance, reviewed):
        logits = logit(np.clip(expected / size, SUREST, 1.0 - SUREST))
        share = expit(logits + _shift_to_mean(logits, wanted))
        found.append(np.clip(np.rint(share * size + chance), 0.0, reviewed))
    return np.array(found)


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


def _drawn_sums(
    rows: RankedRows, design: Design, covariance: Array, reviewed: Numbers
) -> tuple[tuple[Array, Array], ...]:
    """Sums of drawn posteriors over the rows of each review, and what chance adds to them: each of shape (N, K).

    First of free draws, then of those in which the mean posterior moves as the share does.
    """
    rng = np.random.default_rng(SEED)
    drawn = _opposite_pairs(rng, len(covariance)) @ covariance_root(covariance).T
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
