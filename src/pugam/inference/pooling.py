"""Partial pooling of many small samples: logits of their shares come from a normal distribution of estimated variance.

The evidence along each share, less the prior on it, is the likelihood of its logit lambda_k; with lambda_k ~ N(mu,
tau^2) it is integrated over lambda_k on a grid, and what is left is the likelihood of mu and tau. Shares are averaged
over both. tau has a half-normal prior of scale one, as shares of samples hardly ever differ more on the logit scale.

Curves are common, so errors of all shares have a part in common. It moves all of them alike, and says nothing about how
far they are apart: it is taken out of the evidence, and added again to what is reported.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from pugam.inference.shares import logit_covariance
from pugam.likelihood import expit, logit
from pugam.solvers import EvidenceCurve, PiPrior, PiRange, PooledShares, SampledShares

__all__ = ["FEWEST_POOLED", "pool_shares"]

Array = NDArray[np.float64]

FEWEST_POOLED = 3  # samples whose spread says something
SPREADS = np.concatenate([np.linspace(0.03, 0.3, 10), np.linspace(0.36, 3.0, 45)])  # values of tau
N_MEANS, N_PLACES = 61, 801  # of mu, and of lambda
FARTHEST_MEAN, FARTHEST_PLACE = 1.0, 4.0  # beyond the outermost estimates
LARGEST_COMMON = 0.9  # of the smallest variance: some of every error is its own
DEEPEST, N_KEPT = 8.0, 41  # by how much log densities that are kept fall short of the largest, and how many are


def pool_shares(shares: SampledShares, pi_range: PiRange, prior: PiPrior) -> PooledShares:
    """Pull the shares of samples towards their mean, the more the less their own rows say."""
    variances = logit_covariance(shares, pi_range)
    common = _common(variances)
    places = _grid(shares.logits, FARTHEST_PLACE, N_PLACES, pi_range)
    logs = _evidence(shares, places, prior, variances.diagonal() / (variances.diagonal() - common))
    means = _grid(shares.logits, FARTHEST_MEAN, N_MEANS, pi_range)
    normal = _normal(places, means, pi_range)  # (spreads, means, places)
    likelihood = np.exp(logs - logs.max(axis=1, keepdims=True))  # (samples, places)
    integrals = np.maximum(normal @ likelihood.T, np.finfo(float).tiny)  # (spreads, means, samples)
    weights = _weights(np.log(integrals).sum(axis=2) - 0.5 * SPREADS[:, None] ** 2)
    densities = np.einsum("smk,smp->kp", weights[:, :, None] / integrals, normal) * likelihood
    expected = (normal @ (likelihood * places).T) / integrals
    logits = _with_common(densities, places, common)
    around = expected - np.einsum("sm,smk->k", weights, expected)
    between = np.einsum("sm,smk,sml->kl", weights, around, around)
    np.fill_diagonal(between, _variances(densities, places))
    return PooledShares(
        mean=float(weights.sum(axis=0) @ means),
        spread=float(weights.sum(axis=1) @ SPREADS),
        logits=np.asarray(logit(np.array([_average(expit(places), density) for density in logits]))),
        covariance=between + common,
        curves=tuple(_curve(places, density) for density in logits),
    )


def _grid(logits: Array, beyond: float, size: int, pi_range: PiRange) -> Array:
    """Places around the estimates, none outside the range that shares were given."""
    low, high = np.clip([logits.min() - beyond, logits.max() + beyond], *pi_range.logits).tolist()
    return np.linspace(low, high, size)


def _normal(places: Array, means: Array, pi_range: PiRange) -> Array:
    """Densities of logits in the range that shares were given, normal there: shape (n_spreads, n_means, n_places)."""
    spreads = SPREADS[:, None, None]
    low, high = ((end - means[:, None]) / spreads for end in pi_range.logits)
    return np.asarray(np.exp(-0.5 * ((places - means[:, None]) / spreads) ** 2) / (spreads * (ndtr(high) - ndtr(low))))


def _common(covariance: Array) -> float:
    """The variance that errors of all logits have in common."""
    off = covariance[~np.eye(len(covariance), dtype=bool)].mean()
    return float(np.clip(off, 0.0, LARGEST_COMMON * covariance.diagonal().min()))


def _evidence(shares: SampledShares, places: Array, prior: PiPrior, sharper: Array) -> Array:
    """Log-likelihood of each share by itself, at all places: shape (K, n_places)."""
    of_prior = prior.value(np.asarray(expit(places)))
    each = zip(shares.curves, shares.factors * sharper, shares.rows / shares.rows.sum(), strict=True)
    return np.array([curve.falling(float(f)).extended(places) - f * part * of_prior for curve, f, part in each])


def _weights(logs: Array) -> Array:
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def _average(values: Array, density: Array) -> float:
    return float(density @ values / density.sum())


def _variances(densities: Array, places: Array) -> Array:
    return np.array([_average((places - _average(places, density)) ** 2, density) for density in densities])


def _with_common(densities: Array, places: Array, common: float) -> Array:
    """Densities with an error that all logits have in common: shape (K, n_places)."""
    if common == 0.0:
        return densities
    blur = np.exp(-0.5 * (places[:, None] - places) ** 2 / common)
    return np.asarray(densities @ (blur / blur.sum(axis=0)))


def _curve(places: Array, density: Array) -> EvidenceCurve:
    """A density as a curve, as far as it can be told from nothing."""
    inside = np.flatnonzero(density > np.exp(-DEEPEST) * density.max())
    logs = np.log(np.maximum(density / density.max(), np.finfo(float).tiny))
    kept = np.unique(np.linspace(inside[0], inside[-1], N_KEPT).round().astype(int))
    return EvidenceCurve(places[kept], logs[kept], np.gradient(logs, places)[kept])
