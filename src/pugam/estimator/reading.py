"""Brings X into a table the way scikit-learn expects of an estimator, whatever kind of container X is."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array

from pugam.data import Table, read_table
from pugam.errors import InputError

__all__ = ["read_new_rows", "read_training_rows"]


def read_training_rows(estimator: BaseEstimator, X: Any) -> Table:
    """Read X for a fit and remember its features on the estimator, as scikit-learn does."""
    table = _read(estimator, X, min_rows=2)
    estimator.n_features_in_ = len(table.names)
    if _is_frame(X):
        estimator.feature_names_in_ = np.array(table.names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
    return table


def read_new_rows(estimator: BaseEstimator, X: Any) -> Table:
    """Read X for prediction: a frame is matched by column name, an array by position."""
    table = _read(estimator, X, min_rows=1)
    if not _is_frame(X) and len(table.names) != estimator.n_features_in_:
        raise InputError(
            f"X has {len(table.names)} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
    if not _is_frame(X) and hasattr(estimator, "feature_names_in_"):
        return read_table(_named(estimator, table))
    return table


def _read(estimator: BaseEstimator, X: Any, min_rows: int) -> Table:
    if _is_frame(X):
        table = read_table(X)
        if table.n_rows < min_rows:
            raise InputError(f"X has {table.n_rows} row(s), but at least {min_rows} are needed (n_samples = 1).")
        return table
    return read_table(_as_numbers(estimator, X, min_rows))


def _as_numbers(estimator: BaseEstimator, X: Any, min_rows: int) -> Any:
    """Let scikit-learn check an array of numbers; arrays that hold text go on as they are."""
    try:
        return check_array(
            X,
            dtype="numeric",
            ensure_all_finite=False,
            ensure_min_samples=min_rows,
            estimator=estimator,
            input_name="X",
        )
    except ValueError:
        if np.asarray(X, dtype=object).ndim == 2 and any(
            isinstance(cell, str) for cell in np.asarray(X, dtype=object).flat
        ):
            return np.asarray(X, dtype=object)
        raise


def _named(estimator: BaseEstimator, table: Table) -> Any:
    """Give the columns of an array the names that the fit saw, by position."""
    columns = {
        name: table.column(own).values for name, own in zip(estimator.feature_names_in_, table.names, strict=True)
    }
    return table.frame(columns)


def _is_frame(X: Any) -> bool:
    return nw.dependencies.is_into_dataframe(X) and not isinstance(X, np.ndarray)
