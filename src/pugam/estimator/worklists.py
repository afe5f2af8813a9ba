"""Worklists: rows in the order in which to review them, with what a review is expected to find."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from pugam.data import make_frame, open_frame, read_flag, read_names, row_index, row_names, series_at
from pugam.engines import one_blas_thread
from pugam.errors import InputError
from pugam.estimator.options import is_number, read_count
from pugam.estimator.predicting import PredictionMethods
from pugam.estimator.reading import read_new_rows
from pugam.estimator.unscorable import Scorable, UnscorablePolicy, read_unscorable
from pugam.inference import (
    ModelErrors,
    RankedRows,
    Worklist,
    expected_yields,
    intercept_covariance,
    lengths_of_reviews,
    posterior_errors,
    posterior_limits,
    said_lengths,
    samples_of,
    share_and_intercept_covariance,
    shares_of_rows,
    unaudited_rows,
    yield_columns,
)
from pugam.messages import Argument
from pugam.terms import Encoded

__all__ = ["WorklistMethods", "read_cutoff"]

OWN_COLUMNS = ("rank", "row", "p_positive", "lower", "upper")


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows that may be reviewed, n of them, in the order they were given.

    Attributes
    ----------
    number : array of shape (n,)
        Where each stands in the table.
    ratio : array of shape (n,)
        Log density ratios.
    share : float or array of shape (n,)
        The share of positives that holds for the rows.
    sample : array of shape (n,)
    excess : array of shape (n_samples,)
        By how much logits of the shares of samples vary beside what they have in common.
    encoded_at : callable
        Gives encoded values of rows, by their places among these.
    library : str
        In which frames are made.
    index : index of a pandas frame, or None
        Names of the rows of the table; None stands for their places from 0 on.
    """

    number: NDArray[np.intp]
    ratio: np.ndarray
    share: float | np.ndarray
    sample: NDArray[np.intp]
    excess: np.ndarray
    encoded_at: Any
    library: str
    index: Any


