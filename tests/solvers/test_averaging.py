"""Posteriors averaged over what is not known: their mean is pi, and rows keep their order."""

import numpy as np
import pytest
from scipy.special import expit, logit

from pugam.solvers import Averaging, fit_averaging


@pytest.fixture
def ratio():
    return np.random.default_rng(0).normal(-1.0, 4.0, 2000)


def posterior(averaging, ratio):
    return expit(averaging.logits(ratio))


@pytest.mark.parametrize("pi", [0.02, 0.4, 0.9])
@pytest.mark.parametrize("weighted", [False, True])
def test_averaged_posteriors_have_pi_as_their_mean(ratio, pi, weighted):
    weights = np.random.default_rng(1).uniform(0.2, 3.0, len(ratio)) if weighted else None
    averaging = fit_averaging(ratio, 0.3 + 0.05 * (ratio - 1.0) ** 2, weights, pi)
    assert np.average(posterior(averaging, ratio), weights=weights) == pytest.approx(pi, abs=1e-10)


def test_with_nothing_unknown_posteriors_follow_bayes_rule(ratio):
    truth = 0.3
    averaging = fit_averaging(ratio, np.zeros(len(ratio)), None, expit(ratio + logit(truth)).mean())
    assert averaging.logits(ratio) == pytest.approx(ratio + logit(truth), abs=1e-8)


def test_an_averaged_posterior_is_about_the_mean_over_normal_logits():
    """MacKay's approximation is good to 0.02 of a probability; the Monte-Carlo error is 0.001."""
    rng = np.random.default_rng(2)
    for centre, variance in ((0.5, 1.0), (2.0, 4.0), (-3.0, 9.0)):
        mean = expit(rng.normal(centre, np.sqrt(variance), 200_000)).mean()
        averaging = Averaging(0.0, (variance, 0.0, 0.0), (-10.0, 10.0))
        assert posterior(averaging, np.array([centre]))[0] == pytest.approx(mean, abs=0.02)


def test_where_nothing_is_known_there_is_no_shift(ratio):
    averaging = fit_averaging(ratio, np.full(len(ratio), 1e12), None, 0.3)
    assert averaging.intercept == pytest.approx(logit(0.3))


@pytest.mark.parametrize("top", [-6.0, 0.0, 6.0])
@pytest.mark.parametrize("pi", [0.05, 0.5, 0.95])
def test_rows_keep_their_order_however_variances_grow(ratio, top, pi):
    averaging = fit_averaging(ratio, 2.0 * (ratio - top) ** 2, None, pi)
    far = np.linspace(-60.0, 60.0, 2001)
    assert (np.diff(averaging.logits(far)) > 0.0).all()
