"""Questions to a fitted model: covariances, contrasts, derivatives; and what a stored model still answers."""

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import norm
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from pugam import PUGAM, InputError, f, l, s
from pugam.inference import make_inference


@pytest.fixture(scope="module")
def several(mixed, z):
    """A model of every kind of term."""
    terms = [s("x1", k=6), l("x2"), f("site"), s("dose", k=6, missing="effect")]
    return PUGAM(terms, n_starts=4).fit(mixed, z)


# Covariances


@pytest.mark.parametrize("kind", ["curves", "bayesian", "frequentist"])
def test_a_covariance_is_of_logit_pi_alpha_and_the_coefficients(model, kind):
    covariance = model.covariance(kind)

    size = 2 + len(model.coef_)
    assert covariance.shape == (size, size)
    np.testing.assert_allclose(covariance, covariance.T, rtol=1e-8, atol=1e-12)
    assert np.linalg.eigvalsh(covariance).min() > -1e-9 * covariance.diagonal().max()


@pytest.mark.parametrize("estimate", ["marginal", "mode"])
def test_the_second_parameter_of_a_covariance_is_alpha(X, z, estimate):
    model = PUGAM(estimate=estimate).fit(X, z)
    # alpha = a - log(n0 + n1 pi) + log(1 - pi) + log n1, with the slope below in logit pi.
    pi, n0, n1 = model.pi_, model.n0_, model.n1_
    slope = -n1 * pi * (1.0 - pi) / (n0 + n1 * pi) - pi
    before = make_inference(model._fit, model._design, model._settings, n0, n1).bayesian_covariance()

    covariance = model.covariance("bayesian")

    expected = before[1, 1] + 2.0 * slope * before[0, 1] + slope**2 * before[0, 0]
    assert covariance[1, 1] == pytest.approx(expected, rel=1e-9)
    assert covariance[0, 1] == pytest.approx(before[0, 1] + slope * before[0, 0], rel=1e-9)


def test_bands_rest_on_the_covariance_of_curves_which_is_the_widest(X, z):
    model = PUGAM(estimate="mode").fit(X, z)
    curves, bayesian, frequentist = (model.covariance(kind) for kind in ("curves", "bayesian", "frequentist"))
    columns = model._design.bases[0].columns(np.array([0.3]))[0]
    block = slice(2, 2 + len(columns))

    assert model.effect("x1", [0.3], center="range")["se"][0] == pytest.approx(
        np.sqrt(columns @ curves[block, block] @ columns)
    )
    assert np.linalg.eigvalsh(curves - bayesian)[0] > -1e-9
    assert curves[2:, 2:].trace() > 1.01 * bayesian[2:, 2:].trace()
    assert bayesian[2:, 2:].trace() > frequentist[2:, 2:].trace()


@pytest.mark.parametrize(("debias", "kind"), [(True, "frequentist"), (False, "bayesian")])
def test_the_interval_of_pi_has_the_width_of_a_covariance(X, z, debias, kind):
    # Without a prior: the sampling variance of the corrected estimate, or that of the penalised one with its bias
    # counted as variance; from the observed information where that says more, which is not much.
    model = PUGAM(pi_prior=None, debias=debias, smoothing=0.01, n_starts=4).fit(X, z)
    interval = model.pi_interval(0.9)

    half = norm.ppf(0.95) * (1.0 - model.pi_) * np.sqrt(model.covariance(kind)[0, 0])
    assert 1.0 - 1e-6 < np.log(interval.upper / interval.lower) / (2.0 * half) < 1.2


def test_an_unknown_covariance_is_refused(model):
    with pytest.raises(InputError, match="kind is 'curves', 'bayesian' or 'frequentist'; got 'robust'"):
        model.covariance("robust")


def test_a_fixed_pi_has_no_variance_in_any_covariance(X, z):
    model = PUGAM(pi=0.4, n_starts=2).fit(X, z)

    for kind in ("curves", "bayesian", "frequentist"):
        covariance = model.covariance(kind)
        assert not covariance[0].any()
        assert covariance[1, 1] > 0.0


# Effects, contrasts and odds ratios


