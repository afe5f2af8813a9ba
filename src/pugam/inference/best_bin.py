"""What the labels alone say about pi: the unlabelled density f is at least pi times that of the positives, g.

Above a threshold of any score lie shares q_u of the unlabelled rows and q_p of the labelled ones, and q_u >= pi q_p
whatever the model. As in best bin estimation (Garg et al., Mixture proportion estimation and PU learning, NeurIPS
2021), scores are those of a classifier of z, and the threshold is the one whose upper limit is least. It is chosen on
other rows than those that are counted, so that the limit holds in spite of the choice.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.inference.boosting import held_out_chances
from pugam.inference.intervals import normal_quantile
from pugam.inference.rows_tested import N_FOLDS, RowsTested

__all__ = ["BestBin", "bound_pi", "sort_scores"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

LEVEL_OF_BOUND = 0.95  # of an interval whose upper limit is the bound
FEWEST_ABOVE = 20  # labelled rows, by weight


@dataclass(frozen=True)
class BestBin:
    """An upper bound on pi that needs no model, but labelled rows that are a random sample of the positives.

    Attributes
    ----------
    estimate : float
        Of the smallest ratio of densities f / g, which is pi if some rows are sure to be positive.
    upper : float
        Upper limit of a 95% interval: pi is hardly larger.
    """

    estimate: float
    upper: float


def bound_pi(rows: RowsTested, chances: Array | None = None) -> BestBin | None:
    """Bound pi from above; None where rows are too few. `chances` are those that trees held out, if known."""
    if not rows.are_enough:
        return None
    scores = held_out_chances(rows) if chances is None else chances
    above = np.zeros(len(rows.positive), dtype=bool)
    for fold in range(N_FOLDS):
        outside = rows.folds == fold
        others = sort_scores(scores[~outside], rows.positive[~outside], rows.weights[~outside])
        above[outside] = scores[outside] >= _best_threshold(*others)
    labelled, hidden = (rows.weights * label for label in (rows.positive, ~rows.positive))
    ratio, upper = _limits(
        np.array([labelled @ above]), np.array([hidden @ above]), float(labelled.sum()), float(hidden.sum())
    )
    return BestBin(float(min(ratio[0], 1.0)), float(min(upper[0], 1.0)))


def sort_scores(scores: Array, positive: Flags, weights: Array) -> tuple[Array, Array, Array]:
    """Scores from high to low, each once, and the weight of labelled and of unlabelled rows that score no less."""
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.diff(scores[order]) != 0.0, True)
    labelled, hidden = (np.cumsum((weights * label)[order])[last] for label in (positive, ~positive))
    return scores[order][last], labelled, hidden


def _best_threshold(scores: Array, labelled: Array, hidden: Array) -> float:
    """The threshold whose upper limit is least; the lowest score where labelled rows are too few."""
    _, upper = _limits(labelled, hidden, float(labelled[-1]), float(hidden[-1]))
    upper[labelled < FEWEST_ABOVE] = np.inf
    return float(scores[np.argmin(upper)]) if np.isfinite(upper).any() else float(scores[-1])


def _limits(labelled: Array, hidden: Array, n0: float, n1: float) -> tuple[Array, Array]:
    """Ratio of shares q_u / q_p, and the upper limit of its interval on the log scale; half a row more for zeros."""
    q_p, q_u = (labelled + 0.5) / (n0 + 0.5), (hidden + 0.5) / (n1 + 0.5)
    variance = (1.0 - q_p) / (max(n0, 1.0) * q_p) + (1.0 - q_u) / (max(n1, 1.0) * q_u)  # without rows q is one
    ratio = q_u / q_p
    return ratio, np.asarray(ratio * np.exp(normal_quantile(LEVEL_OF_BOUND) * np.sqrt(np.maximum(variance, 0.0))))
