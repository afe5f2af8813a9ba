"""Fits whose curves have a shape: against a general-purpose optimiser, by both solvers, with pi known and not."""

import numpy as np
import pytest
from scipy.optimize import minimize

from pugam.linear_algebra import inverse
from pugam.solvers import Fitted, PiPrior, PiRange, Settings, fit_smoothed, refit_resamples
from pugam.solvers.em import maximize_em
from pugam.solvers.fisher import maximize_fisher
from pugam.solvers.optimum import best_of
from pugam.solvers.smoothing import edf_by_term
from pugam.solvers.starts import fit_naively, make_starts

FREE, KNOWN, ALMOST_ZERO = PiRange(), PiRange(0.4, 0.4), PiRange(1e-9, 1e-9)
WEAK = PiPrior(1.0, 1.0)
SHAPES = {
    "one": {"x1": "increasing"},
    "several": {"x1": "increasing", "x2": "convex", "x3": "decreasing", "x4": "concave"},
}


@pytest.fixture(scope="module", params=SHAPES)
def problem(request, make_problem):
    return make_problem(2, n0=450, n=600, k=8, seed=3, shapes=SHAPES[request.param])


def climb(objective, pi_range, maximize=maximize_fisher, tol=1e-10, max_iter=500):
    naive = fit_naively(objective, maximize_fisher)
    starts = make_starts(objective.engine, naive, pi_range, 4, np.random.default_rng(0))
    return best_of(maximize(objective, starts, pi_range, tol, max_iter))


