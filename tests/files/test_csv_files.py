"""CSV files in: types over all rows, batches, and a clear word about each bad file."""

import csv
import gzip
import os
import re
import subprocess
import sys

import pyarrow as pa
import pytest

from pugam.errors import InputError
from pugam.files import csv_files, open_file

MIXED = 'id,age,site,ok\n007,40,north,true\n008,NA,"so\nuth",FALSE\nNA,41.5,,\n'


@pytest.fixture
def written(tmp_path):
    def write(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def message(path, act):
    with pytest.raises(InputError) as caught:
        act(path)
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith(str(path))
    return text.replace(str(path), path.name)


def read(path):
    return open_file(path).read()


def stream(path, **types):
    return pa.Table.from_batches(open_file(path).batches(types=types))


def test_read_gives_typed_columns(written):
    file = open_file(written(MIXED))
    assert file.names == ("id", "age", "site", "ok")
    assert file.n_rows is None
    assert file.read().to_pydict() == {
        "id": [7.0, 8.0, None],
        "age": [40.0, None, 41.5],
        "site": ["north", "so\nuth", None],
        "ok": [True, False, None],
    }


def test_batches_pass_text_through_as_written_unless_a_type_is_given(written):
    table = stream(written(MIXED), age="number", ok="boolean")
    assert table.to_pydict() == {
        "id": ["007", "008", "NA"],
        "age": [40.0, None, 41.5],
        "site": ["north", "so\nuth", None],
        "ok": [True, False, None],
    }


def test_columns_come_in_the_order_asked_for(written):
    file = open_file(written(MIXED))
    assert file.read(["ok", "id"], {"id": "text"}).to_pydict() == {
        "ok": [True, False, None],
        "id": ["007", "008", "NA"],
    }
    assert next(file.batches(["site", "id"])).schema.names == ["site", "id"]


@pytest.mark.parametrize("batch_rows", [1, pytest.param(2, marks=pytest.mark.long), 7, 1000])
def test_streaming_equals_reading_whatever_the_size_of_batches_and_blocks(written, monkeypatch, batch_rows):
    monkeypatch.setattr(csv_files, "BLOCK_BYTES", 64)
    rows = "".join(f'{i},{i / 7 if i % 5 else "NA"},"a\n{i % 3}"\n' for i in range(200))
    file = open_file(written("i,x,s\n" + rows))
    types = {"i": "number", "x": "number"}
    batches = list(file.batches(types=types, batch_rows=batch_rows))
    assert max(batch.num_rows for batch in batches) <= batch_rows
    assert len(batches) > 5
    assert pa.Table.from_batches(batches).equals(file.read())
    assert file.read()["i"].to_pylist() == list(range(200))


def test_types_are_decided_over_all_rows(written):
    n = 100_000
    file = open_file(written("x,y,z\n" + "1,1,true\n" * n + "0.5,NA,x\n"))
    table = file.read()
    assert table["x"].to_pylist()[n - 1 :] == [1.0, 0.5]
    assert table["y"].to_pylist()[n - 1 :] == [1.0, None]
    assert table["z"].to_pylist()[n - 1 :] == ["true", "x"]


@pytest.mark.parametrize(
    "content",
    [
        "\ufeffa,b\n1,é\n2,ü\n",
        "a,b\r\n1,é\r\n2,ü\r\n\r\n\r\n",
        "\n\na,b\n1,é\n\n2,ü\n\n\n",
        "a,b\n1,é\n2,ü",
        '"a","b"\n"1","é"\n"2","ü"\n',
        "a,b\r1,é\r2,ü\r",
    ],
)
def test_every_usual_way_to_write_a_table_reads_the_same(written, content):
    expected = {"a": [1.0, 2.0], "b": ["é", "ü"]}
    assert read(written(content)).to_pydict() == expected
    assert read(written(gzip.compress(content.encode()), "data.csv.gz")).to_pydict() == expected
    assert read(written(content.replace(",", "\t"), "DATA.TSV")).to_pydict() == expected
    assert open_file(written(content.replace(",", ";"), "data.txt"), ";").read().to_pydict() == expected


def test_quotes_inside_cells_that_are_not_quoted_are_text(written):
    assert read(written('a,b\n5" pipe,x\n"say ""hi""",y\n'))["a"].to_pylist() == ['5" pipe', 'say "hi"']


def test_tab_can_be_spelt(written):
    path = written("a\tb\n1\t2\n")
    assert open_file(path, "tab").names == open_file(path, "\\t").names == open_file(path, "\t").names == ("a", "b")
    with pytest.raises(InputError, match=r"The delimiter must be one character .* got '\|\|'"):
        open_file(path, "||")


def test_one_name_in_quotes_may_hold_a_delimiter(written):
    assert open_file(written('"a;b"\n1\n')).names == ("a;b",)


def test_thousands_of_columns(written, monkeypatch):
    # Far smaller than a row: blocks must grow with the rows.
    monkeypatch.setattr(csv_files, "BLOCK_BYTES", 1024)
    n = 2000
    names = [f"größe {i}" for i in range(n)]
    path = written("\n".join(",".join(row) for row in [names, *[[str(i + j) for i in range(n)] for j in range(8)]]))
    table = read(path)
    assert table.column_names == names
    assert table[names[-1]].to_pylist() == [float(n - 1 + j) for j in range(8)]
    assert stream(path).num_rows == 8


def test_a_cell_that_is_no_number_is_named_with_its_line(written):
    rows = "".join(f'"north\nwest",{i}\n' for i in range(7))
    path = written("site,body mass\n" + rows + 'east,"12,5"\n' + rows)
    # Each row takes two lines, after the header's one.
    place = "data.csv, line 16, column 'body mass': '12,5'"
    assert message(path, read).startswith(
        place
        + " is not a number as written: decimals need a point; read it with pandas.read_csv(..., decimal=',') first if "
    )
    assert message(path, lambda path: stream(path, **{"body mass": "number"})).startswith(place + " is not a number as")
    assert open_file(path).read(types={"body mass": "text"}).num_rows == 15


def test_the_line_is_that_of_the_cell_where_its_row_spans_several(written):
    assert message(written('a,b\n"x\ny",1\n"x\ny",2\n"x\ny",oops\n'), read).startswith(
        "data.csv, line 7, column 'b': 'oops'"
    )


def test_a_mixed_column_matters_only_where_it_is_asked_for(written):
    path = written("a,b\n1,1\n2,2\n3,abc\n")
    assert message(path, read) == (
        "data.csv, line 4, column 'b': 'abc' is not a number, but 2 of the column's 3 cells are; mend the cell; a "
        "feature may also be left out of X, or treated as levels with f(b)."
    )
    assert open_file(path).read(["a"]).to_pydict() == {"a": [1.0, 2.0, 3.0]}


def test_the_column_of_a_remedy_is_written_as_a_formula_needs_it(written):
    assert message(written("a b\n1\n2\nx\n"), read).endswith("out of X, or treated as levels with f(`a b`).")


def test_booleans_asked_for_must_be_booleans(written):
    path = written("a\ntrue\nyes\n")
    assert message(path, lambda path: stream(path, a="boolean")).startswith(
        "data.csv, line 3, column 'a': 'yes' is not a boolean; "
    )


def test_a_name_that_is_not_there_is_named_with_the_nearest(written):
    path = written("weight,age\n1,2\n")
    for act in (lambda path: open_file(path).read(["wieght"]), lambda path: stream(path, wieght="number")):
        assert message(path, act) == "data.csv has no column 'wieght'; the nearest name is 'weight'."
    assert message(path, lambda path: open_file(path).read(["z"])).endswith("its columns are 'weight', 'age'.")


DEFLATED = gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * 7919 % 1000) for i in range(50_000)))
BAD_FILES = {
    "empty": ("data.csv", b"", "data.csv is empty; it needs a header and rows."),
    "blank": ("data.csv", b"\n\r\n", "data.csv is empty but for line ends"),
    "packed_empty": ("data.csv.gz", gzip.compress(b""), "data.csv.gz is empty"),
    "header_only": ("data.csv", b"a,b\n\n", "data.csv has a header but no rows."),
    "semicolon": (
        "data.csv",
        b"a;b\n1;2\n",
        "line 1: the header is one cell, 'a;b', delimited by ';' rather than ','; "
        "read it with pandas.read_csv(..., sep=';') first.",
    ),
    "quoted_semicolon": ("data.csv", b'"a";"b"\n1;2\n', "delimited by ';' rather than ','"),
    "tab": (
        "data.csv",
        b"a\tb\n1\t2\n",
        "delimited by tab rather than ','; read it with pandas.read_csv(..., sep='\\t') first.",
    ),
    "bar": ("data.txt", b"a|b\n1|2\n", "read it with pandas.read_csv(..., sep='|') first."),
    "comma_in_tsv": (
        "data.tsv",
        b"a,b\n1,2\n",
        "delimited by ',' rather than tab; read it with pandas.read_csv(..., sep=',') first.",
    ),
    "too_many": (
        "data.csv",
        b'a,b\n"x\ny",2\n\n1,2,3\n',
        "data.csv, line 5 has 3 cells where the header has 2; mend the line",
    ),
    "too_few": ("data.csv", b"a,b\n1,2\n3\n", "data.csv, line 3 has 1 cell where the header has 2;"),
    "twice": ("data.csv", b"a,b,a\n1,2,3\n", "data.csv has several columns named 'a' (columns 1 and 3); give each"),
    "nameless": ("data.csv", b'"","a"\n"1",2\n', "data.csv: column 1 has no name; name it, or, if it numbers the rows"),
    "title": (
        "data.csv",
        b"Claims of 2024\n\nid,amount,region\n1,2,3\n",
        "data.csv, line 1: 'Claims of 2024' seems to be a title, since it is a single cell above 3; delete all lines",
    ),
    "title_of_a_sheet": ("data.csv", b"Claims,,\nid,amount,region\n1,2,3\n", "line 1: 'Claims' seems to be a title"),
    "binary": ("data.csv", b"a,b\n1,2\n\x00\x01\x02", "data.csv is not text: it holds binary data from line 3 on"),
    "workbook": (
        "data.csv",
        b"PK\x03\x04\x00\x00",
        "data.csv is a workbook or a zip archive, not text; save the table as CSV.",
    ),
    "parquet": ("data.csv", b"PAR1\x00\x00", "data.csv is a Parquet file; rename it to end in .parquet."),
    "packed": ("data.csv", DEFLATED, "data.csv is compressed by gzip; rename it to end in .csv.gz."),
    "packed_twice": ("data.csv.gz", gzip.compress(DEFLATED), "data.csv.gz is compressed by gzip twice; decompress it"),
    "utf16": (
        "data.csv",
        "a,b\n1,2\n".encode("utf-16"),
        "data.csv is UTF-16 text; save the file as UTF-8.",
    ),
    "latin1": (
        "data.csv",
        "a,b\n1,x\n2,é\n".encode("latin-1"),
        "data.csv, line 3 is not UTF-8 text (byte 0xe9 at position 3 of the line); save the file as UTF-8 (in Excel",
    ),
    "latin1_name": (
        "data.csv",
        "größe,b\n1,2\n".encode("latin-1"),
        "data.csv, line 1 is not UTF-8 text (byte 0xf6 at position 3",
    ),
    "latin1_far": ("data.csv", b"a,b\n" + b"1,x\n" * 20_000 + b"1,\xe9\n", "data.csv, line 20002 is not UTF-8 text"),
    "cut_gzip": ("data.csv.gz", DEFLATED[:-50_000], "data.csv.gz is cut off: its gzip stream ends too early"),
    "cut_gzip_early": ("data.csv.gz", DEFLATED[:15], "data.csv.gz is cut off: its gzip stream ends too early"),
    "no_gzip": ("data.csv.gz", b"a,b\n1,2\n", "data.csv.gz is not a valid gzip file"),
    "damaged_gzip": (
        "data.csv.gz",
        DEFLATED[:90_000] + b"\xff" * 9 + DEFLATED[90_009:],
        "data.csv.gz is not a valid gzip file",
    ),
    "open_quote": (
        "data.csv",
        b'a,b\n1,x\n2,"y\n3,z\n',
        "data.csv, line 3: a quote in the row that begins here is never closed",
    ),
    "open_quote_numbers": (
        "data.csv",
        b'a,b\n1,4\n2,"5\n3,6\n',
        "data.csv, line 3: a quote in the row that begins here is never closed",
    ),
    "open_quote_last": ("data.csv", b'a,b\n1,2\n3,"4', "data.csv, line 3: a quote"),
    "open_quote_header": ("data.csv", b'a,"b\n1,2\n', "data.csv, line 1: a quote"),
    "open_quote_long": ("data.csv", b'a,b\n1,"2\n' + b"3,4\n" * 60_000, "data.csv, line 2: a quote"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_refused_in_one_sentence(written, case):
    name, content, expected = BAD_FILES[case]
    path = written(content, name)
    assert expected in message(path, read)
    assert expected in message(path, lambda path: stream(path, a="number", b="text"))


def test_a_row_longer_than_a_block_is_refused(written, monkeypatch):
    monkeypatch.setattr(csv_files, "BLOCK_BYTES", 64)
    text = message(written("a,b\n1,2\n3," + "x" * 500 + "\n"), read)
    assert re.fullmatch(r"data\.csv has a row longer than \d+ bytes, more than can be read; shorten its cells\.", text)


def test_a_missing_file_and_a_forbidden_one(tmp_path, written, monkeypatch):
    assert message(tmp_path / "no.csv", read) == "no.csv is not found; check the name and the folder."
    path = written(MIXED)

    def refuse(*args, **options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.open", refuse)
    assert message(path, read) == "data.csv may not be read: no permission."


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_without_permission(written):
    path = written(MIXED)
    path.chmod(0)
    assert message(path, read) == "data.csv may not be read: no permission."


def test_long_cells_are_shortened_in_messages(written):
    text = message(written("a\n1\n2\n" + "x" * 200_000 + "\n"), lambda path: stream(path, a="number"))
    assert len(text) < 400


def test_streaming_takes_memory_that_does_not_grow_with_the_file(written, monkeypatch):
    monkeypatch.setattr(csv_files, "BLOCK_BYTES", 1 << 16)
    path = written("x,s\n" + "0.123456789,some text\n" * 400_000)
    before, most, n_rows = pa.total_allocated_bytes(), 0, 0
    for batch in open_file(path).batches(types={"x": "number"}):
        most = max(most, pa.total_allocated_bytes() - before)
        n_rows += batch.num_rows
    assert n_rows == 400_000
    # The file has nine megabytes; the blocks that pyarrow reads ahead are allowed for.
    assert most < 6e6


def test_csv_agrees_with_pythons_own_reader(written):
    path = written(MIXED)
    with path.open(newline="") as lines:
        names, *rows = csv.reader(lines)
    table = stream(path)
    assert table.column_names == names
    assert [[cell or "" for cell in row] for row in zip(*table.to_pydict().values(), strict=True)] == rows


def test_pyarrow_is_not_needed_until_a_file_is_opened(written):
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from pugam.errors import InputError\n"
        "import pugam.files\n"
        "try:\n    pugam.files.open_file(sys.argv[1])\n"
        "except InputError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code, written(MIXED)], capture_output=True, text=True, check=True)
    assert done.stdout == "CSV and Parquet files are read and written by pyarrow: pip install pyarrow.\n"


def test_decimals_with_a_comma_are_read_when_asked_for(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a;b;c\n1,5;x,y;3\n-2,25;z;NA\n", encoding="utf-8")

    file = open_file(path, ";", decimal=",")

    assert file.read().to_pydict() == {"a": [1.5, -2.25], "b": ["x,y", "z"], "c": [3.0, None]}
    (batch,) = file.batches()
    assert batch.column("a").to_pylist() == ["1,5", "-2,25"]
    assert file.typed(batch, {"a": "number"}).column("a").to_pylist() == [1.5, -2.25]
    assert file.place(1) == "line 3"
    with pytest.raises(InputError, match="decimal sign is"):
        open_file(path, ";", decimal="'")


GROUPED = {
    "thousands or decimals": (["4,000", "5,100"], ".", "'4,000' may be thousands, or decimals behind a comma"),
    "among numbers": (["900", "1,200", "400"], ".", "line 3, column 'x': '1,200' may be thousands"),
    "millions": (["1,006,000", "2,000,500"], ".", "'1,006,000' is not a number as written, but looks like thousands"),
    "with decimals": (["1,234.50", "3"], ".", "'1,234.50' is not a number as written, but looks like thousands"),
    "spaces": (["1 006 000", "900"], ".", "'1 006 000' is not a number as written, but looks like thousands"),
    "no-break spaces": (["1\u00a0006", "900"], ".", "is not a number as written, but looks like thousands"),
    "apostrophes": (["1'006", "900"], ".", "is not a number as written, but looks like thousands"),
    "points": (["1.006.000", "900"], ".", "is not a number as written, but looks like thousands"),
    "points beside commas": (["4.000", "5.000"], ",", "'4.000' has a point, but decimals have a comma here"),
    "both": (["4,5", "5.000,25"], ",", "'5.000,25' is not a number as written, but looks like thousands"),
    "decimals": (["4,5", "5,000"], ".", "'4,5' is not a number as written: decimals need a point"),
    "small decimals": (["0,123", "1,234"], ".", "'0,123' is not a number as written: decimals need a point"),
}


@pytest.mark.parametrize(("cells", "decimal", "said"), GROUPED.values(), ids=GROUPED.keys())
def test_digits_in_groups_are_asked_about(tmp_path, cells, decimal, said):
    path = tmp_path / "rows.csv"
    path.write_text("x;z\n" + "".join(f"{cell};1\n" for cell in cells), encoding="utf-8")

    with pytest.raises(InputError) as error:
        open_file(path, ";", decimal).read()

    assert said in str(error.value)
    if decimal == ".":
        with pytest.raises(
            InputError, match=r"is not a number as written: (it needs no signs between groups|decimals)"
        ):
            open_file(path, ";", decimal).read(types={"x": "number"})


@pytest.mark.parametrize("cells", [["12,345,67", "a"], ["a", "b", "1,006,000"], ["1,23,456", "2,34,567"]])
def test_other_text_with_commas_is_text(tmp_path, cells):
    path = tmp_path / "rows.csv"
    path.write_text("x;z\n" + "".join(f"{cell};1\n" for cell in cells), encoding="utf-8")

    assert open_file(path, ";").read()["x"].to_pylist() == cells


def test_binary_data_far_behind_the_start_is_refused(written):
    path = written("x,site\n" + "1,north\n" * 20_000 + "1,no\0rth\n2,south\n")

    assert "is not text: it holds binary data from line 20002 on" in message(path, read)
    assert "line 20002" in message(path, lambda path: list(open_file(path).batches()))


def test_more_columns_than_memory_has_room_for_are_refused(written, monkeypatch):
    monkeypatch.setattr(csv_files, "MOST_COLUMNS", 3)
    path = written("a,b,c,d\n1,2,3,4\n")

    assert "4 columns are asked for, but at most 3 of a CSV file can be read" in message(path, read)
    assert open_file(path).read(["a", "d"]).num_columns == 2


@pytest.mark.parametrize("delimiter", [" ", "e", "'", "\x1e", "#", "tab"])
def test_any_character_may_stand_between_cells(written, delimiter):
    sign = "\t" if delimiter == "tab" else delimiter
    path = written(f"x{sign}y\n1{sign}2\n")
    assert open_file(path, delimiter).read().to_pydict() == {"x": [1.0], "y": [2.0]}
    assert open_file(path, delimiter).place(0) == "line 2"
    path = written(f"x{sign}y\n")
    assert message(path, lambda path: open_file(path, delimiter)) == "data.csv has a header but no rows."


def test_a_point_is_a_missing_value_also_beside_decimal_commas(written):
    file = open_file(written("a;b\n1,5;.\n . ;2\n"), ";", ",")
    assert file.read().to_pydict() == {"a": [1.5, None], "b": [None, 2.0]}
    assert file.read(types={"a": "number", "b": "number"}) == file.read()
    # A comma alone is none.
    path = written("a;b\n1,5;2\n2,5;3\n,;4\n")
    assert "',' is not a number" in message(path, lambda path: open_file(path, ";", ",").read())


# Pipes


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("name", ["pipe.csv", "pipe.csv.gz", "pipe.parquet"])
def test_a_pipe_is_refused_before_it_is_read(tmp_path, name):
    os.mkfifo(tmp_path / "named")
    (tmp_path / name).symlink_to("named")
    assert message(tmp_path / name, open_file) == (
        f"{name} is a pipe, which can be read only once; write its rows to a file, and give that."
    )
