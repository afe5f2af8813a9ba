"""The influence of rows on pi: what a refit does when one of them counts a little more."""

from dataclasses import replace

import numpy as np
import pytest

from pugam.engines import MemoryEngine
from pugam.inference.influence import pi_influence
from pugam.solvers import Fitted, PiPrior, PiRange, Settings, fit_smoothed, pi_log_variance, refit_resamples

STEP = 1e-3
CASES = {
    "linear": (1, "linear", 0.0, False),
    "weighted, linear": (1, "linear", 0.0, True),
    "smooth": (2, "smooth", 1e-1, False),
    "weighted, smooth": (3, "smooth", 1e-1, True),
    "rough": (2, "smooth", 1e-2, False),
}


def fit(problem, kappa, weighted=False, **options):
    engine = problem.engine
    weights = np.random.default_rng(0).uniform(0.5, 2.0, engine.n_rows) if weighted else None
    engine = MemoryEngine(problem.design, engine.encoded, engine.positive, weights)
    options = {"tol": 1e-12, "n_starts": 3, "prior": PiPrior(1.0, 1.0), **options}
    settings = Settings(np.full(len(problem.design.penalties), kappa), **options)
    return Fitted(
        engine, problem.design, settings, fit_smoothed(engine, problem.design, settings, np.random.default_rng(0))
    )


def slopes(fitted, rows):
    """Derivatives of all parameters in the counts of these rows, by refits: reported ones, and penalised ones."""
    counts = np.ones((2 * len(rows), fitted.engine.n_rows))
    numbers = np.arange(len(rows))
    counts[numbers, rows] += STEP
    counts[len(rows) + numbers, rows] -= STEP
    refits = refit_resamples(fitted, counts)
    assert refits.converged.all()
    return [(beta[: len(rows)] - beta[len(rows) :]) / (2.0 * STEP) for beta in (refits.beta, refits.penalized)]


def centred(values, fitted, rows):
    """Relative to the rows of the same label: a change of n0 or n1 alone is none of a row's merit."""
    weights = np.ones(len(rows)) if fitted.engine.weights is None else fitted.engine.weights[rows]
    result = np.empty_like(values)
    for label in (True, False):
        chosen = fitted.engine.positive[rows] == label
        per_weight = values[chosen] / weights[chosen]
        result[chosen] = (per_weight - np.average(per_weight, weights=weights[chosen])) * weights[chosen]
    return result


def with_observed_information(fitted, problem, kappa):
    """The same fit, with the curvature that its objective really has in place of the expected one."""
    objective = replace(problem.objective(kappa, fitted.settings.prior), engine=fitted.engine)
    (here,) = objective.stand([fitted.fit.penalized.beta], observed=True)
    penalized = replace(fitted.fit.penalized, information=here.information)
    return replace(fitted, fit=replace(fitted.fit, penalized=penalized))


@pytest.fixture(scope="module", params=CASES)
def case(request, make_problem):
    setting, terms, kappa, weighted = CASES[request.param]
    return make_problem(setting, n0=120, n=240, terms=terms, seed=1), kappa, weighted


def test_it_is_the_derivative_of_logit_pi_in_the_count_of_a_row(case):
    problem, kappa, weighted = case
    fitted = fit(problem, kappa, weighted, debias=False)
    every = np.arange(fitted.engine.n_rows)

    influence = pi_influence(with_observed_information(fitted, problem, kappa))

    numeric = centred(slopes(fitted, every)[0][:, 0], fitted, every)
    np.testing.assert_allclose(influence, numeric, atol=1e-5 * np.abs(numeric).max())
    assert np.abs(numeric).max() > 1e-2


@pytest.mark.parametrize(
    "case",
    ["weighted, smooth", pytest.param("smooth", marks=pytest.mark.long), pytest.param("rough", marks=pytest.mark.long)],
    indirect=True,
)
def test_after_the_bias_correction_it_is_the_derivative_of_the_corrected_logit_pi(case):
    # The correction adds (V P + (V P)^2) beta to logit pi. V is taken as given: how it varies is of lower order.
    problem, kappa, weighted = case
    fitted = fit(problem, kappa, weighted)
    every = np.arange(fitted.engine.n_rows)
    observed = with_observed_information(fitted, problem, kappa)
    V = np.linalg.inv(observed.fit.penalized.hessian)
    penalty = np.concatenate([[0.0, 0.0], problem.design.penalty(fitted.fit.kappas)])
    assert fitted.fit.debiased

    influence = pi_influence(observed)

    of_all = slopes(fitted, every)[1]
    VP = V * penalty
    numeric = centred(of_all[:, 0] + of_all @ (VP + VP @ VP)[0], fitted, every)
    np.testing.assert_allclose(influence, numeric, atol=1e-5 * np.abs(numeric).max())
    assert np.abs(numeric - centred(of_all[:, 0], fitted, every)).max() > 0.02 * np.abs(numeric).max()


@pytest.mark.parametrize("debias", [False, pytest.param(True, marks=pytest.mark.long)], ids=["penalised", "corrected"])
@pytest.mark.parametrize("setting", [2, 3])
def test_with_many_rows_it_tells_what_refits_do(make_problem, setting, debias):
    # With the expected information, and no more smoothing than the curves need: the two agree only in large samples.
    # Rows are 60 of each label.
    problem = make_problem(setting, n0=1500, n=3000, seed=1)
    fitted = fit(problem, 1e-3, debias=debias, tol=1e-10)
    rng = np.random.default_rng(2)
    some = np.concatenate([rng.choice(np.flatnonzero(problem.engine.positive == label), 60) for label in (True, False)])

    influence = centred(pi_influence(fitted)[some], fitted, some)

    numeric = centred(slopes(fitted, some)[0][:, 0], fitted, some)
    assert fitted.fit.debiased == debias
    assert np.corrcoef(influence, numeric)[0, 1] > 0.97
    assert influence @ numeric / (influence @ influence) == pytest.approx(1.0, abs=0.15)


@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
def test_rows_of_either_label_cancel_out(make_problem, weighted):
    fitted = fit(make_problem(2, n0=120, n=240, seed=1), 1e-1, weighted)
    influence, positive = pi_influence(fitted), fitted.engine.positive

    for label in (positive, ~positive):
        assert influence[label].sum() == pytest.approx(0.0, abs=1e-9)
        assert np.abs(influence[label]).max() > 1e-2


def test_its_squares_add_up_to_the_variance_of_logit_pi(make_problem):
    # Both estimate the same variance; the ratio settles at one with many rows, here within a few percent.
    fitted = fit(make_problem(1, n0=3000, n=6000, terms="linear", seed=1), 0.0, tol=1e-8)
    variance = pi_log_variance(fitted.fit, fitted.engine.n0, fitted.engine.n1) / (1.0 - fitted.fit.optimum.pi) ** 2

    assert np.sum(pi_influence(fitted) ** 2) == pytest.approx(variance, rel=0.1)


def test_no_row_moves_a_known_pi(make_problem):
    fitted = fit(make_problem(2, n0=120, n=240, seed=1), 1e-1, pi_range=PiRange(0.4, 0.4))

    np.testing.assert_array_equal(pi_influence(fitted), 0.0)
