"""The likelihood of single rows: the paper's formula, its derivatives, and its extremes."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pugam.likelihood import (
    alpha_shift,
    expected_labels,
    label_frequency,
    log_likelihood_rows,
    logistic_rows,
    saturating_rows,
)

PREDICTORS = np.linspace(-6.0, 6.0, 25)
FREQUENCIES = (0.2, 0.9, 0.999)
BOTH_LABELS = [True, False]
EXTREME_PREDICTORS = (-700.0, -300.0, -40.0, 0.0, 40.0, 300.0, 700.0)
STEP = 1e-5  # of central differences: their error is of order STEP^2 times a third derivative of order one


def slope(function, x, step=STEP):
    return (function(x + step) - function(x - step)) / (2.0 * step)


def rows_at(positive, s, log_c, observed=False):
    c = np.exp(log_c)
    return saturating_rows(np.full(np.shape(s), positive), s, c, 1.0 - c, observed)


class ExactRow:
    """A row's likelihood in sixty digits, straight from P(z = 1 | x) = c expit(s)."""

    def __init__(self, s, d):
        with localcontext() as context:
            context.prec = 60
            s, d = Decimal(s), Decimal(d)
            c, self.m, self.h = 1 - d, 1 / (1 + (-s).exp()), 1 / (1 + s.exp())
            self.unlabelled = self.h + d * self.m
            self.odds = c * self.m / self.unlabelled
            self.log_labelled, self.log_unlabelled = (c * self.m).ln(), self.unlabelled.ln()
            self.posterior = d * self.m / self.unlabelled


