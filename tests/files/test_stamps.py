"""A file that becomes another one while it is read: never rows of both, and one sentence."""

import os

import pandas as pd
import pytest

from pugam.errors import InputError
from pugam.files import open_file

N = 2000
ROWS = pd.DataFrame({"a": range(N), "b": range(N)})


def put(rows, path):
    """Move a file into place, as programs do that write tables; it is no longer and no shorter than it has to be."""
    new = path.with_name("new")
    rows.to_csv(new, index=False) if path.suffix == ".csv" else rows.to_parquet(new, index=False)
    os.replace(new, path)
    return path


@pytest.fixture(params=["rows.csv", "rows.parquet", "parts"])
def table(request, tmp_path):
    """What is opened, and the file that is changed."""
    if request.param != "parts":
        path = put(ROWS, tmp_path / request.param)
        return path, path
    (tmp_path / "parts").mkdir()
    put(ROWS, tmp_path / "parts" / "a.parquet")
    return tmp_path / "parts", put(ROWS, tmp_path / "parts" / "b.parquet")


CHANGED = "has changed since it was opened; try again when nothing writes to it"
OTHERS = {
    "other rows": ROWS[::-1],
    "fewer rows": ROWS[:7],
    "fewer columns": ROWS[["a"]],
    "other columns": ROWS.rename(columns={"b": "c"}),
    "text": ROWS.assign(b="north"),
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_another_file_in_its_place_is_refused_by_the_next_pass(table, other):
    path, part = table
    file = open_file(path)
    file.read(["a"])

    put(other, part)

    for columns in (["b"], ["a"]):
        with pytest.raises(InputError, match=CHANGED):
            file.read(columns)
        with pytest.raises(InputError, match=CHANGED):
            list(file.batches(columns, {name: "number" for name in columns} if path.suffix == ".csv" else {}))


def test_a_file_that_changes_during_a_pass_is_refused_at_its_end(table):
    path, part = table
    batches = open_file(path).batches(["a"], batch_rows=100)
    next(batches)

    put(ROWS[::-1], part)

    with pytest.raises(InputError, match=CHANGED):
        list(batches)


def test_rows_written_into_the_file_itself_are_seen(table):
    path, part = table
    file = open_file(path)
    with part.open("ab") as growing:
        growing.write(b"7,7\n")

    with pytest.raises(InputError, match=CHANGED):
        file.read()


def test_a_file_that_is_gone_is_said_to_be(table):
    path, part = table
    file = open_file(path)
    part.unlink()

    with pytest.raises(InputError, match="is not found"):
        file.read()


def test_a_pass_that_is_not_ended_asks_nothing(table):
    path, part = table
    batches = open_file(path).batches(["a"], batch_rows=100)
    first = next(batches)
    put(ROWS[::-1], part)
    batches.close()

    assert first.num_rows == 100
