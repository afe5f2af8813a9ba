"""New rows held against a fitted model, with its rows or from a file."""

import json
import pickle

import numpy as np
import pytest

import pugam
from pugam import PUGAM
from pugam.datasets import simulate
from pugam.errors import InputError


@pytest.fixture(scope="module")
def may():
    data = simulate(2, n0=600, n=2000, pi=0.4, random_state=3)
    return data.X.assign(site=np.array(["a", "b"])[np.arange(2000) % 2]), data.z


@pytest.fixture(scope="module")
def model(may):
    return PUGAM(check=False).fit(*may)


@pytest.fixture(scope="module")
def june():
    data = simulate(2, n0=1, n=1501, pi=0.15, random_state=4)
    return data.X[1:].assign(site=np.array(["a", "b"])[np.arange(1500) % 2])


def test_a_column_that_moved_comes_first(model, june):
    drift = model.drift(june.assign(x5=june["x5"] + 0.3))

    assert drift.columns["column"].iloc[0] == "x5"
    assert drift.columns["moved"].iloc[0]
    assert "  x5  by " in str(drift)


def test_a_share_that_the_rows_contradict_is_told(model, june):
    of_fit, true = model.drift(june), model.drift(june, pi=0.15)

    assert of_fit.pi == model.pi_
    assert of_fit.contradicts
    assert "They contradict a share of" in str(of_fit)
    assert not true.contradicts
    assert true.share.lower < 0.15 < true.share.upper


def test_the_share_of_the_rows_is_where_posteriors_average_to_it(model, june):
    posterior = pugam.PUGAM.log_density_ratio(model, june)
    pi = model.drift(june).share.estimate

    assert np.mean(1.0 / (1.0 + np.exp(-posterior) * (1.0 - pi) / pi)) == pytest.approx(pi, abs=1e-6)


def test_rows_of_the_fit_have_not_moved(model, may):
    X, z = may
    drift = model.drift(X[z == 0])

    assert not drift.columns["moved"].any()
    assert drift.columns["distance"].max() < 0.02
    assert not drift.contradicts


def test_a_loaded_model_says_the_same(model, june, tmp_path):
    model.save(tmp_path / "model.json")
    loaded = pugam.load(tmp_path / "model.json")
    loaded.save(tmp_path / "again.json")

    assert str(loaded.drift(june)) == str(model.drift(june))
    assert str(pugam.load(tmp_path / "again.json").drift(june)) == str(model.drift(june))


def test_new_levels_are_told_and_do_not_count_for_the_share(model, june):
    drift = model.drift(june.assign(site=["a", "b", "c"] * 500))

    assert drift.n_left_out == 500
    assert (
        "500 of 1,500 rows cannot be scored and do not count for the share: site 'c' was not seen in the fit."
        in str(drift)
    )
    assert drift.columns["column"].iloc[0] == "site"
    one = str(model.drift(june.assign(site=["c", *["a", "b"] * 749, "a"])))
    assert "1 of 1,500 rows cannot be scored and does not count for the share: " in one


def test_a_model_that_kept_nothing_says_so(model, june, tmp_path):
    model.save(tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text())
    document["columns"] = None
    (tmp_path / "model.json").write_text(json.dumps(document))

    with pytest.raises(InputError, match="does not hold what its unlabelled rows looked like"):
        pugam.load(tmp_path / "model.json").drift(june)


def test_a_copy_knows_what_the_rows_looked_like_and_so_does_its_file(model, june, tmp_path):
    copied = pickle.loads(pickle.dumps(model))
    copied.save(tmp_path / "copy.json")
    model.save(tmp_path / "model.json")

    assert str(copied.drift(june)) == str(model.drift(june))
    documents = [json.loads((tmp_path / f"{name}.json").read_text()) for name in ("copy", "model")]
    assert documents[0]["columns"] == documents[1]["columns"]
    assert documents[0]["term_moments"] == documents[1]["term_moments"]


def test_rows_none_of_which_can_be_scored_are_refused(model, june):
    with pytest.raises(InputError, match="No row can be scored"):
        model.drift(june.assign(site="c"))


def test_a_share_that_is_none_is_refused(model, june):
    with pytest.raises(InputError, match="pi is a share strictly between 0 and 1"):
        model.drift(june, pi=1.5)


def test_text_in_place_of_numbers_is_refused(model, june):
    with pytest.raises(InputError, match="needs numbers, but column 'x1' holds text"):
        model.drift(june.assign(x1="low"))


def test_a_weighted_row_counts_as_several(model, june):
    weights = np.arange(len(june)) % 3
    weighted, repeated = model.drift(june, sample_weight=weights), model.drift(june.loc[june.index.repeat(weights)])

    assert weighted.share.estimate == pytest.approx(repeated.share.estimate)
    assert (weighted.share.lower, weighted.share.upper) == pytest.approx((repeated.share.lower, repeated.share.upper))
    assert weighted.pvalue == pytest.approx(repeated.pvalue)
    columns = [frame.set_index("column") for frame in (weighted.columns, repeated.columns)]
    assert columns[0]["distance"].to_dict() == pytest.approx(columns[1]["distance"].to_dict())
    assert columns[0]["change"].to_dict() == columns[1]["change"].to_dict()
    # P-values take a row of weight two for no more than it says.
    assert (columns[0]["pvalue"] >= columns[1]["pvalue"] - 1e-12).all()


def test_rows_of_a_weighted_fit_have_moved_only_without_their_weights(may):
    X, z = may
    weights = np.where(X["x1"] > X["x1"].median(), 8.0, 1.0)
    new = X[z == 0]
    weighted = PUGAM(check=False).fit(X, z, weights)

    assert not weighted.drift(new, sample_weight=weights[z == 0]).columns["moved"].any()
    assert weighted.drift(new).columns["column"].iloc[0] == "x1"


def test_weights_of_a_survey_count_by_their_ratios_alone(may):
    X, z = may
    weights = 1.0 + np.arange(len(X)) % 3
    surveyed = PUGAM(check=False).fit(X, z, weights, groups=np.arange(len(X)) % 100)
    new, own = X[z == 0], weights[z == 0]

    once, often = (surveyed.drift(new, sample_weight=scale * own).share for scale in (1.0, 50.0))
    assert (often.lower, often.upper) == pytest.approx((once.lower, once.upper))


def test_rows_of_weight_four_drift_as_four_rows(model, may):
    X, z = may
    unlabelled = X[z == 0].iloc[:60].assign(x1=lambda frame: frame["x1"] + 0.12)
    copies = unlabelled.iloc[np.repeat(np.arange(60), 4)]

    weighted, copied = model.drift(unlabelled, sample_weight=np.full(60, 4.0)), model.drift(copies)

    assert weighted.columns["pvalue"].tolist() == pytest.approx(copied.columns["pvalue"].tolist(), rel=1e-9)
    assert weighted.columns["moved"].tolist() == copied.columns["moved"].tolist()
    assert weighted.pvalue == pytest.approx(copied.pvalue, rel=1e-6)