@given(
    n0=st.integers(1, 10**6),
    n1=st.integers(1, 10**6),
    pi=st.floats(0.001, 0.999),
    alpha=st.floats(-20.0, 20.0),
    eta=st.floats(-20.0, 20.0),
)
def test_value_is_the_papers_profile_likelihood(n0, n1, pi, alpha, eta):
    tau = np.log((1.0 - pi) / pi)
    tilt = np.exp(alpha + eta - tau)
    labelled = np.log(n0 * tilt / (n1 * pi + (n0 + n1 * pi) * tilt))
    unlabelled = np.log((n1 * pi + n1 * pi * tilt) / (n1 * pi + (n0 + n1 * pi) * tilt))

    c, d = label_frequency(np.array(pi), n0, n1)
    s = np.full(2, alpha + alpha_shift(pi, n0, n1) + eta)
    value = saturating_rows(np.array([True, False]), s, c, d).value

    np.testing.assert_allclose(value, [labelled, unlabelled], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("c", FREQUENCIES)
@pytest.mark.parametrize("positive", BOTH_LABELS)
def test_score_is_the_slope_of_the_value(positive, c):
    rows = rows_at(positive, PREDICTORS, np.log(c))

    in_s = slope(lambda s: rows_at(positive, s, np.log(c)).value, PREDICTORS)
    in_log_c = slope(lambda log_c: rows_at(positive, PREDICTORS, log_c).value, np.log(c), step=1e-7)

    np.testing.assert_allclose(rows.score_s, in_s, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(rows.score_c, in_log_c, rtol=1e-5)


@pytest.mark.parametrize("c", FREQUENCIES)
@pytest.mark.parametrize("positive", BOTH_LABELS)
def test_observed_information_is_the_falling_slope_of_the_score(positive, c):
    rows = rows_at(positive, PREDICTORS, np.log(c), observed=True)
    log_c = np.log(c)

    ss = -slope(lambda s: rows_at(positive, s, log_c).score_s, PREDICTORS)
    sc = -slope(lambda s: rows_at(positive, s, log_c).score_c, PREDICTORS)
    cs = -slope(lambda log_c: rows_at(positive, PREDICTORS, log_c).score_s, log_c, step=1e-7)
    cc = -slope(lambda log_c: rows_at(positive, PREDICTORS, log_c).score_c, log_c, step=1e-7)

    np.testing.assert_allclose(rows.info_ss, ss, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(rows.info_sc, sc, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(rows.info_sc, cs, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(rows.info_cc, cc, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("c", FREQUENCIES)
def test_expected_information_is_the_mean_of_the_observed_one_over_the_labels(c):
    labelled_share = c / (1.0 + np.exp(-PREDICTORS))
    expected = rows_at(True, PREDICTORS, np.log(c))
    labelled = rows_at(True, PREDICTORS, np.log(c), observed=True)
    unlabelled = rows_at(False, PREDICTORS, np.log(c), observed=True)

    for name in ("info_ss", "info_sc", "info_cc"):
        mean = labelled_share * getattr(labelled, name) + (1.0 - labelled_share) * getattr(unlabelled, name)
        np.testing.assert_allclose(getattr(expected, name), mean, rtol=1e-12)


@pytest.mark.parametrize("c", FREQUENCIES)
def test_expected_information_is_the_mean_squared_score(c):
    labelled_share = c / (1.0 + np.exp(-PREDICTORS))
    labelled, unlabelled = rows_at(True, PREDICTORS, np.log(c)), rows_at(False, PREDICTORS, np.log(c))

    products = {"info_ss": ("score_s", "score_s"), "info_sc": ("score_s", "score_c"), "info_cc": ("score_c", "score_c")}
    for name, (one, other) in products.items():
        mean = labelled_share * getattr(labelled, one) * getattr(labelled, other) + (1.0 - labelled_share) * getattr(
            unlabelled, one
        ) * getattr(unlabelled, other)
        np.testing.assert_allclose(getattr(labelled, name), mean, rtol=1e-12)


@pytest.mark.parametrize("observed", [False, True])
@pytest.mark.parametrize("d", [0.5, 1e-3, 1e-6])
@pytest.mark.parametrize("s", EXTREME_PREDICTORS)
def test_rows_stay_exact_far_out(s, d, observed):
    exact = ExactRow(s, d)
    flags, at, c = np.array([True, False]), np.full(2, s), np.array(1.0 - d)

    rows = saturating_rows(flags, at, c, np.array(d), observed)

    odds, h, m = exact.odds, exact.h, exact.m
    if observed:
        cc = [0, odds * (1 + odds)]
        ss = [m * h, odds * h * (h - m + odds * h)]
    else:
        cc, ss = [odds, odds], [odds * h * h] * 2
    sc = [entry * h for entry in cc]
    # An absolute error of 1e-15 is rounding in a log-likelihood; 1e-300 is where numbers lose their digits.
    for got, want, smallest in [
        (rows.value, [exact.log_labelled, exact.log_unlabelled], 1e-15),
        (rows.score_c, [1, -odds], 0.0),
        (rows.score_s, [h, -odds * h], 1e-300),
        (rows.info_ss, ss, 1e-300),
        (rows.info_sc, sc, 1e-300),
        (rows.info_cc, cc, 0.0),
    ]:
        np.testing.assert_allclose(got, np.array(want, dtype=float), rtol=1e-13, atol=smallest)


@pytest.mark.parametrize("observed", [False, True])
@pytest.mark.parametrize("s", EXTREME_PREDICTORS)
def test_rows_stay_finite_far_out_where_every_positive_is_labelled(s, observed):
    rows = saturating_rows(np.array([True, False]), np.full(2, s), np.array(1.0), np.array(0.0), observed)
    exact = ExactRow(s, 0)

    np.testing.assert_allclose(rows.value, [float(exact.log_labelled), float(exact.log_unlabelled)], atol=1e-15)
    np.testing.assert_allclose(rows.score_s, [float(exact.h), -float(exact.m)], rtol=1e-13)
    np.testing.assert_allclose(rows.info_ss, float(exact.m * exact.h), rtol=1e-13, atol=1e-15)
    assert all(np.isfinite(part).all() for part in rows)


@pytest.mark.parametrize("s", EXTREME_PREDICTORS)
def test_expected_labels_stay_exact_far_out(s):
    got = expected_labels(np.array([True, False]), np.full(2, s), np.array(1e-6))

    np.testing.assert_allclose(got, [1.0, float(ExactRow(s, 1e-6).posterior)], rtol=1e-13)


def test_rows_where_every_positive_is_labelled_are_ordinary_logistic_rows():
    # c = 1 is pi = 0: no unlabelled row is positive.
    y = np.array([True, False])[:, None]
    logistic = logistic_rows(y.astype(float), PREDICTORS)

    for observed in (False, True):
        rows = saturating_rows(y, PREDICTORS, np.array(1.0), np.array(0.0), observed)
        np.testing.assert_allclose(rows.value, logistic.value, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(rows.score_s, logistic.score_s, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(np.broadcast_to(rows.info_ss, (2, 25)), [logistic.info_ss] * 2, rtol=1e-9)


@pytest.mark.parametrize("y", [0.0, 0.3, 1.0])
def test_logistic_rows_follow_the_bernoulli_likelihood_of_a_fractional_label(y):
    labels = np.full_like(PREDICTORS, y)
    m = 1.0 / (1.0 + np.exp(-PREDICTORS))

    rows = logistic_rows(labels, PREDICTORS)

    np.testing.assert_allclose(rows.value, y * np.log(m) + (1.0 - y) * np.log(1.0 - m), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(rows.score_s, slope(lambda s: logistic_rows(labels, s).value, PREDICTORS), atol=1e-9)
    np.testing.assert_allclose(rows.info_ss, -slope(lambda s: logistic_rows(labels, s).score_s, PREDICTORS), atol=1e-9)


@pytest.mark.parametrize("y", [0.0, 0.3, 1.0])
def test_logistic_rows_are_linear_far_out(y):
    s = np.array([-700.0, -100.0, 100.0, 700.0])

    rows = logistic_rows(np.full(4, y), s)

    np.testing.assert_allclose(rows.value, np.where(s < 0.0, y * s, -(1.0 - y) * s), rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(rows.score_s, y - np.array([0.0, 0.0, 1.0, 1.0]), atol=1e-15)
    np.testing.assert_allclose(rows.info_ss, np.exp(-np.abs(s)), rtol=1e-12)


@given(
    n0=st.integers(1, 10**6),
    n1=st.integers(1, 10**6),
    pi=st.floats(0.001, 0.999),
    ratio=st.floats(-20.0, 20.0),
)
def test_expected_labels_follow_bayes_rule(n0, n1, pi, ratio):
    posterior = pi * np.exp(ratio) / (pi * np.exp(ratio) + 1.0 - pi)
    _, d = label_frequency(np.array(pi), n0, n1)

    got = expected_labels(np.array([True, False]), np.full(2, ratio + alpha_shift(pi, n0, n1)), d)

    np.testing.assert_allclose(got, [1.0, posterior], rtol=1e-10)


@pytest.mark.parametrize("positive", BOTH_LABELS)
@pytest.mark.parametrize("c", FREQUENCIES)
def test_the_log_likelihood_alone_is_that_which_comes_with_the_score(positive, c):
    labels = np.full(len(PREDICTORS), positive)

    alone = log_likelihood_rows(labels, PREDICTORS, np.array(c), np.array(1.0 - c))

    np.testing.assert_allclose(alone, saturating_rows(labels, PREDICTORS, c, 1.0 - c).value, rtol=1e-10)


def test_the_log_likelihood_alone_is_finite_where_a_row_is_next_to_impossible():
    far, one, zero = np.array([-1e5, 1e5]), np.array(1.0), np.array(0.0)

    np.testing.assert_allclose(log_likelihood_rows(np.array([True, True]), far, one, zero), [-1e5, 0.0])
    np.testing.assert_allclose(log_likelihood_rows(np.array([False, False]), far, one, zero), [0.0, -1e5])


@pytest.mark.parametrize("d", [0.0, 1e-3])
def test_a_row_that_is_next_to_impossible_has_the_value_of_its_log(d):
    """Its chance is too small to be a number, but not the logarithm of that."""
    far, labels, c = np.array([-1e5, 1e5]), np.array([True, False]), np.array(1.0 - d)

    value = saturating_rows(labels, far, c, np.array(d)).value

    np.testing.assert_allclose(value, log_likelihood_rows(labels, far, c, np.array(d)), rtol=1e-12)
