"""The likelihood of rows whose positives were not labelled at random, but by preference.

Positives are labelled with chances in proportion to exp(w(x)), so that labelled rows have the density g exp(w) / E_g
exp(w), with g that of all positives. Over the labelled rows the mean of exp(-w) is 1 / E_g exp(w), which makes
W = w + log mean exp(-w) the logarithm of labelled over all positive density. With the shares, sizes and codes of
`samples`, r the log density ratio of positives to negatives, and

    A = n0 exp(W) + sum n_k pi_k,   B = n_neg + sum n_k (1 - pi_k),   m = expit(log(A / B) + r),

a row's chance to be where it is, and of its class if that was found out, is (u exp(r) + v) / (A exp(r) + B): labelled
rows have u = n0 exp(W) and v = 0, unlabelled ones u = n_k pi_k and v = n_k (1 - pi_k). With
q = u exp(r) / (u exp(r) + v) the score is

    in r: q - m       in W: 1 (if labelled) - P
    in logit pi_k: (q - pi_k, of rows in sample k) - m alpha_k + (1 - m) beta_k,

P = n0 exp(W) m / A the chance to be labelled, alpha_k = n_k pi_k (1 - pi_k) / A and beta_k the same over B. The
intercept is that of labels given at random: r = a + eta - log(A_0 / B), with A_0 = A at W = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pugam.layout import Layout
from pugam.likelihood.columns import Columns
from pugam.likelihood.rows import SMALLEST, expit_pair
from pugam.likelihood.sample_sizes import LABELLED
from pugam.likelihood.samples import SampleShares
from pugam.likelihood.sums import LOWEST_VALUE, Sums

__all__ = [
    "Preference",
    "StratumSums",
    "Tilt",
    "selected_stratum_sums",
    "selected_sums",
    "selected_trace_slopes",
    "tilt_sums",
]

Array = NDArray[np.float64]
Numbers = NDArray[np.int32]

LARGEST_LOG = 200.0  # of a preference: its exponential can still be squared and weighted


@dataclass(frozen=True, eq=False)
class Tilt:
    """Sums over labelled rows with weights exp(-w); blocks of rows add up.

    Attributes
    ----------
    rows, mass : float
        Of their weights without and with the tilt.
    first, second : arrays of shape (q,) and (q, q)
        Of the model columns of w, and of their products.
    """

    rows: float
    mass: float
    first: Array
    second: Array

    def __add__(self, other: Tilt) -> Tilt:
        return Tilt(
            self.rows + other.rows, self.mass + other.mass, self.first + other.first, self.second + other.second
        )


@dataclass(frozen=True, eq=False)
class Preference:
    """The preference with which positives are labelled, as each row needs to know it.

    Attributes
    ----------
    theta : array of shape (q,)
        Coefficients of w; its model columns are the last q.
    tilt : Tilt
    """

    theta: Array
    tilt: Tilt

    @property
    def size(self) -> int:
        """Number of coefficients."""
        return len(self.theta)

    @cached_property
    def log_mean(self) -> float:
        """Log mean of exp(-w) over the labelled rows."""
        return float(np.log(self.tilt.mass / self.tilt.rows))

    @cached_property
    def mean(self) -> Array:
        """Mean of the model columns under the tilt, that is over all positives: shape (q,)."""
        return np.asarray(self.tilt.first / self.tilt.mass)

    @cached_property
    def covariance(self) -> Array:
        """Covariance of the model columns there: shape (q, q)."""
        return np.asarray(self.tilt.second / self.tilt.mass - np.outer(self.mean, self.mean))

    def logs(self, columns: Array) -> Array:
        """W of rows with these model columns of w, shape (n, q)."""
        return np.asarray(np.clip(columns @ self.theta, -LARGEST_LOG, LARGEST_LOG) + self.log_mean)


def tilt_sums(X: Columns, codes: Numbers, weights: Array | None, theta: Array) -> Tilt:
    """Sum what a preference with these coefficients makes of the labelled rows of a block."""
    labelled = codes == LABELLED
    w = np.ones(len(codes))[labelled] if weights is None else weights[labelled]
    columns = X.written_out()[labelled][:, -len(theta) :]
    tilted = w * np.exp(-np.clip(columns @ theta, -LARGEST_LOG, LARGEST_LOG))
    return Tilt(float(w.sum()), float(tilted.sum()), tilted @ columns, columns.T @ (tilted[:, None] * columns))


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows at one parameter vector.

    Attributes
    ----------
    m, h : arrays of shape (n,)
        The chance to be positive, and its complement.
    labelled : array of shape (n,)
        Of positives like these, the share that is labelled.
    q, left : arrays of shape (n,)
        The posterior, known what is known of a row, and its complement.
    value : array of shape (n,)
    alpha : array of shape (K, n)
        How log A changes with each logit.
    """

    m: Array
    h: Array
    labelled: Array
    q: Array
    left: Array
    value: Array
    alpha: Array

    @classmethod
    def at(cls, codes: Numbers, s: Array, log_w: Array, shares: SampleShares) -> _Rows:
        """Evaluate rows with these predictors a + eta and logs W."""
        sizes = shares.sizes
        hidden = float(sizes.unlabelled @ shares.pi)
        preferred = sizes.labelled * np.exp(log_w)
        positives = preferred + hidden
        m, h = expit_pair(s + np.log(positives / shares.positives))
        u, v = shares.of_codes
        mine = np.where(codes == LABELLED, preferred, u[codes] * shares.positives) / positives
        positive, negative = mine * m, v[codes] * h
        either = np.maximum(positive + negative, SMALLEST)
        value = np.maximum(np.log(either), LOWEST_VALUE)
        alpha = (sizes.unlabelled * shares.pi * (1.0 - shares.pi))[:, None] / positives
        return cls(m, h, preferred / positives, positive / either, negative / either, value, alpha)

    @property
    def score_r(self) -> Array:
        return np.asarray(self.q * self.h - self.left * self.m)

    @property
    def chance(self) -> Array:
        """P: the chance to be labelled."""
        return np.asarray(self.labelled * self.m)

    def score_w(self, codes: Numbers) -> Array:
        return np.asarray(np.where(codes == LABELLED, 1.0, 0.0) - self.chance)

    def score_shares(self, codes: Numbers, shares: SampleShares) -> Array:
        """Derivatives in the logits, r fixed: shape (K, n)."""
        beta, pi = shares.beta[:, None], shares.pi[:, None]
        return np.asarray(shares.inside(codes) * (self.q - pi) - self.alpha * self.m + beta * self.h)


