"""Columns that say more than one of them, or not, in rows held out."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM
from pugam.inference.beyond_one import BeyondOne, look_beyond_one
from pugam.inference.findings import NoTermVaries, OneTermVaries
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
    found = look_beyond_one(rows, rows.predictor)

    assert found.columns in (("one",), ("other",))
    assert found.pvalue < 0.05


def test_scores_that_follow_one_column_say_no_more(rows):
    # Labels and scores that depend on one column are independent given it. The size has a Monte-Carlo standard error of
    # 0.011 and is allowed three of them, and a bend of the chances that a cubic curve leaves.
    rng = np.random.default_rng(1)
    x = rows.encoded[0]
    chance = 1.0 / (1.0 + np.exp(-3.0 * (x - x.mean()) / x.std()))
    sets = (
        (replace(rows, positive=rng.random(len(x)) < chance), x + rng.normal(0.0, x.std(), len(x)))
        for _ in range(N_SETS)
    )
    pvalues = [look_beyond_one(*one).pvalue for one in sets]

    assert np.mean(np.less(pvalues, NULL_LEVEL)) < NULL_LEVEL + 3.5 * 0.011


def test_a_weight_of_two_is_a_row_twice(rows):
    twice = replace(
        rows,
        encoded=tuple(np.repeat(values, 2, axis=0) for values in rows.encoded),
        positive=np.repeat(rows.positive, 2),
        weights=np.repeat(rows.weights, 2),
    )

    assert look_beyond_one(replace(rows, weights=2.0 * rows.weights), rows.predictor).pvalue == pytest.approx(
        look_beyond_one(twice, np.repeat(rows.predictor, 2)).pvalue, rel=1e-9
    )


def test_columns_that_interactions_join_are_one(table):
    fitted = fit(table, "s(one) + s(other) + ti(one, other)", pi=0.4)._fitted("A test")
    rows = choose_rows(inference_of(fitted).profile(fitted.engine))

    assert look_beyond_one(rows, rows.predictor) == BeyondOne(("one", "other"), 1.0)


def alike(n_columns, noise, seed):
    """Columns that follow the class by way of one number, each with much noise of its own, and columns of noise."""
    rng = np.random.default_rng(seed)
    y = rng.random(1000) < 0.5
    followed = rng.normal(4.0 * y, 1.0)[:, None] + rng.normal(0.0, 1.5, (1000, n_columns))
    X = np.hstack([followed, rng.normal(size=(1000, noise))])
    return pd.DataFrame(X).add_prefix("x"), y & (rng.random(1000) < 0.5)


def test_terms_that_could_each_be_spared_identify_pi_together():
    X, z = alike(n_columns=12, noise=0, seed=0)
    found = PUGAM(interactions=None, shrinkage="never").fit(X, z).diagnose()

    assert found.n_groups < 2
    assert found.beyond_one.pvalue < 1e-6
    assert not any(isinstance(finding, NoTermVaries | OneTermVaries) for finding in found.findings)
    assert "all together against" in str(found)


@pytest.mark.parametrize("noise", [1, 5])
def test_one_column_that_matters_does_not_whatever_is_beside_it(noise):
    X, z = alike(n_columns=1, noise=noise, seed=1)
    found = PUGAM(interactions=None).fit(X, z).diagnose()

    assert found.beyond_one.columns == ("x0",)
    assert found.beyond_one.pvalue > 0.01
    assert found.verdict == "not determined"


@pytest.mark.parametrize("product", [4.0, 10.0])
def test_one_pair_that_matters_does_not_either(product):
    rng = np.random.default_rng(2)
    x = rng.uniform(-1.0, 1.0, (60_000, 3))
    effect = 3.0 * x[:, 0] + product * x[:, 0] * x[:, 1]
    y = rng.random(len(x)) < 1.0 / (1.0 + np.exp(1.0 - effect))
    X = pd.DataFrame(np.vstack([x[y][:2100], x[~y][:900]]), columns=["one", "other", "noise"])
    found = PUGAM().fit(X, np.repeat([1, 0], 1500)).diagnose()

    assert found.pairs_added
    assert not found.terms_identify
    assert found.beyond_one.columns == ("one", "other")
    assert found.beyond_one.pvalue > 0.01
    assert found.verdict in ("not determined", "does not fit")


def test_what_labels_depend_on_besides_the_ratio_leaves_no_scores(table):
    X, z = table
    model = PUGAM("s(one) + s(other)", interactions=None).fit(
        X, z, sample=np.where(z == 1, None, np.arange(len(z)) % 2)
    )

    assert model.diagnose().beyond_one is None


@pytest.mark.parametrize(("other", "identified"), [(0.0, False), (3.0, True)])
def test_columns_that_labelling_depends_on_do_not_count(other, identified):
    rng = np.random.default_rng(3)
    x = rng.uniform(-1.0, 1.0, (60_000, 3))
    y = rng.random(len(x)) < 1.0 / (1.0 + np.exp(-x @ np.array([2.0, 5.0, other])))
    preference = np.exp(x[y][:, 0])
    labelled = x[y][rng.choice(int(y.sum()), 1000, replace=False, p=preference / preference.sum())]
    X = pd.DataFrame(np.vstack([labelled, x[y][:400], x[~y][:600]]), columns=["one", "two", "three"])
    model = PUGAM("s(one) + s(two) + s(three)", labelling="s(one)").fit(X, np.repeat([1, 0], 1000))
    found = model.diagnose()

    assert found.columns == ((), ("two",), ("three",), ())
    assert found.terms_identify == identified
    assert any(isinstance(finding, OneTermVaries) for finding in found.findings) != identified
