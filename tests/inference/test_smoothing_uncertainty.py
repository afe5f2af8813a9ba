"""What smoothing adds to the uncertainty of curves: its bias, and the choice of how much of it there is."""

from dataclasses import replace

import numpy as np
import pytest

from pugam import PUGAM, s
from pugam.datasets import simulate
from pugam.inference import bayesian_covariance, curve_covariance
from pugam.inference.smoothing_uncertainty import bias_covariance, smoothing_covariance
from pugam.solvers import PiRange, Settings, fit_smoothed, gather_evidence

EVERYTHING = slice(None)


def fit(problem, settings):
    return fit_smoothed(problem.engine, problem.design, settings, np.random.default_rng(0))


@pytest.fixture(scope="module", params=[1, 2, 3], ids=["straight", "quadratic", "mixed"])
def chosen(request, make_problem):
    """A problem, and its fit with smoothing parameters chosen by REML."""
    problem = make_problem(request.param, n0=600, n=1000, k=8, seed=request.param)
    return problem, fit(problem, Settings("reml", n_starts=4))


def added_by_choice(problem, fitted):
    evidence = gather_evidence(fitted.penalized, EVERYTHING)
    return smoothing_covariance(evidence, problem.design, fitted.kappas)


def test_what_is_added_is_symmetric_and_has_no_negative_direction(chosen):
    problem, fitted = chosen

    for added in (added_by_choice(problem, fitted), bias_covariance(fitted, PiRange())):
        np.testing.assert_allclose(added, added.T, rtol=1e-9, atol=1e-12 * np.abs(added).max())
        assert np.linalg.eigvalsh(added).min() > -1e-10 * np.abs(added).max()
        assert added.max() > 0.0


def test_the_choice_of_one_terms_smoothing_adds_to_that_term_alone(chosen):
    problem, fitted = chosen

    added = added_by_choice(problem, fitted)

    for block in problem.design.blocks:
        assert added[block, block].trace() > 0.0
        added[block, block] = 0.0
    assert not added.any()


def test_the_covariance_of_curves_is_the_sum_of_its_three_parts(chosen):
    problem, fitted = chosen
    n0, n1 = problem.engine.n0, problem.engine.n1
    expected = bayesian_covariance(fitted, n0, n1) + bias_covariance(fitted, PiRange())
    added = added_by_choice(problem, fitted)
    follow = -fitted.optimum.hessian[1, 2:] / fitted.optimum.hessian[1, 1]  # the intercept makes up for the curves
    expected[2:, 2:] += added
    expected[1, 2:] += follow @ added
    expected[2:, 1] += added @ follow
    expected[1, 1] += follow @ added @ follow

    covariance = curve_covariance(fitted, problem.design, Settings("reml"), n0, n1)

    np.testing.assert_allclose(covariance, expected, rtol=1e-10, atol=1e-14)


def test_given_smoothing_parameters_count_as_known(chosen):
    problem, fitted = chosen
    n0, n1 = problem.engine.n0, problem.engine.n1

    covariance = curve_covariance(fitted, problem.design, Settings(fitted.kappas), n0, n1)

    beyond = covariance - bayesian_covariance(fitted, n0, n1)
    np.testing.assert_allclose(beyond, bias_covariance(fitted, PiRange()), atol=1e-12 * np.abs(covariance).max())


@pytest.mark.parametrize("debias", [True, False], ids=["corrected", "penalised"])
def test_the_bias_is_the_step_that_the_penalty_keeps_the_estimate_from(make_problem, debias):
    problem = make_problem(2, n0=600, n=1000, k=6, seed=4)
    fitted = fit(problem, Settings(np.full(5, 0.01), n_starts=3, tol=1e-8, debias=debias))
    hessian, beta = fitted.optimum.hessian, fitted.optimum.beta
    pull = np.append([0.0, 0.0], problem.design.penalty(fitted.kappas) * beta[2:])
    # A corrected pi has no bias left, and the others theirs at known pi.
    free = slice(1, None) if debias else EVERYTHING
    bias = np.zeros(len(beta))
    bias[free] = np.linalg.solve(hessian[free, free], pull[free])

    added = bias_covariance(fitted, PiRange())

    np.testing.assert_allclose(added, np.outer(bias, bias), rtol=1e-6, atol=1e-9 * np.abs(added).max())
    assert bool(added[0, 0] == 0.0) is debias
    assert np.sqrt(added[2, 2]) > 0.01


def test_without_a_penalty_nothing_is_added(make_problem):
    problem = make_problem(1, n0=600, n=1000, terms="linear", seed=4)
    fitted = fit(problem, Settings("reml", n_starts=3))

    covariance = curve_covariance(fitted, problem.design, Settings("reml"), 600, 400)

    np.testing.assert_array_equal(covariance, bayesian_covariance(fitted, 600, 400))


