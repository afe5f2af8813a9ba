"""Several unlabelled samples on the command line: one by one, in several files, in predictions."""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pugam import load
from pugam.datasets import simulate


@pytest.fixture
def table(empty_folder):
    data = simulate(2, n0=500, n=1100, random_state=3)
    year = np.where(np.arange(1100) % 2 == 0, 2023, 2024)
    checked = pd.Series(data.y).where((data.z == 0) & (np.arange(1100) % 7 == 0)).astype("Int64")
    rows = data.X[["x1", "x2", "x3"]].assign(z=data.z, year=year, checked=checked)
    rows.loc[rows["z"] == 1, "year"] = pd.NA
    rows.to_csv("rows.csv", index=False)
    return rows


LINES = ["--terms", "x1 + x2 + x3", "--interactions", "none"]  # where a test is about samples, not about curves


def test_shares_of_samples_are_printed_and_saved(table, pugam_says):
    command = ["fit", "rows.csv", "--label", "z", "--sample", "year", "--audit", "checked", "--out", "model.json"]
    code, out, _ = pugam_says(*command)
    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    assert ["2023", "300", "43"] in [line[:3] for line in lines]
    assert ["2024", "300", "43"] in [line[:3] for line in lines]
    stored = json.loads(Path("model.json").read_text(encoding="utf-8"))
    assert stored["marginal"]["samples"]["names"] == ["2023", "2024"]
    assert [term["term"]["column"] for term in stored["terms"]][:3] == ["x1", "x2", "x3"]


def test_samples_that_are_equal_numbers_stay_apart_and_are_found_again(table, pugam_says):
    """By how they are spelt, and if they are spelt otherwise as the only number as large."""
    words = {2023: "01", 2024: "1e2"}
    text = table.assign(clinic=table["year"].map(words).fillna("1")).drop(columns=["year", "checked"])
    text.loc[(text["z"] == 0) & (np.arange(len(text)) % 3 == 0), "clinic"] = "1"
    text.to_csv("rows.csv", index=False)
    flags = ["--label", "z", "--sample", "clinic", *LINES, "--out", "model.json", "--quiet"]
    assert pugam_says("fit", "rows.csv", *flags)[0] == 0
    model = load("model.json")
    assert set(model.shares()["sample"]) == {"01", "1", "1e2", "all"}

    new = text[text["z"] == 0].drop(columns="z").head(40)
    expected = model.predict_proba(new[["x1", "x2", "x3"]], sample=new["clinic"].to_numpy())[:, 1]
    for names, file in (
        (new["clinic"], "new.csv"),
        (new["clinic"].replace("1e2", "100"), "new.csv"),
        (new["clinic"].replace("1e2", "100"), "new.parquet"),
    ):
        write = pd.DataFrame.to_csv if file.endswith(".csv") else pd.DataFrame.to_parquet
        write(new.assign(clinic=names), file, index=False)
        code, _, err = pugam_says("predict", "model.json", file, "--sample", "clinic", "--out", "scored.csv", "-q")
        assert code == 0, err
        assert pd.read_csv("scored.csv")["p_positive"].to_numpy() == pytest.approx(expected, abs=1e-9)
    new.assign(clinic="1.00").to_csv("new.csv", index=False)
    code, _, err = pugam_says("predict", "model.json", "new.csv", "--sample", "clinic", "--out", "scored.csv", "-q")
    assert code == 2
    assert "holds 1.00, but the fit has levels '01' and '1'" in err


def test_a_report_reads_the_same_samples_again(table, pugam_says):
    options = ["--label", "z", "--sample", "year", "--drop", "checked", *LINES, "--out", "model.json", "--quiet"]
    assert pugam_says("fit", "rows.csv", *options)[0] == 0
    code, _, err = pugam_says("report", "model.json", "rows.csv", "--quiet")
    assert code == 0, err
    assert Path("report.html").stat().st_size > 10_000


