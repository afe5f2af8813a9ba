"""`pugam drift`: a file of new rows against a saved model."""

import re
from functools import partialmethod

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM
from pugam.files import NO_TYPES, open_file
from pugam.files.csv_files import CsvFile


@pytest.fixture(scope="module")
def rows(make_rows):
    return make_rows(300, 900)[["x1", "x2", "z"]]


@pytest.fixture(scope="module")
def model(rows):
    return PUGAM("x1 + x2", check=False).fit(rows[["x1", "x2"]], rows["z"])


@pytest.fixture
def files(empty_folder, rows, model):
    model.save("may.json", data={"label": "z"})
    rows.assign(x2=rows["x2"] + 0.5).to_csv("june.csv", index=False)


def test_labelled_rows_are_left_out_and_the_rest_told(pugam_says, files, rows, model):
    new = rows[rows["z"] == 0].assign(x2=lambda frame: frame["x2"] + 0.5)
    code, out, _ = pugam_says("drift", "may.json", "june.csv", "--pi", "0.2", "--out", "drift.csv")

    assert code == 0
    first, *told, last = out.splitlines()
    assert first == f"{len(new):,} unlabelled rows"
    assert told == str(model.drift(new, pi=0.2)).splitlines()
    assert last == "2 columns: drift.csv"
    assert list(pd.read_csv("drift.csv").columns) == ["column", "distance", "pvalue", "moved", "change"]


def test_a_file_without_labels_is_taken_whole(pugam_says, files, rows, model):
    rows[["x1", "x2"]].to_csv("new.csv", index=False)
    code, out, _ = pugam_says("drift", "may.json", "new.csv")

    assert code == 0
    assert out.splitlines() == str(model.drift(rows[["x1", "x2"]])).splitlines()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["june.csv", "may.json"], "The model comes first: pugam drift MODEL DATA."),
        (["may.json", "june.csv", "--pi", "2"], "--pi is a share strictly between 0 and 1"),
        (["may.json", "june.csv", "--label", "nothing"], "no column 'nothing'"),
        (["may.json", "june.csv", "--label", "x1"], "column 'x1' holds '"),
        (["may.json", "june.csv", "--label", "x1"], "name the value that marks a labelled positive by --positive"),
        (["may.json", "june.csv", "--out", "drift.txt"], "give it a name that ends in"),
        (["may.json", "june.csv", "--level", "0"], "--level is a probability"),
    ],
)
def test_bad_input_ends_in_one_line(pugam_says, files, arguments, said):
    code, _, err = pugam_says("drift", *arguments)

    assert code == 2
    assert said in err
    assert err.count("\n") == 1


def test_new_rows_need_have_no_label_yet(pugam_says, files, rows, model):
    model.save("may.json", data={"label": "z", "positive": "yes"})
    rows.assign(z="").to_csv("new.csv", index=False)
    code, out, _ = pugam_says("drift", "may.json", "new.csv")

    assert code == 0
    assert out.splitlines()[0] == "900 unlabelled rows"


@pytest.mark.parametrize("verb", [["drift"], ["predict", "--top", "5", "--out", "list.csv"]])
def test_labels_written_otherwise_than_in_the_fit_are_not_taken_for_none(pugam_says, files, rows, verb):
    rows.assign(z=rows["z"].map({0: "no", 1: "yes"})).to_csv("july.csv", index=False)
    code, _, err = pugam_says(verb[0], "may.json", "july.csv", *verb[1:])

    assert code == 2
    assert "july.csv: column 'z' holds 'yes', but labels are 1, 0 or -1, true or false, or empty; mend them, or" in err


@pytest.mark.parametrize("verb", [["drift"], ["predict", "--top", "5", "--out", "list.csv"]])
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("1", "0"), "No row of column 'z' holds 'case', as labelled positives of the fit did: 300 '1', 600 '0' are"),
        (("Case", "none"), "fit did: 300 'Case', 600 'none' are taken as unlabelled. If some of them are positives,"),
        (("case ", ""), "300 'case ', 600 empty are taken as unlabelled"),
        (("none", "none"), "No row of column 'z' holds 'case', as labelled positives of the fit did: 900 'none' are"),
        (("case", "none"), None),
        (("case", ""), None),
        (("", ""), None),
    ],
)
def test_a_word_that_is_not_that_of_the_fit_is_told(pugam_says, files, rows, model, verb, words, said):
    model.save("may.json", data={"label": "z", "positive": "case"})
    rows.assign(z=rows["z"].map(dict(zip((1, 0), words, strict=True)))).to_csv("new.csv", index=False)
    code, _, err = pugam_says(verb[0], "may.json", "new.csv", *verb[1:])

    assert code == 0
    assert (said is None) == ("taken as unlabelled" not in err)
    assert said is None or said in err


