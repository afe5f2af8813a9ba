"""How good the predicted classes are: precision, recall, F1, accuracy and balanced accuracy.

All of them follow from two shares that need no negatives: recall, the share of labelled rows called positive, and the
share of unlabelled rows called positive, which is pi * recall + (1 - pi) * false positive rate.
"""

from __future__ import annotations

import math
from typing import Any

from pugam.errors import warn_user
from pugam.metrics.samples import read_classes, read_share

__all__ = ["accuracy_score", "balanced_accuracy_score", "f1_score", "precision_score", "recall_score"]


def recall_score(z: Any, predicted: Any, *, pi: float | None = None, sample_weight: Any = None) -> float:
    """Return the share of positives that are called positive, by that of the labelled rows.

    Alone it rewards calling everything positive.

    Parameters
    ----------
    z : array-like of shape (n_rows,)
        1 for a labelled positive, 0 or -1 for an unlabelled row; rows that the model was not fitted to.
    predicted : array-like of shape (n_rows,)
        1 for a row called positive, 0 or -1 for others, as `predict(X)` returns them.
    pi : float, optional
        Has no influence; accepted so that all scores can be called alike.
    sample_weight : array-like of shape (n_rows,), optional
        A row of weight 2 counts as two rows.

    Returns
    -------
    float

    Examples
    --------
    >>> from pugam.metrics import recall_score
    >>> recall_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0])
    0.5
    """
    if pi is not None:
        read_share(pi)
    recall, _ = _shares_called_positive(z, predicted, sample_weight)
    return recall


def precision_score(z: Any, predicted: Any, *, pi: float, sample_weight: Any = None) -> float:
    """Return the share of positives among the unlabelled rows that are called positive.

    Estimated by pi * recall over the share of unlabelled rows called positive, and therefore above 1 at times where
    these are few. With none it is not defined: NaN, and a warning.

    Parameters
    ----------
    z, predicted, sample_weight
        As in `recall_score`.
    pi : float
        Share of positives among the unlabelled rows. The order of models does not depend on it.

    Returns
    -------
    float

    Examples
    --------
    >>> from pugam.metrics import precision_score
    >>> precision_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], pi=0.25)
    0.5
    """
    share = read_share(pi)
    recall, called = _shares_called_positive(z, predicted, sample_weight)
    if called == 0.0:
        warn_user("Precision is not defined: no unlabelled row is called positive. Lower the threshold, or use F1.")
        return math.nan
    return share * recall / called


def f1_score(z: Any, predicted: Any, *, pi: float, sample_weight: Any = None) -> float:
    """Return F1, the harmonic mean of precision and recall: 2 pi recall / (pi + share called positive).

    Parameters
    ----------
    z, predicted, sample_weight
        As in `recall_score`.
    pi : float
        Share of positives among the unlabelled rows.

    Returns
    -------
    float

    Examples
    --------
    A model that calls everything positive is right on every labelled row. That does not make it perfect, and taking
    unlabelled rows for negatives gives a figure that rests on how many labels there happen to be:

    >>> import sklearn.metrics
    >>> from pugam.metrics import f1_score
    >>> z, predicted = [1, 1, 1, 0, 0, 0, 0, 0], [1] * 8
    >>> round(f1_score(z, predicted, pi=0.2), 3)
    0.333
    >>> round(float(sklearn.metrics.f1_score(z, predicted)), 3)
    0.545
    """
    share = read_share(pi)
    recall, called = _shares_called_positive(z, predicted, sample_weight)
    return 2.0 * share * recall / (share + called)


def accuracy_score(z: Any, predicted: Any, *, pi: float, sample_weight: Any = None) -> float:
    """Return the share of unlabelled rows that are called what they are: 1 - pi + 2 pi recall - share called positive.

    Parameters
    ----------
    z, predicted, sample_weight
        As in `recall_score`.
    pi : float
        Share of positives among the unlabelled rows.

    Returns
    -------
    float

    Examples
    --------
    >>> from pugam.metrics import accuracy_score
    >>> accuracy_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], pi=0.25)
    0.75
    """
    share = read_share(pi)
    recall, called = _shares_called_positive(z, predicted, sample_weight)
    return 1.0 - share + 2.0 * share * recall - called


def balanced_accuracy_score(z: Any, predicted: Any, *, pi: float, sample_weight: Any = None) -> float:
    """Return the mean of recall and of the share of negatives that are called negative.

    One half is what calling everything positive gets, or nothing, or a coin.

    Parameters
    ----------
    z, predicted, sample_weight
        As in `recall_score`.
    pi : float
        Share of positives among the unlabelled rows. The order of models does not depend on it.

    Returns
    -------
    float

    Examples
    --------
    >>> from pugam.metrics import balanced_accuracy_score
    >>> balanced_accuracy_score([1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0], pi=0.25)
    1.0
    """
    share = read_share(pi)
    recall, called = _shares_called_positive(z, predicted, sample_weight)
    return 0.5 + (recall - called) / (2.0 * (1.0 - share))


def _shares_called_positive(z: Any, predicted: Any, sample_weight: Any) -> tuple[float, float]:
    labelled, unlabelled = read_classes(z, predicted, sample_weight)
    return labelled.mean(), unlabelled.mean()
