"""Effects of several columns with pi fixed at several values: slices of surfaces, curves by level, points."""

import numpy as np
import pytest

from pugam.inference import Sensitivity
from pugam.presentation.panels import CURVES
from pugam.presentation.sensitivity_plots import plot_sensitivity

PI = np.array([0.2, 0.35, 0.5])


@pytest.fixture(scope="module")
def figure(several):
    coef = np.array([0.5, 1.0, 1.5])[:, None] * several.coef_
    found = Sensitivity(PI, np.zeros(3), np.zeros(3), coef, np.zeros(3))
    return plot_sensitivity(found, several)


def test_each_term_has_one_panel_and_surfaces_show_their_slices(figure):
    titles = [ax.get_title() for ax in figure.axes if ax.get_visible()]

    assert titles == [
        "te(age, bmi) along age",
        "s(dose, by=site)",
        "f(site)",
        "f(sex)",
        "site:sex",
        "ti(noise, other) along noise",
    ]


def test_every_slice_is_drawn_for_every_pi(figure):
    ax = figure.axes[0]
    curves = [line for line in ax.lines if len(line.get_xdata()) > 2]

    assert [line.get_color() for line in curves] == list(CURVES[:3]) * 3
    first, _, third = (curves[number].get_ydata() for number in (0, 3, 6))
    np.testing.assert_allclose(third, 3.0 * first)


def test_shades_and_colours_are_explained(figure):
    first, second = figure.axes[:2]
    texts = [text.get_text() for text in first.get_legend().get_texts()]
    beside = [child for child in first.get_children() if type(child).__name__ == "Legend"]

    assert texts == ["pi = 0.20", "pi = 0.35", "pi = 0.50"]
    assert {len(legend.get_texts()) for legend in beside} == {3}
    assert len(beside) == 2
    assert [text.get_text() for text in second.get_legend().get_texts()] == ["east", "north", "south"]
