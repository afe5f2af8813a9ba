"""What a fit keeps of the rows it was given, and by what new rows are told to be like them."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from pugam import PUGAM, InputError
from pugam.data import read_table
from pugam.datasets import simulate
from pugam.estimator.reading import owned
from pugam.terms import Design, f, s

NAMES = ["x0", "x1", "x2"]
MAKES = {
    "array": np.array,
    "Fortran order": lambda values: np.array(values, order="F"),
    "pandas": lambda values: pd.DataFrame(values, columns=NAMES),
    "pandas, column by column": lambda values: pd.DataFrame(
        {"x0": values[:, 0], "x1": values[:, 1], "x2": values[:, 2]}
    ),
}


def overwrite(X):
    for number in range(X.shape[1]):
        if isinstance(X, pd.DataFrame):
            X.iloc[:, number] = X.iloc[:, number].to_numpy()[::-1].copy()
        else:
            X[:, number] = X[::-1, number].copy()


@pytest.mark.filterwarnings("ignore::pugam.VerdictWarning")
@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
def test_a_fit_does_not_change_with_the_table_it_was_given(make):
    data = simulate(2, n0=150, n=500, random_state=0)
    X, z, weights = make(data.X.to_numpy()[:, :3]), np.array(data.z), np.linspace(0.5, 1.5, 500)
    kept, changed = (PUGAM("s(x0) + x1 + x2", smoothing=0.1).fit(X, z, sample_weight=weights) for _ in range(2))
    expected = kept.test_labelling(), kept.labelling_bounds().upper, kept.check_terms(), kept.worklist(top=20)

    overwrite(X)
    z[:], weights[:] = 1 - z, 0.0

    assert changed.test_labelling().pvalue == expected[0].pvalue
    np.testing.assert_array_equal(changed.labelling_bounds().upper, expected[1])
    assert str(changed.check_terms()) == str(expected[2])
    assert str(changed.worklist(top=20)) == str(expected[3])


def test_what_is_encoded_anyway_is_not_copied_and_views_are_copied_once():
    X = pd.DataFrame({"a": np.arange(50.0), "b": np.arange(50) % 7, "c": list("pq") * 25})
    table = read_table(X)
    design = Design.resolve([s("a", k=4), s("b", k=4), f("c")], table)
    encoded = design.encode(table)

    found = owned([*encoded, encoded[0]], [table.column(name) for name in "abc"])

    assert not np.may_share_memory(found[0], X["a"].to_numpy())
    assert found[3] is found[0]
    assert found[1] is encoded[1]
    assert found[2] is encoded[2]


@pytest.fixture(scope="module")
def unnamed():
    """A fit to an array, one of whose columns no term reads, and the array."""
    data = simulate(2, n0=200, n=600, random_state=0)
    array = data.X.to_numpy()[:, :4]
    return PUGAM("s(x0) + x1 + x3", smoothing=0.1, check=False).fit(array, data.z), array


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "Arrow"])
def test_a_frame_with_the_names_of_an_array_is_read_by_them(unnamed, library):
    model, array = unnamed
    other_order = {f"x{place}": array[:, place] for place in (3, 1, 0, 2)}
    X = library({"id": np.arange(len(array)), **other_order})

    np.testing.assert_array_equal(model.predict_proba(X), model.predict_proba(array))
    np.testing.assert_array_equal(model.predict_proba(library(other_order)), model.predict_proba(array))
    assert str(model.worklist(X, top=5)) == str(model.worklist(array, top=5))


def test_a_frame_with_other_names_is_read_by_position_if_it_has_as_many_columns(unnamed):
    model, array = unnamed
    X = pd.DataFrame(array, columns=["x1", "x2", "x3", "x4"])

    np.testing.assert_array_equal(model.predict_proba(X), model.predict_proba(array))
    with pytest.raises(InputError, match="X has 5 features, but PUGAM is expecting 4"):
        model.predict_proba(X.assign(id=1.0))


def test_rows_of_the_fit_to_an_array_are_given_back_by_name_too():
    data = simulate(2, n0=200, n=600, random_state=0)
    array = data.X.to_numpy()[:, :3]
    model = pickle.loads(pickle.dumps(PUGAM("s(x0) + x1 + x2", smoothing=0.1, check=False).fit(array, data.z)))
    X = pd.DataFrame(array, columns=NAMES)[["x2", "x0", "x1"]]

    assert model.attach(X.assign(id=1), data.z).worklist(top=5).found.estimate > 0.0
