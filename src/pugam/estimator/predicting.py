"""Predictions for rows: log density ratios, posteriors, classes, and how well they fit labels."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from pugam.data import Table, make_frame, read_labels, read_weights, row_index, row_names
from pugam.engines import one_blas_thread
from pugam.errors import InputError
from pugam.estimator.explaining import explain_table, wide_frame
from pugam.estimator.options import read_share
from pugam.estimator.reading import either, read_new_rows
from pugam.estimator.sampling import SampleMethods
from pugam.estimator.unscorable import Scorable, UnscorablePolicy, read_unscorable, scored_where_possible
from pugam.inference import USUAL_LEVEL, intercept_covariance, posterior_errors, posterior_limits, preference_of
from pugam.likelihood import alpha_shift, expit, log_likelihood_rows, preferred_labels
from pugam.messages import Argument
from pugam.terms import count_outside, count_unseen, unscorable_rows, warn_outside, warn_unseen

__all__ = ["PredictionMethods"]


class PredictionMethods(SampleMethods):
    """What a fitted model says about rows, those of the fit or new ones."""

    classes_: np.ndarray

    def log_density_ratio(self, X: Any) -> np.ndarray:
        """Return alpha + sum_j u_j(x_j), the estimated log g(x)/h(x), for each row.

        Parameters
        ----------
        X : data frame or array

        Returns
        -------
        array of shape (n_rows,)

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(1, n0=800, n=1000, random_state=0)
        >>> model = PUGAM("s(x1) + s(x2)").fit(data.X, data.z)
        >>> model.log_density_ratio(data.X).shape
        (1000,)
        """
        check_is_fitted(self)
        return self._ratios(read_new_rows(self, X))

    def _ratios(self, table: Table) -> np.ndarray:
        b = self._design.layout.join_predictor(self.alpha_, self.coef_)
        with one_blas_thread():
            return self._design.predict(self._design.encode_effects(table), b)

    def _log_preferences(self, X: Any) -> np.ndarray | None:
        """W of each row: by how much its label, were it positive, is more likely than on average; None at random."""
        b = preference_of(self._fit)
        if b is None:
            return None
        with one_blas_thread():
            return self._design.predict(self._design.encode(read_new_rows(self, X)), b)

    def unscorable(self, X: Any) -> Any:
        """Return the rows that cannot be scored, and why: a frame row, reason.

        `row` is the index of X, or the place from 0 on where X has none. Such rows hold a level that the fit never saw,
        or lack a value in a column whose term does not permit that. ``predict_proba(X, unscorable="nan")`` scores all
        others.

        Parameters
        ----------
        X : data frame or array

        Examples
        --------
        >>> import numpy as np
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(1, n0=800, n=1000, random_state=0)
        >>> model = PUGAM("x1 + x2", pi=0.4).fit(data.X, data.z)
        >>> X = data.X.head(3).copy()
        >>> X.loc[1, "x2"] = np.nan
        >>> model.unscorable(X).values.tolist()
        [[1, 'x2 is missing']]
        """
        check_is_fitted(self)
        table = read_new_rows(self, X)
        found = unscorable_rows([one._design for one in self._models], table)
        names = row_names(row_index(X), np.fromiter(found, dtype=np.intp, count=len(found)))
        return table.frame({"row": names, "reason": list(found.values())})

    def decision_function(
        self, X: Any, pi: float | None = None, *, sample: Any = None, unscorable: UnscorablePolicy = "error"
    ) -> np.ndarray:
        """Return the logit of P(y = 1 | x) for a row of the unlabelled population; its exponential is the odds.

        P(y = 1 | x) is that of `predict_proba`. Where it is an average, by marginal likelihood or of shrunken curves,
        this is its logit, and not `log_density_ratio` plus logit pi.

        Parameters
        ----------
        X : data frame or array
        pi : float, optional
            Share of positives in another population, as of `predict_proba`.
        sample : str, or array-like of one name for each row, optional
            Which of the unlabelled samples of the fit rows are from, as of `predict_proba`.
        unscorable : {"error", "nan"}
            What becomes of rows that cannot be scored, as of `predict_proba`.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(1, n0=800, n=1000, random_state=0)
        >>> model = PUGAM("x1 + x2", pi=0.4).fit(data.X, data.z)
        >>> bool((model.decision_function(data.X) > 0).sum() == model.predict(data.X).sum())
        True
        >>> bool((model.decision_function(data.X, pi=0.1) < model.decision_function(data.X)).all())
        True
        """
        check_is_fitted(self)
        designs, table = [one._design for one in self._models], read_new_rows(self, X)
        without = {} if read_unscorable(unscorable) == "error" else unscorable_rows(designs, table)
        warn_outside(count_outside(designs, table))
        warn_unseen(count_unseen(designs, table))
        if not without:
            return self._logits(X, pi, sample, table)
        return scored_where_possible(lambda rows: self._logits(rows, pi, sample), X, table.n_rows, without)

    @property
    def _models(self) -> tuple[Any, ...]:
        """The models of the kinds of positives: this one where there is a single kind."""
        return (self,) if self._kinds is None else self._kinds.models

    def _logits(self, X: Any, pi: float | None, sample: Any, table: Table | None = None) -> np.ndarray:
        """The same, wherever the rows lie; a table of them, if there is one already, is not read again."""
        if self._kinds is not None and sample is None:
            return self._kinds.posterior_logits(X, None if pi is None else read_share(pi))
        ratio = self._ratios(read_new_rows(self, X) if table is None else table)
        share, _ = self._known_shares(pi, sample, len(ratio), X)
        return self._posterior_logits(ratio, share)

    def predict_proba(
        self, X: Any, pi: float | None = None, *, sample: Any = None, unscorable: UnscorablePolicy = "error"
    ) -> np.ndarray:
        """Return P(y = 0 | x) and P(y = 1 | x) for rows of the unlabelled population, shape (n_rows, 2).

        A labelled row is treated as if its label were not known. By marginal likelihood, the default, the posterior is
        an average over what is not known of pi and of the curves. The mean over the unlabelled rows of the fit is pi
        (of very many rows, over a part of them), and rows are in the order of `log_density_ratio`. Where curves were
        shrunken, the posterior is an average over what is open about their steepness, and counts positives that look
        like negatives. Otherwise pi and the curves are taken as estimated.

        Parameters
        ----------
        X : data frame or array
            Data frames are read by the names of the fit. After a fit to an array, whose columns are called x0, x1, ...,
            a data frame that has all of these names is read by them, and any other by position.
        pi : float, optional
            Share of positives in another population with the same g and h, to which the posterior is re-targeted by
            Bayes' rule.
        sample : str, or array-like of one name for each row, optional
            Which of the unlabelled samples of the fit rows are from: its share of positives counts. Also the name of a
            column of X, if no sample is called so.
        unscorable : {"error", "nan"}
            Refuse rows that cannot be scored, or give them NaN: rows with a level that the fit never saw, or with a gap
            in a term that does not permit any. `unscorable` tells which and why.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(1, n0=800, n=1000, random_state=0)
        >>> model = PUGAM("x1 + x2", pi=0.4).fit(data.X, data.z)
        >>> here, elsewhere = (model.predict_proba(data.X[800:], pi=pi)[:, 1].mean() for pi in (None, 0.1))
        >>> bool(elsewhere < here)
        True
        """
        check_is_fitted(self)
        posterior = expit(self.decision_function(X, pi, sample=sample, unscorable=unscorable))
        return np.column_stack([1.0 - posterior, posterior])

    def _known_shares(
        self, pi: float | None, sample: Any, n_rows: int, X: Any = None
    ) -> tuple[float | np.ndarray | None, float | np.ndarray]:
        """Shares that hold for some rows, None for that of the fit, and how much more than it their logits vary.

        A sample may be the name of a column of X, if that is given.
        """
        if sample is not None and pi is not None:
            given = Argument("pi"), " and by ", Argument("sample")
            raise InputError("The share of positives is given twice, by ", *given, "; give one of them.")
        is_told = sample is not None or (self._own_column is not None and X is not None)
        numbers = self._sample_numbers(X, sample, n_rows) if is_told and pi is None else None
        return (None if pi is None else read_share(pi), 0.0) if numbers is None else self._shares_of(numbers)

    def _posterior_logits(self, ratio: np.ndarray, pi: float | np.ndarray | None) -> np.ndarray:
        """From log density ratios to logits of posteriors, in the unlabelled population or in others."""
        return self._inference.posterior_logits(ratio, self.pi_ if pi is None else pi)

    def predict_interval(
        self,
        X: Any,
        level: float = 0.95,
        pi: float | None = None,
        *,
        sample: Any = None,
        unscorable: UnscorablePolicy = "error",
    ) -> Any:
        """Return P(y = 1 | x) of each row with its uncertainty: a frame p_positive, se, lower, upper.

        The frame has the index of X, if X has one.

        p_positive is the posterior of `predict_proba`. Limits are symmetric on the logit scale. By marginal likelihood,
        where p_positive is an average over what is not known of pi and of the curves, they are drawn around the
        posterior that is not averaged, and show what is averaged over. They always hold p_positive.

        Parameters
        ----------
        X : data frame or array
        level : float
        pi : float, optional
            Share of positives in another population, as of `predict_proba`; taken as known.
        sample : str, or array-like of one name for each row, optional
            Which of the unlabelled samples of the fit rows are from. Its share is less sure than that of all
            unlabelled rows; the additional variance counts as independent of everything else.
        unscorable : {"error", "nan"}
            As of `predict_proba`. With "nan" a last column, not_scored, holds the reason for each row without a score.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(1, n0=800, n=1000, random_state=0)
        >>> frame = PUGAM().fit(data.X, data.z).predict_interval(data.X)
        >>> bool((frame["lower"] < frame["p_positive"]).all())
        True
        """
        check_is_fitted(self)
        table = read_new_rows(self, X)
        rows = Scorable.read([self._design], table, unscorable)
        encoded, layout = self._design.encode_effects(rows.table), self._design.layout
        share, variance = self._known_shares(pi, sample, len(encoded[0]), X)
        covariance = intercept_covariance(layout, self.covariance(), pi_known=pi is not None)
        with one_blas_thread():
            ratio = self._design.predict(encoded, layout.join_predictor(self.alpha_, self.coef_))
            errors = posterior_errors(self._design, encoded, covariance)
        logits = self._posterior_logits(ratio, share)
        centre = self._inference.central_logits(ratio, self.pi_ if share is None else share)
        limits = posterior_limits(logits, centre, np.sqrt(errors**2 + variance), level)
        numbers = {name: rows.emptied(values) for name, values in limits.items()}
        frame, index = make_frame(table.library, {**numbers, **rows.reason_column}), row_index(X)
        return frame if index is None else frame.set_axis(index, axis=0)

    def predict(
        self,
        X: Any,
        pi: float | None = None,
        *,
        sample: Any = None,
        type: Literal["class", "response", "link", "terms"] = "class",
    ) -> Any:
        """Return the class of each row: positive where the posterior exceeds one half.

        Parameters
        ----------
        X : data frame or array
        pi : float, optional
            Share of positives in another population, as of `predict_proba`.
        sample : str, or array-like of one name for each row, optional
            Which of the unlabelled samples of the fit rows are from, as of `predict_proba`.
        type : {"class", "response", "link", "terms"}
            What to return, in the words of R's ``predict.gam``: "response" is P(y = 1 | x), "link" its logit, as of
            `decision_function`. "terms" is a frame with what each term contributes to that logit, one column a term.
            Its first column, baseline, is the logit of the average unlabelled row of the fit, and rows add up to
            `decision_function`. `explain` gives the same with standard errors.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(1, n0=800, n=1000, random_state=0)
        >>> model = PUGAM("x1 + x2", pi=0.4).fit(data.X, data.z)
        >>> model.predict(data.X[:5]).tolist()
        [0, 1, 1, 1, 0]
        >>> bool(model.predict(data.X, pi=0.1).sum() < model.predict(data.X).sum())
        True
        >>> list(model.predict(data.X[:5], type="terms").columns)
        ['baseline', 'l(x1)', 'l(x2)']
        """
        check_is_fitted(self)
        if type not in ("class", "response", "link", "terms"):
            raise InputError(f"type is 'class', 'response', 'link' or 'terms'; got {type!r}.")
        if type == "terms":
            return wide_frame(explain_table(self, X, USUAL_LEVEL, pi, sample))
        logits = self.decision_function(X, pi, sample=sample)
        if type == "class":
            return np.asarray(self.classes_[(logits > 0.0).astype(int)])
        return logits if type == "link" else expit(logits)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None, *, z: Any = None) -> float:
        """Return the mean log-likelihood of the labels (y or z, as in `fit`): a proper score that needs no negatives.

        Parameters
        ----------
        X : data frame or array
        y, z : array-like of shape (n_rows,)
            The labels, under either name.
        sample_weight : array-like of shape (n_rows,), optional
            How much each row counts in the mean.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(1, n0=800, n=1000, random_state=0)
        >>> PUGAM().fit(data.X, data.z).score(data.X, data.z) < 0
        True
        """
        if self._own_column is not None:
            told = (
                f"Labels cannot be scored where curves vary with {self._own_column!r}: labelled rows are in no sample."
            )
            raise InputError(told)
        ratio = self.log_density_ratio(X)
        labels = read_labels(either(y, z), len(ratio), need_both=False)
        weights = read_weights(sample_weight, len(ratio))
        log_w = self._log_preferences(X)
        s = ratio + float(alpha_shift(self.pi_, self.n0_, self.n1_))
        s, c, d = preferred_labels(s, log_w, self.pi_, self.n0_, self.n1_)
        return float(np.average(log_likelihood_rows(labels.positive, s, c, d), weights=weights))
