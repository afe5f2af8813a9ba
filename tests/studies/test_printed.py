"""The printed figures fit together as figures of that kind must, which slips in copying would break."""

from itertools import pairwise, product

import pytest

from pugam.studies.printed import (
    COVERAGE,
    ESTIMATES,
    MASKED,
    MASKED_COVERAGE,
    REJECTIONS,
    SAMPLE_SIZES,
    SETTINGS,
    ZETAS,
)

HALF_UNIT = 0.0005  # of the third decimal
COUNTS = {"Wilt": (4578, 261), "Spambase": (2788, 1813)}  # positives and negatives
WITH_PI = [(key, row) for key, row in (ESTIMATES | MASKED).items() if row[0] is not None]


def share_of_positives(key):
    """The share pi_0 of positives among the unlabelled rows behind a line of Table 1 or 4."""
    if key[0] not in COUNTS:
        return 0.4
    positives, negatives = COUNTS[key[0]]
    hidden = (1 - key[1]) * positives
    return hidden / (hidden + negatives)


def test_tables_are_complete():
    cells = set(product(SETTINGS, SAMPLE_SIZES))
    maskings = set(product(COUNTS, (0.7, 0.8, 0.9)))

    assert set(ESTIMATES) == {(*cell, method) for cell in cells for method in ("GAET", "linear")} | {
        (setting, 4500, "Bayes") for setting in SETTINGS
    }
    assert set(COVERAGE) == cells
    assert set(REJECTIONS) == {cell for cell in cells if cell[0] != 3} | {(2, 7500)}
    assert set(MASKED) == {(*masking, method) for masking in maskings for method in ("GAET", "linear")}
    assert set(MASKED_COVERAGE) == maskings


def test_lines_are_complete():
    assert {len(row) for row in (ESTIMATES | MASKED).values()} == {6}
    assert {len(row) for row in REJECTIONS.values()} == {len(ZETAS)}
    assert len(WITH_PI) == 18 + 12
    assert [key for key, row in ESTIMATES.items() if None in row] == [(setting, 4500, "Bayes") for setting in SETTINGS]
    assert all(row[:3] == (None, None, None) for key, row in ESTIMATES.items() if key[2] == "Bayes")


@pytest.mark.parametrize(("key", "row"), WITH_PI, ids=str)
def test_mse_is_squared_bias_plus_squared_se(key, row):
    """100 mse = {(100 bias)^2 + (100 se)^2} / 100, up to the rounding of all three; se may have divisor n or n - 1."""
    bias, se, mse = row[:3]

    least = ((abs(bias) - HALF_UNIT) ** 2 + (se - HALF_UNIT) ** 2 * 499 / 500) / 100
    most = ((abs(bias) + HALF_UNIT) ** 2 + (se + HALF_UNIT) ** 2) / 100

    assert least - HALF_UNIT <= mse <= most + HALF_UNIT


@pytest.mark.parametrize(("key", "row"), (ESTIMATES | MASKED).items(), ids=str)
def test_err_is_the_mean_of_fp_and_fn_that_pi_weighs(key, row):
    """Up to rounding, and up to the covariance of the errors with the share of positives, which scatters too: 0.002."""
    false_positive, false_negative, err = row[3:]
    pi = share_of_positives(key)

    assert min(false_positive, false_negative) <= err <= max(false_positive, false_negative)
    assert err == pytest.approx(pi * false_negative + (1 - pi) * false_positive, abs=0.002)


@pytest.mark.parametrize(("cell", "rates"), REJECTIONS.items(), ids=str)
def test_power_grows_with_the_effect(cell, rates):
    assert rates[0] < 0.05  # the size
    assert all(one <= next_one for one, next_one in pairwise(rates))
    assert rates[-1] <= 1.0


@pytest.mark.parametrize("setting", [1, 2])
@pytest.mark.parametrize("position", range(1, len(ZETAS)))
def test_power_grows_with_the_sample(setting, position):
    powers = [rates[position] for (each, _), rates in sorted(REJECTIONS.items()) if each == setting]

    assert all(one <= next_one for one, next_one in pairwise(powers))


def test_rates_are_multiples_of_one_in_500():
    rates = [*COVERAGE.values(), *(rate for row in REJECTIONS.values() for rate in row)]

    assert all(round(500 * rate, 9).is_integer() for rate in rates)
