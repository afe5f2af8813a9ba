"""`pugam fit`: the same numbers as PUGAM itself; what is printed, and what is written."""

import json
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pugam
from pugam import PUGAM, PugamWarning
from pugam.command_line import main
from pugam.command_line.wording import in_flags
from pugam.inference import bootstrap as bootstrap_module

ROWS = 320
# Files and labels are read alike however curves are smoothed; with smoothing given, a fit takes a fraction of the time.
GIVEN = ("--smoothing", "0.1")
LINEAR = ("--terms", "x1 + x2")


def first_line(text):
    return text.split("\n", 1)[0]


def test_the_first_line_is_pi_with_its_interval(pugam_says, data, plain):
    code, out, err = pugam_says("fit", data, "--label", "z")

    assert (code, err) == (0, "")
    assert first_line(out) == f"pi = {plain.pi_interval()}"
    assert "share of positives among the 120 unlabelled rows, interval by marginal likelihood" in out


def test_that_a_model_does_not_fit_is_told_however_quiet_the_command(pugam_says, data, plain, monkeypatch):
    found = replace(plain.diagnose(), verdict="does not fit")
    monkeypatch.setattr(PUGAM, "diagnose", lambda model: found)

    for loudness in ((), ("--quiet",)):
        code, out, err = pugam_says("fit", data, "--label", "z", *loudness)

        assert code == 0
        assert err.startswith("! The model does not fit these data.")
        assert first_line(out) == f"pi = {plain.pi_interval()}"


def test_summary_and_diagnosis_are_printed_unless_the_command_is_quiet(pugam_says, data, plain):
    _, loud, _ = pugam_says("fit", data, "--label", "z", "--out", "model.json", "--report", "report.html")
    code, quiet, err = pugam_says("fit", data, "--label", "z", "--quiet")

    assert str(plain.summary()) in loud
    assert plain.diagnose().in_words(words=in_flags) in loud
    assert loud.splitlines()[-2:] == ["Model: model.json", "Report: report.html"]
    assert (code, err) == (0, "")
    assert quiet.splitlines() == loud.splitlines()[:2]


def test_the_level_is_that_of_pi_and_of_the_summary(pugam_says, data, plain):
    _, out, _ = pugam_says("fit", data, "--label", "z", "--level", "0.8")

    assert first_line(out) == f"pi = {plain.pi_interval(0.8)}"
    assert str(plain.summary(0.8)) in out


def test_terms_are_those_of_the_formula(fitted, rows):
    rows.to_csv("data.csv", index=False)
    formula = "s(x1, k=6) + x2 + f(site)"

    model, _ = fitted("data.csv", "--label", "z", "--terms", formula, *GIVEN)

    assert model.pi_ == PUGAM(formula, smoothing=0.1).fit(rows, rows["z"]).pi_
    assert model.formula_ == "s(x1, k=6) + l(x2) + f(site)"
    assert list(model.feature_names_in_) == ["x1", "x2", "site"]


def test_columns_may_stand_in_labelling_or_in_pairs_alone(fitted, pugam_says, rows):
    rows.assign(code=np.arange(len(rows)) % 2).to_csv("data.csv", index=False)
    gaps = rows.assign(code=np.where(np.arange(len(rows)) % 40 == 0, np.nan, np.arange(len(rows)) % 2))
    gaps.to_csv("gaps.csv", index=False)
    features, drop = ("--terms", "x1 + x2 + x3"), ("--missing", "drop")

    labelling, _ = fitted("data.csv", "--label", "z", *features, "--labelling", "f(code)", "--ci", "wald")
    _, _, err = pugam_says("fit", "gaps.csv", "--label", "z", *features, "--labelling", "f(code)", *drop)
    pairs, _ = fitted("data.csv", "--label", "z", "--terms", "x1 + x2", "--interactions", "x1:x3", "--pi", "0.5")

    assert labelling.formula_ == "l(x1) + l(x2) + l(x3) + labelling(f(code))"
    assert f"Left out 8 of {len(rows)} rows: they lack a value in a feature." in err
    assert pairs.formula_ == PUGAM("x1 + x2", pi=0.5, interactions=[("x1", "x3")]).fit(rows, rows["z"]).formula_
    assert list(pairs.feature_names_in_) == ["x1", "x2", "x3"]


def test_a_label_that_is_no_number_is_to_be_mended(pugam_says, rows):
    rows.assign(z=[*rows["z"].astype(str)[:-1], "oops"]).to_csv("data.csv", index=False)
    code, _, err = pugam_says("fit", "data.csv", "--label", "z")

    assert code == 2
    assert (
        "line 321, column 'z': 'oops' is not a number, but 319 of the column's 320 cells are; mend the cell; a" in err
    )


@pytest.mark.parametrize(
    "formula",
    [
        "te(x1, x2, k=4) + x3",
        "x1 + x2 + f(site) + x2:site",
        pytest.param("s(x1, k=5) + f(site) + s(x2, k=5, by=site)", marks=pytest.mark.long),
    ],
)
def test_terms_of_several_columns(fitted, rows, formula):
    rows.to_csv("data.csv", index=False)

    model, _ = fitted("data.csv", "--label", "z", "--terms", formula, "--pi", "0.5")

    assert model.loglik_ == PUGAM(formula, pi=0.5).fit(rows, rows["z"]).loglik_


