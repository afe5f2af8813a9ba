"""The likelihood of several samples: against its definition, its derivatives, and that of a single sample."""

import numpy as np
import pytest
from scipy.special import expit, logit

from pugam.layout import Layout
from pugam.likelihood import DenseColumns, label_frequency, saturating_sums, trace_slopes
from pugam.likelihood.sample_sizes import SampleSizes
from pugam.likelihood.samples import SampleShares, sample_sums, sample_trace_slopes, stratum_scores

K, P = 3, 4
LAYOUT = Layout((P,), K)


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "weighted"])
def rows(request):
    """Rows of three samples, some of each audited, and known negatives."""
    rng = np.random.default_rng(1)
    n = 300
    codes = rng.integers(0, 2 + 3 * K, n).astype(np.int32)
    X = np.column_stack([np.ones(n), rng.normal(size=(n, P))])
    weights = rng.uniform(0.5, 2.0, n) if request.param else None
    return DenseColumns(X), codes, weights


def sizes_of(codes, weights):
    return SampleSizes.count(codes, weights, K)


BETA = np.array([-1.5, 0.3, 1.2, -0.4, 0.8, -0.5, 0.3, 0.1])


def sums_at(rows, beta, observed=False):
    X, codes, weights = rows
    shares = SampleShares(sizes_of(codes, weights), expit(beta[LAYOUT.shares]))
    return sample_sums(X, codes, weights, beta[None, LAYOUT.predictor], shares, observed)


def log_likelihood(rows, beta):
    """By the multinomial form of design: each sample has a density, and a row one of them."""
    X, codes, weights = rows
    sizes, pi = sizes_of(codes, weights), expit(beta[:K])
    positives = sizes.labelled + sizes.unlabelled @ pi
    negatives = sizes.negative + sizes.unlabelled @ (1.0 - pi)
    w = np.exp(X.predict(beta[None, LAYOUT.predictor])[0]) * negatives / positives  # g / h
    total = sizes.labelled * w + sizes.negative + sizes.unlabelled @ (pi[:, None] * w + 1.0 - pi[:, None])
    own = np.empty(len(codes))
    for number, code in enumerate(codes):
        kind, k = divmod(code - 1, K)
        parts = sizes.unlabelled[k] * pi[k] * w[number], sizes.unlabelled[k] * (1.0 - pi[k])
        if code == 0:
            own[number] = sizes.labelled * w[number]
        elif code == sizes.known_negative:
            own[number] = sizes.negative
        else:
            own[number] = (parts[0] + parts[1], *parts)[kind]
    return float(np.sum(np.log(own / total) * (1.0 if weights is None else weights)))


def test_the_value_is_the_multinomial_likelihood(rows):
    assert sums_at(rows, BETA).value[0] == pytest.approx(log_likelihood(rows, BETA), rel=1e-12)


def test_the_score_and_the_observed_information_are_derivatives(rows):
    """Central differences with steps of 1e-5: to seven digits."""
    step = 1e-5
    found = sums_at(rows, BETA, observed=True)
    ways = step * np.eye(LAYOUT.size)
    score = [(log_likelihood(rows, BETA + way) - log_likelihood(rows, BETA - way)) / (2 * step) for way in ways]
    assert found.score[0] == pytest.approx(score, rel=1e-6, abs=1e-5)
    bends = [-(sums_at(rows, BETA + way).score[0] - sums_at(rows, BETA - way).score[0]) / (2 * step) for way in ways]
    assert found.information[0] == pytest.approx(np.array(bends), rel=1e-6, abs=1e-6)


def test_the_expected_information_is_the_mean_over_the_samples_a_row_may_be_in():
    """At each x the score's outer products are added up over all samples, by their chances."""
    rng = np.random.default_rng(2)
    X = DenseColumns(np.column_stack([np.ones(20), rng.normal(size=(20, P))]))
    sizes = SampleSizes(50.0, np.array([30.0, 60.0, 40.0]), 25.0)
    shares = SampleShares(sizes, expit(BETA[:K]))
    b = BETA[None, LAYOUT.predictor]
    expected = np.zeros((LAYOUT.size, LAYOUT.size))
    for number in range(20):
        row = DenseColumns(X.X[number : number + 1])
        for code in (0, 1, 2, 3, sizes.known_negative):
            one = sample_sums(row, np.array([code], dtype=np.int32), None, b, shares)
            expected += np.exp(one.value[0]) * np.outer(one.score[0], one.score[0])
    found = sample_sums(X, np.ones(20, dtype=np.int32), None, b, shares)
    assert found.information[0] == pytest.approx(expected, rel=1e-10, abs=1e-12)


