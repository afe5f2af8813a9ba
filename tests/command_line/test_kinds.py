"""Kinds of positives on the command line."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

PLACES = [(3.0, -2.0), (2.0, 3.0), (3.0, -2.0), (2.0, 3.0), (0.0, 0.0)]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    centres = np.repeat(PLACES, [120, 40, 40, 40, 180], axis=0)
    X = pd.DataFrame(centres + np.random.default_rng(0).normal(size=centres.shape), columns=["a", "b"])
    z = np.repeat([1, 0], [160, 260])
    path = tmp_path_factory.mktemp("rows") / "rows.csv"
    X.assign(z=z, type=np.where(z == 1, np.where(centres[:, 0] == 3.0, "right", "up"), "")).to_csv(path, index=False)
    return str(path)


def test_shares_of_kinds_are_printed_and_saved(pugam_says, table):
    code, out, err = pugam_says(
        *("fit", table, "--label", "z", "--kind", "type", "--terms", "a + b", "--out", "model.json"),
        *("--json", "found.json"),
    )

    assert code == 0, err
    assert "shares of all kinds of positives added up" in out
    assert "  right " in out
    assert [kind["name"] for kind in json.loads(Path("model.json").read_text())["kinds"]] == ["right", "up"]
    found = json.loads(Path("found.json").read_text())
    assert f"pi = {found['pi']:.3f}" in out
    assert {finding["of_kind"] for finding in found["findings"]} <= {"right", "up"}
    code, _, err = pugam_says("predict", "model.json", table, "--out", "scored.csv")
    assert code == 0, err
    assert pd.read_csv("scored.csv")["p_positive"].between(0.0, 1.0).all()


def test_kinds_are_found(pugam_says, table):
    code, out, err = pugam_says("fit", table, "--label", "z", "--drop", "type", "--kind", "auto")

    assert code == 0, err
    assert "cluster 2" in out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--kind", "species"], "species"),
        (["--kind", "type", "--report", "report.html"], "--report is of one kind of positives"),
        (["--kind", "type", "--ci", "profile"], "--ci profile is of one kind of positives"),
        (["--kind", "type", "--sample", "b"], "--kind and --sample cannot be used together"),
        (["--kind", "type", "--rare-kinds", "drop"], "--rare-kinds"),
        (["--kind", "type", "--engine", "stream"], "--kind is for tables in memory"),
    ],
)
def test_what_does_not_go_with_kinds_is_refused(pugam_says, table, options, said):
    code, _, err = pugam_says("fit", table, "--label", "z", *options)

    assert code == 2
    assert said in err