def test_a_bootstrap_that_was_stopped_goes_on_from_its_store(pugam_says, data, monkeypatch):
    command = ("fit", data, "--label", "z", "--ci", "bootstrap", "--resamples", "20", "--quiet", *GIVEN)
    undisturbed, refit = pugam_says(*command), bootstrap_module._refit

    def interrupt(fitted, counts, reselect):
        if len(counts) != 16:  # those of the first batch
            raise KeyboardInterrupt
        return refit(fitted, counts, reselect)

    monkeypatch.setattr(bootstrap_module, "_refit", interrupt)
    code, out, err = pugam_says(*command, "--store", "refits.jsonl", "--jobs", "1")
    monkeypatch.setattr(bootstrap_module, "_refit", refit)

    assert (code, out) == (130, "")
    assert err == (
        "pugam: Stopped; the refits that are done are kept in refits.jsonl. The same command goes on from there.\n"
    )
    assert Path("refits.jsonl").read_bytes().count(b"\n") == 2
    assert pugam_says(*command, "--store", "refits.jsonl") == undisturbed
    assert Path("refits.jsonl").read_bytes().count(b"\n") == 3


def test_a_store_of_another_bootstrap_is_refused(pugam_says, data):
    command = (
        "fit",
        data,
        "--label",
        "z",
        "--ci",
        "bootstrap",
        "--resamples",
        "4",
        "--store",
        "refits.jsonl",
        "--quiet",
    )
    assert pugam_says(*command)[0] == 0

    assert pugam_says(*command, "--resamples", "5") == (
        2,
        "",
        "pugam: refits.jsonl holds refits made with another number of resamples; name another file, or delete that one "
        "to begin anew.\n",
    )
    assert pugam_says("fit", data, "--label", "z", "--store", "refits.jsonl") == (
        2,
        "",
        "pugam: --store keeps the refits of a bootstrap; give --ci bootstrap, too.\n",
    )


def test_the_interval_may_be_that_of_the_profile(fitted, data, plain):
    _, out = fitted(data, "--label", "z", "--ci", "profile", "--level", "0.9")

    assert first_line(out) == f"pi = {plain.pi_interval(0.9, 'profile')}"
    assert "profile interval" in out


@pytest.mark.parametrize(
    ("given", "pi"), [("0.3", 0.3), ("0.1,0.4", (0.1, 0.4)), pytest.param("0, 1", (0.0, 1.0), marks=pytest.mark.long)]
)
def test_pi_may_be_fixed_or_bounded(pugam_says, data, rows, features, given, pi):
    code, out, _ = pugam_says("fit", data, "--label", "z", "--pi", given, "--out", "model.json", "--quiet", *GIVEN)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PugamWarning)
        own = PUGAM(pi=pi, smoothing=0.1).fit(features, rows["z"])
    assert code == 0
    assert pugam.load("model.json").pi_ == own.pi_
    assert first_line(out) == f"pi = {own.pi_interval()}"


@pytest.mark.parametrize("shrinkage", ["auto", "always", pytest.param("never", marks=pytest.mark.long)])
def test_shrinkage_is_that_of_the_model(pugam_says, data, rows, features, shrinkage):
    code, _, _ = pugam_says("fit", data, "--label", "z", "--shrinkage", shrinkage, *LINEAR, "--out", "model.json")
    assert code == 0
    model = pugam.load("model.json")

    plain = PUGAM("x1 + x2", shrinkage=shrinkage).fit(features, rows["z"])
    assert (model.shrinkage, model.shrinkage_) == (shrinkage, plain.shrinkage_)
    if shrinkage != "auto":
        assert (model.shrinkage_ is not None) == (shrinkage == "always")
    assert model.pi_ == plain.pi_


def test_shrunken_curves_are_printed_and_their_warnings_point_to_flags(pugam_says, empty_folder):
    values = np.random.default_rng(0).normal(size=(60, 3))
    table = pd.DataFrame(np.tile(values, (3, 1)), columns=["x1", "x2", "x3"])  # labels have nothing to do with these
    table.assign(z=np.repeat([1, 0, 0], 60)).to_csv("data.csv", index=False)

    code, out, err = pugam_says("fit", "data.csv", "--label", "z", "--terms", "x1 + x2 + x3", "--shrinkage", "always")

    assert code == 0
    assert "curves shrunk (ridge " in out
    assert "! pi is not determined." in err
    assert "(--pi" in err
    assert "diagnose()" not in out + err


@pytest.mark.parametrize(
    ("given", "smoothing"), [("aic", "aic"), ("10", 10.0), pytest.param("1e-3", 1e-3, marks=pytest.mark.long)]
)
def test_smoothing_is_a_word_or_a_number(fitted, data, rows, features, given, smoothing):
    model, _ = fitted(data, "--label", "z", "--smoothing", given, "--terms", "s(x1, k=5) + x2")

    assert model.pi_ == PUGAM("s(x1, k=5) + x2", smoothing=smoothing).fit(features, rows["z"]).pi_


