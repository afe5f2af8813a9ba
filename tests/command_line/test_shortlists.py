"""Worklists of `pugam predict`: rows chosen batch by batch are those of the whole file, and what is said of them."""

import re

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM
from pugam.command_line import shortlists
from pugam.files.csv_files import CsvFile

ROWS = 900


@pytest.fixture(scope="module")
def rows(make_rows):
    return make_rows(300, ROWS).assign(who=[f"id {number:03}" for number in range(ROWS)])


@pytest.fixture(scope="module")
def model(rows):
    return PUGAM("s(x1) + x2 + x3").fit(rows, rows["z"])


@pytest.fixture
def predicted(empty_folder, model, rows, pugam_says):
    """Predict from a file with these flags: the table that was written, and what was said last."""
    model.save("model.json")
    rows.to_csv("rows.csv", index=False)

    def run(*flags, to="out.csv"):
        code, out, _ = pugam_says("predict", "model.json", "rows.csv", "--out", to, *flags)
        assert code == 0
        return pd.read_csv(to) if to.endswith("csv") else pd.read_parquet(to), out.splitlines()[-1]

    return run


@pytest.fixture
def small_batches(monkeypatch):
    """Let files be read some rows at a time."""
    whole = CsvFile.batches

    def batches(self, *arguments, **options):
        for batch in whole(self, *arguments, **options):
            for start in range(0, batch.num_rows, 70):
                yield batch.slice(start, 70)

    monkeypatch.setattr(CsvFile, "batches", batches)


@pytest.mark.parametrize("to", ["out.csv", "out.parquet"])
@pytest.mark.usefixtures("small_batches")
def test_the_top_of_a_file_is_that_of_python(predicted, model, rows, to):
    table, said = predicted("--top", "40", to=to)
    listed = model.worklist(rows, top=40, columns="who")

    assert table["who"].tolist() == listed.rows["who"].tolist()
    np.testing.assert_allclose(table["p_positive"], listed.rows["p_positive"])
    found = listed.found
    assert f"expect {found.estimate:.0f} positives (95% interval {found.lower:.0f} to {found.upper:.0f})" in said
    assert said.startswith("Review 40 rows, ")
    assert said.endswith("among all 900 rows.")


def test_a_single_row_is_one_row(predicted, pugam_says):
    _, said = predicted("--top", "1")
    _, out, _ = pugam_says("predict", "model.json", "rows.csv", "--out", "out.csv", "--top", "1")

    assert said.startswith("Review 1 row, expect 1 positive (95% interval ")
    assert out.startswith("1 row: out.csv\n")


@pytest.mark.usefixtures("small_batches")
def test_a_threshold_keeps_the_order_of_the_file_unless_it_is_to_be_sorted(predicted, model, rows):
    listed = model.worklist(rows, threshold=0.7, columns="who")
    in_file, said = predicted("--threshold", "0.7")
    in_order, said_again = predicted("--threshold", "0.7", "--sort")
    by_costs, _ = predicted("--cost-review", "7", "--cost-miss", "10", "--sort")

    assert in_file["who"].tolist() == sorted(listed.rows["who"])
    assert in_order["who"].tolist() == by_costs["who"].tolist() == listed.rows["who"].tolist()
    assert said == said_again
    assert f"{listed.found.lower:.0f} to {listed.found.upper:.0f})" in said


def test_of_a_long_file_only_the_listed_rows_are_asked_about(predicted, model, rows, monkeypatch):
    monkeypatch.setattr(shortlists, "MOST_AMONG", 100)
    listed = model.worklist(rows, threshold=0.7)
    _, said = predicted("--threshold", "0.7")

    limits = [int(end) for end in re.search(r"interval (\d+) to (\d+)\)", said).groups()]
    np.testing.assert_allclose(limits, [listed.found.lower, listed.found.upper], atol=0.01 * listed.n_reviewed)


def test_columns_are_kept_as_asked(predicted):
    table, _ = predicted("--top", "5", "--keep", "who", "--keep", "z")

    assert list(table.columns) == ["who", "z", "p_positive", "log_density_ratio"]


@pytest.mark.usefixtures("small_batches")
def test_sorting_alone_keeps_all_rows_and_promises_nothing(predicted):
    table, said = predicted("--sort")

    assert len(table) == ROWS
    assert table["p_positive"].is_monotonic_decreasing
    assert said == "900 rows: out.csv"


def test_an_empty_list(predicted):
    table, said = predicted("--threshold", "1")

    assert (len(table), said) == (0, "No row of 900 is on the list.")


