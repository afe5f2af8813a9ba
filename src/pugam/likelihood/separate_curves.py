"""What separate curves would add to the likelihood of several samples: scores and information for a test of them.

Let the negatives of unlabelled sample k have the density h exp(delta_k' b(x)) in place of h, so that the log density
ratio there is alpha + eta(x) - delta_k' b(x) up to a constant. With the names of `pugam.likelihood.samples`, where all
delta are zero,

    score in delta_k : b (1[row is in k] (1 - q) - v_k (1 - m))

and with P_k = u_k m + v_k (1 - m), q_k = u_k m / P_k the expected information of a row at x is

    delta_k, delta_l : b b' (1[k = l] (v_k (1 - m))^2 / P_k - v_k v_l (1 - m)^2)
    delta_k, s       : b v_k (1 - m) (q_k - m)
    delta_k, logit l : b v_k (1 - m) (1[k = l] (q_k - pi_k) - alpha_l q_k + beta_l (1 - q_k)).

Audits are left out: rows count by the sample they are in.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.likelihood.columns import Columns
from pugam.likelihood.rows import SMALLEST, expit_pair
from pugam.likelihood.samples import SampleShares

__all__ = ["CurveSums", "separate_curve_scores", "separate_curve_sums"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class CurveSums:
    """Sums for separate curves of K samples, in all model columns, the intercept's ones first; blocks of rows add up.

    Attributes
    ----------
    scores : array of shape (K, 1 + p)
        Scores of each delta.
    strata : array of shape (2 + K, K, 1 + p)
        Scores that rows have in each sample, times their chance to be there, as in `samples.stratum_scores`.
    positive, negative : arrays of shape (K, 1 + p)
        Sums of v_k (1 - m) q_k and of v_k (1 - m) (1 - q_k) with the columns.
    own, crossed : arrays of shape (K, 1 + p, 1 + p)
        Sums of (v_k (1 - m))^2 / P_k, and of v_k (1 - m) (q_k - m), with the products of columns.
    common : array of shape (1, 1 + p, 1 + p)
        Sums of (1 - m)^2 with the products of columns.
    """

    scores: Array
    strata: Array
    positive: Array
    negative: Array
    own: Array
    crossed: Array
    common: Array

    def __add__(self, other: CurveSums) -> CurveSums:
        return CurveSums(*(one + more for one, more in zip(vars(self).values(), vars(other).values(), strict=True)))


def separate_curve_sums(X: Columns, codes: Numbers, weights: Array | None, b: Array, shares: SampleShares) -> CurveSums:
    """Sum over a block of rows, for one parameter vector b of shape (1, 1 + p)."""
    w, width = np.ones(len(codes)) if weights is None else weights, b.shape[1]
    m, h = expit_pair(X.predict(b)[0])
    hidden, q, left = _parts(m, h, shares)
    return CurveSums(
        scores=X.project((shares.inside(codes) * left - hidden) * w),
        strata=_strata(X.project(np.array([h, m * h, h * h]) * w), shares),
        positive=X.project(hidden * q * w),
        negative=X.project(hidden * left * w),
        own=_grams(X, hidden * left * w, width),
        crossed=_grams(X, hidden * (q - m) * w, width),
        common=_grams(X, (h**2 * w)[None], width),
    )


def separate_curve_scores(codes: Numbers, s: Array, shares: SampleShares) -> Array:
    """What the columns of rows with these linear predictors count in the scores of each delta: shape (K, n)."""
    hidden, _, left = _parts(*expit_pair(s), shares)
    return np.asarray(shares.inside(codes) * left - hidden)


def _parts(m: Array, h: Array, shares: SampleShares) -> tuple[Array, Array, Array]:
    """Negatives of each sample at x, v (1 - m), the posterior there and what is left of it: each of shape (K, n)."""
    u, v = shares.u[:, None], shares.v[:, None]
    hidden = v * h
    either = np.maximum(u * m + hidden, SMALLEST)
    return hidden, u * m / either, hidden / either


def _strata(sums: Array, shares: SampleShares) -> Array:
    """Scores in each sample, from the sums of 1 - m, m (1 - m) and (1 - m)^2 with the columns, shape (3, 1 + p)."""
    hidden, doubtful, sure = sums
    u, v = (values[:, None, None] for values in shares.of_strata)
    own = np.arange(len(u))[:, None] == np.arange(1, 1 + shares.sizes.n_samples)
    return np.asarray(shares.v[:, None] * (own[:, :, None] * hidden - u * doubtful - v * sure))


def _grams(X: Columns, weights: Array, width: int) -> Array:
    out = np.empty((len(weights), width, width))
    X.grams(weights, out)
    return out
