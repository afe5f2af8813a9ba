"""Kinds of positives in the summary and in a picture."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM
from pugam.errors import InputError

PLACES = [(3.0, -2.0), (2.0, 3.0), (3.0, -2.0), (2.0, 3.0), (0.0, 0.0)]


@pytest.fixture(scope="module")
def model():
    centres = np.repeat(PLACES, [120, 40, 40, 40, 180], axis=0)
    X = pd.DataFrame(centres + np.random.default_rng(0).normal(size=centres.shape), columns=["a", "b"])
    kind = np.where(centres[:, 0] == 3.0, "right", "up")
    return PUGAM("a + b", check=False).fit(X, np.repeat([1, 0], [160, 260]), kind=kind)


def test_the_summary_has_a_line_for_each_kind(model):
    summary = model.summary(0.9)

    assert summary.kinds["kind"].tolist() == ["right", "up", "all"]
    assert summary.model["value"][0] == model.pi_
    assert "2 kinds of positives" in str(summary)
    for name, row in zip(model.kinds_, summary.kinds.itertuples(), strict=False):
        assert f"{row.pi:.3f}" in next(line for line in str(summary).splitlines() if line.startswith(f"  {name} "))
    with pytest.raises(InputError, match=r"has the level 0\.95, but level=0\.9"):
        model.summary(0.9, model.pi_interval())


def test_the_picture_has_a_mark_for_each_kind_and_for_all(model):
    (axes,) = model.plot("kinds").axes

    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["right  (120)", "up  (40)", "all  (160)"]
    marks = [line.get_xdata()[0] for line in axes.get_lines() if len(line.get_xdata()) == 1]
    assert marks == pytest.approx(model.kinds()["pi"].tolist())
    with pytest.raises(InputError, match=r"plot\('kinds'\) takes axes"):
        model.plot("kinds", rug=True)


def test_other_pictures_are_of_one_kind(model):
    with pytest.raises(InputError, match="of_kind"):
        model.plot("effects")
    assert model.of_kind("up").plot("effects").axes


@pytest.mark.parametrize("what", ["profile", "sensitivity", "diagnosis"])
def test_pictures_of_a_diagnosis_are_of_one_kind(model, what):
    with pytest.raises(InputError, match=rf"model\.of_kind\('(right|up)'\)\.plot\('{what}'\)"):
        model.plot(what)


@pytest.mark.parametrize(
    ("n_sweeps", "said"), [(1, "all kinds fitted at once"), (3, "in turn until shares settled: 3")]
)
def test_the_summary_says_whether_kinds_were_fitted_at_once(model, monkeypatch, n_sweeps, said):
    monkeypatch.setattr(model, "_kinds", replace(model._kinds, n_sweeps=n_sweeps))
    monkeypatch.setattr(model, "n_iter_", n_sweeps)

    assert said in str(model.summary())