def test_long_lists_have_no_interval(predicted, monkeypatch):
    monkeypatch.setattr(shortlists, "MOST_JUDGED", 100)
    _, said = predicted("--threshold", "0.2")

    assert "interval" not in said
    assert "expect" in said


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--top", "0"), "--top is a whole number of at least 1; got 0."),
        (("--top", "3", "--threshold", "0.5"), "--top and --threshold both say how long the list is"),
        (("--threshold", "2"), "--threshold is a probability from 0 to 1; got 2.0."),
        (("--cost-miss", "2"), "--cost-review and --cost-miss go together; give both."),
        (("--keep", "whom"), "no column 'whom'"),
    ],
)
@pytest.mark.usefixtures("predicted")
def test_what_is_refused(pugam_says, flags, told):
    code, out, err = pugam_says("predict", "model.json", "rows.csv", "--out", "out.csv", *flags)

    assert (code, out) == (2, "")
    assert told in err


@pytest.mark.usefixtures("predicted")
def test_more_rows_than_memory_is_to_hold_are_refused(pugam_says, monkeypatch, empty_folder):
    monkeypatch.setattr(shortlists, "MOST_SORTED", 1000)
    code, _, err = pugam_says("predict", "model.json", "rows.csv", "--out", "out.csv", "--sort")

    assert code == 2
    assert "write fewer of them with --top or --threshold." in err
    assert not (empty_folder / "out.csv").exists()


@pytest.fixture
def fitted_file(empty_folder, model, rows):
    """The file of a fit whose model remembers the column of labels, with words for them or without."""

    def write(name="rows.csv", positive=None, labels=rows["z"]):
        model.save("model.json", data={"label": "z", "positive": positive})
        table = rows.assign(z=labels)
        table.to_csv(name, index=False) if name.endswith("csv") else table.to_parquet(name)
        return name

    return write


@pytest.mark.parametrize(
    ("name", "positive", "words"),
    [("rows.csv", None, {0: "0", 1: "1"}), ("rows.csv", "yes", {0: "", 1: "yes"}), ("rows.parquet", None, None)],
)
@pytest.mark.usefixtures("small_batches")
def test_labelled_rows_are_on_no_worklist(fitted_file, pugam_says, model, rows, name, positive, words):
    file = fitted_file(name, positive, rows["z"] if words is None else rows["z"].map(words))
    code, out, _ = pugam_says("predict", "model.json", file, "--top", "40", "--out", "out.csv")
    hidden = rows[rows["z"] == 0]

    assert code == 0
    assert pd.read_csv("out.csv")["who"].tolist() == model.worklist(hidden, top=40, columns="who").rows["who"].tolist()
    assert out.splitlines()[0] == (
        "300 rows are labelled already (column 'z') and left out; --labelled keep ranks them, too."
    )
    assert out.splitlines()[-1].endswith("expected among all 600 rows.")


def test_labelled_rows_can_be_kept_in_a_worklist_and_dropped_from_a_table(fitted_file, pugam_says, model, rows):
    file = fitted_file()
    code, out, _ = pugam_says("predict", "model.json", file, "--top", "40", "--labelled", "keep", "--out", "out.csv")
    assert code == 0
    assert "left out" not in out
    assert pd.read_csv("out.csv")["who"].tolist() == model.worklist(rows, top=40, columns="who").rows["who"].tolist()

    for flags, n_rows in (([], 900), (["--labelled", "drop"], 600)):
        assert pugam_says("predict", "model.json", file, "--out", "out.csv", *flags)[0] == 0
        assert len(pd.read_csv("out.csv")) == n_rows


def test_a_worklist_of_labelled_rows_alone_is_refused(fitted_file, pugam_says):
    file = fitted_file(labels=1)
    code, _, err = pugam_says("predict", "model.json", file, "--top", "40", "--out", "out.csv")

    assert code == 2
    assert "rows.csv has no unlabelled row" in err


def test_a_row_that_cannot_be_scored_is_found_behind_labelled_ones(fitted_file, pugam_says, rows):
    file = fitted_file()
    rows.assign(x2=rows["x2"].where(rows.index != 700)).to_csv(file, index=False)
    code, _, err = pugam_says("predict", "model.json", file, "--top", "40", "--out", "out.csv")

    assert code == 2
    assert "line 702" in err


def test_columns_to_keep_may_stand_behind_one_flag(predicted):
    table, _ = predicted("--top", "5", "--keep", "who,x1")

    assert list(table.columns) == ["who", "x1", "p_positive", "log_density_ratio"]
