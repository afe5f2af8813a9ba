"""The bound on pi that needs no model: by hand, on data whose share is known, and whatever the order of rows."""

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.inference import profile_of
from pugam.inference.best_bin import _best_threshold, _limits, bound_pi, sort_scores
from pugam.inference.rows_tested import choose_rows


def bound(X, z, terms=None, weights=None, **options):
    model = PUGAM(terms, n_starts=2, **options).fit(X, z, weights)
    return bound_pi(choose_rows(profile_of(model._fitted("The bound"))))


def test_limits_by_hand():
    # 40 of 80 labelled and 30 of 120 unlabelled rows: shares 1/2 and 1/4, but for half a row.
    ratio, upper = _limits(np.array([40.0]), np.array([30.0]), 80.0, 120.0)
    q_p, q_u = 40.5 / 80.5, 30.5 / 120.5

    assert ratio[0] == pytest.approx(q_u / q_p)
    error = np.sqrt((1.0 - q_p) / (80.0 * q_p) + (1.0 - q_u) / (120.0 * q_u))
    assert upper[0] == pytest.approx(q_u / q_p * np.exp(1.959964 * error), rel=1e-6)


def test_rows_with_the_same_score_are_counted_together():
    scores = np.array([0.2, 0.9, 0.2, 0.5, 0.9])
    positive = np.array([False, True, True, False, True])

    distinct, labelled, hidden = sort_scores(scores, positive, np.array([1.0, 2.0, 1.0, 1.0, 1.0]))

    assert distinct.tolist() == [0.9, 0.5, 0.2]
    assert labelled.tolist() == [3.0, 3.0, 4.0]
    assert hidden.tolist() == [0.0, 1.0, 2.0]


def test_the_threshold_lies_where_the_upper_limit_is_least():
    # Above 0.6 there are few unlabelled rows; higher up there are too few labelled ones to tell.
    scores = np.array([0.9, 0.6, 0.3, 0.1])

    assert _best_threshold(scores, np.array([10.0, 100.0, 110.0, 200.0]), np.array([1.0, 20.0, 90.0, 200.0])) == 0.6
    assert _best_threshold(scores, np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.0, 5.0, 6.0, 9.0])) == 0.1


@pytest.mark.parametrize("pi", [0.2, 0.6])
def test_where_some_rows_are_surely_positive_the_bound_is_near_pi(pi):
    rng = np.random.default_rng(0)
    y = np.append(np.ones(800), rng.random(800) < pi)
    X = pd.DataFrame({"a": rng.normal(2.5 * y, 1.0), "b": rng.normal(2.5 * y, 1.0)})

    found = bound(X, np.repeat([1, 0], 800), pi=pi)

    assert found.estimate == pytest.approx(pi, abs=0.06)
    assert found.estimate < found.upper < pi + 0.15


def test_the_bound_holds_on_the_papers_data():
    for seed in range(3):
        data = simulate(3, n0=600, n=1200, random_state=seed)
        found = bound(data.X, data.z)
        assert 0.4 < found.upper <= 1.0


def test_the_order_of_rows_does_not_matter():
    data = simulate(2, n0=600, n=1200, random_state=0)
    order = np.random.default_rng(1).permutation(1200)

    assert bound(data.X.iloc[order], data.z[order]) == bound(data.X, data.z)


def test_with_few_rows_there_is_no_bound():
    data = simulate(2, n0=600, n=1200, random_state=0)
    few = np.append(np.arange(60), np.arange(600, 620))

    assert bound(data.X.iloc[few], data.z[few], "x1 + x2", pi=0.4) is None
