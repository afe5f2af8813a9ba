"""Sums over rows: derivatives in all coordinates, weights, blocks and batches."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pugam.likelihood import (
    DenseColumns,
    columns,
    label_block,
    logistic_sums,
    products_of_columns,
    saturating_sums,
    score_sums,
    trace_slopes,
)
from pugam.likelihood.columns import FEW_COLUMNS, MANY_GRAMS

N_ROWS, N_COEFFICIENTS, N_VECTORS = 60, 4, 3
SUMS = ["expected", "observed", "logistic"]


class Example:
    """Random rows, labels, weights and parameter vectors in (log c, a, theta)."""

    def __init__(self, seed=1):
        rng = np.random.default_rng(seed)
        self.X = np.column_stack([np.ones(N_ROWS), rng.normal(size=(N_ROWS, N_COEFFICIENTS - 1))])
        self.positive = rng.random(N_ROWS) < 0.4
        self.labels = np.where(self.positive, 1.0, rng.random((N_VECTORS, N_ROWS)))
        self.weights = rng.integers(0, 4, N_ROWS).astype(float)
        self.b = rng.normal(size=(N_VECTORS, N_COEFFICIENTS))
        self.c = np.array([0.3, 0.8, 0.99])

    def sums(self, kind, rows=slice(None), weights=None, vectors=slice(None)):
        X, positive, b, c = self.X[rows], self.positive[rows], self.b[vectors], self.c[vectors]
        if kind == "logistic":
            return logistic_sums(DenseColumns(X), self.labels[vectors][:, rows], weights, b)
        return saturating_sums(DenseColumns(X), positive, weights, b, c, 1.0 - c, observed=kind == "observed")


def assert_same(one, other, rtol=1e-12):
    for name in ("value", "score", "information"):
        scale = np.abs(getattr(other, name)).max()
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=rtol, atol=rtol * scale)


def saturating_at(example, parameters, observed=False):
    c = np.exp(parameters[:1])
    weights = example.weights
    return saturating_sums(
        DenseColumns(example.X), example.positive, weights, parameters[None, 1:], c, 1.0 - c, observed
    )


@pytest.mark.parametrize("vector", range(N_VECTORS))
def test_score_is_the_gradient_of_the_value_in_every_coordinate(vector):
    example, step = Example(), 1e-6
    here = np.concatenate([[np.log(example.c[vector])], example.b[vector]])

    numeric = [
        (saturating_at(example, here + shift).value[0] - saturating_at(example, here - shift).value[0]) / (2.0 * step)
        for shift in step * np.eye(len(here))
    ]

    np.testing.assert_allclose(saturating_at(example, here).score[0], numeric, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("vector", range(N_VECTORS))
def test_observed_information_is_the_falling_slope_of_the_score_in_every_pair_of_coordinates(vector):
    example, step = Example(), 1e-6
    here = np.concatenate([[np.log(example.c[vector])], example.b[vector]])

    numeric = [
        (saturating_at(example, here - shift).score[0] - saturating_at(example, here + shift).score[0]) / (2.0 * step)
        for shift in step * np.eye(len(here))
    ]

    information = saturating_at(example, here, observed=True).information[0]
    np.testing.assert_allclose(information, numeric, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("vector", range(N_VECTORS))
def test_slopes_of_a_trace_are_derivatives_in_every_coordinate(vector):
    example, step = Example(), 1e-6
    here = np.concatenate([[np.log(example.c[vector])], example.b[vector]])
    root = np.random.default_rng(5).normal(size=(len(here) - 1, len(here) - 1))
    matrix = root + root.T

    numeric = [
        np.sum(matrix * np.subtract(*(saturating_at(example, here + way).information[0, 1:, 1:] for way in ways)))
        / (2.0 * step)
        for ways in zip(step * np.eye(len(here)), -step * np.eye(len(here)), strict=True)
    ]

    c = np.exp(here[:1])
    slopes = trace_slopes(DenseColumns(example.X), example.weights, here[None, 1:], c, 1.0 - c, matrix)
    np.testing.assert_allclose(slopes, numeric, rtol=1e-5, atol=1e-5)


def test_logistic_score_and_information_are_derivatives_in_every_coordinate():
    example, step = Example(), 1e-6
    y, here = example.labels[:1], example.b[0]

    def at(b):
        return logistic_sums(DenseColumns(example.X), y, example.weights, b[None])

    shifts = step * np.eye(len(here))
    score = [(at(here + shift).value[0] - at(here - shift).value[0]) / (2.0 * step) for shift in shifts]
    information = [(at(here - shift).score[0] - at(here + shift).score[0]) / (2.0 * step) for shift in shifts]

    np.testing.assert_allclose(at(here).score[0], score, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(at(here).information[0], information, rtol=1e-6, atol=1e-6)


def test_expected_information_has_no_negative_direction():
    information = Example().sums("expected").information

    assert np.linalg.eigvalsh(information).min() > 0.0


@pytest.mark.parametrize("kind", SUMS)
@settings(max_examples=25)
@given(cuts=st.lists(st.integers(1, N_ROWS - 1), unique=True, max_size=5))
def test_blocks_add_up_to_one_pass(kind, cuts):
    example = Example()
    edges = [0, *sorted(cuts), N_ROWS]
    blocks = [slice(start, stop) for start, stop in pairwise(edges)]

    total = example.sums(kind, blocks[0], example.weights[blocks[0]])
    for rows in blocks[1:]:
        total = total + example.sums(kind, rows, example.weights[rows])

    assert_same(total, example.sums(kind, weights=example.weights))


@pytest.mark.parametrize("kind", SUMS)
def test_a_weight_counts_how_often_a_row_is_there(kind):
    example = Example()
    repeated = np.repeat(np.arange(N_ROWS), example.weights.astype(int))
    assert 0.0 in example.weights
    assert 2.0 in example.weights

    assert_same(example.sums(kind, weights=example.weights), example.sums(kind, repeated))


@pytest.mark.parametrize("kind", SUMS)
def test_no_weights_are_weights_of_one(kind):
    example = Example()

    assert_same(example.sums(kind), example.sums(kind, weights=np.ones(N_ROWS)))


@pytest.mark.parametrize("kind", SUMS)
def test_a_batch_is_its_vectors_one_at_a_time(kind):
    example = Example()
    batch = example.sums(kind, weights=example.weights)

    for number in range(N_VECTORS):
        alone = example.sums(kind, weights=example.weights, vectors=slice(number, number + 1))
        assert alone.value.shape == (1,)
        np.testing.assert_allclose(batch.value[number], alone.value[0], rtol=1e-12)
        np.testing.assert_allclose(batch.score[number], alone.score[0], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(batch.information[number], alone.information[0], rtol=1e-12, atol=1e-12)


def test_expected_labels_of_a_block_follow_bayes_rule_for_every_vector():
    example = Example()
    m = 1.0 / (1.0 + np.exp(-(example.b @ example.X.T)))
    hidden = (1.0 - example.c)[:, None] * m / (1.0 - example.c[:, None] * m)

    labels = label_block(DenseColumns(example.X), example.positive, example.b, 1.0 - example.c)

    np.testing.assert_allclose(labels, np.where(example.positive, 1.0, hidden), rtol=1e-12)


# Many weightings of the same rows


def weightings(number, seed=8):
    """Counts as a bootstrap draws them, zeros among them."""
    return np.random.default_rng(seed).poisson(1.0, (number, N_ROWS)).astype(float)


@pytest.mark.parametrize("observed", [False, True], ids=["expected", "observed"])
def test_weights_of_each_vector_are_as_good_as_a_call_for_each(observed):
    example, weights = Example(), weightings(N_VECTORS)
    c, d = example.c, 1.0 - example.c

    together = saturating_sums(DenseColumns(example.X), example.positive, weights, example.b, c, d, observed)

    for number in range(N_VECTORS):
        one = slice(number, number + 1)
        alone = saturating_sums(
            DenseColumns(example.X),
            example.positive,
            weights[number],
            example.b[one],
            c[one],
            d[one],
            observed=observed,
        )
        np.testing.assert_allclose(together.value[number], alone.value[0], rtol=1e-12)
        np.testing.assert_allclose(together.score[number], alone.score[0], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(together.information[number], alone.information[0], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("observed", [False, True], ids=["expected", "observed"])
@pytest.mark.parametrize("shared_c", [False, True], ids=["c of each", "one c"])
@pytest.mark.parametrize("number", [1, 5, MANY_GRAMS + 1])
def test_one_vector_under_many_weightings_stands_for_its_copies(observed, shared_c, number):
    example, weights = Example(), weightings(number)
    c = np.full(number, 0.7) if shared_c else np.linspace(0.3, 0.9, number)
    given = c[:1] if shared_c else c
    b = example.b[:1]

    shared = saturating_sums(DenseColumns(example.X), example.positive, weights, b, given, 1.0 - given, observed)
    copied = saturating_sums(
        DenseColumns(example.X), example.positive, weights, np.tile(b, (number, 1)), c, 1.0 - c, observed=observed
    )

    assert shared.value.shape == (number,)
    assert shared.information.shape == (number, 1 + N_COEFFICIENTS, 1 + N_COEFFICIENTS)
    assert_same(shared, copied)


class CountedProducts:
    """Products of columns, which only the one big product needs, and how often they were asked for."""

    def __init__(self):
        self.calls = 0

    def __call__(self, X):
        self.calls += 1
        return products_of_columns(X)


@pytest.mark.parametrize("signs", ["positive", "mixed"])
@pytest.mark.parametrize("n_columns", [1, 2, 7, FEW_COLUMNS])
def test_one_big_product_gives_the_matrices_of_the_loop(monkeypatch, signs, n_columns):
    rng = np.random.default_rng(9)
    X = rng.normal(size=(N_ROWS, n_columns))
    weights = rng.normal(size=(MANY_GRAMS, N_ROWS))  # the observed information has negative ones
    weights = np.abs(weights) if signs == "positive" else weights
    products = CountedProducts()
    at_once, one_by_one = (np.full((MANY_GRAMS, n_columns, n_columns), np.nan) for _ in range(2))

    DenseColumns(X, products).grams(weights, at_once)
    assert products.calls == 1
    monkeypatch.setattr(columns, "MANY_GRAMS", MANY_GRAMS + 1)
    DenseColumns(X, products).grams(weights, one_by_one)
    assert products.calls == 1

    np.testing.assert_allclose(at_once, one_by_one, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(at_once, np.einsum("ni,bn,nj->bij", X, weights, X), rtol=1e-11, atol=1e-11)
    np.testing.assert_array_equal(at_once, at_once.transpose(0, 2, 1))


@pytest.mark.parametrize("signs", ["positive", "mixed"])
@pytest.mark.parametrize(("number", "n_columns"), [(MANY_GRAMS - 1, 3), (MANY_GRAMS, FEW_COLUMNS + 1)])
def test_few_matrices_or_many_columns_go_through_the_loop(number, n_columns, signs):
    rng = np.random.default_rng(10)
    X = rng.normal(size=(N_ROWS, n_columns))
    weights = weightings(number) if signs == "positive" else rng.normal(size=(number, N_ROWS))
    products = CountedProducts()
    out = np.full((number, n_columns, n_columns), np.nan)

    DenseColumns(X, products).grams(weights, out)

    assert products.calls == 0
    np.testing.assert_allclose(out, np.einsum("ni,bn,nj->bij", X, weights, X), rtol=1e-11, atol=1e-10)


@pytest.mark.parametrize("observed", [False, True], ids=["expected", "observed"])
def test_a_row_that_does_not_count_adds_nothing_however_unlikely_it_is(observed):
    X = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 0.6]])
    positive, weights = np.array([True, False, True]), np.array([[0.0, 1.0, 1.0], [0.0, 2.0, 1.0]])
    b, c = np.array([[-800.0, 1600.0]]), np.array([0.5])  # the probability of the first row underflows

    with_it = saturating_sums(DenseColumns(X), positive, weights, b, c, 1.0 - c, observed)
    without = saturating_sums(DenseColumns(X[1:]), positive[1:], weights[:, 1:], b, c, 1.0 - c, observed)

    assert np.isfinite(without.value).all()
    assert_same(with_it, without)


def test_value_and_score_alone_are_those_that_come_with_the_information():
    example, weights = Example(), weightings(N_VECTORS)
    c, d = example.c, 1.0 - example.c

    whole = saturating_sums(DenseColumns(example.X), example.positive, weights, example.b, c, d)
    alone = score_sums(DenseColumns(example.X), example.positive, weights, example.b, c, d)

    np.testing.assert_array_equal(alone.value, whole.value)
    # BLAS may add up in another order where it multiplies more rows at once: rounding, and on some processors only.
    np.testing.assert_allclose(alone.score, whole.score, rtol=1e-14, atol=1e-14)


def test_values_and_scores_of_blocks_add_up():
    example, weights = Example(), weightings(N_VECTORS)
    c, d = example.c, 1.0 - example.c
    parts = [
        score_sums(DenseColumns(example.X[rows]), example.positive[rows], weights[:, rows], example.b, c, d)
        for rows in (slice(None, 20), slice(20, None), slice(None))
    ]

    added = parts[0] + parts[1]

    np.testing.assert_allclose(added.value, parts[2].value, rtol=1e-12)
    np.testing.assert_allclose(added.score, parts[2].score, rtol=1e-11, atol=1e-11)


def test_information_is_the_expected_one_unless_the_observed_one_is_asked_for():
    example = Example()
    c, d = example.c, 1.0 - example.c
    arguments = (DenseColumns(example.X), example.positive, None, example.b, c, d)

    assert_same(saturating_sums(*arguments), saturating_sums(*arguments, observed=False), rtol=0.0)
    assert not np.allclose(saturating_sums(*arguments).information, saturating_sums(*arguments, True).information)
