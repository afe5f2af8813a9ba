"""Predicted against observed labels: counts by hand, models that hold, and models that do not."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

from pugam import PUGAM
from pugam.data import read_table
from pugam.datasets import simulate
from pugam.engines import MemoryEngine
from pugam.inference.calibration import calibrate, calibrate_held_out
from pugam.inference.distributions import squares_sf
from pugam.terms import Design, f, l


def handmade(values, positive, b, pi, weights=None, term=l):
    """A fit of one term to a handful of rows, with parameters of our choice."""
    table = read_table(pd.DataFrame({"x": values}))
    design = Design.resolve([term("x")], table)
    rows = None if weights is None else np.asarray(weights, dtype=float)
    engine = MemoryEngine(design, design.encode(table), np.asarray(positive, dtype=bool), rows)
    optimum = SimpleNamespace(pi=pi, b=np.array(b))
    return SimpleNamespace(engine=engine, fit=SimpleNamespace(optimum=optimum, labelling=None, samples=None))


def test_expected_and_observed_counts_of_eight_rows():
    # Four labelled, four unlabelled, pi = 1/2: c = 4 / (4 + 2) = 2/3. The predictor is 4 (x / 8 - 1/2) = x/2 - 2.
    x = np.array([0.0, 1.0, 2.0, 3.0, 5.0, 6.0, 7.0, 8.0])
    positive = [0, 0, 1, 0, 1, 1, 0, 1]
    p = 2.0 / 3.0 / (1.0 + np.exp(2.0 - 0.5 * x))
    low, high = p[:4], p[4:]

    found = calibrate(handmade(x, positive, [0.0, 4.0], 0.5), n_bins=2)

    np.testing.assert_allclose(found.predicted, [low.mean(), high.mean()], rtol=1e-12)
    np.testing.assert_allclose(found.observed, [1.0 / 4.0, 3.0 / 4.0], rtol=1e-12)
    np.testing.assert_allclose(found.weight, [4.0, 4.0])
    variances = [np.sum(low * (1.0 - low)), np.sum(high * (1.0 - high))]
    np.testing.assert_allclose(found.se, np.sqrt(variances) / 4.0, rtol=1e-12)
    statistic = (1.0 - low.sum()) ** 2 / variances[0] + (3.0 - high.sum()) ** 2 / variances[1]
    assert found.statistic == pytest.approx(statistic, rel=1e-12)
    assert found.df == 1.0
    assert found.pvalue == pytest.approx(chi2.sf(statistic, 1), rel=1e-9)


def held_out(scores, positive, c):
    """A shrunken fit of label frequency c whose held-out rows have these predictors."""
    n0, n1 = np.count_nonzero(positive), np.count_nonzero(~positive)
    adjustment = SimpleNamespace(intercept=0.0, steepness=1.0, with_strays=lambda predictor: predictor)
    optimum = SimpleNamespace(pi=n0 * (1.0 / c - 1.0) / n1)
    fit = SimpleNamespace(optimum=optimum, adjustment=adjustment)
    rows = SimpleNamespace(scores=scores, positive=positive, weights=np.ones(len(scores)), unit=1.0)
    return SimpleNamespace(engine=SimpleNamespace(n0=n0, n1=n1), fit=fit), rows


def test_held_out_rows_that_hardly_may_be_labelled_are_no_sign_of_misfit():
    # 300 rows have a chance of 5e-6 each, and one of them is labelled nevertheless.
    scores, c = np.append(np.full(300, -11.5), np.linspace(-4.0, 4.0, 400)), 0.5
    positive = np.random.default_rng(0).random(700) < c / (1.0 + np.exp(-scores))
    positive[7] = True

    found = calibrate_held_out(*held_out(scores, positive, c))

    assert (found.se * found.weight >= 1.0).all()
    assert found.weight.sum() == 700.0
    assert found.pvalue > 1e-3


def test_one_label_among_rows_that_hardly_may_be_labelled_says_next_to_nothing():
    scores, positive = np.full(50, -20.0), np.arange(50) == 7

    found = calibrate_held_out(*held_out(scores, positive, 0.5))

    assert len(found.weight) == 1
    assert found.pvalue > 0.05


def test_the_reference_of_held_out_rows_knows_how_much_counts_vary():
    scores, c = np.linspace(-4.0, 4.0, 2000), 0.5
    p = c / (1.0 + np.exp(-scores))
    positive = np.random.default_rng(1).random(2000) < p

    found = calibrate_held_out(*held_out(scores, positive, c), n_bins=4)

    # A count of v = p (1 - p) has the fourth moment v (1 - 3 v), and one of a sum 3 V^2 + sum v (1 - 6 v).
    bins = np.split(p * (1.0 - p), 4)
    excess = sum(np.sum(v * (1.0 - 6.0 * v)) / v.sum() ** 2 for v in bins)
    assert found.df == 2.0
    assert found.pvalue == pytest.approx(squares_sf(found.statistic, 2.0, excess), rel=1e-9)


def test_bins_of_weighted_rows_are_those_of_copies():
    rng = np.random.default_rng(0)
    x, positive, weights = rng.normal(size=150), rng.random(150) < 0.4, rng.integers(1, 9, 150)
    rows = np.repeat(np.arange(150), weights)

    weighted = calibrate(handmade(x, positive, [0.3, 4.0], 0.4, weights))
    repeated = calibrate(handmade(x[rows], positive[rows], [0.3, 4.0], 0.4))

    np.testing.assert_array_equal(weighted.weight, repeated.weight)
    assert weighted.statistic == pytest.approx(repeated.statistic, rel=1e-12)


def test_predictions_that_differ_by_rounding_go_to_one_bin():
    x = 40.0 + np.arange(100.0) / 10.0  # so far up that predictions are next to c
    positive = np.arange(100) % 2 == 0

    found = calibrate(handmade(np.append(0.0, x), np.append(False, positive), [0.0, 400.0], 0.5))

    assert found.weight.max() >= 100.0


def test_a_row_of_weight_two_counts_as_two_rows():
    x = np.array([0.0, 1.0, 3.0, 5.0, 7.0, 8.0])
    positive = np.array([0, 1, 0, 1, 0, 1])
    weights = np.array([2, 1, 1, 1, 1, 2])
    rows = np.repeat(np.arange(6), weights)

    weighted = calibrate(handmade(x, positive, [0.3, 4.0], 0.4, weights), n_bins=2)
    repeated = calibrate(handmade(x[rows], positive[rows], [0.3, 4.0], 0.4), n_bins=2)

    for name in ("predicted", "observed", "se", "weight", "statistic", "df", "pvalue"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name), rtol=1e-12, err_msg=name)


def test_rows_with_the_same_prediction_share_a_bin():
    levels = ["a", "b", "c", "c"] * 10
    positive = np.arange(40) % 3 == 0

    found = calibrate(handmade(levels, positive, [0.1, 0.5, 1.0], 0.4, term=f))

    assert sorted(found.weight.tolist()) == [10.0, 10.0, 20.0]
    assert found.weight.sum() == 40.0
    assert found.df == 1.0


def test_ten_bins_of_equal_numbers_of_rows():
    data = simulate(1, n0=500, n=1000, random_state=1)
    model = PUGAM(n_starts=2).fit(data.X, data.z)

    found = model.diagnose().calibration

    np.testing.assert_allclose(found.weight, 100.0, atol=1.0)
    assert found.weight.sum() == 1000.0
    assert found.df == 8.0
    assert (np.diff(found.predicted) > 0.0).all()
    # An intercept and pi fit the number of labelled rows; penalty, prior and bias correction move it a little.
    assert found.predicted @ found.weight == pytest.approx(500.0, rel=0.02)
    assert found.observed @ found.weight == pytest.approx(500.0, rel=1e-12)


@pytest.mark.long
def test_data_from_the_model_are_calibrated():
    # Twelve p-values, each below 0.05 with a probability of about 0.05: three or more in one of fifty runs.
    pvalues = []
    for seed in range(12):
        data = simulate(2, n0=600, n=1500, random_state=100 + seed)
        pvalues.append(PUGAM(n_starts=2).fit(data.X, data.z).diagnose().calibration.pvalue)

    assert np.sum(np.array(pvalues) < 0.05) <= 2
    assert np.median(pvalues) > 0.2


def interacting(seed):
    """Two features whose product decides most: no sum of curves follows it."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1.0, 1.0, (20_000, 2))
    y = rng.random(20_000) < 1.0 / (1.0 + np.exp(-(2.0 * x.sum(axis=1) + 8.0 * x.prod(axis=1))))
    rows = np.vstack([x[y][:1400], x[~y][:600]])
    return pd.DataFrame(rows, columns=["a", "b"]), np.repeat([1, 0], [1000, 1000])


