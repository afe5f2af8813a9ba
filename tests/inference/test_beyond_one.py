"""Columns that say more than one of them, or not, in rows held out."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM
from pugam.inference.beyond_one import BeyondOne, look_beyond_one
from pugam.inference.kinds import inference_of
from pugam.inference.rows_tested import choose_rows

NULL_LEVEL, N_SETS = 0.05, 400


@pytest.fixture(scope="module")
def table():
    """Two columns that say much the same, and one of noise."""
    rng = np.random.default_rng(0)
    y = np.append(np.ones(100), rng.random(150) < 0.4)
    common = rng.normal(2.0 * y, 1.0)
    copies = {name: common + rng.normal(0.0, 1.0, len(y)) for name in ("one", "other")}
    return pd.DataFrame(copies | {"noise": rng.normal(size=len(y))}), np.repeat([1, 0], [100, 150])


def fit(table, formula, pi=None):
    X, z = table
    return PUGAM(formula, shrinkage="always", check=False, pi=pi).fit(X, z)


@pytest.fixture(scope="module")
def rows(table):
    fitted = fit(table, "s(one) + s(other) + s(noise)")._fitted("A test")
    return choose_rows(inference_of(fitted).profile(fitted.engine))


def test_columns_that_say_much_the_same_say_more_than_one_of_them(rows):
    found = look_beyond_one(rows)

    assert found.columns in (("one",), ("other",))
    assert found.pvalue < 0.05


def test_scores_that_follow_one_column_say_no_more(rows):
    # Labels and scores that depend on one column are independent given it. The size has a Monte-Carlo standard error of
    # 0.011 and is allowed three of them, and a bend of the chances that a cubic curve leaves.
    rng = np.random.default_rng(1)
    x = rows.encoded[0]
    chance = 1.0 / (1.0 + np.exp(-3.0 * (x - x.mean()) / x.std()))
    sets = (
        replace(rows, positive=rng.random(len(x)) < chance, predictor=x + rng.normal(0.0, x.std(), len(x)))
        for _ in range(N_SETS)
    )
    pvalues = [look_beyond_one(one).pvalue for one in sets]

    assert np.mean(np.less(pvalues, NULL_LEVEL)) < NULL_LEVEL + 3.5 * 0.011


def test_a_weight_of_two_is_a_row_twice(rows):
    twice = replace(
        rows,
        encoded=tuple(np.repeat(values, 2, axis=0) for values in rows.encoded),
        positive=np.repeat(rows.positive, 2),
        weights=np.repeat(rows.weights, 2),
        predictor=np.repeat(rows.predictor, 2),
    )

    assert look_beyond_one(replace(rows, weights=2.0 * rows.weights)).pvalue == pytest.approx(
        look_beyond_one(twice).pvalue, rel=1e-9
    )


def test_columns_that_interactions_join_are_one(table):
    fitted = fit(table, "s(one) + s(other) + ti(one, other)", pi=0.4)._fitted("A test")
    rows = choose_rows(inference_of(fitted).profile(fitted.engine))

    assert look_beyond_one(rows) == BeyondOne(("one", "other"), 1.0)