class WorklistMethods(PredictionMethods):
    """Ranks rows for a review."""

    def worklist(
        self,
        X: Any = None,
        top: int | None = None,
        threshold: float | None = None,
        *,
        cost_review: float | None = None,
        cost_miss: float | None = None,
        columns: str | Sequence[str] | None = None,
        level: float = 0.95,
        model_error: bool = True,
        pi: float | None = None,
        sample: Any = None,
        unscorable: UnscorablePolicy = "error",
    ) -> Worklist:
        """Rank rows for a review, and say how many positives it is expected to find; print it to read it.

        No known negatives are needed: the posteriors add up to the number of positives to expect. The interval
        counts chance, the estimation of pi and of the curves, and what `pi_interval` allows for model error.
        Rows are counted once each, whatever weights the fit had.

        Parameters
        ----------
        X : data frame or array, optional
            Rows that nobody has looked at. None: the unlabelled rows of the fit, less those audited.
        top : int, optional
            How many rows to list. None: all, or those above a threshold.
        threshold : float, optional
            The smallest posterior of a row on the list.
        cost_review, cost_miss : float, optional
            What it costs to review a row, and to leave a positive unseen, in the same unit. Rows are listed for which
            the expected cost of leaving them is no less than that of a review: from a posterior of
            cost_review / cost_miss on.
        columns : str or list of str, optional
            Columns of X to carry along, such as a customer's number.
        level : float
        model_error : bool
            As of `pi_interval`: whether lower limits allow for negatives that look just like positives, in equal shares
            among all rows that do. False: sampling error alone, which makes short lists look much surer.
        pi, sample
            As of `predict_proba`. A share that is given counts as known.
        unscorable : {"error", "nan"}
            Refuse rows that cannot be scored, or rank and count the others alone; `not_scored` of the worklist holds
            the rows left out and the reasons, as `unscorable` does.

        Returns
        -------
        Worklist
            With `rows`, whose column row is the index of X (or the place from 0 on where X has none), `found`,
            `precision`, `recall`, `cutoffs`, a table for lists of other lengths, and `not_scored`.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(2, n0=1250, n=3000, random_state=0)
        >>> model = PUGAM().fit(data.X, data.z)
        >>> unlabelled = data.z == 0
        >>> found = model.worklist(data.X[unlabelled], top=200).found
        >>> rows = model.worklist(data.X[unlabelled], top=200).rows["row"]
        >>> bool(found.lower <= data.y[rows].sum() <= found.upper)
        True
        """
        check_is_fitted(self)
        smallest = read_cutoff(top, threshold, cost_review, cost_miss)
        self._require_one_kind()
        model_error, kept = read_flag("model_error", model_error), _carried(X, columns)
        policy = read_unscorable(unscorable)
        rows = self._rows_of_fit(pi, sample) if X is None else self._new_rows(X, pi, sample, policy)
        with one_blas_thread():
            found = self._listed(rows, top, smallest, kept, level, model_error, pi is not None)
        return found if X is None or policy == "error" else replace(found, not_scored=self.unscorable(X))

    def _require_one_kind(self) -> None:
        if self._kinds is not None:
            raise InputError(
                f"This model has {len(self._kinds.names)} kinds of positives, and what a review finds is known for "
                "one kind alone; rank rows by predict_proba(X), or by predict_kinds(X)."
            )

    def _listed(
        self,
        rows: _Rows,
        top: int | None,
        smallest: float | None,
        kept: nw.DataFrame[Any] | None,
        level: float,
        model_error: bool,
        pi_known: bool,
    ) -> Worklist:
        """Rank rows, see how far the list goes, and ask what it yields."""
        order, ranked = self._ranked(rows)
        length = len(order) if smallest is None else int(np.count_nonzero(ranked.posterior >= smallest))
        length = length if top is None else min(top, length)
        known = self._design.layout, self.covariance(), pi_known
        allowed = model_error and not pi_known
        errors = self._inference.model_errors(self.pi_, level) if allowed else ModelErrors()
        lengths = lengths_of_reviews(len(order), length)
        curve = expected_yields(ranked, self._design, share_and_intercept_covariance(*known), errors, lengths, level)
        places = rows.number[order[:length]]
        listed: dict[str, Any] = {"rank": np.arange(1, 1 + length), "row": row_names(rows.index, places)}
        listed |= self._limits(ranked, length, intercept_covariance(*known), level)
        listed |= {} if kept is None else series_at(kept, places)
        table = make_frame(rows.library, yield_columns(curve, said_lengths(len(order), length)))
        return Worklist.of_yields(make_frame(rows.library, listed), table, curve, length, self.verdict_, pi_known)

    def _ranked(self, rows: _Rows) -> tuple[NDArray[np.intp], RankedRows]:
        """Rows by their posteriors, and the order that brings them there."""
        inference, share = self._inference, np.broadcast_to(rows.share, len(rows.ratio))
        logits, centre = (ask(rows.ratio, rows.share) for ask in (inference.posterior_logits, inference.central_logits))
        order = np.argsort(-logits, kind="stable")
        return order, RankedRows(
            logits[order],
            centre[order],
            share[order],
            rows.sample[order],
            rows.excess,
            lambda places: rows.encoded_at(order[places]),
        )

    def _limits(self, ranked: RankedRows, length: int, covariance: np.ndarray, level: float) -> dict[str, np.ndarray]:
        """Posteriors of the first rows, with limits."""
        errors = posterior_errors(self._design, ranked.encoded_at(np.arange(length)), covariance)
        spread = np.sqrt(errors**2 + ranked.excess[ranked.sample[:length]])
        limits = posterior_limits(ranked.logits[:length], ranked.centre[:length], spread, level)
        return {name: limits[name] for name in ("p_positive", "lower", "upper")}

    def _new_rows(self, X: Any, pi: float | None, sample: Any, unscorable: UnscorablePolicy) -> _Rows:
        """Rows of a table, all or those that can be scored."""
        table = read_new_rows(self, X)
        rows = Scorable.read([self._design], table, unscorable)
        scored = np.setdiff1d(np.arange(table.n_rows), rows.without)
        there, layout = table.take(scored) if rows.without else table, self._design.layout
        encoded = self._design.encode_effects(there)
        share, _ = self._known_shares(pi, sample, table.n_rows, X)
        share = share[scored] if isinstance(share, np.ndarray) else share
        with one_blas_thread():
            ratio = self._design.predict(encoded, layout.join_predictor(self.alpha_, self.coef_))
        numbers = None if pi is not None else self._sample_numbers(X, sample, table.n_rows)
        numbers = None if numbers is None else numbers[scored]
        return _Rows(
            scored,
            ratio,
            self.pi_ if share is None else share,
            *self._samples(numbers, len(scored)),
            lambda places: [values[places] for values in encoded],
            table.library,
            row_index(X),
        )

    def _rows_of_fit(self, pi: float | None, sample: Any) -> _Rows:
        """The unlabelled rows of the fit that nobody has looked at, each with the share of its sample."""
        if sample is not None:
            raise InputError("Rows of the fit have their samples already; leave ", Argument("sample"), " out.")
        fitted = self._fitted("A worklist of the rows of the fit")
        engine, kept = self._rows
        rows = np.flatnonzero(unaudited_rows(fitted))
        number = rows if kept is None else np.flatnonzero(kept)[rows]
        predictor = self._design.layout.join_predictor(self.alpha_, self.coef_)
        known, _ = self._known_shares(pi, None, len(rows))
        share = shares_of_rows(fitted, self.pi_) if known is None else known
        share = share[rows] if isinstance(share, np.ndarray) else share
        several = known is None and fitted.fit.samples is not None and len(fitted.fit.samples.names) > 1
        numbers = samples_of(fitted)[rows] - 1 if several else None

        def encoded_at(places: NDArray[np.intp]) -> list[Encoded]:
            back = np.argsort(np.argsort(rows[places]))  # engines give rows as they stand in the table
            return [values[back] for values in engine.encoded_at(np.sort(rows[places]))]

        with one_blas_thread():
            ratio = engine.linear_predictor(predictor)[rows]
        return _Rows(number, ratio, share, *self._samples(numbers, len(rows)), encoded_at, self._library, self._index)

    def _samples(self, numbers: np.ndarray | None, n_rows: int) -> tuple[NDArray[np.intp], np.ndarray]:
        """Numbers of the samples of rows, and by how much the logits of their shares vary beside that of pi."""
        if numbers is None:
            return np.zeros(n_rows, dtype=np.intp), np.zeros(1)
        excess = self._excess()
        return numbers, excess if len(excess) - 1 in numbers else excess[:-1]


