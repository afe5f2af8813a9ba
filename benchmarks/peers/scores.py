"""Cross-fitted scores P(labelled | x): each row is scored by a classifier that has not seen it.

Best bin estimation, DEDPUL and Elkan-Noto see the rows through such scores only, and leave the classifier open.
Gradient boosting and a random forest are offered, as either may suit a table better.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import StratifiedKFold

__all__ = ["Scorer", "boosting", "boosting_scores", "cross_fit", "forest", "forest_scores", "seed_of"]

FOLDS = 5
LOWEST = 1e-3  # scores stay away from 0 and 1, so that odds and logits exist

Scorer = Callable[[pd.DataFrame, np.ndarray, np.random.Generator], np.ndarray]


def seed_of(rng: np.random.Generator) -> int:
    """A seed for libraries that take no generator."""
    return int(rng.integers(2**31 - 1))


def boosting(seed: int) -> HistGradientBoostingClassifier:
    """Small trees and few rounds: with hidden positives the labels are noise to a large part.

    Of seven settings (leaves 4 to 31, rates 0.03 to 0.1, rounds 60 to 200) within 0.003 of the best by cross-validated
    log loss of the labels, on Gaussian mixtures, wine colour, waveform, concrete and spambase; the truth had no say.
    """
    return HistGradientBoostingClassifier(
        learning_rate=0.05, max_iter=100, max_leaf_nodes=8, early_stopping=False, random_state=seed
    )


def forest(seed: int) -> RandomForestClassifier:
    """Leaves of ten rows, whose shares are probabilities: the best of 1, 3, 5, 10 and 20 rows in the same way."""
    return RandomForestClassifier(n_estimators=200, min_samples_leaf=10, random_state=seed, n_jobs=1)


def folds_of(labelled: np.ndarray, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """Pairs of training rows and held-out rows, with labels in proportion."""
    count = min(FOLDS, int(labelled.sum()), int((~labelled).sum()))
    split = StratifiedKFold(count, shuffle=True, random_state=seed_of(rng))
    return list(split.split(np.zeros(len(labelled)), labelled))


def cross_fit(
    make: Callable[[int], Any],
    X: pd.DataFrame,
    labelled: np.ndarray,
    rng: np.random.Generator,
    used: np.ndarray | None = None,
) -> np.ndarray:
    """Score of every row by the classifier of the other folds; rows outside `used` are scored, not learned from."""
    values = X.to_numpy(float)
    used = np.ones(len(values), bool) if used is None else used
    scores = np.empty(len(values))
    for training, held_out in folds_of(labelled, rng):
        rows = training[used[training]]
        model = make(seed_of(rng)).fit(values[rows], labelled[rows])
        scores[held_out] = model.predict_proba(values[held_out])[:, 1]
    return np.clip(scores, LOWEST, 1.0 - LOWEST)


def boosting_scores(X: pd.DataFrame, labelled: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Scores by gradient boosting."""
    return cross_fit(boosting, X, labelled, rng)


def forest_scores(X: pd.DataFrame, labelled: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Scores by a random forest."""
    return cross_fit(forest, X, labelled, rng)
