"""Smoothing parameters: the REML fixed point, the criterion behind it, and degrees of freedom."""

from dataclasses import replace

import numpy as np
import pytest

from pugam.data import read_table
from pugam.datasets import simulate
from pugam.engines import MemoryEngine
from pugam.linear_algebra import inverse
from pugam.solvers import Objective, PiPrior, PiRange, edf
from pugam.solvers.fisher import maximize_fisher
from pugam.solvers.optimum import best_of
from pugam.solvers.reml import select_reml
from pugam.solvers.smoothing import aic, edf_by_term, fellner_schall, log_marginal
from pugam.solvers.starts import fit_naively, make_starts
from pugam.terms import Design, s, te

FREE, FLAT = PiRange(), PiPrior()


def climb(objective, start=None, pi_range=FREE):
    """The optimum with its expected information and the inverse of the penalised one."""
    if start is None:
        starts = make_starts(
            objective.engine, fit_naively(objective, maximize_fisher), pi_range, 8, np.random.default_rng(0)
        )
    else:
        starts = start[None]
    optimum = best_of(maximize_fisher(objective, starts, pi_range, 1e-10, 300))
    at = objective.evaluate(optimum.beta[None])
    return optimum, at.information[0] + np.diag(at.curvature[0])


def select(problem, prior=FLAT):
    start, _ = climb(problem.objective(1e-2, prior))
    kappas = np.full(len(problem.design.penalties), 1e-2)
    return select_reml(problem.design, lambda at: problem.objective(at, prior), start.beta, kappas, FREE, edf_tol=1e-6)


def laplace_reml(problem, kappas, start):
    """The marginal likelihood by Laplace's method, up to a constant, with the expected information for the Hessian."""
    optimum, hessian = climb(problem.objective(kappas), start)
    ranks = np.array([len(penalty.columns) for penalty in problem.design.penalties])
    return optimum.value + 0.5 * ranks @ np.log(2.0 * kappas) - 0.5 * np.linalg.slogdet(hessian)[1]


def with_expected_information(objective, optimum):
    at = objective.evaluate(optimum.beta[None])
    return replace(optimum, information=at.information[0], curvature=at.curvature[0])


@pytest.fixture(scope="module")
def curved(make_problem):
    return make_problem(2, n0=900, n=1200, k=7, seed=1)


@pytest.mark.parametrize("prior", [PiPrior(), PiPrior(1.0, 1.0)], ids=["flat", "weak"])
@pytest.mark.parametrize("setting", [2, 3])
def test_selected_smoothing_is_a_fixed_point_of_the_update(make_problem, setting, prior):
    problem = make_problem(setting, n0=900, n=1200, k=7, seed=0)

    beta, kappas = select(problem, prior)

    optimum, hessian = climb(problem.objective(kappas, prior), beta)
    update = fellner_schall(problem.design, optimum, inverse(hessian), kappas)
    np.testing.assert_allclose(update, kappas, rtol=1e-3)
    np.testing.assert_allclose(beta, optimum.beta, atol=1e-2)


def test_selected_smoothing_nearly_maximises_the_marginal_likelihood(curved):
    # The update leaves out how the information changes with the curves, so the maximum is met approximately:
    # within a factor e in kappa, and within 0.1 in log marginal likelihood.
    beta, kappas = select(curved)
    here = laplace_reml(curved, kappas, beta)
    moves = np.array([-3.0, -2.0, -1.0, -0.5, 0.5, 1.0, 2.0, 3.0])

    for term in range(len(kappas)):
        factors = np.where(np.arange(len(kappas)) == term, np.exp(moves)[:, None], 1.0)
        gains = np.array([laplace_reml(curved, kappas * factor, beta) - here for factor in factors])
        assert gains.max() < 0.1
        assert (gains[np.abs(moves) >= 1.0] < 0.0).all()
        assert (gains[np.abs(moves) == 3.0] < -1.0).all()


def test_the_update_is_the_formula_of_wood_and_fasiolo(curved):
    kappas = np.array([1e-3, 1e-2, 1e-1, 1.0, 10.0])
    optimum, hessian = climb(curved.objective(kappas))
    covariance = np.linalg.inv(hessian)

    expected = []
    for kappa, basis, block in zip(kappas, curved.design.bases, curved.design.blocks, strict=True):
        S = np.diag(basis.penalties[0].diagonal)
        theta, V = optimum.beta[2:][block], covariance[2:, 2:][block, block]
        rank = len(theta) - 1
        expected.append(kappa * (rank / (2.0 * kappa) - np.trace(V @ S)) / (theta @ S @ theta))

    update = fellner_schall(curved.design, optimum, covariance, kappas)
    np.testing.assert_allclose(update, expected, rtol=1e-9)


