"""Maps of a report: their colours, what is hidden, and what is said of them."""

import re

import numpy as np
import pytest

from pugam.presentation.heat import VEIL, colour_at
from pugam.presentation.report.content import Map
from pugam.presentation.report.map_charts import draw_map
from pugam.presentation.surfaces import Surface

X, Y = np.linspace(20.0, 90.0, 15), np.linspace(-3.0, 3.0, 13)
SLOPE = (X[None, :] - 55.0) / 35.0 * np.ones((13, 1))  # from -1 to 1


def make_map(u=SLOPE, half=0.4, distance=None, notes=()):
    away = np.zeros(u.shape) if distance is None else distance
    rows = np.column_stack([np.linspace(20, 90, 1000), np.linspace(-3, 3, 1000)])
    surface = Surface(X, Y, u, u - half, u + half, away, rows)
    return Map("te(age, score)", ("age", "score"), surface, surface.largest, notes)


def paths(card, style):
    return [path for path in card.chart.paths if path.style == style]


def width(outline):
    """How wide an outline is, as a share of the map."""
    places = [float(pair.split()[0]) for pair in re.split("[MLZ]", outline) if pair]
    return (max(places) - min(places)) / 266.0


def test_colours_of_both_sides_are_alike():
    card = draw_map(make_map())
    colours = [path.fill for path in paths(card, "area") if path.fill.startswith("#")]
    key = [path.fill for path in card.colours.paths]

    assert colours == key
    assert (colours[0], colours[-1]) == (colour_at(-1.0), colour_at(1.0))
    assert len(colours) % 2 == 0
    assert [tick.text for tick in card.colours.below] == ["−1.0", "−0.5", "0", "0.5", "1.0"]  # noqa: RUF001


def test_what_cannot_be_told_from_zero_lies_below_a_veil():
    (veil,) = paths(draw_map(make_map(half=0.4)), "area veil")

    assert veil.fill == VEIL
    assert width(veil.outline) == pytest.approx(0.4, abs=0.01)
    assert width(paths(draw_map(make_map(half=5.0)), "area veil")[0].outline) == pytest.approx(1.0, abs=0.01)


def test_where_no_rows_are_near_hatches_cover_the_map():
    far = 2.0 * (X[None, :] > 70.0) * np.ones((13, 1))
    near, away = draw_map(make_map()), draw_map(make_map(distance=far))

    assert [key.text for key in near.keys] == ["not distinguishable from zero"]
    assert [key.text for key in away.keys] == ["not distinguishable from zero", "no rows near"]
    assert paths(near, "area away")[0].outline == ""
    assert width(paths(away, "area away")[0].outline) == pytest.approx(0.25, abs=0.01)


def test_contour_lines_are_labelled():
    card = draw_map(make_map())

    assert {label.text for label in card.chart.labels} >= {"−0.5", "0", "0.5"}  # noqa: RUF001
    assert len(paths(card, "contour")[0].outline) > 50


def test_axes_are_named_and_long_names_shortened():
    card = draw_map(make_map())
    long = Map("te", ("a" * 200, "b" * 200), make_map().surface, 1.0)

    assert (card.chart.below_title, card.chart.beside_title) == ("age", "score")
    assert len(draw_map(long).chart.below_title) <= 34


def test_words_say_what_the_map_shows():
    label = draw_map(make_map()).chart.label

    assert label.startswith("te(age, score): effect on the log odds from −1.00 at age 20.0, score")  # noqa: RUF001
    assert " to 1.00 at age 90.0" in label
    assert label.endswith("not distinguishable from zero in 33.3% of the area where rows are near")


def test_the_script_gets_values_at_all_places():
    data = draw_map(make_map()).data

    assert data["columns"] == ["age", "score"]
    assert (len(data["x"]), len(data["y"])) == (15, 13) == (len(data["u"][0]), len(data["u"]))
    assert (data["xNames"][0], data["yNames"][0]) == ("20.0", "−3.00")  # noqa: RUF001
    assert data["y"][0] > data["y"][-1]  # upwards
    assert not np.any(data["far"])


def test_a_flat_map_and_one_far_from_all_rows_can_be_drawn():
    flat = draw_map(make_map(u=np.zeros((13, 15))))
    lost = draw_map(make_map(distance=np.full((13, 15), 9.0)))

    for card in (flat, lost):
        assert "nan" not in "".join(path.outline for path in card.chart.paths)
    assert lost.chart.labels == ()


def test_few_of_many_rows_are_drawn_as_dots():
    (cloud,) = paths(draw_map(make_map()), "cloud")

    assert 100 <= cloud.outline.count("M") <= 300
