"""Which terms of a fitted model matter, and in which order to show them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from pugam.data import make_frame
from pugam.engines import one_blas_thread
from pugam.errors import InputError
from pugam.inference import OrderName, TermMoments, effect_spreads, measure_importance, measure_terms
from pugam.solvers import Fit, edf_by_term

__all__ = ["ImportanceMethods", "term_moments"]


class ImportanceMethods:
    """Says which terms matter; `self` is the whole estimator."""

    _term_moments: tuple[Fit, TermMoments] | None = None  # of a loaded model

    def importance(self: Any, level: float = 0.95) -> Any:
        """Say how much each term matters: how far it moves the log odds of the unlabelled rows apart.

        The importance of a term is the standard deviation of its effect over the unlabelled rows, on the scale of log
        odds: a term of importance 1 changes the odds of a typical row by a factor of e, up or down. A steep
        effect of a column that hardly varies matters little. Importance says what the model uses, not what causes what,
        and columns that say nearly the same may share what either would have alone.

        Parameters
        ----------
        level : float
            Of the limits.

        Returns
        -------
        data frame
            One line for each term, the most important first: term, importance, lower, upper, share (of the sum of all
            terms' variances), edf and the p-value of the test that the effect is zero. The lower limit is 0 where the
            rows do not show that a term matters. Terms of `labelling` have no part in log odds and are left out.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(1, n0=800, n=1000, random_state=0)
        >>> found = PUGAM("x1 + x2", pi=0.4).fit(data.X, data.z).importance()
        >>> list(found.columns)
        ['term', 'importance', 'lower', 'upper', 'share', 'edf', 'pvalue']
        >>> bool(found["importance"].is_monotonic_decreasing)
        True
        """
        check_is_fitted(self)
        design, penalized = self._design, self._fit.penalized
        moments = self._require_moments("The importance of terms")
        with one_blas_thread():
            found = measure_importance(moments, design, self.coef_, self._curve_covariance, level, self._draws)
            degrees = edf_by_term(design, penalized, penalized.covariance(self._settings.pi_range))
        order = found.order
        known = self._design.known_terms  # which need no test
        pvalues = [np.nan if number in known else self._wald_test([number], "zero").pvalue for number in order.tolist()]
        columns = {
            "term": np.array(found.terms, dtype=object)[order],
            "importance": found.spread[order],
            "lower": found.lower[order],
            "upper": found.upper[order],
            "share": found.share[order],
            "edf": np.asarray(degrees)[order],
            "pvalue": np.array(pvalues),
        }
        return make_frame(self._library, columns)

    def _order(self: Any, order: OrderName = "importance") -> Sequence[int]:
        """Numbers of all terms as they are to be shown: as in the formula, too, where it is not known how they vary.

        Terms that say who is labelled come last in any order.
        """
        if order not in ("importance", "formula"):
            raise InputError(f"order is 'importance' or 'formula'; got {order!r}.")
        numbers = range(len(self._design.bases))
        moments = None if order == "formula" else term_moments(self)
        if moments is None:
            return numbers
        spreads = effect_spreads(moments, self._design, self.coef_)
        return [*np.argsort(-spreads, kind="stable").tolist(), *numbers[len(spreads) :]]

    def _require_moments(self: Any, what: str) -> TermMoments:
        """How terms vary; `what` is asked of a model that neither has its rows nor was told."""
        moments = term_moments(self)
        return measure_terms(self._fitted(what)) if moments is None else moments


def term_moments(model: Any) -> TermMoments | None:
    """How the terms vary over the unlabelled rows of a fit, from its rows, or as a file remembers it."""
    if getattr(model, "_rows", None) is not None:
        with one_blas_thread():
            return measure_terms(model._fitted("The importance of terms"))
    known = model._term_moments
    return None if known is None or known[0] is not model._fit else known[1]
