"""The whole fit: the removal of the penalty's bias, the choice by AIC, known pi, and weights."""

from dataclasses import replace

import numpy as np
import pytest

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.engines import MemoryEngine
from pugam.solvers import PiPrior, PiRange, Settings, edf, fit_smoothed
from pugam.solvers.debiasing import correct_bias
from pugam.solvers.strategy import STAGES


def fit(problem, engine=None, **options):
    settings = Settings(**{"smoothing": np.full(len(problem.design.penalties), 1e-2), **options})
    return fit_smoothed(engine or problem.engine, problem.design, settings, np.random.default_rng(0))


@pytest.fixture(scope="module")
def problem(make_problem):
    return make_problem(2, n0=600, n=900, seed=2)


@pytest.mark.parametrize("prior", [PiPrior(), PiPrior(1.0, 1.0)], ids=["flat", "weak"])
def test_debiasing_moves_pi_by_the_estimated_bias_and_by_what_that_leaves(problem, prior):
    plain, debiased = (fit(problem, prior=prior, debias=debias, tol=1e-8) for debias in (False, True))
    optimum, penalty = plain.optimum, problem.design.penalty(plain.kappas)
    pull = np.diag(np.concatenate([[0.0, 0.0], penalty]))
    objective = problem.objective(plain.kappas, prior)
    at = objective.evaluate(optimum.beta[None])
    hessian = at.information[0] + np.diag(at.curvature[0])
    first = np.linalg.solve(hessian, pull @ optimum.beta)
    step = first + np.linalg.solve(hessian, pull @ first)

    assert not plain.debiased
    assert debiased.debiased
    assert debiased.penalized.pi == pytest.approx(optimum.pi, abs=1e-9)
    assert debiased.optimum.beta[0] == pytest.approx(optimum.beta[0] + step[0], abs=1e-6)
    assert abs(step[0]) > 0.05


def test_debiasing_refits_the_curves_at_the_corrected_pi(problem):
    debiased = fit(problem, tol=1e-8)
    objective = problem.objective(debiased.kappas)

    gradient = objective.evaluate(debiased.optimum.beta[None]).gradient[0]

    np.testing.assert_allclose(gradient[1:], 0.0, atol=1e-4)
    assert np.abs(gradient[0]) > 1e-2
    assert debiased.converged


def test_nothing_is_corrected_where_nothing_is_penalised(make_problem):
    linear = fit(make_problem(1, n0=450, n=600, terms="linear"))

    assert not linear.debiased
    assert linear.optimum is linear.penalized


SMOOTHINGS = {"reml": "reml", "aic": "aic", "given": np.full(5, 1e-2)}


@pytest.mark.parametrize(
    ("solver", "smoothing"),
    [
        *(pytest.param("newton", smoothing, id=f"{name}-newton") for name, smoothing in SMOOTHINGS.items()),
        pytest.param("em", SMOOTHINGS["given"], id="given-em"),
        *(pytest.param("em", name, marks=pytest.mark.long, id=f"{name}-em") for name in ("reml", "aic")),
    ],
)
def test_a_known_pi_stays_known_whatever_else_is_chosen(problem, solver, smoothing):
    known = fit(problem, smoothing=smoothing, solver=solver, pi_range=PiRange(0.3, 0.3), n_starts=2, grid=(1e-1, 1e-3))

    assert known.optimum.pi == pytest.approx(0.3, rel=1e-12)
    assert not known.debiased
    assert all(record.pi == pytest.approx(0.3, rel=1e-12) for record in known.starts)


@pytest.mark.parametrize(("pi_range", "bound"), [(PiRange(0.05, 0.1), 0.1), (PiRange(0.8, 0.9), 0.8)])
def test_a_bound_is_kept_and_not_corrected_away(problem, pi_range, bound):
    bounded = fit(problem, smoothing="reml", pi_range=pi_range)

    assert bounded.optimum.pi == pytest.approx(bound, rel=1e-9)
    assert not bounded.debiased