def test_a_derivative_is_the_slope_of_the_effect_in_and_beyond_the_range(model, X):
    low, high, step = X["x2"].min(), X["x2"].max(), 1e-5
    grid = np.array([low - 2.0, low + 0.3, 0.0, 0.7, high - 0.3, high + 2.0])

    frame = model.effect("x2", grid, derivative=True)
    rise = np.asarray(model.effect("x2", grid + step)["u"]) - np.asarray(model.effect("x2", grid - step)["u"])

    np.testing.assert_allclose(frame["u"], rise / (2.0 * step), rtol=1e-4, atol=1e-5)
    assert list(frame.columns) == ["x", "u", "se", "lower", "upper"]


def test_the_odds_scale_is_the_exponential(model):
    log, odds = (model.effect("x1", scale=scale) for scale in ("log", "odds"))

    np.testing.assert_allclose(odds[["u", "lower", "upper"]], np.exp(log[["u", "lower", "upper"]]))


def test_a_simultaneous_band_is_wider(model):
    pointwise, together = (model.effect("x1", simultaneous=flag) for flag in (False, True))

    ratio = (together["upper"] - together["u"]) / (pointwise["upper"] - pointwise["u"])
    assert ratio.min() == pytest.approx(ratio.max())
    assert 1.1 < ratio.min() < 2.5


def test_odds_ratios_are_the_exponential_of_differences_of_effects(several):
    effects = np.asarray(several.effect("x1", [-1.0, 1.0])["u"])
    levels = several.effect("site").set_index("x")["u"]
    gaps = np.asarray(several.effect("dose", [0.5, np.nan])["u"])

    assert several.odds_ratio("x1", -1.0, 1.0).estimate == pytest.approx(np.exp(effects[1] - effects[0]))
    north_to_south = several.odds_ratio("site", "north", "south")
    assert north_to_south.estimate == pytest.approx(np.exp(levels["south"] - levels["north"]))
    assert several.odds_ratio(s("dose"), 0.5, None).estimate == pytest.approx(np.exp(gaps[1] - gaps[0]))


def test_an_odds_ratio_of_a_line_is_that_of_its_slope(several):
    slope = several.effect("x2", [0.0], derivative=True).iloc[0]
    half = norm.ppf(0.95) * slope["se"]

    found = several.odds_ratio("x2", 1.0, 3.0, level=0.9)

    expected = np.exp(2.0 * np.array([slope["u"], slope["u"] - half, slope["u"] + half]))
    np.testing.assert_allclose([found.estimate, found.lower, found.upper], expected, rtol=1e-9)


def test_an_odds_ratio_of_one_value_is_refused(several):
    with pytest.raises(InputError, match=r"compares two values; give another one beside 0\.4"):
        several.odds_ratio("x1", 0.4)


def test_an_odds_ratio_turned_around_is_its_inverse(several):
    there, back = several.odds_ratio("x1", -1.0, 1.0), several.odds_ratio("x1", 1.0, -1.0)

    assert back.estimate == pytest.approx(1.0 / there.estimate)
    assert (back.lower, back.upper) == pytest.approx((1.0 / there.upper, 1.0 / there.lower))


def test_a_contrast_of_several_columns_is_the_difference_of_the_log_density_ratio(several, mixed):
    rows = mixed.iloc[[3, 8]].assign(x2=0.0)
    rows["dose"] = [np.nan, 0.4]
    before, after = (rows.iloc[number][["x1", "site", "dose"]].to_dict() for number in (0, 1))

    found = several.contrast(before, after)

    ratio = several.log_density_ratio(rows)
    assert found.estimate == pytest.approx(ratio[1] - ratio[0], rel=1e-9)
    assert found.lower < found.estimate < found.upper


def test_a_contrast_has_the_standard_error_of_its_covariance(several):
    a, b = {"x1": -1.0, "site": "east"}, {"x1": 1.0, "site": "north"}
    weights = np.zeros(len(several.coef_))
    for number, values in ((0, np.array([-1.0, 1.0])), (2, np.array([0, 1]))):
        rows = several._design.bases[number].columns(values)
        weights[several._design.blocks[number]] = rows[1] - rows[0]
    variance = weights @ several.covariance("curves")[2:, 2:] @ weights

    found = several.contrast(a, b, level=0.9)

    assert found.upper - found.lower == pytest.approx(2.0 * norm.ppf(0.95) * np.sqrt(variance), rel=1e-9)


