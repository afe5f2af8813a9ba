"""New rows against a fit: distances of columns, and the share that rows speak for."""

import numpy as np
import pytest

from pugam.data import Column
from pugam.inference import QUANTILES, ColumnDigest, column_drift, drift_columns, share_of_rows

RNG = np.random.default_rng(0)
NUMBERS = ColumnDigest("x", 2000.0, 0.0, np.quantile(RNG.normal(size=2000), QUANTILES), {})
LEVELS = ColumnDigest("site", 2000.0, 0.1, None, {"a": 0.5, "b": 0.5})


def numbers(values):
    return Column("x", "numeric", np.asarray(values, dtype=float))


def levels(values):
    return Column("site", "category", np.array(values, dtype=object))


def test_numbers_from_the_same_population_have_not_moved():
    pvalues = [column_drift(NUMBERS, numbers(RNG.normal(size=1000))).pvalue for _ in range(200)]

    assert np.mean(np.array(pvalues) < 0.05) <= 0.05  # an allowance for rounded quantiles makes it smaller


def test_the_distance_of_numbers_is_that_of_cumulative_shares():
    drift = column_drift(NUMBERS, numbers(RNG.normal(1.0, size=20_000)))

    assert drift.distance == pytest.approx(0.3829, abs=0.03)  # P(|N(0, 1)| < 0.5), with a Monte-Carlo error of 0.01
    assert drift.pvalue < 1e-10
    assert drift.what.startswith("median ")


@pytest.mark.parametrize("largest", [1e300, np.finfo(float).max])
def test_numbers_may_be_as_large_as_numbers_can_be(largest):
    digest = ColumnDigest("x", 2000.0, 0.0, np.linspace(-1.0, 1.0, len(QUANTILES)) * largest, {})

    drift = column_drift(digest, numbers([-largest] * 100 + [largest] * 300))

    assert drift.distance == pytest.approx(0.75, abs=0.011)  # the quantiles are hundredths
    assert drift.what == f"median 0 before, {largest:.4g} now"


def test_numbers_that_no_row_had_before_have_moved_from_missing_alone():
    drift = column_drift(ColumnDigest("x", 2000.0, 1.0, np.zeros(0), {}), numbers(np.arange(100.0)))

    assert (drift.distance, drift.what) == (1.0, "missing 100.0% before, 0.0% now")


def test_the_distance_of_levels_counts_new_ones():
    drift = column_drift(LEVELS, levels(["a"] * 450 + ["b"] * 270 + ["c"] * 180 + [None] * 100))

    assert drift.distance == pytest.approx(0.2)
    assert drift.what in ("b 50.0% before, 30.0% now", "c 0.0% before, 20.0% now")
    assert drift.pvalue < 1e-10


def test_levels_from_the_same_population_are_tested_at_their_level():
    drawn = RNG.choice(["a", "b"], size=(400, 500))
    old = RNG.binomial(2000, 0.5, size=400) / 2000
    digests = [ColumnDigest("site", 2000.0, 0.0, None, {"a": share, "b": 1 - share}) for share in old]

    pvalues = [column_drift(digest, levels(row)).pvalue for digest, row in zip(digests, drawn, strict=True)]

    assert np.mean(np.array(pvalues) < 0.05) == pytest.approx(0.05, abs=3 * np.sqrt(0.05 * 0.95 / 400))


def test_more_gaps_are_a_drift():
    drift = column_drift(NUMBERS, numbers([np.nan] * 400 + [0.0] * 0 + list(NUMBERS.quantiles) * 6))

    assert drift.what == "missing 0.0% before, 39.8% now"


def test_a_column_without_any_value_is_no_fault():
    assert column_drift(NUMBERS, numbers([np.nan] * 10)).distance == 1.0


def test_small_distances_do_not_count_as_moves_however_sure():
    near = column_drift(NUMBERS, numbers(RNG.normal(0.15, size=100_000)))
    far = column_drift(LEVELS, levels(["a"] * 810 + ["b"] * 90 + [None] * 100))
    table = drift_columns([near, far])

    assert near.pvalue < 1e-6
    assert table["column"] == ["site", "x"]
    assert table["moved"] == [True, False]


def mixture(rng, pi, size):
    positive = rng.random(size) < pi
    return rng.normal(2.0 * positive) * 2.0 - 2.0  # log ratio of N(2, 1) to N(0, 1)


def test_the_share_of_rows_is_covered_and_tested_as_often_as_it_says():
    rng = np.random.default_rng(1)
    known = np.ones((500, 1)), np.zeros((1, 1))
    found = [share_of_rows(mixture(rng, 0.2, 500), *known, asked=0.2, level=0.9) for _ in range(400)]

    covered = np.mean([one.interval.lower <= 0.2 <= one.interval.upper for one in found])
    rejected = np.mean([one.pvalue < 0.1 for one in found])
    assert covered == pytest.approx(0.9, abs=3 * np.sqrt(0.09 / 400))
    assert rejected == pytest.approx(1.0 - covered, abs=1e-12)


def test_errors_of_the_density_ratio_widen_the_interval():
    ratio = mixture(np.random.default_rng(2), 0.2, 5000)
    sure, unsure = (share_of_rows(ratio, np.ones((5000, 1)), np.full((1, 1), v), 0.2, 0.95) for v in (0.0, 0.04))

    assert unsure.interval.estimate == sure.interval.estimate
    assert unsure.interval.upper - unsure.interval.lower > 1.3 * (sure.interval.upper - sure.interval.lower)
    assert unsure.pvalue >= sure.pvalue


@pytest.mark.parametrize(("ratio", "end"), [(-3.0, 0.0), (3.0, 1.0)])
def test_a_share_may_lie_at_an_end(ratio, end):
    found = share_of_rows(np.full(200, ratio), np.ones((200, 1)), np.zeros((1, 1)), 0.5, 0.95)

    assert found.interval.estimate == pytest.approx(end, abs=1e-6)
    assert end in (found.interval.lower, found.interval.upper)
    assert found.pvalue < 1e-6


def test_rows_whose_class_is_beyond_doubt_have_a_share():
    ratio = np.repeat([600.0, -600.0], [30, 70])

    found = share_of_rows(ratio, np.ones((100, 1)), np.eye(1), 0.5, 0.95)

    assert found.interval.estimate == pytest.approx(0.3, abs=1e-6)
    assert found.interval.lower < 0.3 < found.interval.upper


def test_a_variance_that_rounding_leaves_below_zero_is_none():
    ratio, columns = np.full(50, 1e-16), np.tile([1.0, 1e8], (50, 1))
    found = share_of_rows(ratio, columns, np.diag([1.0, -1e-10]), 0.5, 0.95)

    assert (found.interval.lower, found.interval.upper) == (0.0, 1.0)
    assert found.pvalue == pytest.approx(1.0)
