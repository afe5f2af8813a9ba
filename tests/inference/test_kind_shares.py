"""Shares of kinds of positives put together, against what is known in closed form."""

import numpy as np
import pytest

from pugam.inference import Interval, KindLimits, kind_posteriors, rows_left, worst_verdict
from pugam.likelihood import expit, logit


def limits_of(shares, errors, correlation=None, others=None):
    """Kinds with these shares among all rows, and normal errors of the log odds."""
    shares = np.asarray(shares)
    middle = np.log(shares / (1.0 - shares.sum()))
    ends = [expit(middle + side * 1.959964 * np.asarray(errors)) for side in (-1.0, 0.0, 1.0)]
    intervals = [Interval(e, low, high, 0.95, "marginal") for low, e, high in zip(*ends, strict=True)]
    known = [()] * len(shares) if others is None else others
    return KindLimits(intervals, known, np.eye(len(shares)) if correlation is None else correlation)


def test_one_kind_keeps_its_interval():
    limits = limits_of([0.3], [0.2])

    for found in (limits.together(), limits.of_kind(0)):
        assert (found.estimate, found.lower, found.upper) == pytest.approx(
            (0.3, limits.intervals[0].lower, limits.intervals[0].upper), abs=1e-12
        )


def test_shares_come_back_and_add_up():
    limits = limits_of([0.1, 0.2, 0.05], [0.1, 0.1, 0.1])

    assert limits.shares == pytest.approx([0.1, 0.2, 0.05])
    assert limits.together().estimate == pytest.approx(0.35)
    assert limits.of_kind(1).estimate == pytest.approx(0.2)


def test_counts_of_a_multinomial_vary_as_theirs_do():
    """Were classes seen, log odds of kinds to negatives would have variance 1/p_k + 1/p_0, covariance 1/p_0, over n."""
    n, p = 4000, np.array([0.1, 0.2, 0.05])
    rest = 1.0 - p.sum()
    covariance = (np.diag(1.0 / p) + 1.0 / rest) / n
    errors = np.sqrt(covariance.diagonal())
    limits = limits_of(p, errors, covariance / np.outer(errors, errors))

    widths = [limits.of_kind(number) for number in range(3)]
    errors_of_kinds = [(found.upper - found.lower) / (2 * 1.959964) for found in widths]
    together = limits.together()

    assert errors_of_kinds == pytest.approx(np.sqrt(p * (1 - p) / n), rel=0.02)
    assert (together.upper - together.lower) / (2 * 1.959964) == pytest.approx(np.sqrt(rest * (1 - rest) / n), rel=0.02)


def test_kinds_with_the_same_errors_move_together():
    limits = limits_of([0.1, 0.2], [0.3, 0.3], np.ones((2, 2)))
    odds = 0.3 / 0.7 * np.exp(1.959964 * 0.3 * np.array([-1.0, 1.0]))

    found = limits.together()

    assert (found.lower, found.upper) == pytest.approx(tuple(odds / (1 + odds)), rel=1e-6)


def test_what_others_say_of_kinds_adds_up():
    plain, doubted = limits_of([0.1, 0.2], [0.1, 0.1]), limits_of([0.1, 0.2], [0.1, 0.1], others=[(), (0.5,)])
    high = 0.1 / 0.7 + 1.0

    assert plain.sums_by_others() == plain.by_others(0) == []
    assert max(doubted.sums_by_others()) == pytest.approx(high / (1 + high))
    assert doubted.by_others(0) == []
    assert doubted.by_others(1) == pytest.approx([1.0 / (1 + high)])


def test_limits_that_say_nothing_stay_between_zero_and_one():
    intervals = [Interval(0.2, 0.0, 1.0, 0.95, "marginal"), Interval(0.1, 0.05, 0.2, 0.95, "marginal")]
    found = KindLimits(intervals, [(), ()], np.eye(2)).together()

    assert 0.0 <= found.lower < 0.1
    assert 0.99 < found.upper <= 1.0


def test_posteriors_of_kinds_are_those_of_one_mixture():
    odds = np.array([[1.0, 2.0], [0.0, 0.5], [1e300, 1.0]])
    with np.errstate(divide="ignore"):
        found = kind_posteriors(np.log(odds))

    assert found[:2] == pytest.approx(odds[:2] / (1 + odds[:2].sum(axis=1, keepdims=True)))
    assert found[2] == pytest.approx([1.0, 0.0])
    assert rows_left(found, 0) == pytest.approx([0.5, 1 - 1 / 3, 1.0])
    assert rows_left(found, 1)[2] == pytest.approx(1e-6)


def test_one_kind_has_the_posterior_of_its_fit():
    logits = np.array([[-2.0], [0.3], [40.0]])

    assert kind_posteriors(logits) == pytest.approx(expit(logits))
    assert logit(kind_posteriors(logits[:2])) == pytest.approx(logits[:2])


def test_the_worst_verdict_counts():
    assert worst_verdict(["well determined", "does not fit", "not determined"]) == ("does not fit", 1)
    assert worst_verdict(["well determined", "well determined"]) == ("well determined", 0)
    assert worst_verdict([None, "does not fit"])[0] is None
