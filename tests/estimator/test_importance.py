"""`importance`, and the order in which summaries and pictures show terms."""

import pickle
from copy import deepcopy

import numpy as np
import polars as pl
import pytest

import pugam
from pugam import PUGAM, InputError


@pytest.fixture(scope="module")
def fitted(mixed, z):
    """The term that matters most is not the first one."""
    return PUGAM("f(site) + s(x2) + s(x3) + s(x1)", check=False).fit(mixed, z)


@pytest.fixture(scope="module")
def stored(fitted, tmp_path_factory):
    path = tmp_path_factory.mktemp("stored") / "model.json"
    fitted.save(path)
    return pugam.load(path)


def test_the_most_important_term_comes_first(fitted, mixed, z):
    found = fitted.importance()

    contributions = fitted.explain(mixed[z == 0])
    spreads = contributions.groupby("term")["contribution"].std(ddof=0)
    np.testing.assert_allclose(found["importance"], spreads[found["term"]], rtol=1e-8)
    assert found["importance"].is_monotonic_decreasing
    assert found["term"][0] != "f(site)"
    assert found["share"].sum() == pytest.approx(1.0)
    assert (found["lower"] <= found["importance"]).all()
    assert (found["importance"] <= found["upper"]).all()


def test_p_values_and_degrees_of_freedom_are_those_of_the_summary(fitted):
    found, smooth = fitted.importance().set_index("term"), fitted.summary().smooth.set_index("term")

    np.testing.assert_allclose(found.loc[smooth.index, "edf"], smooth["edf"])
    np.testing.assert_allclose(found.loc[smooth.index, "pvalue"], smooth["pvalue"])


def test_a_narrower_level_has_narrower_limits(fitted):
    wide, narrow = fitted.importance(), fitted.importance(level=0.5)

    assert (narrow["upper"] < wide["upper"]).all()
    with pytest.raises(InputError, match="probability strictly between 0 and 1"):
        fitted.importance(level=95)


def test_the_frame_is_of_the_library_of_the_table(mixed, z):
    model = PUGAM("x1 + x2", pi=0.4, check=False).fit(pl.from_pandas(mixed[["x1", "x2"]]), z)

    assert isinstance(model.importance(), pl.DataFrame)


def test_terms_with_a_shape_and_terms_of_who_is_labelled(mixed, z):
    shaped = PUGAM("s(x1, shape='increasing') + s(x2)", pi=0.4, check=False).fit(mixed, z).importance()
    labelled = PUGAM("x1 + x2 + x3", labelling="l(old)", check=False).fit(mixed, z)

    assert (shaped["lower"] <= shaped["importance"]).all()
    assert sorted(labelled.importance()["term"]) == ["l(x1)", "l(x2)", "l(x3)"]
    assert labelled._order()[-1] == 3


def test_a_stored_model_remembers_which_terms_matter(fitted, stored):
    assert stored.importance().equals(fitted.importance())
    assert list(stored._order()) == list(fitted._order())
    assert str(stored.summary(order="importance")) == str(fitted.summary(order="importance"))


def test_so_does_one_with_a_known_effect(mixed, z, tmp_path):
    model = PUGAM("x1 + x2 + offset(x3)", pi=0.4, check=False).fit(mixed, z)
    model.save(tmp_path / "model.json")

    assert pugam.load(tmp_path / "model.json").importance().equals(model.importance())


def test_a_copy_knows_how_terms_vary(fitted, mixed, z):
    for copied in (pickle.loads(pickle.dumps(fitted)), deepcopy(fitted), pickle.loads(pickle.dumps(deepcopy(fitted)))):
        assert copied.importance().equals(fitted.importance())
        assert list(copied._order()) == list(fitted._order())
        assert copied.attach(mixed, z).importance().equals(fitted.importance())


def test_a_model_that_does_not_know_how_terms_vary_needs_its_rows_back(fitted, mixed, z):
    pickled = pickle.loads(pickle.dumps(fitted))
    pickled._term_moments = None
    with pytest.raises(InputError, match=r"importance of terms needs the rows .* attach"):
        pickled.importance()
    with pytest.raises(InputError, match=r"ordered by importance needs the rows"):
        pickled.summary(order="importance")

    assert list(pickled._order()) == [0, 1, 2, 3]
    assert pickled.attach(mixed, z).importance().equals(fitted.importance())


def test_summary_and_pictures_take_either_order(fitted):
    ranked = [term for term in fitted.importance()["term"] if term.startswith("s(")]

    assert list(fitted.summary().smooth["term"]) == ["s(x2)", "s(x3)", "s(x1)"]
    assert list(fitted.summary(order="importance").smooth["term"]) == ranked
    assert next(ax.get_title() for ax in fitted.plot().axes) == fitted.importance()["term"][0]
    assert next(ax.get_title() for ax in fitted.plot(order="formula").axes) == "f(site)"
    with pytest.raises(InputError, match="order is 'importance' or 'formula'"):
        fitted.plot(order="size")
