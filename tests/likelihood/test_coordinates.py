"""Changes between pi, its logit, the label frequency and the paper's alpha."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pugam.likelihood import alpha_shift, expit, label_frequency, log_c_bend, log_c_slope, logit

LOGITS = np.linspace(-9.0, 9.0, 37)
COUNTS = [(1250, 250), (10, 5000), (300, 300)]


def log_c(logit_pi, n0, n1):
    return -np.log1p(n1 / n0 / (1.0 + np.exp(-logit_pi)))


@pytest.mark.parametrize(("n0", "n1"), COUNTS)
def test_label_frequency_is_the_share_of_positives_that_are_labelled(n0, n1):
    pi = expit(LOGITS)

    c, d = label_frequency(pi, n0, n1)

    np.testing.assert_allclose(c, n0 / (n0 + n1 * pi), rtol=1e-14)
    np.testing.assert_allclose(c + d, 1.0, rtol=1e-14)


@pytest.mark.parametrize("pi", [1e-5, 1e-12, 1e-30, 1e-300])
def test_the_complement_of_the_label_frequency_keeps_its_digits_for_tiny_pi(pi):
    c, d = label_frequency(np.array(pi), 1000.0, 500.0)

    assert float(d) == pytest.approx(pi * 500.0 / 1000.0 / (1.0 + 0.5 * pi), rel=1e-14)
    assert float(c) == pytest.approx(1.0, abs=pi)


@pytest.mark.parametrize(("n0", "n1"), COUNTS)
def test_slope_is_the_first_derivative_of_log_c(n0, n1):
    step = 1e-5
    numeric = (log_c(LOGITS + step, n0, n1) - log_c(LOGITS - step, n0, n1)) / (2.0 * step)

    np.testing.assert_allclose(log_c_slope(expit(LOGITS), n0, n1), numeric, rtol=1e-5, atol=1e-10)


@pytest.mark.parametrize(("n0", "n1"), COUNTS)
def test_bend_is_the_second_derivative_of_log_c(n0, n1):
    step = 1e-5
    ahead, behind = (log_c_slope(expit(LOGITS + shift), n0, n1) for shift in (step, -step))

    np.testing.assert_allclose(
        log_c_bend(expit(LOGITS), n0, n1), (ahead - behind) / (2.0 * step), rtol=1e-6, atol=1e-10
    )


@given(pi=st.floats(0.001, 0.999), n0=st.integers(1, 10**6), n1=st.integers(1, 10**6))
def test_alpha_shift_is_the_papers(pi, n0, n1):
    assert float(alpha_shift(pi, n0, n1)) == pytest.approx(np.log(n0 / n1 + pi) - np.log(1.0 - pi), abs=1e-12)


@given(pi=st.floats(0.001, 0.999), n0=st.integers(1, 10**6), n1=st.integers(1, 10**6), ratio=st.floats(-30.0, 30.0))
def test_shifted_predictor_is_the_logit_of_being_positive_among_all_rows(pi, n0, n1, ratio):
    # Among all rows, positives and negatives stand in the proportion n0 + n1 pi to n1 (1 - pi).
    odds = (n0 + n1 * pi) / (n1 * (1.0 - pi)) * np.exp(ratio)

    assert float(ratio + alpha_shift(pi, n0, n1)) == pytest.approx(np.log(odds), abs=1e-11)


def test_logit_and_expit_undo_each_other():
    np.testing.assert_allclose(logit(expit(LOGITS)), LOGITS, atol=1e-11)
    np.testing.assert_allclose(logit(expit(np.array([-700.0, -50.0]))), [-700.0, -50.0], rtol=1e-14)


def test_logit_and_expit_reach_the_ends():
    assert expit(np.array([-np.inf, -1e4, 1e4, np.inf])).tolist() == [0.0, 0.0, 1.0, 1.0]
    assert logit(np.array([0.0, 1.0])).tolist() == [-np.inf, np.inf]
