"""What is kept of columns: quantiles and shares of levels, of unlabelled rows, by their weights."""

import numpy as np
import pandas as pd
import pytest

from pugam.data import read_table
from pugam.engines.pilots import ShownRows
from pugam.inference import QUANTILES, digest_columns
from pugam.inference.column_digests import _quantiles
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
    assert digest.quantiles[[0, 50, 100]].tolist() == [1.0, 2.5, 4.0]
    assert np.isin(digest.quantiles[1:-1], 2.5).all()


@pytest.mark.parametrize("n_rows", [3, 5, 9, 60, 101, 504, 505, 3000])
def test_quantiles_tell_no_value_of_a_single_row(n_rows):
    values = np.exp(np.random.default_rng(n_rows).normal(size=n_rows))
    quantiles = _quantiles(values, np.ones(n_rows))

    assert (np.diff(quantiles) >= 0.0).all()
    assert quantiles[[0, -1]].tolist() == [values.min(), values.max()]
    assert not np.isin(quantiles[1:-1], values).any()
    assert len(np.unique(quantiles[1:-1])) <= max(1, n_rows // 5)
    exact = np.searchsorted(np.sort(values), quantiles) / n_rows
    assert np.abs(exact - QUANTILES)[1:-1].max() <= 9 / n_rows


def test_quantiles_that_five_rows_share_are_exact():
    values = np.repeat([0.0, 0.1, 1e308], [10, 17, 13])

    assert set(_quantiles(values, np.ones(40))[[10, 60, 90]].tolist()) == {0.0, 0.1, 1e308}


def test_numbers_that_no_unlabelled_row_has_are_all_missing():
    rows = pd.DataFrame({"y": [np.nan] * 4 + [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]})
    design = Design.resolve(parse_formula("s(y, missing='effect', k=3)"), read_table(rows))
    positive = np.array([False] * 4 + [True] * 6)

    (digest,) = digest_columns(design, ShownRows(design.encode(read_table(rows)), positive, None))

    assert digest.missing == 1.0
    assert len(digest.quantiles) == 0


def test_levels_beside_a_gap_in_another_column_count_as_missing():
    digest = digests("te(y, f(site), k=3, missing='effect')")[1]

    assert (digest.column, digest.missing) == ("site", 0.5)
    assert digest.levels == {"a": 0.5, "b": 0.5, "c": 0.0}


def test_weights_count():
    weights = np.array([7.0, 1.0, 1.0, 1.0, 50.0, 50.0])
    (digest,), (copied,) = digests("x", 0.5 * weights), digests("x", weights)

    assert _quantiles(np.arange(40.0), np.r_[np.full(5, 8.0), np.ones(35)])[50] == 2.0  # the mean of the first five
    assert digest.n_rows == pytest.approx(100.0 / 52.0)
    assert copied.n_rows == 10.0  # whole numbers are copies of rows


def test_levels_have_shares_and_gaps_one_of_their_own():
    gaps, levels = digests('l(y, missing="effect") + f(site)')

    assert gaps.missing == 0.5
    assert levels.levels == {"a": 0.25, "b": 0.75, "c": 0.0}
    assert levels.quantiles is None


def test_a_column_of_several_terms_is_kept_once():
    assert [digest.column for digest in digests("x + f(site) + x:site")] == ["x", "site"]
