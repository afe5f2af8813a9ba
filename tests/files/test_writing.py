"""Tables out and in again: nothing changes on the way, whatever the format."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pugam.errors import InputError
from pugam.files import open_file, open_writer, writing

SUFFIXES = [".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet", ".pq"]
# No NUL, which would make the file binary, and no halves of surrogate pairs, which are no text.
texts = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=8)
tricky = st.sampled_from(['"', ",", "\t", "\r", "\n", "\r\n", ";", " ", "NA", "007", "\ufeff", "a,b", '""', "é"])
cells = st.one_of(st.none(), tricky, texts.map(lambda text: text or None))
numbers = st.one_of(st.none(), st.floats(allow_nan=False))


def save(table, path, batch_rows=1000):
    with open_writer(path, table.schema) as writer:
        for batch in table.to_batches(batch_rows):
            writer.write(batch)
    return path


@pytest.mark.parametrize(
    ("delimiter", "decimal"), [(";", ","), (",", ","), ("tab", "."), ("|", ","), ("^", "."), ("]", ","), ("-", ".")]
)
def test_a_delimiter_and_a_decimal_sign_read_back(tmp_path, delimiter, decimal):
    table = pa.table({"x": [0.5, None, 1e-300], "a;b": ["one;two", "^-]|,", 'a\t"b"']})
    with open_writer(tmp_path / "out.csv", table.schema, delimiter, decimal) as writer:
        writer.write(table.to_batches()[0])

    assert open_file(tmp_path / "out.csv", delimiter, decimal).read().equals(table)


def test_a_name_that_asks_for_tabs_gets_them(tmp_path):
    table = pa.table({"x": [0.5], "y": [2.0]})
    with open_writer(tmp_path / "out.tsv", table.schema, ";", ",") as writer:
        writer.write(table.to_batches()[0])

    assert (tmp_path / "out.tsv").read_text() == "x\ty\n0,5\t2\n"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_table_reads_back_as_it_was_written(tmp_path, suffix):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=500) * 10.0 ** rng.integers(-300, 300, 500),
            "count": rng.integers(0, 9, 500).astype(float),
            "größe": rng.choice(["é", 'say "hi"', "a,b", "tab\t", "line\nend", "NA"], 500),
            "yes": rng.random(500) < 0.5,
        }
    )
    path = save(pa.Table.from_pandas(frame, preserve_index=False), tmp_path / f"data{suffix}", batch_rows=64)
    pd.testing.assert_frame_equal(open_file(path).read().to_pandas(), frame, check_exact=True, check_dtype=False)


@given(
    rows=st.lists(st.tuples(cells, numbers), min_size=1, max_size=20),
    names=st.lists(st.one_of(tricky, texts.filter(bool)), min_size=2, max_size=2, unique=True),
    suffix=st.sampled_from([".csv", ".tsv", ".csv.gz", ".parquet"]),
    width=st.sampled_from([1, 2]),
)
def test_any_text_and_any_number_survive(tmp_path_factory, rows, names, suffix, width):
    columns = [pa.array([row[0] for row in rows], pa.string()), pa.array([row[1] for row in rows], pa.float64())]
    table = pa.Table.from_arrays(columns[:width], names[:width])
    path = save(table, tmp_path_factory.mktemp("any") / f"data{suffix}", batch_rows=3)
    types = dict(zip(names[:width], ["text", "number"], strict=False))
    file = open_file(path)
    assert file.names == tuple(names[:width])
    back = file.read(types=types)
    # As text, because == does not tell -0.0 from 0.0.
    assert repr(back.to_pylist()) == repr(table.to_pylist())
    assert pa.Table.from_batches(file.batches(types=types, batch_rows=2)).to_pylist() == back.to_pylist()


def test_one_column_with_gaps_keeps_its_rows(tmp_path):
    path = save(pa.table({"x": [None, 1.0, None, None]}), tmp_path / "data.csv")
    assert path.read_text() == 'x\n""\n1\n""\n""\n'
    assert open_file(path).read().to_pydict() == {"x": [None, 1.0, None, None]}


def test_numbers_of_any_width_read_back_as_the_same_number(tmp_path):
    narrow = [0.1, None, 65504.0, float("nan")]
    table = pa.table(
        {
            "half": pa.array([None if x is None else np.float16(x) for x in narrow], pa.float16()),
            "single": pa.array(narrow, pa.float32()),
            "uint64": pa.array([2**53, 0, None, 1], pa.uint64()),
        }
    )
    back = open_file(save(table, tmp_path / "data.csv")).read().to_pydict()
    assert back["half"] == [float(np.float16(0.1)), None, 65504.0, None]
    assert back["single"] == [float(np.float32(0.1)), None, 65504.0, None]
    assert back["uint64"] == [2.0**53, 0.0, None, 1.0]


def test_other_types_are_written_as_people_write_them(tmp_path):
    table = pa.table(
        {
            "level": pa.array(["a", None]).dictionary_encode(),
            "price": [Decimal("1.50"), None],
            "day": [datetime.date(2020, 2, 29), None],
            "yes": [True, None],
            "nothing": pa.nulls(2),
        }
    )
    path = save(table, tmp_path / "data.csv")
    assert path.read_text() == "level,price,day,yes,nothing\na,1.50,2020-02-29,true,\n,,,,\n"


def test_cells_are_quoted_only_where_they_must_be(tmp_path):
    table = pa.table({"a b": ["007", "x,y", 'say "hi"'], 'c"d': ["1;2", "tab\t", ""]})
    assert save(table, tmp_path / "data.csv").read_text() == ('a b,"c""d"\n007,1;2\n"x,y",tab\t\n"say ""hi""",\n')
    assert save(table, tmp_path / "data.tsv").read_text().splitlines()[2] == 'x,y\t"tab\t"'


