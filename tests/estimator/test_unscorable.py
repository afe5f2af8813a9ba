"""Policies of a model for gaps and unseen levels, at the fit and at prediction."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import pugam
from pugam import PUGAM
from pugam.datasets import simulate
from pugam.errors import InputError


@pytest.fixture(scope="module")
def data():
    return simulate(1, n0=300, n=800, pi=0.4, random_state=1)


@pytest.fixture(scope="module")
def table(data):
    return data.X[["x1", "x2"]].assign(site=np.array(["north", "south"])[np.arange(800) % 2])


@pytest.fixture(scope="module")
def model(table, data):
    return PUGAM("x1 + x2 + f(site)", pi=0.4, check=False).fit(table, data.z)


@pytest.fixture
def new(table):
    rows = table.head(4).copy()
    rows.loc[1, "x2"] = np.nan
    rows.loc[3, "site"] = "east"
    return rows


def test_a_policy_does_what_the_same_option_in_every_term_does(table, data):
    gaps = table.copy()
    gaps.loc[::7, "x2"] = np.nan
    by_policy = PUGAM("x1 + x2 + f(site)", missing="effect", unseen="zero", pi=0.4, check=False).fit(gaps, data.z)
    by_terms = PUGAM('x1 + l(x2, missing="effect") + f(site, unseen="zero")', pi=0.4, check=False).fit(gaps, data.z)

    assert by_policy.formula_ == by_terms.formula_
    assert by_policy.loglik_ == by_terms.loglik_


def test_terms_that_are_chosen_follow_the_policy(table, data):
    gaps = table.copy()
    gaps.loc[::7, "x2"] = np.nan

    chosen = PUGAM(missing="effect", unseen="zero", check=False).fit(gaps, data.z)

    assert chosen.formula_.startswith('s(x1) + s(x2, missing="effect") + f(site, unseen="zero")')


def test_policies_come_back_with_a_saved_model(table, data, tmp_path):
    PUGAM("x1 + f(site)", missing="effect", unseen="zero", pi=0.4, check=False).fit(table, data.z).save(
        tmp_path / "m.json"
    )

    again = pugam.load(tmp_path / "m.json")

    assert (again.missing, again.unseen) == ("effect", "zero")


@pytest.mark.parametrize(("name", "choices"), [("missing", "'error' or 'effect'"), ("unseen", "'error' or 'zero'")])
@pytest.mark.parametrize("value", ["drop", None, 3])
def test_a_policy_that_is_none_is_refused(table, data, name, choices, value):
    with pytest.raises(InputError, match=f"^{name} is {choices}; got {value!r}.$"):
        PUGAM("x1 + x2", **{name: value}).fit(table, data.z)


def test_rows_that_cannot_be_scored_are_nan_where_asked(model, table, new):
    posterior = model.predict_proba(new, unscorable="nan")

    assert np.isnan(posterior).any(axis=1).tolist() == [False, True, False, True]
    assert posterior[[0, 2]].tolist() == model.predict_proba(table.head(4))[[0, 2]].tolist()


def test_other_rows_do_not_change_where_another_share_is_given(model, table, new):
    logits = model.decision_function(new, pi=0.1, unscorable="nan")

    assert logits[[0, 2]].tolist() == model.decision_function(table.head(4), pi=0.1)[[0, 2]].tolist()


@pytest.mark.parametrize("make", [pl.from_pandas, lambda frame: frame], ids=["polars", "pandas"])
def test_reasons_are_told_row_by_row(model, new, make):
    told = model.unscorable(make(new))

    assert list(told["row"]) == [1, 3]
    assert list(told["reason"]) == ["x2 is missing", "site 'east' was not seen in the fit"]


def test_rows_keep_the_index_of_x(model, new):
    named = new.set_axis(list("abcd"), axis=0)

    assert model.unscorable(named)["row"].tolist() == ["b", "d"]
    assert model.predict_interval(named, unscorable="nan").index.tolist() == list("abcd")
    found = model.worklist(named, unscorable="nan")
    assert (sorted(found.rows["row"]), found.not_scored["row"].tolist()) == (["a", "c"], ["b", "d"])
    assert model.explain(named, unscorable="nan")["row"].unique().tolist() == list("abcd")


def test_arrays_are_scored_too(data):
    model = PUGAM("x0 + x1", pi=0.4, check=False).fit(data.X[["x1", "x2"]].to_numpy(), data.z)

    assert np.isnan(model.predict_proba([[0.5, np.nan], [0.5, 0.5]], unscorable="nan")[:, 1]).tolist() == [True, False]
    assert np.isnan(model.decision_function(np.array([[0.5, np.nan]]), unscorable="nan")).all()


def test_without_being_asked_they_are_refused(model, new):
    with pytest.raises(InputError, match="column 'x2' has missing values"):
        model.predict_proba(new)


def test_another_policy_is_refused(model, table):
    with pytest.raises(InputError, match=r"^unscorable is 'error' or 'nan'; got 'empty'.$"):
        model.predict_proba(table, unscorable="empty")


@pytest.mark.long
def test_kinds_of_positives_share_what_cannot_be_scored(table, data):
    kind = pd.Series(np.where(data.z == 1, np.array(["a", "b"])[np.arange(800) % 3 % 2], None))
    model = PUGAM("x1 + x2", check=False).fit(table[["x1", "x2"]], data.z, kind=kind)
    rows = table[["x1", "x2"]].head(3).copy()
    rows.loc[0, "x1"] = np.nan

    assert np.isnan(model.predict_proba(rows, unscorable="nan")[:, 1]).tolist() == [True, False, False]


def test_an_interval_of_a_row_that_cannot_be_scored_is_empty_and_says_why(model, table, new):
    found = model.predict_interval(new, unscorable="nan")

    assert list(found.columns) == ["p_positive", "se", "lower", "upper", "not_scored"]
    assert found["upper"].isna().tolist() == [False, True, False, True]
    assert found["not_scored"].dropna().tolist() == ["x2 is missing", "site 'east' was not seen in the fit"]
    pd.testing.assert_frame_equal(found.iloc[[0, 2], :4], model.predict_interval(table.head(3)).iloc[[0, 2]])


def test_an_explanation_of_a_row_that_cannot_be_scored_is_empty_and_says_why(model, table, new):
    found = model.explain(new, unscorable="nan")
    empty = found[found["row"] == 3]

    assert empty["contribution"].isna().all()
    assert set(empty["not_scored"]) == {"site 'east' was not seen in the fit"}
    assert empty["value"].tolist()[-1] == "east"
    scored = found[found["row"].isin([0, 2])].reset_index(drop=True)
    expected = model.explain(table.head(3).iloc[[0, 2]]).reset_index(drop=True)
    pd.testing.assert_frame_equal(scored[expected.columns], expected)
    assert np.isnan(model.explain(new, unscorable="nan", form="arrays").values[[1, 3]]).all()


def test_a_worklist_leaves_out_rows_that_cannot_be_scored(model, table, new):
    found = model.worklist(new.assign(id=list("abcd")), unscorable="nan", columns="id")
    alone = model.worklist(table.head(3).iloc[[0, 2]])

    assert sorted(found.rows["row"]) == [0, 2]
    assert sorted(found.rows["id"]) == ["a", "c"]
    assert found.found == alone.found
    assert found.not_scored["row"].tolist() == [1, 3]
    assert "2 rows without a score left out." in str(found)


@pytest.mark.parametrize("ask", ["predict_interval", "explain", "worklist"])
def test_rows_that_cannot_be_scored_are_refused_unless_they_may_be_empty(model, new, ask):
    with pytest.raises(InputError, match="x2"):
        getattr(model, ask)(new)
    with pytest.raises(InputError, match="No row can be scored, the first because x2 is missing"):
        getattr(model, ask)(new.iloc[[1, 3]], unscorable="nan")
    with pytest.raises(InputError, match="unscorable is 'error' or 'nan'"):
        getattr(model, ask)(new, unscorable="empty")


def test_the_refusal_of_a_level_names_both_ways_out(model, new):
    way_out = r'score, as predict_proba\(X, unscorable="nan"\) does, or fit again with f\(site, unseen="zero"\)'
    with pytest.raises(InputError, match=way_out):
        model.predict_proba(new.iloc[[3]])


@pytest.mark.parametrize("ask", ["predict", "log_density_ratio", "predict_interval", "explain"])
def test_advice_to_leave_rows_without_a_score_can_be_taken_whatever_was_asked(model, new, ask):
    with pytest.raises(InputError) as refusal:
        getattr(model, ask)(new.iloc[:2])
    advised = re.search(r"predict_proba\(X, .*?\)", str(refusal.value))[0]

    assert np.isnan(eval(f"model.{advised}", {"model": model, "X": new})[1, 1])
