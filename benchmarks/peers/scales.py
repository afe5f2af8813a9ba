"""What other methods call pi and P(y = 1 | x), brought to the scale of an `Answer`.

Labelled rows are here a sample of their own (n0 positives), and unlabelled rows a mixture (n1 rows, a share pi of them
positive). Many methods are written for one sample, of whose positives some are labelled. Put together, our two samples
look like such a sample: of its n0 + n1 pi positives n0 are labelled, so that

    c = P(labelled | y = 1) = n0 / (n0 + n1 pi),    prior = P(y = 1) = (n0 + n1 pi) / (n0 + n1).
"""

from __future__ import annotations

import numpy as np

__all__ = ["pi_of_label_frequency", "pi_of_prior", "posterior_among_unlabelled", "posterior_of_scores"]


def pi_of_label_frequency(c: float, n0: int, n1: int) -> float:
    """Share of positives among the unlabelled rows, from the share c of positives that are labelled.

    >>> pi_of_label_frequency(0.5, n0=100, n1=200)
    0.5
    >>> pi_of_label_frequency(0.1, n0=100, n1=200)
    1.0
    """
    return 1.0 if c <= 0.0 else float(np.clip((n0 / c - n0) / n1, 0.0, 1.0))


def pi_of_prior(prior: float, n0: int, n1: int) -> float:
    """Share of positives among the unlabelled rows, from their share among all rows, the labelled ones included.

    >>> round(pi_of_prior(0.6, n0=100, n1=200), 12)
    0.4
    >>> pi_of_prior(0.2, n0=100, n1=200)
    0.0
    """
    return float(np.clip((prior * (n0 + n1) - n0) / n1, 0.0, 1.0))


def posterior_among_unlabelled(posterior: np.ndarray, c: float) -> np.ndarray:
    """P(y = 1 | x, unlabelled), from P(y = 1 | x) among all rows, the labelled ones included.

    Of the positives at x a share 1 - c is unlabelled, of the negatives all.

    >>> posterior_among_unlabelled(np.array([0.0, 0.5, 1.0, 1.2]), c=0.5).round(3)
    array([0.   , 0.333, 1.   , 1.   ])
    """
    inside = np.clip(posterior, 0.0, 1.0)  # s / c of Elkan and Noto may exceed 1
    return np.asarray((1.0 - c) * inside / np.maximum(1.0 - c * inside, 1e-12))


def posterior_of_scores(scores: np.ndarray, pi: float, n0: int, n1: int) -> np.ndarray:
    """P(y = 1 | x, unlabelled) = pi g(x) / f(x), from scores P(labelled | x).

    The odds of a score are n0 g(x) / (n1 f(x)), with g the density of positives and f that of unlabelled rows.

    >>> posterior_of_scores(np.array([0.2, 0.5, 0.9]), pi=0.5, n0=100, n1=200)
    array([0.25, 1.  , 1.  ])
    """
    return np.asarray(np.clip(pi * n1 / n0 * scores / (1.0 - scores), 0.0, 1.0))
