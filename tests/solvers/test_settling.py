"""Precisions of the families at one pi: where the evidence is highest, from wherever they begin."""

import numpy as np
import pytest

from pugam.data import read_table
from pugam.datasets import simulate
from pugam.engines import MemoryEngine
from pugam.solvers import TUNING, PiPrior, PiRange
from pugam.solvers.laplace import Model, climb
from pugam.solvers.settling import Box, adjust, approach, left_to_gain, settle
from pugam.terms import Design, parse_formula


@pytest.fixture(scope="module")
def model():
    data = simulate(2, n0=600, n=1000, random_state=4)
    table = read_table(data.X)
    design = Design.resolve(parse_formula("s(x1) + s(x2) + s(x3)"), table)
    return Model.of(MemoryEngine(design, design.encode(table), data.z == 1), design, PiPrior())


def best_precisions(model, logs):
    here = settle(model, start_of(model), logs)
    return adjust(model, here, Box.around(here), TUNING.summit_gain)


def start_of(model):
    return np.zeros(model.design.layout.size)


def test_nothing_is_left_to_gain(model):
    here = best_precisions(model, model.families.start())
    for step in 0.05 * np.vstack([np.eye(2), -np.eye(2)]):
        point = here.point + np.append(0.0, step)
        assert climb(model, here.moved(point), here.logs + step).value < here.value + 1e-4


@pytest.mark.parametrize("logs", [(-4.0, -4.0), (3.0, 3.0), (0.0, 8.0)])
def test_the_same_precisions_are_found_from_afar(model, logs):
    known, found = (best_precisions(model, start) for start in (model.families.start(), np.array(logs)))
    assert found.value == pytest.approx(known.value, abs=1e-3)
    assert found.logs == pytest.approx(known.logs, abs=0.05)


def test_fellner_schall_steps_alone_end_lower(model):
    """They leave out how the information changes with the coefficients."""
    near = approach(model, start_of(model), model.families.start())
    best = best_precisions(model, model.families.start())
    assert left_to_gain(best, Box.around(best)) < TUNING.summit_gain
    assert best.value > near.value


def test_a_family_that_says_nothing_stays_within_its_limits(model):
    low, high = TUNING.log_precision_limits
    here = climb(model, start_of(model), np.array([0.0, high]))
    found = adjust(model, here, Box.around(here), TUNING.settled_gain)
    assert low <= found.logs.min()
    assert found.logs.max() <= high


def test_what_is_not_in_the_box_stays(model):
    here = approach(model, start_of(model), model.families.start())
    fixed = adjust(model, here, Box.around(here), TUNING.summit_gain)
    assert fixed.point[0] == here.point[0]
    moved = adjust(model, here, Box.around(here, PiRange(), settles=False), TUNING.summit_gain)
    assert moved.logs.tolist() == here.logs.tolist()
    assert moved.point[0] != here.point[0]


def test_a_climb_gives_up_where_what_is_wanted_is_out_of_sight(model):
    here = approach(model, start_of(model), model.families.start())
    box = Box.around(here, PiRange())
    best = adjust(model, here, box, TUNING.summit_gain)
    assert best.value > here.value + 1.0
    assert adjust(model, here, box, TUNING.summit_gain, wanted=best.value) is not here
    assert adjust(model, here, box, TUNING.summit_gain, wanted=best.value + 1e3) is here
