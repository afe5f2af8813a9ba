"""Files and flags that cannot be used: one line that says what is wrong and what to do, and nothing written."""

import gzip
import json
import os
import tempfile
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.files.csv_files import CsvFile
from pugam.files.parquet_files import ParquetFiles
from pugam.storage import FORMAT_VERSION

ROWS = 320
FIT = ["fit", "data.csv", "--label", "z", "--out", "model.json", "--report", "report.html"]
FIT_TWO = ["fit", "--positive-file", "yes.csv", "--unlabeled-file", "no.csv", "--out", "model.json"]
PREDICT = ["predict", "saved.json", "data.csv", "--out", "scored.csv"]
REPORT = ["report", "saved.json", "data.csv", "--label", "z", "--out", "report.html"]


@cache
def table():
    """Three features, groups of text, and the label z: 200 labelled positives, 120 unlabelled rows."""
    data = simulate(1, n0=200, n=ROWS, random_state=3)
    groups = np.array(["north", "south"])[np.arange(ROWS) % 2]
    return data.X[["x1", "x2", "x3"]].assign(site=groups, z=data.z)


@cache
def saved_model():
    """A model with a smooth, a linear and a factor term, as the text of its file."""
    model = PUGAM("s(x1) + x2 + f(site)").fit(table().drop(columns="z"), table()["z"])
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder, "saved.json"), data={"source": "data.csv", "label": "z"})
        return Path(folder, "saved.json").read_text(encoding="utf-8")


def csv(lines=None, drop=(), rename=None, **columns):
    """The table as CSV, perhaps with other columns; `lines` replaces single lines, counted from 1."""
    frame = table().assign(**columns).drop(columns=list(drop)).rename(columns=rename or {})
    text = frame.to_csv(index=False, lineterminator="\n").split("\n")
    for number, line in (lines or {}).items():
        text[number - 1] = line
    return "\n".join(text)


def column(value, at, of="x1"):
    """A column of the table with another value in one row, counted from 0."""
    values = table()[of].astype(object).tolist()
    values[at] = value
    return values


def changed_model(*path, value):
    """The saved model with another value at a place in it."""
    document = json.loads(saved_model())
    inner = document
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return json.dumps(document)


def only(kind):
    """The features of the positives (1) or of the unlabelled rows (0)."""
    return table().loc[table()["z"] == kind].drop(columns="z")


def two(yes=None, no=None):
    """Two files, positives and unlabelled rows, of frames."""
    yes, no = (only(kind) if frame is None else frame for kind, frame in ((1, yes), (0, no)))
    return {"yes.csv": yes.to_csv(index=False), "no.csv": no.to_csv(index=False)}


