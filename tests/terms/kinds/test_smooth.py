"""Smooth terms: their columns, knots, bounds and slopes."""

import warnings

import numpy as np
import pytest
from meeting import NUMBERS, evaluate, meet, slopes
from scipy.integrate import trapezoid

from pugam.errors import InputError, PugamWarning
from pugam.terms import l, s

SMOOTHS = {
    "even": s("x", k=8),
    "quantile": s("x", k=8, knots="quantile"),
    "bounded": s("x", k=8, bounds=(3.0, 5.0)),
    "quadratic": s("x", k=3),
    "linear": l("x"),
}


@pytest.mark.parametrize("k", [3, 4, 5, 10, 25])
def test_a_smooth_of_k_splines_has_k_minus_one_columns(k):
    basis = meet(s("x", k=k), NUMBERS)

    assert evaluate(basis, NUMBERS).shape == (200, k - 1)
    assert basis.size == k - 1
    assert [penalty.diagonal.shape for penalty in basis.penalties] == [(k - 1,)]


@pytest.mark.parametrize("distinct", [2, 3, 4, 7])
def test_k_is_lowered_to_the_number_of_distinct_values_with_a_warning(distinct):
    values = np.arange(60) % distinct

    with pytest.warns(
        PugamWarning, match=rf"'x' has only {distinct} distinct.*k = 10 was lowered to {distinct}.*f\(x\)"
    ):
        basis = meet(s("x"), values)

    assert evaluate(basis, values).shape == (60, distinct - 1)
    assert np.linalg.matrix_rank(np.column_stack([np.ones(60), evaluate(basis, values)])) == distinct


def test_k_is_kept_without_a_warning_where_there_are_enough_values():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        basis = meet(s("x", k=5), np.arange(60) % 5)

    assert basis.size == 4


def test_bounds_set_the_interval_on_which_the_smooth_is_centred():
    basis = meet(s("x", bounds=(0.0, 10.0)), NUMBERS)
    fine = np.linspace(0.0, 10.0, 20_001)

    values = evaluate(basis, fine)

    np.testing.assert_allclose(trapezoid(values, fine, axis=0) / 10.0, 0.0, atol=1e-5)
    np.testing.assert_allclose(values[:, 0], np.sqrt(12.0) * (fine / 10.0 - 0.5), atol=1e-12)


def test_a_smooth_is_continued_by_straight_lines():
    basis = meet(s("x"), NUMBERS)

    beyond = evaluate(basis, [8.0, 9.0, 10.0, 11.0])

    np.testing.assert_allclose(np.diff(beyond, n=2, axis=0), 0.0, atol=1e-9 * np.abs(beyond).max())


@pytest.mark.parametrize("n_inside", [0, 1, 2])
def test_quantile_knots_need_values_within_the_bounds(n_inside):
    values = np.append(NUMBERS, np.linspace(10.2, 10.8, n_inside))

    with pytest.raises(InputError, match=rf"only {n_inside} distinct values lie within bounds.*knots=\"even\""):
        meet(s("x", bounds=(10.0, 11.0), knots="quantile"), values)


@pytest.mark.parametrize("term", SMOOTHS.values(), ids=SMOOTHS)
def test_slopes_are_derivatives_in_units_of_the_column(term):
    basis, step = meet(term, NUMBERS), 1e-5
    places = np.array([-1.0, 2.001, 2.6, 3.3, 4.1, 4.9, 5.7, 6.6, 9.0])

    expected = (evaluate(basis, places + step) - evaluate(basis, places - step)) / (2.0 * step)

    np.testing.assert_allclose(slopes(basis, places), expected, rtol=1e-5, atol=1e-6)


def test_slopes_scale_with_the_unit_of_the_column():
    per_year, per_month = (slopes(meet(s("x"), values), values) for values in (NUMBERS, 12.0 * NUMBERS))

    np.testing.assert_allclose(per_month, per_year / 12.0, rtol=1e-7, atol=1e-9)


def test_slopes_outside_the_range_are_those_at_its_ends():
    basis = meet(s("x", k=8), NUMBERS)
    low, high = NUMBERS.min(), NUMBERS.max()

    found = slopes(basis, [low - 1e-9, low - 5.0, high + 1e-9, high + 5.0])

    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[2], found[3])
    assert np.abs(found[0] - found[2]).max() > 0.1


def test_a_smooth_without_bending_functions_has_the_slope_of_its_line():
    basis = meet(s("x", k=3), NUMBERS).coarse(1)[0]

    np.testing.assert_allclose(slopes(basis, NUMBERS[:9]), np.sqrt(12.0) / np.ptp(NUMBERS), rtol=1e-12)
