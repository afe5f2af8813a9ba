"""A check of the terms of a fitted model."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from pugam.engines import one_blas_thread
from pugam.inference import TermChecks, check_fit

__all__ = ["CheckMethods"]


class CheckMethods:
    """Checks terms; `self` is the whole estimator."""

    def check_terms(self: Any) -> TermChecks:
        """Check the terms as R's `gam.check` and `concurvity` do: is k large enough, do labels turn out as predicted?

        Print the result to read it. `diagnose` asks whether pi is determined and the model fits as a whole; this asks
        about single terms: whether each smooth one has enough functions (a score test of finer functions of its column,
        with all others kept), whether predicted and observed labels agree, and how much of each term the other terms
        could say as well.

        Returns
        -------
        TermChecks
            With the frames `smooth` (term, k, edf, statistic, df, pvalue), `residuals` (predicted and observed shares
            of labelled rows) and `concurvity` (term, worst, observed, estimate, nearest); `findings`, and `warnings`,
            the same in words.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(2, n0=1250, n=1500, random_state=0)
        >>> found = PUGAM(check=False).fit(data.X, data.z).check_terms()
        >>> list(found.smooth.columns)
        ['term', 'k', 'edf', 'statistic', 'df', 'pvalue']
        >>> bool((found.concurvity["observed"] < 0.8).all())
        True
        """
        check_is_fitted(self)
        fitted = self._fitted("A check of the terms")
        with one_blas_thread():
            return check_fit(fitted, self._library)
