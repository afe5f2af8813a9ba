"""Folds by what is in a row, not by where it stands: a table in another order is dealt out alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.solvers.moments import mean_products, shared_variances, without_known
from pugam.solvers.tuning import TUNING
from pugam.solvers.weighted import unit_of

__all__ = ["Dealing", "deal_rows", "deal_weights", "kinds_of_rows"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Numbers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Dealing:
    """Rows dealt out to folds by their weight: a row of weight two may have a half in each of two folds.

    Attributes
    ----------
    rows : int array of shape (m,)
        Numbers of the rows, increasing; one that is dealt to several folds stands here several times.
    folds : int array of shape (m,)
        Those of a row in the order in which its weight was dealt.
    parts : array of shape (m,)
        Which part of the row's weight this is.
    """

    rows: Numbers
    folds: Numbers
    parts: Array

    def held_out(self, fold: int, n_rows: int) -> Array:
        """Which part of each row is in a fold, shape (n_rows,)."""
        inside = self.folds == fold
        return np.bincount(self.rows[inside], self.parts[inside], n_rows).astype(np.float64)

    def places(self, rows: Numbers, copies: Numbers) -> Numbers:
        """Where copies of rows stand, counted from 0 within their row: shape (m,)."""
        first, last = (np.searchsorted(self.rows, rows, side) for side in ("left", "right"))
        return np.asarray(first + copies % (last - first))


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


def deal_rows(kinds: Numbers, positive: Flags, n_folds: int) -> Numbers:
    """Deal rows out to folds, kinds with a labelled row and others evenly.

    Rows of a kind go to the same fold: what was fitted to one of a row's twins is no judge of it. Where there are only
    a few kinds, rows are dealt out one by one: they repeat because there is not more to tell of a row.
    """
    folds = np.empty(len(kinds), dtype=np.intp)
    if _are_few(kinds):
        folds[np.lexsort((kinds, ~positive))] = np.arange(len(kinds)) % n_folds
        return folds
    labelled = np.isin(kinds, kinds[positive])
    for chosen in (labelled, ~labelled):
        folds[chosen] = np.unique(kinds[chosen], return_inverse=True)[1] % n_folds
    return folds


def deal_weights(kinds: Numbers, positive: Flags, weights: Array | None, n_folds: int) -> Dealing:
    """Deal rows out as `deal_rows` would if those of weight two were two rows."""
    if weights is None or not _are_few(kinds):
        rows = np.arange(len(kinds))
        return Dealing(rows, deal_rows(kinds, positive, n_folds), np.ones(len(rows)))
    order = np.lexsort((weights, kinds, ~positive))
    units = weights[order] / unit_of(weights)
    ends = np.cumsum(units)
    starts = np.append(0.0, ends[:-1])
    first = np.floor(starts + TUNING.least_part)
    # The turns of a row begin with the fold of its first unit; a fold's turn comes again after n_folds units.
    turns = np.arange(n_folds) + (first % n_folds)[:, None]
    folds = (turns % n_folds).astype(np.intp)
    parts = np.empty(folds.shape)
    parts[order] = _dealt(ends, folds) - _dealt(starts, folds)
    parts /= np.where(weights > 0.0, weights / unit_of(weights), 1.0)[:, None]
    folds[order] = folds.copy()
    rows, turn = np.nonzero(parts > TUNING.least_part)
    kept = parts[rows, turn]
    return Dealing(rows, folds[rows, turn], kept / np.bincount(rows, kept, len(weights))[rows])


def _dealt(units: Array, folds: Numbers) -> Array:
    """Of so many units dealt in turn, how many went to each of some folds: shape (n, n_folds)."""
    n_folds = folds.shape[1]
    rounds, rest = np.divmod(units, n_folds)
    return np.asarray(rounds[:, None] + np.clip(rest[:, None] - folds, 0.0, 1.0))


def _are_few(kinds: Numbers) -> bool:
    return len(np.unique(kinds)) < TUNING.fewest_kinds
