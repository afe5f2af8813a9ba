"""Rows on which a fit is tested: their order, folds, sample, features, and the tangent space of the model."""

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.inference import profile_of, rows_tested
from pugam.inference.rows_tested import N_FOLDS, choose_rows


@pytest.fixture(scope="module")
def data():
    return simulate(2, n0=500, n=900, random_state=0)


def rows_of(X, z, weights=None, terms=None, pi=None):
    model = PUGAM(terms, pi=pi, smoothing=1e-3, n_starts=2).fit(X, z, weights)
    return choose_rows(profile_of(model._fitted("The test")))


@pytest.fixture(scope="module")
def rows(data):
    return rows_of(data.X, data.z)


def test_rows_and_folds_do_not_depend_on_the_order_of_rows(data, rows):
    order = np.random.default_rng(1).permutation(len(data.z))

    other = rows_of(data.X.iloc[order], data.z[order])

    for one, same in zip(rows.encoded, other.encoded, strict=True):
        np.testing.assert_array_equal(one, same)
    np.testing.assert_array_equal(rows.positive, other.positive)
    np.testing.assert_array_equal(rows.folds, other.folds)
    np.testing.assert_allclose(rows.predictor, other.predictor, atol=1e-4)


def test_folds_are_dealt_out_evenly_and_twins_stay_together(data):
    X, z = pd.concat([data.X, data.X[:200]]), np.append(data.z, data.z[:200])

    rows = rows_of(X, z)

    for label in (True, False):
        counts = np.bincount(rows.folds[rows.positive == label], minlength=N_FOLDS)
        assert counts.max() - counts.min() <= 40  # pairs of twins fall where they fall
    twins = pd.DataFrame({"x1": rows.encoded[0], "fold": rows.folds}).groupby("x1")["fold"].nunique()
    assert twins.max() == 1


def test_few_kinds_of_rows_are_dealt_out_one_by_one():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.choice(list("pqr"), 400), "b": rng.choice(list("uvw"), 400)})

    rows = rows_of(X, np.repeat([1, 0], 200), pi=0.4)

    assert np.ptp(np.bincount(rows.folds, minlength=N_FOLDS)) <= 1


def as_copies(data, seed):
    """The labels of a table, weights that are whole numbers, and the same rows as copies."""
    weights = np.random.default_rng(seed).integers(0, 4, len(data.z))
    return weights, np.repeat(np.arange(len(data.z)), weights)


@pytest.mark.parametrize("most", [20_000, 700])
def test_rows_of_weight_two_are_tested_as_two_rows(data, monkeypatch, most):
    monkeypatch.setattr(rows_tested, "MOST_ROWS", most)
    weights, copies = as_copies(data, 0)

    weighted, copied = rows_of(data.X, data.z, weights=weights), rows_of(data.X.iloc[copies], data.z[copies])

    assert len(weighted.positive) == min(most, len(copies))
    for name in ("positive", "weights", "folds", "features"):
        np.testing.assert_array_equal(getattr(weighted, name), getattr(copied, name))
    np.testing.assert_allclose(weighted.residuals, copied.residuals, rtol=1e-4)


def test_weights_that_are_no_whole_numbers_stay_with_their_rows(data):
    weights = np.random.default_rng(0).uniform(0.5, 1.5, len(data.z))

    rows = rows_of(data.X, data.z, weights=weights)

    assert sorted(rows.weights) == sorted(weights)


def test_residuals_and_tangents_are_those_of_the_labels_chances(rows):
    chance = rows.odds / (1.0 + rows.odds)
    expected = (rows.positive - chance) / np.sqrt(chance * (1.0 - chance))

    np.testing.assert_allclose(rows.residuals, expected, rtol=1e-9)
    np.testing.assert_allclose(rows.variance, chance * (1.0 - chance), rtol=1e-9)
    left = rows.off_tangents(np.random.default_rng(0).normal(size=(900, 3)))
    np.testing.assert_allclose(rows.tangents.T @ left, 0.0, atol=1e-8)


def test_of_many_rows_a_sample_has_as_many_labelled_as_unlabelled(monkeypatch):
    data = simulate(2, n0=300, n=3000, random_state=0)
    monkeypatch.setattr(rows_tested, "MOST_ROWS", 1000)

    rows = rows_of(data.X, data.z)

    assert len(rows.positive) == 1000
    assert np.count_nonzero(rows.positive) == 300
    # Given the sample, labels are as likely as they are observed, though there are more labelled rows than before.
    assert np.sum(rows.odds / (1.0 + rows.odds)) == pytest.approx(300.0, rel=0.1)


def test_features_hold_each_column_once_and_gaps():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=500), "b": rng.normal(size=500), "c": rng.choice(list("pq"), 500)})
    X.loc[X.index % 5 == 0, "a"] = np.nan

    rows = rows_of(
        X, np.repeat([1, 0], 250), terms="s(a, missing='effect') + s(b) + f(c) + ti(a, b, k=4, missing='zero')", pi=0.4
    )

    assert rows.features.shape == (500, 3)
    gaps, kinds = np.isnan(rows.features).sum(axis=0), [len(np.unique(column)) for column in rows.features.T]
    assert sorted(gaps) == [0, 0, 100]
    assert sorted(kinds) == [2, 64, 64 + 1]  # a gap is one more


def test_features_stand_in_an_order_of_their_own(data):
    X = data.X.iloc[:, ::-1]
    given, turned = (PUGAM(check=False, interactions=None).fit(one, data.z) for one in (data.X, X))

    first, second = (choose_rows(profile_of(model._fitted("The rows"))) for model in (given, turned))

    np.testing.assert_array_equal(first.features, second.features)


def test_levels_have_no_order_and_their_names_tell_trees_nothing():
    rng = np.random.default_rng(0)
    level = rng.choice(6, 500, p=[0.1, 0.3, 0.05, 0.25, 0.2, 0.1])
    numbers, z = rng.normal(size=500), np.repeat([1, 0], 250)

    def diagnosed(names):
        X = pd.DataFrame({"a": numbers, "b": np.array(list(names))[level]})
        model = PUGAM("s(a) + f(b)", check=True, interactions=None).fit(X, z)
        return choose_rows(profile_of(model._fitted("The rows"))), model.diagnose()

    (first, found), (second, renamed) = diagnosed("abcdef"), diagnosed("cfbead")

    np.testing.assert_array_equal(first.features, second.features)
    assert sorted(first.unordered) == [False, True]
    assert np.diff(np.bincount(first.features[:, first.unordered].ravel().astype(int))).max() <= 0
    assert renamed.omnibus.pvalue == pytest.approx(found.omnibus.pvalue, rel=1e-6)
    assert renamed.best_bin == found.best_bin
    assert renamed.verdict == found.verdict


def test_the_rarest_of_very_many_levels_share_a_number():
    rng = np.random.default_rng(0)
    level = np.minimum(rng.geometric(0.03, 2000), 120)
    X = pd.DataFrame({"a": rng.normal(size=2000), "b": np.char.add("level ", level.astype(str))})

    rows = rows_of(X, rng.integers(0, 2, 2000), terms="s(a) + r(b)", pi=0.4)

    (numbers,) = rows.features[:, rows.unordered].T
    assert set(numbers) == set(range(64))
    assert np.count_nonzero(numbers == 63) > np.count_nonzero(numbers == 62)