def test_aic_keeps_the_candidate_of_the_lowest_criterion(problem):
    grid = (1e2, 1e-1, 1e-3, 1e-4)
    criteria = []
    for kappa in grid:
        single = fit(problem, smoothing=np.full(5, kappa), debias=False).optimum
        criteria.append(-2.0 * single.loglik + 2.0 * edf(single))

    chosen = fit(problem, smoothing="aic", grid=grid, debias=False)

    np.testing.assert_array_equal(chosen.kappas, grid[int(np.argmin(criteria))])
    assert 0 < np.argmin(criteria) < len(grid) - 1
    assert {record.kappa for record in chosen.starts} == set(grid)


def test_the_fit_is_the_best_of_its_starts(problem):
    single = fit(problem, debias=False)

    assert len(single.starts) == 12
    assert single.optimum.value >= max(record.objective for record in single.starts) - 1e-9


@pytest.mark.parametrize("smoothing", ["reml", np.full(5, 1e-2)], ids=["reml", "given"])
def test_whole_weights_are_repeated_rows(make_problem, smoothing):
    problem = make_problem(2, n0=300, n=450, seed=3)
    engine, counts = problem.engine, np.random.default_rng(1).integers(1, 4, 450)
    weighted = MemoryEngine(problem.design, engine.encoded, engine.positive, counts.astype(float))
    rows = np.repeat(np.arange(450), counts)
    repeated = MemoryEngine(problem.design, [values[rows] for values in engine.encoded], engine.positive[rows])

    one, other = (fit(problem, engine=each, smoothing=smoothing, tol=1e-8) for each in (weighted, repeated))

    assert one.optimum.pi == pytest.approx(other.optimum.pi, abs=1e-6)
    np.testing.assert_allclose(one.kappas, other.kappas, rtol=1e-4)
    np.testing.assert_allclose(one.optimum.beta, other.optimum.beta, atol=1e-4)


@pytest.mark.parametrize("setting", [3, *(pytest.param(setting, marks=pytest.mark.long) for setting in (1, 2))])
def test_the_share_of_positives_is_recovered(make_problem, setting):
    # At n0 = n1 = 1500 the estimate's standard deviation is below 0.03 in every setting.
    problem = make_problem(setting, n0=1500, n=3000, k=10, seed=7)
    hidden = problem.data.y[problem.data.z == 0].mean()

    estimate = fit(problem, smoothing="reml", prior=PiPrior(1.0, 1.0))

    assert estimate.converged
    assert estimate.optimum.pi == pytest.approx(hidden, abs=0.1)


def test_the_same_seed_gives_the_same_fit(problem):
    one, other = (fit(problem, smoothing="reml", n_starts=15) for _ in range(2))

    np.testing.assert_array_equal(one.optimum.beta, other.optimum.beta)
    assert one.starts == other.starts


def test_where_the_observed_information_is_indefinite_the_correction_goes_without_its_tangent(problem):
    settings = Settings(smoothing=np.full(len(problem.design.penalties), 1e-2))
    plain = fit(problem, debias=False)
    objective = problem.objective(plain.kappas)
    saddle = replace(plain, observed=-plain.observed)

    found = [correct_bias(one, objective, settings).optimum for one in (plain, saddle)]

    assert abs(found[0].pi - plain.optimum.pi) > 1e-3
    np.testing.assert_allclose(found[1].beta, found[0].beta, atol=1e-7)


def test_every_stage_says_what_it_is_for_and_what_earned_it_its_place():
    assert all(stage.purpose.endswith(".") and stage.earned for stage in STAGES)
    assert len({stage.name for stage in STAGES}) == len({stage.purpose for stage in STAGES}) == len(STAGES)


@pytest.mark.parametrize("options", [{"estimate": "mode"}, {"pi": 0.4}], ids=["mode", "pi given"])
def test_more_levels_of_a_random_effect_than_go_at_once_need_no_coarser_basis(options):
    data = simulate(1, n0=300, n=900, pi=0.4, random_state=0)
    X = data.X[["x1"]].assign(clinic=[f"c{number % 160}" for number in range(900)])

    model = PUGAM("s(x1) + r(clinic)", shrinkage="never", check=False, **options).fit(X, data.z)

    assert model.converged_
    assert len(model.effect("clinic")) == 160
