"""Rows on which a fit is tested: all, or a sample of many, in an order and in folds that depend on their values alone.

A row whose weight is a whole number stands for so many rows, and is tested as these are.

A row's label has the variance P (1 - P) if the model holds. Divided by its root, residuals have variance one and the
derivatives of P with the parameters span the tangent space of the model. A direction that is orthogonal to it is not
moved by small errors of the parameters, wherever these come from: estimation, smoothing or a bias correction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.inference.labels import log_preferences
from pugam.inference.own_curves import see_together
from pugam.inference.profile import PiProfile
from pugam.likelihood import alpha_shift, preferred_labels, saturating_rows
from pugam.solvers import Fitted, are_copies, deal_rows, kinds_of_rows
from pugam.terms import Axis, Design, Encoded
from pugam.terms.levels import MISSING_CODE

__all__ = [
    "MOST_ROWS",
    "N_BINS",
    "N_FOLDS",
    "RowsTested",
    "choose_rows",
    "copies_of_rows",
    "encoded_at",
    "read_axes",
    "spread_rows",
]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Numbers = NDArray[np.intp]

MOST_ROWS, MOST_CELLS = 20_000, 5_000_000  # of a sample, and of its model columns
MOST_COPIES = 1e14  # for which places in a sample are still whole numbers
N_FOLDS, N_BINS = 3, 64
FEWEST_ROWS, FEWEST_OF_A_LABEL = 100, 25  # with fewer there is nothing to learn from
NO_DIRECTION = 1e-10  # eigenvalue, of a unit diagonal, below which model columns say the same
LEAST_OWN = 0.01  # of a row, outside the tangent space: parameters that fit single rows say nothing of them
ODDS_LIMITS = 1e-200, 1e200  # whose roots and squares are still numbers


@dataclass(frozen=True, eq=False)
class RowsTested:
    """Rows with what a fit says of each.

    Attributes
    ----------
    design : Design
    theta : array of shape (p,)
        The reported coefficients.
    encoded : tuple of arrays, one for each term
    positive : bool array of shape (n,)
    weights : array of shape (n,)
        Ones where those of the fit are whole numbers.
    folds : int array of shape (n,)
        From 0 to 2; rows that are alike are in the same fold.
    predictor : array of shape (n,)
        a + eta(x), with the intercept that belongs to the numbers of labelled and unlabelled rows here.
    odds, slope : arrays of shape (n,)
        P / (1 - P), and the derivative of log P in the predictor; in log c it is 1.
    hidden : array of shape (n,)
        Of positives like these, the share that is not labelled.
    beside : array of shape (n, r), optional
        Further columns of the predictor: what curves of single samples do to it.
    held_out : bool
        Whether predictors come from curves that were fitted without the row.
    """

    design: Design
    theta: Array
    encoded: tuple[Encoded, ...]
    positive: Flags
    weights: Array
    folds: Numbers
    predictor: Array
    odds: Array
    slope: Array
    hidden: Array
    beside: Array | None = None
    held_out: bool = False

    @cached_property
    def columns(self) -> Array:
        """Model columns, the intercept's ones first: shape (n, 1 + p)."""
        return self.design.matrix(self.encoded)

    @cached_property
    def axes(self) -> dict[str, tuple[Axis, Encoded]]:
        """The columns of the table that the model reads, each once, as the smallest term sees it: axis and values."""
        return read_axes(self.design, self.encoded)

    @property
    def features(self) -> Array:
        """The columns of the table that the model reads, in bins of equal numbers of rows: shape (n, k).

        Binned once for all: scikit-learn takes long to bin rows with weights. Missing values are NaN. Those that labels
        go with most stand first, since of two equally good splits trees take that of the first column.
        """
        return self._features[0]

    @property
    def unordered(self) -> Flags:
        """Which of the features are levels, numbered from the most frequent one: shape (k,)."""
        return self._features[1]

    @cached_property
    def _features(self) -> tuple[Array, Flags]:
        apart = self.positive.astype(np.float64) - self.positive.mean()
        columns = [values for _, values in self.axes.values()]
        found = [(_by_frequency if _are_levels(values) else _in_bins)(values) for values in columns]
        order = sorted(range(len(found)), key=lambda place: _goes_with(found[place], apart), reverse=True)
        unordered = np.array([_are_levels(columns[place]) for place in order])
        return np.column_stack([found[place] for place in order]), unordered

    @property
    def are_enough(self) -> bool:
        """Whether there are rows enough, of either label, to learn from."""
        n, n_labelled = len(self.positive), int(np.count_nonzero(self.positive))
        return n >= FEWEST_ROWS and min(n_labelled, n - n_labelled) >= FEWEST_OF_A_LABEL

    @property
    def rows_per_parameter(self) -> float:
        """How many rows there are for each parameter of the model."""
        return len(self.positive) / self.design.layout.size

    @cached_property
    def variance(self) -> Array:
        """P (1 - P), shape (n,)."""
        return np.asarray(self.odds / (1.0 + self.odds) ** 2)

    @cached_property
    def excess(self) -> Array:
        """By how much fourth moments of residuals exceed those of normal ones: much for labels next to certain.

        Curves may be too sure of rows they were not fitted to, and several such rows may be alike. Of the others the
        squares of residuals, as they are, account for that. A row of weight two is two rows.
        """
        return (1.0 / self.variance - 6.0) / self.weights if self.held_out else np.zeros(len(self.positive))

    @cached_property
    def residuals(self) -> Array:
        """(z - P) over the root of its variance, times the root of the weight: shape (n,)."""
        roots = np.sqrt(self.odds)
        return np.where(self.positive, 1.0 / roots, -roots) * np.sqrt(self.weights)

    def along_predictor(self, columns: Array) -> Array:
        """What columns added to the predictor, shape (n, r), do to P, in units of the residuals."""
        return np.asarray((np.sqrt(self.odds * self.weights) * self.slope)[:, None] * columns)

    def along_labelling(self, columns: Array) -> Array:
        """What columns added to the log odds of being labelled, shape (n, r), do to P, in units of the residuals."""
        return np.asarray(np.sqrt(self.variance * self.weights)[:, None] * columns)

    @cached_property
    def tangents(self) -> Array:
        """Directions that the parameters, and the steepness of all curves, span in units of the residuals: (n, k)."""
        effects = self.columns[:, : 1 + self.design.n_columns - self.design.layout.n_preference]
        beside = effects[:, :0] if self.beside is None else self.beside
        steep = self.along_predictor(np.column_stack([effects, beside, self.predictor]))
        roots = np.sqrt(self.odds * self.weights)
        if self.design.layout.n_preference == 0:
            return np.column_stack([roots, steep])
        chosen = self.columns[:, effects.shape[1] :]
        return np.column_stack([roots * self.hidden * (1.0 - self.slope), steep, self.along_labelling(chosen)])

    @cached_property
    def _inside(self) -> Array:
        """Orthonormal directions of the tangent space of all rows."""
        return _orthonormal(self.tangents)

    def off_tangents(self, directions: Array, rows: Flags | None = None) -> Array:
        """Take the part in the tangent space, of all rows or of some, out of directions there, shape (m,) or (m, r).

        The space is that of free parameters: under the penalties, errors of smoothing would be left in.
        """
        inside = self._inside if rows is None else _orthonormal(self.tangents[rows])
        for _ in range(2):  # the second time takes out what rounding has left
            directions = directions - inside @ (inside.T @ directions)
        return directions

    @cached_property
    def squares(self) -> Array:
        """Squares of the residuals, one on average if the model holds: shape (n,).

        Unlike the variances that the model expects, they are right where curves are a little too flat, or too steep.
        Parameters make residuals smaller by the share of a row in the tangent space, for which they are corrected.
        """
        inside = self._inside
        left = self.residuals - inside @ (inside.T @ self.residuals)
        shares = np.sum(inside**2, axis=1) / self.weights  # a row of weight two is two rows, each with half of it
        return np.asarray(left**2 / self.weights / np.maximum(1.0 - shares, LEAST_OWN))


