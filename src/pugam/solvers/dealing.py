"""Folds by what is in a row, not by where it stands: a table in another order is dealt out alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.solvers.tuning import TUNING

__all__ = ["deal_rows", "kinds_of_rows"]

Flags = NDArray[np.bool_]
Numbers = NDArray[np.intp]


def kinds_of_rows(engine: Engine, dealing: int = 0) -> Numbers:
    """Number the kinds of rows, those with other values in some column, in an order that is random but always the same.

    Rows are told apart by a random mixture of their model columns.
    """
    rng = np.random.default_rng(TUNING.fold_seed + dealing)
    mixed = engine.linear_predictor(rng.uniform(1.0, 2.0, engine.design.layout.of_predictors.size))
    mixed = np.round(mixed / max(float(np.abs(mixed).max()), 1.0), TUNING.alike_decimals)
    distinct, kinds = np.unique(mixed, return_inverse=True)
    return np.asarray(rng.permutation(len(distinct))[kinds])


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
