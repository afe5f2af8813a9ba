"""Partial pooling of many small samples: logits of their shares come from a normal distribution of estimated variance.

With estimates l ~ N(lambda, S) from the fit, lambda_k ~ N(mu, tau^2), and nothing known of mu, tau has the likelihood

    -1/2 (log |V| + log 1'V^-1 1 + (l - mu)' V^-1 (l - mu)),   V = S + tau^2 I,   mu = 1'V^-1 l / 1'V^-1 1,

and for given tau the shares are normal with mean l - S V^-1 (l - mu). Both are averaged over tau, which has a
half-normal prior of scale one: shares of samples hardly ever differ more than that on the logit scale.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pugam.inference.shares import logit_covariance
from pugam.linear_algebra import inverse
from pugam.solvers import PiRange, PooledShares, SampledShares

__all__ = ["FEWEST_POOLED", "pool_shares"]

Array = NDArray[np.float64]

FEWEST_POOLED = 3  # samples whose spread says something
SPREADS = np.linspace(0.0, 4.0, 161)  # values of tau, half of the largest of which is next to impossible


class _Given(NamedTuple):
    """Logits for a given tau: the log-likelihood of tau, mu, and mean and covariance of the logits."""

    value: float
    mean: float
    logits: Array
    covariance: Array


def pool_shares(shares: SampledShares, pi_range: PiRange) -> PooledShares:
    """Pull the shares of samples towards their mean, the more the less their own rows say."""
    covariance = logit_covariance(shares, pi_range)
    found = [_given(shares.logits, covariance, float(spread)) for spread in SPREADS]
    logs = np.array([one.value for one in found]) - 0.5 * SPREADS**2
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    logits = np.tensordot(weights, [one.logits for one in found], 1)
    around = np.array([one.logits - logits for one in found])
    within = np.tensordot(weights, [one.covariance for one in found], 1)
    return PooledShares(
        mean=float(weights @ [one.mean for one in found]),
        spread=float(weights @ SPREADS),
        logits=logits,
        covariance=within + (around * weights[:, None]).T @ around,
    )


def _given(logits: Array, covariance: Array, spread: float) -> _Given:
    ones, total = np.ones(len(logits)), covariance + spread**2 * np.eye(len(logits))
    precision = inverse(total)
    weight = float(ones @ precision @ ones)
    mean = float(ones @ precision @ logits) / weight
    apart, pull = logits - mean, covariance @ precision
    value = -0.5 * float(np.linalg.slogdet(total)[1] + np.log(weight) + apart @ precision @ apart)
    common = pull @ ones
    known = covariance - pull @ covariance + np.outer(common, common) / weight
    return _Given(value, mean, logits - pull @ apart, known)