def test_wide_tables_are_written_in_slices(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "CELLS_PER_TEXT", 1000)
    table = pa.table({f"x{i}": np.arange(10.0) + i for i in range(600)})
    assert open_file(save(table, tmp_path / "data.csv")).read().equals(table)


def test_dictionaries_may_differ_from_batch_to_batch(tmp_path):
    batches = [pa.RecordBatch.from_pydict({"s": pa.array(level).dictionary_encode()}) for level in (["a", "b"], ["c"])]
    for suffix in SUFFIXES:
        with open_writer(tmp_path / f"data{suffix}", batches[0].schema) as writer:
            for batch in batches:
                writer.write(batch)
        assert open_file(tmp_path / f"data{suffix}").read().to_pydict() == {"s": ["a", "b", "c"]}


def test_small_batches_become_large_row_groups(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "ROWS_PER_GROUP", 100)
    path = save(pa.table({"x": np.arange(250)}), tmp_path / "data.parquet", batch_rows=10)
    groups = pq.ParquetFile(path).metadata
    assert [groups.row_group(i).num_rows for i in range(groups.num_row_groups)] == [100, 100, 50]
    monkeypatch.setattr(writing, "BYTES_PER_GROUP", 800)
    save(pa.table({"x": np.arange(250), "y": np.arange(250)}), path, batch_rows=10)
    assert pq.ParquetFile(path).metadata.row_group(0).num_rows == 50


def test_writing_takes_memory_that_does_not_grow_with_the_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "ROWS_PER_GROUP", 50_000)
    batch = pa.RecordBatch.from_pydict({"x": np.arange(10_000.0)})
    before, most = pa.total_allocated_bytes(), 0
    with open_writer(tmp_path / "data.parquet", batch.schema) as writer:
        for start in range(100):
            writer.write(pa.RecordBatch.from_pydict({"x": np.arange(10_000.0) + start}))
            most = max(most, pa.total_allocated_bytes() - before)
    # Eight megabytes in all.
    assert most < 4e6


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_failure_in_the_middle_leaves_the_old_file(tmp_path, suffix, error):
    table = pa.table({"x": [1.0, 2.0]})
    path = save(table, tmp_path / f"data{suffix}")

    def fail():
        with open_writer(path, table.schema) as writer:
            writer.write(table.to_batches()[0])
            raise error

    with pytest.raises(error):
        fail()
    assert open_file(path).read().equals(table)
    assert [other.name for other in tmp_path.iterdir()] == [path.name]


def test_the_same_rows_give_the_same_packed_bytes(tmp_path):
    table = pa.table({"x": [1.0, 2.0]})
    paths = [save(table, tmp_path / name) for name in ("a.csv.gz", "b.csv.gz")]
    assert paths[0].read_bytes() == paths[1].read_bytes()


def refusal(path, schema):
    with pytest.raises(InputError) as caught, open_writer(path, schema):
        pass
    assert not list(path.parent.glob("*")) if path.parent.exists() else True
    return str(caught.value).replace(str(path), path.name)


def test_what_cannot_be_written_is_said_before_anything_is(tmp_path):
    numbers_only = pa.schema([("x", pa.float64())])
    assert refusal(tmp_path / "data.xlsx", numbers_only) == (
        "data.xlsx cannot be written: files that end in .csv, .tsv, .txt, .csv.gz, .tsv.gz, .txt.gz, .parquet and .pq "
        "can."
    )
    nested = pa.schema([("x", pa.float64()), ("tags", pa.list_(pa.string()))])
    text = refusal(tmp_path / "data.csv", nested)
    assert text.startswith("data.csv: column 'tags' (list<")
    assert text.endswith(
        "does not fit into the cells of a CSV file; leave it out, or write a file that ends in .parquet."
    )
    assert "there is no folder" in refusal(tmp_path / "no" / "data.csv", numbers_only)


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.binary(2)], ids=str)
def test_bytes_that_need_not_be_text_do_not_go_into_cells(tmp_path, kind):
    batch = pa.RecordBatch.from_pydict({"key": pa.array([b"\xff\x00"], kind)})

    with (
        pytest.raises(InputError, match=r"column .key. .* does not fit into the cells of a CSV file"),
        open_writer(tmp_path / "out.csv", batch.schema) as writer,
    ):
        writer.write(batch)
    assert list(tmp_path.iterdir()) == []
