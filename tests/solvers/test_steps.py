"""Steps are as long as the quadratic model can be trusted, one by one and in batches."""

import numpy as np
import pytest

from pugam.layout import Layout
from pugam.solvers.pi import PiRange
from pugam.solvers.standpoint import Standpoint
from pugam.solvers.steps import bounded_step, bounded_steps, held_shares, least_value, shortened

LAYOUT, RANGE = Layout((2,)), PiRange(0.1, 0.8)
LOW, HIGH = RANGE.logits


def standing(beta, gradient, hessian, observed=False):
    nothing = np.zeros(len(beta))
    beta, gradient, hessian = (np.asarray(part, dtype=float) for part in (beta, gradient, hessian))
    return Standpoint(beta, 0.0, 0.0, gradient, hessian, nothing, observed, LAYOUT)


def test_a_short_step_inside_is_newtons():
    root = np.random.default_rng(0).normal(size=(4, 6))
    here = standing([0.0, 1.0, 2.0, 3.0], [0.1, -0.2, 0.3, 0.4], root @ root.T)

    np.testing.assert_allclose(bounded_step(here, RANGE), np.linalg.solve(here.hessian, here.gradient), rtol=1e-9)


@pytest.mark.parametrize(
    ("logit_pi", "slope", "held"),
    [(LOW, -1.0, True), (LOW, 1.0, False), (HIGH, 1.0, True), (HIGH, -1.0, False), (0.0, 1.0, False)],
)
def test_pi_is_held_at_an_end_only_where_it_is_pushed_outwards(logit_pi, slope, held):
    beta, gradient = np.array([logit_pi, 0.0, 1.0, 1.0]), np.array([slope, 1.0, 1.0, 1.0])

    assert held_shares(LAYOUT, beta, gradient, RANGE) == held
    assert held_shares(LAYOUT, beta, gradient, PiRange(0.4, 0.4))
    assert (bounded_step(standing(beta, gradient, np.eye(4)), RANGE)[0] == 0.0) == held


def test_a_held_pi_leaves_the_step_of_the_others_as_if_it_were_known():
    root = np.random.default_rng(1).normal(size=(4, 6))
    here = standing([LOW, 1.0, 2.0, 3.0], [-0.1, -0.2, 0.3, 0.4], root @ root.T)

    step = bounded_step(here, RANGE)

    np.testing.assert_allclose(step[1:], np.linalg.solve(here.hessian[1:, 1:], here.gradient[1:]), rtol=1e-9)


def test_pi_never_leaves_its_range_and_no_step_is_longer_than_is_trusted():
    here = standing([0.0, 1.0, 2.0, 3.0], [1.9, 0.0, 0.0, 0.0], np.eye(4))
    assert bounded_step(here, RANGE)[0] == pytest.approx(HIGH)

    steps = shortened(LAYOUT, here.beta, np.array([4.0, 84.0, 8.0, -8.0]), False, PiRange())
    np.testing.assert_allclose(steps, [1.0, 21.0, 2.0, -2.0])  # 20 + |a| for the intercept, 2 for logit pi


def test_indefinite_observed_information_gives_no_step():
    here = standing([0.0, 1.0, 2.0, 3.0], np.ones(4), np.diag([1.0, -1.0, 1.0, 1.0]), observed=True)

    definite = standing(here.beta, here.gradient, np.eye(4), observed=True)

    none, step = bounded_steps([here, definite], RANGE, [0.0, 0.0])

    assert none is None
    np.testing.assert_allclose(step, bounded_step(definite, RANGE))


def test_damping_makes_steps_shorter():
    here = standing([0.0, 1.0, 2.0, 3.0], np.ones(4), np.diag([1.0, 2.0, 3.0, 4.0]))

    whole, half = bounded_steps([here, here], PiRange(), [0.0, 1.0])

    np.testing.assert_allclose(half, 0.5 * whole, rtol=1e-9)


def test_a_batch_of_steps_is_that_of_each():
    rng = np.random.default_rng(2)
    beta, steps, gradient = (rng.normal(scale=scale, size=(50, 4)) for scale in (1.5, 9.0, 1.0))
    held = held_shares(LAYOUT, beta, gradient, RANGE)
    together = shortened(LAYOUT, beta, steps, held, RANGE)

    assert 0 < held.sum() < 50
    for number in range(50):
        assert held_shares(LAYOUT, beta[number], gradient[number], RANGE) == held[number]
        alone = shortened(LAYOUT, beta[number], steps[number], held[number], RANGE)
        np.testing.assert_array_equal(alone, together[number])


def test_a_step_has_to_gain_a_tenth_of_what_it_promises():
    assert least_value(-100.0, 5.0) == pytest.approx(-99.5, abs=1e-9)
    assert least_value(-100.0, 0.0) < -100.0  # by what rounding can cause
