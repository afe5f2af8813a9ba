"""Do columns say more than one of them alone? Two that matter, without interactions between them, identify pi.

Curves that were fitted without a row give it a score. If one group of columns told all there is to tell about labels,
scores of the whole model would say nothing more: given these columns, label and score were independent. Both are
regressed on the group's model columns, and the products of their residuals have mean zero then (the generalised
covariance measure of Shah and Peters, 2020). Every group is tested, and the one that comes closest to telling all
counts, so that nothing has to be corrected for their number. Unlike tests of single terms, this one sees columns that
say much the same, each of which could be spared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from pugam.inference.rows_tested import RowsTested
from pugam.terms import group_columns

__all__ = ["BeyondOne", "look_beyond_one"]

Array = NDArray[np.float64]


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


def look_beyond_one(rows: RowsTested) -> BeyondOne:
    """Test whether scores of rows held out say more than any one group of columns."""
    groups = group_columns(basis.spec.columns for basis in rows.design.bases)
    if len(groups) < 2:
        return BeyondOne(tuple(sorted(*groups)), 1.0)
    found = [(float(ndtr(-_surplus(rows, group))), tuple(sorted(group))) for group in groups]
    pvalue, columns = max(found)
    return BeyondOne(columns, pvalue)


def _surplus(rows: RowsTested, group: frozenset[str]) -> float:
    """How much scores say beyond a group of columns: standard normal if nothing."""
    roots = np.sqrt(rows.weights)  # a row of weight two is two rows
    inside, _ = np.linalg.qr(roots[:, None] * np.column_stack(list(_model_columns(rows, group))))
    label, score = (_off(inside, roots * values) for values in (rows.positive.astype(float), rows.predictor))
    products = label * score
    spread = np.sqrt(np.sum(products**2 / rows.weights))
    return float(products.sum() / spread) if spread > 0.0 else 0.0


def _model_columns(rows: RowsTested, group: frozenset[str]) -> Iterator[Array]:
    """The intercept's ones, and the model columns of the terms that read these columns."""
    yield np.ones((len(rows.positive), 1))
    for basis, values in zip(rows.design.bases, rows.encoded, strict=True):
        if group.intersection(basis.spec.columns):
            yield basis.columns(values)


def _off(inside: Array, values: Array) -> Array:
    """Take out what orthonormal columns explain."""
    return np.asarray(values - inside @ (inside.T @ values))