BAD_FILES = {
    "missing file": ({}, FIT, ["data.csv", "not found", "check the name"]),
    "empty file": ({"data.csv": ""}, FIT, ["data.csv", "empty", "needs a header and rows"]),
    "only line ends": ({"data.csv": "\n\n"}, FIT, ["data.csv", "empty", "needs a header"]),
    "header only": ({"data.csv": "x1,x2,z\n"}, FIT, ["data.csv", "header but no rows"]),
    "wrong delimiter": ({"data.csv": lambda: csv().replace(",", ";")}, FIT, ["data.csv, line 1", "--delimiter ';'"]),
    "delimiter of several characters": ({"data.csv": csv}, [*FIT, "--delimiter", "::"], ["delimiter", "'::'", "';'"]),
    "ragged line": ({"data.csv": partial(csv, {7: "0.1,0.2,1"})}, FIT, ["data.csv, line 7", "3 cells", "has 5"]),
    "unclosed quote": ({"data.csv": partial(csv, {9: '"0.1,0.2,0.3,north,1'})}, FIT, ["data.csv, line 9", "close it"]),
    "duplicate names": ({"data.csv": partial(csv, rename={"x2": "x1"})}, FIT, ["data.csv", "'x1'", "columns 1 and 2"]),
    "column without a name": ({"data.csv": partial(csv, rename={"x2": ""})}, FIT, ["data.csv", "column 2", "name it"]),
    "not UTF-8": (
        {"data.csv": lambda: csv(rename={"x2": "größe"}).encode("latin-1")},
        FIT,
        ["data.csv, line 1", "not UTF-8", "save the file as UTF-8"],
    ),
    "UTF-16": ({"data.csv": lambda: csv().encode("utf-16")}, FIT, ["data.csv", "UTF-16", "save the file as UTF-8"]),
    "text where numbers should be": (
        {"data.csv": partial(csv, x2=column("tall", 4, "x2"))},
        FIT,
        ["data.csv, line 6", "'x2'", "'tall' is not a number", "--drop x2"],
    ),
    "decimal commas": (
        {"data.csv": lambda: csv(x2=[f"{x:.3f}".replace(".", ",") for x in table()["x2"]])},
        FIT,
        ["data.csv, line 2", "'x2'", "decimals need a point"],
    ),
    "infinity": ({"data.csv": partial(csv, x1=column("inf", 2))}, FIT, ["'x1'", "infinity", "Replace it"]),
    "misspelt label": (
        {"data.csv": partial(csv, rename={"z": "labell"})},
        [*FIT[:3], "label"],
        ["'label'", "'labell'"],
    ),
    "text labels without --positive": (
        {"data.csv": partial(csv, z=np.where(table()["z"], "yes", "no"))},
        FIT,
        ["data.csv", "'z'", "'yes'", "--positive yes"],
    ),
    "--positive that does not occur": (
        {"data.csv": partial(csv, z=np.where(table()["z"], "yes", "no"))},
        [*FIT, "--positive", "ja"],
        ["data.csv", "'z'", "'ja'", "'yes', 'no'"],
    ),
    "labels 1 and 2": ({"data.csv": partial(csv, z=2 - table()["z"])}, FIT, ["2", "Code", "1", "0"]),
    "all rows labelled": ({"data.csv": partial(csv, z=1)}, FIT, ["unlabelled"]),
    "no row labelled": ({"data.csv": partial(csv, z=0)}, FIT, ["positive"]),
    "label empty in a row": (
        {"data.csv": partial(csv, z=column("", 3, "z"))},
        FIT,
        ["data.csv, line 5", "'z'", "--positive"],
    ),
    "missing value in a feature": (
        {"data.csv": partial(csv, x1=column("", 5))},
        FIT,
        ["data.csv", "'x1'", "missing", "--missing drop", "--missing effect"],
    ),
    "missing values in several features": (
        {"data.csv": partial(csv, x1=column("", 5), x3=column("", 9, "x3"))},
        FIT,
        ["data.csv, line 7", "'x1'", "and so has 'x3'", "--missing drop"],
    ),
    "negative weight": (
        {"data.csv": partial(csv, w=np.where(np.arange(ROWS) == 8, -1.0, 1.0))},
        [*FIT, "--weights", "w"],
        ["'w'", "not negative", "-1.0"],
    ),
    "weights of text": (
        {"data.csv": partial(csv, w=np.where(np.arange(ROWS) % 2, "light", "heavy"))},
        [*FIT, "--weights", "w"],
        ["'w'", "number"],
    ),
    "single feature": (
        {"data.csv": partial(csv, drop=["x2", "x3", "site"])},
        FIT,
        ["s(x1)", "add a second term", "fix pi"],
    ),
    "constant column in the terms": (
        {"data.csv": partial(csv, flat=3)},
        [*FIT, "--terms", "s(x1) + x2 + flat"],
        ["l(flat)", "constant", "leave it out"],
    ),
    "identifiers taken for a feature": (
        {"data.csv": lambda: csv(who=[f"patient {number}" for number in range(ROWS)])},
        FIT,
        ["'who'", "320 levels", "leave it out (--drop who, or --id who", "if it identifies"],
    ),
    "no feature left": (
        {"data.csv": partial(csv, drop=["x2", "x3", "site"])},
        [*FIT, "--drop", "x1"],
        ["data.csv", "no column is left", "drop fewer"],
    ),
    "folder without Parquet": ({"data": None}, ["fit", "data", "--label", "z"], ["data is a folder", ".parquet"]),
    "unknown suffix": ({"data.xlsx": "PK"}, ["fit", "data.xlsx", "--label", "z"], ["data.xlsx", "Excel", "CSV UTF-8"]),
    "unknown format": (
        {"data.dat": "a"},
        ["fit", "data.dat", "--label", "z"],
        ["data.dat", ".csv", ".parquet"],
    ),
    "workbook called CSV": (
        {"data.csv": b"PK\x03\x04 and more"},
        FIT,
        ["data.csv", "workbook", "save the table as CSV"],
    ),
    "not Parquet": (
        {"data.parquet": csv},
        ["fit", "data.parquet", "--label", "z"],
        ["data.parquet is not a Parquet file", "rename it"],
    ),
    "Parquet cut off": (
        {"data.parquet": lambda: table().to_parquet(index=False)[:-20]},
        ["fit", "data.parquet", "--label", "z"],
        ["data.parquet is cut off", "copy or write it again"],
    ),
    "gzip cut off": (
        {"data.csv.gz": lambda: gzip.compress(csv().encode())[:-300]},
        ["fit", "data.csv.gz", "--label", "z"],
        ["data.csv.gz is cut off", "copy or download the file again"],
    ),
    "Parquet with dates": (
        {"data.parquet": lambda: table().assign(day=pd.Timestamp("2024-01-31")).to_parquet(index=False)},
        ["fit", "data.parquet", "--label", "z"],
        ["'day'", "Dates and times are not supported"],
    ),
    "Parquet with lists": (
        {"data.parquet": lambda: table().assign(both=[[1, 2]] * ROWS).to_parquet(index=False)},
        ["fit", "data.parquet", "--label", "z"],
        ["data.parquet", "'both'", "several values per row"],
    ),
    "two files with different columns": (
        lambda: two(no=only(0).drop(columns="x2")),
        FIT_TWO,
        ["no.csv has no column 'x2'", "--drop it"],
    ),
    "two files with a column in another case": (
        lambda: two(no=only(0).rename(columns={"x2": "X2"})),
        FIT_TWO,
        ["yes.csv has no column 'X2'", "nearest name is 'x2'"],
    ),
    "two files, text in one and numbers in the other": (
        lambda: two(no=only(0).assign(site=1)),
        FIT_TWO,
        ["'site'", "text in yes.csv", "numbers in no.csv", "--drop it"],
    ),
    "two files, one missing": (lambda: two() | {"no.csv": ""}, FIT_TWO, ["no.csv is empty"]),
}

