"""Table 3 from end to end: rates are shares of p-values below 5%, beside the printed ones of the paper's test."""

import json

import pandas as pd
import pytest

from pugam import __version__
from pugam.studies import power

PRINTED = {(1, 600): (0.024, 1.0), (2, 600): (0.020, 0.610)}


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(power, "REJECTIONS", PRINTED)
    monkeypatch.setattr(power, "ZETAS", (0.0, 1.0))


@pytest.mark.long
@pytest.mark.usefixtures("small")
def test_table3_from_end_to_end(make_plan):
    plan = make_plan(resamples=10)

    table = power.table3(plan)

    tests = ["Fourier", "Wald", "parametric"]
    assert [row.labels for row in table.rows] == [(setting, "600", test) for setting in "12" for test in tests]
    assert table.quantities == ["zeta = 0.0", "zeta = 1.0"]
    printed = [tuple(cell.printed for cell in row.cells.values()) for row in table.rows]
    assert printed == [PRINTED[1, 600], (None, None), (None, None), PRINTED[2, 600], (None, None), (None, None)]
    assert "10 resamples a bootstrap" in table.markdown()

    lines = (plan.folder / "records" / "tests.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[0])["conditions"] == {
        "seed": plan.seed,
        "version": __version__,
        "resamples": 10,
    }
    records = [json.loads(line) for line in lines[1:]]
    assert len(records) == 4 * 2
    sheet = pd.read_csv(plan.folder / "table3.csv", dtype={"Setting": str}).set_index(["Setting", "test", "quantity"])
    for setting in (1, 2):
        for zeta in (0.0, 1.0):
            found = [each["record"] for each in records if each["cell"] == [setting, 600, zeta]]
            for test in tests:
                rejected = sum(record[test] < 0.05 for record in found) / 2
                assert sheet.loc[(str(setting), test, f"zeta = {zeta}"), "value"] == rejected
    # The effect of x1 is large in both settings when zeta = 1: the test that knows its shape cannot miss it.
    assert sheet.loc[("1", "parametric", "zeta = 1.0"), "value"] == 1.0
    assert sheet.loc[("2", "parametric", "zeta = 1.0"), "value"] == 1.0