def test_a_prediction_says_that_samples_have_shares_of_their_own(table, pugam_says):
    options = ["--label", "z", "--sample", "year", "--drop", "checked", *LINES, "--out", "model.json", "--quiet"]
    assert pugam_says("fit", "rows.csv", *options)[0] == 0
    table[table["z"] == 0].drop(columns="z").to_csv("new.csv", index=False)
    table[table["z"] == 0][["x1", "x2", "x3"]].to_csv("bare.csv", index=False)
    told = "! Rows are scored with the share of all samples together; --sample year takes that of each row's own.\n"

    for data, flags, count in (
        ("new.csv", [], 1),
        ("new.csv", ["--sample", "year"], 0),
        ("new.csv", ["--pi", "0.2"], 0),
        ("bare.csv", [], 0),
    ):
        code, _, err = pugam_says("predict", "model.json", data, "--out", "scored.csv", *flags)
        assert (code, err.count(told)) == (0, count)


def test_curves_may_vary_with_the_sample(table, pugam_says):
    options = ["--label", "z", "--sample", "year", "--terms", "s(x1, by=year) + x2 + x3", "--out", "model.json"]
    code, out, err = pugam_says("fit", "rows.csv", *options)
    assert code == 0, err
    assert "f(year) 2023" in out
    unlabelled = table[table["z"] == 0].drop(columns="z")
    unlabelled.to_csv("new.csv", index=False)
    code, _, err = pugam_says("predict", "model.json", "new.csv", "--out", "scored.csv")
    assert (code, "the share of all samples" in err) == (0, False)
    wanted = load("model.json").predict_proba(unlabelled)[:, 1]
    assert pd.read_csv("scored.csv")["p_positive"].to_numpy() == pytest.approx(wanted)
    code, _, err = pugam_says("predict", "model.json", "new.csv", "--sample", "2023", "--out", "scored.csv")
    assert code != 0
    assert "Leave out --sample" in err
    code, _, err = pugam_says("fit", "rows.csv", *options[:-3], "x1 + s(year)")
    assert code != 0
    assert "--sample year takes it from the features" in err


def test_faults_are_told_by_line(table, pugam_says):
    table.assign(checked=[2, *[None] * 1099]).to_csv("rows.csv", index=False)
    code, _, err = pugam_says("fit", "rows.csv", "--label", "z", "--audit", "checked", "--drop", "year")
    assert code != 0
    assert "--audit is 2 in rows.csv, line 2" in err


@pytest.fixture
def files(table):
    """The same rows in a file of positives and one for each year."""
    features = table[["x1", "x2", "x3"]]
    features[table["z"] == 1].to_csv("known.csv", index=False)
    for year in (2023, 2024):
        features[table["year"] == year].to_csv(f"{year}.csv", index=False)
    return ["--positive-file", "known.csv", "--unlabeled-file", "2023.csv", "--unlabeled-file", "2024.csv"]


def pi_of(path):
    return json.loads(Path(path).read_text(encoding="utf-8"))["marginal"]["samples"]["logits"]


def test_each_unlabelled_file_is_a_sample(table, files, pugam_says):
    one = ["fit", "rows.csv", "--label", "z", "--sample", "year", "--drop", "checked", *LINES, "--out", "one.json"]
    assert pugam_says(*one)[0] == 0
    code, out, err = pugam_says("fit", *files, *LINES, "--out", "several.json", "--report", "report.html")
    assert code == 0, err
    assert ["2024", "300"] in [line.split()[:2] for line in out.splitlines()]
    assert pi_of("several.json") == pytest.approx(pi_of("one.json"), abs=1e-6)
    page = Path("report.html").read_text(encoding="utf-8")
    assert "Shares of the samples" in page
    assert "known.csv (positives), 2023.csv, 2024.csv (unlabelled)" in page
    assert pugam_says("report", "several.json", *files, "--out", "again.html", "--quiet")[0] == 0
    again = Path("again.html").read_text(encoding="utf-8")
    assert again.split("Shares of the samples")[1][:3000] == page.split("Shares of the samples")[1][:3000]
    code, _, err = pugam_says("report", "several.json", *files[:4], "--quiet")
    assert code != 0
    assert "not the samples the model was fitted to" in err


