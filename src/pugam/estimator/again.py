"""The same model next month: fitted again to new rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from pugam.estimator.pugam import PUGAM

__all__ = ["AgainMethods", "same_settings"]


class AgainMethods:
    """What a fitted model is for when new rows come."""

    def refit(self, X: Any, y: Any = None, sample_weight: Any = None, **roles: Any) -> PUGAM:
        """Fit the same model to other rows, and return it; this one stays as it is.

        Parameters and terms are those of this model. Terms that were chosen from its columns, and interactions that
        were found, are taken as they are, so that the two models can be compared; ranges, knots, levels and smoothing
        are those of the new rows. ``clone(model).fit(X, z)`` chooses terms anew.

        Parameters
        ----------
        X, y, sample_weight, **roles
            As of `fit`: ``z``, ``sample``, ``audit`` and others by their names.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> may = simulate(1, n0=800, n=1000, random_state=0)
        >>> june = simulate(1, n0=800, n=1000, random_state=1)
        >>> model = PUGAM(pi=0.4).fit(may.X, may.z)
        >>> again = model.refit(june.X, june.z)
        >>> again.formula_ == model.formula_
        True
        """
        check_is_fitted(self)
        return same_settings(cast("PUGAM", self)).fit(X, y, sample_weight, **roles)


def same_settings(model: PUGAM) -> PUGAM:
    """Return an estimator, not fitted, with the parameters of a fitted one and the terms that it has.

    Each of several kinds of positives has terms of its own; for them terms are chosen as they were.
    """
    again: PUGAM = clone(model)
    if model._kinds is None:
        again.set_params(terms=model.formula_, labelling=None, interactions=None)
    return again
