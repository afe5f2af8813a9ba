"""Garg, Wu, Smola, Balakrishnan and Lipton, Mixture proportion estimation and PU learning, NeurIPS 2021: BBE, TED^n."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pugam.studies.answers import Answer, Method

from .scales import posterior_of_scores
from .scores import Scorer, boosting, boosting_scores, cross_fit

__all__ = ["best_bin", "best_bin_estimation", "transform_estimate_discard"]

DELTA, GAMMA = 0.1, 0.01  # as in the authors' experiments
ROUNDS, TOLERANCE = 5, 0.005


def best_bin(labelled_scores: np.ndarray, unlabelled_scores: np.ndarray) -> float:
    """Share of positives among the unlabelled rows, at the threshold whose upper confidence limit is least.

    Above a threshold lie shares q_p of the positives and q_u of the unlabelled rows. q_u / q_p exceeds pi by the
    negatives above it; high thresholds have few of them, and few rows.
    """
    n0, n1 = len(labelled_scores), len(unlabelled_scores)
    thresholds = np.unique(np.concatenate([labelled_scores, unlabelled_scores]))
    q_p = 1.0 - np.searchsorted(np.sort(labelled_scores), thresholds) / n0
    q_u = 1.0 - np.searchsorted(np.sort(unlabelled_scores), thresholds) / n1
    q_p, q_u = q_p[q_p > 0], q_u[q_p > 0]
    deviation = np.sqrt(np.log(4.0 / DELTA) / 2.0) * (n0**-0.5 + n1**-0.5)
    best = np.argmin((q_u + (1.0 + GAMMA) * deviation) / q_p)
    return float(min(q_u[best] / q_p[best], 1.0))


def best_bin_estimation(scorer: Scorer) -> Method:
    """BBE on cross-fitted scores, which serve as the held-out half of the authors.

    BBE has no posteriors of its own: they are those of the scores at its pi.
    """

    def method(X: pd.DataFrame, labelled: np.ndarray, rng: np.random.Generator) -> Answer:
        scores = scorer(X, labelled, rng)
        known, open_ = scores[labelled], scores[~labelled]
        pi = best_bin(known, open_)
        return Answer(pi, posterior_of_scores(open_, pi, len(known), len(open_)))

    return method


def transform_estimate_discard(X: pd.DataFrame, labelled: np.ndarray, rng: np.random.Generator) -> Answer:
    """After TED^n: BBE in turn with a classifier that leaves out the pi n1 unlabelled rows that look most positive.

    The authors alternate after each epoch of one neural network that goes on learning. Boosting has no epochs to go on
    from: it is fitted anew in each round, by cross-fitting, until pi moves by less than 0.005, at most 5 times. This is
    the idea of TED^n, not the authors' program. The last classifier tells positives from rows that are mostly negative:
    posteriors are its odds times pi n1 / n0, the odds of the classes in the unlabelled rows over those it learned from,
    n0 to (1 - pi) n1.
    """
    n0, n1 = int(labelled.sum()), int((~labelled).sum())
    scores = boosting_scores(X, labelled, rng)
    pi = best_bin(scores[labelled], scores[~labelled])
    for _ in range(ROUNDS):
        before = pi
        kept = max(round((1.0 - pi) * n1), 10)  # some negatives have to be left to learn from
        used = labelled.copy()
        used[np.flatnonzero(~labelled)[np.argsort(scores[~labelled], kind="stable")[:kept]]] = True
        scores = cross_fit(boosting, X, labelled, rng, used)
        pi = best_bin(scores[labelled], scores[~labelled])
        if abs(pi - before) < TOLERANCE:
            break
    odds = scores[~labelled] / (1.0 - scores[~labelled]) * pi * n1 / n0
    return Answer(pi, odds / (1.0 + odds))
