"""Frames of several libraries: which columns were an index, and frames where a library is missing."""

import json
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from pugam.data import make_frame, read_table
from pugam.data.frames import index_names

PUT_TOGETHER = pd.concat([pd.DataFrame({"x": np.arange(3.0)}), pd.DataFrame({"x": np.arange(2.0)})])


def test_an_index_that_arrow_keeps_as_a_column_is_known_for_one():
    table = read_table(pa.Table.from_pandas(PUT_TOGETHER))

    assert {name: table.column(name).was_index for name in table.names} == {"x": False, "__index_level_0__": True}
    assert table.take(np.array([0, 1])).column("__index_level_0__").was_index


def test_an_index_with_a_name_is_known_by_the_notes_of_pandas():
    table = pa.Table.from_pandas(PUT_TOGETHER.rename_axis("patient"))

    assert index_names(table.column_names, table) == {"patient"}


@pytest.mark.parametrize("frame", [pl.DataFrame, pd.DataFrame, pa.table])
def test_an_index_without_a_name_is_known_by_the_name_that_pandas_gave_it(frame):
    data = {"x": [1.0], "__index_level_1__": [0]}

    assert index_names(data, frame(data)) == {"__index_level_1__"}


@pytest.mark.parametrize("notes", [b"", b"[]", b"{", b'{"index_columns": 3}', b"[" * 100_000, b"\xff"])
def test_notes_that_pandas_did_not_write_say_nothing(notes):
    assert index_names(["x"], pa.table({"x": [1.0]}).replace_schema_metadata({b"pandas": notes})) == frozenset()


def test_a_range_of_row_numbers_is_no_column():
    notes = json.dumps({"index_columns": [{"kind": "range", "name": "x", "start": 0, "stop": 1, "step": 1}]})

    assert (
        index_names(["x"], pa.table({"x": [1.0]}).replace_schema_metadata({b"pandas": notes.encode()})) == frozenset()
    )


def test_frames_are_of_pandas_where_the_library_of_the_fit_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)

    frame = make_frame("polars", {"x": [1.0, 2.0]})

    assert isinstance(frame, pd.DataFrame)


@pytest.mark.parametrize("names", [[(1, 2), (3, 4)], [("a", 1), ("b", 2)], [1, "a"]])
def test_values_of_a_list_stay_what_they_are(names):
    assert make_frame("pandas", {"row": names, "x": [0.5, 1.5]})["row"].tolist() == names
