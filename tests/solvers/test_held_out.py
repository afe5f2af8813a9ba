"""Share, intercept and steepness from held-out scores: derivatives, known parameters, weights, bounds, odd scores."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from pugam.layout import Layout
from pugam.likelihood import alpha_shift, expit, logit
from pugam.solvers import TUNING, HeldOutRows, PiPrior, PiRange

PI = 0.3
DISTANCE = 2.0  # between the mean scores of the classes, in their standard deviation
WEAK = PiPrior(1.0, 1.0)
POINTS = [[-0.8, 0.5, 0.6], [0.7, -1.5, 1.4], [1.8, 1.0, -0.5]]


def scored(n0, n1, seed=0, prior=WEAK, separation=True):
    """Normal scores: N(1, 1) in positives, N(-1, 1) in negatives, for which the log density ratio is 2 t."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.ones(n0), rng.random(n1) < PI])
    scores = rng.normal(DISTANCE * (y - 0.5), 1.0)
    return HeldOutRows(scores, np.arange(n0 + n1) < n0, np.ones(n0 + n1), prior, separation)


def weighted(rows, seed=1):
    return replace(rows, weights=np.random.default_rng(seed).uniform(0.5, 2.0, len(rows.scores)))


def slopes(function, point, step=1e-5):
    """Central differences, one row for each coordinate."""
    moves = step * np.eye(len(point))
    return np.array([(function(point + move) - function(point - move)) / (2.0 * step) for move in moves])


@pytest.mark.parametrize("separation", [True, False], ids=["prior on separation", "rows alone"])
@pytest.mark.parametrize("point", POINTS, ids=str)
def test_the_gradient_is_that_of_numerical_differences(point, separation):
    rows = weighted(scored(60, 120, separation=separation))

    _, gradient = rows._loss(np.array(point))

    expected = slopes(lambda at: rows._loss(at)[0], np.array(point))
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("separation", [True, False], ids=["prior on separation", "rows alone"])
@pytest.mark.parametrize("point", POINTS, ids=str)
def test_the_observed_information_is_that_of_numerical_differences(point, separation):
    rows = weighted(scored(60, 120, separation=separation))
    at = np.array(point)

    hessian = rows._hessian(at, observed=True) + rows._separation_hessian(at, observed=True)

    np.testing.assert_allclose(hessian, slopes(lambda at: rows._loss(at)[1], at), rtol=1e-6, atol=1e-5)


def test_the_expected_information_is_the_mean_of_the_observed_one():
    # Labels drawn from the model itself, 4000 times for 40 scores; without priors, whose information is no mean.
    rng = np.random.default_rng(3)
    scores, point = rng.normal(size=40), np.array([0.2, 0.3, 0.4])
    rows = HeldOutRows(scores, np.arange(40) < 15, np.ones(40), PiPrior(), separation=False)
    c = 15.0 / (15.0 + 25.0 * expit(point[0]))
    chance = c * expit(point[1] + np.exp(point[2]) * rows._standard)
    drawn = []
    for _ in range(4000):
        again = replace(rows, positive=rng.random(40) < chance)
        again.__dict__["_counts"] = rows._counts
        drawn.append(again._hessian(point, observed=True))

    error = np.std(drawn, axis=0) / np.sqrt(len(drawn))

    assert (np.abs(np.mean(drawn, axis=0) - rows._hessian(point, observed=False)) < 4.0 * error + 1e-12).all()


@pytest.mark.parametrize("separation", [True, False], ids=["prior on separation", "rows alone"])
def test_known_parameters_are_found_within_four_standard_errors(separation):
    n0, n1 = 2000, 4000
    truth = np.array([logit(PI), alpha_shift(PI, n0, n1), np.log(DISTANCE)])  # the log density ratio has no intercept

    found = scored(n0, n1, separation=separation).adjust(PiRange())

    error = np.sqrt(found.covariance.diagonal())
    distance = np.array([found.logit_pi, found.intercept, np.log(found.steepness)]) - truth
    assert (np.abs(distance) < 4.0 * error).all()
    assert (error < [0.3, 0.5, 0.2]).all()
    assert found.logit_variance >= found.covariance[0, 0]
    assert found.leaning < 1.2  # with so many rows the prior on separation hardly counts


