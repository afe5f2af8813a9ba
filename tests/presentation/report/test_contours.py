"""Contour lines, the areas between them, and where their labels stand."""

import re

import numpy as np
import pytest

from pugam.presentation.report.contours import Field, place_labels
from pugam.presentation.report.drawing import Box

BOX = Box(0.0, 0.0, 100.0, 100.0)
X = np.linspace(0.0, 100.0, 41)
RADIUS = np.hypot(X[None, :] - 50.0, X[:, None] - 50.0)


def rings(outline):
    """The rings of an outline, as points."""
    return [
        np.array([pair.split() for pair in ring.split("L")], dtype=float) for ring in re.findall("M([^MZ]*)Z", outline)
    ]


def area(outline):
    """The area inside an outline: rings inside others are holes, which go the other way round."""
    return abs(
        sum(0.5 * np.sum(r[:, 0] * np.roll(r[:, 1], -1) - r[:, 1] * np.roll(r[:, 0], -1)) for r in rings(outline))
    )


def test_the_area_above_a_level_is_that_of_the_shape():
    assert area(Field(X, X, -RADIUS).above(-30.0)) == pytest.approx(np.pi * 900.0, rel=0.01)
    assert area(Field(X, X, RADIUS).above(30.0)) == pytest.approx(1e4 - np.pi * 900.0, rel=0.01)
    assert len(rings(Field(X, X, RADIUS).above(30.0))) == 2


def test_the_whole_plane_and_nothing_have_outlines_too():
    assert area(Field(X, X, RADIUS).above(-1.0)) == pytest.approx(1e4)
    assert Field(X, X, RADIUS).above(500.0) == ""


def test_a_contour_line_runs_at_its_level_and_not_where_values_are_masked():
    (line,) = Field(X, X, RADIUS).lines(30.0)
    half = Field(X, X, np.ma.masked_where(X[None, :] + 0.0 * RADIUS > 50.0, RADIUS)).lines(30.0)

    np.testing.assert_allclose(np.hypot(*(line - 50.0).T), 30.0, atol=0.1)
    assert max(points[:, 0].max() for points in half) <= 50.0


def straight(height):
    return np.column_stack([X, np.full(41, height)])


def test_labels_stand_on_their_lines_and_off_each_other():
    labels = place_labels([("1", straight(20.0)), ("2", straight(25.0)), ("3", straight(80.0))], BOX)

    assert {label.text: label.y for label in labels} == {"1": 20.0, "2": 25.0, "3": 80.0}
    assert not any(a.overlaps(b) for a in labels for b in labels if a is not b)
    assert all(label.is_inside(BOX) for label in labels)


def test_short_lines_and_lines_along_the_edge_have_no_label():
    assert place_labels([("1", straight(50.0)[:5]), ("2", straight(0.5))], BOX) == []