def read_cutoff(top: Any, threshold: Any, cost_review: Any, cost_miss: Any) -> float | None:
    """Check how far a list is to go, and return the smallest posterior on it, None for any."""
    by_costs = cost_review is not None or cost_miss is not None
    ways = [
        Argument(name)
        for name, given in (("top", top is not None), ("threshold", threshold is not None), ("cost_review", by_costs))
        if given
    ]
    if len(ways) > 1:
        told = " both say how long the list is; give one of them."
        raise InputError(ways[0], " and ", ways[1], told)
    if top is not None:
        read_count("top", top)
    if by_costs:
        return _threshold_of_costs(cost_review, cost_miss)
    if threshold is not None and not (is_number(threshold) and 0.0 <= threshold <= 1.0):
        raise InputError(Argument("threshold"), f" is a probability from 0 to 1; got {threshold!r}.")
    return None if threshold is None else float(threshold)


def _threshold_of_costs(cost_review: Any, cost_miss: Any) -> float:
    """The posterior from which a review costs no more than what it is expected to spare."""
    if cost_review is None or cost_miss is None:
        raise InputError(Argument("cost_review"), " and ", Argument("cost_miss"), " go together; give both.")
    _require_cost("cost_review", cost_review)
    _require_cost("cost_miss", cost_miss)
    if cost_review > cost_miss:
        raise InputError(
            f"A review costs more than a positive left unseen ({cost_review:g} against {cost_miss:g}), so that no row "
            "is worth one; check ",
            Argument("cost_review"),
            " and ",
            Argument("cost_miss"),
            ".",
        )
    return float(cost_review / cost_miss)


def _require_cost(name: str, cost: Any) -> None:
    if not (is_number(cost) and math.isfinite(cost) and cost > 0.0):
        raise InputError(Argument(name), f" is a cost above zero; got {cost!r}.")


def _carried(X: Any, columns: Any) -> nw.DataFrame[Any] | None:
    """Columns of X to carry along, whatever they hold."""
    if columns is None:
        return None
    names, frame = list(dict.fromkeys(read_names("columns", columns))), None if X is None else open_frame(X)
    if frame is None:
        raise InputError(Argument("columns"), " are columns of a data frame X; give X as one.")
    for name in names:
        if name in OWN_COLUMNS:
            raise InputError(f"A worklist has a column {name!r} of its own; rename that of X first.")
        if name not in frame.columns:
            raise InputError(f"X has no column {name!r}; it has {', '.join(map(repr, frame.columns))}.")
    return frame.select(names)