def test_a_known_pi_stays_known(make_problem):
    problem = make_problem(2, n0=600, n=1000, k=6, seed=4)
    settings = Settings("reml", n_starts=3, pi_range=PiRange(0.4, 0.4))
    fitted = fit(problem, settings)

    covariance = curve_covariance(fitted, problem.design, settings, 600, 400)

    assert not covariance[0].any()
    assert not covariance[:, 0].any()
    assert (covariance.diagonal()[1:] > 0.0).all()


def test_a_curve_estimated_as_straight_is_uncertain_in_its_middle():
    # A straight line through the middle of the range is known exactly there, a curve is not.
    data = simulate(1, n0=600, n=1000, random_state=2)
    terms = [s(name, bounds=(0.0, 1.0)) for name in data.X.columns]
    chosen = PUGAM(terms, estimate="mode").fit(data.X, data.z)
    straight = [name for name in data.X.columns if chosen.smoothing_[name] > 10.0]
    given = PUGAM(terms, smoothing=chosen.smoothing_).fit(data.X, data.z)

    for name in straight:
        middle, end = chosen.effect(name, [0.5, 1.0])["se"]
        assert middle > 0.05 * end
        assert middle > 3.0 * given.effect(name, [0.5])["se"][0]
    assert len(straight) >= 2


def gaussian_average(evidence, block, penalty, chosen, kappas):
    """Average over smoothing parameters of a Gaussian posterior, in the coefficients' own coordinates."""
    W = evidence.information(block)
    h = W @ evidence.theta[block] + evidence.penalty[block] * evidence.theta[block]

    def posterior(kappa):
        covariance = np.linalg.inv(W + np.diag(kappa * penalty))
        return covariance, covariance @ h

    rank = np.count_nonzero(penalty)
    parts = [posterior(kappa) for kappa in kappas]
    logs = np.array([0.5 * np.linalg.slogdet(covariance)[1] + 0.5 * h @ mean for covariance, mean in parts])
    logs += 0.5 * rank * np.log(kappas)
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    here, mean_here = posterior(chosen)
    deviations = [mean - mean_here for _, mean in parts]
    spread = sum(
        weight * (covariance + np.outer(deviation, deviation))
        for weight, (covariance, _), deviation in zip(weights, parts, deviations, strict=True)
    )
    return spread - here


def positive_part(matrix):
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * np.maximum(values, 0.0)) @ vectors.T


@pytest.mark.parametrize("setting", [1, 2], ids=["straight", "bent"])
def test_the_average_over_smoothing_parameters_is_that_of_gaussian_posteriors(make_problem, setting):
    problem = make_problem(setting, n0=600, n=1000, k=6, seed=7)
    fitted = fit(problem, Settings("reml", n_starts=4))
    evidence, block = gather_evidence(fitted.penalized, EVERYTHING), np.arange(5)
    penalty, kappa = 2.0 * problem.design.bases[0].penalties[0].diagonal, fitted.kappas[0]
    # From smoothing parameters at which 1e-8 of a degree of freedom is left to the bending, over nine
    # decades and beyond a thirtieth of the chosen one.
    smoothest = float(np.sum(1.0 / evidence.canonical(block, penalty).ratios[1:])) / 1e-8
    roughest = min(kappa / 30.0, smoothest / 1e9)
    two_a_decade = 1 + round(2.0 * np.log10(smoothest / roughest))
    coarse, fine = (
        gaussian_average(evidence, block, penalty, kappa, np.geomspace(roughest, smoothest, n_values))
        for n_values in (two_a_decade, 400)
    )

    added = smoothing_covariance(evidence, problem.design, fitted.kappas)[:5, :5]

    np.testing.assert_allclose(added, positive_part(coarse), rtol=1e-4, atol=1e-5 * np.abs(added).max())
    np.testing.assert_allclose(added, positive_part(fine), atol=0.15 * np.abs(added).max())
    total = bayesian_covariance(fitted, 600, 400)[2:7, 2:7]
    assert added.trace() > 0.02 * total.trace()


def test_a_smoothing_parameter_that_the_data_determine_adds_little(make_problem):
    # A strong wave seen by 20 000 rows: its smoothing parameter hardly matters, and is known within a factor of a few.
    problem = make_problem(3, n0=10_000, n=20_000, k=8, seed=1)
    fitted = fit(problem, Settings("reml", n_starts=3))
    wave = problem.design.blocks[3]
    given = bayesian_covariance(fitted, 10_000, 10_000)[2:, 2:][wave, wave]

    added = added_by_choice(problem, fitted)[wave, wave]

    assert 0.0 < added.trace() < 0.05 * given.trace()


def test_uncertain_smoothing_widens_bands_more_where_it_was_chosen_to_be_strong(chosen):
    problem, fitted = chosen
    straighter = replace(fitted, kappas=fitted.kappas * 1e3)

    usual, strong = (added_by_choice(problem, one).trace() for one in (fitted, straighter))

    assert strong > usual
