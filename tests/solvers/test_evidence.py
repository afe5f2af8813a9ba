"""What the data say about a block of coefficients: its information without its penalty, and canonical coordinates."""

import numpy as np
import pytest
from scipy.linalg import block_diag
from scipy.stats import multivariate_normal

from pugam.layout import Layout
from pugam.solvers import Evidence, PiPrior, Settings, Standpoint, fit_smoothed, gather_evidence
from pugam.solvers.evidence import _balance

EVERYTHING, WITHOUT_PI = slice(None), slice(1, None)
KAPPAS = {"rough": [1e-4, 1e-4, 1e-4, 1e-4, 1e-4], "moderate": [0.1, 1e-3, 1.0, 0.01, 10.0], "straight": [1e8] * 5}


@pytest.fixture(scope="module", params=KAPPAS)
def problem_and_optimum(request, make_problem):
    """Rows, and the penalised optimum at given smoothing parameters."""
    problem = make_problem(2, n0=600, n=1000, k=6, seed=3)
    settings = Settings(np.array(KAPPAS[request.param]), n_starts=3, tol=1e-8, prior=PiPrior(1.0, 1.0))
    return problem, fit_smoothed(problem.engine, problem.design, settings, np.random.default_rng(0)).penalized


def block_of(problem, *terms):
    numbers = np.arange(problem.design.n_columns)
    return np.concatenate([numbers[problem.design.blocks[term]] for term in terms])


def schur_complement(optimum, block, free):
    """Information of a block when all other parameters follow, held by their penalties; its own does not count."""
    curvature = optimum.curvature.copy()
    curvature[2 + block] = 0.0
    whole = (optimum.information + np.diag(curvature))[free, free]
    inside = 2 + block - (free.start or 0)
    others = np.setdiff1d(np.arange(len(whole)), inside)
    mixed = whole[np.ix_(inside, others)]
    return whole[np.ix_(inside, inside)] - mixed @ np.linalg.solve(whole[np.ix_(others, others)], mixed.T)


@pytest.mark.parametrize("free", [EVERYTHING, WITHOUT_PI], ids=["pi estimated", "pi known"])
@pytest.mark.parametrize("terms", [(0,), (3,), (1, 4)], ids=str)
def test_information_is_what_is_left_when_all_else_follows(problem_and_optimum, free, terms):
    problem, optimum = problem_and_optimum
    block = block_of(problem, *terms)
    expected = schur_complement(optimum, block, free)

    information = gather_evidence(optimum, free).information(block)

    # Penalties beyond 10^4 times the information count as 10^4 times: so coefficients that 1e8 holds at zero are held
    # at a ten-thousandth of their way.
    np.testing.assert_allclose(information, expected, rtol=1e-3, atol=1e-3 * np.abs(expected).max())
    np.testing.assert_array_equal(information, information.T)


def test_information_does_not_depend_on_the_blocks_own_penalty(problem_and_optimum):
    problem, optimum = problem_and_optimum
    block = block_of(problem, 2)
    penalty = optimum.curvature.copy()
    penalty[2 + block] *= 1e3
    stiffer = Standpoint(**{**vars_of(optimum), "curvature": penalty})

    before, after = (gather_evidence(point, EVERYTHING).information(block) for point in (optimum, stiffer))

    np.testing.assert_allclose(after, before, rtol=1e-5, atol=1e-5 * np.abs(before).max())


def vars_of(optimum):
    return {name: getattr(optimum, name) for name in Standpoint.__dataclass_fields__}


def test_canonical_coordinates_make_information_the_identity_and_the_penalty_diagonal(problem_and_optimum):
    problem, optimum = problem_and_optimum
    evidence = gather_evidence(optimum, EVERYTHING)
    block = block_of(problem, 1)

    term = evidence.canonical(block)

    T, penalty = term.transform, optimum.curvature[2 + block]
    np.testing.assert_allclose(T.T @ evidence.information(block) @ T, np.eye(5), atol=1e-8)
    whitened = T.T @ np.diag(penalty) @ T
    np.testing.assert_allclose(whitened, np.diag(term.ratios), atol=1e-9 * max(1.0, term.ratios.max()))
    assert (np.diff(term.ratios) >= 0.0).all()
    assert term.ratios[0] < 1e-6 * term.ratios[-1]  # the straight line is free


def test_the_penalised_estimate_is_what_the_penalty_leaves_of_the_data(problem_and_optimum):
    problem, optimum = problem_and_optimum
    block = block_of(problem, 4)

    term = gather_evidence(optimum, EVERYTHING).canonical(block)

    theta = term.transform @ (term.z / (1.0 + term.ratios))
    np.testing.assert_allclose(theta, optimum.beta[2 + block], atol=1e-5 * np.abs(optimum.beta[2:]).max())
    np.testing.assert_allclose(term.shares, 1.0 / (1.0 + term.ratios))


