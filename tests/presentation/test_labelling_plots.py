"""The picture of pi against Gamma: its areas, its scale, and bounds made before."""

import numpy as np
import pytest

from pugam import PUGAM, InputError
from pugam.datasets import simulate


@pytest.fixture(scope="module")
def model():
    data = simulate(2, n0=700, n=1400, random_state=0)
    return PUGAM().fit(data.X, data.z)


def heights(area):
    (path,) = area.get_paths()
    return path.vertices[:, 1].min(), path.vertices[:, 1].max()


def test_the_areas_are_the_bounds(model):
    found = model.labelling_bounds(np.geomspace(1.0, 10.0, 5))

    (ax,) = model.plot("labelling", bounds=found).axes

    limits, given = ax.collections
    assert heights(limits) == pytest.approx((found.lower_limit.min(), found.upper_limit.max()))
    assert heights(given) == pytest.approx((found.lower.min(), found.upper.max()))
    np.testing.assert_allclose(ax.lines[0].get_ydata(), found.without_model)
    assert ax.get_xscale() == "log"
    assert ax.get_title() == f"pi if labels are at random: {found.pi}"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        f"from the {100 * found.pi.level:g}% interval",
        "given the fit",
        "limit without model",
    ]


def test_bounds_are_made_where_none_are_given_at_the_level_asked_for(model):
    (ax,) = model.plot("labelling", level=0.8).axes

    assert ax.get_title() == f"pi if labels are at random: {model.pi_interval(0.8)}"
    assert ax.get_xlim() == (1.0, 10.0)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["1", "2", "3", "5", "10"]


def test_other_options_are_refused(model):
    with pytest.raises(InputError, match=r"plot\('labelling'\) takes axes and bounds; got rug"):
        model.plot("labelling", rug=True)
