"""The likelihood of several kinds of positives: against its definition, its derivatives, and that of one kind."""

import numpy as np
import pytest

from pugam.likelihood import (
    DenseColumns,
    KindSizes,
    Mixture,
    Predictors,
    SampleShares,
    SampleSizes,
    expit,
    kind_outcomes,
    mixture_sums,
    mixture_trace_slopes,
    sample_sums,
    shares_of_kinds,
)

K, P = 3, 2
NUMBERS = np.hstack([np.arange(K)[:, None], K + np.arange(K * P).reshape(K, P)])
BETA = np.array([-1.5, 0.3, -0.4, 0.2, -0.4, 0.1, 0.8, -0.5, 0.3, 0.1, -0.7, 0.6])


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "weighted"])
def rows(request):
    """Unlabelled rows, and labelled ones of three kinds."""
    rng = np.random.default_rng(1)
    codes = rng.choice(1 + K, 300, p=[0.55, 0.25, 0.15, 0.05]).astype(np.int32)
    X = np.column_stack([np.ones(300), rng.normal(size=(300, P))])
    return DenseColumns(X), codes, rng.uniform(0.5, 2.0, 300) if request.param else None


def sizes_of(rows):
    counts = np.bincount(rows[1], weights=rows[2]).astype(float)
    return KindSizes(counts[1:], float(counts[0]))


def sums_at(rows, beta, observed=False, function=mixture_sums, more=None):
    n_kinds = sizes_of(rows).n_kinds
    width = rows[0].written_out().shape[1] - 1
    numbers = np.hstack([np.arange(n_kinds)[:, None], n_kinds + np.arange(n_kinds * width).reshape(n_kinds, width)])
    predictors = Predictors(numbers, np.ones(n_kinds), n_kinds * (1 + width))
    mixture = Mixture(kind_outcomes(sizes_of(rows), beta[:n_kinds]), predictors)
    return function(*rows, beta[n_kinds:], mixture, observed if more is None else more)


def log_likelihood(rows, beta):
    """By densities relative to that of negatives: the chance of each row to be of its code, among all rows like it."""
    X, codes, weights = rows
    sizes = sizes_of(rows)
    shares, rest = shares_of_kinds(beta[:K])
    ratios = np.exp(X.predict(beta[K:][NUMBERS]) - sizes.beside(beta[:K])[:, None])
    unlabelled = sizes.unlabelled * (shares @ ratios + rest)
    either = np.vstack([unlabelled, sizes.labelled[:, None] * ratios])
    own = either[codes, np.arange(len(codes))] / either.sum(axis=0)
    return float(np.sum(np.log(own) * (1.0 if weights is None else weights)))


def test_shares_add_up():
    shares, rest = shares_of_kinds(np.array([[-1.0, 0.5], [800.0, 0.0], [-800.0, -900.0]]))

    assert shares.sum(axis=1) + rest == pytest.approx([1.0, 1.0, 1.0])
    assert np.log(shares[0] / rest[0]) == pytest.approx([-1.0, 0.5])


def test_the_value_is_the_multinomial_likelihood(rows):
    assert sums_at(rows, BETA).value[0] == pytest.approx(log_likelihood(rows, BETA), rel=1e-12)


def test_the_score_and_the_observed_information_are_derivatives(rows):
    """Central differences with steps of 1e-5: to seven digits. Intercepts are taken as they are, not as alpha."""
    step = 1e-5
    found = sums_at(rows, BETA, observed=True)
    ways = step * np.eye(len(BETA))
    score = [(log_likelihood(rows, BETA + way) - log_likelihood(rows, BETA - way)) / (2 * step) for way in ways]
    assert found.score[0] == pytest.approx(score, rel=1e-6, abs=1e-5)
    bends = [-(sums_at(rows, BETA + way).score[0] - sums_at(rows, BETA - way).score[0]) / (2 * step) for way in ways]
    assert found.information[0] == pytest.approx(np.array(bends), rel=1e-6, abs=1e-6)


def test_the_trace_slopes_are_derivatives(rows):
    rng = np.random.default_rng(2)
    matrix = rng.normal(size=(len(BETA) - K, len(BETA) - K))
    matrix += matrix.T
    found = sums_at(rows, BETA, function=mixture_trace_slopes, more=matrix)
    step = 1e-5

    def trace(beta):
        return float(np.sum(sums_at(rows, beta).information[0, K:, K:] * matrix))

    slopes = [(trace(BETA + way) - trace(BETA - way)) / (2 * step) for way in step * np.eye(len(BETA))]
    assert found == pytest.approx(slopes, rel=1e-6, abs=1e-5)


def test_intercepts_follow_the_shares(rows):
    sizes, step = sizes_of(rows), 1e-6
    ways = step * np.eye(K)
    slopes = np.array([(sizes.beside(BETA[:K] + way) - sizes.beside(BETA[:K] - way)) / (2 * step) for way in ways]).T

    assert sizes.beside_slopes(BETA[:K]) == pytest.approx(slopes, rel=1e-7)


def test_one_kind_is_one_sample(rows):
    """Value, score and both informations, to rounding; the codes of one sample count labelled rows first."""
    X, codes, weights = rows
    labelled, beta = codes > 0, np.array([-0.4, 0.2, 0.8, -0.5])
    one = X, labelled.astype(np.int32), weights
    of_sample = (~labelled).astype(np.int32)
    shares = SampleShares(SampleSizes.count(of_sample, weights, 1), expit(beta[:1]))
    for observed in (False, True):
        found, wanted = (
            sums_at(one, beta, observed),
            sample_sums(X, of_sample, weights, beta[None, 1:], shares, observed),
        )
        assert found.value == pytest.approx(wanted.value, rel=1e-12)
        assert found.score == pytest.approx(wanted.score, rel=1e-10, abs=1e-10)
        assert found.information == pytest.approx(wanted.information, rel=1e-10, abs=1e-10)
