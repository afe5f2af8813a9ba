"""The evidence along pi: its maximum, its limits, and the curve between places."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import logit

from pugam.data import read_table
from pugam.datasets import simulate
from pugam.engines import MemoryEngine
from pugam.solvers import EvidenceCurve, PiPrior, PiRange
from pugam.solvers.evidence_profile import _Search, ascend, follow
from pugam.solvers.laplace import Model
from pugam.solvers.settling import settle
from pugam.terms import Design, parse_formula


def model_of(frame, z, formula, prior=PiPrior()):  # noqa: B008
    table = read_table(frame)
    design = Design.resolve(parse_formula(formula), table)
    return Model.of(MemoryEngine(design, design.encode(table), np.asarray(z) == 1), design, prior)


def start_of(model, pi=0.5):
    layout = model.design.layout
    return layout.join(logit(pi), 0.0, np.zeros(layout.n_coefficients))


def test_the_maximum_and_the_limits_are_found_from_far_away():
    data = simulate(2, n0=1250, n=1500, random_state=1)
    model = model_of(data.X, data.z, " + ".join(f"s({name})" for name in data.X.columns), PiPrior(1.0, 1.0))
    found = []
    for pi in (0.2, 0.7):
        start = settle(model, start_of(model, pi), model.families.start())
        best, curve = follow(model, start, PiRange())
        found.append((best.point[0], *curve.limits(1.92)))
    assert found[0] == pytest.approx(found[1], abs=3e-3)
    low, high = found[0][1:]
    for place in (low, high):
        assert curve.fall(place) == pytest.approx(1.92, abs=0.01)
    assert best.slopes[0] == pytest.approx(0.0, abs=0.05)


def test_the_maximum_alone_is_the_same():
    data = simulate(1, n0=500, n=800, random_state=2)
    model = model_of(data.X, data.z, "s(x1) + s(x2) + s(x3)")
    start = settle(model, start_of(model), model.families.start())
    top, (best, _) = ascend(model, start, PiRange()), follow(model, start, PiRange())
    assert top.point[0] == pytest.approx(best.point[0], abs=1e-6)


def test_a_maximum_at_an_end_of_the_range_is_found():
    data = simulate(1, n0=500, n=800, random_state=2)
    model = model_of(data.X, data.z, "s(x1) + s(x2)")
    start = settle(model, start_of(model, 0.85), model.families.start())
    best, curve = follow(model, start, PiRange(0.8, 0.9))
    assert best.optimum.pi in (pytest.approx(0.8), pytest.approx(0.9))
    assert logit(0.8) - 1e-9 <= curve.places[0] <= curve.places[-1] <= logit(0.9) + 1e-9


def test_precisions_stay_where_they_are_if_asked_to():
    data = simulate(1, n0=500, n=800, random_state=3)
    model = model_of(data.X, data.z, "s(x1) + s(x2)")
    start = settle(model, start_of(model), model.families.start())
    best = ascend(model, start, PiRange(), settles=False)
    assert best.logs.tolist() == start.logs.tolist()
    assert best.slopes[0] == pytest.approx(0.0, abs=0.05)


def parabola(places):
    return EvidenceCurve(places, -0.5 * (places / 0.5) ** 2, -places / 0.25)


def test_a_curve_knows_its_limits():
    curve = parabola(np.linspace(-3.0, 3.0, 7))
    assert curve.limits(1.92) == pytest.approx((-0.98, 0.98), abs=0.001)
    assert curve.fall(0.5) == pytest.approx(0.5, abs=1e-9)
    assert curve.limits(1e3) == (-np.inf, np.inf)


def test_few_places_exclude_nothing():
    curve = EvidenceCurve(np.array([0.0]), np.array([1.0]), np.array([0.0]))
    assert curve.limits(1.92) == (-np.inf, np.inf)
    assert curve.fall(3.0) == 0.0


@pytest.mark.parametrize("factor", [0.04, 0.5, 1.0, 3.0])
def test_a_parabola_that_falls_so_many_times_as_fast_is_that_of_another_variance(factor):
    """Six deep, as curves are followed: at a factor of 0.04 no place that was looked at has fallen by 1.92."""
    places = np.linspace(-3.5, 3.5, 29)
    curve = EvidenceCurve(0.2 + places, -0.5 * places**2, -places).falling(factor)
    reach = 1.96 / factor**0.5
    assert curve.limits(0.5 * 1.96**2) == pytest.approx((0.2 - reach, 0.2 + reach), abs=0.02 * reach)
    assert curve.fall(0.2 + 0.5 * reach) == pytest.approx(0.125 * 1.96**2, rel=1e-6)
    assert curve.extended(np.array([0.2 - reach]))[0] == pytest.approx(-0.5 * 1.96**2, rel=1e-6)


def test_where_it_falls_faster_limits_are_those_of_the_curve_at_a_smaller_fall():
    places = np.linspace(-6.0, 1.0, 71)
    skewed = EvidenceCurve(places, 4 * places - 60 * np.log1p(np.exp(places)), 4 - 60 / (1 + np.exp(-places)))
    assert skewed.falling(2.5).limits(1.92) == skewed.limits(1.92 / 2.5)


def narrow_parabola(places):
    return -0.5 * (places / 0.2) ** 2, -places / 0.04


def test_a_jump_to_a_lower_mode_does_not_end_the_interval():
    """Beside the top the climb ends on a mode that is 3 lower, and bends as the first one does."""
    places = np.array([-0.5, -0.25, 0.0, 0.001, 0.25, 0.5])
    values, slopes = narrow_parabola(places)
    lower = values - np.where(np.arange(6) >= 3, 3.0, 0.0)
    low, high = EvidenceCurve(places, lower, slopes).limits(1.92)
    assert high < 0.01
    assert EvidenceCurve.without_jumps(places, lower, slopes).limits(1.92) == pytest.approx(
        EvidenceCurve(places, values, slopes).limits(1.92), abs=0.02
    )
    assert low == pytest.approx(-0.2 * np.sqrt(2 * 1.92), abs=1e-3)


def test_a_slope_without_bound_at_the_top_is_no_fall():
    """Where a mode ends, the evidence falls ever more steeply towards its end."""
    places = np.array([-0.5, -0.25, 0.0, 0.01, 0.25, 0.5])
    values, slopes = narrow_parabola(places)
    lower = values - np.where(np.arange(6) >= 3, 3.0, 0.0)
    slopes[2] = -500.0
    curve = EvidenceCurve.without_jumps(places, lower, slopes)
    assert curve.values[3] > -0.1


def test_a_curve_without_jumps_stays_as_it_is():
    places = np.linspace(-0.6, 0.6, 7)
    values, slopes = narrow_parabola(places)
    values, slopes = values + places**3, slopes + 3 * places**2
    assert EvidenceCurve.without_jumps(places, values, slopes).values == pytest.approx(values)


def test_a_jump_to_a_higher_mode_counts():
    places = np.array([-0.4, -0.2, 0.0, 0.2, 0.4])
    values, slopes = narrow_parabola(places)
    values[4] += 1.5
    assert EvidenceCurve.without_jumps(places, values, slopes).values == pytest.approx(values)


@pytest.mark.parametrize(("skew", "even"), [(0.0, True), (0.5, True), (5.0, False)])
def test_a_curve_is_even_where_a_parabola_nearly_goes_through_it(skew, even):
    places = np.array([0.0, 0.7])
    values, slopes = narrow_parabola(places)
    curve = EvidenceCurve(places, values + skew * places**3, slopes + 3 * skew * places**2)
    assert curve.bends_evenly(0.4) is even


@pytest.mark.parametrize(("steeper", "believed"), [(2.0, True), (1e6, False)])
def test_a_bend_learned_from_a_jump_is_forgotten(steeper, believed):
    usual, learned = np.diag([25.0, 1.0]), np.diag([25.0 * steeper, 1.0])
    search = _Search(None, PiRange(), 0, {}, learned)
    error = search.forget_jumps(SimpleNamespace(bend=learned, usual_bend=usual))
    assert error == pytest.approx(0.2 / np.sqrt(steeper) if believed else 0.2)
    assert search.bend is (learned if believed else usual)
