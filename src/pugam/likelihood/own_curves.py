"""Unlabelled samples whose negatives look different: outcomes and predictors of a mixture with one component for each.

Positives are the first component, the negatives of unlabelled sample k the one with number k. Sample k has the log
density ratio log(g / h_k) = alpha_k + eta_k, in which some terms are common to all samples and others are its own, and
a_k = alpha_k + log(A / (n_k (1 - pi_k))), with A = n0 + sum n_k pi_k positives on average, is its intercept.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pugam.likelihood.mixtures import Outcomes
from pugam.likelihood.sample_sizes import LABELLED, SampleSizes

__all__ = ["sample_outcomes"]

Array = NDArray[np.float64]


def sample_outcomes(sizes: SampleSizes, pi: Array) -> Outcomes:
    """Chances of each code of `SampleSizes`, which has no known negatives, with derivatives in the logits of shares."""
    n_samples, n_codes = sizes.n_samples, 1 + sizes.known_negative
    each = np.arange(n_samples)
    hidden, found, refuted = 1 + each, 1 + n_samples + each, 1 + 2 * n_samples + each
    positives = float(sizes.labelled + sizes.unlabelled @ pi)
    chances = np.zeros((n_codes, 1 + n_samples))
    chances[LABELLED, 0] = sizes.labelled / positives
    chances[hidden, 0] = chances[found, 0] = sizes.unlabelled * pi / positives
    chances[hidden, 1 + each] = chances[refuted, 1 + each] = 1.0
    slopes, bends = np.zeros((n_samples, *chances.shape)), np.zeros((n_samples, n_samples, *chances.shape))
    alpha = sizes.unlabelled * pi * (1.0 - pi) / positives  # of log A
    of_positives = np.concatenate([[LABELLED], hidden, found])
    slopes[:, of_positives, 0] = -alpha[:, None]
    bends[:, :, of_positives, 0] = (np.outer(alpha, alpha) - np.diag(alpha * (1.0 - 2.0 * pi)))[:, :, None]
    for own in (hidden, found):
        slopes[each, own, 0] += 1.0 - pi
        bends[each, each, own, 0] -= pi * (1.0 - pi)
    return Outcomes(chances, slopes, bends, _possible(n_samples))


def _possible(n_samples: int) -> NDArray[np.bool_]:
    """An audited row would have been audited in any sample, and others in none."""
    codes = np.arange(2 + 3 * n_samples)
    audited = (codes > n_samples) & (codes <= 3 * n_samples)
    known = codes > 3 * n_samples
    same = (audited[:, None] == audited) | (codes == LABELLED)
    return np.asarray(same & ~known)
