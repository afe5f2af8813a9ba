"""Precisions of the families at one pi: where the evidence is highest, from wherever they begin."""

import numpy as np
import pytest

from pugam.data import read_table
from pugam.datasets import simulate
from pugam.engines import MemoryEngine
from pugam.solvers import TUNING, PiPrior
from pugam.solvers.laplace import Model, climb
from pugam.solvers.settling import adjust, left_to_gain, settle
from pugam.terms import Design, parse_formula


@pytest.fixture(scope="module")
def model():
    data = simulate(2, n0=600, n=1000, random_state=4)
    table = read_table(data.X)
    design = Design.resolve(parse_formula("s(x1) + s(x2) + s(x3)"), table)
    return Model.of(MemoryEngine(design, design.encode(table), data.z == 1), design, PiPrior())


def start_of(model):
    return np.zeros(model.design.layout.size)


def test_nothing_is_left_to_gain(model):
    here = adjust(model, settle(model, start_of(model), model.families.start()), TUNING.summit_gain)
    for step in 0.05 * np.vstack([np.eye(2), -np.eye(2)]):
        assert climb(model, here.moved(here.place, here.logs + step), here.logs + step).value < here.value + 1e-4


@pytest.mark.parametrize("logs", [(-4.0, -4.0), (3.0, 3.0), (0.0, 8.0)])
def test_the_same_precisions_are_found_from_afar(model, logs):
    known = adjust(model, settle(model, start_of(model), model.families.start()), TUNING.summit_gain)
    found = adjust(model, settle(model, start_of(model), np.array(logs)), TUNING.summit_gain)
    assert found.value == pytest.approx(known.value, abs=1e-3)
    assert found.logs == pytest.approx(known.logs, abs=0.05)


def test_fellner_schall_steps_alone_end_lower(model):
    """They leave out how the information changes with the coefficients."""
    settled = settle(model, start_of(model), model.families.start())
    best = adjust(model, settled, TUNING.summit_gain)
    assert left_to_gain(best) < TUNING.summit_gain
    assert best.value >= settled.value


def test_a_family_that_says_nothing_stays_within_its_limits(model):
    low, high = TUNING.log_precision_limits
    here = climb(model, start_of(model), np.array([0.0, high]))
    assert low <= adjust(model, here, TUNING.walking_gain).logs.min()
    assert adjust(model, here, TUNING.walking_gain).logs.max() <= high
