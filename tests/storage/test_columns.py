"""What a saved model keeps of the columns of its unlabelled rows."""

import numpy as np
import pandas as pd
import pytest

from pugam.data import read_table
from pugam.errors import InputError
from pugam.inference import QUANTILES, ColumnDigest
from pugam.nodes import Node
from pugam.storage.columns import read_columns, write_columns
from pugam.terms import Design, parse_formula

TABLE = pd.DataFrame({"age": np.linspace(20.0, 90.0, 30), "site": ["a", "b", "c"] * 10})
BASES = Design.resolve(parse_formula("s(age) + f(site) + age:site"), read_table(TABLE)).bases
DIGESTS = [
    ColumnDigest("age", 1200.0, 0.25, np.linspace(20.0, 90.0, len(QUANTILES)), {}),
    ColumnDigest("site", 800.5, 0.0, None, {"a": 0.25, "b": 0.5, "c": 0.25}),
]


def read(plain):
    return read_columns(Node("file", "columns", plain), BASES)


def test_columns_come_back():
    plain = write_columns(DIGESTS)
    age, site = read(plain)

    assert write_columns([age, site]) == plain
    assert age.quantiles.tolist() == DIGESTS[0].quantiles.tolist()
    assert site.levels == DIGESTS[1].levels


def test_nothing_kept_comes_back():
    assert write_columns(None) is None
    assert read(None) is None


@pytest.mark.parametrize(
    "change",
    [
        {"missing": 2.0},
        {"rows": 0},
        {"quantiles": [1.0, 2.0]},
        {"quantiles": list(range(len(QUANTILES), 0, -1))},
        {"column": 3},
        {"other": 1},
    ],
)
def test_what_cannot_be_is_refused(change):
    plain = write_columns(DIGESTS)
    plain[0] |= change

    with pytest.raises(InputError, match=r"^file: columns\[0\]"):
        read(plain)


@pytest.mark.parametrize(("key", "value"), [("levels", ["a"]), ("shares", [0.5, 0.5]), ("quantiles", [1.0])])
def test_levels_have_a_share_each_and_nothing_else(key, value):
    plain = write_columns(DIGESTS)
    plain[1][key] = value

    with pytest.raises(InputError, match=r"^file: columns\[1\]"):
        read(plain)


def test_columns_are_those_of_the_terms():
    with pytest.raises(InputError, match="columns: expected a list of 2"):
        read(write_columns(DIGESTS[:1]))
    swapped = write_columns(DIGESTS)
    swapped[0]["column"] = "site"
    with pytest.raises(InputError, match="'age', a column of the terms"):
        read(swapped)
