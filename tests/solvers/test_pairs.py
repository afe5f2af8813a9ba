"""Interactions that rows speak for: which are possible, how they are screened and added."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from pugam.data import read_table
from pugam.engines import MemoryEngine
from pugam.solvers import TUNING, PiPrior, PiRange
from pugam.solvers.evidence_profile import ascend
from pugam.solvers.laplace import Model
from pugam.solvers.pairs import _score, _score_of_rows, add_pairs, choice_cost, find_pairs, screen_pairs
from pugam.solvers.settling import settle
from pugam.terms import Design, parse_formula

FORMULA = "s(x) + s(y) + l(w) + f(site)"


@pytest.fixture(scope="module")
def known():
    """Labels that depend on x, y, and on x times y; and the mode of an additive model."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((1500, 3)), columns=["x", "y", "w"])
    frame["site"] = rng.choice(["a", "b", "c"], 1500)
    x, y = frame["x"] - 0.5, frame["y"] - 0.5
    z = rng.random(1500) < 0.7 * expit(4.0 * x + 4.0 * y + 10.0 * x * y)
    table = read_table(frame)
    design = Design.resolve(parse_formula(FORMULA), table)
    model = Model.of(MemoryEngine(design, design.encode(table), z.to_numpy()), design, PiPrior(1.0, 1.0))
    layout = design.layout
    start = settle(model, layout.join(0.0, 0.0, np.zeros(layout.n_coefficients)), model.families.start())
    return table, model, ascend(model, start, PiRange())


def pairs_of(model, n_rows=1500):
    return find_pairs(model.design, n_rows, np.ones(len(model.design.bases)))


def test_all_pairs_of_columns_are_possible_once(known):
    _, model, _ = known
    labels = [pair.basis.spec.label for pair in pairs_of(model)]
    sides = ("x, y", "x, l(w)", "x, f(site)", "y, l(w)", "y, f(site)", "l(w), f(site)")
    assert labels == [f"ti({side})" for side in sides]


def test_pairs_that_a_term_joins_are_left_out():
    frame = pd.DataFrame(np.random.default_rng(0).random((50, 3)), columns=["x", "y", "w"])
    design = Design.resolve(parse_formula("s(x) + s(y) + s(w) + ti(x, y)"), read_table(frame))
    labels = [pair.basis.spec.label for pair in find_pairs(design, 50, np.ones(4))]
    assert labels == ["ti(x, w)", "ti(y, w)"]


def test_few_rows_leave_room_for_fewer_functions_and_fewer_terms(known):
    _, model, _ = known
    sizes = [sum(pair.basis.size for pair in pairs_of(model, n_rows)) for n_rows in (1500, 60, 15)]
    assert sizes[0] > sizes[1] > sizes[2] > 0
    assert sizes[1] <= 20
    assert sizes[2] <= 5
    assert pairs_of(model, 1) == []


def test_sums_of_added_pairs_are_those_of_a_design_with_them(known):
    table, model, _ = known
    wide = add_pairs(model, pairs_of(model)[:3])
    again = MemoryEngine(wide.design, wide.design.encode(table), model.engine.positive)
    b = np.random.default_rng(1).normal(size=(1, 1 + wide.design.n_columns)) / 10.0
    ours, others = (engine.sums(np.array([0.3]), b) for engine in (wide.engine, again))
    assert ours.information == pytest.approx(others.information, rel=1e-12)


def test_the_pair_that_matters_gains_most(known):
    _, model, at = known
    screening = screen_pairs(model, at, pairs_of(model))
    (first, gain), *others = screening.ranked
    assert first.basis.spec.label == "ti(x, y)"
    assert gain > 3.0 > max(other for _, other in others)
    assert screening.together > 0.0


def test_a_sample_of_many_rows_shows_the_same_gains(known, monkeypatch):
    # The score is that of all rows; the information of 600 of 1500 rows has an error of some 5 percent.
    _, model, at = known
    pairs = pairs_of(model)
    of_all = screen_pairs(model, at, pairs)
    monkeypatch.setattr("pugam.solvers.pairs.TUNING", replace(TUNING, screening_rows=600))
    of_some = screen_pairs(model, at, pairs)

    assert of_some.ranked[0][0] is of_all.ranked[0][0]
    assert of_some.ranked[0][1] != of_all.ranked[0][1]
    assert of_some.ranked[0][1] == pytest.approx(of_all.ranked[0][1], rel=0.2)
    assert of_some.together == pytest.approx(of_all.together, rel=0.3)


def test_the_score_of_products_is_that_of_their_columns(known):
    _, model, at = known
    pairs = pairs_of(model)
    products = Design(tuple(pair.basis for pair in pairs))
    rows = model.engine.redesigned(products, [pair.sources for pair in pairs])
    of_rows = _score_of_rows(model.engine, at)
    columns = products.matrix(rows.encoded)[:, 1:]
    assert _score(model, at, pairs) == pytest.approx(of_rows @ columns, rel=1e-9, abs=1e-9)


def test_a_gain_seen_from_afar_is_about_what_comes_out(known):
    _, model, at = known
    (pair, gain), *_ = screen_pairs(model, at, pairs_of(model)).ranked
    wide = add_pairs(model, [pair])
    layout = wide.design.layout
    theta = np.append(at.optimum.theta, np.zeros(layout.n_coefficients - at.optimum.layout.n_coefficients))
    beta = layout.join(at.optimum.logit_pi, at.optimum.intercept, theta)
    best = ascend(wide, settle(wide, beta, np.append(at.logs, 0.0)), PiRange())
    assert best.value - at.value == pytest.approx(gain, rel=0.5)


def test_the_cost_of_a_choice():
    assert choice_cost(10, 3) == pytest.approx(math.log(math.comb(10, 3)))
    assert choice_cost(10, 10) == pytest.approx(0.0, abs=1e-12)