@pytest.mark.parametrize("make", [pd.Series, pl.Series, lambda levels: pd.Series(levels).unique()])
def test_a_grid_of_levels_may_be_a_column(several, make):
    frame = several.effect("site", grid=make(["south", "east"]))

    assert list(frame["x"]) == ["south", "east"]


@pytest.mark.parametrize("sides", [("x1", "x2"), ([0.0], [1.0]), ({"x1": 0.0}, 1.0)])
def test_a_contrast_of_anything_but_named_values_is_refused(model, sides):
    with pytest.raises(InputError, match=r"each as \{column: value\}"):
        model.contrast(*sides)


def test_a_contrast_of_different_columns_is_refused(model):
    with pytest.raises(InputError, match="values of the same columns"):
        model.contrast({"x1": 0.0}, {"x2": 0.0})


# Intervals


@pytest.mark.parametrize("method", ["wald", "profile"])
@pytest.mark.parametrize("option", [{"n_resamples": 10}, {"groups": [1, 2]}, {"typo": 1}])
def test_options_of_a_bootstrap_are_refused_by_other_intervals(model, method, option):
    with pytest.raises(InputError, match=rf"{next(iter(option))} is for method='bootstrap'; got method='{method}'"):
        model.pi_interval(method=method, **option)


def test_an_unknown_interval_is_refused(model):
    with pytest.raises(InputError, match="method is 'wald', 'profile' or 'bootstrap'; got 'exact'"):
        model.pi_interval(method="exact")


@pytest.mark.parametrize("method", ["wald", "profile", "bootstrap"])
def test_a_fixed_pi_is_its_own_interval(X, z, method):
    interval = PUGAM(pi=0.4, n_starts=2).fit(X, z).pi_interval(method=method)

    assert (interval.lower, interval.estimate, interval.upper, interval.method) == (0.4, 0.4, 0.4, "fixed")


def test_an_interval_widens_with_its_level(model):
    narrow, wide = model.pi_interval(0.5), model.pi_interval(0.99)

    assert wide.lower < narrow.lower < model.pi_ < narrow.upper < wide.upper


@pytest.mark.parametrize(
    "ask",
    [
        lambda model: model.pi_interval(),
        lambda model: model.effect("x1"),
        lambda model: model.odds_ratio("x1", 0, 1),
        lambda model: model.contrast({"x1": 0}, {"x1": 1}),
        lambda model: model.test("x1"),
        lambda model: model.covariance(),
        lambda model: model.bootstrap(),
        lambda model: model.diagnose(),
        lambda model: model.summary(),
        lambda model: model.plot(),
        lambda model: model.attach([[1.0]], [1]),
    ],
    ids=[
        "pi_interval",
        "effect",
        "odds_ratio",
        "contrast",
        "test",
        "covariance",
        "bootstrap",
        "diagnose",
        "summary",
        "plot",
        "attach",
    ],
)
def test_a_model_that_was_not_fitted_says_so(ask):
    with pytest.raises(NotFittedError):
        ask(PUGAM())


# Stored and copied models

COPIES = {
    "pickled": lambda model: pickle.loads(pickle.dumps(model)),
    "copied": copy.deepcopy,
}


@pytest.fixture(params=COPIES)
def stored(request, several):
    return COPIES[request.param](several)


def test_a_stored_model_answers_what_needs_no_rows(stored, several, mixed):
    assert stored.pi_interval() == several.pi_interval()
    assert stored.test("x1") == several.test("x1")
    assert stored.test("dose", null="linear") == several.test("dose", null="linear")
    assert stored.odds_ratio("x1", 0.0, 1.0) == several.odds_ratio("x1", 0.0, 1.0)
    assert str(stored.summary()) == str(several.summary())
    pd.testing.assert_frame_equal(stored.effect("site"), several.effect("site"))
    np.testing.assert_array_equal(stored.covariance("frequentist"), several.covariance("frequentist"))
    np.testing.assert_array_equal(stored.predict_proba(mixed), several.predict_proba(mixed))
    assert len(stored.plot().axes) == len(several.plot().axes)


