"""Starts: spread over pi and steepness, with an intercept that agrees with pi."""

import numpy as np
import pytest

from pugam.data import read_table
from pugam.engines import MemoryEngine
from pugam.solvers import GRID_SIZE, Objective, PiRange
from pugam.solvers.fisher import maximize_fisher
from pugam.solvers.starts import fit_naively, make_starts
from pugam.terms import Design, s

FREE = PiRange()


def starts_of(objective, pi_range=FREE, n_starts=GRID_SIZE, seed=0):
    return make_starts(
        objective.engine, fit_naively(objective, maximize_fisher), pi_range, n_starts, np.random.default_rng(seed)
    )


def shares(starts):
    return 1.0 / (1.0 + np.exp(-starts[:, 0]))


def steepness(starts):
    return np.linalg.norm(starts[:, 2:], axis=1)


@pytest.fixture(scope="module", params=[1, 2, 3])
def objective(request, make_problem):
    return make_problem(request.param, n0=600, n=900, seed=request.param).objective(1e-1)


def test_starts_differ_in_pi_and_in_steepness(objective):
    starts = starts_of(objective)

    assert starts.shape == (GRID_SIZE, 2 + len(objective.penalty))
    assert shares(starts).min() < 0.3
    assert shares(starts).max() > 0.9
    assert steepness(starts).max() > 4.0 * steepness(starts).min() > 0.0
    for share in np.unique(shares(starts)):
        assert np.ptp(steepness(starts[shares(starts) == share])) > steepness(starts).min()


def test_the_first_starts_already_differ_in_pi(objective):
    assert np.ptp(shares(starts_of(objective, n_starts=4))) > 0.5


def test_starts_share_the_direction_in_which_the_labels_point(objective):
    starts = starts_of(objective)
    directions = starts[:, 2:] / steepness(starts)[:, None]

    np.testing.assert_allclose(directions, np.broadcast_to(directions[0], directions.shape), atol=1e-9)


@pytest.mark.parametrize("pi_range", [FREE, PiRange(0.05, 0.3), PiRange(0.4, 0.4)])
def test_posteriors_average_to_about_pi(objective, pi_range):
    starts = starts_of(objective, pi_range)
    engine = objective.engine

    means = engine.expectation(shares(starts), starts[:, 1:]).hidden_positives / engine.n1

    np.testing.assert_allclose(means, shares(starts), atol=0.1)


def test_starts_stay_within_bounds(objective):
    inside = shares(starts_of(objective, PiRange(0.2, 0.3), n_starts=30))

    assert (inside > 0.2).all()
    assert (inside < 0.3).all()
    assert np.ptp(inside) > 0.05


def test_starts_with_a_known_pi_differ_in_steepness_alone(objective):
    starts = starts_of(objective, PiRange(0.35, 0.35))

    assert len(starts) > 1
    np.testing.assert_allclose(shares(starts), 0.35, rtol=1e-12)
    assert len(np.unique(steepness(starts).round(9))) == len(starts)


def test_starts_beyond_the_grid_are_random_and_repeatable(objective):
    grid = starts_of(objective)
    some, same, others = (starts_of(objective, n_starts=20, seed=seed) for seed in (1, 1, 2))

    assert len(some) == 20
    np.testing.assert_allclose(some[:GRID_SIZE], grid)
    np.testing.assert_array_equal(some, same)
    assert (np.abs(some[GRID_SIZE:, 0] - others[GRID_SIZE:, 0]) > 1e-6).all()
    directions = some[GRID_SIZE:, 2:] / steepness(some[GRID_SIZE:])[:, None]
    assert np.linalg.norm(directions[0] - directions[1]) > 1e-3


def test_starts_are_calibrated_on_many_heavy_tailed_columns_too():
    rng = np.random.default_rng(0)
    y = rng.random(800) < 0.6
    X = np.exp(2.5 * (rng.normal(size=(800, 30)) + 0.5 * y[:, None]))
    table = read_table(X)
    design = Design.resolve([s(name, k=4) for name in table.names], table)
    engine = MemoryEngine(design, design.encode(table), y & (rng.random(800) < 0.6))
    objective = Objective(engine, design.penalty(np.ones(30)))

    starts = starts_of(objective)

    mean_posterior = engine.expectation(shares(starts), starts[:, 1:]).hidden_positives / engine.n1
    np.testing.assert_allclose(mean_posterior, shares(starts), atol=0.1)
