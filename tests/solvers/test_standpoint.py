"""A point, its parameters by name, and what can be said there without the rows."""

import numpy as np
import pytest

from pugam.solvers import PiPrior, PiRange


@pytest.fixture(scope="module")
def problem(make_problem):
    return make_problem(2, n0=200, n=300, k=5)


@pytest.fixture(scope="module")
def points(problem):
    rest = np.random.default_rng(3).normal(size=(2, 1 + problem.design.n_columns))
    return np.column_stack([[-2.0, 0.3], rest])


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
