"""Damped Fisher scoring: always upwards, from any start, to a point where nothing is left to gain."""

import numpy as np
import pytest

from pugam.layout import Layout
from pugam.solvers import TUNING, PiPrior, PiRange, Standpoint
from pugam.solvers.em import maximize_em
from pugam.solvers.fisher import maximize_fisher
from pugam.solvers.objective import Objective
from pugam.solvers.optimum import best_of
from pugam.solvers.starts import fit_naively, make_starts

FREE = PiRange()
CASES = [(1, 1.0), (2, 1e-2), (3, 1e-3), (2, 1e-6)]


def good_starts(objective, pi_range=FREE, n_starts=6):
    return make_starts(
        objective.engine, fit_naively(objective, maximize_fisher), pi_range, n_starts, np.random.default_rng(0)
    )


def bad_starts(objective, seed):
    """Random curves of any direction, pi next to zero and to one, the flat curve, and the best direction reversed."""
    rng = np.random.default_rng(seed)
    wild = rng.normal(size=(6, 2 + len(objective.penalty))) * [[1.0], [1.0], [3.0], [3.0], [6.0], [6.0]]
    reversed_start = good_starts(objective)[0] * -1.0
    ends = np.zeros((2, len(reversed_start)))
    ends[:, 0] = -9.0, 9.0
    return np.vstack([wild, ends, np.zeros_like(reversed_start), reversed_start])


def climb(objective, pi_range=FREE, tol=1e-8):
    return best_of(maximize_fisher(objective, good_starts(objective, pi_range), pi_range, tol, 300))


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"setting{case[0]}-kappa{case[1]:g}")
def objective(request, make_problem):
    setting, kappa = request.param
    return make_problem(setting, n0=450, n=600, seed=setting).objective(kappa)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2))])
def test_no_step_goes_down_from_good_or_bad_starts(objective, seed):
    starts = np.vstack([good_starts(objective), bad_starts(objective, seed)])

    optima = maximize_fisher(objective, starts, FREE, 1e-6, 100)

    for optimum in optima:
        assert len(optimum.history) > 1
        assert min(np.diff(optimum.history)) >= -1e-9
        assert optimum.value >= optimum.history[0]


def test_value_and_likelihood_are_those_at_the_point_returned(objective):
    for optimum in maximize_fisher(objective, good_starts(objective), FREE, 1e-6, 100):
        at = objective.evaluate(optimum.beta[None])
        assert optimum.value == pytest.approx(at.value[0], rel=1e-12)
        assert optimum.loglik == pytest.approx(at.loglik[0], rel=1e-12)


def test_gradient_vanishes_at_the_optimum(objective):
    optimum = climb(objective)
    at = objective.evaluate(optimum.beta[None])
    standard_errors = np.sqrt(np.diag(np.linalg.inv(at.information[0] + np.diag(at.curvature[0]))))
    step = 1e-3 * standard_errors

    ahead, behind = (objective.evaluate(optimum.beta + sign * np.diag(step)).value for sign in (1.0, -1.0))
    numeric = (ahead - behind) / 2e-3

    assert optimum.converged
    # In units of standard errors: a move by one of them would gain no more than this.
    np.testing.assert_allclose(at.gradient[0] * standard_errors, 0.0, atol=1e-6)
    np.testing.assert_allclose(numeric, 0.0, atol=1e-4)


def test_the_optimum_is_a_maximum(objective):
    at = objective.evaluate(climb(objective).beta[None], observed=True)

    assert np.linalg.eigvalsh(at.information[0] + np.diag(at.curvature[0])).min() > 0.0


def test_starts_that_join_on_the_way_end_at_the_same_place_as_alone(objective):
    starts = good_starts(objective)

    together = maximize_fisher(objective, starts, FREE, 1e-8, 300)
    alone = [maximize_fisher(objective, start[None], FREE, 1e-8, 300)[0] for start in starts]

    np.testing.assert_allclose([x.pi for x in together], [x.pi for x in alone], atol=1e-6)
    np.testing.assert_allclose([x.value for x in together], [x.value for x in alone], atol=1e-7)


def test_a_limit_on_the_iterations_is_kept_and_reported(objective):
    optimum = maximize_fisher(objective, good_starts(objective, n_starts=1), FREE, 1e-10, 2)[0]

    assert optimum.n_iter == 2
    assert not optimum.converged


def test_starts_are_not_written_to(objective):
    starts = good_starts(objective)
    before = starts.copy()

    maximize_fisher(objective, starts, FREE, 1e-4, 20)

    np.testing.assert_array_equal(starts, before)


# Where pi may lie


@pytest.fixture(scope="module")
def determined(make_problem):
    """Data that determine pi well: its free optimum lies near 0.4."""
    return make_problem(1, n0=600, n=1200, terms="linear", seed=5)


