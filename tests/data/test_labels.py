"""Labels and weights from every backend, in every coding; and what is said about unusable ones."""

import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import DataConversionWarning

from pugam.data import read_labels, read_weights
from pugam.errors import InputError

BACKENDS = {
    "list": list,
    "numpy": np.array,
    "numpy object": lambda z: np.array(z, dtype=object),
    "pandas": pd.Series,
    "pandas nullable": lambda z: pd.Series(z).convert_dtypes(),
    "pandas object": lambda z: pd.Series(z, dtype=object),
    "pandas categorical": lambda z: pd.Series(z, dtype="category"),
    "polars": pl.Series,
    "arrow": pa.array,
    "arrow chunked": lambda z: pa.chunked_array([z[:1], z[1:]]),
}
CODINGS = {
    "0/1": ([0, 1, 1, 0], [0, 1], "i"),
    "-1/1": ([-1, 1, 1, -1], [-1, 1], "i"),
    "boolean": ([False, True, True, False], [False, True], "b"),
}


@pytest.fixture(params=BACKENDS)
def make(request):
    return BACKENDS[request.param]


@pytest.mark.parametrize(("codes", "classes", "dtype_kind"), CODINGS.values(), ids=CODINGS)
def test_every_coding_is_read_from_every_backend(make, codes, classes, dtype_kind):
    labels = read_labels(make(codes), 4)

    assert labels.positive.dtype == bool
    assert labels.positive.tolist() == [False, True, True, False]
    assert labels.classes.tolist() == classes
    assert labels.classes.dtype.kind == dtype_kind


@pytest.mark.parametrize("dtype", ["int8", "uint8", "float32", "float64"])
def test_classes_keep_the_dtype(dtype):
    labels = read_labels(np.array([1, 0], dtype=dtype), 2)

    assert labels.classes.dtype == dtype
    assert labels.classes.tolist() == [0, 1]


def test_decimals_are_numbers():
    assert read_labels(pa.array([Decimal(1), Decimal(0)]), 2).positive.tolist() == [True, False]


@given(st.lists(st.booleans(), min_size=2).filter(lambda positive: 0 < sum(positive) < len(positive)))
def test_classes_index_the_labels_back(positive):
    z = np.where(positive, 1, -1)

    labels = read_labels(z, len(z))

    np.testing.assert_array_equal(labels.classes[labels.positive.astype(int)], z)


@pytest.mark.parametrize("make_column", [lambda z: np.array(z)[:, None], lambda z: pd.DataFrame({"z": z})])
def test_a_column_vector_is_read_with_a_warning(make_column):
    with pytest.warns(DataConversionWarning, match="column-vector y was passed"):
        labels = read_labels(make_column([1, 0]), 2)

    assert labels.positive.tolist() == [True, False]


def test_a_plain_vector_is_read_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_labels([1, 0], 2)


@pytest.mark.parametrize("codes", [[1, 0, None], [True, False, None]])
def test_gaps_are_refused_with_their_row(make, codes):
    with pytest.raises(InputError, match="z contains NaN: the label of row 2 is missing"):
        read_labels(make(codes), 3)


@pytest.mark.parametrize(
    ("z", "message"),
    [
        ([0, 1, 2, 3, 4, 5, 5], r"^z holds 2, 3, 4, \.\.\. \(first at row 2\)\. Only binary"),
        ([0, 1, 2, 2], r"^z holds 2 \(first at row 2\)\. Only binary classification is supported\. Code"),
        ([0, 1, 1, "yes"], r"^z holds 'yes' \(first at row 3\)"),
        (["1", "0"], r"^z holds '1', '0' \(first at row 0\).*as 1 and .* as 0 \(or -1"),
        ([1, 0, -1], r"both by 0 \(row 1\) and by -1 \(row 2\)"),
        ([1.0, 0.0, 0.25], "^Unknown label type: continuous; z holds 0.25 at row 2"),
        ([1.0, 0.0, np.inf], "z contains infinity at row 2"),
    ],
)
def test_other_codes_are_refused(z, message):
    with pytest.raises(InputError, match=message):
        read_labels(z, len(z))


