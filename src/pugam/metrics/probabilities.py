"""How good predicted probabilities are: Brier score and log loss.

A row of the unlabelled population loses l(p, 1) with probability pi and l(p, 0) otherwise. What negatives lose is not
seen, but unlabelled rows lose l(p, 0) on average over both kinds, of which the positives' part can be taken away (du
Plessis, Niu and Sugiyama 2015): pi E_g[l(p, 1) - l(p, 0)] + E_u[l(p, 0)].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pugam.metrics.samples import read_probabilities, read_share

__all__ = ["brier_score_loss", "log_loss"]

# As scikit-learn does: a certainty that turns out wrong costs 36, not infinity.
CERTAIN = float(np.finfo(np.float64).eps)


def brier_score_loss(z: Any, probability: Any, *, pi: float, sample_weight: Any = None) -> float:
    """Return the Brier score, the mean squared distance of the probability to 1 (positives) or 0 (negatives).

    The smaller, the better; the true posterior has the smallest on average. The estimate has no bias, so that it can
    be below 0 where the rows are few or were fitted to.

    Parameters
    ----------
    z : array-like of shape (n_rows,)
        1 for a labelled positive, 0 or -1 for an unlabelled row; rows that the model was not fitted to.
    probability : array-like of shape (n_rows,)
        P(y = 1 | x) for a row of the unlabelled population, such as `PUGAM.predict_proba(X)[:, 1]`. What an ordinary
        classifier of z returns is P(z = 1 | x), another quantity.
    pi : float
        Share of positives among the unlabelled rows.
    sample_weight : array-like of shape (n_rows,), optional
        A row of weight 2 counts as two rows.

    Returns
    -------
    float

    Examples
    --------
    Whoever says pi for every row is off by pi (1 - pi), all that is left without features:

    >>> from pugam.metrics import brier_score_loss
    >>> round(brier_score_loss([1, 1, 0, 0, 0, 0], [0.25] * 6, pi=0.25), 4)
    0.1875
    """
    share = read_share(pi)
    labelled, unlabelled = read_probabilities(z, probability, sample_weight)
    return share * (1.0 - 2.0 * labelled.mean()) + unlabelled.mean_of(unlabelled.values**2)


def log_loss(z: Any, probability: Any, *, pi: float, sample_weight: Any = None) -> float:
    """Return the log loss, the mean of -log(probability of what the row is).

    The smaller, the better; the true posterior has the smallest on average. Rows of which the model is nearly certain
    weigh heavily: the estimate scatters more than the Brier score, and can be below 0. Probabilities are kept 2e-16
    away from 0 and 1.

    Parameters
    ----------
    z, probability, pi, sample_weight
        As in `brier_score_loss`.

    Returns
    -------
    float

    Examples
    --------
    >>> from pugam.metrics import log_loss
    >>> round(log_loss([1, 1, 0, 0, 0, 0], [0.5] * 6, pi=0.25), 4)  # log 2, whatever pi
    0.6931
    """
    share = read_share(pi)
    labelled, unlabelled = read_probabilities(z, probability, sample_weight)
    p, q = (np.clip(sample.values, CERTAIN, 1.0 - CERTAIN) for sample in (labelled, unlabelled))
    return -share * labelled.mean_of(np.log(p) - np.log1p(-p)) - unlabelled.mean_of(np.log1p(-q))