def test_audited_rows_are_expected_to_be_of_either_class():
    rng = np.random.default_rng(3)
    X = DenseColumns(np.column_stack([np.ones(20), rng.normal(size=(20, P))]))
    sizes = SampleSizes(50.0, np.array([30.0, 60.0, 40.0]))
    shares = SampleShares(sizes, expit(BETA[:K]))
    b = BETA[None, LAYOUT.predictor]
    expected = np.zeros((LAYOUT.size, LAYOUT.size))
    for number in range(20):
        row = DenseColumns(X.X[number : number + 1])
        for code in (0, *range(1 + K, 1 + 3 * K)):
            one = sample_sums(row, np.array([code], dtype=np.int32), None, b, shares)
            expected += np.exp(one.value[0]) * np.outer(one.score[0], one.score[0])
    found = sample_sums(X, np.full(20, 1 + K, dtype=np.int32), None, b, shares)
    assert found.information[0] == pytest.approx(expected, rel=1e-10, abs=1e-12)


def test_slopes_of_a_trace_are_derivatives(rows):
    X, codes, weights = rows
    rng = np.random.default_rng(4)
    root = rng.normal(size=(1 + P, 1 + P))
    matrix = root @ root.T

    def trace(beta):
        return float(np.sum(matrix * sums_at(rows, beta).information[0, LAYOUT.predictor, LAYOUT.predictor]))

    shares = SampleShares(sizes_of(codes, weights), expit(BETA[:K]))
    found = sample_trace_slopes(X, codes, weights, BETA[None, LAYOUT.predictor], shares, matrix)
    step = 1e-5
    slopes = [(trace(BETA + way) - trace(BETA - way)) / (2 * step) for way in step * np.eye(LAYOUT.size)]
    assert found == pytest.approx(slopes, rel=1e-6, abs=1e-4)


def test_one_sample_is_the_saturating_likelihood():
    rng = np.random.default_rng(5)
    positive = rng.random(200) < 0.4
    X = DenseColumns(np.column_stack([np.ones(200), rng.normal(size=(200, P))]))
    codes = np.where(positive, 0, 1).astype(np.int32)
    sizes, layout = SampleSizes.count(codes, None, 1), Layout((P,))
    beta = np.array([-0.7, 0.4, 1.0, -0.5, 0.2, 0.3])
    pi, b = expit(beta[:1]), beta[None, layout.predictor]
    c, d = label_frequency(pi, sizes.labelled, sizes.unlabelled[0])
    slope = -d * (1.0 - pi)  # of log c in logit pi
    matrix = np.diag(np.arange(1.0, 2.0 + P))
    other = trace_slopes(X, None, b, c, d, matrix)
    other[layout.share] *= slope[0]
    found = sample_trace_slopes(X, codes, None, b, SampleShares(sizes, pi), matrix)
    assert found == pytest.approx(other, rel=1e-10)
    one = saturating_sums(X, positive, None, b, c, d)
    many = sample_sums(X, codes, None, b, SampleShares(sizes, pi))
    change = np.ones(layout.size)
    change[layout.share] = slope[0]
    assert many.value - one.value == pytest.approx(0.0, abs=1e-10)
    assert many.score[0] == pytest.approx(one.score[0] * change, rel=1e-10)
    assert many.information[0] == pytest.approx(one.information[0] * np.outer(change, change), rel=1e-9)


def test_scores_of_strata_are_derivatives_of_how_many_rows_are_there(rows):
    X, codes, weights = rows
    sizes, w = sizes_of(codes, weights), np.ones(len(codes)) if weights is None else weights

    def expected(beta):
        """How many rows are in each sample, at the parameters beta, given their features."""
        u, v = SampleShares(sizes, expit(beta[:K])).of_strata
        m = expit(X.predict(beta[None, LAYOUT.predictor])[0])
        return (np.outer(u, m) + np.outer(v, 1.0 - m)) @ w

    steps = 1e-6 * np.eye(LAYOUT.size)
    wanted = np.array([(expected(BETA + step) - expected(BETA - step)) / 2e-6 for step in steps]).T
    shares = SampleShares(sizes, expit(BETA[:K]))
    found = stratum_scores(X, codes, weights, BETA[None, LAYOUT.predictor], shares)
    assert found == pytest.approx(wanted, rel=1e-6, abs=1e-6)
    assert found.sum(axis=0) == pytest.approx(np.zeros(LAYOUT.size), abs=1e-9)


def test_next_to_impossible_rows_stay_finite():
    X = DenseColumns(np.array([[1.0, 800.0], [1.0, -800.0]]))
    sizes = SampleSizes(5.0, np.array([5.0, 5.0]), 5.0)
    shares = SampleShares(sizes, np.array([0.5, 1.0 - 1e-9]))
    for code in range(2 + 3 * 2):
        found = sample_sums(X, np.full(2, code, dtype=np.int32), None, np.array([[0.0, 1.0]]), shares)
        assert np.isfinite(found.value).all()
        assert np.isfinite(found.information).all()
    assert logit(shares.pi[0]) == 0.0
