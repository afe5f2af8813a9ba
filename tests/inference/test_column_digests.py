"""What is kept of columns: quantiles and shares of levels, of unlabelled rows, by their weights."""

import numpy as np
import pandas as pd
import pytest

from pugam.data import read_table
from pugam.engines.pilots import ShownRows
from pugam.inference import digest_columns
from pugam.terms import Design, parse_formula

TABLE = pd.DataFrame(
    {
        "x": [1.0, 2.0, 3.0, 4.0, 100.0, 200.0],
        "y": [1.0, np.nan, 3.0, np.nan, 5.0, 6.0],
        "site": ["a", "b", "b", "b", "c", "c"],
    }
)


def digests(formula, weights=None):
    design = Design.resolve(parse_formula(formula), read_table(TABLE))
    positive = np.array([False] * 4 + [True] * 2)
    return digest_columns(design, ShownRows(design.encode(read_table(TABLE)), positive, weights))


def test_quantiles_are_those_of_unlabelled_rows():
    (digest,) = digests("x")

    assert (digest.column, digest.n_rows, digest.missing) == ("x", 4.0, 0.0)
    assert digest.quantiles[[0, 20, 30, 50, 60, 80, 100]].tolist() == [1.0, 1.0, 2.0, 2.0, 3.0, 4.0, 4.0]


def test_weights_count():
    (digest,) = digests("x", np.array([7.0, 1.0, 1.0, 1.0, 50.0, 50.0]))

    assert digest.quantiles[50] == 1.0
    assert digest.n_rows == pytest.approx(100.0 / 52.0)


def test_levels_have_shares_and_gaps_one_of_their_own():
    gaps, levels = digests('l(y, missing="effect") + f(site)')

    assert gaps.missing == 0.5
    assert levels.levels == {"a": 0.25, "b": 0.75, "c": 0.0}
    assert levels.quantiles is None


def test_a_column_of_several_terms_is_kept_once():
    assert [digest.column for digest in digests("x + f(site) + x:site")] == ["x", "site"]
