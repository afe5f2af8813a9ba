"""The centred spline basis: its integrals, its span, its penalty and its straight tails."""

import numpy as np
import pytest
from numpy.polynomial.legendre import leggauss
from scipy.interpolate import BSpline

from pugam.terms.splines import bspline_coefficients, centred_basis, even_knots, quantile_knots

KNOTS = {
    "none": np.array([]),
    "one": np.array([0.3]),
    "even": even_knots(6),
    "uneven": np.array([0.01, 0.02, 0.5, 0.9, 0.97]),
    "many": even_knots(20),
}
# Every pair of knots and order that a term can ask for: with fewer than four functions there are no knots inside.
CASES = [("none", 2), ("none", 3), *((name, 4) for name in KNOTS)]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def basis(request):
    name, order = request.param
    return centred_basis(KNOTS[name], order)


def quadrature(breaks, n_points=8):
    """Nodes and weights that integrate polynomials of degree 15 between the breaks exactly."""
    points, weights = leggauss(n_points)
    width = np.diff(breaks)[:, None]
    return (breaks[:-1, None] + width * (points + 1.0) / 2.0).ravel(), (width * weights / 2.0).ravel()


def integrated_bends(basis):
    """Squared second derivatives integrated between the breaks, from the values of the functions alone.

    Between two breaks each function is a polynomial of degree three at most, so four points determine it.
    """
    t, total = np.array([0.1, 0.4, 0.6, 0.9]), 0.0
    points, weights = quadrature(np.array([0.0, 1.0]))
    for low, high in zip(basis.breaks[:-1], basis.breaks[1:], strict=True):
        cubic = np.polynomial.polynomial.polyfit(t, basis(low + (high - low) * t), 3)
        bend = 2.0 * cubic[2][:, None] + 6.0 * cubic[3][:, None] * points
        total = total + bend**2 @ weights / (high - low) ** 3
    return total


def test_functions_integrate_to_zero(basis):
    t, weights = quadrature(basis.breaks)

    np.testing.assert_allclose(weights @ basis(t), 0.0, atol=1e-11)


def test_functions_are_orthonormal(basis):
    t, weights = quadrature(basis.breaks)
    values = basis(t)

    np.testing.assert_allclose((values * weights[:, None]).T @ values, np.eye(values.shape[1]), atol=1e-8)


def test_there_is_one_function_less_than_there_are_b_splines():
    for name, order in CASES:
        assert centred_basis(KNOTS[name], order)(np.array([0.5])).shape == (1, len(KNOTS[name]) + order - 1)


def test_roughness_is_the_integral_of_the_squared_second_derivative(basis):
    largest = max(1.0, basis.roughness.max())

    np.testing.assert_allclose(basis.roughness, integrated_bends(basis), rtol=1e-6, atol=1e-9 * largest)


def test_roughness_rises_from_zero(basis):
    assert basis.roughness[0] == 0.0
    assert (np.diff(basis.roughness) > 0.0).all()


def test_first_function_is_the_straight_line(basis):
    t = np.linspace(-0.5, 1.5, 41)

    np.testing.assert_allclose(basis(t)[:, 0], np.sqrt(12.0) * (t - 0.5), atol=1e-12)


def test_second_derivatives_of_different_functions_are_orthogonal():
    basis, h = centred_basis(even_knots(4)), 1e-4
    t, weights = quadrature(basis.breaks)
    bend = (basis(t + h) - 2.0 * basis(t) + basis(t - h)) / h**2

    products = (bend * weights[:, None]).T @ bend

    np.testing.assert_allclose(products, np.diag(basis.roughness), atol=1e-4 * basis.roughness.max())


@pytest.mark.parametrize(("name", "order"), CASES)
def test_span_is_that_of_the_b_splines(name, order):
    interior, t = KNOTS[name], np.linspace(0.0, 1.0, 400)
    knots = np.concatenate([np.zeros(order), interior, np.ones(order)])
    splines = BSpline(knots, np.eye(len(interior) + order), order - 1)(t)
    with_constant = np.column_stack([np.ones_like(t), centred_basis(interior, order)(t)])

    coefficients, *_ = np.linalg.lstsq(with_constant, splines, rcond=None)

    assert splines.shape == with_constant.shape
    np.testing.assert_allclose(with_constant @ coefficients, splines, atol=1e-9)