@dataclass(frozen=True, eq=False)
class _Block:
    """A block of rows with what its sums need: directions in which parameters move (W, r, logits)."""

    columns: Array  # of the effects, the intercept's ones first: shape (n, 1 + p)
    centred: Array  # of the preference, less their mean over all positives: shape (n, q)
    rows: _Rows
    weights: Array
    follows: Array  # how r moves with each logit, the intercept being that of labels at random: shape (K,)

    @classmethod
    def at(
        cls, X: Columns, codes: Numbers, weights: Array | None, b: Array, shares: SampleShares, preference: Preference
    ) -> _Block:
        written, size = X.written_out(), preference.size
        columns, chosen = written[:, :-size], written[:, -size:]
        predictors = X.predict(np.append(b[:-size], np.zeros(size))[None])[0]
        rows = _Rows.at(codes, predictors, preference.logs(chosen), shares)
        w = np.ones(len(codes)) if weights is None else weights
        return cls(columns, chosen - preference.mean, rows, w, -(shares.alpha + shares.beta))

    def gradient(self, of_r: Array, of_w: Array, of_shares: Array) -> Array:
        """Sum derivatives of rows in r and W, shape (n,), and the logits, shape (K, n), by the chain rule."""
        of_r, of_w, of_shares = of_r * self.weights, of_w * self.weights, of_shares @ self.weights
        return np.concatenate([of_shares + self.follows * of_r.sum(), of_r @ self.columns, of_w @ self.centred])

    def quadratic(self, rr: Array, rw: Array, ww: Array, rk: Array, wk: Array, kk: Array) -> Array:
        """Sum a quadratic form in r, W and the logits: the last summed, shape (K, K), others by row."""
        w, columns, centred, follows = self.weights, self.columns, self.centred, self.follows
        layout = _layout(len(follows), columns, centred)
        rk = rk + follows[:, None] * rr
        wk = wk + follows[:, None] * rw
        found = np.empty((layout.size, layout.size))
        shares, predictor = layout.shares, layout.predictor
        across = np.hstack([(rk * w) @ columns, (wk * w) @ centred])
        crossed = np.outer(follows, (rk - follows[:, None] * rr) @ w)
        found[shares, shares] = kk + crossed + crossed.T + np.outer(follows, follows) * float(rr @ w)
        found[shares, predictor], found[predictor, shares] = across, across.T
        mixed = columns.T @ ((rw * w)[:, None] * centred)
        found[predictor, predictor] = np.block(
            [
                [columns.T @ ((rr * w)[:, None] * columns), mixed],
                [mixed.T, centred.T @ ((ww * w)[:, None] * centred)],
            ]
        )
        return found


def _layout(n_shares: int, columns: Array, centred: Array) -> Layout:
    return Layout((columns.shape[1] - 1 + centred.shape[1],), n_shares)


