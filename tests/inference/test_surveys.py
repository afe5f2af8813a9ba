"""The variance of the score among clusters: by hand, and against refits to clusters that count a little more."""

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM
from pugam.inference.covariance import in_alpha
from pugam.inference.surveys import variance_of_sum

N, N_CLUSTERS = 3000, 24
EXACT = {"smoothing": 0.0, "pi_prior": None, "debias": False, "estimate": "mode", "shrinkage": "never", "tol": 1e-10}


def test_the_variance_of_a_sum_adds_up_over_strata():
    sums, strata = np.random.default_rng(0).normal(size=(7, 3)), np.array([0, 1, 0, 1, 1, 0, 0])
    by_hand = 4 * np.cov(sums[strata == 0].T) + 3 * np.cov(sums[strata == 1].T)
    assert variance_of_sum(sums, strata) == pytest.approx(by_hand)


@pytest.fixture(scope="module")
def rows():
    """Clusters that differ in everything: how many labels and positives they have, and where their features lie."""
    rng = np.random.default_rng(1)
    clusters = rng.permutation(np.arange(N) % N_CLUSTERS)
    y = rng.random(N) < rng.beta(2, 2, N_CLUSTERS)[clusters]
    z = y & (rng.random(N) < 0.6)
    X = rng.normal(size=(N, 3)) + rng.normal(0, 0.3, size=(N_CLUSTERS, 3))[clusters] + 2.0 * y[:, None]
    return pd.DataFrame(X, columns=["x1", "x2", "x3"]), z.astype(int), rng.uniform(0.5, 2.0, N), clusters


def fit(rows, counts=1.0, **survey):
    X, z, weights, _ = rows
    return PUGAM("x1 + x2 + x3", check=False, **EXACT).fit(X, z, weights * counts, **survey)


def estimates(model):
    return np.concatenate([[np.log(model.pi_ / (1 - model.pi_)), model.alpha_], model.coef_])


def test_clusters_move_estimates_as_refits_do(rows):
    """Each cluster counts a little more, or less, in a refit, which counts labels anew.

    Refits move by the observed information; 2 percent of a standard error are allowed for what vanishes in large
    samples.
    """
    clusters, step = rows[-1], 1e-3
    influences = []
    for cluster in range(N_CLUSTERS):
        up, down = (estimates(fit(rows, np.where(clusters == cluster, 1 + sign * step, 1.0))) for sign in (1, -1))
        influences.append((up - down) / (2 * step))
    expected = variance_of_sum(np.array(influences), np.zeros(N_CLUSTERS, dtype=int))
    model = fit(rows, groups=clusters)
    moves = np.linalg.inv(model._fit.observed)
    sandwich = moves @ model._fit.survey.score_variance @ moves
    found = in_alpha(model._design.layout, sandwich, model.pi_, model.n0_, model.n1_)
    errors = np.sqrt(expected.diagonal())
    assert np.sqrt(found.diagonal()) == pytest.approx(errors, rel=0.02)
    assert found / np.outer(errors, errors) == pytest.approx(expected / np.outer(errors, errors), abs=0.03)
    assert model.covariance("frequentist")[0, 0] == pytest.approx(expected[0, 0], rel=0.1)


def test_without_a_penalty_all_covariances_are_the_sandwich(rows):
    model = fit(rows, groups=rows[-1])
    assert model.covariance("bayesian") == pytest.approx(model.covariance("frequentist"), rel=1e-6)
    interval, pi = model.pi_interval(), model.pi_
    error = (np.log(interval.upper) - np.log(interval.lower)) / (2 * 1.959964)
    assert error >= (1 - pi) * np.sqrt(model.covariance()[0, 0]) * (1 - 1e-6)


@pytest.mark.filterwarnings("ignore::pugam.errors.PugamWarning")
def test_effects_without_bound_are_not_known_exactly():
    # Scores of rows that are next to certain do not vary, so that the sandwich alone would leave no error.
    rng = np.random.default_rng(0)
    z = (np.arange(300) < 120).astype(int)
    c, d = rng.choice(["p", "q"], 300), rng.choice(["u", "v"], 300)
    X = pd.DataFrame({"c": np.where(z == 1, "p", c), "d": np.where(z == 1, d, "v")})

    model = PUGAM("f(c) + f(d)", pi=0.5).fit(X, z, groups=rng.integers(0, 20, 300))

    assert model.test("f(c)").pvalue > 0.5
    assert model.odds_ratio("c", "q", "p").upper > 1e100
    assert model.effect("c")["se"].min() > 100.0