def test_strays_put_a_floor_under_the_odds():
    found = replace(scored(100, 200).adjust(PiRange()), stray=0.02)
    s = np.linspace(-800.0, 800.0, 201)

    counted = found.with_strays(s)

    moderate = np.abs(s) < 30.0
    np.testing.assert_allclose(expit(counted[moderate]), 0.02 + 0.98 * expit(s[moderate]), rtol=1e-12)
    assert counted.min() == pytest.approx(logit(0.02))
    np.testing.assert_allclose(counted[s > 30.0], s[s > 30.0] - np.log(0.98), rtol=1e-9)
    assert (np.diff(counted) >= 0.0).all()


@pytest.mark.long
def test_the_reported_variance_is_about_that_over_repeated_samples():
    # The variance of 60 draws has a relative standard error of 0.18, 0.54 at three of them. The reported one counts the
    # numbers of labels as random, which they are not, and may be larger; the median over samples is compared.
    found = [scored(400, 800, seed=seed).adjust(PiRange()) for seed in range(60)]

    ratio = np.median([one.logit_variance for one in found]) / np.var([one.logit_pi for one in found], ddof=1)

    assert 0.6 < ratio < 3.0


def test_a_row_of_weight_two_counts_as_two_rows():
    rows = scored(60, 140, seed=4)
    counts = np.random.default_rng(5).integers(1, 4, 200)
    again = np.repeat(np.arange(200), counts)
    repeated = HeldOutRows(rows.scores[again], rows.positive[again], np.ones(len(again)), WEAK)

    one, other = (part.adjust(PiRange()) for part in (replace(rows, weights=counts.astype(float)), repeated))

    # The climbs begin at other quantiles, and end where a step gains less than 1e-9 of the value.
    assert one.value == pytest.approx(other.value, rel=1e-7)
    assert one.logit_pi == pytest.approx(other.logit_pi, abs=2e-3)
    assert one.steepness == pytest.approx(other.steepness, rel=2e-3)
    np.testing.assert_allclose(one.covariance, other.covariance, rtol=2e-2, atol=1e-4)


def test_moving_and_stretching_the_scores_changes_only_intercept_and_steepness():
    rows = scored(100, 200, seed=6)
    moved = replace(rows, scores=40.0 + 5.0 * rows.scores)

    one, other = (part.adjust(PiRange()) for part in (rows, moved))

    assert other.logit_pi == pytest.approx(one.logit_pi, abs=1e-4)
    assert other.value == pytest.approx(one.value, abs=1e-6)
    assert other.logit_variance == pytest.approx(one.logit_variance, rel=1e-3)
    assert 5.0 * other.steepness == pytest.approx(one.steepness, rel=1e-3)
    predictors = [part.intercept + part.steepness * t for part, t in ((one, rows.scores), (other, moved.scores))]
    np.testing.assert_allclose(*predictors, atol=5e-3)
    # Errors of a predictor, which is intercept + steepness t, are those of the same row.
    variances = []
    for part, score in ((one, rows.scores[0]), (other, moved.scores[0])):
        direction = np.array([0.0, 1.0, part.steepness * score])
        variances.append(direction @ part.covariance @ direction)
    assert variances[0] == pytest.approx(variances[1], rel=1e-2)


def test_moved_parameters_give_the_adjusted_scores():
    rows = scored(100, 200, seed=6)
    found = rows.adjust(PiRange())
    columns = np.random.default_rng(7).normal(size=(5, 3))
    beta = np.array([0.0, 0.4, -1.0, 0.5, 2.0])

    moved = found.moved(Layout((3,)), beta)

    assert moved[0] == found.logit_pi
    t = beta[1] + columns @ beta[2:]
    np.testing.assert_allclose(moved[1] + columns @ moved[2:], found.intercept + found.steepness * t, rtol=1e-12)


def test_a_fixed_share_stays_and_has_no_error():
    found = scored(100, 200).adjust(PiRange(0.55, 0.55))

    assert found.pi == pytest.approx(0.55, abs=1e-12)
    assert found.logit_variance == 0.0
    assert not found.covariance[0].any()
    assert not found.covariance[:, 0].any()
    assert (found.covariance.diagonal()[1:] > 0.0).all()
    assert found.leaning == 1.0


