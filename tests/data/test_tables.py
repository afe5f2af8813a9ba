"""One expected table, read from every backend; and what is said about tables that cannot be used."""

import datetime
import pickle
from decimal import Decimal

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from pugam.data import Column, Table, read_table, require_numeric
from pugam.errors import InputError

NUMERIC = {
    "float": [1.5, None, -2.0],
    "integer": [3, 0, None],
    "complete": [7, 8, 9],
}
CATEGORY = {
    "text": ["b", None, "a"],
    "boolean": [True, False, None],
}
EXPECTED = {**NUMERIC, **CATEGORY}


def as_object_array(data):
    return np.array(list(data.values()), dtype=object).T


BACKENDS = {
    "pandas": pd.DataFrame,
    "pandas nullable": lambda data: pd.DataFrame(data).convert_dtypes(),
    "pandas pyarrow": lambda data: pd.DataFrame(data).convert_dtypes(dtype_backend="pyarrow"),
    "pandas object": lambda data: pd.DataFrame(data, dtype=object),
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "arrow chunked": lambda data: pa.concat_tables([pa.table(data).slice(0, 1), pa.table(data).slice(1)]),
    "numpy": as_object_array,
}
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}


def column_of(table, name):
    return table.column(name if name in table.names else f"x{list(EXPECTED).index(name)}")


@pytest.fixture(params=BACKENDS)
def table(request):
    return read_table(BACKENDS[request.param](EXPECTED))


@pytest.mark.parametrize("name", NUMERIC)
def test_numbers_become_floats_with_nan_for_gaps(table, name):
    column = column_of(table, name)

    assert column.kind == "numeric"
    assert column.values.dtype == np.float64
    np.testing.assert_array_equal(column.values, [np.nan if v is None else v for v in NUMERIC[name]])
    np.testing.assert_array_equal(column.missing, [v is None for v in NUMERIC[name]])


@pytest.mark.parametrize("name", CATEGORY)
def test_categories_become_plain_objects_with_none_for_gaps(table, name):
    column = column_of(table, name)

    assert column.kind == "category"
    assert column.values.tolist() == CATEGORY[name]
    assert [type(value) for value in column.values] == [type(value) for value in CATEGORY[name]]
    np.testing.assert_array_equal(column.missing, [v is None for v in CATEGORY[name]])


def test_rows_are_taken_by_mask_and_by_number(table):
    by_mask = table.take(np.array([False, True, True]))
    by_number = table.take(np.array([2, 0, 2])).take(np.array([1, 2]))

    assert by_mask.n_rows == by_number.n_rows == 2
    assert column_of(by_mask, "text").values.tolist() == [None, "a"]
    assert column_of(by_number, "text").values.tolist() == ["b", "a"]
    np.testing.assert_array_equal(column_of(by_number, "float").values, [1.5, -2.0])


def test_a_subset_without_values_keeps_the_kind_of_the_whole(table):
    gap = table.take(np.array([1]))

    assert column_of(gap, "text").kind == "category"


def test_a_table_survives_pickling(table):
    again = pickle.loads(pickle.dumps(table))

    assert column_of(again, "text").values.tolist() == CATEGORY["text"]


TYPED_NUMBERS = {
    "pandas UInt8": pd.Series([1, None, 3], dtype="UInt8"),
    "pandas float32": pd.Series([1, None, 3], dtype="float32"),
    "pandas arrow decimal": pd.Series([Decimal(1), None, Decimal(3)], dtype=pd.ArrowDtype(pa.decimal128(9, 2))),
    "pandas object decimal": pd.Series([Decimal(1), pd.NA, np.int8(3)], dtype=object),
    "pandas sparse": pd.Series(pd.arrays.SparseArray([1.0, np.nan, 3.0])),
    "polars UInt8": pl.Series([1, None, 3], dtype=pl.UInt8),
    "polars Float32": pl.Series([1, None, 3], dtype=pl.Float32),
    "polars decimal": pl.Series([Decimal(1), None, Decimal(3)]),
    "arrow uint64": pa.chunked_array([pa.array([1, None, 3], pa.uint64())]),
    "arrow float": pa.chunked_array([pa.array([1, None, 3], pa.float32())]),
    "arrow decimal": pa.chunked_array([pa.array([Decimal(1), None, Decimal(3)])]),
}


