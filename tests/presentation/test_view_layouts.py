"""Which panels the picture of a term has, by the axes of the term."""

import numpy as np
import pytest

from pugam.presentation.view_layouts import views_of
from pugam.presentation.views import Detail
from pugam.terms.axes import level_axis, number_axis

X, Y, W = number_axis("x", 0.0, 10.0), number_axis("y", 100.0, 300.0), number_axis("w", -1.0, 1.0)
SITE, SEX = level_axis("site", ["east", "north", "south"]), level_axis("sex", ["f", "m"])
CLINIC = level_axis("clinic", [f"clinic {number}" for number in range(20)])
DETAIL = Detail(curve=11, map=5, levels=8)


def views(*axes, rows=None):
    return views_of(axes, np.empty((0, len(axes))) if rows is None else rows, DETAIL)


@pytest.mark.parametrize(
    ("axes", "shapes"),
    [
        ((X,), [(1, 11)]),
        ((SITE,), [(3,)]),
        ((SITE, SEX), [(6,)]),
        ((X, SITE), [(3, 11)]),
        ((SITE, X), [(3, 11)]),
        ((X, SITE, SEX), [(6, 11)]),
        ((X, Y), [(1, 5, 5), (3, 11)]),
        ((X, SITE, Y), [(1, 5, 5)] * 3 + [(3, 11)]),
        ((X, Y, W), [(1, 5, 5)] * 3 + [(3, 11)]),
        ((X, Y, W, SEX), [(1, 5, 5)] * 6 + [(3, 11)]),
    ],
    ids=lambda value: "-".join(axis.column for axis in value) if hasattr(value[0], "column") else "",
)
def test_panels_follow_from_the_axes(axes, shapes):
    assert [view.shape for view in views(*axes)] == shapes


def test_slices_lie_at_quantiles_of_the_rows_rounded_so_that_they_can_be_named():
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.uniform(0.0, 10.0, 500), rng.uniform(100.0, 200.0, 500)])

    *_, slices = views(X, Y, rows=rows)

    assert [float(name) for name in slices.names] == pytest.approx(np.quantile(rows[:, 1], [0.1, 0.5, 0.9]), abs=0.5)
    assert all(len(name) <= 3 for name in slices.names)
    assert slices.fixed == "y"


@pytest.mark.parametrize(("ones", "fixed"), [(0.5, ("0", "1")), (0.02, ("0", "1"))])
def test_a_column_of_two_values_is_fixed_at_both(ones, fixed):
    binary = number_axis("b", 0.0, 1.0)
    rows = np.column_stack([np.linspace(0, 10, 100), np.arange(100) < 100 * ones])

    *_, slices = views_of((X, binary), rows, DETAIL)

    assert slices.names == fixed


def test_of_many_levels_the_most_frequent_are_drawn_in_their_order():
    codes = np.repeat([19, 3, 7, 11, 2, 5, 1], [90, 80, 70, 60, 50, 40, 1])
    rows = np.column_stack([np.linspace(0, 10, len(codes)), codes])

    (curves,) = views(X, CLINIC, rows=rows)

    assert curves.names == tuple(f"clinic {number}" for number in (2, 3, 5, 7, 11, 19))
    assert curves.left_out == 14


def test_without_rows_the_first_levels_are_drawn():
    (curves,) = views(X, CLINIC)

    assert curves.names == tuple(f"clinic {number}" for number in range(6))


def test_of_many_points_the_most_frequent_are_drawn():
    codes = np.repeat(np.arange(20), np.arange(20, 0, -1))

    (points,) = views(CLINIC, rows=codes[:, None].astype(float))

    assert points.names == tuple(f"clinic {number}" for number in range(8))
    assert points.left_out == 12


def test_missing_levels_are_not_counted():
    codes = np.array([-2.0, np.nan, -1.0, *np.arange(7.0), *np.arange(6.0)])

    (curves,) = views(X, CLINIC, rows=np.column_stack([np.linspace(0, 10, len(codes)), codes]))

    assert curves.names == tuple(f"clinic {number}" for number in range(6))


def test_a_number_of_two_values_is_drawn_at_both_like_levels():
    (view,) = views_of((number_axis("flag", 0.0, 1.0),), np.array([[0.0], [1.0], [1.0]]), Detail(50, 10, 8))

    assert (view.along, view.names) == ((), ("0", "1"))
    assert list(view.points()) == [(0.0,), (1.0,)]
