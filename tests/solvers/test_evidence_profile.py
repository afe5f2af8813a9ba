"""The evidence on pi: against numerical integration, where curves are flat, its maximum and its limits."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, log_expit, logit

from pugam.data import read_table
from pugam.datasets import simulate
from pugam.engines import MemoryEngine
from pugam.solvers import EvidenceCurve, PiPrior, PiRange
from pugam.solvers.evidence_profile import Model, climb, climb_profile, settle
from pugam.terms import Design, parse_formula


def model_of(frame, z, formula, prior=PiPrior()):  # noqa: B008
    table = read_table(frame)
    design = Design.resolve(parse_formula(formula), table)
    return Model.of(MemoryEngine(design, design.encode(table), np.asarray(z) == 1), design, prior)


def start_of(model, pi=0.5):
    layout = model.design.layout
    return layout.join(logit(pi), 0.0, np.zeros(layout.n_coefficients))


def integrated(model, X, z, pi, precision):
    """Log of the integral over one slope and the intercept, the latter's prior the root of its information."""
    n0, n1 = model.engine.n0, model.engine.n1
    c = n0 / (n0 + n1 * pi)
    intercepts, slopes = np.linspace(-4.0, 8.0, 121), np.linspace(0.0, 40.0, 161)
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


def test_the_maximum_and_the_limits_are_found_from_far_away():
    data = simulate(2, n0=1250, n=1500, random_state=1)
    model = model_of(data.X, data.z, " + ".join(f"s({name})" for name in data.X.columns), PiPrior(1.0, 1.0))
    found = []
    for pi in (0.2, 0.7):
        start = settle(model, start_of(model, pi), model.families.start())
        best, curve = climb_profile(model, start, PiRange())
        found.append((best.place, *curve.limits(1.92)))
    assert found[0] == pytest.approx(found[1], abs=0.03)
    low, high = found[0][1:]
    for place in (low, high):
        assert curve.fall(place) == pytest.approx(1.92, abs=0.1)


def test_a_curve_knows_its_limits():
    places = np.linspace(-3.0, 3.0, 25)
    curve = EvidenceCurve(places, -0.5 * (places / 0.5) ** 2)
    assert curve.limits(1.92) == pytest.approx((-0.98, 0.98), abs=0.01)
    assert curve.fall(0.5) == pytest.approx(0.5, abs=0.01)
    assert curve.limits(1e3) == (-np.inf, np.inf)


def test_few_places_exclude_nothing():
    assert EvidenceCurve(np.array([0.0]), np.array([1.0])).limits(1.92) == (-np.inf, np.inf)