def test_a_file_needs_no_column_that_says_nothing_of_its_rows(table, files, pugam_says):
    """Labelled rows have no year, and no audit: the same fits as from a single file, and the same rows again."""
    for year in (2023, 2024):
        table.loc[table["year"] == year, ["x1", "x2", "x3", "checked"]].to_csv(f"{year}.csv", index=False)
    table.loc[table["z"] == 0, ["x1", "x2", "x3", "year", "checked"]].to_csv("years.csv", index=False)
    fits = {
        "one.json": ["rows.csv", "--label", "z", "--sample", "year"],
        "two.json": ["--positive-file", "known.csv", "--unlabeled-file", "years.csv", "--sample", "year"],
        "several.json": files,
    }
    for path, given in fits.items():
        code, _, err = pugam_says("fit", *given, "--audit", "checked", *LINES, "--out", path, "--quiet")
        assert code == 0, err
        rows = given[:1] if path == "one.json" else given[:4] if path == "two.json" else given
        for verb in ("report", "check", "refit"):
            code, _, err = pugam_says(verb, path, *rows, "--quiet")
            assert code == 0, err
    assert pi_of("one.json") == pytest.approx(pi_of("two.json"), abs=1e-6)
    assert pi_of("one.json") == pytest.approx(pi_of("several.json"), abs=1e-6)
    code, _, err = pugam_says("fit", *files, "--audit", "cheked", *LINES)
    assert code != 0
    assert "known.csv has no column 'cheked'" in err
    curves = ["--terms", "s(x1, by=year) + x2 + x3", "--drop", "checked", "--out", "own.json", "--quiet"]
    code, _, err = pugam_says("fit", *fits["two.json"], *curves)
    assert code == 0, err
    code, _, err = pugam_says("report", "own.json", *fits["two.json"][:4], "--quiet")
    assert code == 0, err


def test_curves_that_differ_are_named_with_what_to_type(table, pugam_says):
    moved = table.assign(x1=table["x1"].where(table["year"] != 2023, table["x1"] ** 3))
    moved.drop(columns="checked").to_csv("rows.csv", index=False)
    code, _, err = pugam_says("fit", "rows.csv", "--label", "z", "--sample", "year")
    assert code == 0
    assert "Give each sample curves of its own, by s(x1, by=year), or fit the samples one by one" in err
    own = ["--terms", "s(x1, by=year) + s(x2)", "--engine", "stream"]
    code, _, err = pugam_says("fit", "rows.csv", "--label", "z", "--sample", "year", *own)
    assert code != 0
    assert "Curves of their own for each year are for rows in memory: use --engine memory" in err


def test_files_that_cannot_be_told_apart_are_refused(table, files, pugam_says):
    Path("old").mkdir()
    Path("old/2023.csv").write_bytes(Path("2023.csv").read_bytes())
    code, _, err = pugam_says("fit", *files[:4], "--unlabeled-file", "old/2023.csv")
    assert code != 0
    assert "--unlabeled-file 2023.csv and old/2023.csv would both be the sample '2023'; rename one of them." in err


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_one_file_under_two_names_is_refused(files, pugam_says, link):
    link("2023.csv", "again.csv")
    code, _, err = pugam_says("fit", *files[:4], "--unlabeled-file", "again.csv")
    assert code == 2
    assert "--unlabeled-file again.csv and --unlabeled-file 2023.csv are the same file, whose rows would count" in err
    code, _, err = pugam_says("fit", *files[:4], "--negative-file", "again.csv")
    assert code == 2
    assert "--negative-file again.csv and --unlabeled-file 2023.csv are the same file" in err
    code, _, err = pugam_says("fit", *files, "--sample", "year")
    assert code != 0
    assert "Several --unlabeled-file are a sample each; give one file with --sample, or leave it out." in err
    code, _, err = pugam_says("fit", *files, "--shares", "pooled")
    assert code != 0
    assert "--shares pooled needs at least 3 unlabelled samples; there are 2." in err
    Path("2024.csv").rename("all.csv")
    code, _, err = pugam_says("fit", *files[:4], "--unlabeled-file", "all.csv")
    assert code != 0
    assert "--unlabeled-file all.csv would be the sample 'all', which is the name of all" in err


