"""Intervals for pi allow for model error: below always, on both sides where rows contradict it."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pugam.inference import Interval
from pugam.inference.model_error import MEAN_ERROR, allow_for_model_error

ALL = (0.0, 1.0)


def around(pi, lower, upper, level=0.95):
    return Interval(pi, lower, upper, level, "marginal")


def test_without_errors_of_sampling_the_lower_limit_is_a_quantile_of_those_of_the_model():
    # With so many positives, -log(1 - q) is as good as exponential: its 95% quantile is the mean times log 20.
    widened = allow_for_model_error(around(0.9, 0.9, 0.9), (), ALL)

    assert math.log((1 - widened.lower) / (1 - 0.9)) == pytest.approx(MEAN_ERROR * math.log(20), rel=1e-9)
    assert widened.upper == 0.9


@pytest.mark.parametrize("pi", [0.01, 0.05, 0.1, 0.3])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
def test_where_positives_are_few_the_quantile_is_that_of_a_truncated_exponential(pi, level):
    # Drawn: 400,000 values, whose quantile has a standard error of at most 0.002 of the range.
    drawn = np.random.default_rng(0).exponential(MEAN_ERROR, 400_000)
    most = -math.log1p(-pi)
    expected = np.quantile(drawn[drawn < most], level)

    widened = allow_for_model_error(around(pi, pi, pi, level), (), ALL)

    assert math.log((1 - widened.lower) / (1 - pi)) == pytest.approx(expected, abs=0.01 * most)
    assert 0.0 < widened.lower < pi


def test_errors_of_sampling_and_of_the_model_add_like_standard_deviations():
    alone = allow_for_model_error(around(0.5, 0.5, 0.6), (), ALL)
    both = allow_for_model_error(around(0.5, 0.4, 0.6), (), ALL)

    below = [math.log((1 - lower) / (1 - 0.5)) for lower in (alone.lower, 0.4, both.lower)]
    assert below[2] == pytest.approx(math.hypot(*below[:2]), rel=1e-12)
    assert both.upper == 0.6


def test_what_others_say_is_inside_with_an_allowance_below_it():
    widened = allow_for_model_error(around(0.7, 0.6, 0.8), (0.2, 0.85), ALL)

    assert widened.lower < allow_for_model_error(around(0.2, 0.2, 0.2), (), ALL).lower + 1e-12
    assert (widened.estimate, widened.upper) == (0.7, 0.85)


def test_the_range_of_pi_that_was_given_is_kept_to():
    widened = allow_for_model_error(around(0.3, 0.25, 0.35), (0.01, 0.99), (0.2, 0.5))

    assert (widened.lower, widened.upper) == (0.2, 0.5)


shares = st.floats(0.0, 1.0)


@given(st.tuples(shares, shares, shares), st.lists(shares, max_size=3), st.floats(1e-6, 1 - 1e-6))
def test_it_never_becomes_narrower_nor_leaves_the_range(ends, others, level):
    lower, pi, upper = sorted(ends)
    interval = around(pi, lower, upper, level)

    widened = allow_for_model_error(interval, others, ALL)

    assert 0.0 <= widened.lower <= min(lower, *others, 1.0) + 1e-9
    assert max(upper, *others, 0.0) <= widened.upper <= 1.0
    assert replace(widened, lower=lower, upper=upper) == interval
