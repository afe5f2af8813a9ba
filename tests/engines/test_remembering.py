"""Sums that were just taken are not taken again, and nobody notices but by the time it takes."""

import numpy as np
import pytest

from pugam.engines import MemoryEngine
from pugam.engines.remembering import REMEMBERED, LastSums
from pugam.likelihood import Sums
from pugam.solvers import Objective, PiPrior

PI = np.array([0.4])


@pytest.fixture(scope="module")
def problem(make_problem):
    return make_problem(2, n0=200, n=300, seed=1)


@pytest.fixture
def passes(monkeypatch):
    """Every pass over rows: how many parameter vectors it served."""
    made = []
    original = MemoryEngine.sums_given

    def counting(engine, c, d, b, observed):
        made.append(len(b))
        return original(engine, c, d, b, observed)

    monkeypatch.setattr(MemoryEngine, "sums_given", counting)
    return made


@pytest.fixture
def engine(problem):
    """An engine that remembers nothing yet."""
    return MemoryEngine(problem.design, problem.engine.encoded, problem.engine.positive)


def vectors(engine, number, seed=0):
    return np.random.default_rng(seed).normal(size=(number, 1 + engine.design.n_columns))


def assert_same(one, other):
    for name in ("value", "score", "information"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_the_same_point_is_summed_once(engine, passes):
    b = vectors(engine, 1)

    first, second = engine.sums(PI, b), engine.sums(PI.copy(), b.copy())

    assert passes == [1]
    assert_same(second, first)


@pytest.mark.parametrize("change", ["pi", "b", "information"])
def test_another_point_is_summed_anew(engine, passes, change):
    b = vectors(engine, 1)
    engine.sums(PI, b)

    other = engine.sums(PI + (change == "pi") * 1e-12, b + (change == "b") * 1e-12, observed=change == "information")

    assert passes == [1, 1]
    fresh = MemoryEngine(engine.design, engine.encoded, engine.positive)
    assert_same(other, fresh.sums(PI + (change == "pi") * 1e-12, b + (change == "b") * 1e-12, change == "information"))


def test_another_penalty_at_the_same_point_needs_no_pass(problem, engine, passes):
    beta = np.concatenate([[0.3], vectors(engine, 1)[0]])
    values = []
    for kappa in (1e-3, 1.0, 1e3):
        penalty = problem.design.penalty(np.full(len(problem.design.penalties), kappa))
        (here,) = Objective(engine, penalty, PiPrior()).stand([beta])
        values.append(here.value)
        assert here.value == pytest.approx(here.loglik - 0.5 * penalty @ beta[2:] ** 2, rel=1e-12)

    assert passes == [1]
    assert values[0] > values[1] > values[2]


def test_sums_that_were_returned_may_be_changed_without_harm(engine):
    b = vectors(engine, 1)
    given = b.copy()
    first = engine.sums(PI, given)
    kept = Sums(first.value.copy(), first.score.copy(), first.information.copy())

    for spoilt in (first, engine.sums(PI, b)):
        for array in (spoilt.value, spoilt.score, spoilt.information):
            array[...] = np.nan
    given[...] = 0.0

    assert_same(engine.sums(PI, b), kept)


def test_a_reweighted_engine_remembers_for_itself(engine, passes):
    b = vectors(engine, 1)
    before = engine.sums(PI, b)

    other = engine.reweighted(np.full(engine.n_rows, 2))
    twice = other.sums(PI, b)

    assert passes == [1, 1]
    np.testing.assert_allclose(twice.value, 2.0 * before.value, rtol=1e-12)
    assert_same(engine.sums(PI, b), before)
    assert_same(other.sums(PI, b), twice)
    assert passes == [1, 1]


def test_several_vectors_at_once_are_never_remembered(engine, passes):
    b = vectors(engine, 2)
    pi = np.array([0.3, 0.5])
    both = engine.sums(pi, b)

    again = engine.sums(pi, b)
    one = engine.sums(pi[:1], b[:1])

    assert passes == [2, 2, 1]
    assert_same(again, both)
    np.testing.assert_allclose(one.information[0], both.information[0], rtol=1e-10, atol=1e-10)


def test_points_are_forgotten_in_the_order_of_their_last_use():
    taken = []

    def take(pi, b, observed):
        taken.append(float(b[0, 0]))
        return Sums(np.zeros(1), np.zeros((1, 2)), np.zeros((1, 2, 2)))

    memory = LastSums()

    def ask(*points):
        for point in points:
            memory.get(take, PI, np.array([[float(point)]]), False)

    ask(*range(REMEMBERED))
    ask(0)
    ask(77)
    ask(0, *range(2, REMEMBERED))
    assert taken == [*range(REMEMBERED), 77]
    ask(1)
    assert taken[-1] == 1
