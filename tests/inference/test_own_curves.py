"""Samples with curves of their own, seen together: predictors and their derivatives, and tests of labels."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from pugam import PUGAM
from pugam.inference import choose_rows, profile_of
from pugam.inference.labels import label_rows
from pugam.inference.own_curves import see_together


def simulate(seed, n=400):
    """Two samples of n rows, whose negatives differ along x, beside n labelled ones."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(3 * n, 3))
    site = np.repeat(["a", "a", "b"], n)
    negative = (np.arange(3 * n) >= n) & (rng.uniform(size=3 * n) < 0.6)
    X[negative] -= [1.0, 1.5, 1.0]
    X[negative & (site == "b"), 0] += 2.0
    return pd.DataFrame(X, columns=["x", "y", "z"]).assign(site=site), (np.arange(3 * n) < n).astype(int)


@pytest.fixture(scope="module")
def fitted():
    X, z = simulate(0)
    model = PUGAM("s(x, by=site, k=4) + s(y, k=4) + s(z, k=4)", check=False).fit(X, z, sample="site")
    return model._fitted("A test")


def test_labels_are_predicted_whatever_sample_a_row_is_in(fitted):
    """As many as there are, as a likelihood with an intercept has it."""
    predictors, c, _ = label_rows(fitted)
    assert np.sum(c * expit(predictors)) == pytest.approx(fitted.engine.n0, rel=0.02)


def test_columns_of_single_samples_are_derivatives_of_the_predictor(fitted):
    """Central differences with steps of 1e-5: to six digits."""
    found, rows, step = see_together(fitted), np.arange(0, 1200, 40), 1e-5
    common = fitted.engine.redesigned(found.own.common, range(3))
    of_common = found.own.common.matrix(common.encoded_at(rows))
    columns = found.columns(rows, of_common)
    assert columns.shape == (30, 1 + 3)  # of the second sample: its intercept, and its curve along x
    for number in range(4):
        moved = [found.by_sample.copy() for _ in range(2)]
        for way, by_sample in zip((step, -step), moved, strict=True):
            by_sample[1, rows] += way * of_common[:, number]
        ends = [replace(found, by_sample=by_sample).predictors[rows] for by_sample in moved]
        assert columns[:, number] == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-6)


def test_rows_are_tested_along_their_own_columns(fitted):
    rows = choose_rows(profile_of(fitted))
    assert list(rows.axes) == ["x", "y", "z"]
    assert rows.beside.shape[1] == 4
    assert rows.design.labels == ("s(x)", "s(y)", "s(z)")


def test_common_curves_are_seen_as_they_are():
    X, z = simulate(0, 150)
    model = PUGAM("s(x, k=4) + s(y, k=4)", check=False).fit(X, z, sample="site")
    assert see_together(model._fitted("A test")) is None
