"""Bounds on pi if labels prefer some positives: by hand, for preferences that reach them, and the Gamma for a value."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from pugam import PUGAM, InputError
from pugam.datasets import simulate
from pugam.inference import bound_labelling, choose_rows, profile_of
from pugam.inference.boosting import held_out_chances
from pugam.inference.labelling_bounds import PosteriorBound, ThresholdBound

GAMMAS = np.array([1.0, 1.5, 2.0, 5.0, 20.0])


@pytest.fixture(scope="module")
def model():
    data = simulate(2, n0=700, n=1400, pi=0.4, random_state=0)
    return PUGAM().fit(data.X, data.z)


@pytest.fixture(scope="module")
def profile(model):
    return profile_of(model._fitted("The bounds"))


@pytest.fixture(scope="module")
def found(model, profile):
    return bound_labelling(profile, model.pi_interval(), GAMMAS)


def test_the_upper_bound_by_hand():
    # Posteriors of 0.1, 0.4 and 0.9, the last of weight two, become 0.2, 0.8 and 1 where they may double.
    bound = PosteriorBound(0.5, np.array([0.1, 0.4, 0.9]), np.array([1.0, 1.0, 2.0]))

    assert bound.at(1.0) == 0.5
    assert bound.at(2.0) == pytest.approx(0.5 + (0.1 + 0.4 + 2.0 * 0.1) / 4.0)
    assert bound.at(1e6) == pytest.approx(0.5 + (0.9 + 0.6 + 2.0 * 0.1) / 4.0)
    assert PosteriorBound(0.9, np.array([0.1]), np.ones(1)).at(1e6) == 1.0


def test_at_random_the_range_is_the_estimate_and_its_interval(model, found):
    interval = model.pi_interval()

    assert found.lower[0] == found.upper[0] == interval.estimate
    assert (found.lower_limit[0], found.upper_limit[0]) == pytest.approx((interval.lower, interval.upper))


def test_bounds_widen_with_gamma(found):
    for falling in (found.lower, found.lower_limit):
        assert (np.diff(falling) < 0.0).all()
    for rising in (found.upper, found.upper_limit):
        assert (np.diff(rising) > 0.0).all()
    assert (np.diff(found.without_model) >= 0.0).all()
    assert (found.lower_limit < found.lower).all()
    assert (found.upper_limit > found.upper).all()


def test_the_model_puts_the_upper_bound_at_its_posteriors_times_gamma(model, found):
    data = simulate(2, n0=700, n=1400, pi=0.4, random_state=0)
    posteriors = model.predict_proba(data.X)[data.z == 0, 1]

    gained = np.mean(np.minimum(5.0 * posteriors, 1.0) - posteriors)

    assert found.upper[3] == pytest.approx(model.pi_ + gained, abs=1e-4)


def normal_log_ratio(x, slopes=(1.5, -1.5)):
    return x @ np.array(slopes) - 0.5 * np.sum(np.square(slopes))


@pytest.mark.parametrize("gamma", [2.0, 5.0])
def test_a_preference_that_the_bound_is_sharp_for_is_held_by_it(gamma):
    """The chance to be labelled rises with the posterior m as 1 / min(Gamma, 1 / m): clear cases are preferred.

    Positives are N(mu, I), negatives N(0, I); the estimate of the bound has an error of about 0.02, tolerance 0.05.
    """
    rng, pi, n = np.random.default_rng(0), 0.4, 4000
    positives = rng.normal(size=(12 * n, 2)) + np.array([1.5, -1.5])
    m = expit(np.log(pi / (1.0 - pi)) + normal_log_ratio(positives))
    labelled = positives[rng.random(len(positives)) < 1.0 / np.minimum(gamma, 1.0 / m)][:n]
    hidden = rng.random(n) < pi
    X = pd.DataFrame(np.vstack([labelled, rng.normal(size=(n, 2)) + np.outer(hidden, [1.5, -1.5])]), columns=["a", "b"])

    model = PUGAM("a + b").fit(X, np.repeat([1, 0], n))
    bounds = bound_labelling(profile_of(model._fitted("The bounds")), model.pi_interval(), np.array([gamma]))

    assert model.pi_ < pi  # clear cases were preferred
    assert bounds.lower[0] < pi < bounds.upper[0] + 0.05
    assert pi < bounds.without_model[0]
    assert bounds.gamma_for(pi, sampling=False) <= gamma


def test_the_limit_without_a_model_counts_rows_on_both_sides_of_a_threshold(profile):
    rows = choose_rows(profile)
    chances = held_out_chances(rows)
    bound = ThresholdBound(0.5, rows, chances, 0.0)
    labelled, hidden = (chances[label] for label in (rows.positive, ~rows.positive))

    # With a quantile of zero, no errors: the best threshold of all rows is about as good as that of other folds.
    sums = [
        np.mean(hidden >= place) + 2.0 * 0.5 * np.mean(labelled < place)
        for place in np.quantile(chances, np.linspace(0, 1, 200))
    ]

    assert bound.at(2.0) == pytest.approx(min(sums), abs=0.03)
    assert bound.at(1e9) == 1.0


def test_gamma_for_a_value_is_where_the_bound_reaches_it(model, profile, found):
    interval = model.pi_interval()
    gamma = found.gamma_for(0.7)
    again = bound_labelling(profile, interval, np.array([gamma]))

    assert again.upper_limit[0] == pytest.approx(0.7, abs=1e-6)
    assert found.gamma_for(0.7, sampling=False) > gamma
    assert found.gamma_for(0.1) == pytest.approx(interval.lower / 0.1)
    assert found.gamma_for(0.1, sampling=False) == pytest.approx(interval.estimate / 0.1)
    assert found.gamma_for(interval.estimate) == 1.0
    assert found.gamma_for(0.0) == found.gamma_for(1.0) == np.inf


@pytest.mark.parametrize("value", [np.nan, -0.1, 1.2, "0.3", None])
def test_gamma_for_what_is_no_share_is_refused(found, value):
    with pytest.raises(InputError, match="number from 0 to 1; got"):
        found.gamma_for(value)


def test_bounds_in_words_hold_their_numbers(found):
    lines = str(found).split("\n")

    assert lines[0] == f"pi if positives were labelled at random: {found.pi}"
    assert f"up to 2 times   pi is {found.lower[2]:.3f} to {found.upper[2]:.3f}" in lines[4]
    assert f"; at most {found.without_model[2]:.3f} without any model)" in lines[4]
    assert repr(found) == str(found)


def test_given_columns_of_labelling_bounds_say_so():
    data = simulate(2, n0=700, n=1400, pi=0.4, random_state=0)
    found = PUGAM(labelling="s(x1)", check=False).fit(data.X, data.z).labelling_bounds([1, 2])

    lines = str(found).split("\n")

    assert found.given == ("x1",)
    assert lines[0].startswith("pi if positives were labelled at random given x1: ")
    assert lines[1].startswith("If features besides make ")
    assert np.isnan(found.without_model).all()


def test_labelled_rows_taken_out_of_the_sample_are_bounded_by_odds():
    # Chances of 0.45 and 0.9 differ twofold, odds by a factor of 11. The limit allows for 1.96 standard errors, so it
    # may fail in one data set of forty.
    held = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        y = rng.random(4000) < 0.5
        X = pd.DataFrame(rng.normal(size=(4000, 3)) + 1.2 * y[:, None], columns=["a", "b", "c"])
        clear = X.sum(axis=1) > X[y].sum(axis=1).median()
        z = y & (rng.random(4000) < np.where(clear, 0.9, 0.45))
        found = PUGAM(check=False).fit(X, z.astype(int)).labelling_bounds([2.0, 11.0])
        held.append(found.without_model >= y[~z].mean())

    assert np.array(held).tolist() == [[False, True]] * 3


def test_with_few_rows_there_is_no_limit_without_a_model():
    data = simulate(2, n0=60, n=120, random_state=0)
    few = PUGAM("x1 + x2", pi=(0.1, 0.9)).fit(data.X.iloc[:80], data.z[:80])

    bounds = bound_labelling(profile_of(few._fitted("The bounds")), few.pi_interval(), np.array([2.0]))

    assert np.isnan(bounds.without_model[0])
    assert "without any model" not in str(bounds)