NEED_ROWS = {
    "profile": lambda model: model.pi_interval(method="profile"),
    "bootstrap": lambda model: model.bootstrap(5),
    "bootstrap interval": lambda model: model.pi_interval(method="bootstrap", n_resamples=5),
    "bootstrap test": lambda model: model.test("x1", method="bootstrap", n_resamples=5),
    "refit": lambda model: model.test("x1", refit=True),
    "diagnosis": lambda model: model.diagnose(),
    "picture": lambda model: model.plot("profile"),
}


@pytest.mark.parametrize("ask", NEED_ROWS.values(), ids=NEED_ROWS)
def test_a_stored_model_asks_for_its_rows_where_it_needs_them(stored, ask):
    with pytest.raises(InputError, match=r"needs the rows the model was fitted to.*attach\(X, z\)"):
        ask(stored)


def test_storing_leaves_the_model_its_rows(several):
    pickle.dumps(several)
    copy.deepcopy(several)

    assert several.pi_interval(method="profile").method == "profile"


def test_rows_given_back_give_the_same_answers(stored, several, mixed, z):
    assert stored.attach(mixed, z) is stored

    assert stored.pi_interval(method="profile") == several.pi_interval(method="profile")
    assert str(stored.diagnose()) == str(several.diagnose())
    assert stored.test("x1", refit=True) == several.test("x1", refit=True)
    np.testing.assert_array_equal(stored.bootstrap(5, random_state=1).pi, several.bootstrap(5, random_state=1).pi)


def test_rows_may_come_back_from_another_library_and_with_other_labels(several, mixed, z):
    stored = pickle.loads(pickle.dumps(several))

    stored.attach(pl.from_pandas(mixed[list(reversed(mixed.columns))]), z=z.astype(bool))

    assert stored.pi_interval(method="profile") == several.pi_interval(method="profile")


def test_weighted_rows_come_back_with_their_weights(X, z):
    weights = np.random.default_rng(1).integers(0, 3, len(z))
    model = PUGAM(n_starts=2).fit(X, z, sample_weight=weights)
    stored = pickle.loads(pickle.dumps(model))

    with pytest.raises(InputError, match="not the rows the model was fitted to"):
        stored.attach(X, z)
    stored.attach(X, z, sample_weight=weights)

    assert stored.pi_interval(method="profile") == model.pi_interval(method="profile")


CHANGES = {
    "other values": lambda frame, z: (frame.assign(x1=frame["x1"] + 0.01), z),
    "other order of values": lambda frame, z: (frame.assign(x1=frame["x1"].to_numpy()[::-1]), z),
    "other labels": lambda frame, z: (frame, np.roll(z, 1)),
    "fewer rows": lambda frame, z: (frame.iloc[:-5], z[:-5]),
    "twice the rows": lambda frame, z: (pd.concat([frame, frame]), np.tile(z, 2)),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_other_rows_are_refused_and_leave_the_model_without(several, mixed, z, change):
    stored = pickle.loads(pickle.dumps(several))

    with pytest.raises(InputError, match=r"not the rows the model was fitted to: .* of log-likelihood -?\d.*, of -"):
        stored.attach(*change(mixed, z))

    with pytest.raises(InputError, match="attach"):
        stored.diagnose()


def test_rows_without_the_models_columns_are_refused(several, mixed, z):
    with pytest.raises(InputError, match="no column 'x1'"):
        pickle.loads(pickle.dumps(several)).attach(mixed.drop(columns="x1"), z)


def test_a_stored_model_does_not_carry_its_rows(X, z):
    times = 40
    small = PUGAM(n_starts=2, smoothing=0.1).fit(X, z)
    large = PUGAM(n_starts=2, smoothing=0.1).fit(pd.concat([X] * times), np.tile(z, times))

    sizes = [len(pickle.dumps(model)) for model in (small, large)]

    rows = X.to_numpy().nbytes * times
    assert sizes[1] < 1.1 * sizes[0]
    assert sizes[1] < 0.2 * rows


def test_a_clone_is_not_fitted_and_fits_the_same(several, mixed, z):
    fresh = clone(several)

    with pytest.raises(NotFittedError):
        fresh.pi_interval()
    assert fresh.fit(mixed, z).pi_ == several.pi_
