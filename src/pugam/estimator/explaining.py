"""Why rows have their posteriors: what each term contributes to their log odds, as frames and as arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from pugam.data import make_frame, row_index, row_names
from pugam.engines import one_blas_thread
from pugam.errors import InputError
from pugam.estimator.reading import read_new_rows
from pugam.estimator.unscorable import Scorable, UnscorablePolicy
from pugam.inference import Contributions, ShareKnown, explain_rows, intercept_covariance
from pugam.terms import Basis

__all__ = ["AVERAGING", "BASELINE", "Explanation", "ExplanationMethods", "explain_table", "wide_frame"]

BASELINE, AVERAGING = "baseline", "averaging"  # no term is called so: labels of terms have parentheses or a colon


@dataclass(frozen=True, eq=False)
class Explanation:
    """Contributions to the log odds of n rows, with the attributes that `shap.Explanation` has.

    Attributes
    ----------
    values : array of shape (n, m)
        ``base_values + values.sum(axis=1)`` is `decision_function`.
    base_values : array of shape (n,)
        Log odds of the average unlabelled row of the fit.
    data : array of objects, of shape (n, m)
        The values of the rows: those of the column, or a text where a term reads several.
    feature_names : list of str
        The terms. Where posteriors are averages the last one is "averaging", as of `explain`, which has no data.
    standard_errors : array of shape (n, m)
    """

    values: NDArray[np.float64]
    base_values: NDArray[np.float64]
    data: NDArray[Any]
    feature_names: list[str]
    standard_errors: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RowsExplained:
    """Contributions to the log odds of the rows of a table, and what these rows are.

    Attributes
    ----------
    found : Contributions
    index : index of a pandas frame, or None
        Names of the rows; None stands for their places from 0 on.
    data : array of objects, of shape (n, m)
        Values of the rows in the column of each term, or a text where it reads several.
    shown : array of texts, of shape (n, m)
    library : str
        In which frames are made.
    rows : Scorable
        The rows again, those that cannot be scored replaced.
    """

    found: Contributions
    index: Any
    data: NDArray[Any]
    shown: NDArray[Any]
    library: str
    rows: Scorable


class ExplanationMethods:
    """Takes posteriors of rows apart; `self` is the whole estimator."""

    def explain(
        self: Any,
        X: Any,
        level: float = 0.95,
        pi: float | None = None,
        *,
        sample: Any = None,
        form: Literal["frame", "arrays"] = "frame",
        unscorable: UnscorablePolicy = "error",
    ) -> Any:
        """Say why rows have their posteriors: what each term contributes to their log odds.

        A contribution is the term's effect at the row's values, as `effect` and `plot` show it: centred, with mean zero
        over the unlabelled rows of the fit. The first line of a row, baseline, is the log odds of the average
        unlabelled row, for which all contributions are zero. Where `predict_proba` is an average over what is not known
        of pi and of the curves, the last line, averaging, is what that changes: mostly it draws the posterior towards
        one half. The lines of a row add up to its `decision_function`, the logit of
        `predict_proba`.

        Contributions say how the model comes to a probability, not what would happen if a value were changed.

        Parameters
        ----------
        X : data frame or array
        level : float
            Of the limits.
        pi : float, optional
            Share of positives in another population, as of `predict_proba`; taken as known.
        sample : str, or array-like of one name for each row, optional
            Which of the unlabelled samples of the fit rows are from, as of `predict_proba`; the baseline has its share.
        form : {"frame", "arrays"}
            A tidy frame, or an object with the attributes values, base_values, data and feature_names. With the
            package shap, ``shap.Explanation(e.values, e.base_values, e.data, feature_names=e.feature_names)`` makes
            of it, e, what shap's plots take.

        unscorable : {"error", "nan"}
            As of `predict_proba`: with "nan" all numbers of a row that cannot be scored are NaN, and a last column of
            the frame, not_scored, holds the reason.

        Returns
        -------
        data frame
            With the columns row (the index of X, or the place from 0 on), term, value (as text, "missing" where there
            is none), contribution, se, lower and upper. Averaging has no standard error.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(1, n0=800, n=1000, random_state=0)
        >>> model = PUGAM("x1 + x2", pi=0.4).fit(data.X, data.z)
        >>> found = model.explain(data.X[:2])
        >>> found["term"].tolist()
        ['baseline', 'l(x1)', 'l(x2)', 'baseline', 'l(x1)', 'l(x2)']
        >>> total = found.groupby("row")["contribution"].sum()
        >>> bool(abs(total - model.decision_function(data.X[:2])).max() < 1e-10)
        True
        """
        check_is_fitted(self)
        if form not in ("frame", "arrays"):
            raise InputError(f"form is 'frame' or 'arrays'; got {form!r}.")
        explained = explain_table(self, X, level, pi, sample, unscorable)
        return tidy_frame(explained) if form == "frame" else _as_arrays(explained)


def explain_table(
    model: Any, X: Any, level: float, pi: float | None, sample: Any, unscorable: UnscorablePolicy = "error"
) -> RowsExplained:
    """Take the posteriors of the rows of a table apart."""
    design = model._design  # a model of several kinds of positives says here that it has none
    table = read_new_rows(model, X)
    rows = Scorable.read([design], table, unscorable)
    encoded = design.encode_effects(rows.table)
    share, excess = model._known_shares(pi, sample, table.n_rows, X)
    covariance = intercept_covariance(design.layout, model.covariance(), pi_known=pi is not None)
    known = ShareKnown(model.pi_ if share is None else share, covariance, excess)
    with one_blas_thread():
        found = explain_rows(model._inference, encoded, model.alpha_, model.coef_, known, level, model._draws)
    bases = design.effect_bases
    columns = [[table.column(name).values for name in basis.spec.columns] for basis in bases]
    shown = [_shown(basis, values) for basis, values in zip(bases, columns, strict=True)]
    data = [values[0] if len(values) == 1 else texts for values, texts in zip(columns, shown, strict=True)]
    index, parts = row_index(X), (_side_by_side(data), _side_by_side(shown))
    return RowsExplained(_emptied(found, rows), index, *parts, table.library, rows)


def _emptied(found: Contributions, rows: Scorable) -> Contributions:
    """Leave rows that cannot be scored without numbers."""
    if not rows.without:
        return found
    return replace(
        found,
        baseline=rows.emptied(found.baseline),
        baseline_se=rows.emptied(found.baseline_se),
        values=rows.emptied(found.values),
        se=rows.emptied(found.se),
        lower=rows.emptied(found.lower),
        upper=rows.emptied(found.upper),
        averaging=None if found.averaging is None else rows.emptied(found.averaging),
    )


def _shown(basis: Basis, columns: list[NDArray[Any]]) -> NDArray[Any]:
    """Write the values of rows, those of several columns behind each other."""
    texts = [[axis.show(value) for value in values.tolist()] for axis, values in zip(basis.axes, columns, strict=True)]
    return np.array([", ".join(parts) for parts in zip(*texts, strict=True)], dtype=object)


def _side_by_side(columns: list[NDArray[Any]]) -> NDArray[Any]:
    table = np.empty((len(columns[0]), len(columns)), dtype=object)
    for number, column in enumerate(columns):
        table[:, number] = column
    return table


def tidy_frame(explained: RowsExplained) -> Any:
    """One line for each row and term, baseline first and averaging last."""
    found, (names, *lines) = explained.found, list(zip(*_lines(explained), strict=True))
    n_rows = len(found.baseline)
    columns = dict(zip(("value", "contribution", "se", "lower", "upper"), map(_row_by_row, lines), strict=True))
    repeated = np.repeat(row_names(explained.index, np.arange(n_rows)), len(names))
    reasons = {name: np.repeat(each, len(names)) for name, each in explained.rows.reason_column.items()}
    return make_frame(explained.library, {"row": repeated, "term": list(names) * n_rows, **columns, **reasons})


def _lines(explained: RowsExplained) -> Iterator[tuple[Any, ...]]:
    """For each line of a row: its name, and values, contributions, errors and limits of all rows."""
    found = explained.found
    nothing, blank = np.full(len(found.baseline), np.nan), np.full(len(found.baseline), "", dtype=object)
    yield BASELINE, blank, found.baseline, found.baseline_se, *found.baseline_limits
    for number, label in enumerate(found.terms):
        numbers = (part[:, number] for part in (found.values, found.se, found.lower, found.upper))
        yield label, explained.shown[:, number], *numbers
    if found.averaging is not None:
        yield AVERAGING, blank, found.averaging, nothing, nothing, nothing


def _row_by_row(lines: tuple[NDArray[Any], ...]) -> NDArray[Any]:
    return np.column_stack(lines).ravel()


def wide_frame(explained: RowsExplained) -> Any:
    """One line for each row, and one column for each term."""
    columns = {name: contributions for name, _, contributions, *_ in _lines(explained)}
    frame = make_frame(explained.library, columns)
    return frame if explained.index is None else frame.set_axis(explained.index, axis=0)


def _as_arrays(explained: RowsExplained) -> Explanation:
    found = explained.found
    names, values, se, data = list(found.terms), found.values, found.se, explained.data
    if found.averaging is not None:
        nothing = np.full((len(values), 1), np.nan)
        names = [*names, AVERAGING]
        values, se = np.column_stack([values, found.averaging]), np.hstack([se, nothing])
        data = np.hstack([data, np.full((len(values), 1), None, dtype=object)])
    return Explanation(values, found.baseline, data, names, se)
