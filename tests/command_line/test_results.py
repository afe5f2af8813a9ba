"""`--json`: what a verb found, for a program that decides what to do next."""

import json
from pathlib import Path

import numpy as np
import pytest

import pugam


@pytest.fixture
def fitted(empty_folder, make_rows, pugam_says):
    """Two models of a mode fit, with what was found about them."""
    rows = make_rows(200, 320)[["x1", "x2", "z"]]
    rows.to_csv("may.csv", index=False)
    rows.iloc[::-1].head(300).assign(x1=lambda frame: frame["x1"] + 1.5).to_csv("june.csv", index=False)
    flags = ["--label", "z", "--terms", "x1 + x2", "--shrinkage", "never", "-q"]
    assert pugam_says("fit", "may.csv", *flags, "--out", "may.json", "--json", "found.json")[0] == 0
    return read("found.json")


def read(name):
    return json.loads(Path(name).read_text(encoding="utf-8"))


def test_a_fit_says_its_verdict_pi_and_what_it_found(fitted):
    model = pugam.load("may.json")
    interval = model.pi_interval()

    assert fitted["verdict"] == model.verdict_ != "well determined"
    assert [fitted[name] for name in ("pi", "lower", "upper")] == [interval.estimate, interval.lower, interval.upper]
    assert fitted["interval"] == interval.method
    assert (fitted["labelled"], fitted["unlabelled"]) == (model.n0_, model.n1_)
    wide = next(finding for finding in fitted["findings"] if finding["finding"] == "WideInterval")
    assert wide["values"].keys() == {"lower", "upper"}
    assert wide["said"].startswith(f"The interval for pi is wide, {wide['values']['lower']:.2f} to")
    assert all(finding["said"] for finding in fitted["findings"])


def test_refit_drift_and_compare_say_theirs(fitted, pugam_says):
    assert pugam_says("refit", "may.json", "june.csv", "--out", "june.json", "--json", "june_found.json", "-q")[0] == 0
    assert pugam_says("drift", "may.json", "june.csv", "--pi", "0.9", "--json", "drift.json")[0] == 0
    assert pugam_says("compare", "may.json", "june.json", "--json", "changes.json")[0] == 0
    refitted, drift, changes = map(read, ("june_found.json", "drift.json", "changes.json"))

    assert refitted["pi"] == pugam.load("june.json").pi_
    assert drift["moved"] == ["x1"]
    assert drift["pi"] == 0.9
    assert drift["contradicts"] == (drift["pvalue"] < 0.01)
    assert changes["old"] == {"pi": fitted["pi"], "verdict": fitted["verdict"]}
    np.testing.assert_allclose(changes["difference"], refitted["pi"] - fitted["pi"])
    assert [effect["term"] for effect in changes["effects"]] == ["l(x1)", "l(x2)"]


@pytest.mark.parametrize("name", ["found.txt", "may.csv", "nowhere/found.json"])
def test_names_that_would_mislead_are_refused(empty_folder, make_rows, pugam_says, name):
    make_rows(20, 40)[["x1", "x2", "z"]].to_csv("may.csv", index=False)
    code, _, err = pugam_says("fit", "may.csv", "--label", "z", "--json", name)

    assert code != 0
    assert f"--json {name}" in err
