"""Smooth terms: their columns, knots, bounds and slopes."""

import warnings

import numpy as np
import pytest
from meeting import NUMBERS, column, evaluate, meet, slopes
from scipy.integrate import trapezoid

from pugam.errors import InputError, PugamWarning
from pugam.solvers.constraints import nearest
from pugam.terms import l, parse_formula, s
from pugam.terms.missing import resolve_term

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


def test_a_varying_curve_whose_k_is_lowered_has_its_own_name():
    values, levels = np.arange(60) % 5, np.repeat(list("ab"), 30)

    with pytest.warns(PugamWarning, match=r"s\(x, by=g\): column 'x' has only 5") as told:
        resolve_term(s("x", by="g"), [column(values), column(levels, "g")])

    assert "f(" not in str(told[0].message)


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

    with pytest.raises(InputError, match=rf"hold only {n_inside} distinct values?, too few.*knots=\"even\""):
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


# Shapes

SHAPES = ("increasing", "decreasing", "convex", "concave")
FINE = np.linspace(0.0, 9.0, 2001)  # beyond both ends of the range, too


def curves_of_a_shape(basis, count=20):
    """Random curves on the boundary of what the shape permits, or inside."""
    rng = np.random.default_rng(0)
    points = nearest(basis.constraints, 3.0 * rng.standard_normal((count, basis.size)))
    return evaluate(basis, FINE) @ points.T


@pytest.mark.parametrize("k", [3, 4, 10])
@pytest.mark.parametrize("knots", ["even", "quantile"])
@pytest.mark.parametrize("shape", SHAPES)
def test_curves_that_keep_to_the_constraints_have_the_shape_everywhere(shape, knots, k):
    values = curves_of_a_shape(meet(s("x", k=k, shape=shape, knots=knots), NUMBERS))

    changes = np.diff(values, n=1 if shape in ("increasing", "decreasing") else 2, axis=0)
    sign = 1.0 if shape in ("increasing", "convex") else -1.0
    assert (sign * changes).min() > -1e-9 * np.ptp(values)


@pytest.mark.parametrize("shape", ["convex", "concave"])
def test_every_bent_spline_of_a_shape_keeps_to_its_constraints(shape):
    basis = meet(s("x", shape=shape), NUMBERS)
    rng = np.random.default_rng(1)
    theta = rng.standard_normal((basis.size, 2000)) / np.maximum(basis.functions.roughness, 1.0)[:, None] ** 0.5
    bends = np.diff(evaluate(basis, np.linspace(basis.lower, basis.upper, 2001)) @ theta, n=2, axis=0)

    has_shape = (bends if shape == "convex" else -bends).min(axis=0) > 1e-12
    keeps = (basis.constraints @ theta).min(axis=0) > 0.0

    assert has_shape.sum() > 0
    assert not (has_shape & ~keeps).any()


@pytest.mark.parametrize("shape", SHAPES)
def test_a_line_of_the_right_direction_has_every_shape(shape):
    basis = meet(s("x", shape=shape), NUMBERS)
    line = np.eye(basis.size)[0]

    slack = basis.constraints @ (-line if shape == "decreasing" else line)

    assert slack.min() >= 0.0
    assert len(slack) == (8 if shape in ("convex", "concave") else 9)


def test_without_a_shape_there_are_no_constraints():
    assert meet(s("x"), NUMBERS).constraints.shape == (0, 9)


def test_a_coarser_basis_keeps_to_the_constraints_of_its_functions():
    basis = meet(s("x", shape="increasing"), NUMBERS)

    coarse, columns = basis.coarse(3)

    np.testing.assert_allclose(coarse.constraints, basis.constraints[:, columns], atol=1e-10)
    assert meet(s("x", shape="convex"), NUMBERS).coarse(1)[0].constraints.shape == (0, 1)


def test_missing_values_have_no_part_in_a_shape():
    basis = meet(s("x", shape="increasing", missing="effect"), [*NUMBERS, np.nan])

    assert basis.constraints.shape == (9, 10)
    assert not basis.constraints[:, -1].any()


def test_increasing_curves_of_logarithms_are_increasing():
    skewed = np.random.default_rng(2).lognormal(0.0, 1.5, 300)
    basis = meet(s("x", shape="increasing"), skewed).on_log_scale([column(skewed)])

    assert basis.scale is not None
    theta = nearest(basis.constraints, np.random.default_rng(3).standard_normal((5, basis.size)))
    values = evaluate(basis, np.linspace(basis.lower, basis.upper, 500)) @ theta.T
    assert np.diff(values, axis=0).min() > -1e-9


@pytest.mark.parametrize("shape", ["convex", "concave"])
def test_a_bend_is_one_of_the_column_itself_so_no_logarithms_are_taken(shape):
    skewed = np.random.default_rng(2).lognormal(0.0, 1.5, 300)
    basis = meet(s("x", shape=shape), skewed)

    assert basis.on_log_scale([column(skewed)]) is basis
    with pytest.raises(InputError, match="is about the column itself"):
        s("x", shape=shape, scale="log")


def test_an_unknown_shape_is_refused():
    with pytest.raises(InputError, match="shape must be None or 'increasing'"):
        s("x", shape="rising")


def test_a_shape_is_written_in_a_formula_and_read_back():
    (term,) = parse_formula("s(age, shape='decreasing')")

    assert term == s("age", shape="decreasing")
    assert term.formula == 's(age, shape="decreasing")'
    assert term.label == "s(age)"
