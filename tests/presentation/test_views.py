"""What a panel shows: its points, and its name."""

import numpy as np

from pugam.presentation.view_layouts import views_of
from pugam.presentation.views import Detail, view_title
from pugam.terms.axes import level_axis, number_axis

X, Y, W = number_axis("x", 0.0, 10.0), number_axis("y", 100.0, 300.0), number_axis("w", -1.0, 1.0)
SITE, SEX = level_axis("site", ["east", "north", "south"]), level_axis("sex", ["f", "m"])
DETAIL = Detail(curve=11, map=5, levels=8)


def views(*axes):
    return views_of(axes, np.empty((0, len(axes))), DETAIL)


def test_points_of_a_view_hold_the_other_columns_and_run_along_its_own():
    (maps, slices) = views(X, Y)

    points = list(maps.points())
    assert points[0] == (0.0, 100.0)
    assert points[1] == (0.0, 150.0)
    assert points[-1] == (10.0, 300.0)
    assert {y for _, y in slices.points()} == {120.0, 200.0, 280.0}
    assert [x for x, _ in slices.points()][:11] == np.linspace(0.0, 10.0, 11).tolist()


def test_panels_are_named_by_what_they_show():
    titles = [view_title("te(x, y, w)", view, 4) for view in views(X, Y, W)]

    assert titles == [
        "te(x, y, w), w = −0.8",  # noqa: RUF001, a minus
        "te(x, y, w), w = 0",
        "te(x, y, w), w = 0.8",
        "te(x, y, w) along x, w = 0",
    ]
    assert view_title("s(x)", views(X)[0], 1) == "s(x)"


def test_combinations_of_levels_are_named_together():
    (points,) = views(SITE, SEX)

    assert points.names[:3] == ("east, f", "east, m", "north, f")
    assert points.fixed == "site, sex"