def optimise(objective, start, pi_range):
    """Maximise by SLSQP, in coordinates in which the Hessian is about the identity; return the linear predictors."""
    rows, share = objective.constraints, objective.layout.share
    (here,) = objective.stand([start])
    root = np.linalg.cholesky(inverse(here.hessian))
    moving = slice(1 if pi_range.fixed else 0, None)

    def place(y):
        beta = start + root @ y
        if pi_range.fixed:
            beta[share] = start[share]
        return beta[None]

    found = minimize(
        lambda y: -float(objective.evaluate(place(y)).value[0]),
        np.zeros(len(start)),
        jac=lambda y: -root[moving].T @ objective.evaluate(place(y)).gradient[0][moving],
        constraints={"type": "ineq", "fun": lambda y: rows @ place(y)[0], "jac": lambda _: rows @ root},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    return place(found.x)[0], -found.fun


@pytest.mark.parametrize("kappa", [pytest.param(1e-4, marks=pytest.mark.long), 1e-2])
@pytest.mark.parametrize("pi_range", [FREE, KNOWN, ALMOST_ZERO], ids=["free", "known", "almost zero"])
def test_fits_are_those_of_a_general_purpose_optimiser(problem, pi_range, kappa):
    objective = problem.objective(kappa, WEAK)
    optimum = climb(objective, pi_range)
    rng = np.random.default_rng(1)
    nearby = optimum.beta + np.concatenate([[0.0], 0.1 * rng.standard_normal(len(optimum.beta) - 1)])

    beta, value = optimise(objective, nearby, pi_range)

    assert optimum.converged
    assert optimum.value == pytest.approx(value, abs=1e-6)
    ours, theirs = (problem.engine.linear_predictor(one[1:]) for one in (optimum.beta, beta))
    np.testing.assert_allclose(1.0 / (1.0 + np.exp(-ours)), 1.0 / (1.0 + np.exp(-theirs)), atol=1e-5)
    assert optimum.pi == pytest.approx(1.0 / (1.0 + np.exp(-beta[0])), abs=1e-5)


@pytest.mark.parametrize("pi_range", [FREE, KNOWN], ids=["free", "known"])
def test_conditions_for_a_constrained_optimum_hold(problem, pi_range):
    objective = problem.objective(1e-3, WEAK)

    optimum = climb(objective, pi_range)

    rows, active = optimum.constraints, optimum.active_constraints
    assert (rows @ optimum.beta).min() > -1e-9
    assert 0 < len(active) < len(rows)
    np.testing.assert_allclose(active @ optimum.beta, 0.0, atol=1e-9)
    others = slice(1, None)  # the gradient pushes against active constraints, and nowhere else
    pushes = np.linalg.lstsq(active[:, others].T, -optimum.gradient[others], rcond=None)[0]
    assert pushes.min() > 0.0
    np.testing.assert_allclose(active[:, others].T @ pushes, -optimum.gradient[others], atol=1e-4)
    if pi_range is FREE:
        assert optimum.gradient[0] == pytest.approx(0.0, abs=1e-4)


@pytest.mark.parametrize("problem", ["one", pytest.param("several", marks=pytest.mark.long)], indirect=True)
def test_both_solvers_reach_the_same_optimum(problem):
    objective = problem.objective(1e-2, WEAK)

    newton, em = (climb(objective, FREE, maximize, 1e-9, 5000) for maximize in (maximize_fisher, maximize_em))

    assert em.value == pytest.approx(newton.value, abs=1e-5)
    assert em.pi == pytest.approx(newton.pi, abs=1e-4)
    assert min(np.diff(em.history)) > -1e-9
    assert (em.constraints @ em.beta).min() > -1e-9


def test_starts_outside_the_constraints_are_brought_inside(problem):
    objective = problem.objective(1e-2, WEAK)
    wild = np.random.default_rng(0).normal(size=(5, objective.layout.size))

    for optimum in maximize_fisher(objective, wild, FREE, 1e-6, 200):
        assert (optimum.constraints @ optimum.beta).min() > -1e-9
        assert min(np.diff(optimum.history), default=0.0) >= -1e-9


def test_degrees_of_freedom_count_the_directions_that_constraints_leave(problem):
    objective, design = problem.objective(1e-6), problem.design
    optimum = climb(objective, KNOWN)
    (expected,) = objective.stand([optimum.beta])

    degrees = edf_by_term(design, expected, expected.covariance(KNOWN))

    coefficients = design.layout.coefficients
    for found, block in zip(degrees, design.blocks, strict=True):
        own = expected.active_constraints[:, coefficients][:, block]
        left = block.stop - block.start - np.linalg.matrix_rank(own) if len(own) else block.stop - block.start
        assert left - 1.0 < found < left + 1e-6  # hardly smoothed


def test_data_against_the_shape_give_a_flat_curve(make_problem):
    problem = make_problem(1, n0=450, n=600, seed=3, shapes={"x1": "decreasing"})  # the truth is a rising line

    fit = fit_smoothed(problem.engine, problem.design, Settings("reml", prior=WEAK), np.random.default_rng(0))

    assert fit.converged
    np.testing.assert_allclose(fit.optimum.theta[problem.design.blocks[0]], 0.0, atol=1e-9)
    variances = fit.optimum.covariance(FREE).diagonal()[fit.optimum.layout.coefficients]
    np.testing.assert_allclose(variances[problem.design.blocks[0]], 0.0, atol=1e-12)


def test_without_active_constraints_a_fit_is_that_without_shapes(make_problem):
    shaped = make_problem(1, n0=900, n=1200, seed=3, shapes={"x2": "increasing"})
    plain = make_problem(1, n0=900, n=1200, seed=3)

    fits = [fit_smoothed(one.engine, one.design, Settings("reml"), np.random.default_rng(0)) for one in (shaped, plain)]

    assert len(fits[0].penalized.active_constraints) == 0
    np.testing.assert_allclose(fits[0].optimum.beta, fits[1].optimum.beta, atol=1e-5)
    np.testing.assert_allclose(fits[0].kappas, fits[1].kappas, rtol=1e-3)


def test_refits_to_resamples_keep_to_the_constraints(problem):
    settings = Settings("reml", prior=WEAK)
    fit = fit_smoothed(problem.engine, problem.design, settings, np.random.default_rng(0))
    counts = np.random.default_rng(1).multinomial(1, np.ones(3) / 3.0, (5, 600)).argmax(axis=2)

    refits = refit_resamples(Fitted(problem.engine, problem.design, settings, fit), counts)

    assert refits.converged.all()
    for beta in (*refits.beta, *refits.penalized):
        assert (fit.optimum.constraints @ beta).min() > -1e-9
    assert np.ptp(refits.beta[:, 0]) > 1e-3


def test_released_parameters_are_the_top_of_the_parabola_without_constraints(problem):
    objective = problem.objective(1e-3, WEAK)
    optimum = climb(objective, KNOWN)

    released = optimum.released()

    assert len(released.constraints) == 0
    assert released.pi == optimum.pi
    np.testing.assert_allclose(released.gradient[1:], 0.0)
    step, others = released.beta - optimum.beta, slice(1, None)
    np.testing.assert_allclose(
        optimum.hessian[others, others] @ step[others], optimum.gradient[others], rtol=1e-6, atol=1e-8
    )
