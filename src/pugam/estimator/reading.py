"""Brings X into a table the way scikit-learn expects of an estimator, whatever kind of container X is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from sklearn.base import BaseEstimator

from pugam.data import (
    Column,
    Table,
    contradiction,
    numbered_names,
    read_labels,
    read_table,
    read_weights,
    require_unlabelled,
)
from pugam.errors import InputError
from pugam.terms import Encoded

__all__ = [
    "WeightedRows",
    "all_or_nothing",
    "either",
    "owned",
    "read_kept_labels",
    "read_new_rows",
    "read_training_rows",
    "read_weighted_rows",
    "remember_features",
]

FEWEST_ROWS = 2


class WeightedRows(NamedTuple):
    """Rows of positive weight, their weights, and which rows of the table they are (None: all)."""

    table: Table
    weights: np.ndarray | None
    kept: np.ndarray | None


def read_weighted_rows(table: Table, sample_weight: Any, among: np.ndarray | None = None) -> WeightedRows:
    """Read the weights and choose the rows of positive weight, among some or all."""
    weights = read_weights(sample_weight, table.n_rows)
    if weights is None and among is None:
        return WeightedRows(table, None, None)
    kept = np.ones(table.n_rows, bool) if weights is None else weights > 0.0
    kept = kept if among is None else kept & among
    return WeightedRows(table if kept.all() else table.take(kept), None if weights is None else weights[kept], kept)


def read_kept_labels(
    z: Any, n_rows: int, kept: np.ndarray | None, negatives: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Read the labels of a table; return who is positive among the rows kept, and the two values as written."""
    labels = read_labels(z, n_rows)
    if negatives is not None and (labels.positive & negatives).any():
        raise contradiction("negative", int(np.argmax(labels.positive & negatives)))
    positive = labels.positive if kept is None else labels.positive[kept]
    require_unlabelled(positive, negatives)
    if positive.all() or not positive.any():
        raise InputError("Rows of positive weight are of only one class; labelled and unlabelled are both needed.")
    return positive, labels.classes


def read_training_rows(X: Any) -> Table:
    """Read X for a fit."""
    table = read_table(X)
    if table.n_rows < FEWEST_ROWS:
        raise InputError(f"There is one sample, but a fit needs at least {FEWEST_ROWS} rows: labelled and unlabelled.")
    return table


def remember_features(estimator: BaseEstimator, X: Any, header: Table) -> None:
    """Remember the features of a fit on the estimator, as scikit-learn does: arrays have no names."""
    estimator.n_features_in_ = len(header.names)
    if not _has_names(X):
        if hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
        return
    estimator.feature_names_in_ = np.array(header.names, dtype=object)


def read_new_rows(estimator: BaseEstimator, X: Any) -> Table:
    """Read X for prediction: by column name where both this X and that of the fit have names, else by position.

    Columns of an array are called x0, x1, ...: after a fit to one, a data frame that has all these names is read by
    them, as files and exported models are, and any other by position.
    """
    table = read_table(X)
    known = getattr(estimator, "feature_names_in_", None)
    names = numbered_names(estimator.n_features_in_) if known is None else list(known)
    if _is_frame(X) and (known is not None or set(names) <= set(table.names)):
        return table
    if len(table.names) != estimator.n_features_in_:
        raise InputError(
            f"X has {len(table.names)} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
    return table.renamed(names)


def _has_names(X: Any) -> bool:
    return _is_frame(X) or not isinstance(X, np.ndarray | list | tuple)


def _is_frame(X: Any) -> bool:
    return nw.dependencies.is_into_dataframe(X) and not isinstance(X, np.ndarray)


def either(y: Any, z: Any) -> Any:
    """Return the labels, whichever of their two names they were given under."""
    if y is not None and z is not None:
        raise InputError("The labels are given twice, as y and as z; pass one of them.")
    return z if y is None else y


@contextmanager
def all_or_nothing(estimator: BaseEstimator) -> Iterator[None]:
    """Leave an estimator as it was, fitted or not, where Ctrl-C comes while it remembers a fit."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        estimator.__dict__.clear()
        estimator.__dict__.update(before)
        raise


def owned(encoded: Sequence[Encoded], columns: Sequence[Column]) -> list[Encoded]:
    """Copies of what is a view of the user's data, which may be written to after the fit; of each array one."""
    views = [column.values for column in columns if column.borrowed]
    arrays = {id(values): values for values in encoded}
    owned = {
        key: values.copy() if any(np.may_share_memory(values, view) for view in views) else values
        for key, values in arrays.items()
    }
    return [owned[id(values)] for values in encoded]
