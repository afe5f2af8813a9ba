"""Numbers of positives that reviews find, drawn at random: parameters first, then the rows they make positive."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pugam.inference.ranked_rows import RankedRows
from pugam.likelihood import expit, logit
from pugam.terms import Design

__all__ = ["SUREST", "drawn_counts"]

Array = NDArray[np.float64]
Numbers = NDArray[np.intp]

HALF_OF_DRAWS = 500  # parameters are drawn in pairs that lie opposite each other
MOST_ROWS = 20_000  # for which posteriors are drawn; of longer lists, rows further down stand for several
ROWS_AT_A_TIME = 1000
SEED = 0
MOST_STEPS, ENOUGH = 50, 1e-12  # of Newton, who needs about five; how far means of shares may be off
FARTHEST = 30.0  # on the logit scale, by which draws are moved
SUREST = 1e-12


def drawn_counts(
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
