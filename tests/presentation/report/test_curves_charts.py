"""Several curves in one box of a report."""

import numpy as np
import pytest

from pugam.presentation.report.content import Curves, Effect
from pugam.presentation.report.curves_charts import draw_curves

X = tuple(np.linspace(0.0, 10.0, 11).tolist())


def make_curves(n_curves=2, far=None, names=None):
    def effect(slope):
        u = tuple(slope * x for x in X)
        limits = [tuple(value + side for value in u) for side in (-0.5, 0.5)]
        return Effect("s(dose, by=site)", "dose", X, u, *limits, (u, tuple(2 * value for value in u)), rug=(1.0, 5.0))

    curves = tuple(effect(slope) for slope in range(n_curves))
    near = ((False,) * 11,) * n_curves
    sites = names or tuple(f"site {number}" for number in range(n_curves))
    return Curves("s(dose, by=site)", "dose", "site", sites, curves, far or near, ("A note.",))


def paths(card, style):
    return [path.outline for path in card.chart.paths if path.style == style]


def test_every_curve_has_a_line_a_band_and_a_name():
    card = draw_curves(make_curves(3))

    for number in range(3):
        assert len(paths(card, f"line curve-{number}")[0]) > 50
        assert len(paths(card, f"band curve-{number}")[0]) > 50
    assert card.keys_title == "site"
    assert [key.text for key in card.keys] == ["site 0", "site 1", "site 2"]
    assert card.moving == ("what-if curve-0", "what-if curve-1", "what-if curve-2")
    assert card.notes == ("A note.",)
    assert card.chart.below_title == "dose"


def test_bands_of_many_curves_are_faint():
    assert paths(draw_curves(make_curves(4)), "band faint curve-3")


def test_a_curve_is_dotted_where_no_rows_are_near():
    far = ((False,) * 11, (True,) * 3 + (False,) * 8)
    card = draw_curves(make_curves(2, far))

    (solid,), (dotted,) = paths(card, "line curve-1"), paths(card, "line far curve-1")
    assert (solid.count("L") + 1, dotted.count("L") + 1) == (8, 4)
    assert dotted.split("L")[-1] == solid[1:].split("L")[0]  # the parts touch
    assert paths(card, "line far curve-0") == [""]
    assert card.keys[-1].text == "no rows near"


def test_the_script_gets_all_curves():
    data = draw_curves(make_curves(2)).data

    assert (data["column"], data["upright"], data["joined"]) == ("dose", True, 11)
    assert [curve["name"] for curve in data["curves"]] == ["site site 0", "site site 1"]
    assert data["curves"][1]["fixed"][1][-1] == pytest.approx(20.0)


def test_words_say_where_the_effect_is_lowest_and_highest():
    label = draw_curves(make_curves(2)).chart.label

    assert label == "s(dose, by=site): effect on the log odds from 0 at 0.0 (site site 0) to 10.0 at 10.0 (site site 1)"
