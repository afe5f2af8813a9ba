"""Logarithms that even out a long tail: monotone, smooth at the edge, and the same for repeated rows."""

import numpy as np
import pytest

from pugam import PUGAM, InputError, s
from pugam.data import read_table
from pugam.datasets import simulate
from pugam.terms import Design
from pugam.terms.scales import LogScale, find_log_scale, is_skewed

RNG = np.random.default_rng(0)
NORMAL = RNG.normal(size=2000)
LONG = np.exp(NORMAL)


def basis_of(values, **options):
    """The term on the scale that its options, or else the tails of the values, ask for."""
    table = read_table(np.column_stack([values])).renamed(["x"])
    design = Design.resolve([s("x", **options)], table)
    return (design.with_logarithms(table) or design).bases[0]


@pytest.mark.parametrize("mirrored", [False, True])
def test_the_scale_rises_with_the_slope_it_tells_also_beyond_its_range(mirrored):
    scale = LogScale(mirrored, 3.0 if mirrored else -3.0, 2.0 if mirrored else -2.0)
    x = np.linspace(-9.0, 9.0, 2001)

    t = scale(x)

    assert np.all(np.diff(t) > 0.0)
    step = 1e-6
    np.testing.assert_allclose((scale(x + step) - scale(x - step)) / (2.0 * step), scale.slope(x), rtol=1e-6)


def test_the_tails_of_the_logarithms_are_equally_long():
    scale = find_log_scale(LONG, LONG.min(), LONG.max())

    low, middle, high = np.quantile(scale(LONG), [0.05, 0.5, 0.95])
    assert (high - middle) / (middle - low) == pytest.approx(1.0, abs=0.2)  # the pole keeps its distance
    assert not scale.mirrored
    mirror = find_log_scale(-LONG, -LONG.max(), -LONG.min())
    assert mirror.mirrored
    np.testing.assert_allclose(mirror(-LONG), -scale(LONG), rtol=1e-9, atol=1e-9)


def test_only_columns_with_a_long_tail_are_put_on_a_log_scale():
    assert is_skewed(LONG)
    assert not is_skewed(NORMAL)
    assert basis_of(LONG).scale is not None
    assert basis_of(NORMAL).scale is None
    assert basis_of(RNG.random(2000)).scale is None
    assert basis_of(LONG, scale="linear").scale is None
    assert basis_of(NORMAL + 10.0 * LONG, scale="log").scale is not None
    assert basis_of(RNG.poisson(1.0, 2000).astype(float), k=5).scale is None  # few distinct values
    with pytest.raises(InputError, match="scale"):
        s("x", scale="sqrt")


def test_a_spike_and_repeated_rows_do_not_move_the_scale():
    spiked = np.concatenate([LONG, np.zeros(3000)])

    assert basis_of(np.repeat(LONG, 2)).scale == basis_of(LONG).scale
    assert basis_of(spiked).scale.shift < 0.0


def test_effects_and_slopes_are_those_of_the_columns():
    basis = basis_of(LONG)
    theta = RNG.normal(size=9)
    x = np.linspace(LONG.min() - 1.0, LONG.max() + 5.0, 301)

    np.testing.assert_allclose(basis.effect(x, theta), basis.columns(x) @ theta, atol=1e-10)
    step = 1e-6
    numeric = (basis.effect(x + step, theta) - basis.effect(x - step, theta)) / (2.0 * step)
    np.testing.assert_allclose(basis.slopes(x) @ theta, numeric, rtol=1e-4, atol=1e-5)


@pytest.mark.long
def test_pi_does_not_depend_on_whether_a_column_came_as_its_logarithm():
    # Densities whose log ratio is linear in the logarithms, of 500 labelled and 2000 unlabelled rows.
    rng = np.random.default_rng(3)
    y = np.concatenate([np.ones(500), rng.random(2000) < 0.3])
    logs = rng.normal(size=(2500, 2)) + y[:, None]
    z = (np.arange(2500) < 500).astype(int)

    plain, long = PUGAM().fit(logs, z), PUGAM().fit(np.exp(logs), z)
    straight = PUGAM([s("x0", scale="linear"), s("x1", scale="linear")]).fit(np.exp(logs), z)

    assert long.pi_ == pytest.approx(plain.pi_, abs=0.02)
    assert abs(straight.pi_ - plain.pi_) > 0.02


def test_the_scale_that_was_chosen_is_told_and_can_be_given_back():
    rng = np.random.default_rng(4)
    positive = np.repeat([1.0, 0.0], [700, 500])
    X = np.column_stack([np.exp(rng.normal(size=1200) + positive), rng.normal(size=1200) + positive])
    z = (np.arange(1200) < 400).astype(int)

    model, mode = PUGAM().fit(X, z), PUGAM(estimate="mode").fit(X, z)
    again = PUGAM(model.formula_).fit(X, z)
    mode_again = PUGAM(mode.formula_, smoothing=mode.smoothing_, tol=1e-8).fit(X, z)

    assert model.formula_ == mode.formula_ == 's(x0, scale="log") + s(x1)'
    # With the scale given, the way to the summit is another.
    assert again.pi_ == pytest.approx(model.pi_, abs=5e-3 * (model.pi_interval().upper - model.pi_interval().lower))
    assert mode_again.pi_ == pytest.approx(mode.pi_, abs=1e-4)
    assert PUGAM(smoothing=0.01).fit(X, z).formula_ == "s(x0) + s(x1)"  # given smoothing is for the values


def test_logarithms_are_kept_only_where_they_fit_better():
    # The log ratio is linear in a long-tailed feature itself: exponential densities with different rates.
    rng = np.random.default_rng(5)
    positive = np.repeat([1.0, 0.0], [1200, 1300])
    X = rng.exponential(size=(2500, 2)) * (1.0 + 2.0 * positive[:, None])
    z = (np.arange(2500) < 700).astype(int)

    model = PUGAM().fit(X, z)

    assert is_skewed(X[:, 0])
    assert model.formula_ == "s(x0) + s(x1)"


@pytest.mark.parametrize("setting", [1, 2, 3])
@pytest.mark.parametrize("pi", [0.4, *(pytest.param(pi, marks=pytest.mark.long) for pi in (0.1, 0.7))])
def test_features_between_bounds_are_not_taken_for_long_tailed(setting, pi):
    # The paper's settings: even on [0, 1], then drawn towards one end by the labelled positives.
    for seed in range(10):
        X = simulate(setting, n0=1250, n=1500, pi=pi, random_state=seed).X
        assert not any(is_skewed(X[name].to_numpy()) for name in X)
