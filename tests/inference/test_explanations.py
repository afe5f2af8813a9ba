"""The average unlabelled row, which rows are compared with, on every engine; and the shares of rows."""

import pickle

import numpy as np
import pytest

from pugam import PUGAM
from pugam.data import read_table
from pugam.datasets import simulate
from pugam.inference import ShareKnown


@pytest.fixture(scope="module")
def data():
    return simulate(2, n0=300, n=600, random_state=0)


def average_by_hand(model, X, weights):
    columns = model._design.matrix(model._design.encode(read_table(X)))[:, 1:]
    return np.average(columns, axis=0, weights=weights)


@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_the_average_row_is_the_weighted_mean_of_the_unlabelled_rows(data, tmp_path, engine):
    weights = np.linspace(0.0, 2.0, len(data.z))
    table = data.X.assign(z=data.z, w=weights)
    table.to_parquet(tmp_path / "rows.parquet")
    settings = {"pi": 0.4, "check": False, "engine": engine}
    rows = (tmp_path / "rows.parquet", "z", "w") if engine == "stream" else (data.X, data.z, weights)

    model = PUGAM("s(x1) + x2 + s(x3)", **settings).fit(*rows)

    unlabelled = data.z == 0
    expected = average_by_hand(model, data.X[unlabelled], weights[unlabelled])
    np.testing.assert_allclose(model._fit.average, expected, atol=1e-12)


def test_known_negatives_and_labelled_rows_do_not_count(data):
    negative = np.flatnonzero(data.z == 0)[:60]
    flags = np.isin(np.arange(len(data.z)), negative).astype(int)
    model = PUGAM("s(x1) + x2 + s(x3)", check=False).fit(data.X, data.z, negative=flags)

    expected = average_by_hand(model, data.X[(data.z == 0) & (flags == 0)], None)

    np.testing.assert_allclose(model._fit.average, expected, atol=1e-12)


def test_shares_are_cut_to_the_first_rows():
    known = ShareKnown(np.array([0.1, 0.2, 0.3]), np.eye(2), 0.5).first(2)

    assert known.share.tolist() == [0.1, 0.2]
    assert known.excess == 0.5


def test_a_pickled_model_explains(data):
    model = PUGAM("s(x1) + x2", pi=0.4, check=False).fit(data.X, data.z)
    copied = pickle.loads(pickle.dumps(model))

    assert copied.explain(data.X[:2]).equals(model.explain(data.X[:2]))
