"""Boosted trees that know nothing of the model: what they say of rows that they were not fitted to."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from pugam.inference.rows_tested import N_BINS, RowsTested

__all__ = ["held_out_chances", "predict_residuals"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Small trees that learn slowly: what the model leaves is weak, and rows are few.
TREES: dict[str, Any] = {
    "max_iter": 20,
    "learning_rate": 0.3,
    "max_leaf_nodes": 6,
    "max_bins": N_BINS,
    "min_samples_leaf": 20,
    "early_stopping": False,
    "random_state": 0,
}
SMALLEST_VARIANCE = 1e-3  # of a label that counts: a residual of a row that is next to certain says nothing to learn


def predict_residuals(rows: RowsTested, known: Flags, wanted: Flags) -> Array:
    """Predict (z - P) / (P (1 - P)) of the wanted rows by trees fitted to the known ones, shape (m,).

    Errors of the parameters are taken out of the residuals that are known: through these, they would know of others.
    """
    from sklearn.ensemble import HistGradientBoostingRegressor

    variance, weights = (values[known] for values in (rows.variance, rows.weights))
    learned_from = np.maximum(variance, SMALLEST_VARIANCE)
    residuals = rows.off_tangents(rows.residuals[known], known)
    target = residuals * np.sqrt(variance / weights) / learned_from
    trees, features = HistGradientBoostingRegressor(**TREES, categorical_features=rows.unordered), rows.features
    with _threads().limit(limits=1, user_api="openmp"):  # so few rows are slower with more
        trees.fit(features[known], target, sample_weight=learned_from * weights)
        return np.asarray(trees.predict(features[wanted]))


def held_out_chances(rows: RowsTested) -> Array:
    """Predict the chance that each row is labelled by trees fitted without its fold, shape (n,)."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    trees = HistGradientBoostingClassifier(**TREES, categorical_features=rows.unordered)
    chances = np.empty(len(rows.positive))
    with _threads().limit(limits=1, user_api="openmp"):
        for fold in np.unique(rows.folds):
            others, inside = rows.folds != fold, rows.folds == fold
            trees.fit(rows.features[others], rows.positive[others], sample_weight=rows.weights[others])
            chances[inside] = trees.predict_proba(rows.features[inside])[:, 1]
    return chances


@lru_cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()
