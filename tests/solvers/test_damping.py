"""Damping settles where the quadratic model is right."""

import numpy as np
import pytest

from pugam.solvers import TUNING
from pugam.solvers.damping import loosened, tightened


def test_steps_that_fail_in_a_row_are_damped_ever_more():
    damping, growth, seen = 0.0, TUNING.first_growth, []
    while damping <= TUNING.stuck_damping:
        damping, growth = tightened(damping, growth)
        seen.append(float(damping))
    ratios = np.diff(np.log(seen))
    assert seen[0] == TUNING.first_damping
    assert (np.diff(ratios) > 0.0).all()
    assert len(seen) < 10  # a climb that is stuck is given up after so many looks


@pytest.mark.parametrize(
    ("gain", "factor"),
    [(2.0, 0.1), (1.0, 0.1), (0.9, 0.488), (0.5, 1.0), (0.1, 1.0), (0.0, 1.0), (-1e-12, 1.0)],
)
def test_a_gain_as_predicted_loosens_a_poor_one_does_not(gain, factor):
    assert loosened(0.02, gain, 1.0) == pytest.approx(0.02 * factor)


def test_damping_ends_at_zero():
    damping = 1e-3
    for _ in range(10):
        damping = loosened(damping, 1.0, 1.0)
    assert damping == 0.0
    assert loosened(0.0, 0.0, 0.0) == 0.0


@pytest.mark.parametrize(("gain", "predicted"), [(-0.01, -0.05), (10.0, -0.05), (-1e-13, 1e-120), (1e-13, 0.0)])
def test_strange_predictions_overflow_nowhere(gain, predicted):
    with np.errstate(all="raise"):
        assert 0.0 < loosened(1e-3, gain, predicted) <= 1e-3


def test_damping_that_was_small_grows_from_there():
    damping, _ = tightened(1e-6, TUNING.first_growth)
    assert damping == 4e-6


def test_many_climbs_are_damped_as_each_would_be():
    rng = np.random.default_rng(0)
    damping, growth = rng.choice([0.0, 1e-11, 1e-3, 2.0], 40), rng.choice([4.0, 8.0], 40)
    gain, predicted = rng.normal(size=40), rng.uniform(0.0, 1.0, 40)

    looser, (tighter, faster) = loosened(damping, gain, predicted), tightened(damping, growth)

    for number in range(40):
        assert looser[number] == pytest.approx(loosened(damping[number], gain[number], predicted[number]), rel=1e-14)
        assert (tighter[number], faster[number]) == tightened(damping[number], growth[number])
