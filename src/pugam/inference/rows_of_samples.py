"""Rows of several samples: which share holds for each of them, and how sure that is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from pugam.inference.shares import logit_covariance, samples_of
from pugam.likelihood import expit, logit
from pugam.solvers import Fit, Fitted, PiRange, SampledShares

__all__ = [
    "excess_variances",
    "moved_shares",
    "shares_by_others",
    "shares_of_rows",
    "unaudited_rows",
    "unlabelled_rows",
]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

TOLERANCE, MARGIN = 1e-12, 1e-3  # on the logit scale


def moved_shares(shares: SampledShares, pi: float) -> Array:
    """Shares of all samples, shape (K,), moved by the same amount on the logit scale until pi is that of all rows."""
    weights = shares.rows / shares.rows.sum()
    # Some samples have larger shares than all rows together, others smaller ones: the amount lies between theirs.
    apart = logit(pi) - shares.reported
    low, high = float(apart.min()) - MARGIN, float(apart.max()) + MARGIN
    amount = brentq(lambda move: float(weights @ expit(shares.reported + move)) - pi, low, high, xtol=TOLERANCE)
    return np.asarray(expit(shares.reported + amount))


def shares_by_others(fit: Fit) -> Array:
    """Shares of all samples by what others say of pi, where rows contradict the model: shape (n_neighbours, K)."""
    assert fit.samples is not None
    stated = PiRange().clip(np.array(fit.neighbours))
    return np.array([moved_shares(fit.samples, float(pi)) for pi in stated]).reshape(-1, len(fit.samples.rows))


def shares_of_rows(fitted: Fitted, pi: float) -> float | Array:
    """The share that holds for each row, shape (n_rows,), where that of all unlabelled rows is pi.

    Rows of no unlabelled sample have pi itself; it is all there is where samples are not told apart.
    """
    shares = fitted.fit.samples
    if shares is None or len(shares.names) == 1:
        return pi
    return np.asarray(np.concatenate([[pi], moved_shares(shares, pi), [pi]])[samples_of(fitted)])


def unlabelled_rows(fitted: Fitted) -> Flags:
    """Which rows are in an unlabelled sample."""
    shares = fitted.fit.samples
    own = samples_of(fitted)
    return np.asarray((own > 0) & (own <= (1 if shares is None else len(shares.names))))


def unaudited_rows(fitted: Fitted) -> Flags:
    """Which of these nobody has looked at."""
    shares, codes = fitted.fit.samples, fitted.engine.codes
    unlabelled = unlabelled_rows(fitted)
    return unlabelled if shares is None or codes is None else unlabelled & (codes <= len(shares.names))


def excess_variances(shares: SampledShares, pi_range: PiRange, variance: float) -> Array:
    """By how much the logits of the shares vary more than that of all unlabelled rows does: shape (K,)."""
    covariance = logit_covariance(shares, pi_range) if shares.pooled is None else shares.pooled.covariance
    return np.maximum(covariance.diagonal() - variance, 0.0)
