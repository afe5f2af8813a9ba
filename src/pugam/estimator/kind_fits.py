"""Several kinds of positives: fitted at once by marginal likelihood, or otherwise in turn until shares settle.

In turn, each kind is fitted to the rows that are of no other kind.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from pugam.data import FEWEST_LABELLED, PositiveKinds, Table, number_kinds, rows_renumbered
from pugam.engines import one_blas_thread
from pugam.errors import InputError
from pugam.estimator.options import WEAK_PRIOR
from pugam.estimator.reading import read_training_rows
from pugam.estimator.training import TableRows
from pugam.inference import (
    USUAL_LEVEL,
    Interval,
    KindDiagnoses,
    KindLimits,
    allow_for_model_error,
    kind_posteriors,
    of_found_kinds,
    rows_left,
    share_correlation,
    worst_verdict,
)
from pugam.likelihood import logit
from pugam.messages import Argument, Message
from pugam.solvers import JointKinds, find_clusters, fit_jointly

__all__ = ["AUTO", "KindFits", "attach_kinds", "find_kinds", "fit_kinds", "require_ordinary"]

Array = NDArray[np.float64]

MOST_SWEEPS = 8
SETTLED = 0.002  # change of a share, and of the mean weight of a row, from one sweep to the next
AUTO = "auto"
IN_TURN = "kinds that were fitted in turn cannot take their rows back"


@dataclass(frozen=True, eq=False)
class KindFits:
    """Fits of K kinds of positives.

    Attributes
    ----------
    names : tuple of str
    rows : array of shape (K,)
        Total weight of the labelled rows of each kind.
    models : tuple of PUGAM
        Each fitted to the labelled rows of a kind and the unlabelled rows less those expected to be of other kinds.
    correlation : array of shape (K, K)
        Of the logits of their shares.
    n_unlabelled : float
        Total weight of the unlabelled rows.
    n_sweeps : int
    settled : bool
        Whether shares moved no more at the end.
    found : bool
        Whether kinds were found by clustering, not given.
    hidden : array of shape (n_rows,), optional
        Weight of each row the model was given, zero of labelled ones; None of a copied or stored model.
    """

    names: tuple[str, ...]
    rows: Array
    models: tuple[Any, ...]
    correlation: Array
    n_unlabelled: float
    n_sweeps: int
    settled: bool
    found: bool
    hidden: Array | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "hidden": None}  # data stay where they are

    def limits(self, level: float) -> KindLimits:
        """Shares among rows of no other kind, with their limits."""
        intervals = [model.pi_interval(level, model_error=False) for model in self.models]
        return KindLimits(intervals, [model._fit.neighbours for model in self.models], self.correlation)

    @property
    def shares(self) -> Array:
        """Shares among all unlabelled rows, shape (K,)."""
        return self.limits(USUAL_LEVEL).shares

    def interval(self, level: float, model_error: bool = True, method: str | None = None) -> Interval:
        """The interval for the sum of the shares."""
        if method not in (None, "wald"):
            raise InputError(f"The share of all kinds together has no {method} interval; take the default.")
        others = self.limits(level).sums_by_others()
        return self._allowing(lambda at: self.limits(at).together(), level, others, model_error)

    def intervals(self, level: float, model_error: bool = True) -> list[Interval]:
        """The interval for the share of each kind."""
        limits = self.limits(level)

        def of_kind(number: int) -> Interval:
            by_others = limits.by_others(number)
            return self._allowing(lambda at: self.limits(at).of_kind(number), level, by_others, model_error)

        return [of_kind(number) for number in range(len(self.names))]

    def _allowing(
        self, sampling: Callable[[float], Interval], level: float, others: Sequence[float], model_error: bool
    ) -> Interval:
        """The interval at a level, by marginal likelihood with an allowance for model error if asked for."""
        if not model_error or self.models[0]._settings.estimate == "mode":
            return sampling(level)
        return allow_for_model_error(sampling, level, others, (0.0, 1.0))

    @property
    def at_once(self) -> bool:
        """Whether all kinds were fitted at once, and not in turn, which takes two sweeps at least."""
        return self.n_sweeps == 1

    @property
    def verdict(self) -> str | None:
        """The verdict on all kinds together."""
        worst, _ = worst_verdict([model.verdict_ for model in self.models])
        return of_found_kinds(worst) if self.found else worst

    def caveat(self) -> Message | None:
        """What has to be said before any number, if kinds were judged."""
        if self.verdict is None:
            return None
        judged = tuple(model._judged for model in self.models)
        return KindDiagnoses(self.names, judged, self.interval(USUAL_LEVEL), self.found).caveat()

    def require_rows(self, what: str) -> None:
        """Refuse what needs the rows of the fit, where a copy or a file left them behind."""
        if self.hidden is None:
            back = "give them back with attach(X, z, kind=...)" if self.at_once else "fit it again, since " + IN_TURN
            raise InputError(
                f"{what} needs the rows the model was fitted to, which a copied or stored model does not carry; {back}."
            )

    def require_same(self, kinds: PositiveKinds | None) -> PositiveKinds:
        """Refuse other kinds than those of the fit, and a fit that cannot take its rows back."""
        if not self.at_once:
            raise InputError(f"Fit the model again: {IN_TURN}.")
        if kinds is None or kinds.names != self.names:
            named = ", ".join(map(repr, self.names))
            same = f"These are not the kinds of positives the model was fitted to, {named}: give the same "
            raise InputError(same, Argument("kind"), " as in the fit.")
        return kinds

    def diagnose(self) -> KindDiagnoses:
        """Diagnose the fit of each kind."""
        self.require_rows("The diagnosis")
        diagnoses = tuple(model.diagnose() for model in self.models)
        return KindDiagnoses(self.names, diagnoses, self.interval(USUAL_LEVEL), self.found)

    def posteriors(self, X: Any) -> Array:
        """P(kind | x) of rows, shape (n_rows, K)."""
        return kind_posteriors(np.column_stack([model.decision_function(X) for model in self.models]))

    def posterior_logits(self, X: Any, pi: float | None) -> Array:
        """Logits of P(y = 1 | x): of the sum over kinds, in the unlabelled population or in one with another share."""
        logits = np.logaddexp.reduce(np.column_stack([model.decision_function(X) for model in self.models]), axis=1)
        if pi is None:
            return np.asarray(logits)
        return np.asarray(logits + logit(pi) - np.logaddexp.reduce(self.limits(USUAL_LEVEL).logits))

    def number(self, name: Any) -> int:
        """Find a kind by its name."""
        if str(name) not in self.names:
            raise InputError(f"There is no kind {str(name)!r}; the kinds are {', '.join(map(repr, self.names))}.")
        return self.names.index(str(name))


def require_ordinary(parameters: dict[str, Any], given: dict[str, Any]) -> None:
    """Refuse what does not go together with several kinds of positives."""
    for role, values in given.items():
        if values is not None:
            raise InputError(
                Argument("kind"), " and ", Argument(role), " cannot be used together; leave one of them out."
            )
    if parameters["labelling"] is not None:
        both = " cannot be used together: kinds are labelled each at random; leave one of them out."
        raise InputError(Argument("kind"), " and ", Argument("labelling"), both)
    if parameters["pi"] is not None:
        raise InputError(Argument("pi"), " cannot be fixed or bounded where there are several kinds of positives.")
    if parameters["engine"] not in ("auto", "memory"):
        raise InputError(
            Argument("kind"), " is for tables in memory, not for ", Argument("engine", parameters["engine"]), "."
        )


def find_kinds(table: Table, labelled: NDArray[np.bool_]) -> PositiveKinds:
    """Find kinds by clustering the labelled rows along the columns that are numbers."""
    rows = np.flatnonzero(labelled)
    columns = [table.column(name) for name in table.names]
    numeric = [column.values[rows] for column in columns if column.kind == "numeric"]
    if not numeric:
        raise InputError(Argument("kind", AUTO), " clusters labelled rows by columns of numbers, but X has none.")
    found = find_clusters(numeric, FEWEST_LABELLED, seed=0)
    # The largest first, so that names do not depend on how a mixture numbers its components.
    order = np.argsort(-np.bincount(found), kind="stable")
    numbers = np.full(table.n_rows, -1, dtype=np.intp)
    numbers[rows] = np.argsort(order)[found]
    kinds = number_kinds(tuple(f"cluster {1 + place}" for place in range(len(order))), numbers, "pooled")
    return kinds._replace(found=True)


def _judge_each(names: Sequence[str], fitted: Sequence[Any], verbose: bool) -> None:
    for name, one in zip(names, fitted, strict=True):
        if verbose:
            print(f"pugam: checking kind {name!r}")
        one.check = True
        one._judge()


def fit_kinds(
    model: Any, X: Any, z: Any, weights: Array | None, kinds: PositiveKinds, unlabelled: NDArray[np.bool_]
) -> KindFits:
    """Fit all kinds at once; where fits of one kind are not by marginal likelihood, one after the other."""
    turns = _Turns(model, X, np.asarray(z), weights, kinds, np.flatnonzero(unlabelled))
    joint = _fit_jointly(model, X, z, weights, kinds)
    if joint is None:
        n_sweeps, settled = turns.settle()
        fitted = turns.fitted
        correlation = share_correlation([one._fitted("The correlation of shares") for one in fitted])
    else:
        n_sweeps, settled = 1, True
        fitted, correlation = turns.divide(joint), joint.correlation()
    if model.check:
        _judge_each(kinds.names, fitted, model.verbose)
    rows = np.array([one.n0_ for one in fitted])
    hidden = _hidden(weights, unlabelled)
    n_unlabelled = float(hidden[unlabelled].sum())
    known = rows, tuple(fitted), correlation, n_unlabelled
    return KindFits(kinds.names, *known, n_sweeps, settled, kinds.found, hidden)


def _hidden(weights: Array | None, unlabelled: NDArray[np.bool_]) -> Array:
    """Weights of the unlabelled rows, zero in all other places."""
    return np.where(unlabelled, 1.0 if weights is None else weights, 0.0)


def attach_kinds(
    fits: KindFits,
    model: Any,
    X: Any,
    z: Any,
    weights: Array | None,
    kinds: PositiveKinds,
    unlabelled: NDArray[np.bool_],
) -> KindFits:
    """Give the models of all kinds the rows they were fitted to."""
    _Turns(model, X, np.asarray(z), weights, kinds, np.flatnonzero(unlabelled)).attach(fits.models)
    return replace(fits, hidden=_hidden(weights, unlabelled))


def _fit_jointly(model: Any, X: Any, z: Any, weights: Array | None, kinds: PositiveKinds) -> JointKinds | None:
    """Fit all kinds at once, beginning with a fit that takes them for one, if that is by marginal likelihood."""
    whole = clone(model).set_params(check=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole.fit(X, z, weights)
    fitted = whole._fitted("A fit of several kinds")
    if not fitted.fit.has_evidence:
        return None
    kept = whole._rows.kept
    with one_blas_thread():
        return fit_jointly(fitted, kinds.numbers if kept is None else kinds.numbers[kept])


class _Turns:
    """The kinds, each fitted when it is its turn."""

    def __init__(
        self, model: Any, X: Any, z: Any, weights: Array | None, kinds: PositiveKinds, unlabelled: NDArray[np.intp]
    ) -> None:
        self._model, self._X, self._z, self._kinds, self._unlabelled = model, X, z, kinds, unlabelled
        self._weights = np.ones(len(z)) if weights is None else weights
        self._weighted = weights is not None
        size = len(kinds.names)
        self._parts = [np.concatenate([np.flatnonzero(kinds.numbers == number), unlabelled]) for number in range(size)]
        self._hidden = take_rows(X, unlabelled)
        self._logits = np.full((len(unlabelled), size), -np.inf)
        self._seen: list[Array | None] = [None] * size
        self._found: list[Any] = [None] * size
        counts = [len(part) for part in self._parts]
        self._order = sorted(range(size), key=lambda number: -counts[number])

    @property
    def fitted(self) -> list[Any]:
        """The models, by the number of their kind."""
        return self._found

    def settle(self) -> tuple[int, bool]:
        """Go round until nothing moves: how often, and whether it came to that."""
        before = np.zeros(len(self._found))
        for sweep in range(1, MOST_SWEEPS + 1):
            moved = [self._turn(number) for number in self._order]
            shares = np.array([model.pi_ for model in self._found])
            if self._model.verbose:
                print(f"pugam: kinds, sweep {sweep}: shares among rows of no other kind {np.round(shares, 3).tolist()}")
            if not any(moved) or np.abs(shares - before).max() < SETTLED:
                return sweep, True
            before = shares
        return MOST_SWEEPS, False

    def divide(self, joint: JointKinds) -> list[Any]:
        """Make a model of each kind, of a fit of all of them."""
        self._logits = joint.posterior_logits(~joint.model.engine.positive)
        posteriors = kind_posteriors(self._logits)
        return [self._part_of(joint, number, rows_left(posteriors, number)) for number in range(len(self._found))]

    def attach(self, models: Sequence[Any]) -> None:
        """Give models of a fit of all kinds at once the rows that were divided among them."""
        logits = np.column_stack([one.log_density_ratio(self._hidden) + logit(one.pi_) for one in models])
        posteriors = kind_posteriors(logits)
        for number, one in enumerate(models):
            part, weights, _ = self._rows_of(number, rows_left(posteriors, number))
            one.attach(take_rows(self._X, part), self._z[part], weights)

    def _part_of(self, joint: JointKinds, number: int, left: Array) -> Any:
        part, weights, child = self._rows_of(number, left)
        X = take_rows(self._X, part)
        rows = TableRows(read_training_rows(X), self._z[part], weights, "memory", self._model.n_jobs)
        with one_blas_thread():
            child._take_over(joint.of_kind(number, rows.engine(joint.design(number))), X, rows)
        return child

    def _turn(self, number: int) -> bool:
        """Fit one kind again, unless the rows it is fitted to are the same as before."""
        left = rows_left(kind_posteriors(self._logits), number)
        seen = self._seen[number]
        if seen is not None and np.average(np.abs(left - seen), weights=self._weights[self._unlabelled]) < SETTLED:
            return False
        self._seen[number] = left
        self._found[number] = self._fit(number, left)
        self._logits[:, number] = self._found[number].decision_function(self._hidden)
        return True

    def _fit(self, number: int, left: Array) -> Any:
        part, weights, child = self._rows_of(number, left)
        with warnings.catch_warnings(), rows_renumbered(lambda row: int(part[row])):
            warnings.simplefilter("ignore")
            return child.fit(take_rows(self._X, part), self._z[part], weights)

    def _rows_of(self, number: int, left: Array) -> tuple[NDArray[np.intp], Array | None, Any]:
        """Numbers of the rows of a kind, their weights, and a model to be."""
        part, whole = self._parts[number], bool((left == 1.0).all()) and not self._weighted
        prior = _prior_of_one(self._model.pi_prior, len(self._found))
        weights = self._weights[part].copy()
        weights[len(part) - len(left) :] *= left
        child = clone(self._model).set_params(check=False, verbose=0, pi_prior=prior)
        return part, (None if whole else weights), child


def _prior_of_one(prior: Any, n_kinds: int) -> Any:
    """The prior on the share of one kind: what keeps the sum off zero is shared among the kinds."""
    if prior is None:
        return None
    a, b = WEAK_PRIOR if isinstance(prior, str) and prior == "weak" else prior
    return 1.0 + (a - 1.0) / n_kinds, b


def take_rows(X: Any, rows: Sequence[int] | NDArray[np.intp]) -> Any:
    """Some rows of a table, in the library it came in."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    return frame[np.asarray(rows)].to_native() if isinstance(frame, nw.DataFrame) else np.asarray(X)[rows]
