"""What a fit with several kinds of positives says of each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from pugam.data import (
    ALL_ROWS,
    PositiveKinds,
    as_array,
    make_frame,
    read_kinds,
    read_labels,
    read_table,
    read_weights,
    sample_name,
)
from pugam.errors import InputError, VerdictWarning, warn_user
from pugam.estimator.kind_fits import AUTO, KindFits, attach_kinds, find_kinds, fit_kinds, require_ordinary
from pugam.estimator.reading import all_or_nothing
from pugam.estimator.roles import take_columns
from pugam.estimator.training import is_elsewhere
from pugam.estimator.worklists import WorklistMethods
from pugam.inference import Interval
from pugam.likelihood import label_frequency
from pugam.messages import Argument, counted

if TYPE_CHECKING:
    from pugam.estimator.pugam import PUGAM

__all__ = ["KindMethods"]

# What a model of several kinds takes over from those of single kinds, and what only those have.
COMMON = ("classes_", "n_features_in_", "feature_names_in_", "_library")
OF_ONE_KIND = frozenset(
    [
        "_fit",
        "_design",
        "_settings",
        "_covariance",
        "_rows",
        "_drawn",
        "_diagnosis",
        "_judged",
        "_chances",
        "_origins",
        "alpha_",
        "coef_",
        "loglik_",
        "penalized_loglik_",
        "edf_",
        "aic_",
        "smoothing_",
        "shrinkage_",
        "terms_",
        "formula_",
        "pi_penalized_",
        "at_boundary_",
        "starts_",
    ]
)


def _read_unlabelled(z: Any, sample_weight: Any) -> tuple[np.ndarray | None, np.ndarray]:
    """Weights, if there are any, and which rows are unlabelled and count."""
    positive = read_labels(z, len(z)).positive
    weights = read_weights(sample_weight, len(positive))
    return weights, ~positive if weights is None else ~positive & (weights > 0.0)


class KindRow(NamedTuple):
    """What is known of the share of a kind of positives."""

    kind: str
    rows: float
    interval: Interval
    verdict: str | None


class SeveralKindsError(InputError, AttributeError):
    """Something was asked of all kinds of positives that only one kind has."""


class KindMethods(WorklistMethods):
    """Shares, posteriors and models of kinds of positives."""

    prevalence_: float
    label_frequency_: float
    n_iter_: int
    converged_: bool
    kinds_: list[str]

    def kinds(self, level: float = 0.95, *, model_error: bool = True) -> Any:
        """Return the share of each kind of positives among the unlabelled rows, as a frame with one row for each.

        The last row is that of all kinds together, `pi_`; the only one where there was no ``kind``, or a single one.

        Parameters
        ----------
        level : float
        model_error : bool
            As of `pi_interval`: whether lower limits allow for negatives that look just like positives, and, where a
            model does not fit, for the estimates of other methods.

        Returns
        -------
        data frame
            With the columns kind, rows (labelled), pi, lower, upper and verdict.

        Examples
        --------
        >>> import numpy as np
        >>> from pugam import PUGAM
        >>> rng = np.random.default_rng(0)
        >>> centres = np.repeat([[3, -2], [2, 3], [3, -2], [2, 3], [0, 0]], [200, 50, 60, 60, 280], axis=0)
        >>> X, z = centres + rng.normal(size=centres.shape), np.repeat([1, 0], [250, 400])
        >>> kind = np.where(centres[:, 0] > 2, "right", "up")  # of unlabelled rows it is not used
        >>> PUGAM(check=False).fit(X, z, kind=kind).kinds()["kind"].tolist()
        ['right', 'up', 'all']
        """
        check_is_fitted(self)
        names, counts, intervals, verdicts = zip(*self._kind_rows(level, model_error), strict=True)
        columns = {
            "kind": list(names),
            "rows": list(counts),
            "pi": [interval.estimate for interval in intervals],
            "lower": [interval.lower for interval in intervals],
            "upper": [interval.upper for interval in intervals],
            "verdict": list(verdicts),
        }
        return make_frame(self._library, columns)

    def predict_kinds(self, X: Any) -> Any:
        """Return P(x is a positive of this kind | x) for rows of the unlabelled population: a column for each kind.

        Their sum is P(y = 1 | x) of `predict_proba`, which is at most one.

        Parameters
        ----------
        X : data frame or array

        Examples
        --------
        >>> import numpy as np
        >>> from pugam import PUGAM
        >>> rng = np.random.default_rng(0)
        >>> centres = np.repeat([[3, -2], [2, 3], [3, -2], [2, 3], [0, 0]], [200, 50, 60, 60, 280], axis=0)
        >>> X, z = centres + rng.normal(size=centres.shape), np.repeat([1, 0], [250, 400])
        >>> model = PUGAM(check=False).fit(X, z, kind=np.where(centres[:, 0] > 2, "right", "up"))
        >>> model.predict_kinds([[4.0, -2.0], [2.0, 4.0]]).idxmax(axis=1).tolist()
        ['right', 'up']
        """
        check_is_fitted(self)
        kinds = self._require_kinds()
        posteriors = kinds.posteriors(X)
        return make_frame(self._library, {name: posteriors[:, place] for place, name in enumerate(kinds.names)})

    def of_kind(self, name: Any) -> PUGAM:
        """Return the model of one kind of positives, a fitted `PUGAM`: its effects, diagnosis, pictures and report.

        It compares this kind with the negatives: its unlabelled rows are those of the fit, less what is expected to
        be of other kinds. Its `pi_` is the share of the kind among these rows; `kinds` has that among all.

        Parameters
        ----------
        name
            Of the kind, as given to `fit`; `kinds_` lists them.

        Examples
        --------
        >>> import numpy as np
        >>> from pugam import PUGAM
        >>> rng = np.random.default_rng(0)
        >>> centres = np.repeat([[3, -2], [2, 3], [3, -2], [2, 3], [0, 0]], [200, 50, 60, 60, 280], axis=0)
        >>> X, z = centres + rng.normal(size=centres.shape), np.repeat([1, 0], [250, 400])
        >>> model = PUGAM(check=False).fit(X, z, kind=np.where(centres[:, 0] > 2, "right", "up"))
        >>> effect = model.of_kind("right").effect("x0", [0.0, 3.0])
        >>> bool(effect["u"][1] > effect["u"][0])
        True
        """
        check_is_fitted(self)
        kinds = self._require_kinds()
        model: PUGAM = kinds.models[kinds.number(sample_name(name))]
        return model

    def _kind_rows(self, level: float = 0.95, model_error: bool = True) -> list[KindRow]:
        """What is known of each kind of positives, and of all together."""
        rows = [KindRow(ALL_ROWS, self.n0_, self.pi_interval(level, model_error=model_error), self.verdict_)]
        if self._kinds is None:
            return rows
        kinds, verdicts = self._kinds, [model.verdict_ for model in self._kinds.models]
        intervals = kinds.intervals(level, model_error)
        return [*map(KindRow, kinds.names, kinds.rows.tolist(), intervals, verdicts), *rows]

    def _require_kinds(self) -> KindFits:
        if self._kinds is None:
            told = "There is one kind of positives only; tell kinds apart by ", Argument("kind"), " in the fit."
            raise InputError(*told)
        return self._kinds

    def _take_kinds(
        self, X: Any, z: Any, sample_weight: Any, kind: Any, rare: Any, given: dict[str, Any]
    ) -> tuple[Any, PositiveKinds | None]:
        """Read of which kind labelled rows are; return X without a column that told it, and None for a single kind."""
        if kind is None:
            return X, None
        if is_elsewhere(X):
            here = " is for tables in memory: read the file first, as with pandas.read_csv."
            raise InputError(Argument("kind"), here)
        require_ordinary(self._parameters, given)
        found = isinstance(kind, str) and kind == AUTO
        X, values = (X, {}) if found else take_columns(X, {"kind": kind})
        table = read_table(X)
        labels, weights = read_labels(z, table.n_rows), read_weights(sample_weight, table.n_rows)
        counts = np.ones(table.n_rows, dtype=bool) if weights is None else weights > 0.0
        if found:
            kinds = find_kinds(table, labels.positive & counts)
        else:
            kinds = read_kinds(values["kind"], labels.positive, counts, rare)
        return X, (kinds if len(kinds.names) > 1 else None)

    def _fit_kinds(self, X: Any, z: Any, sample_weight: Any, kinds: PositiveKinds) -> None:
        """Fit several kinds of positives, and remember them in place of a single fit."""
        weights, unlabelled = _read_unlabelled(z, sample_weight)
        fits = fit_kinds(self, X, as_array(z), weights, kinds, unlabelled)
        with all_or_nothing(self):
            for name in [name for name in vars(self) if name.endswith("_") or name in OF_ONE_KIND]:
                delattr(self, name)
            self._remember_kinds(fits)
        self._warn_of_kinds(fits)

    def _attach_kinds(self, X: Any, z: Any, sample_weight: Any, kind: Any, given: dict[str, Any]) -> None:
        """Take back the rows that several kinds of positives were fitted to; rare ones, if any, were pooled."""
        fits = self._require_kinds()
        X, found = self._take_kinds(X, z, sample_weight, kind, "pooled", given)
        kinds = fits.require_same(found)
        weights, unlabelled = _read_unlabelled(z, sample_weight)
        self._kinds = attach_kinds(fits, self, X, as_array(z), weights, kinds, unlabelled)

    def _remember_kinds(self, fits: KindFits) -> None:
        first = fits.models[0]
        self._fitted_with = self._parameters
        self._kinds, self.kinds_ = fits, list(fits.names)
        for name in COMMON:
            if hasattr(first, name):
                setattr(self, name, getattr(first, name))
        self.n0_, self.n1_ = float(fits.rows.sum()), fits.n_unlabelled
        self.pi_ = float(fits.shares.sum())
        self.prevalence_ = (self.n0_ + self.n1_ * self.pi_) / (self.n0_ + self.n1_)
        self.label_frequency_ = float(label_frequency(np.array(self.pi_), self.n0_, self.n1_)[0])
        self.verdict_ = fits.verdict
        self.n_iter_ = fits.n_sweeps
        self.converged_ = fits.settled and all(model.converged_ for model in fits.models)

    def _warn_of_kinds(self, fits: KindFits) -> None:
        """Warn of the worst verdict, and of kinds whose shares did not settle."""
        if not self.converged_:
            named = [name for name, model in zip(fits.names, fits.models, strict=True) if not model.converged_]
            said = f"The fit of kind {named[0]!r} did not converge" if named else "Shares of kinds did not settle"
            warn_user(
                f"{said} in {counted(fits.n_sweeps, 'sweep')}; kinds that look alike may be one.",
                category=ConvergenceWarning,
            )
        caveat = fits.caveat()
        if caveat is not None:
            warn_user(caveat, category=VerdictWarning)

    @property
    def _parameters(self) -> dict[str, Any]:
        estimator: Any = self
        parameters: dict[str, Any] = estimator.get_params(deep=False)
        return parameters

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Tell where to find what each kind of positives has of its own."""
            if self.__dict__.get("_kinds") is not None and (name in OF_ONE_KIND or _is_property(type(self), name)):
                kinds = self.__dict__["_kinds"].names
                raise SeveralKindsError(
                    f"This model has {len(kinds)} kinds of positives, each with curves of its own; ask the model of "
                    f"one kind, model.of_kind({kinds[0]!r}), or see model.kinds() for the shares."
                )
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


def _is_property(owner: type, name: str) -> bool:
    """Whether a class works this out of something else, which is then what an instance lacks."""
    return isinstance(getattr(owner, name, None), property)
