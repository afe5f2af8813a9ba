"""Terms that have met a column: ranges, levels, missing values, and what is said when a column cannot be used."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import trapezoid

from pugam.data import Column, read_table
from pugam.errors import InputError, PugamWarning
from pugam.terms import f, l, s
from pugam.terms.bases import count_distinct, resolve_term

NUMBERS = np.random.default_rng(4).uniform(2.0, 7.0, 200)
SITES = ["b", "a", "c", "a", "b", "d"]


def column(values, name="x"):
    return read_table(pd.DataFrame({name: values})).column(name)


def evaluate(basis, values):
    return basis.columns(basis.encode(column(values)))


# Smooth terms


@pytest.mark.parametrize("k", [3, 4, 5, 10, 25])
def test_a_smooth_of_k_splines_has_k_minus_one_columns(k):
    basis = resolve_term(s("x", k=k), column(NUMBERS))

    assert evaluate(basis, NUMBERS).shape == (200, k - 1)
    assert basis.roughness.shape == (k - 1,)


@pytest.mark.parametrize("distinct", [2, 3, 4, 7])
def test_k_is_lowered_to_the_number_of_distinct_values_with_a_warning(distinct):
    values = np.arange(60) % distinct

    with pytest.warns(
        PugamWarning, match=rf"'x' has only {distinct} distinct.*k = 10 was lowered to {distinct}.*f\(x\)"
    ):
        basis = resolve_term(s("x"), column(values))

    assert evaluate(basis, values).shape == (60, distinct - 1)
    assert np.linalg.matrix_rank(np.column_stack([np.ones(60), evaluate(basis, values)])) == distinct


def test_k_is_kept_without_a_warning_where_there_are_enough_values():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        basis = resolve_term(s("x", k=5), column(np.arange(60) % 5))

    assert len(basis.roughness) == 4


def test_distinct_values_are_counted_beyond_the_first_rows():
    late = np.concatenate([np.zeros(5000), np.arange(12.0)])

    assert count_distinct(late, 10) >= 10
    assert count_distinct(np.arange(5000.0) % 3, 10) == 3


@pytest.mark.parametrize("term", [s("x"), s("x", knots="quantile"), l("x")])
def test_shifting_and_rescaling_a_column_changes_nothing(term):
    scaled = 1e6 + 250.0 * NUMBERS

    one, other = (evaluate(resolve_term(term, column(values)), values) for values in (NUMBERS, scaled))

    np.testing.assert_allclose(other, one, atol=1e-6)


def test_bounds_set_the_interval_on_which_the_smooth_is_centred():
    basis = resolve_term(s("x", bounds=(0.0, 10.0)), column(NUMBERS))
    fine = np.linspace(0.0, 10.0, 20_001)

    values = evaluate(basis, fine)

    np.testing.assert_allclose(trapezoid(values, fine, axis=0) / 10.0, 0.0, atol=1e-5)
    np.testing.assert_allclose(values[:, 0], np.sqrt(12.0) * (fine / 10.0 - 0.5), atol=1e-12)


def test_a_smooth_is_continued_by_straight_lines():
    basis = resolve_term(s("x"), column(NUMBERS))

    beyond = evaluate(basis, [8.0, 9.0, 10.0, 11.0])

    np.testing.assert_allclose(np.diff(beyond, n=2, axis=0), 0.0, atol=1e-9 * np.abs(beyond).max())


@pytest.mark.parametrize("n_inside", [0, 1, 2])
def test_quantile_knots_need_values_within_the_bounds(n_inside):
    values = np.append(NUMBERS, np.linspace(10.2, 10.8, n_inside))

    with pytest.raises(InputError, match=rf"only {n_inside} distinct values lie within bounds.*knots=\"even\""):
        resolve_term(s("x", bounds=(10.0, 11.0), knots="quantile"), column(values))


@pytest.mark.parametrize("make_term", [s, l])
def test_constant_columns_are_refused(make_term):
    with pytest.raises(InputError, match=r"column 'x' is constant \(3\); leave it out"):
        resolve_term(make_term("x"), column([3.0, 3.0, 3.0]))


@pytest.mark.parametrize("make_term", [s, l])
def test_text_is_refused_by_terms_that_need_numbers(make_term):
    with pytest.raises(InputError, match=r"needs numbers, but column 'x' holds text or categories: row 0 holds 'b'"):
        resolve_term(make_term("x"), column(SITES))


# Linear terms


def test_a_linear_term_is_zero_in_the_middle_and_rises_by_one_over_the_range():
    basis = resolve_term(l("x"), column([2.0, 3.0, 10.0]))

    np.testing.assert_allclose(evaluate(basis, [2.0, 6.0, 10.0, 18.0])[:, 0], [-0.5, 0.0, 0.5, 1.5])
    assert basis.roughness.tolist() == [0.0]


def test_booleans_count_as_zero_and_one_in_a_linear_term():
    basis = resolve_term(l("x"), column([True, False, True]))

    np.testing.assert_allclose(evaluate(basis, [False, True])[:, 0], [-0.5, 0.5])


# Factors


@pytest.mark.parametrize("values", [SITES, [3, 1, 2, 1], [True, False], [0.5, -0.5, 7.0]])
def test_factor_effects_sum_to_zero_over_the_levels_through_orthonormal_contrasts(values):
    basis = resolve_term(f("x"), column(values))

    effects = evaluate(basis, sorted(set(values)))

    n_levels = len(set(values))
    assert effects.shape == (n_levels, n_levels - 1)
    np.testing.assert_allclose(effects.sum(axis=0), 0.0, atol=1e-14)
    np.testing.assert_allclose(effects.T @ effects, np.eye(n_levels - 1), atol=1e-14)


def test_levels_may_be_of_different_types():
    basis = resolve_term(f("x"), column(pd.Categorical([1, "a", 2, "a"])))

    assert evaluate(basis, pd.Categorical([1, "a", 2, "a"])).shape == (4, 2)


def test_rows_of_the_same_level_have_the_same_columns():
    effects = evaluate(resolve_term(f("x"), column(SITES)), SITES)

    np.testing.assert_array_equal(effects[0], effects[4])
    np.testing.assert_array_equal(effects[1], effects[3])
    assert np.abs(effects[0] - effects[1]).max() > 0.1


def test_factors_are_not_penalised():
    assert resolve_term(f("x"), column(SITES)).roughness.tolist() == [0.0, 0.0, 0.0]


def test_an_unseen_level_is_refused_with_its_row():
    basis = resolve_term(f("x"), column(SITES))

    with pytest.raises(InputError, match=r"level 'z' in row 1 was not seen in the fit.*f\(x, unseen=\"zero\"\)"):
        basis.encode(column(["a", "z"]))


def test_an_unseen_level_has_a_zero_effect_where_that_is_permitted():
    basis = resolve_term(f("x", unseen="zero"), column(SITES))

    effects = evaluate(basis, ["a", "z"])

    assert effects[1].tolist() == [0.0, 0.0, 0.0]
    assert np.abs(effects[0]).max() > 0.1


def test_a_factor_of_one_level_is_refused():
    with pytest.raises(InputError, match="column 'x' has the single level 'a'; leave it out"):
        resolve_term(f("x"), column(["a", "a"]))


# Missing values

GAPS = {
    "smooth": (s("x", missing="effect"), [1.0, 2.0, np.nan, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0], 9),
    "linear": (l("x", missing="effect"), [1.0, 2.0, np.nan, 3.0], 1),
    "linear boolean": (l("x", missing="effect"), [True, False, None, True], 1),
    "factor": (f("x", missing="effect"), ["a", "b", None, "c"], 2),
    "numeric factor": (f("x", missing="effect"), [1.0, 2.0, np.nan, 3.0], 2),
}


@pytest.mark.parametrize(
    ("term", "values"),
    [(s("x"), [1.0, 2.0, np.nan]), (l("x"), [1.0, 2.0, np.nan]), (f("x"), ["a", "b", None])],
    ids=["smooth", "linear", "factor"],
)
def test_missing_values_are_refused_with_column_and_row(term, values):
    with pytest.raises(InputError, match=r"column 'x' has missing values \(NaN\) in row 2.*missing='effect'"):
        resolve_term(term, column(values))


@pytest.mark.parametrize(("term", "values", "n_inner"), GAPS.values(), ids=GAPS)
def test_missing_values_have_a_column_of_their_own_and_zeros_elsewhere(term, values, n_inner):
    columns = evaluate(resolve_term(term, column(values)), values)

    assert columns.shape == (len(values), n_inner + 1)
    assert columns[:, -1].tolist() == [0.0, 0.0, 1.0] + [0.0] * (len(values) - 3)
    assert columns[2, :-1].tolist() == [0.0] * n_inner
    assert np.abs(np.delete(columns, 2, axis=0)[:, :-1]).max() > 0.1


@pytest.mark.parametrize(("term", "values", "n_inner"), GAPS.values(), ids=GAPS)
def test_missing_values_leave_the_other_columns_as_they_are_without_them(term, values, n_inner):
    whole = values[:2] + values[3:]

    with_gap = evaluate(resolve_term(term, column(values)), whole)
    without = evaluate(resolve_term(term, column(whole)), whole)

    np.testing.assert_array_equal(with_gap[:, :-1], without)
    assert without.shape[1] == n_inner


def test_the_effect_of_missing_values_is_not_penalised():
    term, values, _ = GAPS["smooth"]

    roughness = resolve_term(term, column(values)).roughness

    assert roughness[-1] == 0.0
    assert (roughness[1:-1] > 0.0).all()


def test_values_of_another_kind_are_refused_where_gaps_are_allowed():
    line = resolve_term(l("x", missing="effect"), column([1.0, 2.0, np.nan]))
    with pytest.raises(InputError, match=r"l\(x\) needs numbers, but column 'x' holds text"):
        line.encode(column(["a", None, "b"]))
    levels = resolve_term(f("x", missing="effect"), column(["a", "b", None]))
    with pytest.raises(InputError, match=r"f\(x\): level 1.0 in row 0 was not seen"):
        levels.encode(column([1.0, np.nan, 2.0]))


def test_a_name_with_a_line_end_does_not_break_a_message():
    with pytest.raises(InputError) as refusal:
        resolve_term(l("a\nb"), Column("a\nb", "category", np.array(["u", "v"], dtype=object)))

    assert "l(a\\nb)" in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_booleans_are_numbers_to_a_line_that_allows_gaps():
    line = resolve_term(l("x", missing="effect"), column([0.0, 1.0, np.nan]))

    np.testing.assert_array_equal(line.encode(column([True, None, False])), [1.0, np.nan, 0.0])


def test_a_missing_and_an_unseen_level_are_told_apart():
    basis = resolve_term(f("x", missing="effect", unseen="zero"), column(["a", "b", None]))

    assert evaluate(basis, ["z", None]).tolist() == [[0.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("term", "values"),
    [(s("x", missing="effect"), NUMBERS), (l("x", missing="effect"), NUMBERS), (f("x", missing="effect"), SITES)],
    ids=["smooth", "linear", "factor"],
)
def test_missing_values_at_prediction_are_refused_when_the_fit_saw_none(term, values):
    basis = resolve_term(term, column(values))

    with pytest.raises(InputError, match=r"column 'x' has missing values \(NaN\) in row 1; the fit saw none"):
        basis.encode(column([values[0], None]))


@pytest.mark.parametrize("policy", ["error", "effect"])
def test_a_column_without_any_value_is_refused(policy):
    with pytest.raises(InputError, match="column 'x' has no values at all; leave it out"):
        resolve_term(s("x", missing=policy), column([np.nan, np.nan]))


@pytest.mark.parametrize(("term", "values", "n_inner"), GAPS.values(), ids=GAPS)
def test_the_coarse_term_is_some_columns_of_the_whole_one(term, values, n_inner):
    basis = resolve_term(term, column(values))

    coarse, kept = basis.coarse(3)

    np.testing.assert_array_equal(evaluate(coarse, values), evaluate(basis, values)[:, kept])
    np.testing.assert_array_equal(coarse.roughness, basis.roughness[kept])
    assert len(kept) == min(n_inner, 3) + 1


def test_encoding_does_not_write_to_the_users_data():
    data = np.array([[1.0], [np.nan], [3.0]])
    basis = resolve_term(l("x0", missing="effect"), read_table(data).column("x0"))

    basis.columns(basis.encode(read_table(data).column("x0")))

    np.testing.assert_array_equal(data, [[1.0], [np.nan], [3.0]])


# Derivatives


def slopes(basis, values):
    return basis.slopes(basis.encode(column(values)))


SMOOTHS = {
    "even": s("x", k=8),
    "quantile": s("x", k=8, knots="quantile"),
    "bounded": s("x", k=8, bounds=(3.0, 5.0)),
    "quadratic": s("x", k=3),
    "linear": l("x"),
}


@pytest.mark.parametrize("term", SMOOTHS.values(), ids=SMOOTHS)
def test_slopes_are_derivatives_in_units_of_the_column(term):
    basis, step = resolve_term(term, column(NUMBERS)), 1e-5
    places = np.array([-1.0, 2.001, 2.6, 3.3, 4.1, 4.9, 5.7, 6.6, 9.0])

    expected = (evaluate(basis, places + step) - evaluate(basis, places - step)) / (2.0 * step)

    np.testing.assert_allclose(slopes(basis, places), expected, rtol=1e-5, atol=1e-6)


def test_slopes_scale_with_the_unit_of_the_column():
    per_year, per_month = (slopes(resolve_term(s("x"), column(values)), values) for values in (NUMBERS, 12.0 * NUMBERS))

    np.testing.assert_allclose(per_month, per_year / 12.0, rtol=1e-7, atol=1e-9)


def test_slopes_outside_the_range_are_those_at_its_ends():
    basis = resolve_term(s("x", k=8), column(NUMBERS))
    low, high = NUMBERS.min(), NUMBERS.max()

    found = slopes(basis, [low - 1e-9, low - 5.0, high + 1e-9, high + 5.0])

    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[2], found[3])
    assert np.abs(found[0] - found[2]).max() > 0.1


def test_a_smooth_without_bending_functions_has_the_slope_of_its_line():
    basis = resolve_term(s("x", k=3), column(NUMBERS)).coarse(1)[0]

    np.testing.assert_allclose(slopes(basis, NUMBERS[:9]), np.sqrt(12.0) / np.ptp(NUMBERS), rtol=1e-12)


@pytest.mark.parametrize("name", ["smooth", "linear"])
def test_missing_values_have_no_slope_and_the_others_that_of_the_inner_term(name):
    term, values, n_inner = GAPS[name]
    whole = values[:2] + values[3:]

    found = slopes(resolve_term(term, column(values)), values)

    assert np.isnan(found[2, :-1]).all()
    np.testing.assert_array_equal(found[:, -1], 0.0)
    np.testing.assert_array_equal(
        np.delete(found, 2, axis=0)[:, :n_inner], slopes(resolve_term(term, column(whole)), whole)
    )


@pytest.mark.parametrize("term", [f("x"), f("x", missing="effect")], ids=["complete", "gaps"])
def test_a_factor_has_no_slopes(term):
    values = ["a", "b", None] if term.missing == "effect" else ["a", "b"]

    with pytest.raises(InputError, match=r"f\(x\) is a factor and has no derivative; compare its levels"):
        slopes(resolve_term(term, column(values)), values)
