"""The same model next month: fitted again to new rows, and compared with what it was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from pugam.data import make_frame
from pugam.engines import one_blas_thread
from pugam.errors import InputError
from pugam.estimator.drifting import column_digests
from pugam.inference import (
    Changes,
    Curves,
    Interval,
    change_columns,
    compare_effects,
    curve_columns_of,
    normal_quantile,
    share_change,
)

if TYPE_CHECKING:
    from pugam.estimator.pugam import PUGAM

__all__ = ["AgainMethods", "same_settings"]

SHARE_COLUMNS = ("old", "old_lower", "old_upper", "new", "new_lower", "new_upper", "difference", "lower", "upper")


class AgainMethods:
    """What a fitted model offers when new rows arrive."""

    def refit(self, X: Any, y: Any = None, sample_weight: Any = None, **roles: Any) -> PUGAM:
        """Fit the same model to other rows, and return it; this one stays as it is.

        Parameters and terms are those of this model. Terms that were chosen from its columns, and interactions that
        were found, are taken as they are, so that the two models can be compared; ranges, knots, levels and smoothing
        are those of the new rows. ``clone(model).fit(X, z)`` chooses terms anew.

        Parameters
        ----------
        X, y, sample_weight, **roles
            As of `fit`: ``z``, ``sample``, ``audit`` and others by their names. Shares of samples that were pooled are
            pooled again, unless ``shares`` says otherwise.

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
        model = cast("PUGAM", self)
        return same_settings(model).fit(X, y, sample_weight, **_policies(model, roles), **roles)

    def changes_since(self, old: PUGAM, level: float = 0.95) -> Changes:
        """Compare this model with one that was fitted before, to other rows: shares and effects, and their differences.

        The two fits are taken as independent. Where rows are in both, intervals of differences are too wide. Effects
        are compared where both fits have seen values. Those of both have mean zero over the unlabelled rows of this
        model, the newer one: over its own rows each, the same curve would seem to change when rows move. Neither model
        needs its rows.

        Parameters
        ----------
        old : PUGAM
            A fitted model, for example loaded from a file.
        level : float

        Returns
        -------
        Changes
            Printed, what changed in words; its frames are `shares`, `effects` and `curves`.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> may = simulate(1, n0=800, n=2000, pi=0.4, random_state=0)
        >>> june = simulate(1, n0=800, n=2000, pi=0.2, random_state=1)
        >>> model = PUGAM("x1 + x2 + x3").fit(may.X, may.z)
        >>> changes = model.refit(june.X, june.z).changes_since(model)
        >>> bool(changes.share.estimate < 0)
        True
        >>> changes.effects["term"].tolist()
        ['l(x1)', 'l(x2)', 'l(x3)']
        """
        check_is_fitted(self)
        new = cast("PUGAM", self)
        _require_one_kind(old, new)
        with one_blas_thread():
            changed = list(compare_effects(_curves(old), _curves(new)))
        rows = list(_share_rows(old, new, level))
        columns = zip(*(numbers for _, numbers in rows), strict=True)
        shares = {"sample": [name for name, _ in rows], **dict(zip(SHARE_COLUMNS, map(list, columns), strict=True))}
        labels = old._design.labels, new._design.labels
        return Changes(
            share_change(*(one.pi_interval(level, model_error=False) for one in (old, new))),
            make_frame(new._library, shares),
            make_frame(new._library, change_columns(changed)),
            make_frame(new._library, curve_columns_of(changed, level)),
            tuple(label for label in labels[0] if label not in labels[1]),
            tuple(label for label in labels[1] if label not in labels[0]),
            level,
        )


def _require_one_kind(*models: Any) -> None:
    for model in models:
        if not isinstance(model, AgainMethods):
            raise InputError(f"A model is compared with another fitted PUGAM; got a {type(model).__name__}.")
        check_is_fitted(model)
        if model._kinds is not None:  # type: ignore[attr-defined]
            raise InputError(
                "A model of several kinds of positives has curves for each; compare them one by one, as of_kind gives "
                "them."
            )


def _curves(model: PUGAM) -> Curves:
    return Curves(model._design, model.coef_, model._curve_covariance, column_digests(model) or ())


def _share_rows(old: PUGAM, new: PUGAM, level: float) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Shares of the samples that both models have, and of all unlabelled rows: both with limits, and the difference."""
    normal_quantile(level)  # refuses what is no level
    shown, sampling = ([_shares(one, level, with_error) for one in (old, new)] for with_error in (True, False))
    for name in shown[1]:
        if name in shown[0]:
            ends = (share for shares in shown for share in _ends(shares[name]))
            yield name, (*ends, *_ends(share_change(sampling[0][name], sampling[1][name])))


def _shares(model: PUGAM, level: float, model_error: bool) -> dict[str, Interval]:
    return {name: interval for name, _, _, interval, _ in model._share_rows(level, model_error)}


def _ends(interval: Interval) -> tuple[float, float, float]:
    return interval.estimate, interval.lower, interval.upper


def _policies(model: PUGAM, roles: dict[str, Any]) -> dict[str, Any]:
    """What was asked of a fit beside its parameters; it holds for the next one, unless that asks for something else."""
    samples = None if model._kinds is not None else model._fit.samples
    pooled = samples is not None and samples.pooled is not None
    return {"shares": "pooled"} if pooled and roles.get("sample") is not None and "shares" not in roles else {}


def same_settings(model: PUGAM) -> PUGAM:
    """Return an estimator, not fitted, with the parameters of a fitted one and the terms that it has.

    Each of several kinds of positives has terms of its own; for them terms are chosen as they were.
    """
    again: PUGAM = clone(model)
    if model._kinds is None:
        again.set_params(terms=model.formula_, labelling=None, interactions=None)
    return again
