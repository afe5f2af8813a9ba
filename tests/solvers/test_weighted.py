"""Statistics in which a row of weight two counts as two rows."""

import numpy as np
import pytest

from pugam.solvers.weighted import are_copies, quantiles, unit_of

SHARES = np.linspace(0.0, 1.0, 21)


@pytest.mark.parametrize("unit", [1.0, 1.0 / 3.0])
@pytest.mark.parametrize("n", [1, 2, 37, 200])
def test_quantiles_are_those_of_copies(n, unit):
    rng = np.random.default_rng(n)
    values, copies = rng.normal(size=n).round(1), rng.integers(1, 6, n)

    found = quantiles(values, copies * unit, SHARES, unit)

    np.testing.assert_allclose(found, np.quantile(np.repeat(values, copies), SHARES), rtol=1e-13, atol=1e-15)


def test_quantiles_do_not_depend_on_the_unit_of_light_weights():
    rng = np.random.default_rng(0)
    values, weights = rng.normal(size=100), rng.uniform(0.5, 1.5, 100)

    found = [quantiles(values, weights * scale / weights.mean(), SHARES) for scale in (1e-6, 0.5)]

    np.testing.assert_allclose(found[0], found[1])
    assert np.abs(found[0] - np.quantile(values, SHARES)).max() < 0.5


def test_whole_numbers_are_copies():
    assert are_copies(np.array([1.0, 3.0, 0.0]))
    assert not are_copies(np.array([1.0, 1.5]))


def test_a_unit_is_no_more_than_the_mean_weight():
    assert unit_of(np.array([0.0, 0.2, 0.4])) == pytest.approx(0.3)
    assert unit_of(np.array([2.0, 3.0])) == 1.0
    assert unit_of(np.zeros(2)) == 1.0
