"""What pictures know of the rows: ranges, common levels, and distances."""

import numpy as np
import pytest

from pugam.presentation.rows import (
    blurred,
    common_levels,
    distance_to_rows,
    quantiles_of,
    range_for_drawing,
    rug_of,
)
from pugam.terms.axes import number_axis

AXIS = number_axis("x", 0.0, 100.0)


def test_the_whole_range_is_drawn_unless_few_rows_lie_far_out():
    assert range_for_drawing(AXIS, np.empty(0)) == (0.0, 100.0)
    assert range_for_drawing(AXIS, np.linspace(0.0, 100.0, 500)) == (0.0, 100.0)

    low, high = range_for_drawing(AXIS, np.append(np.linspace(0.0, 10.0, 999), 100.0))

    assert low < 0.1
    assert 9.9 < high < 10.0


def test_quantiles_leave_missing_values_out():
    assert quantiles_of(AXIS, np.array([1.0, np.nan, 3.0]), (0.0, 1.0)).tolist() == [1.0, 3.0]
    assert quantiles_of(AXIS, np.empty(0), (0.1, 0.5)).tolist() == [10.0, 50.0]


def test_the_commonest_combinations_come_in_order():
    codes = np.array([[1, 1], [0, 1], [1, 1], [0, 0], [0, 1], [-1, 0], [np.nan, np.nan]])

    assert common_levels(codes, 2) == [(0, 1), (1, 1)]


def test_distances_are_measured_to_the_third_nearest_row():
    rows = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 0.1], [np.nan, np.nan], [1.0, 1.0]])

    near, far = distance_to_rows(np.array([[0.0, 0.0], [1.0, 1.0]]), rows)

    assert near == pytest.approx(1.0)  # a tenth of the range
    assert far > 9.0
    assert (distance_to_rows(np.zeros((2, 2)), rows[:2]) > 1.0).all()


def test_a_rug_tells_of_no_single_row():
    incomes = np.random.default_rng(0).lognormal(10.0, 1.0, 60)

    marks = rug_of(np.append(incomes, np.nan), 60)

    assert len(marks) == 12
    assert not np.isin(np.round(marks, 6), np.round(incomes, 6)).any()
    np.testing.assert_allclose(np.sort(incomes)[:5].mean(), marks[0], rtol=1e-12)


def test_a_rug_of_values_that_many_rows_share_stands_at_them():
    assert set(rug_of(np.repeat([0.0, 1.0], 500), 60)) == {0.0, 1.0}
    assert len(rug_of(np.arange(1e5), 60)) == 60
    assert 20 < len(rug_of(np.repeat(np.arange(100.0), 7), 60)) <= 60
    assert len(rug_of(np.arange(4.0), 60)) == 0


def test_dots_stand_near_their_rows_and_at_none_of_them():
    rows = np.random.default_rng(0).normal(size=(60, 2))
    inner = ((rows > rows.min(axis=0)) & (rows < rows.max(axis=0))).all(axis=1)

    dots = blurred(rows)

    assert (np.abs(dots - rows) <= 0.025 * np.ptp(rows, axis=0)).all()
    assert not (dots == rows)[inner].any()
    assert (blurred(rows) == dots).all()
    assert len(blurred(np.full((3, 2), np.nan))) == 0
