"""Surfaces: where they are unclear, and how large they are where rows are near."""

import numpy as np

from pugam.presentation.surfaces import surface_of
from pugam.presentation.views import View
from pugam.terms.axes import number_axis

AXES = number_axis("x", 0.0, 2.0), number_axis("y", 0.0, 1.0)
VIEW = View(AXES, (0, 1), (np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0])), ({},))
U = np.array([[[1.0, -5.0], [0.5, 0.1], [-2.0, 90.0]]])  # by x, then y
DISTANCE = np.array([[[0.0, 0.0], [0.0, 0.5], [0.0, 3.0]]])


NO_ROWS = np.empty((0, 2))


def surface(rows=NO_ROWS, distance=DISTANCE):
    return surface_of(VIEW, [U, U - 0.7, U + 0.7], distance, rows)


def test_lines_of_a_surface_are_values_of_the_second_column():
    np.testing.assert_array_equal(surface().u, [[1.0, 0.5, -2.0], [-5.0, 0.1, 90.0]])


def test_unclear_is_where_the_limits_hold_zero_and_rows_are_near():
    assert surface().is_unclear.tolist() == [[False, True, False], [False, True, False]]
    np.testing.assert_allclose(surface().certainty[0], [0.3, -0.2, 1.3])


def test_the_largest_effect_is_taken_where_rows_are_near():
    assert surface().largest == 5.0
    assert surface(distance=np.full((1, 3, 2), 9.0)).largest == 90.0  # near nowhere: everywhere counts


def test_rows_are_those_on_the_map():
    rows = np.array([[0.5, 0.5], [3.0, 0.5], [np.nan, 0.5]])

    np.testing.assert_array_equal(surface(rows).rows, [[0.5, 0.5]])
