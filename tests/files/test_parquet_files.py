"""Parquet files in: types as they are, folders as one table, constant memory, and a clear word about bad files."""

import datetime
import os
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pugam.errors import InputError
from pugam.files import open_file

TYPED = pa.table(
    {
        "dictionary": pa.array(["a", None, "b"]).dictionary_encode(),
        "decimal": [Decimal("1.50"), None, Decimal("2.25")],
        "large": pa.array(["x", "NA", None], pa.large_string()),
        "float32": pa.array([0.1, None, float("nan")], pa.float32()),
        "int8": pa.array([1, 2, None], pa.int8()),
        "uint64": pa.array([2**64 - 1, 0, None], pa.uint64()),
        "bool": [True, None, False],
        "null": pa.nulls(3),
        "date": [datetime.date(2020, 2, 29), None, None],
        "time": pa.array([0, None, 1], pa.timestamp("us", "UTC")),
        "a.b": [1, 2, 3],
        "größe": ["é", "", "007"],
    }
)


def saved(table, path, **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, **options)
    return path


def message(path, act):
    with pytest.raises(InputError) as caught:
        act(path)
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(str(path), path.name)


@pytest.mark.parametrize("suffix", [".parquet", ".pq", ".PARQUET"])
def test_types_pass_through_untouched(tmp_path, suffix):
    file = open_file(saved(TYPED, tmp_path / f"data{suffix}"))
    assert file.names == tuple(TYPED.column_names)
    assert file.n_rows == 3
    assert file.read().schema.equals(TYPED.schema)
    # As text, because NaN is not equal to itself.
    assert repr(file.read().to_pylist()) == repr(TYPED.to_pylist())
    batches = list(file.batches(types={"float32": "number"}, batch_rows=2))
    assert [batch.num_rows for batch in batches] == [2, 1]
    assert batches[0].schema.equals(TYPED.schema)
    assert repr(pa.Table.from_batches(batches).to_pylist()) == repr(TYPED.to_pylist())


def test_columns_come_in_the_order_asked_for(tmp_path):
    file = open_file(saved(TYPED, tmp_path / "data.parquet"))
    assert file.read(["int8", "bool"]).column_names == ["int8", "bool"]
    assert next(file.batches(["int8", "a.b"])).schema.names == ["int8", "a.b"]
    assert message(file.path, lambda _: file.read(["int9"])).endswith(
        "has no column 'int9'; the nearest name is 'int8'."
    )


def test_row_groups_do_not_matter(tmp_path):
    table = pa.table({"x": np.arange(1000.0)})
    file = open_file(saved(table, tmp_path / "data.parquet", row_group_size=7))
    batches = list(file.batches(batch_rows=10))
    assert max(batch.num_rows for batch in batches) <= 10
    assert pa.Table.from_batches(batches).equals(table)


def test_a_folder_is_one_table_in_the_order_of_names(tmp_path):
    folder = tmp_path / "parts.parquet"
    for number, name in enumerate(["year=2020/b.parquet", "year=2020/a.pq", "year=2021/a.parquet"]):
        saved(pa.table({"x": [number], "y": [str(number)]}), folder / name)
    saved(pa.table({"y": ["3"], "x": [3]}), folder / "z.parquet")
    (folder / "_SUCCESS").touch()
    (folder / "readme.txt").write_text("not a part")
    (folder / ".hidden.parquet").touch()
    file = open_file(folder)
    assert (file.names, file.n_rows) == (("x", "y"), 4)
    expected = {"x": [1, 0, 2, 3], "y": ["1", "0", "2", "3"]}
    assert file.read().to_pydict() == expected
    assert pa.Table.from_batches(file.batches()).to_pydict() == expected


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        (pa.table({"x": ["1"]}), "b.parquet: column 'x' is of type string, but of type int64 in "),
        (pa.table({"y": [1]}), "b.parquet lacks the column 'x' that "),
        (pa.table({"x": [1], "y": [1]}), "b.parquet has a column 'y' that "),
    ],
)
def test_files_that_do_not_fit_together_are_named(tmp_path, second, expected):
    saved(pa.table({"x": [1]}), tmp_path / "a.parquet")
    saved(second, tmp_path / "b.parquet")
    text = message(tmp_path, open_file)
    assert f"/{expected}" in text
    assert "/a.parquet" in text


