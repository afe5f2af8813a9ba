"""Posteriors of single rows: their limits against a simulation, by the delta method; means where curves shrank."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from pugam import PUGAM, InputError
from pugam.datasets import simulate
from pugam.inference import posterior_logits
from pugam.likelihood import alpha_shift
from pugam.solvers import Shrinkage

DATA = simulate(2, n0=1250, n=1500, pi=0.4, random_state=3)


@pytest.fixture(scope="module")
def model():
    return PUGAM().fit(DATA.X, DATA.z)


def logit(p):
    return np.log(p) - np.log1p(-p)


def test_the_posterior_lies_between_its_limits_and_is_that_of_predict_proba(model):
    frame = model.predict_interval(DATA.X)

    np.testing.assert_array_equal(frame["p_positive"], model.predict_proba(DATA.X)[:, 1])
    assert ((frame["lower"] <= frame["p_positive"]) & (frame["p_positive"] <= frame["upper"])).all()
    assert frame[["lower", "upper"]].stack().between(0.0, 1.0).all()


def test_limits_come_from_the_covariance_of_all_parameters(model):
    rows = DATA.X.head(7)
    columns = model._design.matrix(model._design.encode(model_table(rows)))
    gradient = np.column_stack([np.ones(len(rows)), columns])  # of logit pi + alpha + effects
    errors = np.sqrt(np.einsum("ij,jk,ik->i", gradient, model.covariance(), gradient))

    frame = model.predict_interval(rows, level=0.9)

    half = (logit(frame["upper"]) - logit(frame["lower"])) / 2.0
    np.testing.assert_allclose(half, 1.6448536 * errors, rtol=1e-6)
    p = frame["p_positive"]
    np.testing.assert_allclose(frame["se"], p * (1.0 - p) * errors, rtol=1e-9)


def model_table(rows):
    from pugam.data import read_table

    return read_table(rows)


def test_a_known_share_moves_the_posterior_and_takes_its_own_uncertainty_away(model):
    rows = DATA.X.iloc[1250:1260]
    estimated, known = model.predict_interval(rows), model.predict_interval(rows, pi=model.pi_)

    np.testing.assert_allclose(known["p_positive"], estimated["p_positive"], rtol=1e-12)
    moved = model.predict_interval(rows, pi=0.05)
    assert (moved["p_positive"] < known["p_positive"]).all()
    with pytest.raises(InputError, match="share strictly between 0 and 1"):
        model.predict_interval(rows, pi=1.0)


def test_frames_come_back_in_the_library_of_x(model):
    polars = pytest.importorskip("polars")

    assert isinstance(model.predict_interval(DATA.X), pd.DataFrame)
    assert isinstance(model.predict_interval(polars.DataFrame(DATA.X.to_dict("list"))), polars.DataFrame)


def test_predictions_of_a_row_do_not_depend_on_the_rows_around_it(model):
    whole = model.log_density_ratio(DATA.X)

    for first, count in ((0, 1), (3, 2), (17, 190), (1000, 499)):
        part = model.log_density_ratio(DATA.X.iloc[first : first + count])
        np.testing.assert_array_equal(part, whole[first : first + count])


def test_limits_hold_the_true_posterior_about_as_often_as_they_say():
    # 40 data sets of 250 unlabelled rows each; rows of one data set err together, so that the rate of 40 data sets
    # scatters by about 0.01. The bound is three times that.
    held = []
    for seed in range(40):
        data = simulate(2, n0=1250, n=1500, pi=0.4, random_state=1000 + seed)
        frame = PUGAM().fit(data.X, data.z).predict_interval(data.X)
        truth = expit(data.log_density_ratio + logit(0.4))
        inside = (frame["lower"] <= truth) & (truth <= frame["upper"])
        held.append(np.mean(inside[data.z == 0]))

    assert np.mean(held) == pytest.approx(0.95, abs=0.03)


@pytest.fixture(scope="module")
def shrunken():
    data = simulate(2, n0=60, n=180, pi=0.4, random_state=3)
    return PUGAM("x1 + x2 + x3", shrinkage="always").fit(data.X, data.z)


def with_covariance(model, covariance):
    """The fit with another covariance of logit pi, intercept and log steepness."""
    adjustment = replace(model._fit.shrinkage.adjustment, covariance=np.asarray(covariance, dtype=float), stray=STRAY)
    return replace(model._fit, shrinkage=Shrinkage(model._fit.shrinkage.ridge, adjustment))


RATIOS = np.linspace(-12.0, 8.0, 41)
STRAY = 0.02
CORRELATED = [[0.4, 0.1, -0.1], [0.1, 0.3, 0.15], [-0.1, 0.15, 0.25]]


@pytest.mark.parametrize("pi", [0.05, 0.6])
def test_shrunken_posteriors_are_means_over_intercept_and_steepness_at_a_known_share(shrunken, pi):
    fit = with_covariance(shrunken, CORRELATED)
    covariance, adjustment = np.array(CORRELATED), fit.shrinkage.adjustment
    given = covariance[1:, 1:] - np.outer(covariance[1:, 0], covariance[1:, 0]) / covariance[0, 0]
    draws = np.random.default_rng(0).multivariate_normal(np.zeros(2), given, 200_000)
    shift = float(alpha_shift(shrunken.pi_, shrunken.n0_, shrunken.n1_))
    steep = RATIOS + shift - adjustment.intercept
    expected = []
    for ratio, one in zip(RATIOS, steep, strict=True):
        positive = STRAY + (1.0 - STRAY) * expit(ratio + shift + draws[:, 0] + one * np.expm1(draws[:, 1]))
        weighed = positive * np.exp(logit(pi) - shift)
        expected.append(np.mean(weighed / (weighed + 1.0 - positive)))

    found = expit(posterior_logits(fit, shrunken.n0_, shrunken.n1_, RATIOS, pi))

    # Monte-Carlo errors are below 0.5 / sqrt(200000) = 0.0011; MacKay's approximation adds up to 0.003.
    np.testing.assert_allclose(found, expected, atol=0.006)


def test_nothing_left_open_leaves_nothing_to_average_over(shrunken):
    fit = with_covariance(shrunken, np.zeros((3, 3)))

    shift = float(alpha_shift(shrunken.pi_, shrunken.n0_, shrunken.n1_))
    expected = logit(STRAY + (1.0 - STRAY) * expit(RATIOS + shift)) - shift + logit(0.2)
    np.testing.assert_allclose(posterior_logits(fit, shrunken.n0_, shrunken.n1_, RATIOS, 0.2), expected, rtol=1e-9)


@pytest.mark.parametrize("size", [0.01, 1.0, 100.0, 1e6])
def test_averages_rise_with_the_ratio_however_uncertain_and_however_sure(shrunken, size):
    fit = with_covariance(shrunken, size * np.array(CORRELATED))

    found = posterior_logits(fit, shrunken.n0_, shrunken.n1_, np.linspace(-500.0, 500.0, 1001), 0.3)

    assert np.isfinite(found).all()
    assert (np.diff(found) >= 0.0).all()
    assert (np.diff(found)[500:] > 0.0).all()  # towards the other end strays put a floor under all


def test_decisions_and_posteriors_of_shrunken_curves_go_together(shrunken):
    X = simulate(2, n0=60, n=180, pi=0.4, random_state=3).X
    posterior = shrunken.predict_proba(X)[:, 1]

    np.testing.assert_allclose(expit(shrunken.decision_function(X)), posterior, rtol=1e-12)
    np.testing.assert_array_equal(shrunken.predict(X), posterior > 0.5)
    np.testing.assert_array_equal(shrunken.predict_interval(X)["p_positive"], posterior)
    # Less sure than the best steepness alone makes them, on average.
    plain = expit(shrunken.log_density_ratio(X) + logit(shrunken.pi_))
    assert np.mean(np.abs(posterior - 0.5)) < np.mean(np.abs(plain - 0.5))


def test_averaged_posteriors_are_better_calibrated_where_rows_are_few():
    # The mean log score of the truth over 12 tables of 12 columns, 40 labelled and 60 unlabelled rows.
    averaged, plain = [], []
    for seed in range(12):
        X, z, y = many_columns(seed)
        model = PUGAM(" + ".join(X.columns)).fit(X, z)
        assert model.shrinkage_ is not None
        logits = model.decision_function(X[~z]), model.log_density_ratio(X[~z]) + logit(model.pi_)
        for scores, one in zip((averaged, plain), logits, strict=True):
            scores.append(np.mean(np.logaddexp(0.0, np.where(y[~z], -one, one))))

    assert np.mean(averaged) < np.mean(plain)


def many_columns(seed):
    """Two of twelve normal columns tell positives from negatives."""
    rng = np.random.default_rng(seed)
    y = np.repeat([True, True, False], [40, 42, 18])
    X = rng.normal(size=(100, 12))
    X[:, :2] += 1.5 * y[:, None]
    return pd.DataFrame(X, columns=[f"x{number}" for number in range(12)]), np.arange(100) < 40, y
