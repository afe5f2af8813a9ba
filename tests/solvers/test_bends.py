"""A second look at smoothing: terms taken for straight are let bend where the data speak for it."""

import numpy as np
import pytest

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.solvers.bends import look_for_bends
from pugam.solvers.exploring import objectives
from pugam.solvers.fisher import maximize_fisher
from pugam.solvers.pi import PiRange
from pugam.solvers.smoothing import log_marginal

STRAIGHT = 1e6


def example(setting):
    """Rows of a setting behind an engine, and the objective as a function of the smoothing parameters."""
    data = simulate(setting, n0=1250, n=1500, random_state=5)
    model = PUGAM(n_jobs=1, estimate="mode").fit(data.X, data.z)
    engine, _ = model._rows
    return engine, model._design, objectives(engine, model._design, model._settings.prior), model._fit


def optimum_at(at, start, kappas):
    return maximize_fisher(at(kappas), start[None], PiRange(), 1e-6, 100)[0]


@pytest.mark.parametrize("bent", [[0], [1, 3], [0, 1, 2, 3, 4]])
def test_terms_that_bend_are_found_however_many_were_taken_for_straight(bent):
    _, design, at, fit = example(setting=2)
    kappas = fit.kappas.copy()
    kappas[bent] = STRAIGHT
    straight = optimum_at(at, fit.penalized.beta, kappas)

    beta, found = look_for_bends(design, at, straight.beta, kappas, PiRange())

    assert (found[bent] < 1.0).all()
    (here,) = at(found).stand([beta])
    assert log_marginal(design, here, found) > log_marginal(design, straight, kappas) + 5.0


def test_straight_terms_stay_straight():
    _, design, at, fit = example(setting=1)
    kappas = np.full(5, STRAIGHT)
    straight = optimum_at(at, fit.penalized.beta, kappas)

    beta, found = look_for_bends(design, at, straight.beta, kappas, PiRange())

    np.testing.assert_array_equal(found, kappas)
    np.testing.assert_array_equal(beta, straight.beta)