def test_words_are_counted_over_all_batches_of_a_file(pugam_says, files, rows, model, monkeypatch):
    monkeypatch.setattr(CsvFile, "batches", partialmethod(CsvFile.batches, batch_rows=100))
    model.save("may.json", data={"label": "z", "positive": "case"})
    words = np.where(np.arange(len(rows)) == 850, "case", np.where(np.arange(len(rows)) < 300, "Case", "none"))
    rows.assign(z=words).to_csv("new.csv", index=False)
    code, _, err = pugam_says("predict", "may.json", "new.csv", "--top", "5", "--out", "list.csv")

    assert code == 0
    assert "! Column 'z': 300 'Case', 599 'none' are all taken as unlabelled. Leave out rows that are not.\n" in err
    assert "No row" not in err


def test_rows_are_weighted_as_in_the_fit(pugam_says, empty_folder, rows):
    weights = np.where(rows["x1"] > 0, 4.0, 1.0)
    model = PUGAM("x1 + x2", check=False).fit(rows[["x1", "x2"]], rows["z"], weights)
    model.save("may.json", data={"label": "z", "weights": "w"})
    rows.assign(w=weights).to_csv("june.csv", index=False)
    rows.to_csv("bare.csv", index=False)
    new = rows["z"] == 0

    code, out, err = pugam_says("drift", "may.json", "june.csv")
    assert (code, err) == (0, "")
    found = str(model.drift(rows.loc[new, ["x1", "x2"]], sample_weight=weights[new]))
    assert out.splitlines() == [
        f"{new.sum()} unlabelled rows",
        "weighted by column 'w', as in the fit",
        *found.split("\n"),
    ]
    code, out, err = pugam_says("drift", "may.json", "bare.csv")
    assert code == 0
    assert "Rows of the fit were weighted by column 'w', which bare.csv lacks" in err
    assert "weighted" not in out


def test_a_weight_that_is_none_is_found_by_its_line(pugam_says, files, model, rows):
    model.save("may.json", data={"label": "z", "weights": "w"})
    rows.assign(w=np.where(np.arange(len(rows)) == 500, -1.0, 1.0)).to_csv("june.csv", index=False)
    code, _, err = pugam_says("drift", "may.json", "june.csv")

    assert code == 2
    assert "june.csv, line 502 has -1.0" in err

    rows.assign(w=np.where(np.arange(len(rows)) == 0, "7", "north")).to_csv("june.csv", index=False)
    for command in (["drift", "may.json"], ["fit", "--label", "z", "--weights", "w"]):
        code, _, err = pugam_says(command[0], *command[1:], "june.csv")
        assert code == 2
        assert re.search("--weights must be numbers without gaps, one per row; june.csv, line [0-9]+ has 'north'", err)


@pytest.mark.parametrize("name", ["june.csv", "june.parquet"])
def test_rows_and_labels_of_two_files_are_never_taken_together(pugam_says, files, rows, monkeypatch, name):
    """The file becomes another one between the pass that reads features and the one that reads labels."""
    write = pd.DataFrame.to_csv if name.endswith("csv") else pd.DataFrame.to_parquet
    write(rows, name, index=False)
    kind, done = type(open_file(name)), []

    def read(self, columns=None, types=NO_TYPES, own=kind.read):
        if done:
            write(rows[:500], name, index=False)
        done.append(columns)
        return own(self, columns, types)

    monkeypatch.setattr(kind, "read", read)
    code, _, err = pugam_says("drift", "may.json", name)

    assert code == 2
    assert err == f"pugam: {name} has changed since it was opened; try again when nothing writes to it.\n"