def selected_sums(
    X: Columns,
    codes: Numbers,
    weights: Array | None,
    b: Array,
    shares: SampleShares,
    preference: Preference,
    observed: bool = False,
) -> Sums:
    """Sum the likelihood over a block of rows, for one parameter vector.

    Parameters
    ----------
    X : Columns
        Model columns of n rows: the intercept's ones, those of the effects, those of the preference.
    codes, weights, shares, observed :
        As for `sample_sums`.
    b : array of shape (1 + p + q,)
        Intercept, coefficients of the effects and of the preference.
    preference : Preference

    Returns
    -------
    Sums
        In coordinates (logit pi_1, ..., logit pi_K, a, theta of the effects, theta of the preference).
    """
    block = _Block.at(X, codes, weights, b, shares, preference)
    rows = block.rows
    of_r, of_w, of_shares = rows.score_r, rows.score_w(codes), rows.score_shares(codes, shares)
    score = block.gradient(of_r, of_w, of_shares)
    if observed:
        information = block.quadratic(*_observed(rows, codes, block.weights, shares))
        information -= _bend(block, of_r, of_w, shares, preference)
    else:
        information = block.quadratic(*_expected(rows, codes, block.weights, shares))
    return Sums(np.array([rows.value @ block.weights]), score[None], information[None])


def _bend(block: _Block, of_r: Array, of_w: Array, shares: SampleShares, preference: Preference) -> Array:
    """What second derivatives of r in the logits, and of W in its coefficients, add to those of the likelihood."""
    alpha, beta, pi = shares.alpha, shares.beta, shares.pi
    layout = _layout(len(pi), block.columns, block.centred)
    found = np.zeros((layout.size, layout.size))
    of_follows = np.diag((alpha + beta) * (1.0 - 2.0 * pi)) - np.outer(alpha, alpha) + np.outer(beta, beta)
    found[layout.shares, layout.shares] = -of_follows * float(of_r @ block.weights)
    found[-preference.size :, -preference.size :] = preference.covariance * float(of_w @ block.weights)
    return found