def test_a_part_without_rows_need_not_know_its_types(tmp_path):
    for name, values in (("a", pa.nulls(0)), ("b", ["1"]), ("c", pa.nulls(0)), ("d", ["2"])):
        saved(pa.table({"x": values}), tmp_path / f"{name}.parquet")

    file = open_file(tmp_path)

    assert file.n_rows == 2
    assert file.read().to_pydict() == {"x": ["1", "2"]}
    assert pa.Table.from_batches(file.batches()).to_pydict() == {"x": ["1", "2"]}


def test_nested_columns_are_refused_only_where_they_are_asked_for(tmp_path):
    table = pa.table({"x": [1.0, 2.0], "tags": [["a"], []], "point": [{"u": 1}, {"u": 2}]})
    path = saved(table, tmp_path / "data.parquet")
    file = open_file(path)
    assert file.read().equals(table)
    assert pa.Table.from_batches(file.batches()).equals(table)
    for act in (
        lambda _: file.read(["x", "tags"]),
        lambda _: list(file.batches(["tags"])),
        lambda _: list(file.batches(types={"tags": "number"})),
    ):
        assert message(path, act).startswith("data.parquet: column 'tags' holds several values per row (list<")


def test_bad_files(tmp_path):
    good = saved(pa.table({"x": np.arange(10_000.0)}), tmp_path / "good.parquet", compression="NONE").read_bytes()
    damaged = bytearray(good)
    damaged[4:40] = b"\xff" * 36
    for content, expected in [
        (b"", "bad.parquet is empty; it needs a header and rows."),
        (b"a,b\n1,2\n", "bad.parquet is not a Parquet file; rename it after what it is, such as .csv."),
        (b"a", "bad.parquet is not a Parquet file"),
        (good[:-100], "bad.parquet is cut off: a Parquet file, but its end is missing; copy or write it again."),
        (b"PAR1", "bad.parquet is a damaged Parquet file ("),
        (bytes(damaged), "bad.parquet is a damaged Parquet file ("),
    ]:
        path = tmp_path / "bad.parquet"
        path.write_bytes(content)
        assert expected in message(path, lambda path: open_file(path).read())
        assert expected in message(path, lambda path: list(open_file(path).batches()))


def test_tables_without_cells_and_names_that_cannot_be_used(tmp_path):
    for table, expected in [
        (pa.table({"x": pa.array([], pa.float64())}), "data.parquet has columns but no rows."),
        (pa.table({"x": [1]}).select([]), "data.parquet has no columns."),
        (
            pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["x", "x"]),
            "several columns named 'x' (columns 1 and 2)",
        ),
        (pa.table({"": [1]}), "data.parquet: column 1 has no name"),
    ]:
        assert expected in message(saved(table, tmp_path / "data.parquet"), open_file)


def test_places_where_there_is_nothing_to_read(tmp_path):
    assert message(tmp_path / "no.parquet", open_file) == "no.parquet is not found; check the name and the folder."
    assert "is a folder without Parquet files" in message(tmp_path, open_file)
    path = tmp_path / "data.dat"
    assert message(path, open_file) == (
        "data.dat: the end of the name does not say what the file is; files that end in .csv, .tsv, .txt, .csv.gz, "
        ".tsv.gz, .txt.gz, .parquet and .pq, and folders of Parquet files, can be read."
    )
    assert "is an Excel workbook; save the table as 'CSV UTF-8'" in message(tmp_path / "data.xlsx", open_file)


def test_streaming_takes_memory_that_does_not_grow_with_the_row_groups(tmp_path):
    n = 1_000_000
    table = pa.table({name: np.random.default_rng(0).random(n) for name in "abc"})
    path = saved(table, tmp_path / "data.parquet", row_group_size=n)
    del table
    before, most, total = pa.total_allocated_bytes(), 0, 0.0
    for batch in open_file(path).batches(batch_rows=20_000):
        most = max(most, pa.total_allocated_bytes() - before)
        total += batch.column(0).to_numpy().sum()
    # Three columns of eight megabytes lie in the one row group.
    assert most < 12e6
    assert total == pytest.approx(n / 2, rel=0.01)


