"""The likelihood of labels given by preference: against its definition, its derivatives, and random labels."""

import numpy as np
import pytest
from scipy.special import expit

from pugam.layout import Layout
from pugam.likelihood import (
    DenseColumns,
    Preference,
    SampleShares,
    SampleSizes,
    sample_sums,
    sample_trace_slopes,
    selected_sums,
    selected_trace_slopes,
    tilt_sums,
)

K, P, Q = 2, 3, 2
LAYOUT = Layout((P + Q,), K)
BETA = np.array([-1.0, 0.4, -0.3, 0.7, -0.5, 0.3, 0.6, -0.4])
STEP = 1e-5


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "weighted"])
def rows(request):
    """Rows of two samples, some of each audited, and known negatives."""
    rng = np.random.default_rng(1)
    n = 200
    codes = rng.integers(0, 2 + 3 * K, n).astype(np.int32)
    X = np.column_stack([np.ones(n), rng.normal(size=(n, P + Q))])
    weights = rng.uniform(0.5, 2.0, n) if request.param else None
    return DenseColumns(X), codes, weights


def parts_at(rows, beta):
    X, codes, weights = rows
    sizes = SampleSizes.count(codes, weights, K)
    theta = beta[-Q:]
    preference = Preference(theta, tilt_sums(X, codes, weights, theta))
    return SampleShares(sizes, expit(beta[LAYOUT.shares])), preference


def sums_at(rows, beta, observed=False):
    X, codes, weights = rows
    shares, preference = parts_at(rows, beta)
    return selected_sums(X, codes, weights, beta[LAYOUT.predictor], shares, preference, observed)


def slopes_at(rows, beta, matrix):
    X, codes, weights = rows
    shares, preference = parts_at(rows, beta)
    return selected_trace_slopes(X, codes, weights, beta[LAYOUT.predictor], shares, preference, matrix)


def log_likelihood(rows, beta):
    """By densities: labelled rows are drawn from positives in proportion to exp(w)."""
    X, codes, weights = rows
    shares, _ = parts_at(rows, beta)
    sizes, pi = shares.sizes, shares.pi
    w = np.ones(len(codes)) if weights is None else weights
    columns, labelled = X.X, codes == 0
    preferred = np.exp(columns[:, -Q:] @ beta[-Q:])
    normalised = preferred * np.average(1.0 / preferred[labelled], weights=w[labelled])
    ratio = np.exp(columns[:, : 1 + P] @ beta[K : K + 1 + P]) * shares.negatives / shares.positives
    total = sizes.labelled * normalised * ratio + sizes.negative
    total = total + sizes.unlabelled @ (pi[:, None] * ratio + 1.0 - pi[:, None])
    own = np.empty(len(codes))
    for number, code in enumerate(codes):
        kind, k = divmod(code - 1, K)
        both = sizes.unlabelled[k] * pi[k] * ratio[number], sizes.unlabelled[k] * (1.0 - pi[k])
        if code == 0:
            own[number] = sizes.labelled * normalised[number] * ratio[number]
        elif code == sizes.known_negative:
            own[number] = sizes.negative
        else:
            own[number] = (sum(both), *both)[kind]
    return float(np.log(own / total) @ w)


def differences(function, beta=BETA):
    """Derivatives along all parameters, by central differences."""
    steps = STEP * np.eye(len(beta))
    return np.array([(function(beta + step) - function(beta - step)) / (2.0 * STEP) for step in steps])


def test_value_is_that_of_the_densities(rows):
    assert sums_at(rows, BETA).value[0] == pytest.approx(log_likelihood(rows, BETA), rel=1e-12)


def test_score_is_the_gradient(rows):
    expected = differences(lambda beta: log_likelihood(rows, beta))
    assert sums_at(rows, BETA).score[0] == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_observed_information_is_minus_the_hessian(rows):
    expected = -differences(lambda beta: sums_at(rows, beta).score[0])
    assert sums_at(rows, BETA, observed=True).information[0] == pytest.approx(expected, rel=1e-5, abs=1e-5)


def test_expected_information_is_the_mean_over_samples_of_squared_scores(rows):
    X, codes, weights = rows
    shares, preference = parts_at(rows, BETA)
    audited = (codes > K) & (codes < shares.sizes.known_negative)
    columns = X.X
    s, log_w = columns[:, : 1 + P] @ BETA[K : K + 1 + P], preference.logs(columns[:, -Q:])
    w = np.ones(len(codes)) if weights is None else weights
    expected, chances = np.zeros((LAYOUT.size, LAYOUT.size)), np.zeros(len(codes))
    for code in range(shares.sizes.known_negative + 1):
        possible = np.ones(len(codes), bool) if code in (0, shares.sizes.known_negative) else audited == (code > K)
        elsewhere = np.full(len(codes), code, dtype=np.int32)
        chance = possible * np.exp(value_of_rows(elsewhere, s, log_w, shares))
        scores = np.array([score_of_row(x, code, shares, preference) for x in columns])
        expected += scores.T @ (scores * (chance * w)[:, None])
        chances += chance
    assert chances == pytest.approx(1.0)
    assert sums_at(rows, BETA).information[0] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def score_of_row(x, code, shares, preference):
    """Its score, had it this code."""
    codes = np.array([code], dtype=np.int32)
    return selected_sums(DenseColumns(x[None]), codes, None, BETA[LAYOUT.predictor], shares, preference).score[0]


def value_of_rows(codes, s, log_w, shares):
    """Log chances of rows, had they these codes."""
    sizes = shares.sizes
    preferred = sizes.labelled * np.exp(log_w)
    positives = preferred + sizes.unlabelled @ shares.pi
    m = expit(s + np.log(positives / shares.positives))
    u, v = shares.of_codes
    mine = np.where(codes == 0, preferred, u[codes] * shares.positives) / positives
    return np.log(mine * m + v[codes] * (1.0 - m))


def test_trace_slopes_are_derivatives_of_the_trace(rows):
    rng = np.random.default_rng(2)
    matrix = rng.normal(size=(1 + P + Q, 1 + P + Q))
    matrix = matrix + matrix.T
    predictor = LAYOUT.predictor

    def trace(beta):
        return np.sum(sums_at(rows, beta).information[0, predictor, predictor] * matrix)

    assert slopes_at(rows, BETA, matrix) == pytest.approx(differences(trace), rel=1e-6, abs=1e-5)


def test_without_preference_rows_count_as_labelled_at_random(rows):
    X, codes, weights = rows
    beta = BETA.copy()
    beta[-Q:] = 0.0
    kept = slice(0, K + 1 + P)
    effects = DenseColumns(X.X[:, : 1 + P])
    shares, _ = parts_at(rows, beta)
    for observed in (False, True):
        expected = sample_sums(effects, codes, weights, beta[None, K : K + 1 + P], shares, observed)
        found = sums_at(rows, beta, observed)
        assert found.value[0] == pytest.approx(expected.value[0], rel=1e-13)
        assert found.score[0, kept] == pytest.approx(expected.score[0], rel=1e-9, abs=1e-9)
        assert found.information[0, kept, kept] == pytest.approx(expected.information[0], rel=1e-9, abs=1e-9)
    matrix = np.eye(1 + P + Q)
    matrix[-Q:] = 0.0
    expected = sample_trace_slopes(effects, codes, weights, beta[None, K : K + 1 + P], shares, np.eye(1 + P))
    assert slopes_at(rows, beta, matrix)[kept] == pytest.approx(expected, rel=1e-9, abs=1e-9)
