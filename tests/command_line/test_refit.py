"""`pugam refit`: the settings, terms and roles of a saved model, applied to new rows."""

import numpy as np
import pandas as pd
import pytest

import pugam
from pugam import PUGAM


@pytest.fixture(scope="module")
def rows(make_rows):
    table = make_rows(200, 500)
    return table[["x1", "x2"]].assign(
        site=np.array(["north", "south"])[np.arange(500) % 2],
        town=[f"town {number % 5}" for number in range(500)],
        w=1.0 + np.arange(500) % 2,
        who=[f"A{number}" for number in range(500)],
        state=np.where(table["z"] == 1, "case", "open"),
    )


@pytest.fixture
def files(empty_folder, rows):
    rows.to_csv("may.csv", index=False)
    rows.iloc[::-1].head(480).to_csv("june.csv", index=False)


FIT = ["fit", "may.csv", "--label", "state", "--positive", "case", "--weights", "w", "--id", "who", "-q"]


def test_settings_terms_and_roles_are_those_of_the_model(pugam_says, files):
    flags = [
        "--drop",
        "town",
        "--smoothing",
        "0.1",
        "--shrinkage",
        "never",
        "--unseen",
        "zero",
        "--level",
        "0.9",
        "--out",
        "may.json",
    ]
    assert pugam_says(*FIT, *flags)[0] == 0

    code, out, _ = pugam_says("refit", "may.json", "june.csv", "--out", "june.json", "-q")

    may, june = pugam.load("may.json"), pugam.load("june.json")
    assert code == 0
    assert june.formula_ == may.formula_ == 's(x1) + s(x2) + f(site, unseen="zero")'
    assert (june.smoothing, june.shrinkage, june.unseen) == (0.1, "never", "zero")
    assert june.n0_ + june.n1_ < may.n0_ + may.n1_
    told = {name: june.provenance_["data"][name] for name in ("label", "positive", "weights", "id", "level", "source")}
    assert told == {
        "label": "state",
        "positive": "case",
        "weights": "w",
        "id": "who",
        "level": 0.9,
        "source": "june.csv",
    }
    assert june.provenance_["command"].startswith("pugam refit")
    first, *_, last = out.splitlines()
    assert first.startswith("pi = ")
    assert "90% interval" in first
    assert last.startswith("before: pi = ")
    assert "90% interval" in last


def test_the_same_rows_give_the_same_model(pugam_says, files):
    pugam_says(*FIT, "--terms", "s(x1) + x2", "--smoothing", "0.1", "--out", "may.json")
    pugam_says("refit", "may.json", "may.csv", "--out", "again.json", "-q")

    assert pugam.load("again.json").pi_ == pugam.load("may.json").pi_


def test_rows_are_dropped_where_the_fit_dropped_them(pugam_says, files):
    pugam_says(*FIT, "--drop", "town", "--smoothing", "0.1", "--missing", "drop", "--out", "may.json")
    gaps = pd.read_csv("june.csv")
    gaps.loc[:9, "x1"] = np.nan
    gaps.to_csv("june.csv", index=False)

    code, _, err = pugam_says("refit", "may.json", "june.csv", "-q")

    assert code == 0
    assert "Left out 10 of 480 rows" in err


@pytest.mark.long
def test_shares_stay_pooled(pugam_says, files):
    flags = ["--sample", "town", "--shares", "pooled", "--terms", "x1 + x2", "--out", "may.json"]
    assert pugam_says(*FIT, *flags)[0] == 0
    assert pugam_says("refit", "may.json", "june.csv", "--out", "june.json", "-q")[0] == 0

    assert pugam.load("june.json").provenance_["data"]["shares"] == "pooled"
    assert list(pugam.load("june.json").shares()["sample"]) == [*(f"town {number}" for number in range(5)), "all"]


def test_a_model_from_python_needs_to_be_told_the_labels(pugam_says, files, rows):
    z = (rows["state"] == "case").astype(int)
    PUGAM("x1 + x2", smoothing=0.1, check=False).fit(rows, z).save("may.json")

    assert "say which column tells the labelled positives" in pugam_says("refit", "may.json", "june.csv")[2]
    code, _, _ = pugam_says("refit", "may.json", "june.csv", "--label", "state", "--positive", "case", "-q")
    assert code == 0


def test_samples_that_no_column_tells_are_refused(pugam_says, files, rows):
    z = (rows["state"] == "case").astype(int)
    PUGAM("x1 + x2", check=False).fit(rows, z, sample="site").save("may.json")

    code, _, err = pugam_says("refit", "may.json", "june.csv", "--label", "state", "--positive", "case")

    assert code == 2
    assert "does not say which column tells them; use pugam fit with --sample" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["june.csv", "may.json"], "The model comes first: pugam refit MODEL DATA."),
        (["may.json", "june.csv", "--out", "june.txt"], "give it a name that ends in .json"),
        (["may.json"], "Give a file with a column of labels"),
        (["april.json", "june.csv"], "april.json is not found"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(pugam_says, files, rows, arguments, said):
    z = (rows["state"] == "case").astype(int)
    PUGAM("x1 + x2", pi=0.4, check=False).fit(rows, z).save("may.json")
    code, _, err = pugam_says("refit", *arguments)

    assert code == 2
    assert said in err
    assert err.count("\n") == 1


def test_new_gaps_and_levels_can_be_permitted(pugam_says, files, rows):
    assert pugam_says(*FIT, "--drop", "town", "--smoothing", "0.1", "--shrinkage", "never", "--out", "may.json")[0] == 0
    rows.assign(x1=rows["x1"].where(np.arange(500) % 10 > 0)).to_csv("june.csv", index=False)

    code, _, err = pugam_says("refit", "may.json", "june.csv", "-q")
    assert code == 2
    assert "(--missing drop), or give them an effect of their own (--missing effect)" in err

    flags = ["june.csv", "--unseen", "zero", "--out", "june.json", "-q"]
    assert pugam_says("refit", "may.json", "--missing", "effect", *flags)[0] == 0
    assert pugam.load("june.json").formula_ == 's(x1, missing="effect") + s(x2) + f(site, unseen="zero")'
    assert pugam_says("refit", "may.json", "--missing", "drop", *flags)[0] == 0
    assert pugam.load("june.json").n0_ == 280  # by their weights
    assert "--unseen is zero; got 'error'" in pugam_says("refit", "may.json", "june.csv", "--unseen", "error")[2]