def test_what_the_data_say_is_the_unpenalised_estimate(make_problem):
    # Quadratic only near the optimum: so the penalty is small, and moves the estimate by a fraction of an error.
    problem = make_problem(2, n0=1500, n=3000, k=5, seed=5)
    kappas = np.array([1e-4, 0.0, 0.0, 0.0, 0.0])
    fits = [
        fit_smoothed(problem.engine, problem.design, Settings(values, n_starts=3, tol=1e-8), np.random.default_rng(0))
        for values in (kappas, np.zeros(5))
    ]
    block = block_of(problem, 0)

    term = gather_evidence(fits[0].penalized, EVERYTHING).canonical(block)

    free = np.linalg.solve(term.transform, fits[1].penalized.beta[2 + block])
    moved = np.abs(free - term.z * term.shares)
    assert moved.max() > 0.1
    assert np.abs(free - term.z).max() < 0.2 * moved.max()


def test_another_penalty_changes_the_ratios_but_not_what_the_data_say(problem_and_optimum):
    problem, optimum = problem_and_optimum
    evidence, block = gather_evidence(optimum, EVERYTHING), block_of(problem, 0)
    own = evidence.canonical(block)

    other = evidence.canonical(block, 7.0 * optimum.curvature[2 + block])

    np.testing.assert_allclose(other.ratios, 7.0 * own.ratios, rtol=1e-6, atol=1e-12 * own.ratios.max())
    assert other.z @ other.z == pytest.approx(own.z @ own.z, rel=1e-6)


def handmade(information, curvature, beta):
    information, curvature, beta = (np.asarray(part, dtype=float) for part in (information, curvature, beta))
    return Standpoint(
        beta, 0.0, 0.0, np.zeros(len(beta)), information, curvature, observed=False, layout=Layout((len(beta) - 2,))
    )


# Two columns that say the same: only the sum 3 + 8 of their coefficients is known, with information 25. Its score at
# zero is 25 (3 + 8), with a standard deviation of 5.
TWINS = {
    "information": block_diag(4.0, 9.0, np.full((2, 2), 25.0)),
    "curvature": np.zeros(4),
    "beta": np.array([0.1, 0.2, 3.0, 8.0]),
}


def test_a_direction_without_information_is_dropped():
    term = gather_evidence(handmade(**TWINS), EVERYTHING).canonical(np.array([0, 1]))

    assert term.transform.shape == (2, 1)
    assert term.transform[0, 0] == pytest.approx(term.transform[1, 0], rel=1e-6)
    assert term.ratios.tolist() == [0.0]


def test_columns_that_say_the_same_together_say_what_one_does():
    term = gather_evidence(handmade(**TWINS), EVERYTHING).canonical(np.array([0, 1]))

    assert abs(term.z[0]) == pytest.approx(25.0 * 11.0 / 5.0, rel=1e-3)


# Smoothing parameters and their marginal likelihood


def test_the_marginal_likelihood_of_a_smoothing_parameter_is_that_of_the_score_at_zero(make_problem):
    problem = make_problem(2, n0=600, n=1000, k=6, seed=3)
    settings = Settings(np.full(5, 1e-2), n_starts=3, tol=1e-8)
    optimum = fit_smoothed(problem.engine, problem.design, settings, np.random.default_rng(0)).penalized
    evidence, block = gather_evidence(optimum, EVERYTHING), block_of(problem, 1)
    penalty = 2.0 * problem.design.bases[1].penalties[0].diagonal
    W = evidence.information(block)
    h = (W + np.diag(optimum.curvature[2 + block])) @ optimum.beta[2 + block]
    # h is normal around 0 with variance W + W (kappa P)^-1 W; the line has a flat prior, of any large variance.
    kappas, expected = np.array([1e-4, 1e-3, 1e-2, 0.1, 1.0]), []
    for kappa in kappas:
        prior = np.append(1e8, 1.0 / (kappa * penalty[1:]))
        expected.append(multivariate_normal(cov=W + W @ np.diag(prior) @ W, allow_singular=True).logpdf(h))

    logs = evidence.canonical(block, penalty).log_marginal(kappas)

    np.testing.assert_allclose(logs - logs[0], np.array(expected) - expected[0], rtol=1e-4)
    assert np.ptp(logs) > 5.0


def test_all_directions_but_the_line_bend(problem_and_optimum):
    problem, optimum = problem_and_optimum

    term = gather_evidence(optimum, EVERYTHING).canonical(block_of(problem, 3))

    assert term.bending.tolist() == [False, True, True, True, True]


def test_a_direction_with_hardly_any_information_does_not_make_another_one_unpenalised():
    evidence = Evidence(np.zeros(2), np.ones(2), np.diag([1.0, 1.0, 1e-12]), np.ones(3))

    term = evidence.canonical(np.arange(2))

    np.testing.assert_allclose(term.ratios, [1.0, 1e12], rtol=1e-9)
    assert term.bending.all()


def test_extremes_of_information_and_penalty_are_balanced_without_overflow():
    found = _balance(np.array([1e10, 4.0]), np.array([5e-324, 1.0]))

    assert np.log(found) == pytest.approx(0.5 * (np.log(1e10) - np.log(5e-324) + np.log(4.0)))
