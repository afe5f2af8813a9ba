"""The points of views as one grid, and values on it taken apart again."""

import numpy as np

from pugam.presentation.grids import grid_of, split
from pugam.presentation.view_layouts import views_of
from pugam.presentation.views import Detail, View
from pugam.terms.axes import number_axis

X, Y = number_axis("x", 0.0, 10.0), number_axis("y", 100.0, 300.0)


class _Spec:
    columns = ("x", "y")


class _Basis:
    spec, axes = _Spec, (X, Y)


def test_values_on_the_grid_of_several_views_are_taken_apart_again():
    found = views_of((X, Y), np.empty((0, 2)), Detail(curve=11, map=5, levels=8))

    grid = grid_of(_Basis, found, missing=True)
    parts, rest = split(found, np.add(grid["x"], grid["y"]))

    assert [part.shape for part in parts] == [(1, 5, 5), (3, 11)]
    np.testing.assert_array_equal(parts[0][0], np.add.outer(np.linspace(0, 10, 5), np.linspace(100, 300, 5)))
    np.testing.assert_array_equal(parts[1][2], np.linspace(0, 10, 11) + 280.0)
    assert np.isnan(rest).tolist() == [True]


def test_a_view_of_one_column_has_a_plain_grid():
    class Basis:
        spec, axes = type("Spec", (), {"columns": ("x",)}), (X,)

    view = View((X,), (0,), (np.array([1.0, 2.0]),), ({},))

    assert grid_of(Basis, [view]) == [1.0, 2.0]
