"""Steps are as long as the quadratic model can be trusted, one by one and in batches."""

from dataclasses import replace

import numpy as np
import pytest

from pugam.layout import Layout
from pugam.solvers.pi import PiRange
from pugam.solvers.standpoint import Standpoint
from pugam.solvers.steps import bounded_step, bounded_steps, fixed_shares, least_value, shortened

LAYOUT, RANGE = Layout((2,)), PiRange(0.1, 0.8)
LOW, HIGH = RANGE.logits


def standing(beta, gradient, hessian, observed=False):
    nothing = np.zeros(len(beta))
    beta, gradient, hessian = (np.asarray(part, dtype=float) for part in (beta, gradient, hessian))
    return Standpoint(beta, 0.0, 0.0, gradient, hessian, nothing, observed, LAYOUT)


def test_a_short_step_inside_is_newtons():
    root = np.random.default_rng(0).normal(size=(4, 6))
    here = standing([0.0, 1.0, 2.0, 3.0], [0.1, -0.2, 0.3, 0.4], root @ root.T)

    np.testing.assert_allclose(bounded_step(here, RANGE).move, np.linalg.solve(here.hessian, here.gradient), rtol=1e-9)


@pytest.mark.parametrize(
    ("logit_pi", "slope", "held"),
    [(LOW, -1.0, True), (LOW, 1.0, False), (HIGH, 1.0, True), (HIGH, -1.0, False), (0.0, 1.0, False)],
)
def test_pi_is_held_at_an_end_only_where_it_is_pushed_outwards(logit_pi, slope, held):
    beta, gradient = np.array([logit_pi, 0.0, 1.0, 1.0]), np.array([slope, 1.0, 1.0, 1.0])

    assert fixed_shares(LAYOUT, beta, gradient, RANGE) == held
    assert fixed_shares(LAYOUT, beta, gradient, PiRange(0.4, 0.4))
    assert (bounded_step(standing(beta, gradient, np.eye(4)), RANGE).move[0] == 0.0) == held


def test_a_held_pi_leaves_the_step_of_the_others_as_if_it_were_known():
    root = np.random.default_rng(1).normal(size=(4, 6))
    here = standing([LOW, 1.0, 2.0, 3.0], [-0.1, -0.2, 0.3, 0.4], root @ root.T)

    step = bounded_step(here, RANGE).move

    np.testing.assert_allclose(step[1:], np.linalg.solve(here.hessian[1:, 1:], here.gradient[1:]), rtol=1e-9)


def test_pi_never_leaves_its_range_and_no_step_is_longer_than_is_trusted():
    here = standing([0.0, 1.0, 2.0, 3.0], [1.9, 0.0, 0.0, 0.0], np.eye(4))
    assert bounded_step(here, RANGE).move[0] == pytest.approx(HIGH)

    steps = shortened(LAYOUT, here.beta, np.array([4.0, 84.0, 8.0, -8.0]), False, PiRange())
    np.testing.assert_allclose(steps, [1.0, 21.0, 2.0, -2.0])  # 20 + |a| for the intercept, 2 for logit pi


def test_indefinite_observed_information_gives_no_step():
    here = standing([0.0, 1.0, 2.0, 3.0], np.ones(4), np.diag([1.0, -1.0, 1.0, 1.0]), observed=True)

    definite = standing(here.beta, here.gradient, np.eye(4), observed=True)

    none, step = bounded_steps([here, definite], RANGE, [0.0, 0.0])

    assert none is None
    np.testing.assert_allclose(step.move, bounded_step(definite, RANGE).move)


def test_damping_makes_steps_shorter():
    here = standing([0.0, 1.0, 2.0, 3.0], np.ones(4), np.diag([1.0, 2.0, 3.0, 4.0]))

    whole, half = bounded_steps([here, here], PiRange(), [0.0, 1.0])

    np.testing.assert_allclose(half.move, 0.5 * whole.move, rtol=1e-9)


def test_a_batch_of_steps_is_that_of_each():
    rng = np.random.default_rng(2)
    beta, steps, gradient = (rng.normal(scale=scale, size=(50, 4)) for scale in (1.5, 9.0, 1.0))
    held = fixed_shares(LAYOUT, beta, gradient, RANGE)
    together = shortened(LAYOUT, beta, steps, held, RANGE)

    assert 0 < held.sum() < 50
    for number in range(50):
        assert fixed_shares(LAYOUT, beta[number], gradient[number], RANGE) == held[number]
        alone = shortened(LAYOUT, beta[number], steps[number], held[number], RANGE)
        np.testing.assert_array_equal(alone, together[number])


def test_a_step_has_to_gain_a_tenth_of_what_it_promises():
    assert least_value(-100.0, 5.0) == pytest.approx(-99.5, abs=1e-9)
    assert least_value(-100.0, 0.0) < -100.0  # by what rounding can cause


def test_a_step_keeps_to_the_constraints_and_promises_what_the_parabola_does():
    rng = np.random.default_rng(3)
    root = rng.normal(size=(6, 4))
    here = replace(
        standing([0.0, 0.1, 0.0, 0.4], np.array([0.3, 0.2, -0.5, -1.0]), root.T @ root),
        constraints=np.eye(4)[2:],
    )

    move, gain = bounded_step(here, PiRange())

    assert (here.beta + move)[2:] == pytest.approx([0.0, 0.0], abs=1e-12)
    assert gain == pytest.approx(here.gradient @ move - 0.5 * move @ here.hessian @ move)


def test_nothing_is_promised_at_a_constrained_optimum():
    here = replace(
        standing([0.0, 0.0, 0.0, 2.0], np.array([0.0, 0.0, -3.0, 0.0]), np.eye(4)), constraints=np.eye(4)[2:]
    )

    move, gain = bounded_step(here, PiRange())

    np.testing.assert_allclose(move, 0.0, atol=1e-12)
    assert gain == pytest.approx(0.0, abs=1e-12)


def test_a_step_made_shorter_stays_within_the_constraints():
    far = np.array([0.0, 1000.0, -50.0, 5.0])
    here = replace(standing(np.zeros(4), far, np.eye(4)), constraints=np.eye(4)[2:])

    move, gain = bounded_step(here, PiRange())

    assert move[1] == pytest.approx(20.0)
    assert move[2] == pytest.approx(0.0, abs=1e-12)
    assert 0.0 < gain == pytest.approx(0.5 * here.gradient @ move)
