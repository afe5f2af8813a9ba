"""Families of coefficients: who is in which, how precise, and where their variances go."""

import numpy as np
import pandas as pd
import pytest

from pugam.data import read_table
from pugam.engines import MemoryEngine
from pugam.solvers import TUNING, PiPrior, PiRange
from pugam.solvers.families import gather_families
from pugam.solvers.laplace import Model, climb, log_evidence
from pugam.solvers.moments import column_variances
from pugam.terms import Design, parse_formula

FORMULA = (
    "s(x) + s(y, missing='effect') + l(w) + f(site) + r(clinic) + te(x, w) + ti(x, y, missing='zero') + s(x, by=site)"
)


def table_of(n=400, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=["x", "y", "w"])
    frame.loc[::50, "y"] = np.nan
    frame["site"] = rng.choice(["a", "b", "c"], n)
    frame["clinic"] = rng.choice(list("klmnop"), n)
    return read_table(frame), rng.random(n) < 0.4 + 0.2 * (frame["x"].to_numpy() > 0.0)


def engine_of(formula):
    table, positive = table_of()
    design = Design.resolve(parse_formula(formula), table)
    return MemoryEngine(design, design.encode(table), positive)


def test_every_coefficient_of_every_kind_of_term_is_in_one_family():
    engine = engine_of(FORMULA)
    families = gather_families(engine.design, column_variances(engine))
    assert families.names == ("straight", "bends", "r(clinic)", "interactions")
    assert (np.count_nonzero(families.weights, axis=0) == 1).all()


def test_columns_count_as_if_standardised():
    engine = engine_of("s(x) + l(w) + f(site)")
    variances = column_variances(engine)
    assert variances == pytest.approx(engine.design.matrix(engine.encoded)[:, 1:].var(axis=0), rel=1e-10)
    families = gather_families(engine.design, variances)
    straight = families.weights[families.names.index("straight")]
    *numbers, levels = engine.design.blocks
    assert straight[straight > 0.0][: len(numbers)] == pytest.approx(variances[[block.start for block in numbers]])
    assert straight[levels] == pytest.approx(variances[levels].mean())  # which contrasts there are, does not matter


def test_moves_follow_the_slope_of_the_evidence():
    """Fellner-Schall steps leave out how the information changes with the coefficients, not where it leads."""
    engine = engine_of("s(x) + s(w) + l(y, missing='effect')")
    model = Model.of(engine, engine.design, PiPrior(1.0, 1.0))
    layout, logs = engine.design.layout, np.array([0.5, 1.0])
    at = climb(model, layout.join(0.0, 0.0, np.zeros(layout.n_coefficients)), logs)
    moves = model.families.moves(at.optimum, at.optimum.covariance(PiRange(0.5, 0.5)), logs)
    assert (np.sign(moves) == np.sign(at.slopes[1:])).all()


def test_the_prior_of_the_straight_family_counts_in_the_evidence():
    engine = engine_of("l(x) + l(w)")
    model = Model.of(engine, engine.design, PiPrior())
    at = climb(model, np.zeros(engine.design.layout.size), np.zeros(1))
    usual = np.array([np.log(2.0 / TUNING.usual_separation)])
    assert model.families.log_prior(usual) == 0.0
    assert model.families.log_prior(usual + TUNING.separation_spread) == pytest.approx(-0.5)
    alone = log_evidence(model, at.optimum, np.zeros(1)) - model.families.log_prior(np.zeros(1))
    assert alone == pytest.approx(at.value - model.families.log_prior(np.zeros(1)))