@pytest.mark.parametrize("end", [0.0, 1.0])
def test_tails_join_without_a_jump_or_a_kink(basis, end):
    outwards, h = (1.0 if end else -1.0), 1e-7
    outside, at, inside = basis(np.array([end + outwards * h, end, end - outwards * h]))
    slope_outside, slope_inside = (outside - at) / h, (at - inside) / h

    np.testing.assert_allclose(outside, at, atol=1e-4 * np.abs(at).max())
    np.testing.assert_allclose(slope_outside, slope_inside, rtol=1e-3, atol=1e-3 * np.abs(slope_outside).max())


@pytest.mark.parametrize("tail", [(-3.0, -2.0, -1.0, 0.0), (1.0, 2.0, 3.0, 4.0)])
def test_tails_are_straight(basis, tail):
    values = basis(np.array(tail))

    np.testing.assert_allclose(np.diff(values, n=2, axis=0), 0.0, atol=1e-10 * np.abs(values).max())
    assert np.abs(np.diff(values, axis=0)).max() > 1.0


def test_neighbouring_pieces_of_a_cubic_spline_meet_up_to_the_second_derivative():
    interior = KNOTS["even"]
    basis, h = centred_basis(interior), 1e-3

    for knot in interior:
        left, right = basis(knot - h * np.arange(4)), basis(knot + h * np.arange(4))
        np.testing.assert_allclose(left[0], right[0], atol=1e-12)
        bend_left, bend_right = (2 * v[0] - 5 * v[1] + 4 * v[2] - v[3] for v in (left, right))
        np.testing.assert_allclose(bend_left / h**2, bend_right / h**2, atol=1e-5 * basis.roughness.max())


def test_the_coarse_basis_keeps_the_smoothest_functions():
    basis, t = centred_basis(even_knots(6)), np.linspace(-0.2, 1.2, 30)

    coarse = basis.coarse(3)

    np.testing.assert_array_equal(coarse(t), basis(t)[:, :3])
    np.testing.assert_array_equal(coarse.roughness, basis.roughness[:3])


def test_even_knots_cut_the_interval_into_equal_parts():
    np.testing.assert_allclose(even_knots(3), [0.25, 0.5, 0.75])
    assert even_knots(0).shape == (0,)


def test_quantile_knots_are_quantiles_of_the_values():
    values = np.linspace(0.0, 1.0, 101) ** 2

    np.testing.assert_allclose(quantile_knots(values, 3), [0.25**2, 0.5**2, 0.75**2])


def test_quantile_knots_stay_apart_where_most_rows_are_zero():
    rng = np.random.default_rng(2)
    spiked = np.concatenate([np.zeros(980), rng.random(19), [1.0]])

    knots = quantile_knots(np.unique(spiked), 6)

    assert (np.diff(np.concatenate([[0.0], knots, [1.0]])) > 0.01).all()


@pytest.mark.parametrize("order_of_derivative", [1, 2])
def test_derivatives_are_written_in_bsplines(basis, order_of_derivative):
    derivative = basis
    for _ in range(order_of_derivative):
        derivative = derivative.derivative()
    degree = len(derivative.coefficients) - 1
    if len(basis.coefficients) <= order_of_derivative:
        pytest.skip("lines have no second derivative")
    ends = np.zeros(degree + 1), np.ones(degree + 1)
    knots = np.concatenate([ends[0], basis.breaks[1:-1], ends[1]])
    t = quadrature(basis.breaks)[0]

    coefficients = bspline_coefficients(derivative)

    assert len(coefficients) == len(knots) - degree - 1
    largest = np.abs(derivative(t)).max(initial=1.0)
    np.testing.assert_allclose(BSpline(knots, coefficients, degree)(t), derivative(t), atol=1e-11 * largest)