def one_column_frame(series):
    if isinstance(series, pd.Series):
        return series.to_frame("a")
    return series.to_frame("a") if isinstance(series, pl.Series) else pa.table({"a": series})


@pytest.mark.parametrize("series", TYPED_NUMBERS.values(), ids=TYPED_NUMBERS)
def test_every_numeric_type_becomes_float64(series):
    column = read_table(one_column_frame(series)).column("a")

    assert (column.kind, column.values.dtype) == ("numeric", np.float64)
    np.testing.assert_array_equal(column.values, [1.0, np.nan, 3.0])


TYPED_CATEGORIES = {
    "pandas categorical": (pd.Series(["u", None, "v"], dtype="category"), ["u", None, "v"]),
    "pandas numeric categorical": (pd.Series([1, None, 2], dtype="category"), [1, None, 2]),
    "pandas cut": (pd.Series(pd.cut([0.5, np.nan, 1.5], [0, 1, 2])), ["(0, 1]", None, "(1, 2]"]),
    "pandas string": (pd.Series(["u", pd.NA, "v"], dtype="string"), ["u", None, "v"]),
    "pandas object booleans": (pd.Series([True, None, np.False_], dtype=object), [True, None, False]),
    "polars categorical": (pl.Series(["u", None, "v"], dtype=pl.Categorical), ["u", None, "v"]),
    "polars enum": (pl.Series(["u", None, "v"], dtype=pl.Enum(["v", "u"])), ["u", None, "v"]),
    "arrow dictionary": (pa.chunked_array([["u", None, "v"]]).dictionary_encode(), ["u", None, "v"]),
    "arrow numeric dictionary": (pa.chunked_array([[4, None, 5]]).dictionary_encode(), [4, None, 5]),
    "arrow large text": (
        pa.chunked_array([pa.array(["u", None, "v"], pa.large_string())]),
        ["u", None, "v"],
    ),
}


@pytest.mark.parametrize(("series", "expected"), TYPED_CATEGORIES.values(), ids=TYPED_CATEGORIES)
def test_every_categorical_type_becomes_plain_objects(series, expected):
    column = read_table(one_column_frame(series)).column("a")

    assert column.kind == "category"
    assert column.values.tolist() == expected
    assert {type(value) for value in column.values} <= {str, int, type(None), bool}


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_float_array_is_not_copied(order):
    X = np.array([[1.0, 2.0], [3.0, 4.0]], order=order)

    table = read_table(X)

    assert table.names == ("x0", "x1")
    assert np.shares_memory(table.column("x1").values, X)


@pytest.mark.parametrize("dtype", ["float32", "int16", "uint64"])
def test_other_numeric_arrays_are_converted(dtype):
    values = read_table(np.array([[1, 2], [3, 4]], dtype=dtype)).column("x1").values

    assert values.dtype == np.float64
    np.testing.assert_array_equal(values, [2.0, 4.0])


def test_arrays_of_text_lists_and_masked_arrays_are_read():
    text = read_table(np.array([["a", "1"], ["b", "2"]]))
    mixed_columns = read_table([["a", 1], ["b", 2.5]])
    masked = read_table(np.ma.masked_equal([[1.0, 2.0], [3.0, -9.0]], -9.0))

    assert text.column("x1").values.tolist() == ["1", "2"]
    assert mixed_columns.column("x0").kind == "category"
    np.testing.assert_array_equal(mixed_columns.column("x1").values, [1.0, 2.5])
    np.testing.assert_array_equal(masked.column("x1").values, [2.0, np.nan])


def test_pandas_names_become_text_and_the_input_stays_as_it_was():
    X = pd.DataFrame([[1.0, 2.0]], columns=[2020, "a"])

    table = read_table(X)

    assert table.names == ("2020", "a")
    assert table.column("2020").values.tolist() == [1.0]
    assert X.columns.tolist() == [2020, "a"]


