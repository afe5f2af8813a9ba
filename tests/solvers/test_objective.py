"""The penalised objective: its value, and its derivatives in every coordinate."""

import numpy as np
import pytest

from pugam.solvers import PiPrior

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

    roughness = kappa * points[:, 2:] ** 2 @ problem.design.roughness.sum(axis=0)

    log_prior = 2.0 * np.log(pi) + 3.0 * np.log1p(-pi)
    np.testing.assert_allclose(at.value, at.loglik - roughness + log_prior, rtol=1e-12)
