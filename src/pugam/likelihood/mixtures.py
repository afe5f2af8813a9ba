"""The likelihood of rows that come from several components, of which samples are mixtures.

Of all rows together, let a row with features x come from component c with the chance

    m_c = exp(s_c) / sum_d exp(s_d),   s_0 = 0,   s_c = a predictor, for or against what is estimated,

and let U_oc be the chance that a row of component c has the outcome o: that it is in a certain sample, and of a certain
class, if that was found out. Shares stand in U alone. A row has its outcome with the chance P_o = sum_c U_oc m_c, and
q_oc = U_oc m_c / P_o is the posterior of its component. With G the derivatives of log U in the shares,

    score in s_c   : q_c - m_c                      in share j : sum_c q_c G_cj
    information cd : sum_o P_o q_oc q_od - m_c m_d   c, j : sum_o P_o q_oc sum_d q_od G_odj

and so on: the expected one is over the outcomes that a row at x may have; the observed one is the covariance under m,
less that under q. What is taken off, m_c m_d, is the square of one row of derivatives, and only pairs of components of
which rows may have the same outcome need sums of their own. Where positives and negatives of one unlabelled sample are
the components, this is the likelihood of `pugam.likelihood.samples`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pugam.likelihood.columns import Columns
from pugam.likelihood.rows import SMALLEST
from pugam.likelihood.sums import LOWEST_VALUE, Sums

__all__ = [
    "Mixture",
    "Outcomes",
    "Predictors",
    "mixture_sums",
    "mixture_trace_slopes",
    "outcome_scores",
]

Array = NDArray[np.float64]
Pair = tuple[int, int]
Numbers = NDArray[np.intp]
Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Chances of O outcomes, at one vector of J shares, for rows of C + 1 components.

    Attributes
    ----------
    chances : array of shape (O, C + 1)
        U: chances for rows of each component. A row's code is the number of its outcome.
    slopes, bends : arrays of shape (J, O, C + 1) and (J, J, O, C + 1)
        First and second derivatives of their logarithms; zero where there is no chance.
    possible : bool array of shape (O, O)
        Which outcomes a row of each outcome could have had as well: an audited row would have been audited in any
        case. Their chances add up to one.
    """

    chances: Array
    slopes: Array
    bends: Array
    possible: NDArray[np.bool_]

    @property
    def n_shares(self) -> int:
        """Number of shares."""
        return len(self.slopes)

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Pairs of predictors, each with itself and those after it, whose components may have the same outcome."""
        possible = self.chances[:, 1:] > 0.0
        together = np.triu(possible.T.astype(int) @ possible)
        return [(int(one), int(other)) for one, other in np.argwhere(together)]


@dataclass(frozen=True, eq=False)
class Predictors:
    """How the predictors of components are made of one vector b of parameters.

    Attributes
    ----------
    numbers : int array of shape (C, 1 + p)
        Which entries of b are the intercept and the coefficients of each predictor; they may have some in common.
    signs : array of shape (C,)
        1 where a component grows with its predictor, -1 where it shrinks.
    size : int
        Length of b.
    """

    numbers: Numbers
    signs: Array
    size: int

    def values(self, X: Columns, b: Array) -> Array:
        """Predictors of rows, signs included: shape (C, n)."""
        return self.signs[:, None] * X.predict(b[self.numbers])

    def gather(self, X: Columns, rows: Array) -> Array:
        """Sum what is given for each predictor, shape (..., C, n), with the columns it has in b: shape (..., size)."""
        width = self.numbers.shape[1]
        projected = X.project((rows * self.signs[:, None]).reshape(-1, rows.shape[-1]))
        projected = projected.reshape(*rows.shape[:-1], width)
        found = np.zeros((*rows.shape[:-2], self.size))
        for number, places in enumerate(self.numbers):
            found[..., places] += projected[..., number, :]
        return found

    def gather_pairs(self, X: Columns, pairs: Sequence[Pair], rows: Array) -> Array:
        """Sum what is given for pairs of predictors, shape (n_pairs, n), with products of columns: (size, size)."""
        width = self.numbers.shape[1]
        grams = np.empty((len(pairs), width, width))
        X.grams(rows, grams)
        found = np.zeros((self.size, self.size))
        for (one, other), gram in zip(pairs, grams, strict=True):
            signed = self.signs[one] * self.signs[other] * gram
            found[np.ix_(self.numbers[one], self.numbers[other])] += signed
            if one != other:
                found[np.ix_(self.numbers[other], self.numbers[one])] += signed
        return found

    def forms(self, X: Columns, pairs: Sequence[Pair], matrix: Array) -> Array:
        """Return x' M_cd x of every row and pair of predictors, for a symmetric matrix over b: shape (n_pairs, n)."""
        found = np.empty((len(pairs), len(X)))
        for number, (one, other) in enumerate(pairs):
            block = matrix[np.ix_(self.numbers[one], self.numbers[other])]
            found[number] = X.forms(0.5 * self.signs[one] * self.signs[other] * (block + block.T))
        return found

    @cached_property
    def _is_shared(self) -> NDArray[np.bool_]:
        """Which columns have the same coefficient in all predictors."""
        return np.asarray((self.numbers == self.numbers[0]).all(axis=0))

    def mixed(self, X: Columns, rows: Array) -> Array:
        """What b adds to all predictors together, each as much as is given, shape (C, n): shape (size, n)."""
        columns = np.ascontiguousarray(X.written_out().T)
        found, rows, shared = np.zeros((self.size, len(X))), self.signs[:, None] * rows, self._is_shared
        found[self.numbers[0, shared]] = rows.sum(axis=0) * columns[shared]
        own = columns[~shared]
        for places, row in zip(self.numbers[:, ~shared], rows, strict=True):
            found[places] += row * own
        return found

    def apart(self, X: Columns, along: Array) -> Array:
        """What derivatives in b, shape (size, n), make of each predictor: shape (C, n)."""
        columns = np.ascontiguousarray(X.written_out().T)
        found = [np.einsum("ij,ij->j", columns, along[places]) for places in self.numbers]
        return np.asarray(self.signs[:, None] * np.array(found))