@pytest.mark.parametrize(
    ("X", "library"),
    [
        (pd.DataFrame({"a": [1]}), pd.DataFrame),
        (pl.DataFrame({"a": [1]}), pl.DataFrame),
        (pa.table({"a": [1]}), pa.Table),
        (np.ones((1, 1)), pd.DataFrame),
        ([[1.0]], pd.DataFrame),
    ],
)
def test_frames_go_out_in_the_library_they_came_in(X, library):
    levels = np.array(["u", None], dtype=object)

    frame = read_table(X).take(np.array([0])).frame({"x": np.array([0.5, 1.0]), "level": levels})

    assert isinstance(frame, library)
    read = nw.from_native(frame, eager_only=True)
    assert read["x"].to_list() == [0.5, 1.0]
    assert read["level"].is_null().to_list() == [False, True]


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_an_unknown_column_is_answered_with_the_nearest_or_all_names(make):
    table = read_table(make({"age": [1], "dose": [2]}))

    with pytest.raises(InputError, match=r"no column 'agee'; did you mean 'age'\?$"):
        table.column("agee")
    with pytest.raises(InputError, match=r"no column 'qqq'; its columns are 'age', 'dose'\.$"):
        table.column("qqq")


def test_long_lists_of_names_are_cut():
    with pytest.raises(InputError, match=r"'x0', .*'x9' and 30 more\.$"):
        read_table(np.ones((1, 40))).column("qqq")


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"x0": [1.0, -np.inf]}),
        pl.DataFrame({"x0": [1.0, -np.inf]}),
        pa.table({"x0": [1.0, -np.inf]}),
        np.array([[1.0], [-np.inf]], dtype=np.float32),
        np.array([[1.0], [-np.inf]], dtype=object),
    ],
    ids=["pandas", "polars", "arrow", "numpy", "numpy object"],
)
def test_infinity_is_refused_with_its_place(X):
    table = read_table(X)

    with pytest.raises(InputError, match="Column 'x0' contains infinity: row 1 holds -inf"):
        table.column("x0")


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize(
    "value",
    [datetime.date(2020, 1, 2), datetime.datetime(2020, 1, 2), datetime.timedelta(1), datetime.time(9)],
)
def test_dates_are_refused_when_asked_for(make, value):
    table = read_table(make({"when": [None, value], "x": [1.0, 2.0]}))

    assert table.column("x").values.tolist() == [1.0, 2.0]
    with pytest.raises(InputError, match=r"column 'when', row 1, .*turn it into a number or text first"):
        table.column("when")


def test_dates_in_arrays_are_refused():
    with pytest.raises(InputError, match="Dates and times are not supported: column 'x0', row 0"):
        read_table(np.array([["2020-01-02"]], dtype="datetime64[ns]")).column("x0")


@pytest.mark.parametrize("make", [lambda v: pd.DataFrame({"x0": v}, dtype=object), lambda v: np.array([v]).T])
def test_text_among_numbers_is_refused_with_its_place_however_late(make):
    # narwhals looks at the first rows only: the odd one stands after them.
    values = np.array([None, *range(200), "n/a"], dtype=object)

    with pytest.raises(InputError, match=r"'x0' mixes numbers and text: row 1 holds 0, row 201 holds 'n/a'"):
        read_table(make(values)).column("x0")
    with pytest.raises(InputError, match=r"text and numbers: row 0 holds 'n/a', row 2 holds 199"):
        read_table(make(np.array(["n/a", np.nan, 199, 198], dtype=object))).column("x0")


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ({"a": 1}, "Column 'x0' holds a value of type dict at row 1"),
        (1 + 2j, r"Complex data not supported: column 'x0', row 1, holds \(1\+2j\)"),
    ],
)
def test_other_objects_are_refused(cell, message):
    cells = np.array([[None], [None]], dtype=object)
    cells[1, 0] = cell

    for X in (cells, pd.DataFrame(cells, columns=["x0"])):
        with pytest.raises(InputError, match=message):
            read_table(X).column("x0")


