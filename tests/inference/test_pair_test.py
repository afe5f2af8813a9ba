"""The score test of pairs: its score, what it tests, data that add up and data that do not."""

import numpy as np
import pytest
from scipy.stats import chi2

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.inference import pair_test, profile_of
from pugam.inference.pair_test import score_pairs
from pugam.inference.rows_tested import choose_rows
from pugam.likelihood import log_likelihood_rows

ADDITIVE = "s(x1) + s(x2) + s(x3) + s(x4) + s(x5)"


def rows_of(X, z, terms=None, weights=None, **options):
    model = PUGAM(terms, n_starts=2, **options).fit(X, z, weights)
    return choose_rows(profile_of(model._fitted("The test")))


@pytest.fixture(scope="module")
def data():
    return simulate(2, n0=700, n=1400, random_state=0)


@pytest.fixture(scope="module")
def rows(data):
    return rows_of(data.X, data.z)


def test_the_score_is_the_slope_of_the_likelihood_while_parameters_follow(rows):
    x = rows.columns[:, 1 + rows.design.blocks[0].start] * rows.columns[:, 1 + rows.design.blocks[1].start]
    direction = rows.along_predictor(x[:, None])[:, 0]
    share, *others = np.linalg.lstsq(rows.tangents, direction, rcond=None)[0]
    moved = x - np.column_stack([rows.columns, rows.predictor]) @ others
    # P = c m, so that c is known from any row.
    c = float(rows.odds[0] / (1.0 + rows.odds[0]) / (1.0 - rows.slope[0]))

    def loglik(step):
        other = c * np.exp(-share * step)
        return log_likelihood_rows(rows.positive, rows.predictor + step * moved, other, 1.0 - other).sum()

    slope = (loglik(1e-4) - loglik(-1e-4)) / 2e-4
    assert rows.off_tangents(direction) @ rows.residuals == pytest.approx(slope, rel=1e-5, abs=1e-5)


def test_one_product_is_tested_by_its_squared_score_over_its_variance():
    data = simulate(1, n0=600, n=1200, random_state=1)
    rows = rows_of(data.X, data.z, "x1 + x2", pi=0.4)
    ranks = data.X[["x1", "x2"]].rank().to_numpy() / 600.0 - 1201.0 / 1200.0
    order = np.argsort(rows.encoded[0])  # both in the order of x1
    product = np.empty(1200)
    product[order] = np.prod(ranks[np.argsort(data.X["x1"].to_numpy())], axis=1)
    left = rows.off_tangents(rows.along_predictor(product[:, None])[:, 0])

    found = score_pairs(rows)

    hat = rows.tangents @ np.linalg.pinv(rows.tangents)
    squares = (rows.residuals - hat @ rows.residuals) ** 2 / (1.0 - hat.diagonal())
    statistic = (left @ rows.residuals) ** 2 / (left**2 @ squares)
    assert found.statistic == pytest.approx(statistic, rel=1e-6)
    assert (found.df, found.pairs) == (1.0, (("x1", "x2"),))
    assert found.pvalue == pytest.approx(chi2.sf(statistic, 1), rel=1e-6)
    assert found.pvalues == (found.pvalue,)


def test_the_order_of_rows_does_not_matter(data, rows):
    order = np.random.default_rng(1).permutation(len(data.z))

    one, other = score_pairs(rows), score_pairs(rows_of(data.X.iloc[order], data.z[order]))

    assert other.statistic == pytest.approx(one.statistic, rel=1e-3)
    assert other.pairs[0] == one.pairs[0]


def test_a_row_of_weight_two_counts_as_two_rows(data):
    weights = 1.0 + (np.arange(1400) % 3 == 0)
    twice = np.repeat(np.arange(1400), weights.astype(int))
    options = {"smoothing": 1e-3, "tol": 1e-8}

    weighted = score_pairs(rows_of(data.X, data.z, weights=weights, **options))
    repeated = score_pairs(rows_of(data.X.iloc[twice], data.z[twice], **options))

    assert weighted.statistic == pytest.approx(repeated.statistic, rel=1e-3)


@pytest.mark.parametrize("setting", [3, *(pytest.param(setting, marks=pytest.mark.long) for setting in (1, 2))])
def test_effects_that_add_up_pass(setting):
    data = simulate(setting, n0=700, n=1400, random_state=10 + setting)

    assert score_pairs(rows_of(data.X, data.z)).pvalue > 0.01


@pytest.mark.parametrize("size", [2.0, -2.0])
def test_a_product_is_found_and_named(make_interacting, size):
    found = score_pairs(rows_of(*make_interacting(size), terms=ADDITIVE, shrinkage="never"))

    assert found.pvalue < 0.002
    assert found.pairs[0] == ("x1", "x2")
    assert found.pvalues[0] < 1e-5
    assert list(found.pvalues) == sorted(found.pvalues)


def test_pairs_that_the_model_joins_are_not_tested(data):
    rows = rows_of(data.X, data.z, "s(x1) + s(x2) + x3 + ti(x1, x2, k=4)", smoothing=1e-2)

    assert set(score_pairs(rows).pairs) == {("x1", "x3"), ("x2", "x3")}


def test_levels_have_a_product_for_each_contrast(data):
    X = data.X.assign(site=np.array(["a", "b", "c"])[np.arange(1400) % 3])

    found = score_pairs(rows_of(X, data.z, "s(x1) + x2 + f(site)"))

    assert found.df == 1.0 + 2.0 + 2.0


def test_where_products_are_many_those_of_the_largest_effects_are_tested(data, monkeypatch):
    monkeypatch.setattr(pair_test, "MOST_PRODUCTS", 1)
    X = data.X.assign(noise=np.random.default_rng(0).random(1400))

    found = score_pairs(rows_of(X, data.z, "s(x1) + noise + s(x2)"))

    assert set(found.pairs[0]) == {"x1", "x2"}
    assert len(found.pairs) == 1


def test_products_within_the_model_do_not_count(data):
    X = data.X.assign(half=1.0 * (data.X["x1"] > 0.5), other=1.0 * (data.X["x1"] <= 0.5))  # their product is zero

    assert score_pairs(rows_of(X, data.z, "half + s(x2)")).df == 1.0
    assert score_pairs(rows_of(X, data.z, "half + other", pi=0.4)).df == 0.0


def test_without_pairs_or_with_few_rows_there_is_no_test(data):
    assert score_pairs(rows_of(data.X, data.z, "s(x1)", pi=0.4)) is None
    few = np.append(np.arange(40), np.arange(700, 740))
    assert score_pairs(rows_of(data.X.iloc[few], data.z[few], "x1 + x2", pi=0.4)) is None
