"""What reviews are expected to find: chance by itself, parameters that are not known, and model error."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit
from scipy.stats import binom

from pugam.data import read_table
from pugam.inference import ModelErrors, RankedRows, expected_yields
from pugam.inference import drawn_yields as module
from pugam.terms import Design, parse_formula


def review(
    posterior,
    reviewed,
    intercept_variance=0.0,
    errors=ModelErrors(),  # noqa: B008
    share=0.5,
    excess=(0.0,),
    sample=None,
    share_variance=None,
):
    """Rows whose logits have an error in common, ranked; the share moves as the intercept does, unless told."""
    n = len(posterior)
    table = read_table(pd.DataFrame({"x": np.linspace(-1.0, 1.0, n)}))
    design = Design.resolve(parse_formula("x"), table)
    encoded = design.encode(table)
    logits = logit(np.asarray(posterior, dtype=float))
    rows = RankedRows(
        logits,
        logits,
        np.full(n, share),
        np.zeros(n, dtype=np.intp) if sample is None else np.asarray(sample),
        np.array(excess),
        lambda places: [values[places] for values in encoded],
    )
    covariance = np.zeros((3, 3))
    covariance[:2, :2] = intercept_variance
    if share_variance is not None:
        covariance[0, :] = covariance[:, 0] = 0.0
        covariance[0, 0] = share_variance
    return expected_yields(rows, design, covariance, errors, np.array(reviewed), 0.95)


def test_with_known_parameters_the_limits_are_those_of_a_binomial_distribution():
    found = review(np.full(400, 0.3), [50, 100, 400]).found

    for length, estimate, lower, upper in zip([50, 100, 400], *found, strict=True):
        assert estimate == pytest.approx(0.3 * length)
        # Quantiles of a thousand draws: within a tenth of a standard deviation, and a row for rounding.
        tolerance = 1.0 + 0.15 * np.sqrt(0.21 * length)
        assert abs(lower - binom.ppf(0.025, length, 0.3)) <= tolerance
        assert abs(upper - binom.ppf(0.975, length, 0.3)) <= tolerance


@pytest.mark.parametrize("posterior", [0.962, 0.985, 0.5, 0.02])
def test_a_review_of_one_row_finds_a_positive_as_often_as_its_posterior_says(posterior):
    rows = np.concatenate([[posterior], np.full(200, 0.01)])

    found = review(rows, [1, 201], intercept_variance=0.8**2).found

    assert found.lower[0] <= found.estimate[0] <= found.upper[0]
    assert (found.lower[0], found.upper[0]) == (0.0, 1.0)


def test_numbers_found_have_the_posteriors_as_their_mean(monkeypatch):
    drawn = {}
    counts = module.drawn_counts
    monkeypatch.setattr("pugam.inference.yields.drawn_counts", lambda *args: drawn.setdefault("", counts(*args)))
    posterior = np.concatenate([[0.97, 0.9], np.linspace(0.8, 0.05, 98)])

    found = review(posterior, [1, 2, 10, 100], intercept_variance=0.5**2).found

    # A thousand draws: 4 standard errors.
    tolerance = 4.0 * drawn[""].std(axis=1) / np.sqrt(1000.0)
    assert (np.abs(drawn[""].mean(axis=1) - found.estimate) <= tolerance + 1e-9).all()
    assert (np.diff(drawn[""], axis=2) >= 0.0).all()


def test_limits_hold_the_estimate_whatever_the_length():
    rng = np.random.default_rng(0)
    posterior = np.sort(rng.beta(0.2, 0.2, 300))[::-1].clip(1e-6, 1 - 1e-6)

    found = review(posterior, np.arange(0, 301), intercept_variance=0.3**2, errors=ModelErrors.of_share(0.5, 0.45, 0.6))

    assert (found.found.lower <= found.found.estimate).all()
    assert (found.found.estimate <= found.found.upper).all()


def test_limits_do_not_fall_with_the_length():
    """Positives are rare: a long review adds more doubt than positives to the certain ones that it begins with."""
    posterior = np.concatenate([np.linspace(0.99, 0.9, 40), np.full(1000, 0.02)])
    errors = ModelErrors.of_share(0.06, 0.03, 0.06)

    found = review(posterior, np.arange(0, 1041, 20), intercept_variance=1.0, errors=errors, share=0.06).found

    assert (np.diff(found.lower) >= 0.0).all()
    assert (np.diff(found.upper) >= 0.0).all()


def test_errors_that_rows_have_in_common_do_not_average_out():
    n = 4000
    found = review(np.full(n, 0.3), [n], intercept_variance=0.2**2).found

    # An error of 0.2 on the logit scale, against which chance is small.
    lower, upper = n * expit(logit(0.3) - 1.96 * 0.2), n * expit(logit(0.3) + 1.96 * 0.2)
    assert found.lower[0] == pytest.approx(lower, rel=0.04)
    assert found.upper[0] == pytest.approx(upper, rel=0.04)
    assert found.estimate[0] == pytest.approx(0.3 * n)


def test_where_classes_are_far_apart_the_mean_posterior_moves_as_the_share_does():
    # A few rows in doubt: an intercept that hardly moves cannot bring the mean posterior to where the share may be.
    posterior = np.concatenate([np.full(380, 0.9999), np.linspace(0.95, 0.05, 40), np.full(580, 0.0001)])
    free, tied = (review(posterior, [400, 1000], 0.1**2, share_variance=v).found for v in (0.0, 0.1**2))

    assert free.upper[1] - free.lower[1] < 20
    ends = [1000 * expit(logit(posterior.mean()) + sign * 1.96 * 0.1) for sign in (-1.0, 1.0)]
    # Quantiles of a thousand draws, and the chance of the rows in doubt.
    np.testing.assert_allclose([tied.lower[1], tied.upper[1]], ends, atol=8.0)
    assert tied.upper[0] == 400


def test_samples_have_errors_of_their_own():
    sample = np.arange(2000) % 2
    together, apart = (
        review(np.full(2000, 0.3), [2000], excess=(0.1, 0.1), sample=numbers).found
        for numbers in (np.zeros(2000, dtype=np.intp), sample)
    )

    ratio = (apart.upper - apart.lower) / (together.upper - together.lower)
    assert ratio[0] == pytest.approx(1.0 / np.sqrt(2.0), rel=0.15)


def test_negatives_that_look_like_positives_lower_all_posteriors_by_one_factor():
    posterior = np.linspace(0.999, 0.001, 1000)  # whose mean is one half
    errors = ModelErrors.of_share(0.5, 0.4, 0.5)
    with_errors, without = (review(posterior, [100, 1000], errors=one).found for one in (errors, ModelErrors()))

    assert errors.alike == pytest.approx(1 / 6)
    below = without.estimate - without.lower
    np.testing.assert_allclose(with_errors.lower, without.estimate - np.hypot(below, 0.2 * without.estimate), atol=0.51)
    np.testing.assert_array_equal(with_errors.upper, without.upper)


def test_positives_that_the_model_misses_raise_the_upper_limit_and_lower_recall():
    errors = ModelErrors.of_share(0.5, 0.5, 0.7)
    found = review(np.linspace(0.999, 0.001, 1000), [100, 1000], errors=errors)

    assert found.found.upper[1] == 700
    expected = found.found.estimate[0]
    assert found.recall.lower[0] == pytest.approx((expected + 0.4 * (100 - expected)) / 700, rel=0.02)


def test_precision_and_recall_follow_from_what_is_found():
    found = review(np.linspace(0.9, 0.1, 500), [0, 100, 500])

    assert found.threshold[1] == pytest.approx(np.linspace(0.9, 0.1, 500)[99])
    np.testing.assert_allclose(found.precision.estimate[1:], found.found.estimate[1:] / [100, 500])
    np.testing.assert_allclose(found.recall.estimate, found.found.estimate / found.found.estimate[-1])
    assert [limits[-1] for limits in found.recall] == [1.0, 1.0, 1.0]
    assert [limits[0] for limits in found.found] == [0.0, 0.0, 0.0]


def test_rows_that_stand_for_others_give_nearly_the_same(monkeypatch):
    posterior = np.linspace(0.95, 0.01, 6000)
    whole = review(posterior, [500, 3000, 6000], intercept_variance=0.01).found
    monkeypatch.setattr(module, "MOST_ROWS", 2000)
    thinned = review(posterior, [500, 3000, 6000], intercept_variance=0.01).found

    np.testing.assert_array_equal(thinned.estimate, whole.estimate)
    widths = whole.upper - whole.lower
    assert (np.abs(thinned.lower - whole.lower) < 0.15 * widths).all()
    assert (np.abs(thinned.upper - whole.upper) < 0.15 * widths).all()


@pytest.mark.parametrize("spread", [0.1, 1.0, 3.0])
def test_shares_are_moved_until_their_means_are_those_wanted_in_a_few_steps(spread, monkeypatch):
    monkeypatch.setattr(module, "MOST_STEPS", 15)
    logits = np.random.default_rng(0).normal(0.5, spread, (1000, 6))
    wanted = np.array([1e-12, 1e-4, 0.1, 0.5, 0.99, 1.0 - 1e-9])

    moved = expit(logits + module._shift_to_mean(logits, wanted))

    np.testing.assert_allclose(moved.mean(axis=0), wanted, rtol=0.0, atol=1e-11)
