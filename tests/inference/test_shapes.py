"""Draws of parameters that keep to constraints, and the limits they give."""

import numpy as np
import pytest

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.inference import draw_parameters, shaped_covariance
from pugam.inference.shapes import shaped_limits

GRID = np.linspace(0.0, 1.0, 41)


def fit(setting, **shapes):
    data = simulate(setting, n0=800, n=1000, random_state=1)
    options = {name: f", shape='{shape}'" for name, shape in shapes.items()}
    formula = " + ".join(f"s({name}{options.get(name, '')})" for name in data.X)
    return PUGAM(formula, shrinkage="never").fit(data.X, data.z)


@pytest.fixture(scope="module")
def plain():
    return fit(1)


@pytest.fixture(scope="module")
def inactive():
    """A steep line, asked to increase: no constraint is anywhere near."""
    return fit(1, x1="increasing")


@pytest.fixture(scope="module")
def active():
    """Curves that fall, then rise, asked to increase or to be convex."""
    return fit(2, x1="increasing", x2="convex")


@pytest.fixture(scope="module")
def contradicted():
    return fit(1, x1="decreasing")


def test_draws_keep_to_the_constraints(active):
    draws = draw_parameters(active._inference)

    slack = draws[:, active._design.layout.coefficients] @ active._design.constraints.T
    assert slack.min() > -1e-9
    assert 0.0 < np.mean(slack < 1e-9) < 1.0


def test_draws_are_the_same_every_time(active):
    np.testing.assert_array_equal(draw_parameters(active._inference), draw_parameters(active._inference))


def test_without_constraints_nearby_draws_have_the_usual_mean_and_covariance(inactive):
    draws = draw_parameters(inactive._inference)

    np.testing.assert_allclose(draws.mean(axis=0), inactive._fit.optimum.beta, atol=1e-3)
    usual = inactive._inference.curve_covariance()
    np.testing.assert_allclose(shaped_covariance(inactive._inference), usual, atol=1e-9 * np.abs(usual).max())


def test_without_constraints_nearby_bands_are_the_usual_ones(inactive, plain):
    for simultaneous in (False, True):
        ours, usual = (model.effect("x1", GRID, simultaneous=simultaneous) for model in (inactive, plain))
        np.testing.assert_allclose(ours.u, usual.u, atol=1e-4)
        np.testing.assert_allclose(ours.se, usual.se, rtol=1e-3)
        # Quantiles of 2000 draws: standard error 0.06 standard errors, three of which are allowed for.
        np.testing.assert_allclose(ours.lower, usual.lower, atol=0.18 * usual.se.max())
        np.testing.assert_allclose(ours.upper, usual.upper, atol=0.18 * usual.se.max())


@pytest.mark.parametrize("simultaneous", [False, True])
@pytest.mark.parametrize("center", ["range", "rows"])
def test_bands_of_increasing_curves_increase_and_hold_the_curve(active, simultaneous, center):
    band = active.effect("x1", GRID, simultaneous=simultaneous, center=center)

    for limit in (band.lower, band.u, band.upper):
        assert np.diff(limit).min() > -1e-9
    assert (band.lower <= band.u).all()
    assert (band.u <= band.upper).all()


def test_derivatives_of_increasing_curves_are_not_negative(active):
    slopes = active.effect("x1", GRID, derivative=True)

    assert slopes.lower.min() > -1e-9
    assert slopes.u.min() > -1e-9


def test_simultaneous_limits_are_wider(active):
    alone, together = (active.effect("x1", GRID, simultaneous=kind) for kind in (False, True))

    assert (together.lower <= alone.lower).all()
    assert (together.upper >= alone.upper).all()
    assert (together.upper - together.lower).mean() > 1.1 * (alone.upper - alone.lower).mean()


def test_the_interval_of_an_odds_ratio_keeps_to_the_shape(active):
    interval = active.odds_ratio("x1", 0.1, 0.3)  # there the free curve falls

    assert 1.0 - 1e-9 <= interval.lower <= interval.estimate < interval.upper
    assert interval.method == "draws"
    assert active.odds_ratio("x3", 0.1, 0.3).method == "wald"


def test_several_columns_are_compared_by_draws_where_one_has_a_shape(active):
    a, b = {"x1": 0.4, "x3": 0.2}, {"x1": 0.9, "x3": 0.2}

    together, alone = active.contrast(a, b), active.contrast({"x1": 0.4}, {"x1": 0.9})

    assert (together.lower, together.upper) == pytest.approx((alone.lower, alone.upper))


def test_a_flat_curve_that_the_data_contradict_has_a_narrow_band(contradicted):
    band = contradicted.effect("x1", GRID)

    np.testing.assert_allclose(band.u, 0.0, atol=1e-9)
    assert np.diff(band.lower).max() < 1e-9
    assert 0.0 <= (band.upper - band.lower).max() < 0.5  # the free line rises by 4.8


def test_posteriors_of_rows_have_limits(active):
    data = simulate(2, n0=800, n=1000, random_state=1)
    frame = active.predict_interval(data.X)

    assert ((frame.lower < frame.p_positive) & (frame.p_positive < frame.upper)).all()


# Limits


def test_pointwise_limits_are_quantiles():
    curves = np.arange(1000.0)[:, None] * [1.0, -2.0]

    lower, upper = shaped_limits(np.array([500.0, -1000.0]), curves, 0.9)

    np.testing.assert_allclose(lower, [49.0, -1900.0])
    np.testing.assert_allclose(upper, [950.0, -98.0])


def test_limits_hold_the_estimate():
    lower, upper = shaped_limits(np.array([-5.0, 2000.0]), np.arange(1000.0)[:, None] * [1.0, 1.0], 0.9)

    assert lower[0] == -5.0
    assert upper[1] == 2000.0


def test_the_asked_share_of_curves_lies_within_simultaneous_limits():
    rng = np.random.default_rng(0)
    curves = np.cumsum(rng.standard_normal((2000, 30)), axis=1)

    lower, upper = shaped_limits(np.zeros(30), curves, 0.9, simultaneous=True)

    inside = ((curves >= lower) & (curves <= upper)).all(axis=1)
    assert 0.9 <= inside.mean() < 0.92


def test_many_draws_that_are_equal_do_not_widen_simultaneous_limits():
    curves = np.zeros((1000, 5))
    curves[:20] = 1.0

    lower, upper = shaped_limits(np.zeros(5), curves, 0.95, simultaneous=True)

    assert not lower.any()
    assert not upper.any()
