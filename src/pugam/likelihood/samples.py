"""The likelihood of rows from several samples: labelled positives, unlabelled samples, audited rows, known negatives.

With w = g/h, rows of a labelled sample have the density w h, those of unlabelled sample k the density
(pi_k w + 1 - pi_k) h, and known negatives h. Of n rows in all, let A = n0 + sum n_k pi_k be positive on average, and B
negative. The chance that a row with features x is positive is m = expit(s), s = log(A w / B), and the chance that it is
in a sample, and of a class if that was found out, is

    u m + v (1 - m),   u = n_k pi_k / A,   v = n_k (1 - pi_k) / B   for unlabelled sample k,

with v = 0 if it is known to be positive, u = 0 if it is known to be negative, u = n0 / A for labelled rows and
v = n_neg / B for known negatives. One predictor s does for all samples, and shares stand in u and v alone. Let
q = u m / (u m + v (1 - m)) be the posterior of a row. Then

    score in s: q - m          observed information ss: m (1 - m) - q (1 - q)

and the expected information is that of the rows at x over the samples they may be in. Shares are on the logit scale:
d log A = alpha_k and d log B = -beta_k with logit pi_k, alpha_k = n_k pi_k (1 - pi_k) / A, beta_k the same over B.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pugam.layout import Layout
from pugam.likelihood.columns import Columns
from pugam.likelihood.rows import SMALLEST, expit_pair
from pugam.likelihood.sample_sizes import SampleSizes
from pugam.likelihood.sums import LOWEST_VALUE, Sums

__all__ = ["SampleShares", "sample_scores", "sample_sums", "sample_trace_slopes", "stratum_scores"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class SampleShares:
    """What rows need to know of the shares: one vector of them, shape (K,).

    Attributes
    ----------
    sizes : SampleSizes
    pi : array of shape (K,)
    """

    sizes: SampleSizes
    pi: Array

    @cached_property
    def positives(self) -> float:
        """A: how many rows are positive on average."""
        return float(self.sizes.labelled + self.sizes.unlabelled @ self.pi)

    @cached_property
    def negatives(self) -> float:
        """B: how many are negative."""
        return float(self.sizes.negative + self.sizes.unlabelled @ (1.0 - self.pi))

    @cached_property
    def beside(self) -> float:
        """Logarithm of all negatives over those in unlabelled samples: known negatives lower the intercept by it."""
        return float(np.log(self.negatives / (self.negatives - self.sizes.negative)))

    @cached_property
    def beside_slopes(self) -> Array:
        """How `beside` changes with each logit, shape (K,)."""
        return np.asarray(self.beta * self.sizes.negative / (self.negatives - self.sizes.negative))

    @cached_property
    def u(self) -> Array:
        """Share of each unlabelled sample in the positives, shape (K,)."""
        return np.asarray(self.sizes.unlabelled * self.pi / self.positives)

    @cached_property
    def v(self) -> Array:
        """Share of each unlabelled sample in the negatives, shape (K,)."""
        return np.asarray(self.sizes.unlabelled * (1.0 - self.pi) / self.negatives)

    @cached_property
    def of_codes(self) -> tuple[Array, Array]:
        """u and v of rows of each code."""
        (labelled, *_), (*_, negative) = self.of_strata
        nothing = np.zeros(self.sizes.n_samples)
        u = np.concatenate([[labelled], self.u, self.u, nothing, [0.0]])
        return u, np.concatenate([[0.0], self.v, nothing, self.v, [negative]])

    @cached_property
    def of_strata(self) -> tuple[Array, Array]:
        """u and v of labelled rows, of each unlabelled sample, and of known negatives: shape (2 + K,)."""
        u = np.concatenate([[self.sizes.labelled / self.positives], self.u, [0.0]])
        return u, np.concatenate([[0.0], self.v, [self.sizes.negative / self.negatives]])

    @cached_property
    def alpha(self) -> Array:
        """How log A changes with each logit, shape (K,)."""
        return np.asarray(self.u * (1.0 - self.pi))

    @cached_property
    def beta(self) -> Array:
        """How -log B changes with each logit, shape (K,)."""
        return np.asarray(self.v * self.pi)

    def inside(self, codes: Numbers) -> Array:
        """Which rows are in which unlabelled sample, audited or not: shape (K, n), ones and zeros."""
        samples = np.arange(1, 1 + self.sizes.n_samples)
        return np.asarray(self.sizes.strata[codes] == samples[:, None], dtype=float)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows at one parameter vector: m, 1 - m, the posterior q and 1 - q, and the log-likelihood."""

    m: Array
    h: Array
    q: Array
    left: Array
    value: Array

    @classmethod
    def at(cls, codes: Numbers, s: Array, shares: SampleShares) -> _Rows:
        m, h = expit_pair(s)
        u, v = shares.of_codes
        positive, negative = u[codes] * m, v[codes] * h
        either = np.maximum(positive + negative, SMALLEST)
        value = np.maximum(np.log(either), LOWEST_VALUE)
        return cls(m, h, positive / either, negative / either, value)

    @property
    def score_s(self) -> Array:
        return np.asarray(self.q * self.h - self.left * self.m)

    def score_shares(self, codes: Numbers, shares: SampleShares) -> Array:
        """Derivatives in the logits: shape (K, n)."""
        alpha, beta, pi = shares.alpha[:, None], shares.beta[:, None], shares.pi[:, None]
        return np.asarray(shares.inside(codes) * (self.q - pi) - alpha * self.q + beta * self.left)