def read_axes(design: Design, encoded: Sequence[Encoded]) -> dict[str, tuple[Axis, Encoded]]:
    """The columns of the table that a model reads, each once, as the smallest term sees it: axis and values."""
    found: dict[str, tuple[Axis, Encoded]] = {}
    terms = list(zip(design.bases, encoded, strict=True))
    for basis, values in sorted(terms, key=lambda term: len(term[0].axes)):
        for number, axis in enumerate(basis.axes):
            found.setdefault(axis.column, (axis, basis.along(values, number)))
    return found


def _are_levels(values: Encoded) -> bool:
    return values.dtype == np.int32


def _by_frequency(codes: Encoded) -> Array:
    """Number levels from the most frequent one, whatever they are called; the rarest of very many share a number."""
    missing, numbers = codes == MISSING_CODE, np.full(len(codes), np.nan)
    _, first, places, counts = np.unique(codes[~missing], return_index=True, return_inverse=True, return_counts=True)
    ranks = np.empty(len(counts))
    ranks[np.lexsort((first, -counts))] = np.minimum(np.arange(len(counts)), N_BINS - 1)
    numbers[~missing] = ranks[places]
    return numbers


def _in_bins(values: Encoded) -> Array:
    missing = np.isnan(values)
    present, bins = values[~missing], np.full(len(values), np.nan)
    edges = np.unique(np.quantile(present, np.linspace(0.0, 1.0, N_BINS + 1)[1:-1])) if len(present) else present
    bins[~missing] = np.searchsorted(edges, present, side="right")
    return bins


def _goes_with(bins: Array, apart: Array) -> float:
    """How far bins go with what is apart from its mean, in either direction; gaps count as the mean."""
    known = ~np.isnan(bins)
    return abs(float(apart[known] @ (bins[known] - bins[known].mean()))) if known.any() else 0.0