@dataclass(frozen=True, eq=False)
class Mixture:
    """Components, outcomes and predictors, at one vector of shares: what rows need to know."""

    outcomes: Outcomes
    predictors: Predictors


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows at one parameter vector.

    Attributes
    ----------
    outcomes : Outcomes
    codes : int array of shape (n,)
    m, q : arrays of shape (C + 1, n)
        Chances of components, before and after the outcome is known.
    value : array of shape (n,)
    """

    outcomes: Outcomes
    codes: Codes
    m: Array
    q: Array
    value: Array

    @classmethod
    def at(cls, codes: Codes, s: Array, outcomes: Outcomes) -> _Rows:
        m = _chances(s)
        joint = outcomes.chances[codes].T * m
        either = np.maximum(joint.sum(axis=0), SMALLEST)
        return cls(outcomes, codes, m, joint / either, np.maximum(np.log(either), LOWEST_VALUE))

    @property
    def score_s(self) -> Array:
        """Scores in the predictors: shape (C, n)."""
        return np.asarray((self.q - self.m)[1:])

    @cached_property
    def along(self) -> Array:
        """Derivatives of log U of each row's outcome: shape (J, C + 1, n)."""
        return np.moveaxis(self.outcomes.slopes[:, self.codes], 1, 2)

    @cached_property
    def score_shares(self) -> Array:
        """Scores in the shares: shape (J, n)."""
        return np.asarray(np.einsum("jcn,cn->jn", self.along, self.q))


def _chances(s: Array) -> Array:
    """Chances of all components, shape (C + 1, n), from the predictors of all but the first."""
    s = np.vstack([np.zeros(s.shape[1]), s])
    m = np.exp(s - s.max(axis=0))
    return np.asarray(m / m.sum(axis=0))


def mixture_sums(
    X: Columns, codes: Codes, weights: Array | None, b: Array, mixture: Mixture, observed: bool = False
) -> Sums:
    """Sum the likelihood over a block of rows, for one vector b of the parameters of all predictors.

    Returns
    -------
    Sums
        In coordinates (shares, b).
    """
    w = np.ones(len(codes)) if weights is None else weights
    outcomes, predictors = mixture.outcomes, mixture.predictors
    rows = _Rows.at(codes, predictors.values(X, b), outcomes)
    of_pairs, crossed, of_shares = (_observed if observed else _expected)(rows, w)
    shares, n_shares = slice(0, outcomes.n_shares), outcomes.n_shares
    size = n_shares + predictors.size
    gathered = predictors.gather(X, np.concatenate([rows.score_s[None], crossed]) * w)
    information = np.empty((size, size))
    information[shares, shares] = of_shares
    information[shares, n_shares:], information[n_shares:, shares] = gathered[1:], gathered[1:].T
    mixed = predictors.mixed(X, rows.m[1:] * np.sqrt(w))
    information[n_shares:, n_shares:] = predictors.gather_pairs(X, outcomes.pairs, of_pairs * w) - mixed @ mixed.T
    score = np.append(rows.score_shares @ w, gathered[0])
    return Sums(np.array([rows.value @ w]), score[None], information[None])


def _observed(rows: _Rows, w: Array) -> tuple[Array, Array, Array]:
    """Observed information of pairs of predictors, without what is taken off: shape (n_pairs, n).

    That of shares with predictors, (J, C, n), and of shares, summed.
    """
    q, m, along = rows.q[1:], rows.m[1:], rows.along
    of_pairs = np.array([q[one] * q[other] + (one == other) * (m[one] - q[one]) for one, other in rows.outcomes.pairs])
    crossed = -q * (along[:, 1:] - rows.score_shares[:, None])
    bends = np.einsum("jkoc,oc->jk", rows.outcomes.bends, _totals(rows, w))
    spread = np.einsum("jcn,kcn,cn->jk", along, along, rows.q * w) - (rows.score_shares * w) @ rows.score_shares.T
    return of_pairs, crossed, -bends - spread