@pytest.mark.skipif(not hasattr(pa, "string_view"), reason="an old pyarrow has no views")
def test_views_are_plain_text_and_bytes_for_whoever_reads(tmp_path):
    views = pa.table(
        {"x": pa.array(["=1", None, "b"], pa.string_view()), "raw": pa.array([b"1", None, b"\xff"], pa.binary_view())}
    )
    file = open_file(saved(views, tmp_path / "data.parquet"))
    plain = pa.table({"x": ["=1", None, "b"], "raw": pa.array([b"1", None, b"\xff"])})
    assert file.read().equals(plain)
    assert pa.Table.from_batches(file.batches(batch_rows=2)).equals(plain)
    saved(plain, tmp_path / "parts" / "a.parquet")
    saved(views, tmp_path / "parts" / "b.parquet")
    assert open_file(tmp_path / "parts").read().equals(pa.concat_tables([plain, plain]))


def test_parts_may_differ_in_whether_gaps_are_possible(tmp_path):
    strict = pa.schema([pa.field("x", pa.int64(), nullable=False)])
    saved(pa.table({"x": [1]}, strict), tmp_path / "a.parquet")
    saved(pa.table({"x": pa.array([None], pa.int64())}), tmp_path / "b.parquet")
    file = open_file(tmp_path)
    assert file.read()["x"].to_pylist() == [1, None]
    assert pa.Table.from_batches(file.batches())["x"].to_pylist() == [1, None]


# Links in folders


@pytest.fixture
def parts(tmp_path):
    """A folder with one part, and a folder beside it with another."""
    for number, name in enumerate(["parts/a.parquet", "elsewhere/b.parquet"]):
        saved(pa.table({"x": [number]}), tmp_path / name)
    return tmp_path / "parts"


def test_links_to_folders_and_files_are_followed(parts):
    (parts / "year=2021").symlink_to(parts.parent / "elsewhere", target_is_directory=True)
    assert open_file(parts).read()["x"].to_pylist() == [0, 1]
    (parts / "year=2021").unlink()
    (parts / "c.parquet").symlink_to(parts.parent / "elsewhere" / "b.parquet")
    assert open_file(parts).read()["x"].to_pylist() == [0, 1]


@pytest.mark.parametrize(
    ("name", "target", "expected"),
    [
        ("b.parquet", "gone.parquet", "b.parquet is a link to gone.parquet, which is not there"),
        ("year=2021", "gone", "year=2021 is a link to gone, which is not there"),
        ("again.parquet", "a.parquet", "again.parquet and "),
        ("deeper", ".", "deeper is a link to a folder that it lies in"),
        ("b.parquet", "b.parquet", "b.parquet cannot be read: "),
    ],
)
def test_links_that_would_lose_or_repeat_rows_are_refused(parts, name, target, expected):
    (parts / name).symlink_to(target)
    assert expected in message(parts, open_file)


def test_a_hard_link_to_a_part_is_refused(parts):
    (parts / "b.parquet").hardlink_to(parts / "a.parquet")
    assert "b.parquet and " in (said := message(parts, open_file))
    assert "a.parquet are the same file, whose rows would count twice; remove one of them." in said


def test_a_link_to_a_folder_of_the_same_table_is_refused(parts):
    (parts / "latest").symlink_to(parts.parent, target_is_directory=True)
    assert "is a link to a folder that it lies in" in message(parts, open_file)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_part_that_is_no_file_is_refused(parts):
    os.mkfifo(parts / "b.parquet")
    assert "b.parquet is not a file" in message(parts, open_file)


def test_a_folder_that_may_not_be_listed_is_refused(parts, monkeypatch):
    (parts / "secret").mkdir()
    listed = Path.iterdir

    def refusing(folder):
        if folder.name == "secret":
            raise PermissionError
        return listed(folder)

    monkeypatch.setattr(Path, "iterdir", refusing)
    assert message(parts, open_file) == "parts/secret may not be read: no permission."