def test_a_single_feature_will_do_where_pi_is_known(fitted, rows):
    rows[["x1", "z"]].to_csv("data.csv", index=False)

    assert fitted("data.csv", "--label", "z", "--pi", "0.4")[0].formula_ == "s(x1)"


def test_a_warning_is_one_line_on_stderr(pugam_says, rows, features):
    features.assign(flat=1, level="one", z=rows["z"]).to_csv("data.csv", index=False)

    code, out, err = pugam_says("fit", "data.csv", "--label", "z", "--pi", "0.01,0.02", "--quiet")

    lines = err.splitlines()
    assert code == 0
    assert len(lines) == 2
    assert any(
        line.startswith("! Left out 2 constant columns, which can have no effect: flat, level") for line in lines
    )
    assert any(line.startswith("! pi is not determined. The estimate of pi lies on the boundary") for line in lines)
    assert "!" not in out


def test_a_warning_about_a_name_with_a_line_end_is_one_line(pugam_says, rows, features):
    features.assign(z=rows["z"], **{"one\ntwo": 1}).to_csv("data.csv", index=False)

    code, _, err = pugam_says("fit", "data.csv", "--label", "z", "--quiet", *GIVEN)

    assert code == 0
    assert [line[:2] for line in err.splitlines()] == ["! "]


def test_an_error_about_a_name_with_a_line_end_is_one_line(pugam_says, rows, features):
    gaps = features["x1"].where(np.arange(ROWS) != 4)
    features.assign(z=rows["z"], **{"one\ntwo": gaps}).to_csv("data.csv", index=False)

    code, out, err = pugam_says("fit", "data.csv", "--label", "z", "--quiet")

    assert (code, out) == (2, "")
    assert err.count("\n") == 1


def test_a_saved_model_knows_its_command_and_its_columns(fitted, rows, features):
    features.assign(w=1.0, **{"is ill": rows["z"]}).to_csv("data.csv", index=False)

    model, _ = fitted("./data.csv", "--label", "is ill", "--weights", "w", *GIVEN)

    command = "pugam fit ./data.csv --label 'is ill' --weights w --smoothing 0.1 --out model.json --quiet"
    known = {"source": "data.csv", "label": "is ill", "positive": None, "weights": "w", "id": None, "missing": "error"}
    assert model.provenance_["command"] == command
    assert model.provenance_["data"] == {**known, "ci": None, "level": 0.95}
    assert json.loads(Path("model.json").read_text(encoding="utf-8"))["provenance"]["command"] == command


def test_a_model_of_two_files_names_both(fitted, rows, features):
    for label, name in ((1, "yes.csv"), (0, "no.csv")):
        features[rows["z"] == label].to_csv(name, index=False)

    model, _ = fitted("--positive-file", "yes.csv", "--unlabeled-file", "no.csv", *GIVEN)

    assert model.provenance_["data"]["source"] == "yes.csv (positives), no.csv (unlabelled)"


def test_a_report_is_written_beside_the_model(pugam_says, empty_folder, data, plain):
    (empty_folder / "report.html").write_text("an older one")

    code, _, err = pugam_says("fit", data, "--label", "z", "--out", "model.json", "--report", "report.html")

    page = (empty_folder / "report.html").read_text(encoding="utf-8")
    assert (code, err) == (0, "")
    assert sorted(path.name for path in empty_folder.iterdir()) == ["data.csv", "model.json", "report.html"]
    assert page.startswith("<!doctype html>")
    assert "Hidden positives in data.csv" in page
    assert f"{plain.pi_interval().estimate:.3f}" in page


def test_the_folders_of_files_stay_out_of_report_and_source(pugam_says, empty_folder, rows, features):
    (empty_folder / "secret project").mkdir()
    features.assign(z=rows["z"]).to_parquet("secret project/data.parquet", index=False)

    pugam_says("fit", "secret project/data.parquet", "--label", "z", "--out", "model.json", *GIVEN)

    assert pugam.load("model.json").provenance_["data"]["source"] == "data.parquet"


@pytest.mark.parametrize("method", ["fit", "pi_interval"])
def test_ctrl_c_during_the_fit_leaves_nothing(pugam_says, empty_folder, data, monkeypatch, method):
    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(PUGAM, method, interrupt)

    code, out, err = pugam_says("fit", data, "--label", "z", "--out", "model.json", "--report", "report.html")

    assert (code, out) == (130, "")
    assert err in ("", "pugam: Interrupted.\n")
    assert [path.name for path in empty_folder.iterdir()] == ["data.csv"]


def test_an_error_of_the_program_itself_is_not_hidden(monkeypatch, data):
    def fail(*arguments, **options):
        raise ZeroDivisionError

    monkeypatch.setattr(PUGAM, "fit", fail)
    monkeypatch.setattr(sys, "argv", ["pugam", "fit", data, "--label", "z"])

    with pytest.raises(ZeroDivisionError):
        main()
