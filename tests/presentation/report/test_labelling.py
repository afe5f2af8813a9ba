"""Bounds in a report: collected for the picture and the table, drawn, and left out where pi is fixed."""

import re
from dataclasses import replace

import pytest

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.presentation.report import render
from pugam.presentation.report.content import Bounds
from pugam.presentation.report.labelling import collect_bounds, draw_bounds

BOUNDS = Bounds(
    gamma=(1.0, 2.0, 10.0),
    lower=(0.25, 0.125, 0.025),
    upper=(0.25, 0.4, 0.6),
    lower_limit=(0.2, 0.1, 0.02),
    upper_limit=(0.3, 0.5, 0.7),
    without_model=(0.35, 0.55, 0.75),
    said=(2.0, 10.0),
)


@pytest.fixture(scope="module")
def data():
    return simulate(2, n0=500, n=1000, random_state=0)


def test_bounds_of_a_model_are_collected(data):
    model = PUGAM().fit(data.X, data.z)

    found = collect_bounds(model, 0.8)

    assert (found.gamma[0], found.gamma[-1]) == (1.0, 10.0)
    assert [row[0] for row in found.rows] == [1.5, 2.0, 3.0, 5.0, 10.0]
    assert found.rows[1][1:5] == pytest.approx(
        [float(getattr(model.labelling_bounds(2.0, 0.8), name)[0]) for name in ("lower", "upper")]
        + [float(getattr(model.labelling_bounds(2.0, 0.8), name)[0]) for name in ("lower_limit", "upper_limit")]
    )


def test_a_fixed_pi_has_none(data):
    assert collect_bounds(PUGAM(pi=0.4).fit(data.X, data.z), 0.95) is None


def test_the_chart_shows_the_range_and_says_it_in_words():
    chart = draw_bounds(BOUNDS, 0.25)
    limits, given, free, estimate = chart.paths

    assert chart.label == "Range of pi: 2.5% to 60.0% if some are 10 times as likely to be labelled"
    assert [tick.text for tick in chart.below] == ["1", "2", "3", "5", "10"]
    assert limits.outline.count("L") == given.outline.count("L") == 5
    assert given.outline.startswith(f"M{chart.box.left:.1f}")
    assert free.outline.count("L") == 2
    assert estimate.outline.startswith("M46.0 ")


def test_the_page_of_a_model_of_labelling_says_what_labels_are_random_given(data, tmp_path):
    PUGAM(labelling="s(x1)", check=False).fit(data.X, data.z).report(tmp_path / "page.html")

    page = " ".join((tmp_path / "page.html").read_text(encoding="utf-8").split())

    assert "Given x1, labelled rows are taken as a random sample of the positives" in page
    assert "takes positives for labelled at random given x1. If features besides make some positives" in page
    assert "takes labelled rows for a random sample" not in page


def test_the_page_has_the_chart_and_a_line_for_each_gamma(example):
    page = render(replace(example, bounds=BOUNDS))

    assert 'id="bounds-chart"' in page
    assert re.findall(r'<th scope="row">(\S+) times</th>', page) == ["2", "10"]
    assert "12.5% to 40.0%" in page
    assert "bounds-chart" not in render(example)
