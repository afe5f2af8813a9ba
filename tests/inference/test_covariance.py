"""Standard errors: the inverse information, less what it owes to treating the numbers of rows as random."""

from dataclasses import replace

import numpy as np
import pytest

from pugam.inference import bayesian_covariance, pi_log_variance
from pugam.likelihood import label_frequency
from pugam.solvers import PiPrior, PiRange, Settings, fit_model


def fit(problem, kappa, **options):
    settings = Settings(np.full(len(problem.design.bases), kappa), **{"tol": 1e-6, **options})
    return fit_model(problem.engine, problem.design, settings, np.random.default_rng(0))


def counts(problem):
    return problem.engine.n0, problem.engine.n1


def penalised_information(problem, optimum, kappa):
    """Information in (log c, a, theta), plus the penalty, straight from the engine."""
    sums = problem.engine.sums(np.array([optimum.pi]), optimum.beta[None, 1:])
    penalty = problem.design.penalty(np.full(len(problem.design.bases), kappa))
    return sums.information[0] + np.diag(np.concatenate([[0.0, 0.0], penalty]))


CASES = {"linear": (1, "linear", 0.0), "quadratic": (2, "smooth", 1e-3), "nonlinear": (3, "smooth", 1e-2)}


@pytest.fixture(scope="module", params=CASES)
def case(request, make_problem):
    setting, terms, kappa = CASES[request.param]
    problem = make_problem(setting, n0=600, n=900, terms=terms, seed=setting)
    return problem, kappa, fit(problem, kappa, debias=False)


def test_variance_of_log_pi_is_that_of_logit_c_less_the_sampling_of_labels(case):
    problem, kappa, fitted = case
    n0, n1 = counts(problem)
    c = n0 / (n0 + n1 * fitted.optimum.pi)
    variance_log_c = np.linalg.inv(penalised_information(problem, fitted.optimum, kappa))[0, 0]
    variance_logit_c = variance_log_c / (1.0 - c) ** 2

    variance = pi_log_variance(fitted, n0, n1)

    assert variance == pytest.approx(variance_logit_c - 1.0 / n0 - 1.0 / n1, rel=1e-5)
    assert 0.001 < variance < 0.5


def test_variance_of_the_bias_corrected_estimate_follows_its_formula(make_problem):
    problem, kappa = make_problem(2, n0=600, n=900, seed=2), 1e-2
    n0, n1 = counts(problem)
    fitted = fit(problem, kappa)
    information, prior = fitted.penalized.information, np.zeros_like(fitted.penalized.information)
    prior[0, 0] = fitted.penalized.curvature[0]
    V = np.linalg.inv(information + np.diag(fitted.penalized.curvature))
    both = 2.0 * np.eye(len(V)) - V @ (information + prior)
    pi = fitted.penalized.pi
    v = np.zeros(len(V))
    v[:2] = -1.0 / (1.0 - pi), n0 / (n0 + n1 * pi)
    score_variance = information + prior - (1.0 / n0 + 1.0 / n1) * np.outer(information @ v, information @ v)
    covariance = both @ V @ score_variance @ V @ both.T

    variance = pi_log_variance(fitted, n0, n1)

    assert fitted.debiased
    assert variance == pytest.approx((1.0 - fitted.optimum.pi) ** 2 * covariance[0, 0], rel=1e-5)


def test_covariance_and_variance_of_log_pi_agree(case):
    problem, _, fitted = case
    n0, n1 = counts(problem)

    covariance = bayesian_covariance(fitted, n0, n1)

    log_scale = (1.0 - fitted.optimum.pi) ** 2 * covariance[0, 0]
    assert log_scale == pytest.approx(pi_log_variance(fitted, n0, n1), rel=1e-9)


