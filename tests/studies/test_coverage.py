"""Intervals by their formulas, how often they hold pi, and Table 2 from end to end on one small cell."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from pugam.studies import coverage
from pugam.studies.coverage import bootstrap_record, coverage_of, table2, width_of
from pugam.studies.printed import COVERAGE

RECORDS = [
    {"GAET": {"pi": 0.38, "percentile": [0.30, 0.50], "sd": 0.05}, "default": [0.35, 0.39]},
    {"GAET": {"pi": 0.45, "percentile": [0.41, 0.47], "sd": 0.01}, "default": [0.40, 0.50]},
]
# Basic intervals: [0.26, 0.46] and [0.43, 0.49]; normal ones: 0.38 -+ 0.098 and 0.45 -+ 0.0196.


@pytest.mark.parametrize(
    ("kind", "widths", "holds"),
    [
        ("percentile", (0.20, 0.06), {0.40: 0.5, 0.42: 1.0, 0.55: 0.0}),
        ("basic", (0.20, 0.06), {0.27: 0.5, 0.44: 1.0, 0.475: 0.5}),
        ("normal", (2 * 1.959964 * 0.05, 2 * 1.959964 * 0.01), {0.285: 0.5, 0.44: 1.0, 0.275: 0.0}),
        ("default (Wald)", (0.04, 0.10), {0.40: 0.5, 0.37: 0.5, 0.395: 0.0}),
    ],
)
def test_intervals_follow_their_formulas(kind, widths, holds):
    for pi, share in holds.items():
        found = coverage_of(RECORDS, kind, pi)
        assert found.value == share
        assert found.is_rate
    assert width_of(RECORDS, kind).value == pytest.approx(np.mean(widths))


def test_the_ends_of_an_interval_belong_to_it():
    assert coverage_of(RECORDS[1:], "default (Wald)", 0.40).value == 1.0
    assert coverage_of(RECORDS[1:], "default (Wald)", 0.50).value == 1.0


def test_a_bootstrap_is_recorded_by_what_intervals_need():
    refits = np.linspace(0.2, 0.6, 81)
    resamples = SimpleNamespace(pi=refits, estimate=0.41, n_failed=2, converged=np.arange(81) >= 3)

    found = bootstrap_record(resamples)

    assert found["pi"] == 0.41
    assert found["percentile"] == pytest.approx([0.21, 0.59])
    assert found["sd"] == pytest.approx(np.sqrt(np.sum((refits - 0.4) ** 2) / 80))
    assert (found["failed"], found["unconverged"]) == (2, 3)


def test_table2_from_end_to_end(make_plan, monkeypatch):
    monkeypatch.setattr(coverage, "SETTINGS", (1,))
    monkeypatch.setattr(coverage, "SAMPLE_SIZES", (1500,))
    plan = make_plan(resamples=5)

    table = table2(plan)

    kinds = ["percentile", "basic", "normal", "default (Wald)"]
    assert [row.labels for row in table.rows] == [("1", "1500", kind) for kind in kinds]
    assert table.quantities == ["coverage", "mean width"]
    assert [row.cells["coverage"].printed for row in table.rows] == [COVERAGE[1, 1500]] * 3 + [None]
    assert "GAET with 5 bootstrap resamples" in table.markdown()
    sheet = pd.read_csv(plan.folder / "table2.csv").set_index(["interval", "quantity"])["value"]
    assert set(sheet[:, "coverage"]) <= {0.0, 0.5, 1.0}
    assert sheet["percentile", "mean width"] == pytest.approx(sheet["basic", "mean width"])
    # The estimates of pi scatter by 0.05 around 0.4, of which an interval spans about four; within a factor of two.
    assert 0.1 < sheet["normal", "mean width"] < 0.4
    assert 0.1 < sheet["default (Wald)", "mean width"] < 0.4