TERMS = [*FIT, "--terms"]
BAD_FLAGS = {
    "no --label": (FIT[:2], ["data.csv", "--label z"]),
    "no data": (["fit"], ["data.csv --label z", "--positive-file"]),
    "DATA and --positive-file": ([*FIT, "--positive-file", "data.csv"], ["--label", "--unlabeled-file", "not both"]),
    "only --positive-file": (["fit", "--positive-file", "data.csv"], ["--positive-file", "--unlabeled-file"]),
    "only --unlabeled-file": (["fit", "--unlabeled-file", "data.csv"], ["--positive-file", "--unlabeled-file"]),
    "two files and --label": (
        ["fit", "--positive-file", "data.csv", "--unlabeled-file", "data.csv", "--label", "z"],
        ["--label", "leave them out"],
    ),
    "unknown --drop": ([*FIT, "--drop", "sites"], ["data.csv", "'sites'", "nearest name is 'site'"]),
    "two columns behind one --drop": (
        [*FIT, "--drop", "x2", "site"],
        ["unexpected extra argument", "(site)", "--drop a --drop b"],
    ),
    "two columns behind one --drop=": (
        [*FIT, "--drop=x2", "site"],
        ["unexpected extra argument", "(site)", "--drop a --drop b"],
    ),
    "two columns behind one --drop, two files": (
        ["fit", "--positive-file", "data.csv", "--unlabeled-file", "data.csv", "--drop", "z", "the site"],
        ["Unexpected argument 'the site'", "--drop z --drop 'the site'"],
    ),
    "unknown --weights": ([*FIT, "--weights", "w"], ["data.csv", "'w'", "'x1', 'x2'"]),
    "unknown --groups": ([*FIT, "--groups", "sit", "--ci", "bootstrap"], ["data.csv", "'sit'", "'site'"]),
    "unknown --id": ([*FIT, "--id", "Site"], ["data.csv", "'Site'", "nearest name is 'site'"]),
    "one column for --label and --id": (
        [*FIT, "--id", "z"],
        ["Column 'z' cannot be both --label and --id; give --id another column."],
    ),
    "one column for --label and --weights": ([*FIT, "--weights", "z"], ["'z'", "both --label and --weights"]),
    "one file for positives and others": (
        ["fit", "--positive-file", "data.csv", "--unlabeled-file", "./data.csv"],
        ["--unlabeled-file data.csv and --positive-file data.csv are the same file", "would count twice", "leave one"],
    ),
    "column in --terms and --drop": ([*TERMS, "s(x1) + x2", "--drop", "x2"], ["'x2'", "feature", "choose one"]),
    "column in --terms and --weights": ([*TERMS, "s(x1) + x2", "--weights", "x2"], ["'x2'", "feature", "choose one"]),
    "formula not closed": (
        [*TERMS, "s(x1) + s(x2"],
        ["s( is never closed", "write a closing )", "\n  s(x1) + s(x2\n              ^\n"],
    ),
    "formula whose quotes the shell took": (
        [*TERMS, "s(x1, missing=effect) + x2"],
        [
            'as in missing="effect"',
            "the shell takes single quotes away",
            "\n  s(x1, missing=effect) + x2\n                ^\n",
        ],
    ),
    "formula with a product": ([*TERMS, "s(x1) * x2"], ["Write x + y + x:y", "\n  s(x1) * x2\n        ^\n"]),
    "formula with a label": ([*TERMS, "z ~ s(x1)"], ["leave out the ~", "\n  z ~ s(x1)\n    ^\n"]),
    "formula empty": ([*TERMS, ""], ["The formula is empty", "s(age)"]),
    "formula over two lines": ([*TERMS, "s(x1) +\ns(x2"], ["s( is never closed"]),
    "formula with a nonsensical option": ([*TERMS, "s(x1, k=1) + x2"], ["s(x1)", "at least 3", "got 1"]),
    "formula that names a missing column": ([*TERMS, "s(x1) + s(x22)"], ["data.csv", "'x22'", "nearest name is 'x2'"]),
    "formula with a column twice": ([*TERMS, "s(x1) + x1 + x2"], ["'x1'", "two terms, s(x1) and l(x1)", "keep one"]),
    "formula with a spline of text": ([*TERMS, "s(x1) + s(site)"], ["s(site) needs numbers", "'site'", "f(site)"]),
    "--pi nonsense": ([*FIT, "--pi", "half"], ["--pi", "'half'", "0.3"]),
    "--pi of three numbers": ([*FIT, "--pi", "0.1,0.2,0.3"], ["--pi", "0.1,0.4", "'0.1,0.2,0.3'"]),
    "--pi out of range": ([*FIT, "--pi", "1.5"], ["pi", "between 0 and 1", "1.5"]),
    "--pi that is no number": ([*FIT, "--pi", "nan"], ["pi", "between 0 and 1", "nan"]),
    "--pi with reversed bounds": ([*FIT, "--pi", "0.6,0.2"], ["pi", "(low, high)", "(0.6, 0.2)"]),
    "--level 2": ([*FIT, "--level", "2"], ["--level", "probability", "0.95"]),
    "--level of a word": ([*FIT, "--level", "high"], ["Invalid value for '--level'", "--help"]),
    "--ci nonsense": ([*FIT, "--ci", "exact"], ["--ci is wald, profile or bootstrap", "'exact'"]),
    "--resamples 0": ([*FIT, "--ci", "bootstrap", "--resamples", "0"], ["--resamples", "at least 2", "got 0"]),
    "strata of one group": ([*FIT, "--groups", "z", "--strata", "z"], ["--strata", "a single cluster", "join it"]),
    "unknown --strata": ([*FIT, "--strata", "sit"], ["data.csv", "'sit'", "'site'"]),
    "groups across strata": ([*FIT, "--groups", "site", "--strata", "z"], ["--groups", "'north'", "join both"]),
    "--smoothing nonsense": ([*FIT, "--smoothing", "lots"], ["smoothing", "'reml', 'aic', a number", "'lots'"]),
    "--smoothing negative": ([*FIT, "--smoothing", "-1"], ["smoothing", "non-negative", "-1.0"]),
    "--shrinkage nonsense": ([*FIT, "--shrinkage", "some"], ["--shrinkage is auto, always or never", "'some'"]),
    "--seed negative": ([*FIT, "--seed", "-1"], ["--seed", "at least 0", "got -1"]),
    "--engine nonsense": ([*FIT, "--engine", "abacus"], ["engine", "'memory'", "'abacus'"]),
    "--jobs 0": ([*FIT, "--jobs", "0"], ["jobs", "got 0"]),
    "--out with a wrong suffix": ([*FIT[:5], "model.pkl"], ["--out model.pkl", "ends in .json"]),
    "--out in a folder that does not exist": ([*FIT[:5], "no/model.json"], ["--out no/model.json", "'no'", "make it"]),
    "--out that is a folder": ([*FIT[:5], "folder.json"], ["folder.json", "a folder", "name of a file"]),
    "--report with a wrong suffix": ([*FIT[:7], "report.pdf"], ["--report report.pdf", "ends in .html"]),
    "--report in a folder that does not exist": ([*FIT[:7], "no/report.html"], ["--report no/report.html", "make it"]),
    "--report that is a folder": ([*FIT[:7], "folder.html"], ["folder.html", "a folder", "name of a file"]),
    "unknown option": ([*FIT, "--speed", "9"], ["No such option", "--speed", "--help"]),
    "unknown verb": (["fitt", "data.csv"], ["No such command 'fitt'", "--help"]),
    "verb of Python": (["worklist", "saved.json"], ["No such command 'worklist'; pugam predict", "--top 100"]),
    "export without a file": (["export", "saved.json"], ["Name the file to write", "--out scorer.py"]),
    "export to two files": (["export", "saved.json", "a.py", "--out", "b.py"], ["given twice", "SCORER", "--out"]),
    "option without its value": (["fit", "data.csv", "--label"], ["--label", "argument"]),
    "predict without --out": (PREDICT[:3], ["--out"]),
    "predict without data": (["predict", "saved.json", "--out", "scored.csv"], ["Missing argument", "DATA"]),
    "predict without a model": (["predict", "other.json", *PREDICT[2:]], ["other.json", "not found", "check the name"]),
    "predict by a table": (["predict", "data.csv", *PREDICT[2:]], ["data.csv", "JSON"]),
    "predict --pi 1.5": ([*PREDICT, "--pi", "1.5"], ["pi", "between 0 and 1", "1.5"]),
    "predict --pi 0": ([*PREDICT, "--pi", "0"], ["pi", "between 0 and 1", "0"]),
    "predict --level 2": ([*PREDICT, "--interval", "--level", "2"], ["--level", "probability", "0.95"]),
    "predict to an unknown suffix": ([*PREDICT[:4], "scored.xlsx"], ["scored.xlsx", ".csv", ".parquet"]),
    "predict to text of any kind": ([*PREDICT[:4], "scored.txt"], ["--out scored.txt", ".csv", ".parquet"]),
    "predict to a folder": ([*PREDICT[:4], "folder.csv"], ["folder.csv is a folder", "name of a file"]),
    "predict to a folder that does not exist": ([*PREDICT[:4], "no/scored.csv"], ["no/scored.csv", "make it first"]),
    "predict with --delimiter ;": ([*PREDICT, "--delimiter", ";"], ["data.csv, line 1", "','", "--delimiter"]),
    "report without data": (["report", "saved.json"], ["data.csv --label z", "--positive-file"]),
    "report without a model": (["report"], ["Missing argument", "MODEL"]),
    "report with a wrong suffix": ([*REPORT[:-1], "report.pdf"], ["--out report.pdf", "ends in .html"]),
    "report in a folder that does not exist": ([*REPORT[:-1], "no/report.html"], ["--out no/report.html", "make it"]),
    "report that is a folder": ([*REPORT[:-1], "folder.html"], ["folder.html is a folder"]),
    "report with an unknown --id": ([*REPORT, "--id", "patient"], ["data.csv", "'patient'"]),
    "report with an unknown --label": (["report", "saved.json", "data.csv", "--label", "zz"], ["data.csv", "'zz'"]),
    "report --top -1": ([*REPORT, "--top", "-1"], ["--top", "--help"]),
    "demo into a file": (["demo", "--out", "data.csv"], ["data.csv", "folder"]),
    "demo below a file": (["demo", "--out", "data.csv/demo"], ["data.csv", "folder"]),
    "simulate without --out": (["simulate"], ["Missing option", "--out"]),
    "simulate to an unknown suffix": (["simulate", "--out", "data.xlsx"], ["data.xlsx", ".csv", ".parquet"]),
    "simulate to text of any kind": (["simulate", "--out", "data.txt"], ["--out data.txt", ".csv", ".parquet"]),
    "simulate to a folder": (["simulate", "--out", "folder.csv"], ["folder.csv is a folder", "name of a file"]),
    "simulate setting 4": (["simulate", "--out", "new.csv", "--setting", "4"], ["setting", "1, 2 or 3", "4"]),
    "simulate fewer rows than labels": (["simulate", "--out", "new.csv", "--n0", "9", "--n", "5"], ["n0", "exceed"]),
    "simulate --pi 2": (["simulate", "--out", "new.csv", "--pi", "2"], ["pi", "between 0 and 1", "2"]),
    "simulate --seed -1": (["simulate", "--out", "new.csv", "--seed", "-1"], ["at least 0", "-1"]),
}

