"""A model fitted again to new rows: the same settings and terms, other numbers."""

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import NotFittedError

import pugam
from pugam import PUGAM
from pugam.datasets import simulate


@pytest.fixture(scope="module")
def may():
    return simulate(2, n0=500, n=1300, pi=0.4, random_state=1)


@pytest.fixture(scope="module")
def june():
    return simulate(2, n0=500, n=1300, pi=0.2, random_state=2)


@pytest.fixture(scope="module")
def model(may):
    return PUGAM(pi_prior=None, missing="effect", random_state=3, check=False).fit(may.X, may.z)


def test_the_same_rows_give_the_same_model(model, may):
    again = model.refit(may.X, may.z)

    assert again.formula_ == model.formula_
    assert again.pi_ == pytest.approx(model.pi_, abs=1e-6)
    assert again.loglik_ == pytest.approx(model.loglik_, abs=1e-4)


def test_new_rows_give_another_and_the_old_one_stays(model, june):
    before = model.pi_
    again = model.refit(june.X, z=june.z)

    assert again is not model
    assert model.pi_ == before
    assert again.pi_ < model.pi_ - 0.05
    settings = again.get_params()
    assert (settings["pi_prior"], settings["missing"], settings["random_state"]) == (None, "effect", 3)


def test_terms_are_not_chosen_anew(model, june):
    again = model.refit(june.X.assign(other=np.arange(1300) % 7), june.z)

    assert again.formula_ == model.formula_


def test_interactions_that_were_found_are_taken_as_they_are():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 3))
    y = rng.random(3000) < 1 / (1 + np.exp(-(2.0 * X[:, 0] * X[:, 1] + X[:, 2])))
    z = (y & (rng.random(3000) < 0.5)).astype(int)
    found = PUGAM(check=False).fit(X, z)

    again = found.refit(X, z)

    assert "ti(" in found.formula_
    assert again.formula_ == found.formula_
    assert again.pi_ == pytest.approx(found.pi_, abs=1e-3)


def test_a_loaded_model_can_be_fitted_again(model, may, june, tmp_path):
    model.save(tmp_path / "may.json")

    assert pugam.load(tmp_path / "may.json").refit(june.X, june.z).pi_ == model.refit(june.X, june.z).pi_


def test_roles_are_given_as_in_a_fit(may):
    X = may.X.assign(year=np.array(["2023", "2024"])[np.arange(1300) % 2])
    model = PUGAM("x1 + x2 + x3", check=False).fit(X, may.z, sample="year")

    assert list(model.refit(X, may.z, sample="year").shares()["sample"]) == ["2023", "2024", "all"]


def test_shares_that_were_pooled_are_pooled_again(may, tmp_path):
    site = np.where(may.z == 1, None, np.array(list("abcd"))[np.arange(len(may.z)) % 4])
    pooled = PUGAM("x1 + x2 + x3", check=False).fit(may.X, may.z, sample=site, shares="pooled")
    pooled.save(tmp_path / "pooled.json")

    again = pugam.load(tmp_path / "pooled.json").refit(may.X, may.z, sample=site)
    apart = pooled.refit(may.X, may.z, sample=site, shares="separate")

    np.testing.assert_allclose(again.shares()["pi"], pooled.shares()["pi"], atol=1e-6)
    assert apart.shares()["pi"][:4].std() > 1.1 * pooled.shares()["pi"][:4].std()


def test_only_a_fitted_model_can_be_fitted_again(may):
    with pytest.raises(NotFittedError):
        PUGAM().refit(may.X, may.z)


@pytest.fixture(scope="module")
def lines(may, june):
    terms = ("x1 + x2 + x3", "x1 + x2 + x4")
    return [
        PUGAM(term, interactions=None, check=False).fit(each.X, each.z)
        for term, each in zip(terms, (may, june), strict=True)
    ]


def test_changes_hold_both_shares_and_their_difference(lines):
    old, new = lines
    changes = new.changes_since(old, level=0.9)
    row = changes.shares.iloc[0]

    assert list(changes.shares["sample"]) == ["all"]
    assert row["difference"] == pytest.approx(new.pi_ - old.pi_)
    assert (row["old_lower"], row["new_upper"]) == (old.pi_interval(0.9).lower, new.pi_interval(0.9).upper)
    assert (row["lower"], row["upper"]) == (changes.share.lower, changes.share.upper)


def test_changes_name_terms_that_one_of_them_lacks(lines):
    old, new = lines
    changes = new.changes_since(old)

    assert changes.effects["term"].tolist() == ["l(x1)", "l(x2)"]
    assert (changes.only_old, changes.only_new) == (("l(x3)",), ("l(x4)",))
    assert "Only in the old model: l(x3)." in str(changes)
    assert "taken as independent" in str(changes)


def test_curves_are_those_of_effect_but_for_their_centre(lines):
    old, new = lines
    curve = new.changes_since(old).curves.query("term == 'l(x1)'")
    effect = new.effect("x1", grid=curve["at"].astype(float).to_numpy())

    assert np.ptp(effect["u"] - curve["new"].to_numpy()) == pytest.approx(0.0, abs=1e-2)  # points are rounded


def test_loaded_models_are_compared_without_their_rows(lines, tmp_path):
    for model, name in zip(lines, ("old", "new"), strict=True):
        model.save(tmp_path / f"{name}.json")
    old, new = (pugam.load(tmp_path / f"{name}.json") for name in ("old", "new"))

    assert str(new.changes_since(old)) == str(lines[1].changes_since(lines[0]))


@pytest.mark.parametrize("make", [lambda X: X, pl.from_pandas, pa.Table.from_pandas])
def test_terms_without_common_values_are_said_to_have_none(may, june, make):
    first, second = (
        PUGAM("x1 + x2", interactions=None, pi=0.3, check=False).fit(
            make(each.X[["x1", "x2"]].assign(x2=each.X["x2"] + shift)), each.z
        )
        for each, shift in ((may, 0.0), (june, 100.0))
    )
    said = str(second.changes_since(first))

    assert "l(x2)  no values that both fits have seen" in said
    assert "nan" not in said


def test_samples_of_both_are_compared(may):
    X = may.X.assign(year=np.array(["2023", "2024"])[np.arange(1300) % 2])
    model = PUGAM("x1 + x2 + x3", check=False).fit(X, may.z, sample="year")
    shares = model.changes_since(model).shares

    assert list(shares["sample"]) == ["2023", "2024", "all"]
    assert shares["difference"].abs().max() == 0.0


def test_what_is_no_model_is_refused(lines):
    with pytest.raises(pugam.InputError, match="compared with another fitted PUGAM; got a str"):
        lines[0].changes_since("old.json")
