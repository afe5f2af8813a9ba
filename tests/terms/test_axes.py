"""Columns as a term sees them: grids, values that users give, and what lies outside."""

from dataclasses import astuple, replace

import numpy as np
import pytest

from pugam.data import Column
from pugam.errors import InputError
from pugam.terms import level_axis, number_axis

AGES, SITES = number_axis("age", 20.0, 80.0), level_axis("site", ["a", "b", 3])


def test_a_grid_is_spread_over_the_range_or_is_the_levels():
    np.testing.assert_array_equal(AGES.grid(4), [20.0, 40.0, 60.0, 80.0])
    assert SITES.grid(4).tolist() == ["a", "b", 3]


def test_an_axis_is_of_numbers_or_of_levels():
    assert AGES.is_numeric
    assert not SITES.is_numeric
    assert np.isnan(AGES.gap)
    assert SITES.gap is None


def test_values_are_read_as_the_column_holds_them():
    ages, sites = AGES.read("s(age)", [30, 40.5]), SITES.read("f(site)", np.array(["b", None, 3], dtype=object))

    assert (ages.name, ages.kind, ages.values.tolist()) == ("age", "numeric", [30.0, 40.5])
    assert (sites.name, sites.kind, sites.values.tolist()) == ("site", "category", ["b", None, 3])


@pytest.mark.parametrize("values", [3.0, "text", ["a"], [np.inf], [[1.0, 2.0]], None])
def test_what_is_no_list_of_numbers_is_refused(values):
    with pytest.raises(InputError, match=r"s\(age\): a grid is a list of finite numbers; got"):
        AGES.read("s(age)", values)


@pytest.mark.parametrize("values", [3.0, "a", None])
def test_what_is_no_list_of_levels_is_refused(values):
    with pytest.raises(InputError, match=r"f\(site\): a grid is a list of levels; got"):
        SITES.read("f(site)", values)


def test_an_unknown_level_is_refused_unless_the_axis_is_open():
    with pytest.raises(InputError, match=r"f\(site\) has no level 'z'; its levels are 'a', 'b', 3\."):
        SITES.read("f(site)", ["a", "z"])
    assert level_axis("site", ["a", "b"], open=True).read("f(site)", ["z"]).values.tolist() == ["z"]


def test_many_levels_are_not_all_listed():
    with pytest.raises(InputError, match=r"its levels are 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, \.\.\.\."):
        level_axis("x", range(50)).read("f(x)", [-1])


def test_values_well_outside_the_range_are_told():
    column = Column("age", "numeric", np.array([10.0, 18.0, 50.0, 82.0, 90.0, np.nan]))

    assert AGES.outside("s(age)", column).tolist() == [True, False, False, False, True, False]
    assert not SITES.outside("f(site)", Column("site", "category", np.array(["z"], dtype=object))).any()


def test_values_are_written_as_their_reader_knows_them():
    numbers, levels = number_axis("age", 0.0, 90.0), level_axis("site", ("north", 7, True))

    assert [numbers.show(value) for value in (40.0, 20231231.0, 1 / 3, -2.5e-7, np.nan)] == [
        *("40", "20231231", "0.333333", "-2.5e-07", "missing")
    ]
    assert [levels.show(value) for value in ("north", 7, True, None)] == ["north", "7", "True", "missing"]


def test_levels_are_found_by_their_codes():
    axis = level_axis("site", ("north", "south"))

    assert axis.decoded(np.array([1.0, 0.0, -2.0])).tolist() == ["south", "north", None]
    assert number_axis("age", 0.0, 90.0).decoded(np.array([3.0])).tolist() == [3.0]


def test_axes_are_equal_where_all_that_they_say_is():
    # From Python 3.13 on, dataclasses compare field by field, and NaN differs from itself.
    for axis in (number_axis("age", 0.0, 1.0), level_axis("site", ("a", "b"))):
        assert all(value == value for value in astuple(axis))
        assert replace(axis) == axis