BAD_TO_PREDICT = {
    "missing column": (partial(csv, rename={"x1": "x_1"}), ["data.csv has no column 'x1'", "nearest name is 'x_1'"]),
    "unseen level": (partial(csv, site=column("west", 6, "site")), ["data.csv", "f(site)", "'west'", "--unseen zero"]),
    "text in a number column": (
        partial(csv, x2=column("tall", 4, "x2")),
        ["data.csv, line 6", "'x2'", "'tall' is not a number"],
    ),
    "missing value": (
        partial(csv, x1=column("NA", 5)),
        ["data.csv", "'x1'", "missing", "fill or drop", "when you fit (--missing effect)"],
    ),
    "missing level": (partial(csv, site=column("", 5, "site")), ["data.csv", "'site'", "missing", "fill or drop"]),
    "column of the output": (partial(csv, p_positive=0.5), ["data.csv has a column 'p_positive' already", "rename it"]),
    "empty file": ("", ["data.csv is empty"]),
    "ragged line": (partial(csv, {7: "0.1,0.2,1"}), ["data.csv, line 7", "3 cells", "has 5"]),
}

BAD_MODELS = {
    "empty": ("", ["saved.json", "not JSON"]),
    "cut off": (lambda: saved_model()[:1000], ["saved.json", "JSON"]),
    "no JSON": ("pi = 0.3\n", ["saved.json", "JSON"]),
    "binary": (b"\x80\x04\x95pickle", ["saved.json", "UTF-8"]),
    "no model": ('{"pi": 0.3}', ["saved.json: is not a saved model", '"format"']),
    "newer": (
        partial(changed_model, "format_version", value=FORMAT_VERSION + 1),
        ["saved.json: was written by a newer", "update pugam"],
    ),
    "a part missing": (lambda: saved_model().replace('"terms"', '"trems"', 1), ["saved.json", '"terms"']),
    "a number out of place": (
        partial(changed_model, "counts", "labelled", value=-3),
        ["saved.json: counts.labelled", "-3"],
    ),
}