def _orthonormal(columns: Array) -> Array:
    """Orthonormal columns that span the same space, without directions in which there is next to nothing."""
    lengths = np.linalg.norm(columns, axis=0)
    columns = columns[:, lengths > 0.0] / lengths[lengths > 0.0]
    values, vectors = np.linalg.eigh(columns.T @ columns)
    kept = values > NO_DIRECTION * values[-1]
    return np.asarray(columns @ (vectors[:, kept] / np.sqrt(values[kept])))


def choose_rows(profile: PiProfile) -> RowsTested:
    """Choose the rows to test a fit on and put them in order; as many labelled as unlabelled ones of a sample."""
    fitted = profile.fitted
    engine, optimum = fitted.engine, fitted.fit.optimum
    together = see_together(fitted)
    kinds = kinds_of_rows(engine if together is None else together.rows)
    rows, copies = _sampled(engine, kinds)
    positive = engine.positive[rows]
    are_rows = engine.weights is None or copies_of_rows(engine) is not None
    weights = np.ones(len(rows)) if are_rows or engine.weights is None else engine.weights[rows]
    n0, n1 = float(weights[positive].sum()), float(weights[~positive].sum())
    shift = alpha_shift(optimum.pi, n0, n1) - alpha_shift(optimum.pi, engine.n0, engine.n1)
    predictors = profile.predictors_of(rows, copies) if together is None else together.predictors[rows]
    predictor = np.asarray(predictors + shift)
    log_w = log_preferences(fitted.fit, engine)
    s, c, d = preferred_labels(predictor, None if log_w is None else log_w[rows], optimum.pi, n0, n1)
    odds, slope = _say(positive, s, c, d)
    encoded, folds = encoded_at(fitted, rows), deal_rows(kinds[rows], positive, N_FOLDS)
    said = predictor, odds, slope, np.broadcast_to(d, odds.shape)
    if together is None:
        held_out = profile.holds_out
        return RowsTested(fitted.design, optimum.theta, encoded, positive, weights, folds, *said, held_out=held_out)
    tested = RowsTested(*together.terms(encoded), positive, weights, folds, *said)
    return replace(tested, beside=together.columns(rows, tested.columns))


def _say(positive: Flags, predictor: Array, c: Array, d: Array) -> tuple[Array, Array]:
    """P / (1 - P), and the derivative of log P in the predictor."""
    rows = saturating_rows(positive, predictor, c, d)
    odds = np.clip(rows.info_cc, *ODDS_LIMITS)
    return odds, np.asarray(np.minimum(rows.info_sc / odds, 1.0))


def copies_of_rows(engine: Engine) -> Numbers | None:
    """As how many rows each row is looked at, where weights are whole numbers; None where rows are as they are."""
    weights = engine.weights
    if weights is None or not are_copies(weights) or engine.n0 + engine.n1 > MOST_COPIES:
        return None
    return weights.astype(np.intp)


def _sampled(engine: Engine, kinds: Numbers) -> tuple[Numbers, Numbers]:
    """Numbers of the rows to look at, in the order of their kinds, the labelled ones first, and of copies of each."""
    keys = (kinds,) if engine.weights is None else (engine.weights, kinds)
    order = np.lexsort(keys)
    copied = copies_of_rows(engine)
    counts = np.ones(engine.n_rows, dtype=np.intp) if copied is None else copied
    parts = [order[engine.positive[order]], order[~engine.positive[order]]]
    n_labelled, n_hidden = (int(counts[part].sum()) for part in parts)
    most = max(min(MOST_ROWS, MOST_CELLS // (1 + engine.design.n_columns)), 1)
    if n_labelled + n_hidden > most:
        n_labelled = min(n_labelled, max(most // 2, most - n_hidden))
        n_hidden = most - n_labelled
    chosen = [spread_rows(part, counts[part], n) for part, n in zip(parts, (n_labelled, n_hidden), strict=True)]
    rows, numbers = (np.concatenate(both) for both in zip(*chosen, strict=True))
    return rows, numbers


def spread_rows(rows: Numbers, counts: Numbers, n_chosen: int) -> tuple[Numbers, Numbers]:
    """Choose so many copies of some rows, spread evenly: their rows, and their numbers among a row's copies."""
    ends = np.cumsum(counts)
    places = np.arange(n_chosen) * (ends[-1] if len(ends) else 0) // max(n_chosen, 1)
    chosen = np.searchsorted(ends, places, side="right")
    return rows[chosen], places - (ends - counts)[chosen]


def encoded_at(fitted: Fitted, rows: Numbers) -> tuple[Encoded, ...]:
    """Encoded values of rows in any order, each any number of times."""
    distinct, back = np.unique(rows, return_inverse=True)
    return tuple(values[back] for values in fitted.engine.encoded_at(distinct))