def test_covariance_is_the_inverse_information_less_the_direction_of_the_labels(case):
    problem, kappa, fitted = case
    n0, n1 = counts(problem)
    pi = fitted.optimum.pi
    c, d = (float(part) for part in label_frequency(np.array(pi), n0, n1))
    # From (logit pi, a, theta) to (log c, a, theta), in which the correction is (1 - c, c, 0).
    to_log_c = np.eye(len(fitted.optimum.beta))
    to_log_c[0, 0] = -(1.0 - c) * (1.0 - pi)
    v = np.zeros(len(to_log_c))
    v[:2] = d, c
    expected = np.linalg.inv(penalised_information(problem, fitted.optimum, kappa)) - (1 / n0 + 1 / n1) * np.outer(v, v)

    covariance = to_log_c @ bayesian_covariance(fitted, n0, n1) @ to_log_c.T

    np.testing.assert_allclose(covariance, expected, rtol=1e-4, atol=1e-7 * np.abs(expected).max())


def test_covariance_has_no_negative_direction(case):
    problem, _, fitted = case

    covariance = bayesian_covariance(fitted, *counts(problem))

    np.testing.assert_allclose(covariance, covariance.T, rtol=1e-9, atol=1e-12)
    assert np.linalg.eigvalsh(covariance).min() > -1e-9 * np.abs(covariance).max()


def test_a_prior_adds_its_precision_to_that_of_the_data(make_problem):
    problem, kappa, prior = make_problem(2, n0=600, n=900, seed=2), 1e-2, PiPrior(30.0, 30.0)
    n0, n1 = counts(problem)
    fitted = fit(problem, kappa, prior=prior, debias=False)
    flat = replace(fitted.penalized, curvature=np.append(0.0, fitted.penalized.curvature[1:]))
    precision = 60.0 * fitted.optimum.pi * (1.0 - fitted.optimum.pi)

    with_prior = bayesian_covariance(fitted, n0, n1)
    without = bayesian_covariance(replace(fitted, penalized=flat), n0, n1)

    # Not exactly: the estimate is pulled by the prior, and so feels the labelling rate less.
    np.testing.assert_allclose(with_prior[0, 0], 1.0 / (1.0 / without[0, 0] + precision), rtol=0.05)
    log_scale = (1.0 - fitted.optimum.pi) ** 2 * with_prior[0, 0]
    assert pi_log_variance(fitted, n0, n1) == pytest.approx(log_scale, rel=1e-6)


def test_correction_leaves_the_curves_alone(case):
    problem, _, fitted = case

    covariance = bayesian_covariance(fitted, *counts(problem))

    uncorrected = np.linalg.inv(fitted.penalized.hessian)
    np.testing.assert_allclose(covariance[2:, 2:], uncorrected[2:, 2:], rtol=1e-5, atol=1e-9)
    assert covariance[0, 0] < uncorrected[0, 0]
    assert covariance[1, 1] < uncorrected[1, 1]


def test_a_known_pi_has_no_variance_and_the_curves_less(make_problem):
    problem = make_problem(2, n0=600, n=900, seed=2)
    free = fit(problem, 1e-2, debias=False)
    known = fit(problem, 1e-2, pi_range=PiRange(free.optimum.pi, free.optimum.pi))

    with_known, with_free = (
        bayesian_covariance(fitted, *counts(problem), free=slice(0 if fitted is free else 1, None))
        for fitted in (known, free)
    )

    assert not with_known[0].any()
    assert not with_known[:, 0].any()
    assert np.trace(with_known[2:, 2:]) < np.trace(with_free[2:, 2:])


def test_standard_errors_agree_with_the_scatter_of_estimates(make_problem):
    # 60 replicates: the Monte-Carlo error of a standard deviation is 1/sqrt(120), 9 percent; the tolerance is
    # about three times that.
    logs, standard_errors = [], []
    for seed in range(60):
        problem = make_problem(1, n0=450, n=900, terms="linear", seed=seed)
        fitted = fit(problem, 0.0, tol=1e-4, n_starts=3)
        logs.append(np.log(fitted.optimum.pi))
        standard_errors.append(np.sqrt(pi_log_variance(fitted, *counts(problem))))

    assert 0.75 < np.std(logs, ddof=1) / np.mean(standard_errors) < 1.3
    assert np.mean(logs) == pytest.approx(np.log(0.4), abs=4.0 * np.mean(standard_errors) / np.sqrt(60.0))