def written(content):
    """What is in a file: text or bytes, or what makes them."""
    made = content() if callable(content) else content
    return made.encode() if isinstance(made, str) else made


def put(folder, files):
    """Write files, and folders where there is no content."""
    for name, content in (files() if callable(files) else files).items():
        if content is None:
            (folder / name).mkdir()
        else:
            (folder / name).write_bytes(written(content))


def everything_in(folder):
    """All files with their contents, and all folders."""
    return {path.relative_to(folder): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.fixture
def refuses(pugam_says, empty_folder):
    """Give a command that must fail, and return its complaint, after the folder was found as it was."""

    def run(*arguments):
        before = everything_in(empty_folder)
        code, out, err = pugam_says(*arguments)
        assert code == 2
        assert err.startswith("pugam: ")
        assert err.endswith("\n")
        assert err.count("\n") == (3 if err.endswith("^\n") else 1)  # a formula stands in a line of its own
        assert out == ""
        assert everything_in(empty_folder) == before
        return err

    return run


def by_name(cases):
    return [pytest.param(*case, id=name) for name, case in cases.items()]


@pytest.mark.parametrize(("files", "arguments", "said"), by_name(BAD_FILES))
def test_a_file_that_cannot_be_fitted_is_named_with_a_remedy(refuses, empty_folder, files, arguments, said):
    put(empty_folder, files)

    complaint = refuses(*arguments)

    assert [words for words in said if words not in complaint] == [], complaint


@pytest.mark.parametrize(("arguments", "said"), by_name(BAD_FLAGS))
def test_a_flag_that_cannot_be_followed_is_named_with_a_remedy(refuses, empty_folder, arguments, said):
    folders = {f"folder{suffix}": None for suffix in (".csv", ".html", ".json")}
    put(empty_folder, {"data.csv": csv, "saved.json": saved_model} | folders)

    complaint = refuses(*arguments)

    assert [words for words in said if words not in complaint] == [], complaint


@pytest.mark.parametrize(("content", "said"), by_name(BAD_TO_PREDICT))
def test_a_file_that_cannot_be_predicted_is_named_with_a_remedy(refuses, empty_folder, content, said):
    put(empty_folder, {"data.csv": content, "saved.json": saved_model})

    complaint = refuses(*PREDICT)

    assert [words for words in said if words not in complaint] == [], complaint


@pytest.mark.parametrize("verb", [PREDICT, REPORT], ids=["predict", "report"])
@pytest.mark.parametrize(("content", "said"), by_name(BAD_MODELS))
def test_a_model_that_cannot_be_read_is_named(refuses, empty_folder, verb, content, said):
    put(empty_folder, {"data.csv": csv, "saved.json": content})

    complaint = refuses(*verb)

    assert [words for words in said if words not in complaint] == [], complaint


def test_a_report_with_other_rows_than_those_of_the_fit_is_refused(refuses, empty_folder):
    put(empty_folder, {"data.csv": partial(csv, x1=column(0.99, 3)), "saved.json": saved_model})

    assert "These are not the rows the model was fitted to" in refuses(*REPORT)


def test_a_report_with_rows_left_out_is_refused(refuses, empty_folder):
    put(empty_folder, {"data.csv": lambda: "\n".join(csv().split("\n")[:-9]), "saved.json": saved_model})

    assert "These are not the rows the model was fitted to" in refuses(*REPORT)


def test_a_report_with_weights_that_the_fit_had_not_is_refused(refuses, empty_folder):
    put(empty_folder, {"data.csv": partial(csv, w=2.0), "saved.json": saved_model})

    assert "These are not the rows the model was fitted to" in refuses(*REPORT, "--weights", "w")


@pytest.mark.parametrize("option", [["--level", "high"], ["--speed"], ["--resamples", "1.5"]], ids=" ".join)
def test_a_pointer_to_help_is_a_sentence_of_its_own(refuses, empty_folder, option):
    assert refuses(*FIT, *option).endswith(". See pugam fit --help.\n")


@pytest.fixture
def tiny_batches(monkeypatch):
    """Let files be read ten rows at a time."""
    for kind in (CsvFile, ParquetFiles):
        monkeypatch.setattr(kind, "batches", _in_tens(kind.batches))


def _in_tens(batches):
    def read(self, *arguments, **options):
        return batches(self, *arguments, **options, batch_rows=10)

    return read


LATE = {
    "text in a number column": (partial(csv, x2=column("tall", 303, "x2")), "data.csv, line 305, column 'x2'"),
    "ragged line": (partial(csv, {310: "0.1"}), "data.csv, line 310 has 1 cell"),
    "unseen level": (partial(csv, site=column("west", 303, "site")), "'west'"),
    "missing value": (partial(csv, x1=column("", 303)), "'x1'"),
}


@pytest.mark.usefixtures("tiny_batches")
@pytest.mark.parametrize("before", [None, "what was here before"], ids=["new target", "existing target"])
@pytest.mark.parametrize(
    "target", ["scored.csv", pytest.param("scored.csv.gz", marks=pytest.mark.long), "scored.parquet"]
)
@pytest.mark.parametrize(("content", "said"), by_name(LATE))
def test_a_fault_late_in_a_file_leaves_nothing_behind(refuses, empty_folder, content, said, target, before):
    put(empty_folder, {"data.csv": content, "saved.json": saved_model})
    if before is not None:
        put(empty_folder, {target: before})

    assert said in refuses(*PREDICT[:4], target)


@pytest.mark.usefixtures("tiny_batches")
@pytest.mark.parametrize("name", ["unseen level", "missing value"])
def test_a_row_late_in_a_file_is_known_by_its_place_in_the_file(refuses, empty_folder, name):
    put(empty_folder, {"data.csv": LATE[name][0], "saved.json": saved_model})

    complaint = refuses(*PREDICT)

    assert "row 304" in complaint or "line 305" in complaint, complaint


@pytest.mark.usefixtures("tiny_batches")
def test_a_row_late_in_a_parquet_file_is_known_by_its_place_in_the_file(refuses, empty_folder):
    frame = table().assign(site=column("west", 303, "site"))
    put(empty_folder, {"data.parquet": frame.to_parquet(index=False), "saved.json": saved_model})

    complaint = refuses("predict", "saved.json", "data.parquet", "--out", "scored.parquet")

    assert "data.parquet" in complaint
    assert "row 304" in complaint, complaint


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("missing value", {"x1": column("", 5)}),
        ("infinity", {"x1": column("inf", 5)}),
        ("negative weight", {"w": np.where(np.arange(ROWS) == 5, -1.0, 1.0)}),
        ("empty label", {"z": column("", 5, "z")}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_rows_are_counted_from_one_in_every_complaint(refuses, empty_folder, name, changes):
    put(empty_folder, {"data.csv": csv(**changes)})

    complaint = refuses(*FIT, *(["--weights", "w"] if name == "negative weight" else []))

    assert "row 6" in complaint or "line 7" in complaint, complaint


@pytest.mark.parametrize("flag", ["--label", "--out"])
def test_a_name_of_bytes_that_are_no_text_is_refused(refuses, empty_folder, flag):
    put(empty_folder, {"data.csv": csv})
    name = os.fsdecode(b"d\xff.csv")

    assert "is not UTF-8 text; rename the file" in refuses("fit", name, "--label", "z")
    assert "is not UTF-8 text; rename the file" in refuses("fit", "data.csv", flag, name)


def test_a_seed_is_called_as_it_was_given(refuses, empty_folder):
    put(empty_folder, {"data.csv": csv})

    assert "--seed is None, a whole number from 0 to 2^32 - 1" in refuses(*FIT, "--seed", str(2**70))