def sample_sums(
    X: Columns, codes: Numbers, weights: Array | None, b: Array, shares: SampleShares, observed: bool = False
) -> Sums:
    """Sum the likelihood over a block of rows, for one parameter vector.

    Parameters
    ----------
    X : Columns
        Model columns of n rows, the intercept's ones first, then p others.
    codes : int array of shape (n,)
        See `SampleSizes`.
    weights : array of shape (n,), or None
    b : array of shape (1, 1 + p)
    shares : SampleShares
    observed : bool
        Observed instead of expected information.

    Returns
    -------
    Sums
        In coordinates (logit pi_1, ..., logit pi_K, a, theta).
    """
    w = np.ones(len(codes)) if weights is None else weights
    rows = _Rows.at(codes, X.predict(b)[0], shares)
    info_ss, info_sk, info_kk = (_observed if observed else _expected)(rows, codes, w, shares)
    layout = Layout((b.shape[1] - 1,), shares.sizes.n_samples)
    projected = X.project(np.vstack([rows.score_s * w, info_sk * w]))
    score = np.empty((1, layout.size))
    score[0, layout.shares], score[0, layout.predictor] = rows.score_shares(codes, shares) @ w, projected[0]
    information = np.empty((1, layout.size, layout.size))
    information[0, layout.shares, layout.shares] = info_kk
    information[0, layout.shares, layout.predictor] = projected[1:]
    information[0, layout.predictor, layout.shares] = projected[1:].T
    X.grams((info_ss * w)[None], information[:, layout.predictor, layout.predictor])
    return Sums(np.array([rows.value @ w]), score, information)


def _observed(rows: _Rows, codes: Numbers, w: Array, shares: SampleShares) -> tuple[Array, Array, Array]:
    """Observed information ss, shape (n,), of s with the logits, shape (K, n), and summed, of the logits: (K, K)."""
    alpha, beta, pi = shares.alpha, shares.beta, shares.pi
    doubt = rows.q * rows.left
    along = shares.inside(codes) - (alpha + beta)[:, None]
    n_positive, n_negative = float(rows.q @ w), float(rows.left @ w)
    own = shares.inside(codes) @ w * pi * (1.0 - pi) + (n_positive * alpha - n_negative * beta) * (1.0 - 2.0 * pi)
    between = n_positive * np.outer(alpha, alpha) + n_negative * np.outer(beta, beta)
    info_kk = np.diag(own) - between - (along * (doubt * w)) @ along.T
    return rows.m * rows.h - doubt, -doubt * along, info_kk


