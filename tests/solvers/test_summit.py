"""The last climb: it ends where nothing is left to gain, from near and from far, and never below its start."""

import numpy as np
import pytest

from pugam import PUGAM
from pugam.errors import PugamWarning
from pugam.solvers import Settings
from pugam.solvers.summit import reach_summit


@pytest.fixture(scope="module")
def objective(make_problem):
    problem = make_problem(2, n0=600, n=900, seed=2)
    return problem.objective(np.full(len(problem.design.penalties), 1e-2))


def summit(objective, start, near=False):
    settings = Settings(smoothing=np.array([]))
    return reach_summit(objective, start, settings.pi_range, settings, near)


@pytest.fixture(scope="module")
def top(objective):
    start = objective.layout.join(0.0, 0.0, np.zeros(objective.layout.n_coefficients))
    start[objective.layout.coefficients] += 0.1 * np.random.default_rng(1).standard_normal(len(objective.penalty))
    return summit(objective, start)


@pytest.mark.parametrize("near", [False, True])
@pytest.mark.parametrize("distance", [1e-6, 1e-3, 1e-1, 1.0])
def test_it_ends_at_the_same_place_from_wherever_it_begins(objective, top, distance, near):
    push = np.random.default_rng(0).standard_normal(len(top.beta)) / np.sqrt(top.hessian.diagonal())

    found = summit(objective, top.beta + distance * push, near)

    assert found.converged
    np.testing.assert_allclose(found.beta, top.beta, rtol=0, atol=1e-8 * (1.0 + np.abs(top.beta).max()))
    assert not found.observed


def test_a_start_seen_before_is_one_step_nearer(objective, top):
    start = top.beta + 0.1 / np.sqrt(top.hessian.diagonal())
    settings = Settings(smoothing=np.array([]))
    (seen,) = objective.stand([start])

    found = reach_summit(objective, start, settings.pi_range, settings, near=True, seen=seen)

    np.testing.assert_allclose(found.beta, top.beta, rtol=0, atol=1e-8 * (1.0 + np.abs(top.beta).max()))


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
def test_it_does_not_leap_onto_a_plateau(seed):
    """Where few rows separate the labels, a full step may end where all rows are saturated and no gradient is left."""
    rng, n0, n1 = np.random.default_rng(seed), 100, 300
    X = rng.standard_normal((n0 + n1, 40))
    X[: n0 + round(0.3 * n1), :2] += 3.0

    with pytest.warns(PugamWarning):
        model = PUGAM(" + ".join(f"x{number}" for number in range(40)), shrinkage="never").fit(
            X, np.arange(len(X)) < n0
        )

    assert model.loglik_ > -200.0
