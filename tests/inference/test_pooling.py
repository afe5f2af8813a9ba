"""Partial pooling of the shares of many samples."""

import numpy as np
import pytest

from pugam.inference import pool_shares, share_interval
from pugam.inference.shares import logit_covariance
from pugam.solvers import EvidenceCurve, PiRange, SampledShares

EVERYWHERE = PiRange()


def make_shares(logits, errors):
    """Samples by themselves, with normal evidence around these logits."""
    logits, errors = np.asarray(logits, dtype=float), np.asarray(errors, dtype=float)
    steps = np.linspace(-5.0, 5.0, 41)
    curves = tuple(
        EvidenceCurve(logit + error * steps, -0.5 * steps**2, -steps / error)
        for logit, error in zip(logits, errors, strict=True)
    )
    size = len(logits)
    names, ones = tuple(f"site {number}" for number in range(size)), np.ones(size)
    return SampledShares(names, 100 * ones, 0 * ones, logits, curves, ones, np.eye(size))


def test_means_for_a_known_spread_are_the_textbook_ones():
    """Sums over tau of the posterior of a normal model with normal means, written anew."""
    logits, errors = np.array([-2.0, -1.0, -0.5, 0.5]), np.array([0.2, 0.4, 0.3, 0.6])
    variances = logit_covariance(make_shares(logits, errors), EVERYWHERE).diagonal()
    taus = np.linspace(0.0, 4.0, 4001)
    logs, means = [], []
    for tau in taus:
        precision = 1.0 / (variances + tau**2)
        mu = (precision @ logits) / precision.sum()
        logs.append(0.5 * (np.log(precision).sum() - np.log(precision.sum()) - precision @ (logits - mu) ** 2 - tau**2))
        means.append(mu + tau**2 * precision * (logits - mu))
    weights = np.exp(logs - np.max(logs))
    expected = weights @ np.array(means) / weights.sum()
    found = pool_shares(make_shares(logits, errors), EVERYWHERE)
    assert found.logits == pytest.approx(expected, abs=1e-3)
    assert found.spread == pytest.approx(float(weights @ taus / weights.sum()), abs=1e-2)


def test_equal_shares_are_pulled_together_and_known_better():
    shares = make_shares(np.full(12, -1.0) + 0.3 * np.tile([-1, 1], 6), np.full(12, 0.4))
    found = pool_shares(shares, EVERYWHERE)
    assert np.ptp(found.logits) < 0.25 * np.ptp(shares.logits)
    assert (np.sqrt(found.covariance.diagonal()) < 0.3).all()
    assert found.mean == pytest.approx(-1.0, abs=0.02)


def test_shares_far_apart_stay_where_they_are():
    shares = make_shares(np.linspace(-3.0, 3.0, 10), np.full(10, 0.1))
    found = pool_shares(shares, EVERYWHERE)
    assert found.logits == pytest.approx(shares.logits, abs=0.02)
    assert found.spread == pytest.approx(np.std(shares.logits, ddof=1), rel=0.25)


def test_intervals_are_those_of_pooled_logits():
    shares = make_shares([-1.0, -0.8, -1.2], [0.3, 0.3, 0.3])
    pooled = pool_shares(shares, EVERYWHERE)
    reported = SampledShares(**{**vars(shares), "pooled": pooled})
    interval = share_interval(reported, 1, 0.95, EVERYWHERE, model_error=False)
    half = 1.959964 * np.sqrt(pooled.covariance[1, 1])
    limits = 1.0 / (1.0 + np.exp(-pooled.logits[1] - np.array([-half, 0.0, half])))
    assert (interval.lower, interval.estimate, interval.upper) == pytest.approx(tuple(limits), abs=1e-6)
    alone = share_interval(shares, 1, 0.95, EVERYWHERE, model_error=False)
    assert interval.upper - interval.lower < alone.upper - alone.lower
