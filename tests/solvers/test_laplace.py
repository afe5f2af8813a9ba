"""The evidence at one pi: against numerical integration, where curves are flat, and its derivatives."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, log_expit, logit

from pugam.data import read_table
from pugam.datasets import simulate
from pugam.engines import MemoryEngine
from pugam.solvers import TUNING, PiPrior, laplace
from pugam.solvers.laplace import Model, climb, log_evidence
from pugam.terms import Design, parse_formula


def model_of(frame, z, formula, prior=PiPrior(), weights=None):  # noqa: B008
    table = read_table(frame)
    design = Design.resolve(parse_formula(formula), table)
    return Model.of(MemoryEngine(design, design.encode(table), np.asarray(z) == 1, weights), design, prior)


def start_of(model, pi=0.5):
    layout = model.design.layout
    return layout.join(logit(pi), 0.0, np.zeros(layout.n_coefficients))


@pytest.fixture
def exact(monkeypatch):
    """Modes to the last digits, for numerical derivatives."""
    monkeypatch.setattr(laplace, "TUNING", replace(TUNING, evidence_tol=1e-10, evidence_iterations=500))


def integrated(model, X, z, pi, precision):
    """Log of the integral over one slope and the intercept, the latter's prior the root of its information."""
    n0, n1 = model.engine.n0, model.engine.n1
    c = n0 / (n0 + n1 * pi)
    intercepts, slopes = np.linspace(-4.0, 8.0, 61), np.linspace(0.0, 40.0, 81)  # twice as many: 2e-6
    s = intercepts[:, None, None] + slopes[:, None] * X
    value = np.where(z, np.log(c) + log_expit(s), np.logaddexp(0.0, np.log1p(-c) + s) + log_expit(-s)).sum(axis=-1)
    m = expit(s)
    own = (c * m * (1.0 - m) ** 2 / (1.0 - c * m)).sum(axis=-1)
    log_prior = 0.5 * np.log(own) - 0.5 * precision * slopes**2 + 0.5 * np.log(precision)
    return float(np.log(np.sum(np.exp(value + log_prior - value.max()))) + value.max())


def test_laplace_is_close_to_the_integral():
    """Up to 0.15 in the difference of two log evidences, with 300 rows: the error of the approximation itself."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=300)
    z = rng.random(300) < 0.7 * expit(1.5 * x)
    model = model_of(pd.DataFrame({"x": x}), z, "l(x)")
    column = model.design.matrix(model.engine.encoded)[:, 1]
    precision = float(model.families.precision(np.zeros(1))[0])
    ends = [climb(model, start_of(model, pi), np.zeros(1)).value for pi in (0.2, 0.6)]
    exact = [integrated(model, column, z, pi, precision) for pi in (0.2, 0.6)]
    assert ends[1] - ends[0] == pytest.approx(exact[1] - exact[0], abs=0.15)


def test_without_curves_rows_say_nothing_about_pi():
    """With an enormous precision all curves are flat, and only the prior on pi is left."""
    data = simulate(1, n0=300, n=500, random_state=0)
    model = model_of(data.X, data.z, "l(x1) + l(x2)", PiPrior(1.0, 1.0))
    flat = [climb(model, start_of(model, pi), np.array([18.0])) for pi in (0.1, 0.5, 0.9)]
    priors = [float(model.prior.value(np.array(pi))) for pi in (0.1, 0.5, 0.9)]
    assert np.diff([one.value for one in flat]) == pytest.approx(np.diff(priors), abs=1e-3)


@pytest.fixture(scope="module", params=["plain", "weighted"])
def model(request):
    data = simulate(2, n0=500, n=900, random_state=1)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 900) if request.param == "weighted" else None
    return model_of(data.X, data.z, "s(x1) + s(x2) + l(x3) + ti(x1, x2)", PiPrior(2.0, 3.0), weights)


@pytest.mark.parametrize("pi", [0.15, 0.6])
def test_derivatives_are_those_of_the_evidence(model, exact, pi):
    """Central differences with steps of 1e-4: to six digits."""
    logs = np.array([0.3, 0.8, 1.5])
    at = climb(model, start_of(model, pi), logs)

    def evidence(point):
        return climb(model, at.moved(point), point[1:]).value

    step = 1e-4
    along = [(evidence(at.point + way) - evidence(at.point - way)) / (2.0 * step) for way in step * np.eye(4)]
    assert at.slopes == pytest.approx(along, rel=1e-5, abs=1e-6)


def test_the_mode_follows_the_tangent(model, exact):
    """What is left is of second order: a tenth of the step leaves a hundredth."""
    at = climb(model, start_of(model, 0.4), np.zeros(3))
    left = []
    for step in (0.1, 0.01):
        other = climb(model, at.optimum.beta, np.full(3, step))
        moved = at.moved(np.append(at.point[0] + step, other.logs))
        left.append(np.abs(moved - climb(model, moved, other.logs).optimum.beta).max())
    assert left[1] < 0.02 * left[0]


def test_a_climb_that_ends_early_sees_nearly_the_same_evidence(model, exact, monkeypatch):
    """What it has left to gain is counted, up to a tenth of what it would be off by."""
    logs = np.array([0.3, 0.8, 1.5])
    at = climb(model, start_of(model, 0.4), logs)
    monkeypatch.setattr(laplace, "TUNING", replace(TUNING, evidence_tol=1.0))
    early = climb(model, at.optimum.beta + 1e-3 * np.eye(at.optimum.layout.size)[3], logs)
    assert early.optimum.n_iter <= 1
    off = abs(log_evidence(model, early.optimum, logs) - at.value)
    assert abs(early.value - at.value) < 0.1 * off
