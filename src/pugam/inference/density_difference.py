"""pi from the densities of a classifier's scores: difference-of-estimated-densities-based PU learning.

D. Ivanov, DEDPUL: difference-of-estimated-densities-based positive-unlabeled learning, ICMLA 2020. It sees the rows
through one score alone, that of a classifier of labels, and knows nothing of effects that add up.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["density_ratio", "share_of_positives", "unlabelled_posteriors"]

Array = NDArray[np.float64]

# Settings of the author's program (github.com/dimonenka/DEDPUL).
WIDTH_LABELLED, WIDTH_UNLABELLED = 0.1, 0.05  # of kernels, in standard deviations of the logits
HIGHEST_RATIO = 50.0
NARROW, WIDE = 5, 1 / 20  # half windows of the running medians: rows; share of the unlabelled rows
STEP, LARGEST_ERROR = 0.001, 0.05  # of the search for the bend
TOLERANCE, MOST_STEPS = 1e-5, 1000  # of EM


def density_ratio(labelled_scores: Array, unlabelled_scores: Array) -> Array:
    """Density of positives over density of unlabelled rows at each unlabelled row, made to rise with the score.

    Densities are of logits, whose Jacobian cancels. Above the midpoint of both means the ratio is made to rise by a
    running maximum before the wide median, everywhere by sorting after it.
    """
    from scipy.stats import gaussian_kde

    if min(np.ptp(labelled_scores), np.ptp(unlabelled_scores)) == 0:
        return np.ones(len(unlabelled_scores))  # the classifier has learned nothing, and there is no kernel width
    logit = [np.log(scores / (1.0 - scores)) for scores in (labelled_scores, unlabelled_scores)]
    order = np.argsort(unlabelled_scores, kind="stable")
    at = logit[1][order]
    of_labelled = gaussian_kde(logit[0], WIDTH_LABELLED)(at)
    of_unlabelled = gaussian_kde(logit[1], WIDTH_UNLABELLED)(at)
    ratio = _running_median(np.minimum(of_labelled / of_unlabelled, HIGHEST_RATIO), NARROW)
    high = unlabelled_scores[order] >= (labelled_scores.mean() + unlabelled_scores.mean()) / 2.0
    ratio[high] = np.maximum.accumulate(ratio[high])
    smooth = np.sort(_running_median(ratio, int(WIDE * len(at))))
    result = np.empty_like(smooth)
    result[order] = smooth
    return result


def _running_median(values: Array, half: int) -> Array:
    """Median of the values at most `half` places away; the window shrinks evenly towards both ends."""
    n = len(values)
    reach = np.minimum(np.minimum(np.arange(n), np.arange(n)[::-1]), half)
    return np.array([np.median(values[i - k : i + k + 1]) for i, k in enumerate(reach)])


def unlabelled_posteriors(ratio: Array, pi: float) -> Array:
    """P(y = 1 | x) of unlabelled rows, were pi their share of positives."""
    return np.asarray(np.minimum(pi * ratio, 1.0))


def share_of_positives(ratio: Array) -> float:
    """Pi by EM where it settles; otherwise the larger one of EM and of the sharpest bend of the errors.

    The error of a pi is pi less the mean of its posteriors: flat below the true pi, rising above it. Noise may lift
    its flat part, and EM then falls through to 0. Grid, limits and the choice of the two follow the author's program.
    """
    grid = np.arange(1.0, STEP / 2.0, -STEP)
    error = np.array([pi - unlabelled_posteriors(ratio, pi).mean() for pi in grid])
    near = error[1:-1] < LARGEST_ERROR
    settled = _by_em(ratio)
    if not near.any() or (np.sum(error < 0) > 1 and settled > STEP):
        return settled
    bend = float(grid[1:-1][near][np.argmax(np.diff(error, 2)[near])])
    return max(settled, bend)


def _by_em(ratio: Array) -> float:
    """Largest pi that equals the mean of its posteriors; EM falls to it from 1."""
    pi = 1.0
    for _ in range(MOST_STEPS):
        rows = unlabelled_posteriors(ratio, pi)
        mean = float(rows.mean())
        if abs(mean - pi) < TOLERANCE or rows.max() < 1.0:  # unclipped, every pi is a fixed point or none is
            break
        pi = mean
    return pi
