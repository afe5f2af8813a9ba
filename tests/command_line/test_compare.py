"""`pugam compare`: two saved models side by side."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from pugam import PUGAM


@pytest.fixture(scope="module")
def models(make_rows):
    rows = make_rows(200, 500)
    z = rows["z"]
    return [PUGAM("x1 + x2", pi=pi, check=False).fit(rows[["x1", "x2"]], z) for pi in (None, 0.3)]


@pytest.fixture
def saved(empty_folder, models):
    for model, name in zip(models, ("may.json", "june.json"), strict=True):
        model.save(name)


def test_differences_are_told_and_written(pugam_says, saved, models):
    code, out, err = pugam_says("compare", "may.json", "june.json", "--level", "0.9", "--out", "curves.csv")

    assert (code, err) == (0, "")
    *told, last = out.splitlines()
    assert told == str(models[1].changes_since(models[0], 0.9)).splitlines()
    assert last == "100 rows: curves.csv"
    curves = pd.read_csv("curves.csv")
    assert list(curves.columns) == ["term", "at", "old", "new", "difference", "se", "lower", "upper"]


@pytest.mark.parametrize("make", [pl.from_pandas, pa.Table.from_pandas])
def test_models_of_other_libraries_are_compared_and_written(pugam_says, empty_folder, make_rows, make):
    rows = make_rows(200, 500)
    for name, site in (("may", "a"), ("june", "b")):
        X = rows[["x1"]].assign(site=np.where(np.arange(len(rows)) % 2, site, f"{site}2"))
        PUGAM("x1 + f(site)", pi=0.3, check=False).fit(make(X), rows["z"]).save(f"{name}.json")

    code, out, err = pugam_says("compare", "may.json", "june.json", "--out", "curves.csv", "--json", "found.json")

    assert (code, err) == (0, "")
    assert "f(site)  no values that both fits have seen" in out
    assert "50 rows: curves.csv" in out
    assert [row["at"] is None for row in json.loads(Path("found.json").read_text())["effects"]] == [False, True]


def test_doubts_about_a_fit_are_told(pugam_says, saved, models):
    doubtful = PUGAM("x1 + x2", check=False)
    doubtful.__dict__.update(models[0].__dict__)
    doubtful.verdict_ = "does not fit"
    doubtful.save("may.json")

    said = pugam_says("compare", "may.json", "june.json")[2]
    assert said == "! may.json: The model does not fit these data, and the comparison rests on it.\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["may.json", "july.json"], "july.json is not found"),
        (["may.json", "june.json", "--level", "2"], "--level is a probability"),
        (["may.json", "june.json", "--out", "curves.json"], "give it a name that ends in"),
    ],
)
def test_what_cannot_be_compared_is_said_in_one_line(pugam_says, saved, arguments, said):
    code, _, err = pugam_says("compare", *arguments)

    assert code == 2
    assert said in err
    assert err.count("\n") == 1
