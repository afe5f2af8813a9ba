"""Folds by what is in a row, not by where it stands: a table in another order is dealt out alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.solvers.moments import mean_products, shared_variances, without_known
from pugam.solvers.tuning import TUNING

__all__ = ["deal_rows", "kinds_of_rows"]

Flags = NDArray[np.bool_]
Numbers = NDArray[np.intp]


def kinds_of_rows(engine: Engine, dealing: int = 0) -> Numbers:
    """Number the kinds of rows, those with other values in some column, in an order that is random but always the same.

    Rows are told apart by their place along the direction in which labelled rows differ from all others: it is the same
    in whatever order columns stand, in whatever units they are, and whatever their levels are called.
    """
    rng = np.random.default_rng(TUNING.fold_seed + dealing)
    along = _along_difference(without_known(engine))
    farthest = float(np.abs(along).max())
    distinct, kinds = np.unique(np.round(along / (farthest or 1.0), TUNING.alike_decimals), return_inverse=True)
    return np.asarray(rng.permutation(len(distinct))[kinds])


def _along_difference(engine: Engine) -> NDArray[np.float64]:
    """Where each row lies from labelled to all rows, by a discriminant with a ridge, shape (n_rows,)."""
    layout, products = engine.design.layout.of_predictors, mean_products(engine)
    weights = np.where(engine.positive, 1.0 if engine.weights is None else engine.weights, 0.0)
    labelled = engine.sum_groups(weights[None], np.zeros(engine.n_rows, dtype=np.intp), 1)[0, 0]
    difference = labelled / labelled[layout.intercept] - products[layout.intercept]
    covariance = products - np.outer(products[layout.intercept], products[layout.intercept])
    inside = layout.coefficients
    variances = shared_variances(engine.design, covariance.diagonal()[inside])
    scale = np.divide(1.0, np.sqrt(variances), out=np.zeros_like(variances), where=variances > 0.0)
    values, vectors = np.linalg.eigh(covariance[inside, inside] * np.outer(scale, scale))
    falling = 1.0 / (np.maximum(values, 0.0) + TUNING.dealing_ridge)
    b = np.zeros(layout.size)
    b[inside] = scale * (vectors @ (falling * (vectors.T @ (scale * difference[inside]))))
    return engine.linear_predictor(b)


def deal_rows(kinds: Numbers, positive: Flags, weights: NDArray[np.float64] | None, n_folds: int) -> Numbers:
    """Deal rows out to folds, kinds with a labelled row and others evenly.

    Rows of a kind go to the same fold: what was fitted to one of a row's twins is no judge of it. Where there are only
    a few kinds, rows are dealt out one by one: they repeat because there is not more to tell of a row.
    """
    folds = np.empty(len(kinds), dtype=np.intp)
    if len(np.unique(kinds)) < TUNING.fewest_kinds:
        keys = (kinds, ~positive) if weights is None else (weights, kinds, ~positive)
        folds[np.lexsort(keys)] = np.arange(len(kinds)) % n_folds
        return folds
    labelled = np.isin(kinds, kinds[positive])
    for chosen in (labelled, ~labelled):
        folds[chosen] = np.unique(kinds[chosen], return_inverse=True)[1] % n_folds
    return folds
