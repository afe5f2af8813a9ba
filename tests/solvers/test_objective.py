"""The penalised objective: its value, its derivatives in every coordinate, the prior and the range of pi."""

import numpy as np
import pytest
from scipy.stats import beta as beta_density

from pugam.solvers import PiPrior, PiRange

PRIORS = [PiPrior(), PiPrior(1.0, 1.0), PiPrior(0.0, 5.0)]


@pytest.fixture(scope="module")
def problem(make_problem):
    return make_problem(2, n0=200, n=300, k=5)


@pytest.fixture(scope="module")
def points(problem):
    """Three parameter vectors, pi from 0.1 to 0.9."""
    rng = np.random.default_rng(3)
    rest = rng.normal(size=(3, 1 + problem.design.n_columns))
    return np.column_stack([[-2.0, 0.3, 2.5], rest])


@pytest.mark.parametrize("prior", PRIORS)
def test_gradient_is_the_slope_of_the_value_in_every_coordinate(problem, points, prior):
    objective, step = problem.objective(1e-2, prior), 1e-5

    for point in points:
        shifts = step * np.eye(len(point))
        ahead, behind = objective.evaluate(point + shifts).value, objective.evaluate(point - shifts).value
        gradient = objective.evaluate(point[None]).gradient[0]
        np.testing.assert_allclose(gradient, (ahead - behind) / (2.0 * step), rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("prior", PRIORS)
def test_observed_information_and_curvature_are_the_falling_slope_of_the_gradient(problem, points, prior):
    objective, step = problem.objective(1e-2, prior), 1e-6

    for point in points:
        shifts = step * np.eye(len(point))
        ahead, behind = objective.evaluate(point + shifts).gradient, objective.evaluate(point - shifts).gradient
        at = objective.evaluate(point[None], observed=True)
        hessian = at.information[0] + np.diag(at.curvature[0])
        np.testing.assert_allclose(hessian, (behind - ahead) / (2.0 * step), rtol=1e-4, atol=1e-3)


def test_value_is_likelihood_minus_roughness_plus_log_prior(problem, points):
    kappa, prior = 0.03, PiPrior(2.0, 3.0)
    at = problem.objective(kappa, prior).evaluate(points)
    pi = 1.0 / (1.0 + np.exp(-points[:, 0]))

    roughness = kappa * points[:, 2:] ** 2 @ problem.design.roughness

    log_prior = 2.0 * np.log(pi) + 3.0 * np.log1p(-pi)
    np.testing.assert_allclose(at.value, at.loglik - roughness + log_prior, rtol=1e-12)


def test_a_point_under_another_penalty_needs_no_rows(problem, points):
    prior = PiPrior(1.0, 1.0)
    rough, smooth = (problem.objective(kappa, prior) for kappa in (1e-4, 3.0))
    for here, there in zip(rough.stand(points), smooth.stand(points), strict=True):
        moved = here.repenalized(smooth.penalty)
        assert moved.value == pytest.approx(there.value, rel=1e-12)
        assert moved.loglik == there.loglik
        for name in ("beta", "gradient", "information", "curvature", "hessian"):
            np.testing.assert_allclose(getattr(moved, name), getattr(there, name), rtol=1e-9, atol=1e-9)


def test_a_standpoint_names_its_parameters(problem, points):
    here = problem.objective(1.0).stand(points)[0]

    assert here.logit_pi == points[0, 0] == -2.0
    assert here.pi == pytest.approx(1.0 / (1.0 + np.exp(2.0)))
    assert here.intercept == points[0, 1]
    np.testing.assert_array_equal(here.theta, points[0, 2:])
    np.testing.assert_array_equal(here.b, points[0, 1:])


def test_a_known_pi_has_no_covariance(problem, points):
    here = problem.objective(1.0).stand(points)[1]

    free, known = here.covariance(PiRange()), here.covariance(PiRange(here.pi, here.pi))

    np.testing.assert_allclose(free @ here.hessian, np.eye(len(here.beta)), atol=1e-7)
    np.testing.assert_allclose(known[1:, 1:] @ here.hessian[1:, 1:], np.eye(len(here.beta) - 1), atol=1e-7)
    assert not known[0].any()
    assert not known[:, 0].any()


def test_prior_is_a_beta_density_up_to_a_constant():
    pi = np.array([0.01, 0.3, 0.5, 0.99])
    difference = PiPrior(1.5, 4.0).value(pi) - beta_density(2.5, 5.0).logpdf(pi)

    np.testing.assert_allclose(difference, difference[0], atol=1e-12)


def test_the_flat_prior_adds_nothing_even_at_the_ends():
    assert PiPrior().value(np.array([0.0, 0.5, 1.0])).tolist() == [0.0, 0.0, 0.0]


def test_a_range_of_one_point_is_a_known_pi():
    assert PiRange(0.3, 0.3).fixed
    assert not PiRange(0.3, 0.4).fixed
    assert not PiRange().fixed


def test_a_range_on_the_logit_scale():
    low, high = PiRange(0.2, 0.9).logits

    assert (low, high) == pytest.approx((np.log(0.25), np.log(9.0)))


def test_the_ends_of_a_range_are_not_inside_it():
    bounded = PiRange(0.2, 0.9)

    assert [bounded.is_inside(pi) for pi in (0.2, 0.2 + 1e-12, 0.5, 0.9 - 1e-12, 0.9)] == [
        False,
        False,
        True,
        False,
        False,
    ]
    assert not PiRange(0.4, 0.4).is_inside(0.4)
