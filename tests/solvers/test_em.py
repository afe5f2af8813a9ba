"""The paper's EM: upwards at every iteration, exact steps for pi, and the same optima as Fisher scoring."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.solvers import PiPrior, PiRange
from pugam.solvers.em import maximize_em, mixture_step
from pugam.solvers.fisher import maximize_fisher
from pugam.solvers.optimum import best_of
from pugam.solvers.starts import fit_naively, make_starts

FREE = PiRange()


def make(objective, pi_range=FREE, n_starts=3):
    return make_starts(
        objective.engine, fit_naively(objective, maximize_fisher), pi_range, n_starts, np.random.default_rng(0)
    )


@pytest.fixture(scope="module")
def problem(make_problem):
    return make_problem(2, n0=450, n=600, seed=4)


@pytest.mark.parametrize(
    ("prior", "pi_range"),
    [
        (PiPrior(), FREE),
        pytest.param(PiPrior(1.0, 1.0), FREE, marks=pytest.mark.long),
        (PiPrior(0.5, 8.0), FREE),
        pytest.param(PiPrior(), PiRange(0.6, 0.9), marks=pytest.mark.long),
        (PiPrior(3.0, 1.0), PiRange(0.05, 0.15)),
        pytest.param(PiPrior(), PiRange(0.3, 0.3), marks=pytest.mark.long),
        (PiPrior(1.0, 1.0), PiRange(0.8, 0.8)),
    ],
    ids=["free", "prior", "skewed prior", "bounded", "bounded with prior", "known", "known with prior"],
)
@pytest.mark.parametrize("kappa", [1e-4, pytest.param(1.0, marks=pytest.mark.long)])
def test_no_iteration_goes_down(problem, prior, pi_range, kappa):
    objective = problem.objective(kappa, prior)
    flat = np.zeros((1, 2 + problem.design.n_columns))
    flat[:, 0] = pi_range.logits[0]
    starts = np.vstack([make(objective, pi_range), flat])

    for optimum in maximize_em(objective, starts, pi_range, 1e-5, 150):
        assert len(optimum.history) == optimum.n_iter + 1 > 2
        assert min(np.diff(optimum.history)) >= -1e-9
        assert optimum.history[-1] > optimum.history[0] + 1.0
        assert pi_range.low - 1e-12 <= optimum.pi <= pi_range.high + 1e-12


@pytest.mark.parametrize("prior", [PiPrior(), PiPrior(1.0, 1.0), PiPrior(0.3, 12.0)])
@pytest.mark.parametrize(("n0", "n1"), [(100.0, 400.0), (400.0, 100.0), (2.0, 50.0), (12.3, 7.7)])
@pytest.mark.parametrize("share", [1e-6, 0.2, 0.7, 0.999])
def test_the_step_for_pi_is_the_maximum(prior, n0, n1, share):
    hidden = share * n1

    def loss(pi):
        return (n0 + hidden) * np.log(n0 + n1 * pi) - hidden * np.log(pi) - float(prior.value(np.array(pi)))

    brute = minimize_scalar(loss, bounds=(1e-12, 1.0 - 1e-12), method="bounded", options={"xatol": 1e-12}).x
    step = mixture_step(hidden, n0, n1, prior)

    # The minimum of a smooth function is only found to the square root of the rounding error in its values.
    assert step == pytest.approx(brute, abs=2e-6)
    assert loss(step) <= loss(brute) + 1e-12 * abs(loss(brute))


def test_without_a_prior_the_step_for_pi_is_the_mean_of_the_expected_labels():
    assert mixture_step(37.5, 80.0, 150.0, PiPrior()) == pytest.approx(37.5 / 150.0, rel=1e-14)


def test_one_iteration_is_the_papers(make_problem):
    # Linear effects, no penalty: E-step by Bayes' rule, M-step by the mean and by a logistic regression of its own.
    problem = make_problem(1, n0=300, n=400, terms="linear")
    objective = problem.objective(0.0)
    start = make(objective, n_starts=1)[0]
    X = problem.design.matrix(problem.engine.encoded)
    positive, n0, n1 = problem.engine.positive, problem.engine.n0, problem.engine.n1
    pi = 1.0 / (1.0 + np.exp(-start[0]))
    alpha = start[1] - np.log((n0 / n1 + pi) / (1.0 - pi))
    odds = pi / (1.0 - pi) * np.exp(alpha + X[:, 1:] @ start[2:])
    y = np.where(positive, 1.0, odds / (1.0 + odds))
    b = np.zeros(X.shape[1])
    for _ in range(50):
        m = 1.0 / (1.0 + np.exp(-X @ b))
        b = b + np.linalg.solve((X * (m * (1.0 - m))[:, None]).T @ X, X.T @ (y - m))

    after = maximize_em(objective, start[None], FREE, 1e-12, 1)[0]

    assert after.n_iter == 1
    assert after.pi == pytest.approx(y[~positive].mean(), rel=1e-12)
    np.testing.assert_allclose(after.beta[1:], b, atol=1e-6)


@pytest.mark.parametrize(
    ("setting", "kappa"), [(1, 1.0), (2, 1e-3), pytest.param(3, 1e-3, marks=pytest.mark.long), (3, 1e-2)]
)
@pytest.mark.parametrize(
    "prior", [pytest.param(PiPrior(), marks=pytest.mark.long), PiPrior(1.0, 1.0)], ids=["flat", "weak"]
)
def test_em_and_fisher_scoring_reach_the_same_optimum(make_problem, setting, kappa, prior):
    objective = make_problem(setting, n0=600, n=900, seed=setting).objective(kappa, prior)
    starts = make(objective, n_starts=4)

    by_newton = best_of(maximize_fisher(objective, starts, FREE, 1e-10, 500))
    by_em = best_of(maximize_em(objective, starts, FREE, 1e-9, 5000))

    assert by_newton.converged
    assert by_em.converged
    assert 0.1 < by_newton.pi < 0.8
    assert by_em.pi == pytest.approx(by_newton.pi, abs=1e-6)
    assert by_em.value == pytest.approx(by_newton.value, abs=1e-7)
    np.testing.assert_allclose(by_em.beta, by_newton.beta, atol=1e-3)


def test_a_known_pi_stays_exactly_where_it_is(problem):
    objective, known = problem.objective(1e-2), PiRange(0.7, 0.7)
    start = make(objective, known, n_starts=1)

    optimum = maximize_em(objective, start, known, 1e-6, 300)[0]

    assert optimum.beta[0] == start[0, 0]
    assert optimum.value == pytest.approx(maximize_fisher(objective, start, known, 1e-8, 300)[0].value, abs=1e-4)


@pytest.mark.parametrize(("pi_range", "bound"), [(PiRange(0.05, 0.1), 0.1), (PiRange(0.7, 0.9), 0.7)])
def test_the_bound_next_to_the_free_optimum_is_found(problem, pi_range, bound):
    objective = problem.objective(1e-2)

    optimum = maximize_em(objective, make(objective, pi_range, n_starts=1), pi_range, 1e-6, 1000)[0]

    assert optimum.converged
    assert optimum.pi == pytest.approx(bound, rel=1e-9)


def test_a_limit_on_the_iterations_is_kept_and_reported(problem):
    objective = problem.objective(1e-2)

    optimum = maximize_em(objective, make(objective, n_starts=1), FREE, 1e-12, 3)[0]

    assert optimum.n_iter == 3
    assert not optimum.converged


def test_a_common_factor_of_all_weights_does_not_count():
    data = simulate(1, n0=600, n=1500, pi=0.4, random_state=1)
    as_in_the_paper = {"solver": "em", "smoothing": 0.0, "n_starts": 1, "pi_prior": None, "shrinkage": "never"}
    shares = [
        PUGAM("s(x1) + s(x2) + x3", estimate="mode", debias=False, check=False, **as_in_the_paper)
        .fit(data.X, data.z, sample_weight=np.full(1500, factor))
        .pi_
        for factor in (1e-3, 1.0, 1e3)
    ]

    assert np.ptp(shares) < 1e-4 * shares[1]  # the tolerance of a run
