"""The range of pi and its prior."""

import numpy as np
import pytest
from scipy.stats import beta as beta_density

from pugam.solvers import PiPrior, PiRange


def test_prior_is_a_beta_density_up_to_a_constant():
    pi = np.array([0.01, 0.3, 0.5, 0.99])
    difference = PiPrior(1.5, 4.0).value(pi) - beta_density(2.5, 5.0).logpdf(pi)

    np.testing.assert_allclose(difference, difference[0], atol=1e-12)


def test_the_flat_prior_adds_nothing_even_at_the_ends():
    assert PiPrior().value(np.array([0.0, 0.5, 1.0])).tolist() == [0.0, 0.0, 0.0]


def test_a_range_of_one_point_is_a_known_pi():
    assert PiRange(0.3, 0.3).fixed
    assert not PiRange(0.3, 0.4).fixed
    assert not PiRange().fixed


def test_a_range_on_the_logit_scale():
    low, high = PiRange(0.2, 0.9).logits

    assert (low, high) == pytest.approx((np.log(0.25), np.log(9.0)))


def test_the_ends_of_a_range_are_not_inside_it():
    bounded = PiRange(0.2, 0.9)

    assert [bounded.is_inside(pi) for pi in (0.2, 0.2 + 1e-12, 0.5, 0.9 - 1e-12, 0.9)] == [
        False,
        False,
        True,
        False,
        False,
    ]
    assert not PiRange(0.4, 0.4).is_inside(0.4)


def test_many_are_inside_a_range_as_each_is():
    bounded, pi = PiRange(0.2, 0.9), np.array([0.2, 0.5, 0.9, 0.95])

    assert bounded.are_inside(pi).tolist() == [bounded.is_inside(float(one)) for one in pi]
    assert not PiRange(0.4, 0.4).are_inside(np.array([0.3, 0.4])).any()
