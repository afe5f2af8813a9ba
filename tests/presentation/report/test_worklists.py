"""What a report says of a review: lines of its table, its curve, and where they stand on the page."""

import re
from dataclasses import replace

import pytest

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.presentation.report import render
from pugam.presentation.report.worklists import collect_yields, draw_yields


@pytest.fixture(scope="module")
def listed():
    data = simulate(2, n0=500, n=1500, random_state=0)
    return PUGAM().fit(data.X, data.z).worklist(top=20)


def test_lines_go_on_until_nearly_all_positives_are_found(listed):
    lines = collect_yields(listed)
    *_, last, everything = lines

    assert [line.reviewed for line in lines[:3]] == [10, 20, 50]
    assert lines[1].found == listed.found
    assert last.recall.estimate >= 0.98
    assert (everything.reviewed, everything.recall.estimate) == (1000, 1.0)


def test_the_chart_says_what_it_shows(listed):
    chart = draw_yields(listed.curve)
    band, curve = chart.paths

    assert re.fullmatch(r"Positives found against rows reviewed: \d+ in [\d,]+ rows", chart.label)
    assert band.outline.endswith("Z")
    assert curve.outline.startswith(f"M{chart.box.left:.1f} {chart.box.bottom:.1f}")


def test_the_page_has_table_and_chart(example, listed):
    lines = collect_yields(listed)
    page = render(replace(example, yields=lines, review=listed.curve))

    assert 'id="review-chart"' in page
    assert re.findall(r'<th scope="row" class="figure">([\d,]+)</th>', page) == [f"{one.reviewed:,}" for one in lines]
    assert "review-chart" not in render(example)
