"""The picture of a worklist: its curves, its bands, and the length of the list."""

import numpy as np
import pytest

from pugam import PUGAM, InputError
from pugam.datasets import simulate


@pytest.fixture(scope="module")
def model():
    data = simulate(2, n0=700, n=1400, random_state=0)
    return PUGAM().fit(data.X, data.z)


def test_the_curves_are_those_of_the_list(model):
    listed = model.worklist(top=100)

    panels = model.plot("worklist", worklist=listed).axes

    assert [ax.get_title() for ax in panels] == ["positives found", "precision", "recall"]
    for ax, limits in zip(panels, (listed.curve.found, listed.curve.precision, listed.curve.recall), strict=True):
        curve, mark = ax.lines
        np.testing.assert_allclose(curve.get_ydata(), limits.estimate)
        assert mark.get_xdata()[0] == 100
        (path,) = ax.collections[0].get_paths()
        assert path.vertices[:, 1].max() == pytest.approx(limits.upper.max())


def test_without_a_list_it_is_that_of_all_unlabelled_rows(model):
    figure = model.plot("worklist")

    assert [len(ax.lines) for ax in figure.axes] == [1, 1, 1]
    assert figure.axes[0].get_xlim()[1] <= 700


def test_doubts_are_written_above(model, monkeypatch):
    monkeypatch.setattr(model, "verdict_", "not determined")

    assert model.plot("worklist").get_suptitle() == "pi is not determined, and these numbers depend on it."


def test_other_options_are_refused(model):
    with pytest.raises(InputError, match=r"plot\('worklist'\) takes axes and worklist; got rug"):
        model.plot("worklist", rug=True)
