"""The likelihood that fits are held against: its derivatives, its limits, and what it says of what is no optimum."""

from dataclasses import replace

import numpy as np
import pytest
from misuse.calls import Call
from misuse.likelihood import Problem
from misuse.optimum import check_evidence, check_optimum, problem_of

from pugam import PUGAM
from pugam.solvers import MarginalFit

RNG = np.random.default_rng(0)
N = 30
ROWS = Problem(
    columns=np.column_stack([np.ones(N), RNG.normal(size=(N, 3))]),
    labelled=RNG.random(N) < 0.4,
    weights=RNG.exponential(size=N),
    penalty=np.array([0.0, 0.5, 3.0]),
    prior=(2.0, 3.0),
)
BETA = np.array([-0.4, 0.3, 1.2, -0.7, 0.2])


def central_differences(f, x, h=1e-6):
    return np.array([(f(x + h * e) - f(x - h * e)) / (2.0 * h) for e in np.eye(len(x))])


def test_the_gradient_is_that_of_the_value():
    gradient, _ = ROWS.derivatives(BETA)

    np.testing.assert_allclose(gradient, central_differences(ROWS.value, BETA), rtol=1e-6, atol=1e-8)


def test_the_information_is_the_mean_of_what_is_observed():
    # Over all labellings of a row, weighted by how likely they are, the observed information has this mean.
    rows = Problem(ROWS.columns[:1], ROWS.labelled[:1], np.ones(1), np.zeros(3), (1.0, 1.0))
    n0, n1 = 3.0, 4.0
    pi = 1.0 / (1.0 + np.exp(-BETA[0]))
    share = n0 / (n0 + n1 * pi) / (1.0 + np.exp(-rows.columns[0] @ BETA[1:]))

    class Known(Problem):
        counts = (n0, n1)

    kinds = [Known(rows.columns, np.array([kind]), rows.weights, rows.penalty, rows.prior) for kind in (True, False)]
    scores = [problem.derivatives(BETA)[0] for problem in kinds]
    expected = share * np.outer(scores[0], scores[0]) + (1.0 - share) * np.outer(scores[1], scores[1])
    np.testing.assert_allclose(kinds[0].derivatives(BETA)[1], expected, rtol=1e-9)


@pytest.mark.parametrize("far", [50.0, 800.0, 1e25])
def test_rows_far_out_have_their_limits(far):
    beta = np.array([0.0, far, 0.0, 0.0, 0.0])
    n0, n1 = ROWS.counts
    limit = n0 * np.log(n0 / (n0 + n1 / 2)) + n1 * np.log(n1 / 2 / (n0 + n1 / 2))

    assert ROWS.loglik(beta) == pytest.approx(limit, rel=1e-12)


def test_flat_curves_have_the_value_of_a_share_alone():
    n0, n1 = ROWS.counts
    for pi in (0.1, 0.7):
        c = n0 / (n0 + n1 * pi)
        share = n0 / (n0 + n1) / c
        beta = np.array([np.log(pi / (1.0 - pi)), np.log(share / (1.0 - share)), 0.0, 0.0, 0.0])

        assert ROWS.flat_value(pi) == pytest.approx(ROWS.value(beta), rel=1e-12)


@pytest.fixture
def model():
    made = Call(seed=1, n_rows=300, columns=("normal", "normal"), apart=1.5, options=(("smoothing", 1.0),)).make()
    return PUGAM(debias=False, **made.options).fit(made.X, made.z)


def test_an_optimum_passes(model):
    check_optimum(model)

    assert problem_of(model).gain(model._fit.penalized.beta, slice(None)) < 1e-6


@pytest.mark.parametrize("place", [0, 1, 2, 5])
def test_what_is_no_optimum_is_found_out(model, place):
    problem, beta = problem_of(model), model._fit.penalized.beta.copy()
    beta[place] += 0.1 / np.sqrt(problem.derivatives(beta)[1][place, place])

    assert problem.gain(beta, slice(None)) > 1e-3
    assert problem.climb(beta, slice(None)) > 1e-3


@pytest.fixture
def marginal():
    made = Call(seed=1, n_rows=300, columns=("normal", "normal"), apart=1.5).make()
    return PUGAM().fit(made.X, made.z)


def test_a_summit_of_the_evidence_passes(marginal):
    check_optimum(marginal)

    assert isinstance(marginal._fit, MarginalFit)
    # The evidence is that of the fit, but for a constant where variances stay as they are.
    curve, problem, beta = marginal._fit.curve, problem_of(marginal), marginal._fit.optimum.beta
    near = np.abs(curve.places - beta[0]) < 0.5
    ours = [problem.log_evidence(problem.settled(np.append(place, beta[1:]))) for place in curve.places[near]]
    assert np.count_nonzero(near) >= 3
    np.testing.assert_allclose(ours - np.max(ours), curve.values[near] - curve.values.max(), atol=0.1)


@pytest.mark.parametrize("move", [-0.3, 0.3])
def test_what_is_no_summit_of_the_evidence_is_found_out(marginal, move):
    problem, beta = problem_of(marginal), marginal._fit.optimum.beta
    there = problem.settled(np.append(beta[0] + move, beta[1:]))
    optimum = replace(marginal._fit.optimum, beta=there)
    marginal._fit = replace(marginal._fit, optimum=optimum, penalized=optimum)

    assert problem.gain(there, slice(1, None)) < 1e-6
    with pytest.raises(AssertionError, match="higher elsewhere"):
        check_evidence(marginal, problem, there)
