"""How well scores rank positives before negatives: ROC AUC and average precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from pugam.metrics.samples import read_scores, read_share

__all__ = ["average_precision_score", "roc_auc_score"]


def roc_auc_score(z: Any, score: Any, *, pi: float, sample_weight: Any = None) -> float:
    """Return the area under the ROC curve: the chance that a positive row has a higher score than a negative one.

    Ranked against unlabelled rows instead of negatives, a positive meets another positive with probability pi and
    wins half of those encounters: A = pi/2 + (1 - pi) AUC, which is solved for the AUC. The estimate has no bias, so
    that chance can carry it above 1.

    Parameters
    ----------
    z : array-like of shape (n_rows,)
        1 for a labelled positive, 0 or -1 for an unlabelled row; rows that the model was not fitted to.
    score : array-like of shape (n_rows,)
        The higher, the more likely positive: `decision_function(X)`, or `predict_proba(X)[:, 1]`.
    pi : float
        Share of positives among the unlabelled rows. The order of models does not depend on it.
    sample_weight : array-like of shape (n_rows,), optional
        A row of weight 2 counts as two rows.

    Returns
    -------
    float

    Examples
    --------
    >>> from pugam.metrics import roc_auc_score
    >>> z = [1, 1, 0, 0, 0, 0]
    >>> score = [0.9, 0.7, 0.8, 0.4, 0.3, 0.1]
    >>> round(roc_auc_score(z, score, pi=0.25), 4)
    1.0

    With a quarter of positives, the unlabelled row between the labelled ones may well be one. Taken for a negative:

    >>> import sklearn.metrics
    >>> round(float(sklearn.metrics.roc_auc_score(z, score)), 4)
    0.875
    """
    share = read_share(pi)
    labelled, unlabelled = read_scores(z, score, sample_weight)
    lost_or_tied, lost = unlabelled.shares_from(labelled.values), unlabelled.shares_above(labelled.values)
    against_unlabelled = labelled.mean_of(1.0 - (lost_or_tied + lost) / 2.0)
    return 0.5 + (against_unlabelled - 0.5) / (1.0 - share)


def average_precision_score(z: Any, score: Any, *, pi: float, sample_weight: Any = None) -> float:
    """Return the average precision: the mean, over positives, of the precision among the rows scored no lower.

    At each threshold, recall is the share of labelled rows that reach it, and precision is pi times recall over the
    share of unlabelled rows that do, cut at 1. The cut keeps the score within 0 and 1 where few unlabelled rows are
    left, and makes it err on the low side in small samples.

    Parameters
    ----------
    z : array-like of shape (n_rows,)
        1 for a labelled positive, 0 or -1 for an unlabelled row; rows that the model was not fitted to.
    score : array-like of shape (n_rows,)
        The higher, the more likely positive: `decision_function(X)`, or `predict_proba(X)[:, 1]`.
    pi : float
        Share of positives among the unlabelled rows.
    sample_weight : array-like of shape (n_rows,), optional
        A row of weight 2 counts as two rows.

    Returns
    -------
    float

    Examples
    --------
    >>> from pugam.metrics import average_precision_score
    >>> z = [1, 1, 0, 0, 0, 0]
    >>> score = [0.9, 0.3, 0.8, 0.4, 0.2, 0.1]
    >>> round(average_precision_score(z, score, pi=0.25), 4)
    0.75

    The threshold 0.9 has precision 1 (no unlabelled row reaches it), 0.3 has 0.25 * 1 / 0.5.
    """
    share = read_share(pi)
    labelled, unlabelled = read_scores(z, score, sample_weight)
    positives = share * labelled.shares_from(labelled.values)
    precision = positives / np.maximum(unlabelled.shares_from(labelled.values), positives)
    return labelled.mean_of(precision)