def _in_doubt(rows: _Rows, codes: Numbers, shares: SampleShares) -> tuple[Array, Array]:
    """For each sample, t = u v m (1 - m) / (u m + v (1 - m)), zero for rows whose class is known, and q: (K, n)."""
    audited = (codes > shares.sizes.n_samples) & (codes < shares.sizes.known_negative)
    u, v = shares.u[:, None], shares.v[:, None]
    either = np.maximum(u * rows.m + v * rows.h, SMALLEST)
    return np.where(audited, 0.0, u * v * rows.m * rows.h / either), u * rows.m / either


def _expected(rows: _Rows, codes: Numbers, w: Array, shares: SampleShares) -> tuple[Array, Array, Array]:
    """The same for the expected information: rows at x may be in any sample; audited ones stay so."""
    alpha, beta, pi, u, v = (x[:, None] for x in (shares.alpha, shares.beta, shares.pi, shares.u, shares.v))
    m, h = rows.m, rows.h
    t, _ = _in_doubt(rows, codes, shares)
    info_ss = np.maximum(m * h - t.sum(axis=0), 0.0)
    own = m * h * ((1.0 - pi) * u + pi * v) - t  # of q - pi_k, inside sample k, with q - m
    info_sk = own - (alpha + beta) * info_ss
    inside, share = u * m, u * m + v * h
    squares = (inside - t - 2.0 * pi * inside + pi**2 * share) @ w
    gamma, drift, mean = alpha + beta, (alpha + beta) * m - beta, inside - pi * share
    crossed = gamma @ (own @ w)[None] + (drift * w) @ mean.T
    info_kk = np.diag(squares) - crossed - crossed.T + gamma @ gamma.T * (info_ss @ w) + (drift * w) @ drift.T
    return info_ss, info_sk, info_kk


def sample_trace_slopes(
    X: Columns, codes: Numbers, weights: Array | None, b: Array, shares: SampleShares, matrix: Array
) -> Array:
    """Sum how the trace of a matrix times the expected information changes; see `sums.trace_slopes`.

    Derivatives in (logit pi_1, ..., logit pi_K, a, theta).
    """
    leverages = X.forms(matrix)
    if weights is not None:
        leverages *= weights
    rows = _Rows.at(codes, X.predict(b)[0], shares)
    alpha, beta, pi = (x[:, None] for x in (shares.alpha, shares.beta, shares.pi))
    t, q = _in_doubt(rows, codes, shares)
    of_s = rows.m * rows.h * (rows.h - rows.m) - np.sum(t * (rows.h - q), axis=0)
    mean_q, all_t = np.sum(t * q, axis=0), t.sum(axis=0)
    of_shares = -t * (1.0 - q - pi) + alpha * (all_t - mean_q) - beta * mean_q
    layout = Layout((b.shape[1] - 1,), shares.sizes.n_samples)
    slopes = np.empty(layout.size)
    slopes[layout.shares], slopes[layout.predictor] = of_shares @ leverages, X.project((leverages * of_s)[None])[0]
    return slopes


def sample_scores(codes: Numbers, s: Array, shares: SampleShares) -> tuple[Array, Array]:
    """Scores of rows with these linear predictors: in the logits of the shares, shape (K, n), and in s, shape (n,)."""
    rows = _Rows.at(codes, s, shares)
    return rows.score_shares(codes, shares), rows.score_s


def stratum_scores(X: Columns, codes: Numbers, weights: Array | None, b: Array, shares: SampleShares) -> Array:
    """Sum the score that rows have in each sample, times their chance to be there: shape (2 + K, K + 1 + p).

    Labelled rows come first, known negatives last. The chance to be in a sample is u m + v (1 - m), and these sums are
    its derivatives.
    """
    w = np.ones(len(codes)) if weights is None else weights
    m, h = expit_pair(X.predict(b)[0])
    positives, negatives = float(m @ w), float(h @ w)
    u, v = (values[:, None] for values in shares.of_strata)
    own = np.arange(len(u))[:, None] == np.arange(1, 1 + shares.sizes.n_samples)
    of_shares = u * (own * (1.0 - shares.pi) - shares.alpha) * positives
    of_shares -= v * (own * shares.pi - shares.beta) * negatives
    return np.hstack([of_shares, (u - v) * X.project((m * h * w)[None])])
