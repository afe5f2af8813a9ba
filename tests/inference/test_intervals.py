"""Intervals as values: what they say of themselves."""

import math

import pytest

from pugam.inference import Interval, RatioInterval


def test_an_exponential_is_an_interval_of_a_ratio():
    ratio = Interval(1.0, 0.0, 2.0, 0.9, "wald").exp()

    assert ratio == RatioInterval(math.exp(1.0), 1.0, math.exp(2.0), 0.9, "wald")
    assert str(ratio) == "2.718 (90% interval 1.000 to 7.389)"


@pytest.mark.parametrize(
    ("lower", "upper", "determined"), [(0.3, 608_000.0, False), (0.1, 999.0, True), (0.0, 1e304, False)]
)
def test_limits_that_differ_ten_thousandfold_determine_no_ratio(lower, upper, determined):
    ratio = RatioInterval(1.0, lower, upper, 0.95, "wald")

    assert ratio.is_determined is determined
    assert str(ratio).startswith("not determined: 1.000 (95%") is not determined


def test_limits_too_large_for_a_number_stay_finite():
    ratio = Interval(900.0, -900.0, 2000.0, 0.95, "wald").exp()

    assert math.isfinite(ratio.upper)
    assert not ratio.is_determined
