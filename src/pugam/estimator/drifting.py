"""New rows compared with those of a fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from sklearn.utils.validation import check_is_fitted

from pugam.data import Table, effective_weights, read_weights
from pugam.engines import one_blas_thread
from pugam.errors import InputError
from pugam.estimator.options import read_share
from pugam.estimator.reading import read_new_rows
from pugam.inference import ColumnDigest, Drift, ShareOfRows, column_drift, digest_columns, drift_columns, share_of_rows
from pugam.solvers import Fit, are_copies
from pugam.terms import columns_read, count_unseen, unscorable_rows, warn_unseen

if TYPE_CHECKING:
    from pugam.estimator.pugam import PUGAM

__all__ = ["DriftMethods", "column_digests"]


class DriftMethods:
    """Whether a fitted model still suits the rows that come."""

    _column_digests: tuple[Fit, tuple[ColumnDigest, ...]] | None = None  # of a loaded model

    def drift(self, X: Any, pi: float | None = None, level: float = 0.95, *, sample_weight: Any = None) -> Drift:
        """Compare new rows with the fit: which columns moved, and do the rows contradict a share of positives?

        Columns are compared with those of the unlabelled rows of the fit, of which a saved model keeps quantiles and
        shares of levels. The share of the new rows is estimated with the density ratio of the fit, whose errors widen
        its interval. It means little where positives or negatives themselves look different now.

        Parameters
        ----------
        X : data frame or array
            Rows of the population to be scored, without labelled ones.
        pi : float, optional
            The share of positives that scores are to be made with, as of `predict_proba`; that of the fit by default.
        level : float
        sample_weight : array-like of one weight for each row, optional
            As of `fit`, where unlabelled rows were weighted, too.

        Returns
        -------
        Drift
            Printed, what was found in words; `columns` is a frame, `share` an interval, `pvalue` that of ``pi``.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> may = simulate(1, n0=800, n=2000, pi=0.4, random_state=0)
        >>> model = PUGAM().fit(may.X, may.z)
        >>> new = may.X[may.z == 0].assign(x1=lambda frame: frame["x1"] + 0.3)
        >>> drift = model.drift(new)
        >>> drift.columns["column"].iloc[0]
        'x1'
        """
        check_is_fitted(self)
        model = cast("PUGAM", self)
        if model._kinds is not None:
            raise InputError(
                "A model of several kinds of positives has a density ratio for each; ask of one, as of_kind gives it."
            )
        digests = column_digests(model)
        if digests is None:
            raise InputError(
                "The model does not hold what its unlabelled rows looked like, since an earlier pugam copied or saved "
                "it; fit it again, or give its rows back with attach(X, z)."
            )
        table = read_new_rows(model, X)
        weights = read_weights(sample_weight, table.n_rows)
        without = unscorable_rows([model._design], table)
        read = columns_read(basis.spec for basis in model._design.effect_bases)
        copied = weights is not None and are_copies(weights) and model._fit.survey is None
        drifts = [
            column_drift(digest, table.column(digest.column), weights, copied=copied)
            for digest in digests
            if digest.column in read
        ]
        warn_unseen(count_unseen([model._design], table))
        kept = _scored(table.n_rows, without, weights)
        if not len(kept):
            raise InputError("No row can be scored, so that nothing can be said of their share of positives.")
        found = _share(model, table.take(kept), _weights_at(model, weights, kept), pi, level)
        frame = table.frame(drift_columns(drifts))
        reasons = Counter(without.values())
        return Drift(frame, found.interval, found.asked, found.pvalue, table.n_rows, len(without), reasons)


def _scored(n_rows: int, without: Mapping[int, str], weights: np.ndarray | None) -> np.ndarray:
    """Numbers of the rows that can be scored, and count."""
    counts = np.ones(n_rows, dtype=bool) if weights is None else weights > 0.0
    counts[list(without)] = False
    return np.flatnonzero(counts)


def _weights_at(model: PUGAM, weights: np.ndarray | None, rows: np.ndarray) -> np.ndarray | None:
    """Weights of some rows; of those of a survey only the ratios count."""
    if weights is None:
        return None
    return weights[rows] if model._fit.survey is None else effective_weights(weights[rows])


def _share(model: PUGAM, table: Table, weights: np.ndarray | None, pi: float | None, level: float) -> ShareOfRows:
    """The share that rows speak for, with the density ratio of a fit, and a test of another one, or that of the fit."""
    asked = model.pi_ if pi is None else read_share(pi)
    design = model._design
    size = 1 + design.blocks[design.n_effects - 1].stop  # terms that say who is labelled have no part in it
    with one_blas_thread():
        encoded = design.encode_effects(table)
        ratio = design.predict(encoded, design.layout.join_predictor(model.alpha_, model.coef_))
        columns = design.matrix(encoded)[:, :size]
        return share_of_rows(ratio, columns, model.covariance()[1 : 1 + size, 1 : 1 + size], asked, level, weights)


def column_digests(model: PUGAM) -> tuple[ColumnDigest, ...] | None:
    """What the columns of the unlabelled rows of a fit look like, from its rows, or as a file remembers it."""
    rows = getattr(model, "_rows", None)
    if rows is not None:
        return digest_columns(model._design, rows[0].shown)
    known = model._column_digests
    return None if known is None or known[0] is not model._fit else known[1]