@pytest.fixture(scope="module")
def surface():
    """A design in which two penalties share the columns of a term, and a third has its own."""
    data = simulate(2, n0=300, n=500, random_state=4)
    table = read_table(data.X)
    design = Design.resolve([te("x1", "x2", k=4), s("x3", k=6)], table)
    engine = MemoryEngine(design, design.encode(table), np.asarray(data.z) == 1)
    return design, lambda kappas: Objective(engine, design.penalty(kappas), FLAT)


@pytest.mark.parametrize("kappas", [(1e-3, 1e-3, 1e-2), (1e-1, 1e-4, 1.0), (3.0, 20.0, 1e-3)], ids=str)
def test_the_update_follows_the_criterion_where_penalties_share_columns(surface, kappas):
    """The criterion's derivative, information and parameters as they are, is what the update brings to zero."""
    design, at = surface
    kappas = np.array(kappas)
    assert np.count_nonzero(design.roughness[:2].all(axis=0)) == 4  # columns of both
    here, hessian = climb(at(kappas))
    here = replace(here, information=hessian - np.diag(here.curvature))
    update = fellner_schall(design, here, np.linalg.inv(hessian), kappas)
    bending = design.roughness @ here.theta**2

    def criterion(kappas):
        return log_marginal(design, here.repenalized(design.penalty(kappas)), kappas)

    for number, kappa in enumerate(kappas):
        step = 1e-5 * kappa * np.eye(len(kappas))[number]
        slope = (criterion(kappas + step) - criterion(kappas - step)) / (2e-5 * kappa)
        # update / kappa = room / bending, and the slope is room - bending.
        assert slope == pytest.approx((update[number] / kappa - 1.0) * bending[number], rel=1e-4, abs=1e-6 / kappa)


def test_a_straight_effect_is_smoothed_to_a_line_and_curved_ones_are_not(make_problem):
    # In Setting 3 the effect of x1 is linear, those of the other features are curved.
    problem = make_problem(3, n0=900, n=1200, k=7, seed=0)
    beta, kappas = select(problem)

    optimum, hessian = climb(problem.objective(kappas), beta)
    degrees = edf_by_term(problem.design, optimum, inverse(hessian))

    assert degrees[0] < 1.3
    assert (degrees[1:] > 2.0).all()


@pytest.mark.parametrize("kappa", [1e-6, 1e-2, 1.0, 1e4])
@pytest.mark.parametrize("setting", [1, 2])
def test_degrees_of_freedom_lie_between_those_of_lines_and_of_all_functions(make_problem, setting, kappa):
    problem = make_problem(setting, n0=450, n=600, seed=1)
    objective = problem.objective(kappa)
    optimum, hessian = climb(objective)
    by_term = edf_by_term(problem.design, optimum, inverse(hessian))

    total = edf(with_expected_information(objective, optimum))

    assert 2 + len(problem.design.bases) - 1e-6 < total < 2 + problem.design.n_columns + 1e-6
    assert by_term.sum() + 2.0 == pytest.approx(total, abs=1e-6)


def test_degrees_of_freedom_reach_both_ends(make_problem):
    problem = make_problem(2, n0=450, n=600, seed=1)
    totals = []
    for kappa in (1e8, 1e-10):
        objective = problem.objective(kappa)
        totals.append(edf(with_expected_information(objective, climb(objective)[0])))

    assert totals[0] == pytest.approx(2 + len(problem.design.bases), abs=1e-3)
    assert totals[1] == pytest.approx(2 + problem.design.n_columns, abs=0.5)


def test_a_known_pi_costs_no_degree_of_freedom(make_problem):
    problem = make_problem(1, n0=450, n=600, terms="linear")
    objective, known = problem.objective(0.0), PiRange(0.4, 0.4)
    optimum = with_expected_information(objective, climb(objective, pi_range=known)[0])

    assert edf(optimum) == pytest.approx(7.0, abs=1e-6)
    assert edf(optimum, free=slice(1, None)) == pytest.approx(6.0, abs=1e-6)
    assert aic(optimum, free=slice(1, None)) == pytest.approx(-2.0 * optimum.loglik + 12.0, abs=1e-5)


def test_lines_have_no_smoothing_parameters(make_problem):
    problem = make_problem(1, n0=450, n=600, terms="linear")
    start, _ = climb(problem.objective(1.0))

    beta, kappas = select_reml(problem.design, problem.objective, start.beta, np.ones(0), FREE, 1e-6)

    assert problem.design.penalties == ()
    assert kappas.shape == (0,)
    np.testing.assert_allclose(beta, start.beta, atol=1e-4)
