"""The likelihood of mixtures: against its definition, its derivatives, and that of samples with common curves."""

import numpy as np
import pytest
from scipy.special import expit

from pugam.layout import Layout
from pugam.likelihood import DenseColumns, SampleShares, SampleSizes, sample_sums, sample_trace_slopes, stratum_scores
from pugam.likelihood.mixtures import (
    Mixture,
    Predictors,
    mixture_sums,
    mixture_trace_slopes,
    outcome_scores,
)
from pugam.likelihood.own_curves import sample_outcomes

K, P = 3, 3
# Of three columns the first is each sample's own: intercepts, own coefficients, common ones.
NUMBERS = np.array([[0, 3, 6, 7], [1, 4, 6, 7], [2, 5, 6, 7]])
PREDICTORS = Predictors(NUMBERS, -np.ones(K), 8)
BETA = np.array([-1.5, 0.3, 1.2, -0.4, 0.1, 0.3, 0.8, -0.5, 0.3, 0.1, -0.7])


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "weighted"])
def rows(request):
    """Rows of three samples, some of each audited."""
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 1 + 3 * K, 300).astype(np.int32)
    X = np.column_stack([np.ones(300), rng.normal(size=(300, P))])
    return DenseColumns(X), codes, rng.uniform(0.5, 2.0, 300) if request.param else None


def at(rows, beta, n_samples=K, predictors=PREDICTORS):
    _, codes, weights = rows
    sizes = SampleSizes.count(codes, weights, n_samples)
    return beta[n_samples:], Mixture(sample_outcomes(sizes, expit(beta[:n_samples])), predictors)


def sums_at(rows, beta, observed=False):
    return mixture_sums(*rows, *at(rows, beta), observed)


def log_likelihood(rows, beta):
    """By densities relative to that of positives."""
    X, codes, weights = rows
    sizes, pi = SampleSizes.count(codes, weights, K), expit(beta[:K])
    positives = sizes.labelled + sizes.unlabelled @ pi
    hidden = sizes.unlabelled * (1.0 - pi)
    ratios = X.predict(beta[K:][NUMBERS]) - np.log(positives / hidden)[:, None]
    negatives = hidden[:, None] * np.exp(-ratios)
    total = positives + negatives.sum(axis=0)
    own = np.empty(len(codes))
    for number, code in enumerate(codes):
        kind, k = divmod(code - 1, K)
        parts = sizes.unlabelled[k] * pi[k], negatives[k, number]
        own[number] = sizes.labelled if code == 0 else (parts[0] + parts[1], *parts)[kind]
    return float(np.sum(np.log(own / total) * (1.0 if weights is None else weights)))


def test_the_value_is_the_multinomial_likelihood(rows):
    assert sums_at(rows, BETA).value[0] == pytest.approx(log_likelihood(rows, BETA), rel=1e-12)


def test_the_score_and_the_observed_information_are_derivatives(rows):
    """Central differences with steps of 1e-5: to seven digits."""
    step = 1e-5
    found = sums_at(rows, BETA, observed=True)
    ways = step * np.eye(len(BETA))
    score = [(log_likelihood(rows, BETA + way) - log_likelihood(rows, BETA - way)) / (2 * step) for way in ways]
    assert found.score[0] == pytest.approx(score, rel=1e-6, abs=1e-5)
    bends = [-(sums_at(rows, BETA + way).score[0] - sums_at(rows, BETA - way).score[0]) / (2 * step) for way in ways]
    assert found.information[0] == pytest.approx(np.array(bends), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("kind", ["not audited", "audited"])
def test_the_expected_information_is_the_mean_over_the_outcomes_a_row_may_have(rows, kind):
    """At each x the score's outer products are added up over all outcomes, by their chances."""
    X, b = DenseColumns(rows[0].written_out()[:20]), BETA[K:]
    mixture = at(rows, BETA)[1]
    others = [0, *range(1, 1 + K)] if kind == "not audited" else [0, *range(1 + K, 1 + 3 * K)]
    wanted = np.zeros((len(BETA), len(BETA)))
    chances = np.zeros(20)
    for code in others:
        for number, x in enumerate(X.written_out()):
            one = mixture_sums(DenseColumns(x[None]), np.array([code], dtype=np.int32), None, b, mixture)
            chance = np.exp(one.value[0])
            chances[number] += chance
            wanted += chance * np.outer(one.score[0], one.score[0])
    codes = np.full(20, others[-1], dtype=np.int32)
    assert chances == pytest.approx(1.0)
    assert mixture_sums(X, codes, None, b, mixture).information[0] == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def test_slopes_of_traces_are_derivatives(rows):
    """Central differences with steps of 1e-5: to seven digits."""
    step, rng = 1e-5, np.random.default_rng(3)
    matrix = rng.normal(size=(8, 8))
    matrix = matrix + matrix.T

    def trace(beta):
        return float(np.sum(matrix * sums_at(rows, beta).information[0][K:, K:]))

    ways = step * np.eye(len(BETA))
    wanted = [(trace(BETA + way) - trace(BETA - way)) / (2 * step) for way in ways]
    assert mixture_trace_slopes(*rows, *at(rows, BETA), matrix) == pytest.approx(wanted, rel=1e-6, abs=1e-5)


def test_scores_of_outcomes_add_up_to_nothing(rows):
    not_audited = outcome_scores(*rows, *at(rows, BETA))[: 1 + K]
    assert not_audited.sum(axis=0) == pytest.approx(np.zeros(len(BETA)), abs=1e-9)


def test_one_sample_has_the_likelihood_of_common_curves():
    """The same model, written with negatives as the component that varies: to rounding."""
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 4, 200).astype(np.int32)
    X, beta = DenseColumns(np.column_stack([np.ones(200), rng.normal(size=(200, P))])), BETA[:5]
    rows, layout = (X, codes, rng.uniform(0.5, 2.0, 200)), Layout((P,))
    predictors = Predictors(np.arange(1 + P)[None], -np.ones(1), 1 + P)
    b, mixture = at(rows, beta, 1, predictors)
    shares = SampleShares(SampleSizes.count(codes, rows[2], 1), expit(beta[:1]))
    for observed in (False, True):
        found = mixture_sums(*rows, b, mixture, observed)
        wanted = sample_sums(*rows, beta[None, layout.predictor], shares, observed)
        for part in ("value", "score", "information"):
            assert getattr(found, part) == pytest.approx(getattr(wanted, part), rel=1e-10, abs=1e-10)
    matrix = np.eye(1 + P) + 0.3
    assert mixture_trace_slopes(*rows, b, mixture, matrix) == pytest.approx(
        sample_trace_slopes(*rows, beta[None, layout.predictor], shares, matrix), rel=1e-10, abs=1e-10
    )
    assert outcome_scores(*rows, b, mixture)[:2] == pytest.approx(
        stratum_scores(*rows, beta[None, layout.predictor], shares)[:2], rel=1e-10, abs=1e-10
    )
