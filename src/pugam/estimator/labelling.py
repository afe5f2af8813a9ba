"""Are labels a random sample of the positives, and how wrong could pi be if not?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from pugam.data import read_names
from pugam.engines import one_blas_thread
from pugam.errors import InputError
from pugam.estimator.judging import JudgingMethods
from pugam.inference import LabellingBounds, LabellingTest, bound_labelling, choose_rows, profile_of, score_labelling

__all__ = ["LabellingMethods"]


class LabellingMethods(JudgingMethods):
    """What a fit that takes positives to be labelled at random says of that."""

    def test_labelling(self, columns: str | Sequence[str] | None = None) -> LabellingTest:
        """Test whether positives were labelled at random, or with a preference for some values of the columns.

        The alternative is that the chance of a positive to be labelled depends on one column, along its ranks or by its
        levels, or on several columns, one factor for each. It shows among rows that are surely positive: there, no
        effect tells labelled from unlabelled rows any more. `diagnose` has this test, too.

        It does not see everything. A preference for the clear cases, by all features at once, leaves the same labels as
        a smaller pi with the same effects; `labelling_bounds` says what it could do to pi. Interactions in the model
        may have taken a preference in, and a column is tested only if two others are left without interactions between
        them. So `diagnose` tests the model without interactions that were added, too. Effects that do not add up may
        look like a preference: it speaks of labels only where the test of pairs does not reject more clearly.

        Parameters
        ----------
        columns : str or sequence of str, optional
            Columns of the model by which labels may have been preferred; by default all of them.

        Returns
        -------
        LabellingTest
            With `statistic`, `df` and `pvalue` of all columns together; `columns` and `pvalues`, each column by itself;
            and `leading`, the columns that a preference seems to go by.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(2, n0=1250, n=2500, random_state=0)
        >>> model = PUGAM().fit(data.X, data.z)
        >>> model.test_labelling().pvalue > 0.05
        True
        >>> model.test_labelling("x1").columns
        ('x1',)
        """
        check_is_fitted(self)
        wanted = None if columns is None else self._columns_of_model(columns)
        with one_blas_thread():
            found = score_labelling(choose_rows(profile_of(self._fitted("The test of labelling"))), wanted)
        if found is None:
            raise InputError(
                "Random labelling cannot be tested here: it takes 100 rows, at least 25 of them labelled and 25 not, "
                "five for each parameter of the model, and, beside the column tested, two others without interactions "
                "between them. Use fewer terms or interactions, or more columns."
            )
        return found

    def labelling_bounds(self, gamma: Any = (1.5, 2.0, 3.0, 5.0, 10.0), level: float = 0.95) -> LabellingBounds:
        """Bound pi if the chance of a positive to be labelled varies at most Gamma-fold with its features.

        The lower bound assumes that some rows are sure to be positive; it is reached if labels prefer positives that
        look like negatives, which is rare. The upper one is reached if they prefer those that look positive: the clear
        cases. What varies among positives with the same features does no harm and does not count.

        Parameters
        ----------
        gamma : float or sequence of floats
            At least 1: how many times as likely to be labelled one positive may be as another.
        level : float
            Of the interval for pi that `lower_limit` and `upper_limit` start from.

        Returns
        -------
        LabellingBounds
            With arrays `gamma`, `lower`, `upper`, `lower_limit`, `upper_limit` and `without_model`, and the method
            `gamma_for(value)`: the smallest Gamma at which pi could be this value. Print it to read it.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(2, n0=1250, n=2500, pi=0.4, random_state=0)
        >>> found = PUGAM().fit(data.X, data.z).labelling_bounds([1, 2])
        >>> bool(found.upper[0] < found.upper[1])
        True
        >>> found.gamma_for(0.8) > 2
        True
        """
        check_is_fitted(self)
        values = _read_gamma(gamma)
        if self._settings.pi_range.fixed:
            raise InputError("pi was fixed, not estimated from labels: how these came about does not change it.")
        with one_blas_thread():
            return bound_labelling(profile_of(self._fitted("A bound for pi")), self.pi_interval(level), values)

    def _columns_of_model(self, columns: str | Sequence[str]) -> set[str]:
        """Columns as a user names them, all of which the model reads."""
        wanted = set(read_names("columns", columns))
        known = list(dict.fromkeys(axis.column for basis in self._design.bases for axis in basis.axes))
        for column in sorted(wanted - set(known)):
            raise InputError(
                f"The model has no column {column!r}; its columns are {', '.join(known)}. Add the column to the terms "
                "of the model to test it."
            )
        if not wanted:
            raise InputError("Name at least one column of the model, or leave columns out to test all.")
        return wanted


def _read_gamma(gamma: Any) -> np.ndarray:
    try:
        values = np.atleast_1d(np.asarray(gamma, dtype=float))
    except (TypeError, ValueError):
        values = np.zeros(1)
    if values.ndim > 1 or not len(values) or not np.isfinite(values).all() or (values < 1.0).any():
        raise InputError(f"gamma is a number of at least 1, or several of them; got {gamma!r}.")
    return values
