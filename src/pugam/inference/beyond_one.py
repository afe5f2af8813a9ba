"""Do columns say more than one of them alone? Two that matter, without interactions between them, identify pi.

Curves or trees that were fitted without a row give it a score. If one group of columns told all there is to tell about
labels, scores from all columns would say nothing more: given these columns, label and score were independent. Both are
regressed on the group's model columns, and the products of their residuals have mean zero then (the generalised
covariance measure of Shah and Peters, 2020). Every group is tested, and the one that comes closest to telling all
counts, so that nothing has to be corrected for their number. Unlike tests of single terms, this one sees columns that
say much the same, each of which could be spared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from pugam.inference.rows_tested import RowsTested
from pugam.likelihood import expit, logit
from pugam.linear_algebra import solve
from pugam.solvers import Fit
from pugam.terms import group_columns

__all__ = ["BeyondOne", "held_out_scores", "look_beyond_one"]

Array = NDArray[np.float64]

SUREST = 30.0  # logit of a chance that rounding tells from one
RIDGE, N_STEPS, MOST_LOGIT = 1.0, 6, 15.0  # of a logistic curve that is to be about right


@dataclass(frozen=True)
class BeyondOne:
    """A test that one group of columns tells all.

    Attributes
    ----------
    columns : tuple of str
        The group that comes closest to it.
    pvalue : float
        One-sided, of that group: a score that says less than nothing is chance.
    """

    columns: tuple[str, ...]
    pvalue: float


def held_out_scores(fit: Fit, rows: RowsTested, chances: Array | None) -> Array | None:
    """Scores of rows held out: those of shrunken curves, else those of trees, if there are any.

    Samples, or preferences in labelling, make labels depend on more columns than those of the density ratio.
    """
    if fit.ridge is not None:
        return rows.predictor
    if chances is None or fit.samples is not None or fit.labelling is not None:
        return None
    return np.asarray(np.clip(logit(chances), -SUREST, SUREST))  # trees may be sure


def look_beyond_one(rows: RowsTested, scores: Array | None, pairs_added: bool = False) -> BeyondOne | None:
    """Test whether scores of rows held out say more than any one group of columns; None without scores.

    Groups have no interactions between them. Where pairs were added, each of which is no more than a pair, no term may
    tell all by itself: groups are the columns of single terms.
    """
    if scores is None:
        return None
    read = [frozenset(basis.spec.columns) for basis in rows.design.bases]
    groups = _largest(read) if pairs_added else group_columns(read)
    if len(groups) < 2:
        return BeyondOne(tuple(sorted(*groups)), 1.0)
    found = [(float(ndtr(-_surplus(rows, scores, group))), tuple(sorted(group))) for group in groups]
    pvalue, columns = max(found)
    return BeyondOne(columns, pvalue)


def _largest(sets: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    """Those, each once, that are not a part of another one."""
    return [one for one in dict.fromkeys(sets) if not any(one < other for other in sets)]


def _surplus(rows: RowsTested, scores: Array, group: frozenset[str]) -> float:
    """How much scores say beyond a group of columns: standard normal if nothing."""
    roots = np.sqrt(rows.weights)  # a row of weight two is two rows
    columns = np.column_stack(list(_model_columns(rows, group)))
    columns = np.column_stack([columns, _chances(columns, rows.positive, rows.weights)])
    inside, _ = np.linalg.qr(roots[:, None] * columns)
    label, score = (_off(inside, roots * values) for values in (rows.positive.astype(float), scores))
    products = label * score
    spread = np.sqrt(np.sum(products**2 / rows.weights))
    return float(products.sum() / spread) if spread > 0.0 else 0.0


def _model_columns(rows: RowsTested, group: frozenset[str]) -> Iterator[Array]:
    """The intercept's ones, and the model columns of the terms that read these columns alone."""
    yield np.ones((len(rows.positive), 1))
    for basis, values in zip(rows.design.bases, rows.encoded, strict=True):
        if group.issuperset(basis.spec.columns):
            yield basis.columns(values)


def _chances(columns: Array, positive: NDArray[np.bool_], weights: Array) -> Array:
    """The chance of a label by a logistic curve of these columns, which where they tell much is no straight line."""
    theta, ridge = np.zeros(columns.shape[1]), np.full(columns.shape[1], RIDGE)
    for _ in range(N_STEPS):
        chances = expit(np.clip(columns @ theta, -MOST_LOGIT, MOST_LOGIT))
        score = columns.T @ (weights * (positive - chances)) - ridge * theta
        information = columns.T @ ((weights * chances * (1.0 - chances))[:, None] * columns) + np.diag(ridge)
        theta = theta + solve(information, score)
    return np.asarray(expit(np.clip(columns @ theta, -MOST_LOGIT, MOST_LOGIT)))


def _off(inside: Array, values: Array) -> Array:
    """Take out what orthonormal columns explain."""
    return np.asarray(values - inside @ (inside.T @ values))