def chosen_for_label(seed):
    """Positives whose two features lie on the same side are labelled more often."""
    rng = np.random.default_rng(seed)
    y = rng.random(20_000) < 0.5
    a, b = rng.normal(1.5 * y, 1.0), rng.normal(1.5 * y, 1.0)
    picked = y & (rng.random(20_000) < 1.0 / (1.0 + np.exp(-4.0 * (a - 1.5) * (b - 1.5))))
    labelled = np.flatnonzero(picked)[:1000]
    rows = np.append(labelled, np.setdiff1d(np.arange(20_000), labelled)[:1000])
    return pd.DataFrame({"a": a[rows], "b": b[rows]}), np.repeat([1, 0], [1000, 1000])


@pytest.mark.parametrize("make", [interacting, pytest.param(chosen_for_label, marks=pytest.mark.long)])
def test_a_model_that_does_not_hold_is_found_out(make):
    X, z = make(0)

    diagnosis = PUGAM(n_starts=3, estimate="mode").fit(X, z).diagnose()

    assert diagnosis.calibration.pvalue < 1e-6
    assert any("labels disagree" in warning and "plot('calibration')" in warning for warning in diagnosis.warnings)


@pytest.mark.parametrize("make", [interacting, chosen_for_label])
def test_a_model_that_may_not_have_interactions_is_found_out(make):
    X, z = make(0)

    diagnosis = PUGAM(n_starts=3, interactions=None).fit(X, z).diagnose()

    # By the test of products, unless another pi makes up for them: then by labels that disagree with predictions.
    assert diagnosis.verdict == "does not fit"
    assert min(diagnosis.calibration.pvalue, diagnosis.pair_test.pvalue) < 1e-6
