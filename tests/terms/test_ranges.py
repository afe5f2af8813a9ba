"""Ranges of numeric columns: counted, scaled, and refused where they are none."""

import numpy as np
import pytest
from meeting import NUMBERS, SITES, evaluate, meet

from pugam.data import Column
from pugam.errors import InputError, PugamWarning
from pugam.terms import l, s
from pugam.terms.ranges import bounded, count_distinct, observed_range, unit_interval


def test_distinct_values_are_counted_beyond_the_first_rows():
    late = np.concatenate([np.zeros(5000), np.arange(12.0)])

    assert count_distinct(late, 10) >= 10
    assert count_distinct(np.arange(5000.0) % 3, 10) == 3


@pytest.mark.parametrize("term", [s("x"), s("x", knots="quantile"), l("x")])
def test_shifting_and_rescaling_a_column_changes_nothing(term):
    scaled = 1e6 + 250.0 * NUMBERS

    one, other = (evaluate(meet(term, values), values) for values in (NUMBERS, scaled))

    np.testing.assert_allclose(other, one, atol=1e-6)


@pytest.mark.parametrize("make_term", [s, l])
def test_constant_columns_are_refused(make_term):
    with pytest.raises(InputError, match=r"column 'x' is constant \(3\); leave it out"):
        meet(make_term("x"), [3.0, 3.0, 3.0])


@pytest.mark.parametrize("make_term", [s, l])
def test_text_is_refused_by_terms_that_need_numbers(make_term):
    with pytest.raises(InputError, match=r"needs numbers, but column 'x' holds text or categories: row 0 holds 'b'"):
        meet(make_term("x"), SITES)


def test_places_go_from_zero_to_one_and_no_farther_than_squares_bear():
    np.testing.assert_allclose(unit_interval(np.array([2.0, 4.0, 6.0, 10.0]), 2.0, 6.0), [0.0, 0.5, 1.0, 2.0])
    assert np.isfinite(unit_interval(np.array([-1e308, 1e308]), 0.0, 1e-200) ** 2).all()


def test_a_range_too_wide_or_too_narrow_to_compute_with_is_refused():
    for values in ([-1e308, 1e308], [0.0, 1e-300]):
        with pytest.raises(InputError, match=r"l\(x\): column 'x' runs from .*; rescale it"):
            meet(l("x"), values)


def test_bounds_far_from_the_values_are_refused():
    with pytest.raises(InputError, match=r"far beyond bounds = \(0\.0, 1e-07\); widen"):
        meet(s("x", bounds=(0.0, 1e-7)), NUMBERS)
    with pytest.raises(InputError, match=r"next to nothing within bounds = \(0\.0, 10000000\.0\); narrow"):
        meet(s("x", bounds=(0.0, 1e7)), NUMBERS)


@pytest.mark.parametrize(("term", "remedy"), [(s("x"), "or give s(x, bounds=("), (l("x"), "transform the column.")])
def test_values_far_from_all_others_are_asked_about(term, remedy):
    with pytest.warns(PugamWarning, match="nearly all values of column 'x' lie between") as warned:
        meet(term, np.append(NUMBERS, 1e9))

    assert remedy in str(warned[0].message)


@pytest.mark.parametrize(
    "values", [2**60 + 256 * np.arange(7), 1e15 + np.linspace(0.0, 5.0, 50)], ids=["ids", "shifted"]
)
def test_numbers_that_rounding_hardly_tells_apart_are_refused(values):
    column = Column("id", "numeric", np.asarray(values, dtype=float))

    with pytest.raises(
        InputError, match=r"numbers are kept to 16 digits, which hardly tell these apart; leave the col"
    ):
        observed_range(s("id"), column, column.values)
    assert observed_range(s("id"), column, 1e12 + np.arange(3.0)) == (1e12, 1e12 + 2.0)


def test_far_out_functions_keep_their_ratios():
    values = np.array([[1e100, -3e100, 2.0], [1.0, 2.0, 3.0]])

    found = bounded(values, 2)

    np.testing.assert_allclose(found[0, 1] / found[0, 0], -3.0, rtol=1e-12)
    np.testing.assert_array_equal(found[1], values[1])
    assert np.isfinite(np.abs(found).max() ** 4)  # the square of a product of two