def test_complex_arrays_are_refused():
    with pytest.raises(InputError, match="Complex data not supported"):
        read_table(np.ones((2, 2), dtype=complex)).column("x0")


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]),
        pa.Table.from_arrays([pa.array([1])] * 3, names=["a", "b", "a"]),
    ],
    ids=["pandas", "arrow"],
)
def test_repeated_names_are_refused(X):
    with pytest.raises(InputError, match=r"several columns named 'a'; give"):
        read_table(X)


def test_names_equal_as_text_are_refused():
    with pytest.raises(InputError, match="several columns named '1'"):
        read_table(pd.DataFrame([[1, 2]], columns=[1, "1"]))


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ones(3), r"Expected 2D array, got 1D array instead\. Reshape your data"),
        (np.ones((2, 2, 2)), "Expected 2D array, got 3D array instead"),
        (pd.Series([1.0]), "Expected 2D array, got 1D array instead"),
        (pl.Series([1.0]), "Expected 2D array, got 1D array instead"),
        (pa.chunked_array([[1.0]]), "Expected 2D array, got 1D array instead"),
        (
            pa.RecordBatch.from_pydict({"a": [1.0]}),
            r"X is a RecordBatch; make a data frame of it first, .* pyarrow\.table\(X\)",
        ),
        (pa.table({"a": [1.0]}).to_reader(), "X is a RecordBatchReader; make a data frame"),
        (None, "a data frame or a 2-d array; got None"),
        ([[1.0], [1.0, 2.0]], "The rows differ in length"),
        (pl.LazyFrame({"a": [1]}), r"call \.collect\(\)"),
        (np.ones((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1 is required"),
        (pd.DataFrame(index=range(3)), r"0 feature\(s\) \(shape=\(3, 0\)\)"),
        (np.ones((0, 3)), r"X has no rows: 0 sample\(s\) \(shape=\(0, 3\)\)"),
        (pl.DataFrame({"a": []}), "X has no rows"),
    ],
)
def test_what_is_not_a_table_is_refused(X, message):
    with pytest.raises(InputError, match=message):
        read_table(X)


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.coo_array])
def test_sparse_matrices_are_refused(make):
    with pytest.raises(TypeError, match="sparse"):
        read_table(make(np.eye(2)))


def test_a_mask_of_another_length_is_refused():
    with pytest.raises(InputError, match="over 3 rows needs as many entries; got 2"):
        read_table(np.ones((3, 1))).take(np.array([True, False]))


def test_booleans_count_as_numbers_and_keep_their_gaps(table):
    numbers = require_numeric(column_of(table, "boolean"), "l(boolean)")

    np.testing.assert_array_equal(numbers, [1.0, 0.0, np.nan])


def test_text_in_a_numeric_term_is_refused_with_a_way_out():
    column = Column("age", "category", np.array([None, "old", "young"], dtype=object))

    with pytest.raises(InputError, match=r"^s\(age\) needs .* column 'age' .* row 1 holds 'old'.* f\(age\)"):
        require_numeric(column, "s(age)")


@pytest.mark.parametrize("term", ["offset(body mass)", "te(body mass, age)", "s(body mass, by=site)"])
def test_the_way_out_is_a_term_that_there_is(term):
    column = Column("body mass", "category", np.array(["high"], dtype=object))

    with pytest.raises(InputError, match=r"Use f\(`body mass`\) for one effect per level"):
        require_numeric(column, term)


def test_long_cells_are_cut_in_messages():
    column = Column("note", "category", np.array(["ab" * 500], dtype=object))

    with pytest.raises(InputError, match=r"row 0 holds 'a[ab]{10,}\.\.\.[ab]{10,}b'\. Use f") as told:
        require_numeric(column, "s(note)")
    assert len(str(told.value)) < 250


class Counted(str):
    """A name that counts how often it is compared."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other):
        Counted.compared += 1
        return str.__eq__(self, other)


def test_columns_are_found_without_comparing_all_names():
    names = tuple(Counted(f"column {number}") for number in range(2000))
    table = Table(names, 1, lambda name: Column(name, "numeric", np.zeros(1)), "pandas")

    for name in map(str, names):
        table.column(name)

    assert Counted.compared < 20 * len(names)
