"""Cells and lines without end in CSV files: long ones are read, endless ones refused before they fill the memory."""

import csv
import gzip
import tracemalloc

import pytest

from pugam.errors import InputError
from pugam.files import csv_records, open_file, text_lines

LONG = "long" * 40_000  # more than Python's reader permits by itself
MEGABYTE = 1 << 20


@pytest.fixture
def written(tmp_path):
    def write(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(gzip.compress(content, 1) if name.endswith(".gz") else content)
        return path

    return write


def refusal(path):
    with pytest.raises(InputError) as caught:
        open_file(path).read()
    return str(caught.value).replace(str(path), path.name)


@pytest.mark.parametrize("table", ["x,z\n{},1\n2,0\n", 'x,z\n1,1\n"{}",0\n', "{},z\nword,1\n", "{}\nword\n"])
def test_a_long_cell_is_read_wherever_it_stands(written, table):
    file = open_file(written(table.format(LONG).encode()))
    cells = [*file.names, *(cell for row in file.batches() for column in row.columns for cell in column.to_pylist())]

    assert LONG in cells


def test_a_fault_below_a_long_cell_is_named_with_its_own_line(written):
    path = written(f'x,y,z\na,2,1\n"{LONG}",3,1\nb,5,0\nc,6,0\nd,slip,1\n'.encode())

    assert refusal(path).startswith("data.csv, line 6, column 'y': 'slip' is not a number")


def test_other_readers_of_csv_keep_their_limit(written):
    before = csv.field_size_limit()
    open_file(written(f"x,z\n{LONG},1\n".encode())).read()

    assert csv.field_size_limit() == before


@pytest.mark.parametrize("quote", ["", '"'])
def test_a_cell_that_is_too_long_is_named_with_its_line(written, monkeypatch, quote):
    monkeypatch.setattr(csv_records, "LONGEST_CELL", 1000)  # Python's own limit is the least

    assert refusal(written(f"x,z\n{quote}{LONG},1\n".encode())) == (
        "data.csv, line 2: a cell in the row that begins here has more than 1,000 characters; shorten it, or close its "
        "quote if it is never closed."
    )


# What comes first, and what fills 64 MB after it: written out by the test, not wherever tests are collected.
BOMBS = {
    "one name": (b"", b"x"),
    "one row": (b"x,z\n", b"1"),
    "no text": (b"x,z\n\xff", b"1"),
    "columns": (b"", b"x,"),
    "zeros": (b"", b"\0"),
}


@pytest.mark.parametrize("kind", BOMBS)
def test_a_small_packed_file_cannot_fill_the_memory(written, monkeypatch, kind):
    monkeypatch.setattr(text_lines, "LONGEST_LINE", MEGABYTE)
    first, then = BOMBS[kind]
    path = written(first + then * (64 * MEGABYTE // len(then)), "data.csv.gz")
    assert path.stat().st_size < MEGABYTE

    tracemalloc.start()
    try:
        message = refusal(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert "has more than 1,048,576 characters; is this a table?" in message or "is not text" in message
    assert peak < 16 * MEGABYTE


@pytest.mark.parametrize("columns", [None, ["x"], ["note"]])
@pytest.mark.parametrize("end", ["", "\n", "\n3,more", "\n3,more\n"])
def test_one_quote_too_many_does_not_hide_one_that_is_never_closed(written, end, columns):
    file = open_file(written(f'x,note\n1,5" pipe\n2,"open{end}'.encode()))

    if end == "":  # nothing is taken in that should not be
        assert file.read(columns).num_rows == 2
    else:
        with pytest.raises(InputError, match="line 3: a quote in the row that begins here is never closed"):
            file.read(columns)


def test_a_last_cell_of_several_lines_is_read(written):
    file = open_file(written(b'x,note\n1,"two\nlines"\n'))

    assert file.read().to_pydict() == {"x": [1.0], "note": ["two\nlines"]}
    assert file.read(["x"]).to_pydict() == {"x": [1.0]}


def test_a_column_that_is_no_text_matters_only_where_it_is_asked_for(written):
    path = written(b"x,note\n1,a\n2,b\n" + b"3,c\n" * 3000 + b"4,\xff\n")

    assert open_file(path).read(["x"]).num_rows == 3003
    assert "line 3004 is not UTF-8 text" in refusal(path)
