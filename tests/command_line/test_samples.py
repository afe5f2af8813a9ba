"""Several unlabelled samples, and audits, on the command line."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

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


def test_a_report_reads_the_same_samples_again(table, pugam_says):
    options = ["--label", "z", "--sample", "year", "--drop", "checked", "--out", "model.json", "--quiet"]
    assert pugam_says("fit", "rows.csv", *options)[0] == 0
    code, _, err = pugam_says("report", "model.json", "rows.csv", "--quiet")
    assert code == 0, err
    assert Path("report.html").stat().st_size > 10_000


def test_faults_are_told_by_line(table, pugam_says):
    table.assign(checked=[2, *[None] * 1099]).to_csv("rows.csv", index=False)
    code, _, err = pugam_says("fit", "rows.csv", "--label", "z", "--audit", "checked", "--drop", "year")
    assert code != 0
    assert "--audit is 2 in rows.csv, line 2" in err


def test_rows_have_to_be_in_memory(table, pugam_says):
    code, _, err = pugam_says("fit", "rows.csv", "--label", "z", "--sample", "year", "--engine", "stream")
    assert code != 0
    assert "--engine memory" in err
