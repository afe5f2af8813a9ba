"""Partial pooling of the shares of many samples."""

import numpy as np
import pytest

from pugam.inference import pool_shares, share_interval
from pugam.likelihood import expit
from pugam.solvers import EvidenceCurve, PiRange, SampledShares
from pugam.solvers.pi import FLAT_PRIOR

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


def test_shares_are_those_of_the_textbook_where_the_evidence_is_normal():
    """Normal means of normal estimates, averaged over tau; what is left are errors of the grids."""
    logits, errors = np.array([-2.0, -1.0, -0.5, 0.5]), np.array([0.2, 0.4, 0.3, 0.6])
    taus, (nodes, heights) = np.linspace(0.002, 4.0, 2000), np.polynomial.hermite_e.hermegauss(31)
    logs, shares = [], []
    for tau in taus:
        precision = 1.0 / (errors**2 + tau**2)
        mu, kept = (precision @ logits) / precision.sum(), tau**2 * precision
        logs.append(0.5 * (np.log(precision).sum() - np.log(precision.sum()) - precision @ (logits - mu) ** 2 - tau**2))
        means = mu + kept * (logits - mu)
        spread = np.sqrt(kept * errors**2 + (1.0 - kept) ** 2 / precision.sum())
        shares.append((expit(means[:, None] + spread[:, None] * nodes) @ heights) / heights.sum())
    weights = np.exp(logs - np.max(logs))
    found = pool_shares(make_shares(logits, errors), EVERYWHERE, FLAT_PRIOR)
    assert expit(found.logits) == pytest.approx(weights @ np.array(shares) / weights.sum(), abs=3e-3)
    assert found.spread == pytest.approx(float(weights @ taus / weights.sum()), abs=0.03)


def test_equal_shares_are_pulled_together_and_known_better():
    shares = make_shares(np.full(12, -1.0) + 0.3 * np.tile([-1, 1], 6), np.full(12, 0.4))
    found = pool_shares(shares, EVERYWHERE, FLAT_PRIOR)
    assert np.ptp(found.logits) < 0.25 * np.ptp(shares.logits)
    assert (np.sqrt(found.covariance.diagonal()) < 0.3).all()
    assert found.mean == pytest.approx(-1.0, abs=0.02)


def test_shares_far_apart_stay_where_they_are():
    shares = make_shares(np.linspace(-3.0, 3.0, 10), np.full(10, 0.1))
    found = pool_shares(shares, EVERYWHERE, FLAT_PRIOR)
    assert found.logits == pytest.approx(shares.logits, abs=0.02)
    assert found.spread == pytest.approx(np.std(shares.logits, ddof=1), rel=0.25)


def test_skewed_evidence_pulls_less_where_it_is_steep():
    """Four of sixty rows positive: the evidence is steep upwards, and pooling does not forget it."""
    places = np.linspace(-6.0, 1.0, 71)
    values = 4 * np.log(expit(places)) + 56 * np.log(expit(-places))
    slopes = 4 - 60 * expit(places)
    few = EvidenceCurve(places, values - values.max(), slopes)
    shares = make_shares([-2.6, *np.linspace(-1.3, -0.7, 8)], np.full(9, 0.3))
    shares = SampledShares(**{**vars(shares), "curves": (few, *shares.curves[1:])})
    found = pool_shares(shares, EVERYWHERE, FLAT_PRIOR)
    assert -2.6 < found.logits[0] < -1.6
    assert found.curves[0].places[found.curves[0].best] == pytest.approx(found.logits[0], abs=0.15)


def test_what_errors_have_in_common_does_not_pull_but_counts():
    logits, errors = np.linspace(-2.0, 0.0, 6), np.full(6, 0.5)
    apart, together = make_shares(logits, errors), make_shares(logits, errors)
    together = SampledShares(**{**vars(together), "correlation": np.full((6, 6), 0.6) + 0.4 * np.eye(6)})
    one, other = (pool_shares(shares, EVERYWHERE, FLAT_PRIOR) for shares in (apart, together))
    assert np.ptp(other.logits) > np.ptp(one.logits)
    assert other.covariance[0, 1] > 0.6 * 0.9 * 0.25


def test_intervals_are_those_of_pooled_shares():
    shares = make_shares([-1.0, -0.8, -1.2], [0.3, 0.3, 0.3])
    pooled = pool_shares(shares, EVERYWHERE, FLAT_PRIOR)
    reported = SampledShares(**{**vars(shares), "pooled": pooled})
    interval = share_interval(reported, 1, 0.95, EVERYWHERE, model_error=False)
    half = 1.96 * np.sqrt(pooled.covariance[1, 1])
    limits = expit(pooled.logits[1] + np.array([-half, 0.0, half]))
    assert (interval.lower, interval.estimate, interval.upper) == pytest.approx(tuple(limits), abs=0.02)
    alone = share_interval(shares, 1, 0.95, EVERYWHERE, model_error=False)
    assert interval.upper - interval.lower < alone.upper - alone.lower


def test_shares_stay_in_the_range_they_were_given():
    """Twenty samples, some of whose evidence still rises where the range ends and with it what was followed."""
    inside = PiRange(0.4, 0.5)
    tops, places = np.linspace(-1.2, 0.4, 20), np.linspace(*inside.logits, 9)
    curves = tuple(EvidenceCurve(places, -8.0 * (places - top) ** 2, -16.0 * (places - top)) for top in tops)
    shares = make_shares(np.clip(tops, *inside.logits), np.full(20, 0.25))
    shares = SampledShares(**{**vars(shares), "curves": curves})
    pooled = pool_shares(shares, inside, FLAT_PRIOR)
    reported = SampledShares(**{**vars(shares), "pooled": pooled})
    found = [share_interval(reported, number, 0.95, inside, model_error=False) for number in range(20)]
    assert all(0.4 <= one.lower < one.estimate < one.upper <= 0.5 for one in found)
    assert found[0].estimate < 0.45 < found[-1].estimate
    assert inside.logits[0] < pooled.mean < inside.logits[1]