def _observed(
    rows: _Rows, codes: Numbers, w: Array, shares: SampleShares
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """Observed information of rows in (r, W, logits), as `_Block.quadratic` takes it."""
    alpha, beta, pi, inside = rows.alpha, shares.beta[:, None], shares.pi, shares.inside(codes)
    doubt, spread, p = rows.q * rows.left, rows.m * rows.h, rows.chance
    moves = alpha + beta
    rk = -(inside * doubt - spread * moves)
    wk = rows.labelled * spread * moves - p * alpha
    own = (inside * (pi * (1.0 - pi))[:, None] - inside * doubt) @ w
    own += ((rows.m * alpha - rows.h * beta) * (1.0 - 2.0 * pi)[:, None]) @ w
    between = (moves * (spread * w)) @ moves.T - (alpha * (rows.m * w)) @ alpha.T
    between -= float(rows.h @ w) * beta @ beta.T
    return spread - doubt, spread * rows.labelled, p * (1.0 - p), rk, wk, np.diag(own) + between


def _in_doubt(rows: _Rows, codes: Numbers, shares: SampleShares) -> tuple[Array, Array]:
    """For each sample t, its chance times q (1 - q), zero for rows whose class is known, and q: shape (K, n)."""
    sizes = shares.sizes
    audited = (codes > sizes.n_samples) & (codes < sizes.known_negative)
    positive = rows.alpha / np.maximum(1.0 - shares.pi, SMALLEST)[:, None] * rows.m
    either = np.maximum(positive + shares.v[:, None] * rows.h, SMALLEST)
    q = positive / either
    return np.where(audited, 0.0, positive * (1.0 - q)), q


def _expected(
    rows: _Rows, codes: Numbers, w: Array, shares: SampleShares
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """The same for the expected information: rows at x may be in any sample; audited ones stay so."""
    beta, pi = shares.beta[:, None], shares.pi[:, None]
    m, h, alpha, p = rows.m, rows.h, rows.alpha, rows.chance
    t, _ = _in_doubt(rows, codes, shares)
    rr = np.maximum(m * h - t.sum(axis=0), 0.0)
    positive = alpha / np.maximum(1.0 - pi, SMALLEST) * m  # the chance to be positive, and in sample k
    there = positive + shares.v[:, None] * h
    drift = alpha * m - beta * h
    own = positive * h * (1.0 - pi) + shares.v[:, None] * h * m * pi - t  # of q - pi_k, inside sample k, with q - m
    inside = positive - pi * there
    squares = (positive - t - 2.0 * pi * positive + pi**2 * there) @ w
    # Means over samples of (q - pi_k inside k) - drift_k with those of r, of W and of each other.
    kk = np.diag(squares) - (inside * w) @ drift.T - (drift * w) @ inside.T + (drift * w) @ drift.T
    return rr, p * h, p * (1.0 - p), own, -p * inside, kk


def selected_trace_slopes(
    X: Columns,
    codes: Numbers,
    weights: Array | None,
    b: Array,
    shares: SampleShares,
    preference: Preference,
    matrix: Array,
) -> Array:
    """Sum how the trace of a matrix times the expected information changes; see `sums.trace_slopes`.

    Derivatives in (logit pi_1, ..., logit pi_K, a, theta of the effects, theta of the preference).
    """
    block = _Block.at(X, codes, weights, b, shares, preference)
    rows, columns, centred, size = block.rows, block.columns, block.centred, preference.size
    of_columns, of_centred = columns @ matrix[:-size], centred @ matrix[-size:]
    rr = np.sum(of_columns[:, :-size] * columns, axis=1)
    rw = np.sum(of_columns[:, -size:] * centred, axis=1)
    ww = np.sum(of_centred[:, -size:] * centred, axis=1)
    slopes = block.gradient(*_weighted_slopes(rows, codes, shares, rr, rw, ww))
    # The mean of the preference's columns moves, too, against its covariance.
    p, w = rows.chance, block.weights
    pulled = (p * rows.h * w) @ of_columns[:, -size:] + (p * (1.0 - p) * w) @ of_centred[:, -size:]
    slopes[-size:] += 2.0 * preference.covariance @ pulled
    return slopes


def _weighted_slopes(
    rows: _Rows, codes: Numbers, shares: SampleShares, rr: Array, rw: Array, ww: Array
) -> tuple[Array, Array, Array]:
    """How rr times the expected information in r, twice rw times that in r and W, and ww times that in W change.

    Derivatives in r, W and the logits, by row.
    """
    m, h, alpha, p, part = rows.m, rows.h, rows.alpha, rows.chance, rows.labelled
    beta, pi = shares.beta[:, None], shares.pi[:, None]
    t, q = _in_doubt(rows, codes, shares)
    t_all, t_q = t.sum(axis=0), np.sum(t * q, axis=0)
    moves = alpha + beta
    # Along r, W and the logits: how log m - log h, P and the sum of t change.
    of_r, of_w, of_shares = (
        rr * (m * h * (h - m) * ds - dt) + 2.0 * rw * (h * dp - p * m * h * ds) + ww * (1.0 - 2.0 * p) * dp
        for ds, dp, dt in (
            (np.ones_like(m), p * h, t_all * h - t_q),
            (part, p * (1.0 - p), -t_all * part * m),
            (moves, p * (h * moves - alpha), t_all * (h * moves - alpha) + t * (1.0 - pi - q)),
        )
    )
    return of_r, of_w, of_shares


@dataclass(frozen=True, eq=False)
class StratumSums:
    """What is known of scores, the numbers of rows in each sample being given; blocks of rows add up.

    Attributes
    ----------
    scores : array of shape (2 + K, q)
        The expected score of the rows of each sample: labelled rows first, known negatives last. Those of labelled rows
        are also how the score falls as all W grow together.
    spread : float
        Sum of the squares, over labelled rows, of exp(-w) over its mean, less one: the mean, which is in W, is random.
    together : array of shape (q,)
        Sum of the products of these with the scores of labelled rows.
    """

    scores: Array
    spread: float
    together: Array

    def __add__(self, other: StratumSums) -> StratumSums:
        return StratumSums(self.scores + other.scores, self.spread + other.spread, self.together + other.together)


def selected_stratum_sums(
    X: Columns, codes: Numbers, weights: Array | None, b: Array, shares: SampleShares, preference: Preference
) -> StratumSums:
    """Sum what errors of estimates depend on where the numbers of rows in each sample are given."""
    block = _Block.at(X, codes, weights, b, shares, preference)
    rows, w = block.rows, block.weights
    m, h, p, pi, n_samples = rows.m, rows.h, rows.chance, shares.pi[:, None], len(shares.pi)
    positive = rows.alpha / np.maximum(1.0 - pi, SMALLEST) * m
    there = positive + shares.v[:, None] * h
    drift = rows.alpha * m - shares.beta[:, None] * h
    known = shares.of_strata[1][-1] * h
    scores = [block.gradient(p * h, p * (1.0 - p), -p * drift)]
    for number in range(n_samples):
        own = np.eye(n_samples)[:, [number]] * (positive[number] - shares.pi[number] * there[number])
        scores.append(
            block.gradient(positive[number] - there[number] * m, -p * there[number], own - there[number] * drift)
        )
    scores.append(block.gradient(-known * m, -known * p, -known * drift))
    labelled = codes == LABELLED
    excess = np.where(labelled, np.exp(-preference.logs(X.written_out()[:, -preference.size :])) - 1.0, 0.0)
    together = block.gradient(
        excess * rows.score_r, excess * rows.score_w(codes), excess * rows.score_shares(codes, shares)
    )
    return StratumSums(np.array(scores), float(excess**2 @ w), together)
