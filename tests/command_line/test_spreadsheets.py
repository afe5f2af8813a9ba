"""Cells that a spreadsheet would run: told of, and made text where that is asked for."""

import csv
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from pugam import PUGAM, f, l
from pugam.command_line.spreadsheets import Formulas
from pugam.errors import PugamWarning

RUN = ["=cmd|' /C calc'!A0", "@SUM(1)", "+cmd|x", "-2+3*cmd|x!A", "\t=1+1", " =1+1", '=HYPERLINK("http://x")']
SHOWN_DIFFERENTLY = ["+49 30 1234", "-abc"]
HARMLESS = ["-", "+", "", "-1", "+2.5", "-1e-3", "-4,5", "- ", "-inf", "a=b", "x@y.org", "north", None, "-.5", "1-2"]


def guarded(values, **options):
    batch = pa.RecordBatch.from_pydict({"note": pa.array(values, pa.string())})
    formulas = Formulas(in_text=True, **options)
    return formulas, formulas.guard(batch).column(0).to_pylist()


def test_formulas_are_made_text():
    _, written = guarded([*RUN, *SHOWN_DIFFERENTLY, *HARMLESS], neutralise=True)

    assert written == [*(f"'{cell}" for cell in (*RUN, *SHOWN_DIFFERENTLY)), *HARMLESS]


def test_without_being_asked_cells_stay_and_formulas_are_told():
    formulas, written = guarded([*RUN, *SHOWN_DIFFERENTLY, *HARMLESS])

    assert written == [*RUN, *SHOWN_DIFFERENTLY, *HARMLESS]
    with pytest.warns(PugamWarning, match=f"{len(RUN)} cells of column 'note' would be run as a formula by a spreads"):
        formulas.warn()


def test_levels_and_names_of_columns_are_cells_too():
    levels = pa.array(["=1", "b"]).dictionary_encode()
    batch = pa.RecordBatch.from_arrays([levels, pa.array([-1.0, 2.0])], names=["=x", "p"])

    written = Formulas(in_text=True, neutralise=True).guard(batch)

    assert written.schema.names == ["'=x", "p"]
    assert written.to_pydict() == {"'=x": ["'=1", "b"], "p": [-1.0, 2.0]}


def test_a_parquet_file_says_itself_that_text_is_text():
    batch = pa.RecordBatch.from_pydict({"note": ["=1"]})

    assert Formulas(in_text=False, neutralise=True).guard(batch) is batch


@pytest.fixture
def files(make_rows):
    rows = make_rows(80, 200).assign(note=RUN[0])
    rows.to_csv("rows.csv", index=False)
    PUGAM("x1 + x2", pi=0.4, check=False).fit(rows, rows["z"]).save("model.json")


@pytest.mark.parametrize("verb", [("predict",), ("predict", "--top", "5"), ("explain", "--id", "note")])
def test_verbs_that_write_cells_of_a_table_tell_of_formulas(pugam_says, files, verb):
    command = (verb[0], "model.json", "rows.csv", *verb[1:], "--out", "out.csv")

    code, _, err = pugam_says(*command)
    plain = Path("out.csv").read_text()
    safely, _, quiet = pugam_says(*command, "--neutralise")

    assert (code, safely) == (0, 0)
    assert "would be run as a formula by a spreadsheet. If you do not trust the table, give --neutralise." in err
    assert "spreadsheet" not in quiet
    with open("out.csv", newline="") as file:
        assert {row["note"] for row in csv.DictReader(file)} == {f"'{RUN[0]}"}
    assert plain == Path("out.csv").read_text().replace("'=cmd", "=cmd")


def test_a_column_whose_name_is_a_formula_is_told_once():
    batch = pa.RecordBatch.from_pydict({RUN[0]: ["north", "=1"], "x": [1.0, 2.0]})
    formulas = Formulas(in_text=True)
    assert [formulas.guard(batch) for _ in range(2)] == [batch, batch]

    with pytest.warns(PugamWarning, match="3 cells of column .* would be run as a formula"):
        formulas.warn()


@pytest.fixture
def odd_names(make_rows):
    """A model of a column whose name a spreadsheet would run, and of one with such a level."""
    rows = make_rows(80, 200)
    rows = rows.assign(**{"=x": rows["x1"], "site": np.where(np.arange(200) % 3, "=1+1", "north")})
    rows.to_csv("rows.csv", index=False)
    X = rows[["=x", "x2", "site"]]
    PUGAM([l("=x"), l("x2"), f("site")], pi=0.4, check=False).fit(X, rows["z"]).save("model.json")


@pytest.mark.parametrize(
    ("command", "cell"),
    [
        (("predict", "model.json", "rows.csv", "--keep", "=x"), "=x,"),
        (("drift", "model.json", "rows.csv"), "=x,"),
        (("compare", "model.json", "model.json"), "=1+1,"),
    ],
)
def test_names_and_levels_are_told_and_made_text(pugam_says, odd_names, command, cell):
    code, _, err = pugam_says(*command, "--out", "out.csv")
    plain = Path("out.csv").read_text()
    safely, _, quiet = pugam_says(*command, "--out", "out.csv", "--neutralise")

    assert (code, safely) == (0, 0)
    assert "would be run as a formula by a spreadsheet. If you do not trust the table, give --neutralise." in err
    assert "spreadsheet" not in quiet
    assert cell in plain
    assert f"'{cell}" not in plain
    assert f"'{cell}" in Path("out.csv").read_text()