def test_text_labels_are_refused_in_every_backend(make):
    with pytest.raises(InputError, match=r"^z holds 'pos', 'neg' \(first at row 0\)"):
        read_labels(make(["pos", "neg", "pos"]), 3)


@pytest.mark.parametrize(
    ("z", "message"),
    [
        ([1, 1, 1], "only one class: every row is a labelled positive"),
        ([0, 0, 0], "only one class: no row is a labelled positive"),
        ([False, False, False], "only one class: no row is a labelled positive"),
        ([1, 0], "z has 2 labels but X has 3 rows"),
        ([[1, 0], [1, 0], [1, 0]], r"z must be 1-d, one label per row; got shape \(3, 2\)"),
        (1, r"z must be 1-d, .*got shape \(\)"),
        (None, "requires y to be passed, but the target y is None"),
    ],
)
def test_labels_of_the_wrong_shape_or_of_one_class_are_refused(z, message):
    with pytest.raises(InputError, match=message):
        read_labels(z, 3)


@pytest.mark.parametrize("unit", ["ns", "us", "s"])
@pytest.mark.parametrize("kind", ["datetime64", "timedelta64"])
@pytest.mark.parametrize("make", [np.asarray, pd.Index, pd.Series, pl.Series, pa.array, list])
def test_dates_are_neither_labels_nor_weights(make, kind, unit):
    if make is pl.Series and unit == "s":  # which polars lacks
        unit = "ms"
    times = make(np.array([0, 1], dtype=f"{kind}[{unit}]"))

    with pytest.raises(InputError, match="z holds dates or times"):
        read_labels(times, 2)
    with pytest.raises(InputError, match="sample_weight must be numbers"):
        read_weights(times, 2)


@pytest.mark.parametrize("name", [name for name in BACKENDS if name != "pandas categorical"])
def test_weights_become_floats_in_every_backend(name):
    weights = read_weights(BACKENDS[name]([2, 0, 1]), 3)

    assert weights.dtype == np.float64
    assert weights.tolist() == [2.0, 0.0, 1.0]


def test_weights_are_a_copy():
    given_weights = np.array([1.0, 2.0])

    assert not np.shares_memory(read_weights(given_weights, 2), given_weights)


def test_no_weights_stay_none_and_one_number_counts_for_all_rows():
    assert read_weights(None, 3) is None
    assert read_weights(0.5, 3).tolist() == [0.5, 0.5, 0.5]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, -1.0, 1.0], "not negative; row 1 has -1.0"),
        ([1.0, 1.0, np.nan], "finite .*; row 2 has nan"),
        ([np.inf, 1.0, 1.0], "finite .*; row 0 has inf"),
        ([1.0, None, 1.0], "finite .*; row 1 has nan"),
        (pl.Series([1.0, None, 1.0]), "finite .*; row 1 has nan"),
        ([0.0, 0.0, 0.0], "sample_weight is zero at every row"),
        ([1.0, 1.0], "sample_weight has 2 weights but X has 3 rows"),
        ([[1.0], [1.0], [1.0]], r"must be 1-d, .*got shape \(3, 1\)"),
        (["heavy", "light", "light"], "sample_weight must be numbers without gaps, one per row; row 0 has 'heavy'"),
        ([1.0, "2", "two"], "one per row; row 2 has 'two'"),
        (np.array(["2020-01-01"] * 3, "datetime64[D]"), "one per row; row 0 has "),
        (np.array([1.0, pd.NA, 1.0], dtype=object), "one per row; row 1 has none"),
    ],
)
def test_unusable_weights_are_refused(weights, message):
    with pytest.raises(InputError, match=message):
        read_weights(weights, 3)