def test_columns_have_to_be_the_same_in_all_files(table, files, pugam_says):
    pd.read_csv("2024.csv").rename(columns={"x2": "x_2"}).to_csv("2024.csv", index=False)
    code, _, err = pugam_says("fit", *files)
    assert code != 0
    assert "known.csv has no column 'x_2', which 2024.csv has; its nearest name is 'x2'" in err


@pytest.fixture
def scored(table, pugam_says):
    """Fit, and give a function that predicts and returns the posteriors."""
    fit = [
        "fit",
        "rows.csv",
        "--label",
        "z",
        "--sample",
        "year",
        "--drop",
        "checked",
        *LINES,
        "--out",
        "model.json",
        "--quiet",
    ]
    assert pugam_says(*fit)[0] == 0
    rows = table[table["z"] == 0].reset_index(drop=True)
    rows.to_csv("new.csv", index=False)

    def predict(*options):
        code, _, err = pugam_says("predict", "model.json", "new.csv", "--out", "scored.csv", "--quiet", *options)
        return (pd.read_csv("scored.csv"), rows) if code == 0 else err

    return predict


def test_predictions_take_a_sample_or_a_column_of_them(scored):
    model = load("model.json")
    for sample in ("2024", "year"):
        found, rows = scored("--sample", sample)
        X = rows[["x1", "x2", "x3"]]
        expected = model.predict_proba(X, sample=rows["year"] if sample == "year" else sample)[:, 1]
        assert found["p_positive"].to_numpy() == pytest.approx(expected, abs=1e-12)
    found, rows = scored("--sample", "year", "--interval")
    limits = model.predict_interval(rows[["x1", "x2", "x3"]], sample=rows["year"])
    assert found["p_upper"].to_numpy() == pytest.approx(limits["upper"].to_numpy(), abs=1e-12)


def test_a_column_comes_before_a_sample_of_its_name(table, scored, pugam_says):
    rows = pd.read_csv("new.csv").rename(columns={"year": "2024"})
    rows.to_csv("new.csv", index=False)
    found, _ = scored("--sample", "2024")
    expected = load("model.json").predict_proba(rows[["x1", "x2", "x3"]], sample=rows["2024"])[:, 1]
    assert found["p_positive"].to_numpy() == pytest.approx(expected, abs=1e-12)


def test_samples_that_a_model_does_not_know_are_named(table, scored, pugam_says):
    assert "There is no sample '2025'; the samples are '2023', '2024'." in scored("--sample", "2025")
    assert "The share of positives is given twice, by --pi and by --sample" in scored("--sample", "2024", "--pi", "0.2")
    assert "given twice" in scored("--sample", "year", "--pi", "0.2")
    rows = pd.read_csv("new.csv").astype({"year": "Int64"})
    rows.assign(year=rows["year"].mask(rows.index == 3, 1999)).to_csv("new.csv", index=False)
    said = "--sample is '1999' in new.csv, line 5, but the samples of the fit are '2023', '2024'."
    assert said in scored("--sample", "year")
    rows.assign(year=rows["year"].mask(rows.index == 3)).to_csv("new.csv", index=False)
    assert "--sample is missing in new.csv, line 5; name the sample of every row." in scored("--sample", "year")
    one = [
        "fit",
        "rows.csv",
        "--label",
        "z",
        "--drop",
        "checked",
        "--drop",
        "year",
        *LINES,
        "--out",
        "model.json",
        "--quiet",
    ]
    assert pugam_says(*one)[0] == 0
    for name in ("2023", "year"):
        assert "There is one unlabelled sample only" in scored("--sample", name)
