"""What separate curves would add to the likelihood of several samples, against densities and differences."""

import numpy as np
import pytest

from pugam.inference.common_curves import _among, _with_model
from pugam.layout import Layout
from pugam.likelihood import DenseColumns, SampleShares, SampleSizes, expit, separate_curve_sums

PI = np.array([0.2, 0.6])
ALPHA, THETA = -0.4, np.array([0.9, -0.7])
COLUMNS = np.array([1, 2])
LAYOUT = Layout((2,), 2)
STEP = 1e-5
# (logit pi_1, logit pi_2, alpha, theta), then delta of both samples, two entries each.
POINT = np.concatenate([np.log(PI / (1.0 - PI)), [ALPHA], THETA, np.zeros(4)])


@pytest.fixture(scope="module")
def rows():
    """Columns, codes (labelled, both samples, known negatives) and weights."""
    rng = np.random.default_rng(0)
    codes = np.array([0] * 8 + [1] * 7 + [2] * 9 + [7] * 4, dtype=np.int32)
    return (
        np.column_stack([np.ones(len(codes)), rng.normal(size=(len(codes), 2))]),
        codes,
        rng.integers(1, 4, len(codes)),
    )


def log_chances(X, counts, at):
    """Logarithms of the chances of all four samples for each row: shape (4, n)."""
    pi, w = expit(at[:2]), np.exp(at[2] + X[:, 1:] @ at[3:5])
    negatives = [np.exp(X[:, 1:] @ delta) for delta in at[5:].reshape(2, 2)]
    hidden = [pi[k] * w + (1.0 - pi[k]) * negatives[k] for k in range(2)]
    parts = np.array([w, *hidden, np.ones(len(X))]) * counts[:, None]
    return np.log(parts / parts.sum(axis=0))


def slopes(X, counts):
    """Derivatives of these at the point: shape (9, 4, n)."""
    steps = STEP * np.eye(len(POINT))
    return np.array(
        [(log_chances(X, counts, POINT + s) - log_chances(X, counts, POINT - s)) / (2 * STEP) for s in steps]
    )


def sums_of(rows):
    X, codes, weights = rows
    sizes = SampleSizes.count(codes, weights.astype(float), 2)
    shares = SampleShares(sizes, PI)
    b = np.array([[ALPHA + np.log(shares.positives / shares.negatives), *THETA]])
    counts = np.array([sizes.labelled, *sizes.unlabelled, sizes.negative])
    return separate_curve_sums(DenseColumns(X), codes, weights.astype(float), b, shares), shares, counts


def test_scores_are_derivatives(rows):
    X, codes, weights = rows
    sums, _, counts = sums_of(rows)
    own = slopes(X, counts)[5:, np.minimum(codes, 3), np.arange(len(X))]
    assert sums.scores[:, COLUMNS] == pytest.approx((own @ weights).reshape(2, 2), abs=1e-7)


def test_expected_scores_by_sample_are_derivatives_of_chances(rows):
    X, _, weights = rows
    sums, _, counts = sums_of(rows)
    chances = np.exp(log_chances(X, counts, POINT))
    wanted = np.einsum("dln,ln,n->ld", slopes(X, counts)[5:], chances, weights).reshape(4, 2, 2)
    assert sums.strata[:, :, COLUMNS] == pytest.approx(wanted, abs=1e-7)


def test_information_is_that_over_the_samples_a_row_may_be_in(rows):
    X, _, weights = rows
    sums, shares, counts = sums_of(rows)
    each, chances = slopes(X, counts), np.exp(log_chances(X, counts, POINT)) * weights
    whole = np.einsum("iln,jln,ln->ij", each, each, chances)
    assert _among(sums, shares, COLUMNS) == pytest.approx(whole[5:, 5:], rel=1e-7, abs=1e-7)
    # Ours are derivatives with a = alpha + log(A / B) fixed, not alpha.
    back = np.eye(LAYOUT.size)
    back[LAYOUT.intercept, LAYOUT.shares] = -(shares.alpha + shares.beta)
    assert _with_model(sums, shares, COLUMNS, LAYOUT) == pytest.approx(whole[5:, :5] @ back, rel=1e-7, abs=1e-7)


def test_blocks_of_rows_add_up(rows):
    X, codes, weights = rows
    whole, shares, _ = sums_of(rows)
    b = np.array([[ALPHA + np.log(shares.positives / shares.negatives), *THETA]])
    parts = [
        separate_curve_sums(DenseColumns(X[some]), codes[some], weights[some].astype(float), b, shares)
        for some in (slice(0, 11), slice(11, None))
    ]
    for one, other in zip(vars(parts[0] + parts[1]).values(), vars(whole).values(), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
