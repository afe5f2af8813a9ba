"""Nearest points of a cone, and the directions left on its faces."""

import numpy as np
import pytest
from scipy.optimize import minimize

from pugam.linear_algebra import factorize
from pugam.solvers.constraints import free_directions, project
from pugam.terms.splines import bspline_coefficients, centred_basis, even_knots


def random_problem(seed, size=8, n_rows=6):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((size + 3, size)) * rng.uniform(0.1, 10.0, size)
    return rng.standard_normal((n_rows, size)), root.T @ root, rng.standard_normal(size)


def monotone_problem(seed, kappa):
    """An increasing spline whose Hessian spans many orders of magnitude."""
    rng = np.random.default_rng(seed)
    basis = centred_basis(even_knots(6))
    columns = basis(rng.uniform(size=300))
    hessian = columns.T @ columns + np.diag(kappa * basis.roughness)
    return bspline_coefficients(basis.derivative()), hessian, rng.standard_normal(basis.roughness.shape)


PROBLEMS = [
    *(random_problem(seed) for seed in range(5)),
    *(random_problem(seed, size=4, n_rows=9) for seed in range(3)),  # more constraints than parameters
    *(monotone_problem(seed, 10.0**power) for seed, power in enumerate((-6, 0, 4, 8))),
]


@pytest.fixture(params=PROBLEMS, ids=range(len(PROBLEMS)))
def problem(request):
    return request.param


def test_conditions_for_a_constrained_optimum_hold(problem):
    rows, hessian, point = problem

    shift, multipliers = project(rows, factorize(hessian), point)

    slack = rows @ (point + shift)
    size = np.abs(rows @ point).max()
    assert slack.min() >= -1e-12 * size
    assert multipliers.min() >= 0.0
    np.testing.assert_allclose(multipliers * slack, 0.0, atol=1e-12 * size * multipliers.max(initial=1.0))
    np.testing.assert_allclose(hessian @ shift, rows.T @ multipliers, atol=1e-9 * np.abs(hessian @ shift).max())


@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_a_general_purpose_optimiser(seed):
    rows, hessian, point = random_problem(seed)

    shift, _ = project(rows, factorize(hessian), point)

    def half_square(d):
        return 0.5 * d @ hessian @ d

    found = minimize(
        half_square,
        -point,  # the tip of the cone
        jac=lambda d: hessian @ d,
        constraints={"type": "ineq", "fun": lambda d: rows @ (point + d), "jac": lambda _: rows},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    # It stops early on some processors, so it has to be no better, and near.
    assert half_square(shift) <= found.fun * (1.0 + 1e-6)
    np.testing.assert_allclose(shift, found.x, atol=1e-4)


def test_points_of_the_cone_stay_where_they_are():
    rows, hessian, _ = random_problem(0)
    inside = np.linalg.lstsq(rows, np.ones(len(rows)), rcond=None)[0]

    shift, multipliers = project(rows, factorize(hessian), inside)

    assert not shift.any()
    assert not multipliers.any()


def test_projecting_twice_changes_nothing_more(problem):
    rows, hessian, point = problem
    nearest = point + project(rows, factorize(hessian), point).shift

    again = project(rows, factorize(hessian), nearest).shift

    np.testing.assert_allclose(again, 0.0, atol=1e-12 * np.abs(point).max())


def test_a_point_opposite_to_all_constraints_goes_to_the_tip():
    rows = np.eye(4)

    shift, multipliers = project(rows, factorize(np.diag([1.0, 2.0, 3.0, 4.0])), -np.ones(4))

    np.testing.assert_allclose(shift, 1.0)
    np.testing.assert_allclose(multipliers, [1.0, 2.0, 3.0, 4.0])


def test_free_directions_leave_active_constraints_and_fixed_parameters_alone():
    rng = np.random.default_rng(0)
    rows = np.zeros((2, 7))
    rows[:, 3:6] = rng.standard_normal((2, 3))
    scale = rng.uniform(0.01, 10.0, 7)

    directions = free_directions(rows, slice(1, 7), scale)

    assert directions.shape == (7, 4)
    assert np.linalg.matrix_rank(directions) == 4
    np.testing.assert_allclose(rows @ directions, 0.0, atol=1e-12)
    assert not directions[0].any()
    np.testing.assert_array_equal(directions[[1, 2, 6], :3], np.eye(3))


def test_constraints_that_repeat_each_other_count_once():
    rows = np.array([[0.0, 1.0, 1.0], [0.0, 2.0, 2.0]])

    assert free_directions(rows, slice(0, 3), np.ones(3)).shape == (3, 2)