def test_a_known_pi_stays_exactly_where_it_is(determined):
    objective, known = determined.objective(0.0), PiRange(0.25, 0.25)
    starts = good_starts(objective, known)

    for start, optimum in zip(starts, maximize_fisher(objective, starts, known, 1e-8, 200), strict=True):
        assert optimum.beta[0] == start[0]
        assert optimum.pi == pytest.approx(0.25, rel=1e-14)
        np.testing.assert_allclose(objective.evaluate(optimum.beta[None]).gradient[0, 1:], 0.0, atol=1e-5)


@pytest.mark.parametrize(("pi_range", "bound"), [(PiRange(0.05, 0.2), 0.2), (PiRange(0.6, 0.9), 0.6)])
def test_the_bound_next_to_the_free_optimum_is_found(determined, pi_range, bound):
    objective = determined.objective(0.0)
    assert 0.3 < climb(objective).pi < 0.5

    bounded = climb(objective, pi_range)
    known = climb(objective, PiRange(bound, bound))

    assert bounded.converged
    assert bounded.pi == pytest.approx(bound, rel=1e-9)
    assert bounded.value == pytest.approx(known.value, abs=1e-7)
    np.testing.assert_allclose(bounded.beta[1:], known.beta[1:], atol=1e-4)


def test_no_point_on_the_way_leaves_the_range(determined):
    objective, pi_range = determined.objective(0.0), PiRange(0.5, 0.7)
    starts = np.vstack([good_starts(objective), bad_starts(objective, 0)])

    for max_iter in (0, 1, 2, 3, 5, 50):
        for optimum in maximize_fisher(objective, starts, pi_range, 1e-6, max_iter):
            assert 0.5 - 1e-12 <= optimum.pi <= 0.7 + 1e-12


def test_a_range_that_holds_the_free_optimum_changes_nothing(determined):
    objective = determined.objective(0.0)

    assert climb(objective, PiRange(0.2, 0.8)).pi == pytest.approx(climb(objective).pi, abs=1e-7)


def test_a_prior_draws_pi_to_its_side(determined):
    flat = climb(determined.objective(0.0)).pi
    up, down = (climb(determined.objective(0.0, PiPrior(*ends))).pi for ends in ((50.0, 0.0), (0.0, 50.0)))
    overwhelming = climb(determined.objective(0.0, PiPrior(3e6, 7e6))).pi

    assert down < flat - 0.005
    assert up > flat + 0.005
    assert overwhelming == pytest.approx(0.3, abs=1e-3)


@pytest.mark.parametrize("maximize", [maximize_fisher, pytest.param(maximize_em, marks=pytest.mark.long)])
def test_climbs_with_different_penalties_side_by_side_end_where_they_end_alone(make_problem, maximize):
    problem = make_problem(2, n0=450, n=600)
    objectives = [problem.objective(np.full(5, kappa)) for kappa in (1.0, 1e-2)]
    starts = [good_starts(objective, n_starts=number) for objective, number in zip(objectives, (2, 3), strict=True)]

    together = Objective.side_by_side(objectives, [2, 3])
    optima = maximize(together, np.vstack(starts), FREE, 1e-8, 2000)

    alone = [
        optimum
        for objective, some in zip(objectives, starts, strict=True)
        for optimum in maximize(objective, some, FREE, 1e-8, 2000)
    ]
    np.testing.assert_allclose([one.pi for one in optima], [one.pi for one in alone], atol=1e-6)
    np.testing.assert_allclose([one.value for one in optima], [one.value for one in alone], atol=1e-6)
    assert abs(optima[0].pi - optima[-1].pi) > 1e-3  # the two penalties lead to different places


class Slope:
    """A straight slope up which every Newton step is equally short: its information is far too large."""

    layout, constraints = Layout((1,)), np.zeros((0, 0))

    def __init__(self, gain):
        self.gain = gain  # that a step is thought to have; along a straight slope it has twice as much

    def of_climbs(self, numbers):
        return self

    def stand(self, betas, observed=False):
        rise, size = np.array([0.0, 0.0, 1.0]), 0.5 / self.gain
        return [
            Standpoint(beta, beta[2], beta[2], rise, size * np.eye(3), np.zeros(3), observed, self.layout)
            for beta in betas
        ]


@pytest.mark.parametrize(("gain", "most"), [(1e-6, 20), (1e-4, 100)])
def test_a_climb_that_creeps_on_less_than_the_tolerance_ends(gain, most):
    (found,) = maximize_fisher(Slope(gain), np.zeros((1, 3)), PiRange(0.5, 0.5), 1e-5, 100, TUNING.longest_creep)

    assert not found.converged
    assert found.n_iter <= most
    assert found.value == pytest.approx(2.0 * gain * found.n_iter)
    assert gain < 1e-5 or found.n_iter == 100
