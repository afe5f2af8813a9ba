"""Monte-Carlo errors are those that repeated simulations show, and stars are as rare as three standard errors say."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from pugam.studies.monte_carlo import (
    Comparison,
    Measured,
    average_of,
    mean_of,
    mean_square_of,
    median_of,
    rate_of,
    spread_of,
)

STUDIES, REPLICATES = 2000, 400


def test_mean_and_its_error():
    found = mean_of([1, 2, 3, 6])

    assert found == Measured(3.0, math.sqrt(14 / 3) / 2, 4)


def test_mean_square_and_its_error():
    found = mean_square_of([1, -2, 3])

    # The squares 1, 4 and 9 have mean 14/3 and variance 49/3.
    assert found.value == pytest.approx(14 / 3)
    assert found.error == pytest.approx(7 / 3)
    assert found.replicates == 3


def test_one_value_has_no_error():
    found = mean_of([3.0])

    assert (found.value, found.replicates) == (3.0, 1)
    assert math.isnan(found.error)


def test_average_of_figures_and_its_error():
    found = average_of([Measured(1.0, 0.3, 10), Measured(2.0, 0.4, 20)])

    assert found == Measured(1.5, pytest.approx(0.25), 30)


def test_median_and_its_error():
    """The median of n normal values has standard error sqrt(pi / 2n), here 0.0627; its estimate varies."""
    rng = np.random.default_rng(0)

    found = [median_of(rng.normal(size=REPLICATES)) for _ in range(STUDIES)]

    error = math.sqrt(math.pi / (2 * REPLICATES))
    assert np.std([one.value for one in found]) == pytest.approx(error, rel=0.06)
    assert np.mean([one.error for one in found]) == pytest.approx(error, rel=0.06)
    assert median_of([4.0]) == Measured(4.0, 0.0, 1)
    assert median_of([5.0, 1.0, 2.0]).value == 2.0


def test_rate_and_its_error():
    found = rate_of([True, False, False, False, False])

    assert found == Measured(0.2, math.sqrt(0.2 * 0.8 / 5), 5, is_rate=True)
    assert rate_of(np.zeros(7, dtype=bool)) == Measured(0.0, 0.0, 7, is_rate=True)


def test_spread_of_values_with_a_normal_shape():
    """Quantiles of the normal distribution stand in for a sample; its standard deviation has error sd / sqrt(2n)."""
    n = 20_000
    found = spread_of(3.0 * norm.ppf((np.arange(n) + 0.5) / n))

    assert found.value == pytest.approx(3.0, rel=1e-3)
    assert found.error == pytest.approx(3.0 / math.sqrt(2 * n), rel=5e-3)
    assert not found.is_rate


def test_spread_has_the_divisor_of_a_sample_and_none_where_nothing_varies():
    assert spread_of([1.0, 3.0]).value == pytest.approx(math.sqrt(2.0))
    assert spread_of([5.0, 5.0, 5.0]) == Measured(0.0, 0.0, 3)


@pytest.mark.parametrize(
    ("figure", "draw"),
    [
        (mean_of, lambda rng: rng.exponential(size=REPLICATES)),
        (spread_of, lambda rng: rng.normal(1.0, 2.0, size=REPLICATES)),
        (spread_of, lambda rng: rng.uniform(size=REPLICATES)),
        (mean_square_of, lambda rng: rng.normal(0.5, 1.0, size=REPLICATES)),
        (rate_of, lambda rng: rng.random(REPLICATES) < 0.1),
    ],
    ids=["mean", "spread, normal", "spread, uniform", "mean square", "rate"],
)
def test_errors_are_the_scatter_of_repeated_studies(figure, draw):
    """The scatter of 2000 studies has a relative standard error of 1/sqrt(4000) = 1.6%: four of them are allowed."""
    rng = np.random.default_rng(11)
    found = [figure(draw(rng)) for _ in range(STUDIES)]

    scatter = np.std([one.value for one in found], ddof=1)
    claimed = math.sqrt(np.mean([one.error**2 for one in found]))

    assert claimed / scatter == pytest.approx(1.0, abs=4 / math.sqrt(2 * STUDIES))


def test_without_a_printed_figure_nothing_differs():
    assert not Comparison(Measured(1e9, 0.0, 500), None).differs


@pytest.mark.parametrize(
    "measured",
    [Measured(0.25, 0.0, 500), Measured(0.0, 0.0, 500, is_rate=True), Measured(1.0, 0.0, 500, is_rate=True)],
)
def test_equal_figures_do_not_differ_though_they_claim_no_error(measured):
    assert not Comparison(measured, measured.value).differs


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("replicates", [100, 500, 2000])
def test_figures_differ_from_three_standard_errors_on(sign, replicates):
    """Ours has error 0.05, the printed one what 500 replicates would give, and that of rounding to three decimals."""
    printed_error = 0.05 * math.sqrt(replicates / 500)
    limit = 3 * math.sqrt(0.05**2 + printed_error**2 + 0.001**2 / 12)
    measured = Measured(2.0, 0.05, replicates)

    assert not Comparison(measured, 2.0 + sign * limit * (1 - 1e-9)).differs
    assert Comparison(measured, 2.0 + sign * limit * (1 + 1e-9)).differs


@pytest.mark.parametrize(
    ("ours", "printed", "expected"),
    [(0.0, 0.012, False), (0.0, 0.024, True), (1.0, 0.996, False), (1.0, 0.970, True), (0.972, 1.0, True)],
)
def test_rates_of_none_or_all_are_not_taken_for_exact(ours, printed, expected):
    """By the common share p of both, whose difference has variance 2 p (1 - p) / 500; three of its roots for p near 0
    are 0.0147 at p = 0.006 and 0.0207 at p = 0.012."""
    measured = Measured(ours, 0.0, 500, is_rate=True)

    assert Comparison(measured, printed).differs is expected


def test_few_replicates_of_ours_weigh_little_in_a_rate():
    """20 of ours, all of them: three standard errors are 0.292 at the common share 0.760, and 0.333 at 0.615."""
    all_of_twenty = Measured(1.0, 0.0, 20, is_rate=True)

    assert not Comparison(all_of_twenty, 0.75).differs
    assert Comparison(all_of_twenty, 0.60).differs
    assert Comparison(Measured(1.0, 0.0, 500, is_rate=True), 0.75).differs


@pytest.mark.parametrize("digits", [2, 3])
def test_the_rounding_of_the_printed_figure_alone_never_marks(digits):
    unit = 10.0**-digits
    for value in np.random.default_rng(0).uniform(-3, 3, 1000):
        exact = Measured(float(value), 0.0, 500)
        assert not Comparison(exact, round(float(value), digits), digits).differs
    assert not Comparison(Measured(0.0, 0.0, 500), 0.5 * unit, digits).differs
    assert Comparison(Measured(0.0, 0.0, 500), unit, digits).differs


@pytest.mark.long
def test_equal_truths_are_marked_about_three_times_in_a_thousand():
    """Of 10000 comparisons 27 are expected, with standard error 5.2: four of them are allowed, and some more for the
    tails of Student's distribution and of the binomial."""
    rng = np.random.default_rng(3)
    means = [
        Comparison(mean_of(rng.normal(size=200)), round(rng.normal(0.0, 1 / math.sqrt(500)), 3)).differs
        for _ in range(10_000)
    ]
    shares = rng.binomial(500, 0.9, size=(10_000, 2)) / 500
    rates = [Comparison(Measured(ours, 0.0, 500, is_rate=True), printed).differs for ours, printed in shares.tolist()]

    assert 6 <= sum(means) <= 60
    assert 6 <= sum(rates) <= 60
