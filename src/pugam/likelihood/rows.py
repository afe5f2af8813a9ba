"""The likelihood of single rows and its derivatives: a logistic curve that saturates at the label frequency.

With s = a + eta(x), m = expit(s) and c = n0 / (n0 + n1 pi), the profile empirical likelihood (eq:profile-final)
is the Bernoulli likelihood of the label z under P(z = 1 | x) = P = c m. Per row,

    value         z = 1: log c + log m          z = 0: log(1 - P)
    score         in s: (z - P)(1 - m)/(1 - P)        in log c: (z - P)/(1 - P)
    expected information    ss: P (1 - m)^2/(1 - P)   s, log c: P (1 - m)/(1 - P)   log c, log c: P/(1 - P)

and, with r = P/(1 - P), the observed information of a row with z = 0 (of one with z = 1: ss only, m (1 - m)) is

    ss: r (1 - m)(1 - 2m + r (1 - m))   s, log c: r (1 + r)(1 - m)   log c, log c: r (1 + r).

The expected information ss changes by r (1 - m)^2 (1 - 3m + r (1 - m)) with s, and by r (1 + r)(1 - m)^2 with log c.

Everything here is a function of arrays that broadcast against each other. What engines need on a GPU as well is written
for any library `xp` with NumPy's names of functions, NumPy or PyTorch.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "SMALLEST",
    "LogisticRows",
    "SaturatingRows",
    "ScoreRows",
    "expected_labels",
    "expit_pair",
    "information_slope_rows",
    "log_likelihood_rows",
    "logistic_rows",
    "saturating_rows",
    "score_rows",
]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Divisors for 1 - P where it underflows, which takes c = 1 and s > 300; the square of one over the larger one bears
# large weights.
SMALLEST = float(np.finfo(np.float64).tiny)
SMALLEST_SQUARABLE = 1e-130
LOWEST_EXPONENT = -700.0  # exp(700) is finite


class SaturatingRows(NamedTuple):
    """Log-likelihood, score and information (expected or observed) of each row in (s, log c)."""

    value: Array
    score_s: Array
    score_c: Array
    info_ss: Array
    info_sc: Array
    info_cc: Array


class ScoreRows(NamedTuple):
    """Log-likelihood and score of each row in (s, log c)."""

    value: Array
    score_s: Array
    score_c: Array


class LogisticRows(NamedTuple):
    """Log-likelihood, score and information in s of a logistic model with labels between 0 and 1."""

    value: Array
    score_s: Array
    info_ss: Array


def expit_pair(s: Array, xp: Any = np) -> tuple[Array, Array]:
    """Return expit(s) and expit(-s), both to full relative precision."""
    if xp is not np:
        return xp.special.expit(s), xp.special.expit(-s)  # each one pass over a device's memory
    if s.min(initial=0.0) > LOWEST_EXPONENT:  # exp(-s) is finite: half as many passes
        h = np.negative(s)
        np.exp(h, out=h)
        m = h + 1.0
        np.divide(1.0, m, out=m)
        h *= m
        return m, h
    small = np.exp(-np.abs(s))
    large = 1.0 / (1.0 + small)
    small *= large
    rising = s >= 0.0
    return np.where(rising, large, small), np.where(rising, small, large)


def saturating_rows(
    positive: Flags, s: Array, c: Array, d: Array, observed: bool = False, xp: Any = np
) -> SaturatingRows:
    """Evaluate the saturating logistic likelihood of each row.

    Parameters
    ----------
    positive : bool array
        True where z = 1.
    s : array
        Linear predictor a + eta(x).
    c, d : arrays
        Label frequency and its complement 1 - c, passed apart because c is often close to one.
    observed : bool
        Observed information, which can be indefinite, instead of the expected one, which cannot.
    xp : module
        The library of the arrays.
    """
    m, h, odds, tilt, scores = _saturating(positive, s, c, d, xp)
    if observed:
        info_cc = xp.where(positive, 0.0, odds * (1.0 + odds))
        info_sc = xp.where(positive, 0.0, tilt * (1.0 + odds))
        info_ss = xp.where(positive, m * h, tilt * (h - m + tilt))
    else:
        info_cc, info_sc, info_ss = odds, tilt, tilt * h
    return SaturatingRows(*scores, info_ss, info_sc, info_cc)


def information_slope_rows(s: Array, c: Array, d: Array, xp: Any = np) -> tuple[Array, Array]:
    """Return the derivatives of each row's expected information ss, in s and in log c."""
    m, h = expit_pair(s, xp)
    ratio = h / (h + d * m).clip(SMALLEST)  # (1 - m)/(1 - P), between zero and one
    tilt = c * m * ratio
    return tilt * h * (h - 2.0 * m + tilt), tilt * ratio


def log_likelihood_rows(positive: Flags, s: Array, c: Array, d: Array) -> Array:
    """Evaluate the log-likelihood of each row, finite even where the row is next to impossible."""
    with np.errstate(divide="ignore"):  # d = 0 where pi is as good as zero
        unlabelled = np.logaddexp(0.0, np.log(d) + s) - np.logaddexp(0.0, s)
    return np.where(positive, np.log(c) - np.logaddexp(0.0, -s), unlabelled)


def score_rows(positive: Flags, s: Array, c: Array, d: Array, xp: Any = np) -> ScoreRows:
    """Evaluate the saturating logistic likelihood of each row and its score, without the information."""
    return _saturating(positive, s, c, d, xp)[-1]


def _saturating(positive: Flags, s: Array, c: Array, d: Array, xp: Any) -> tuple[Array, Array, Array, Array, ScoreRows]:
    m, h = expit_pair(s, xp)
    labelled, unlabelled = c * m, h + d * m
    with np.errstate(divide="ignore"):
        value = xp.log(xp.where(positive, labelled, unlabelled))
        underflown = value == -np.inf
        if underflown.any():
            value = xp.where(underflown, xp.where(positive, xp.log(c) + s, -s), value)
    odds = labelled / unlabelled.clip(SMALLEST_SQUARABLE)
    tilt = labelled * (h / unlabelled.clip(SMALLEST))  # odds times h, which stays below one where odds overflow
    return m, h, odds, tilt, ScoreRows(value, xp.where(positive, h, -tilt), xp.where(positive, 1.0, -odds))


def expected_labels(positive: Flags, s: Array, d: Array) -> Array:
    """Return E(y | x, z), (eq:E-step): one for a labelled row, (1 - c) m / (1 - c m) for an unlabelled one."""
    m, h = expit_pair(s)
    hidden = d * m
    return np.where(positive, 1.0, hidden / np.maximum(h + hidden, SMALLEST))


def logistic_rows(y: Array, s: Array) -> LogisticRows:
    """Evaluate the logistic likelihood (eq:M-step-2) of fractional labels y."""
    m, h = expit_pair(s)
    return LogisticRows(y * s - np.logaddexp(0.0, s), y - m, m * h)
