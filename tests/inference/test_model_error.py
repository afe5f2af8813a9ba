"""Intervals for pi allow for model error: below always, on both sides where rows contradict it."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import expit, logit, ndtr, ndtri

from pugam.inference import Interval
from pugam.inference.model_error import MEAN_ERROR, allow_for_model_error

ALL = (0.0, 1.0)


def allowing(pi, lower, upper, others=(), limits=ALL, level=0.95):
    """Allow for model error where limits have these distances on the logit scale, whatever the level is."""

    def moved(end, stretch):
        return expit(logit(pi) + stretch * (logit(end) - logit(pi))) if 0 < pi < 1 else end

    def sampling(at):
        stretch = ndtri(0.5 + at / 2) / ndtri(0.5 + level / 2)
        with np.errstate(all="ignore"):
            return Interval(pi, min(moved(lower, stretch), pi), max(moved(upper, stretch), pi), at, "marginal")

    return allow_for_model_error(sampling, level, others, limits)


def test_without_errors_of_sampling_the_lower_limit_is_a_quantile_of_those_of_the_model():
    # With so many positives, -log(1 - q) is as good as exponential: its 95% quantile is the mean times log 20.
    widened = allowing(0.9, 0.9, 0.9)

    assert math.log((1 - widened.lower) / (1 - 0.9)) == pytest.approx(MEAN_ERROR * math.log(20), rel=1e-9)
    assert widened.upper == 0.9


@pytest.mark.parametrize("pi", [0.01, 0.05, 0.1, 0.3])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
def test_where_positives_are_few_the_quantile_is_that_of_a_truncated_exponential(pi, level):
    # Drawn: 400,000 values, whose quantile has a standard error of at most 0.002 of the range.
    drawn = np.random.default_rng(0).exponential(MEAN_ERROR, 400_000)
    most = -math.log1p(-pi)
    expected = np.quantile(drawn[drawn < most], level)

    widened = allowing(pi, pi, pi, level=level)

    assert math.log((1 - widened.lower) / (1 - pi)) == pytest.approx(expected, abs=0.01 * most)
    assert 0.0 < widened.lower < pi


def test_errors_of_sampling_and_of_the_model_add_like_standard_deviations():
    alone = allowing(0.5, 0.5, 0.6)
    both = allowing(0.5, 0.4, 0.6)

    below = [math.log((1 - lower) / (1 - 0.5)) for lower in (alone.lower, 0.4, both.lower)]
    assert below[2] == pytest.approx(math.hypot(*below[:2]), rel=1e-12)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.99])
@pytest.mark.parametrize("error", [1e-6, 0.01, 0.1, 2.0])
def test_both_limits_together_are_missed_as_often_as_the_level_says(level, error):
    # Errors of sampling are normal on the scale of log(1 - pi), with a standard error relative to the largest of the
    # model's; above they may miss as often as the level leaves after the largest error below.
    pi, largest = 0.9, -MEAN_ERROR * math.log(1 - level * (1 - 0.1 ** (1 / MEAN_ERROR)))

    def sampling(at):
        half = ndtri(0.5 + at / 2) * error * largest
        lower, upper = (1 - (1 - pi) * math.exp(way * half) for way in (1, -1))
        return Interval(pi, max(lower, 0.0), upper, at, "marginal")

    widened = allow_for_model_error(sampling, level, (), ALL)

    above, below = (abs(math.log((1 - pi) / (1 - end))) / (error * largest) for end in (widened.upper, widened.lower))
    assert ndtr(below) - ndtr(-above) == pytest.approx(level, abs=2e-6)
    assert max(ndtri(level), 0.0) - 1e-4 <= above <= ndtri(0.5 + level / 2) + 1e-9


def test_the_upper_limit_is_missed_in_a_twentieth_where_there_is_much_room_below_and_in_half_of_it_without():
    narrow, wide = allowing(0.5, 0.4999, 0.5001), allowing(0.001, 0.0001, 0.01)

    assert logit(narrow.upper) / logit(0.5001) == pytest.approx(ndtri(0.95) / ndtri(0.975), rel=1e-3)
    assert logit(wide.upper) == pytest.approx(logit(0.01), rel=0.03)  # the room is a fifth of an error


def test_what_others_say_is_inside_with_an_allowance_below_it():
    widened = allowing(0.7, 0.6, 0.8, (0.2, 0.85))

    assert widened.lower < allowing(0.2, 0.2, 0.2).lower + 1e-12
    assert (widened.estimate, widened.upper) == (0.7, 0.85)


def test_the_range_of_pi_that_was_given_is_kept_to():
    widened = allowing(0.3, 0.25, 0.35, (0.01, 0.99), (0.2, 0.5))

    assert (widened.lower, widened.upper) == (0.2, 0.5)


shares = st.floats(0.0, 1.0)


@given(st.tuples(shares, shares, shares), st.lists(shares, max_size=3), st.floats(1e-6, 1 - 1e-6))
@example(ends=(0.0, 0.5, 3.2e-253), others=[], level=1e-6)
def test_it_holds_the_estimate_and_what_others_say_and_stays_in_the_range(ends, others, level):
    lower, pi, upper = sorted(ends)

    widened = allowing(pi, lower, upper, others, level=level)

    assert 0.0 <= widened.lower <= min(lower, pi, *others) + 1e-9
    assert max(pi, *others, 0.0) <= widened.upper <= max(upper, *others, 0.0) + 1e-9 <= 1.0 + 1e-9
    assert (widened.estimate, widened.level) == (pi, level)