def _totals(rows: _Rows, w: Array) -> Array:
    """How much each component has, by the posterior, of the rows of each outcome: shape (O, C + 1)."""
    n_outcomes = len(rows.outcomes.chances)
    return np.array([np.bincount(rows.codes, weights=one * w, minlength=n_outcomes) for one in rows.q]).T


@dataclass(frozen=True, eq=False)
class _Other:
    """One outcome that rows could have had: their chance of it, and what it would say of their component.

    Attributes
    ----------
    chance : array of shape (n,)
    q : array of shape (C + 1, n)
    along : array of shape (J, C + 1)
        Derivatives of log U.
    has : bool array of shape (C,)
        Which components, the first one not counted, have this outcome.
    """

    chance: Array
    q: Array
    along: Array
    has: NDArray[np.bool_]

    @property
    def score_shares(self) -> Array:
        """Scores in the shares: shape (J, n)."""
        return self.along @ self.q


def _others(rows: _Rows) -> list[_Other]:
    """All outcomes; chances are zero for rows that could not have had them."""
    outcomes, found = rows.outcomes, []
    for number, (chances, possible) in enumerate(zip(outcomes.chances, outcomes.possible.T, strict=True)):
        there = possible[rows.codes]
        if there.any():
            joint = np.where(there, chances[:, None] * rows.m, 0.0)
            chance = joint.sum(axis=0)
            q, along = joint / np.maximum(chance, SMALLEST), outcomes.slopes[:, number]
            found.append(_Other(chance, q, along, chances[1:] > 0.0))
    return found


def _expected(rows: _Rows, w: Array) -> tuple[Array, Array, Array]:
    """The same for the expected information."""
    m, n_shares, pairs = rows.m[1:], rows.outcomes.n_shares, rows.outcomes.pairs
    of_pairs = np.zeros((len(pairs), m.shape[1]))
    crossed, of_shares = np.zeros((n_shares, *m.shape)), np.zeros((n_shares, n_shares))
    for other in _others(rows):
        q, along = other.q[1:], other.score_shares
        for number, (one, second) in enumerate(pairs):
            if other.has[one] and other.has[second]:
                of_pairs[number] += other.chance * q[one] * q[second]
        crossed += along[:, None] * (other.chance * q)
        of_shares += (along * (other.chance * w)) @ along.T
    return of_pairs, crossed, of_shares


def mixture_trace_slopes(
    X: Columns, codes: Codes, weights: Array | None, b: Array, mixture: Mixture, matrix: Array
) -> Array:
    """Sum how the trace of a symmetric matrix times the expected information in b changes with (shares, b)."""
    w = np.ones(len(codes)) if weights is None else weights
    predictors, outcomes = mixture.predictors, mixture.outcomes
    leverages = predictors.forms(X, outcomes.pairs, matrix) * w
    rows = _Rows.at(codes, predictors.values(X, b), outcomes)
    m = rows.m[1:]
    with_m = predictors.apart(X, matrix @ predictors.mixed(X, m)) * w
    of_s = -2.0 * m * (with_m - np.sum(m * with_m, axis=0))
    of_shares = np.zeros(outcomes.n_shares)
    for other in _others(rows):
        q, along = other.q[1:], other.along
        with_q = _with_pairs(outcomes.pairs, leverages, other)
        both = np.sum(q * with_q, axis=0)
        of_s += 2.0 * q * with_q - (q + m) * both
        of_shares += 2.0 * along[:, 1:] @ np.sum(q * with_q, axis=1) - other.score_shares @ both
    return np.append(of_shares, predictors.gather(X, of_s))


def _with_pairs(pairs: Sequence[Pair], leverages: Array, other: _Other) -> Array:
    """The chance of an outcome, times leverages of each predictor with posteriors of all: shape (C, n)."""
    q = other.chance * other.q[1:]
    found = np.zeros_like(q)
    for (one, second), leverage in zip(pairs, leverages, strict=True):
        if other.has[one] and other.has[second]:
            found[one] += leverage * q[second]
            if one != second:
                found[second] += leverage * q[one]
    return found


def outcome_scores(X: Columns, codes: Codes, weights: Array | None, b: Array, mixture: Mixture) -> Array:
    """Sum the score that rows would have with each outcome, times its chance, in (shares, b): shape (O, J + size)."""
    w = np.ones(len(codes)) if weights is None else weights
    predictors, outcomes = mixture.predictors, mixture.outcomes
    m = _chances(predictors.values(X, b))
    joint = outcomes.chances[:, :, None] * m
    of_shares = np.einsum("joc,oc->oj", outcomes.slopes, joint @ w)
    scores = joint[:, 1:] - joint.sum(axis=1)[:, None] * m[1:]
    return np.hstack([of_shares, predictors.gather(X, scores * w)])
