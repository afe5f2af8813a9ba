"""Weighted sums of chi-square variables: against simulation, against integrals, in the tail, and in the limits."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import chi2

from pugam.inference.distributions import squares_sf, weighted_chi2_sf

WEIGHTS = {
    "falling": [1.0, 0.7, 0.4, 0.2, 0.1],
    "one and a bit": [1.0, 0.05],
    "two and a half": [1.0, 1.0, 0.5],
    "many small": [1.0] + [0.1] * 12,
    "wide": [100.0, 1.0, 0.01],
}


def exact_sf(x, large, small):
    """P(large A + small B > x) for two independent chi-square variables, by an integral over the normal behind B."""
    end = np.sqrt(x / small)
    inside, _ = quad(
        lambda t: 2.0 * np.exp(-0.5 * t * t) / np.sqrt(2.0 * np.pi) * chi2.sf((x - small * t * t) / large, 1),
        0.0,
        min(end, 40.0),
        limit=400,
        epsabs=0.0,
    )
    return inside + chi2.sf(x / small, 1)


@pytest.mark.parametrize(
    "weights",
    [
        pytest.param(weights, marks=[pytest.mark.long] if len(weights) > 5 else [], id=name)
        for name, weights in WEIGHTS.items()
    ],
)
def test_probabilities_are_those_of_simulated_sums(weights):
    # 400 000 draws: at a probability of 0.01 the simulation is off by 1.6 percent, elsewhere by less; the approximation
    # by four percent at most.
    weights = np.array(weights)
    draws = np.random.default_rng(0).chisquare(1.0, (400_000, len(weights))) @ weights

    for probability in (0.9, 0.5, 0.2, 0.05, 0.01):
        x = float(np.quantile(draws, 1.0 - probability))
        assert weighted_chi2_sf(x, weights) == pytest.approx(probability, rel=0.06)


@pytest.mark.parametrize("small", [0.9, 0.5, 0.1, 0.01])
@pytest.mark.parametrize("x", [0.3, 1.0, 3.84, 8.0, 15.0])
def test_probabilities_of_two_are_those_of_an_integral(small, x):
    # Kuonen's approximation is off by two percent in the middle and by eight at a probability of 1e-4.
    assert weighted_chi2_sf(x, np.array([1.0, small])) == pytest.approx(exact_sf(x, 1.0, small), rel=0.085)


@pytest.mark.parametrize("x", [40.0, 80.0, 300.0])
def test_the_far_tail_keeps_its_order_of_magnitude(x):
    found = weighted_chi2_sf(x, np.array([1.0, 0.5]))

    assert 0.0 < found < 1e-8
    assert found == pytest.approx(exact_sf(x, 1.0, 0.5), rel=0.2)


@pytest.mark.parametrize("weight", [1.0, 0.3, 40.0])
@pytest.mark.parametrize("n", [1, 2, 7])
def test_equal_weights_are_an_exact_chi_square(n, weight):
    for x in (0.01, 1.0, 5.0, 50.0):
        found = weighted_chi2_sf(weight * x, np.full(n, weight))
        assert found == pytest.approx(chi2.sf(x, n), rel=1e-10)


def test_nearly_equal_weights_are_nearly_a_chi_square():
    weights = np.array([1.0, 0.9999, 0.9998])

    for x in (0.5, 3.0, 8.0):
        assert weighted_chi2_sf(x, weights) == pytest.approx(chi2.sf(x, 3), rel=0.01)


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
def test_probabilities_fall_from_one_to_zero(weights):
    weights = np.array(weights)
    x = np.sort(np.concatenate([np.geomspace(1e-6, 1e4, 400), weights.sum() * np.linspace(0.999, 1.001, 41)]))

    found = np.array([weighted_chi2_sf(float(value), weights) for value in x])

    assert found[0] == pytest.approx(1.0, abs=0.01)
    assert found[-1] < 1e-10
    assert (np.diff(found) <= 0.0).all()
    assert np.abs(np.diff(found)).max() < 0.05


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
def test_the_unit_does_not_matter(weights):
    weights = np.array(weights)
    x = 1.5 * float(weights.sum())

    for factor in (1e-8, 0.1, 1e8):
        assert weighted_chi2_sf(factor * x, factor * weights) == pytest.approx(weighted_chi2_sf(x, weights), rel=1e-9)


def test_weights_of_nothing_do_not_count():
    assert weighted_chi2_sf(3.0, np.array([1.0, 1.0, 1e-9, 0.0])) == pytest.approx(chi2.sf(3.0, 2), rel=1e-12)


@pytest.mark.parametrize("x", [1e-12, 1e-20, 1e-26, 1e-300])
def test_next_to_nothing_is_nearly_always_exceeded(x):
    assert weighted_chi2_sf(x, np.array([1.0, 0.97])) == pytest.approx(1.0)


@pytest.mark.parametrize(("x", "weights"), [(0.0, [1.0, 0.5]), (-1.0, [1.0]), (3.0, []), (3.0, [0.0])])
def test_what_is_always_exceeded_has_probability_one(x, weights):
    assert weighted_chi2_sf(x, np.array(weights)) == 1.0


def test_squares_of_normal_variables_are_chi_square():
    assert squares_sf(12.0, 7.0, 0.0) == pytest.approx(chi2.sf(12.0, 7), rel=1e-12)


@pytest.mark.parametrize("chance", [0.5, 0.1, 0.02, 0.004])
def test_counts_in_cells_exceed_their_quantiles_as_often_as_they_should(chance):
    # 30 cells of 50 rows with the same chance: of 100,000 sums, standardised, 0.01 should be beyond (+- 0.0003).
    rng, variance = np.random.default_rng(0), 50 * chance * (1 - chance)
    sums = np.sum((rng.binomial(50, chance, (100_000, 30)) - 50 * chance) ** 2, axis=1) / variance
    excess = 30 * (1 - 6 * chance * (1 - chance)) / variance

    found = np.mean([squares_sf(x, 30.0, excess) < 0.01 for x in np.quantile(sums, np.linspace(0.9, 1.0, 1001))]) * 0.1

    # Sums of few labels are skew beyond their variance; chi-square on 30 degrees of freedom has 0.14 in place of 0.02.
    assert 0.007 < found < 0.02


def test_there_is_no_less_than_one_degree_of_freedom():
    assert squares_sf(60.0, 30.0, 1e9) == pytest.approx(chi2.sf(2.0, 1), rel=1e-9)
    assert squares_sf(3.0, 1.0, 1e9) == pytest.approx(chi2.sf(3.0, 1), rel=1e-9)
