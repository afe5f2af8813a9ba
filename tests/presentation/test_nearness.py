"""Where in a picture rows are near."""

import numpy as np

from pugam.presentation.nearness import distances, rows_near
from pugam.presentation.view_layouts import views_of
from pugam.presentation.views import Detail, View
from pugam.terms.axes import level_axis, number_axis

X, Y, W = number_axis("x", 0.0, 10.0), number_axis("y", 0.0, 1000.0), number_axis("w", 0.0, 1.0)
SITE = level_axis("site", ["east", "north"])
LINE = np.linspace(0.0, 10.0, 200)


def test_along_a_line_of_rows_they_are_near_and_off_it_they_are_not():
    (view, _) = views_of((X, Y), np.column_stack([LINE, 100.0 * LINE]), Detail(11, 21, 8))

    far = distances(view, np.column_stack([LINE, 100.0 * LINE]))[0] > 1.0

    assert not np.diag(far).any()
    assert far[0, -1]
    assert far[-1, 0]
    assert 0.5 < far.mean() < 0.9


def test_only_rows_of_the_same_level_count():
    rows = np.column_stack([LINE, LINE > 5.0])
    (view,) = views_of((X, SITE), rows, Detail(11, 5, 8))

    east, north = distances(view, rows) > 1.0

    assert east.tolist() == [False] * 6 + [True] * 5
    assert north.tolist() == [True] * 5 + [False] * 6


def test_rows_far_away_in_a_column_that_is_held_do_not_count():
    rows = np.column_stack([np.tile(LINE, 2), np.tile(100.0 * LINE, 2), np.repeat([0.0, 1.0], 200)])
    ticks = np.linspace(0.0, 10.0, 5), np.linspace(0.0, 1000.0, 5)
    at, between = (View((X, Y, W), (0, 1), ticks, ({2: height},)) for height in (1.0, 0.5))

    assert np.diag(distances(at, rows)[0]).max() < 1.0
    assert distances(between, rows).min() > 1.0
    assert len(rows_near(at, rows)) == 200
    assert len(rows_near(between, rows)) == 0


def test_without_rows_nothing_is_far():
    (view, _) = views_of((X, Y), np.empty((0, 2)), Detail(11, 5, 8))

    assert not distances(view, np.empty((0, 2))).any()
    assert rows_near(view, np.empty((0, 2))).shape == (0, 2)


def test_rows_outside_the_map_are_not_shown():
    view = View((X, Y), (0, 1), (np.array([2.0, 4.0]), np.array([0.0, 1000.0])), ({},))

    near = rows_near(view, np.column_stack([LINE, 100.0 * LINE]))

    assert near[:, 0].min() >= 2.0
    assert near[:, 0].max() <= 4.0