@pytest.mark.parametrize(("low", "high", "end"), [(0.6, 0.9, 0.6), (0.01, 0.1, 0.1)])
def test_bounds_that_exclude_the_estimate_hold_it_at_their_nearest_end(low, high, end):
    found = scored(400, 800).adjust(PiRange(low, high))

    assert found.pi == pytest.approx(end, abs=1e-9)
    assert np.isfinite(found.covariance).all()


def test_no_other_share_has_a_higher_objective():
    rows = scored(100, 200, seed=8)
    best = rows.adjust(PiRange())

    for pi in (0.05, 0.2, best.pi, 0.5, 0.9):
        assert rows.adjust(PiRange(pi, pi), near=best).value <= best.value + 1e-6
    assert rows.adjust(PiRange(best.pi, best.pi), near=best).value == pytest.approx(best.value, abs=1e-6)


def test_a_place_to_look_near_is_given_on_the_scale_of_the_scores(monkeypatch):
    rows = scored(100, 200, seed=8)
    moved = replace(rows, scores=10.0 - 3.0 + 7.0 * rows.scores)
    best = moved.adjust(PiRange())
    monkeypatch.setattr("pugam.solvers.held_out.TUNING", replace(TUNING, held_out_starts=()))

    again = moved.adjust(PiRange(), near=best)

    assert again.logit_pi == pytest.approx(best.logit_pi, abs=1e-3)
    assert again.value == pytest.approx(best.value, abs=1e-7)


def test_three_parameters_may_all_end_on_their_bounds(monkeypatch):
    narrow = replace(TUNING, log_steepness=(-1.0, -1.0), largest_intercept=0.0)
    monkeypatch.setattr("pugam.solvers.held_out.TUNING", narrow)

    found = scored(100, 200, seed=8).adjust(PiRange(0.3, 0.3))

    assert found.pi == pytest.approx(0.3)
    assert np.isfinite(found.value)


def test_scores_of_no_use_say_next_to_nothing_about_the_share():
    # With no prior on pi; the least of nine such samples, where a determined pi has a variance below 0.1.
    variances = []
    for seed in range(9):
        rows = HeldOutRows(np.random.default_rng(seed).normal(size=300), np.arange(300) < 100, np.ones(300), PiPrior())
        variances.append(rows.adjust(PiRange()).logit_variance)

    assert min(variances) > 10.0


def test_labelled_rows_that_score_lower_than_others_say_nothing_about_the_share():
    rng = np.random.default_rng(1)
    labelled = np.arange(300) < 100
    rows = HeldOutRows(rng.normal(size=300) - 0.3 * labelled, labelled, np.ones(300), WEAK)

    found = rows.adjust(PiRange())

    assert found.logit_variance == np.inf
    assert found.leaning == np.inf


@pytest.mark.parametrize("prior", [WEAK, PiPrior()], ids=["weak prior", "no prior"])
@pytest.mark.parametrize(
    "scores",
    [np.repeat([5.0, -5.0], [50, 100]), np.zeros(150), np.repeat([-1.0, 1.0], [50, 100]), 1e9 * np.arange(150.0)],
    ids=["separated", "constant", "the wrong way round", "huge"],
)
def test_odd_scores_give_finite_numbers_and_no_warning(scores, prior):
    rows = HeldOutRows(scores, np.arange(150) < 50, np.ones(150), prior)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = rows.adjust(PiRange())

    assert 0.0 < found.pi < 1.0
    assert np.isfinite([found.intercept, found.steepness, found.value]).all()
    assert np.isfinite(found.covariance).all()
    assert found.logit_variance >= 0.0
    assert found.leaning >= 1.0


def test_separated_scores_count_the_rows_on_the_side_of_the_labelled():
    # 50 labelled rows and 30 of 100 unlabelled ones score high: with Beta(2, 2), pi = 31 / 102.
    scores = np.repeat([5.0, 5.0, -5.0], [50, 30, 70])

    found = HeldOutRows(scores, np.arange(150) < 50, np.ones(150), WEAK).adjust(PiRange())

    assert found.pi == pytest.approx(31.0 / 102.0, abs=0.02)
