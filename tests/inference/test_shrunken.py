"""Shrunken fits: their covariance by simulation, their interval for pi, posteriors as means over what is left open."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import norm

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.inference import make_inference
from pugam.inference.shrunken import adjusted_covariance, averaged_logits
from pugam.likelihood import alpha_shift, logit
from pugam.solvers import Adjustment, Settings, ShrunkenFit, fit_smoothed


@pytest.fixture(scope="module")
def handmade(make_problem):
    """A fit as if rows held out had given its share, intercept and steepness."""
    problem, settings = make_problem(2, n0=300, n=600, seed=5), Settings("reml", tol=1e-6, debias=False)
    settings = replace(settings, smoothing=np.full(len(problem.design.penalties), 1e-2))
    found = fit_smoothed(problem.engine, problem.design, settings, np.random.default_rng(0))
    root = np.array([[0.5, 0.0, 0.0], [0.2, 0.3, 0.0], [-0.1, 0.4, 0.2]])
    adjustment = Adjustment(-0.3, 0.4, 0.7, 0.0, root @ root.T, logit_variance=0.9, stray=0.01)
    return ShrunkenFit(
        found.optimum, found.penalized, found.observed, found.kappas, (), ridge=3.0, adjustment=adjustment
    )


def test_covariance_of_shrunken_curves_is_the_scatter_of_what_is_drawn(handmade):
    """Share, intercept and log steepness are drawn, and by themselves the curves; small, so that all is linear."""
    rng, small, n_draws = np.random.default_rng(7), 1e-3, 20_000
    found, beta = handmade.adjustment, handmade.penalized.beta
    held_out = rng.multivariate_normal([0.0, 0.0, 0.0], found.covariance, size=n_draws)
    curves = np.linalg.inv(handmade.penalized.hessian[1:, 1:])
    noise = rng.multivariate_normal(np.zeros(len(curves)), curves, size=n_draws)
    drawn = [
        replace(
            found,
            logit_pi=found.logit_pi + small * share,
            intercept=found.intercept + small * intercept,
            steepness=found.steepness * np.exp(small * log_steepness),
        ).moved(handmade.penalized.layout, np.concatenate([beta[:1], beta[1:] + small * bend]))
        for (share, intercept, log_steepness), bend in zip(held_out, noise, strict=True)
    ]
    scatter = np.cov(np.array(drawn).T) / small**2

    covariance = adjusted_covariance(handmade)

    # Monte Carlo: correlations of 20,000 draws are off by 0.007, variances by a relative 1%; four of these.
    scale = np.sqrt(np.diag(scatter))
    np.testing.assert_allclose(covariance / scale / scale[:, None], scatter / scale / scale[:, None], atol=0.04)
    np.testing.assert_array_equal(covariance[:1, :1], found.covariance[:1, :1])


def test_the_interval_for_pi_is_as_wide_on_the_logit_scale_as_rows_held_out_say(handmade, make_problem):
    problem = make_problem(2, n0=300, n=600, seed=5)
    inference = make_inference(handmade, problem.design, Settings("reml"), 300.0, 300.0)

    interval = inference.pi_interval(0.3, 0.95)

    half = norm.ppf(0.975) * np.sqrt(0.9)
    np.testing.assert_allclose(logit([interval.lower, interval.upper]), logit(0.3) + np.array([-half, half]), rtol=1e-9)


@pytest.fixture(scope="module")
def shrunken():
    data = simulate(2, n0=60, n=180, pi=0.4, random_state=3)
    return PUGAM("x1 + x2 + x3", shrinkage="always").fit(data.X, data.z)


def with_covariance(model, covariance):
    """The fit with another covariance of logit pi, intercept and log steepness."""
    adjustment = replace(model._fit.adjustment, covariance=np.asarray(covariance, dtype=float), stray=STRAY)
    return replace(model._fit, adjustment=adjustment)


RATIOS = np.linspace(-12.0, 8.0, 41)
STRAY = 0.02
CORRELATED = [[0.4, 0.1, -0.1], [0.1, 0.3, 0.15], [-0.1, 0.15, 0.25]]


@pytest.mark.parametrize("pi", [0.05, 0.6])
def test_shrunken_posteriors_are_means_over_intercept_and_steepness_at_a_known_share(shrunken, pi):
    fit = with_covariance(shrunken, CORRELATED)
    covariance, adjustment = np.array(CORRELATED), fit.adjustment
    given = covariance[1:, 1:] - np.outer(covariance[1:, 0], covariance[1:, 0]) / covariance[0, 0]
    draws = np.random.default_rng(0).multivariate_normal(np.zeros(2), given, 200_000)
    shift = float(alpha_shift(shrunken.pi_, shrunken.n0_, shrunken.n1_))
    steep = RATIOS + shift - adjustment.intercept
    expected = []
    for ratio, one in zip(RATIOS, steep, strict=True):
        positive = STRAY + (1.0 - STRAY) * expit(ratio + shift + draws[:, 0] + one * np.expm1(draws[:, 1]))
        weighed = positive * np.exp(logit(pi) - shift)
        expected.append(np.mean(weighed / (weighed + 1.0 - positive)))

    found = expit(averaged_logits(fit, shrunken.n0_, shrunken.n1_, RATIOS, pi))

    # Monte-Carlo errors are below 0.5 / sqrt(200000) = 0.0011; MacKay's approximation adds up to 0.003.
    np.testing.assert_allclose(found, expected, atol=0.006)


def test_nothing_left_open_leaves_nothing_to_average_over(shrunken):
    fit = with_covariance(shrunken, np.zeros((3, 3)))

    shift = float(alpha_shift(shrunken.pi_, shrunken.n0_, shrunken.n1_))
    expected = logit(STRAY + (1.0 - STRAY) * expit(RATIOS + shift)) - shift + logit(0.2)
    np.testing.assert_allclose(averaged_logits(fit, shrunken.n0_, shrunken.n1_, RATIOS, 0.2), expected, rtol=1e-9)


@pytest.mark.parametrize("size", [0.01, 1.0, 100.0, 1e6])
def test_averages_rise_with_the_ratio_however_uncertain_and_however_sure(shrunken, size):
    fit = with_covariance(shrunken, size * np.array(CORRELATED))

    found = averaged_logits(fit, shrunken.n0_, shrunken.n1_, np.linspace(-500.0, 500.0, 1001), 0.3)

    assert np.isfinite(found).all()
    assert (np.diff(found) >= 0.0).all()
    assert (np.diff(found)[500:] > 0.0).all()  # towards the other end strays put a floor under all


def test_decisions_and_posteriors_of_shrunken_curves_go_together(shrunken):
    X = simulate(2, n0=60, n=180, pi=0.4, random_state=3).X
    posterior = shrunken.predict_proba(X)[:, 1]

    np.testing.assert_allclose(expit(shrunken.decision_function(X)), posterior, rtol=1e-12)
    np.testing.assert_array_equal(shrunken.predict(X), posterior > 0.5)
    np.testing.assert_array_equal(shrunken.predict_interval(X)["p_positive"], posterior)
    # Less sure than the best steepness alone makes them, on average.
    plain = expit(shrunken.log_density_ratio(X) + logit(shrunken.pi_))
    assert np.mean(np.abs(posterior - 0.5)) < np.mean(np.abs(plain - 0.5))


@pytest.mark.parametrize("n_tables", [4, pytest.param(12, marks=pytest.mark.long)])
def test_averaged_posteriors_are_better_calibrated_where_rows_are_few(n_tables):
    # The mean log score of the truth over tables of 12 columns, 40 labelled and 60 unlabelled rows.
    averaged, plain = [], []
    for seed in range(n_tables):
        X, z, y = many_columns(seed)
        model = PUGAM(" + ".join(X.columns)).fit(X, z)
        assert model.shrinkage_ is not None
        logits = model.decision_function(X[~z]), model.log_density_ratio(X[~z]) + logit(model.pi_)
        for scores, one in zip((averaged, plain), logits, strict=True):
            scores.append(np.mean(np.logaddexp(0.0, np.where(y[~z], -one, one))))

    assert np.mean(averaged) < np.mean(plain)


def many_columns(seed):
    """Two of twelve normal columns tell positives from negatives."""
    rng = np.random.default_rng(seed)
    y = np.repeat([True, True, False], [40, 42, 18])
    X = rng.normal(size=(100, 12))
    X[:, :2] += 1.5 * y[:, None]
    return pd.DataFrame(X, columns=[f"x{number}" for number in range(12)]), np.arange(100) < 40, y
