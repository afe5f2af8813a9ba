"""What a user sees of a fit: attributes that belong together, options that do as they say, results that stay."""

import io
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.integrate import trapezoid
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from pugam import PUGAM, InputError, NotIdentifiableError, PugamWarning, f, l, s
from pugam.datasets import simulate

TIGHT = {"tol": 1e-10}
PURE = {"pi_prior": None, "debias": False, "smoothing": 0.1, **TIGHT}
FRAMES = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
}
SMOOTHINGS = ("reml", "aic", 0.1)


def expit(x):
    return 1.0 / (1.0 + np.exp(-x))


def logit(p):
    return np.log(p) - np.log1p(-p)


@pytest.fixture(scope="module")
def model(X, z):
    return PUGAM().fit(X, z)


@pytest.fixture(scope="module")
def mixed(X):
    """Numbers, text, a two-valued number and gaps."""
    rng = np.random.default_rng(2)
    site = np.where(rng.random(len(X)) < 0.6 * X["x1"], "north", rng.choice(["east", "south"], len(X)))
    dose = np.where(rng.random(len(X)) < 0.2, np.nan, X["x2"] + 0.2 * rng.random(len(X)))
    return X.assign(site=site, dose=dose, old=(X["x3"] > 0.5).astype(int))


def fit_quietly(model, X, z, weights=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PugamWarning)
        return model.fit(X, z, weights)


# The attributes of a fit


def test_pi_is_found_where_it_is_well_determined():
    # The sd of pi-hat is about 0.02 here, that of the share among 1500 unlabelled rows 0.013: three sd.
    data = simulate(1, n0=1500, n=3000, pi=0.4, random_state=0)

    assert PUGAM().fit(data.X, data.z).pi_ == pytest.approx(0.4, abs=0.07)


def test_effects_are_found_where_they_are_well_determined():
    # Pointwise standard errors are about 0.4 in the middle of the range, where the effects span 6 to 12: three se.
    data = simulate(3, n0=3000, n=6000, random_state=0)
    model = PUGAM().fit(data.X, data.z)
    grid = np.linspace(0.1, 0.9, 9)

    for name in data.X:
        np.testing.assert_allclose(model.effect(name, grid=grid)["u"], data.effect(name, grid), rtol=0, atol=1.2)


def test_prevalence_and_label_frequency_follow_from_pi(model, z):
    n0, n1 = np.sum(z == 1), np.sum(z == 0)
    positives = n0 + n1 * model.pi_

    assert 0.0 < model.pi_ < 1.0
    assert model.prevalence_ == pytest.approx(positives / (n0 + n1), rel=1e-12)
    assert model.label_frequency_ == pytest.approx(n0 / positives, rel=1e-12)


def test_aic_counts_the_effective_parameters(model):
    assert model.aic_ == pytest.approx(-2.0 * model.loglik_ + 2.0 * model.edf_, rel=1e-12)
    # At least pi, the intercept and three straight lines; at most all 2 + 3 * 9 coefficients.
    assert 5.0 - 1e-6 < model.edf_ < 29.0


def test_the_penalty_only_takes_away_from_the_log_likelihood(X, z):
    smooth = PUGAM(**PURE).fit(X, z)
    linear = PUGAM("x1 + x2 + x3", pi_prior=None).fit(X, z)

    assert smooth.penalized_loglik_ < smooth.loglik_
    assert linear.penalized_loglik_ == pytest.approx(linear.loglik_, rel=1e-12)


def test_the_bias_correction_refits_at_another_pi(X, z):
    plain, corrected = (PUGAM(smoothing=0.01, debias=debias, **TIGHT).fit(X, z) for debias in (False, True))

    assert plain.pi_ == plain.pi_penalized_
    assert corrected.pi_penalized_ == pytest.approx(plain.pi_, rel=1e-9)
    assert abs(corrected.pi_ - plain.pi_) > 1e-4
    refit = PUGAM(smoothing=0.01, pi=corrected.pi_, **TIGHT).fit(X, z)
    assert corrected.loglik_ == pytest.approx(refit.loglik_, rel=1e-9)
    np.testing.assert_allclose(corrected.predict_proba(X), refit.predict_proba(X), rtol=0, atol=1e-6)


def test_linear_models_have_no_bias_to_correct(X, z):
    model = PUGAM("x1 + x2 + x3").fit(X, z)

    assert model.pi_ == model.pi_penalized_
    assert model.smoothing_ == {}


@pytest.mark.parametrize("solver", ["newton", "em"])
def test_posteriors_of_the_unlabelled_average_to_pi(X, z, solver):
    model = PUGAM(solver=solver, **PURE).fit(X, z)

    assert model.predict_proba(X[z == 0])[:, 1].mean() == pytest.approx(model.pi_, abs=1e-7)


def test_newton_and_em_reach_the_same_optimum(X, z):
    newton, em = (PUGAM(solver=solver, smoothing=0.1, **TIGHT).fit(X, z) for solver in ("newton", "em"))

    assert newton.pi_ == pytest.approx(em.pi_, abs=1e-6)
    assert newton.penalized_loglik_ == pytest.approx(em.penalized_loglik_, abs=1e-6)


def test_the_log_density_ratio_is_alpha_plus_the_effects(model, X):
    effects = sum(np.asarray(model.effect(name, grid=X[name])["u"]) for name in X)

    np.testing.assert_allclose(model.log_density_ratio(X), model.alpha_ + effects, rtol=0, atol=1e-10)


def test_posterior_decision_and_class_are_one_thing(model, X):
    decision = model.decision_function(X)
    proba = model.predict_proba(X)

    np.testing.assert_allclose(decision, model.log_density_ratio(X) + logit(model.pi_), rtol=0, atol=1e-12)
    np.testing.assert_allclose(proba[:, 1], expit(decision), rtol=0, atol=1e-12)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(model.predict(X), (proba[:, 1] > 0.5).astype(int))


def test_score_is_the_mean_log_likelihood(model, X, z):
    assert model.score(X, z) == pytest.approx(model.loglik_ / len(z), rel=1e-10)


def test_score_weighs_rows(model, X, z):
    weights = np.arange(len(z)) % 3
    rows = np.repeat(np.arange(len(z)), weights)

    assert model.score(X, z, weights) == pytest.approx(model.score(X.iloc[rows], z[rows]), rel=1e-12)


def test_score_follows_the_formula_for_the_labels(model, X, z):
    n0, n1, pi = np.sum(z == 1), np.sum(z == 0), model.pi_
    c = n0 / (n0 + n1 * pi)
    labelled = c * expit(model.log_density_ratio(X) + np.log((n0 + n1 * pi) / (n1 * (1 - pi))))
    expected = np.where(z == 1, np.log(labelled), np.log1p(-labelled)).mean()

    assert model.score(X, z) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("debias", [True, False])
@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_smoothing_found_can_be_given_back(X, z, smoothing, debias):
    found = PUGAM(smoothing=smoothing, debias=debias, **TIGHT).fit(X, z)
    given = PUGAM(smoothing=found.smoothing_, debias=debias, **TIGHT).fit(X, z)

    assert list(found.smoothing_) == ["x1", "x2", "x3"]
    assert given.smoothing_ == found.smoothing_
    assert given.pi_ == pytest.approx(found.pi_, abs=1e-6)


def test_smoothing_may_be_named_by_column_or_by_term(X, z):
    by_column = PUGAM(smoothing={"x1": 1.0, "x2": 0.01, "x3": 10}).fit(X, z)
    by_term = PUGAM(smoothing={"s(x3)": 10, "s(x1)": 1.0, "s(x2)": 0.01}).fit(X, z)

    assert by_column.pi_ == by_term.pi_
    assert by_column.smoothing_ == by_term.smoothing_ == {"x1": 1.0, "x2": 0.01, "x3": 10.0}


def test_a_large_smoothing_parameter_makes_the_effects_straight(X, z):
    stiff = PUGAM(smoothing=1e8, debias=False, **TIGHT).fit(X, z)
    straight = PUGAM("x1 + x2 + x3", debias=False, **TIGHT).fit(X, z)

    assert stiff.pi_ == pytest.approx(straight.pi_, abs=1e-6)
    assert stiff.loglik_ == pytest.approx(straight.loglik_, abs=1e-5)


def test_the_penalised_objective_falls_as_smoothing_grows(X, z):
    # For any curve the objective falls with kappa, so its maximum does; a missed maximum would show.
    kappas = [1e-6, 1e-4, 1e-2, 1.0, 1e2, 1e4]
    objectives = [PUGAM(smoothing=kappa, debias=False).fit(X, z).penalized_loglik_ for kappa in kappas]

    assert (np.diff(objectives) < 1e-6).all()
    assert objectives[0] - objectives[-1] > 5.0


def test_aic_keeps_the_best_of_the_values_it_tries(X, z):
    kappas = [10.0, 0.1, 1e-3]
    chosen = PUGAM(smoothing="aic", kappas=kappas, debias=False, **TIGHT).fit(X, z)
    each = {kappa: PUGAM(smoothing=kappa, debias=False, **TIGHT).fit(X, z).aic_ for kappa in kappas}

    assert set(chosen.smoothing_.values()) == {min(each, key=each.get)}
    assert chosen.aic_ == pytest.approx(min(each.values()), abs=1e-6)


def test_every_start_is_on_record(X, z):
    model = PUGAM(smoothing=0.1, debias=False, n_starts=15, **TIGHT).fit(X, z)

    assert len(model.starts_) == 15
    assert len({round(start["pi_start"], 6) for start in model.starts_}) > 4
    assert max(start["objective"] for start in model.starts_) == pytest.approx(model.penalized_loglik_, abs=1e-6)


def test_one_start_is_enough_on_easy_data(X, z, model):
    single = PUGAM(n_starts=1).fit(X, z)

    assert len(single.starts_) == 1
    assert single.pi_ == pytest.approx(model.pi_, abs=1e-4)


def test_a_fit_says_that_it_converged(model):
    assert model.converged_
    assert not model.at_boundary_
    assert model.n_iter_ >= 1


def test_too_few_iterations_are_reported_with_a_remedy(X, z):
    with pytest.warns(ConvergenceWarning, match="did not converge.*larger max_iter"):
        model = PUGAM(max_iter=1).fit(X, z)

    assert not model.converged_


def test_a_good_fit_warns_of_nothing(X, z):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PUGAM().fit(X, z)


def test_fitting_changes_neither_the_data_nor_the_parameters(X, z):
    frame, labels, weights = X.copy(), z.copy(), np.ones(len(z))
    model = PUGAM(smoothing={"x1": 1.0, "x2": 1.0, "x3": 1.0})
    before = {name: repr(value) for name, value in model.get_params().items()}

    assert model.fit(frame, labels, weights) is model
    pd.testing.assert_frame_equal(frame, X)
    np.testing.assert_array_equal(labels, z)
    np.testing.assert_array_equal(weights, 1.0)
    assert {name: repr(value) for name, value in model.get_params().items()} == before


def test_a_second_fit_forgets_the_first(X, z, model):
    twice = PUGAM().fit(X[["x1", "x2"]].assign(x9=X["x3"]), -np.sign(0.5 - z)).fit(X.to_numpy(), z)

    assert twice.pi_ == model.pi_
    assert not hasattr(twice, "feature_names_in_")
    assert twice.classes_.tolist() == [0, 1]


def test_verbose_fits_print_what_they_do(X, z, capsys):
    PUGAM(smoothing=1.0).fit(X, z)
    silent = capsys.readouterr().out
    PUGAM(smoothing=1.0, verbose=1).fit(X, z)

    assert silent == ""
    assert "600 rows" in capsys.readouterr().out


# What is known about pi


def test_a_known_pi_stays_what_it_is(X, z):
    model = PUGAM(pi=0.3).fit(X, z)
    interval = model.pi_interval()

    assert model.pi_ == model.pi_penalized_ == 0.3
    assert (interval.lower, interval.estimate, interval.upper) == (0.3, 0.3, 0.3)
    assert not model.at_boundary_


def test_fixing_pi_at_its_estimate_changes_nothing_else(X, z):
    free = PUGAM(**PURE).fit(X, z)
    fixed = PUGAM(pi=free.pi_, **PURE).fit(X, z)

    assert fixed.loglik_ == pytest.approx(free.loglik_, abs=1e-8)
    assert fixed.alpha_ == pytest.approx(free.alpha_, abs=1e-5)
    # One parameter less.
    assert free.edf_ - 1.5 < fixed.edf_ < free.edf_ - 0.5


def test_a_known_pi_lets_a_single_term_stand_alone(X, z):
    assert PUGAM(s("x1"), pi=0.4).fit(X, z).predict_proba(X).shape == (len(X), 2)
    with pytest.raises(NotIdentifiableError, match=r"single term s\(x1\)"):
        PUGAM(s("x1")).fit(X, z)


def test_bounds_that_do_not_bind_change_nothing(X, z):
    free = PUGAM(**PURE).fit(X, z)
    bounded = PUGAM(pi=(0.05, 0.95), **PURE).fit(X, z)

    assert bounded.pi_ == pytest.approx(free.pi_, abs=1e-6)
    assert not bounded.at_boundary_


@pytest.mark.parametrize("solver", ["newton", "em"])
@pytest.mark.parametrize(("bounds", "end"), [((0.1, 0.2), 0.2), ((0.8, 0.9), 0.8), ([0.8, 1], 0.8), ((0, 0.2), 0.2)])
def test_bounds_that_bind_are_reported(X, z, solver, bounds, end):
    with pytest.warns(PugamWarning, match="boundary"):
        model = PUGAM(solver=solver, pi=bounds, smoothing=0.1, debias=False).fit(X, z)

    assert model.pi_ == pytest.approx(end, abs=1e-9)
    assert model.at_boundary_


def test_a_prior_pulls_pi_towards_itself(X, z):
    none, flat, weak, low, high = (
        PUGAM(pi_prior=prior, smoothing=0.1).fit(X, z).pi_ for prior in (None, (1, 1), "weak", (2, 30), (30, 2))
    )

    assert flat == none
    assert weak == PUGAM(pi_prior=(2, 2), smoothing=0.1).fit(X, z).pi_
    assert low < min(none, weak) - 0.01
    assert high > max(none, weak) + 0.01
    # Beta(2, 2) is of order 1 / n: it moves a well determined pi by little.
    assert 0 < abs(weak - none) < 0.02


def test_the_prior_counts_in_the_penalised_objective(X, z):
    model = PUGAM("x1 + x2 + x3", pi_prior=(3, 2), **TIGHT).fit(X, z)
    log_density = 2 * np.log(model.pi_) + np.log1p(-model.pi_)

    assert model.penalized_loglik_ == pytest.approx(model.loglik_ + log_density, abs=1e-9)


def test_interval_holds_the_estimate_and_widens_with_its_level(model):
    narrow, wide = model.pi_interval(0.5), model.pi_interval(0.99)

    assert wide.lower < narrow.lower < model.pi_ < narrow.upper < wide.upper <= 1.0
    assert narrow.estimate == model.pi_
    assert (narrow.level, narrow.method) == (0.5, "wald")


def test_the_interval_is_symmetric_on_the_log_scale(X, z):
    interval = PUGAM().fit(X, z).pi_interval(0.5)

    assert interval.upper / interval.estimate == pytest.approx(interval.estimate / interval.lower, rel=1e-12)


@pytest.mark.parametrize("pi", [0.01, 0.5, 0.99])
def test_predict_proba_retargets_by_bayes_rule(model, X, pi):
    there = model.predict_proba(X, pi=pi)
    odds = np.exp(model.decision_function(X)) * (pi / (1 - pi)) / (model.pi_ / (1 - model.pi_))

    np.testing.assert_allclose(there[:, 1], odds / (1 + odds), rtol=1e-9)


def test_retargeting_to_the_same_pi_changes_nothing(model, X):
    np.testing.assert_array_equal(model.predict_proba(X, pi=model.pi_), model.predict_proba(X))


def test_the_papers_settings():
    model = PUGAM.paper()
    settings = model.get_params()

    assert (model.solver, model.smoothing, model.n_starts, model.tol) == ("em", "aic", 20, 1e-4)
    assert model.pi_prior is None
    assert model.debias is False
    others = {"solver", "smoothing", "n_starts", "tol", "pi_prior", "debias"}
    defaults = PUGAM().get_params()
    assert {name: settings[name] for name in settings if name not in others} == {
        name: defaults[name] for name in defaults if name not in others
    }


def test_the_papers_settings_may_be_changed_one_by_one(X, z):
    model = PUGAM.paper(kappas=[1.0, 0.1], n_starts=2).fit(X, z)

    assert model.solver == "em"
    # Two starts for each kappa; the second kappa also starts from where the first one ended.
    assert [start["kappa"] for start in model.starts_] == [1.0, 1.0, 0.1, 0.1, 0.1]


# Terms


def test_a_formula_and_a_list_are_the_same_model(mixed, z):
    formula = PUGAM("s(x1, k=6) + l(x2) + f(site) + x3").fit(mixed, z)
    listed = PUGAM([s("x1", k=6), l("x2"), f("site"), l("x3")]).fit(mixed, z)
    both = PUGAM(["s(x1, k=6) + x2", f("site"), "l(x3)"]).fit(mixed, z)

    assert formula.terms_ == listed.terms_ == both.terms_
    assert formula.pi_ == listed.pi_ == both.pi_
    np.testing.assert_array_equal(formula.predict_proba(mixed), listed.predict_proba(mixed))


def test_terms_are_chosen_from_the_columns(mixed, z):
    table = mixed.drop(columns="dose").assign(count=np.arange(len(mixed)) % 4, flag=mixed["x1"] > 0.5, same=1.0)

    with pytest.warns(PugamWarning, match=r"constant.*same"):
        model = PUGAM().fit(table, z)

    assert model.terms_ == [
        s("x1"),
        s("x2"),
        s("x3"),
        f("site"),
        l("old"),
        s("count", k=4),
        f("flag"),
    ]
    assert model.n_features_in_ == 8


def test_few_distinct_values_lower_k_with_a_warning(X, z):
    with pytest.warns(PugamWarning, match=r"s\(x3\).*only 6 distinct values.*f\(x3\)"):
        model = PUGAM([s("x1"), s("x3", k=8)]).fit(X.assign(x3=X["x3"].rank() // 120), z)

    assert len(model.coef_) == 9 + 5


def test_a_two_level_factor_is_a_line_in_zero_and_one(mixed, z):
    factor = PUGAM([s("x1"), f("old")], **TIGHT).fit(mixed.assign(old=np.where(mixed["old"], "yes", "no")), z)
    line = PUGAM([s("x1"), l("old")], **TIGHT).fit(mixed, z)
    levels, ends = factor.effect("old"), line.effect("old", grid=[0, 1])

    assert factor.pi_ == pytest.approx(line.pi_, abs=1e-6)
    assert list(levels["x"]) == ["no", "yes"]
    np.testing.assert_allclose(levels["u"], ends["u"], rtol=0, atol=1e-5)
    np.testing.assert_allclose(levels["se"], ends["se"], rtol=1e-4)


def test_factor_effects_sum_to_zero_over_the_levels(mixed, z):
    levels = PUGAM([s("x1"), f("site")]).fit(mixed, z).effect("site")

    assert list(levels["x"]) == ["east", "north", "south"]
    assert levels["u"].sum() == pytest.approx(0.0, abs=1e-10)
    assert levels["u"].abs().max() > 0.1


def test_numeric_codes_may_be_a_factor(mixed, z):
    codes = mixed["site"].map({"east": 10, "north": 20, "south": 30})
    by_name = PUGAM([s("x1"), f("site")]).fit(mixed, z)
    by_code = PUGAM([s("x1"), f("site")]).fit(mixed.assign(site=codes), z)

    assert by_code.pi_ == pytest.approx(by_name.pi_, abs=1e-12)
    np.testing.assert_allclose(by_code.effect("site")["u"], by_name.effect("site")["u"], rtol=0, atol=1e-9)
    np.testing.assert_array_equal(by_code.effect("site")["x"], [10, 20, 30])


def test_an_unseen_level_has_a_zero_effect_on_request(mixed, z):
    model = PUGAM([s("x1"), f("site", unseen="zero")]).fit(mixed, z)
    expected = model.alpha_ + np.asarray(model.effect("x1", grid=mixed["x1"])["u"])

    np.testing.assert_allclose(model.log_density_ratio(mixed.assign(site="west")), expected, rtol=0, atol=1e-10)


def test_an_unseen_level_is_refused_by_default(mixed, z):
    model = PUGAM([s("x1"), f("site")]).fit(mixed, z)
    mixed = mixed.copy()
    mixed.loc[7, "site"] = "west"

    with pytest.raises(InputError, match=r"f\(site\).*'west' in row 7.*unseen=\"zero\""):
        model.predict_proba(mixed)


def test_missing_numbers_with_an_effect_are_a_line_and_an_indicator(mixed, z):
    absent = mixed["dose"].isna()
    middle = (mixed["dose"].min() + mixed["dose"].max()) / 2
    by_hand = mixed.assign(dose=mixed["dose"].fillna(middle), absent=absent.astype(int))
    model = PUGAM([s("x1"), l("dose", missing="effect")], **TIGHT).fit(mixed, z)
    expected = PUGAM("s(x1) + dose + absent", **TIGHT).fit(by_hand, z)

    assert model.pi_ == pytest.approx(expected.pi_, abs=1e-6)
    assert model.loglik_ == pytest.approx(expected.loglik_, abs=1e-7)
    np.testing.assert_allclose(model.predict_proba(mixed), expected.predict_proba(by_hand), rtol=0, atol=1e-5)


def test_missing_text_with_an_effect_is_one_more_level(mixed, z):
    gaps = mixed["site"].mask(mixed["site"] == "south", None)
    model = PUGAM([s("x1"), f("site", missing="effect")], **TIGHT).fit(mixed.assign(site=gaps), z)
    expected = PUGAM([s("x1"), f("site")], **TIGHT).fit(mixed, z)

    assert model.pi_ == pytest.approx(expected.pi_, abs=1e-6)
    np.testing.assert_allclose(
        model.predict_proba(mixed.assign(site=gaps)), expected.predict_proba(mixed), rtol=0, atol=1e-5
    )


def test_missing_values_of_a_smooth_term_have_their_own_effect(mixed, z):
    model = PUGAM([s("dose", missing="effect"), s("x1")]).fit(mixed, z)
    frame = model.effect("dose")
    rows = mixed[mixed["dose"].isna()]
    expected = model.alpha_ + frame["u"].iloc[-1] + np.asarray(model.effect("x1", grid=rows["x1"])["u"])

    assert np.isnan(frame["x"].iloc[-1])
    assert frame["x"].iloc[:-1].notna().all()
    np.testing.assert_allclose(model.log_density_ratio(rows), expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_missing_values_are_read_from_every_library(mixed, z, make):
    gaps = mixed.assign(site=mixed["site"].mask(mixed["site"] == "south", None))
    terms = [s("dose", missing="effect"), f("site", missing="effect"), l("x1")]
    model = PUGAM(terms).fit(make(gaps), z)

    assert model.pi_ == PUGAM(terms).fit(gaps, z).pi_
    assert model.predict_proba(make(gaps)).shape == (len(z), 2)


def test_a_gap_that_the_fit_never_saw_is_refused(X, z):
    model = PUGAM([s("x1", missing="effect"), s("x2")]).fit(X, z)

    with pytest.raises(InputError, match=r"s\(x1\).*missing value.*row 0.*the fit saw none"):
        model.predict_proba(X.assign(x1=np.nan))


def test_gaps_in_a_column_without_a_term_do_not_matter(mixed, z):
    assert PUGAM("s(x1) + s(x2)").fit(mixed, z).pi_ == PUGAM("s(x1) + s(x2)").fit(mixed[["x1", "x2"]], z).pi_


# Effects and pictures


def test_an_effect_is_a_tidy_frame(model, X):
    frame = model.effect("x1")

    assert list(frame.columns) == ["x", "u", "se", "lower", "upper"]
    assert len(frame) == 100
    assert (frame["x"].iloc[0], frame["x"].iloc[-1]) == (X["x1"].min(), X["x1"].max())
    assert (frame["se"] > 0).all()
    np.testing.assert_allclose(frame["upper"] - frame["u"], 1.959964 * frame["se"], rtol=1e-6)
    np.testing.assert_allclose(frame["u"] - frame["lower"], 1.959964 * frame["se"], rtol=1e-6)
    pd.testing.assert_frame_equal(frame, model.effect("s(x1)"))


def test_an_effect_integrates_to_zero_over_the_range(model):
    for name in ("x1", "x2", "x3"):
        frame = model.effect(name)
        mean = trapezoid(frame["u"], frame["x"]) / np.ptp(frame["x"])

        # The trapezoidal rule on 99 intervals is off by about u'' / (12 * 99^2).
        assert mean == pytest.approx(0.0, abs=2e-3 * np.ptp(frame["u"]))


def test_bands_widen_with_the_level(model):
    narrow, wide = (model.effect("x2", grid=[0.3, 0.7], level=level) for level in (0.5, 0.99))

    np.testing.assert_array_equal(narrow["u"], wide["u"])
    assert (wide["upper"] > narrow["upper"]).all()


def test_effects_go_on_in_straight_lines_outside_the_range(model, X):
    low, high = X["x2"].min(), X["x2"].max()
    for end, away in ((low, -1.0), (high, 1.0)):
        step = 1e-6
        grid = [end - away * step, end, end + away, end + 2 * away, end + 100 * away]
        u = np.asarray(model.effect("x2", grid=grid)["u"])
        inside_slope = (u[1] - u[0]) / step

        assert u[2] - u[1] == pytest.approx(u[3] - u[2], rel=1e-9)
        assert u[4] - u[1] == pytest.approx(100 * (u[2] - u[1]), rel=1e-9)
        assert u[2] - u[1] == pytest.approx(inside_slope, rel=1e-3)


@pytest.mark.parametrize("bad", ["x9", "s(x9)", "l(x1)", "", None])
def test_the_effect_of_an_unknown_term_is_refused_with_the_terms_there_are(model, bad):
    with pytest.raises(InputError, match=r"no term.*s\(x1\), s\(x2\), s\(x3\)"):
        model.effect(bad)


@pytest.mark.parametrize("grid", [["low"], 0.5, np.zeros((2, 2))])
def test_a_grid_that_is_no_list_of_numbers_is_refused(model, grid):
    with pytest.raises(InputError, match=r"s\(x1\).*list of finite numbers"):
        model.effect("x1", grid=grid)


@pytest.mark.parametrize("level", [0, 1, 95, -0.5, np.nan])
def test_a_level_outside_zero_and_one_is_refused(model, level):
    with pytest.raises(InputError, match="level is a probability"):
        model.effect("x1", level=level)
    with pytest.raises(InputError, match="level is a probability"):
        model.pi_interval(level)


@pytest.mark.parametrize("pi", [0, 1, 1.5, -0.1, np.nan])
def test_a_share_outside_zero_and_one_is_refused(model, X, pi):
    with pytest.raises(InputError, match="strictly between 0 and 1"):
        model.predict_proba(X, pi=pi)


def test_a_picture_has_one_panel_per_term(mixed, z):
    model = PUGAM("s(x1) + l(x2) + f(site) + s(x3) + s(dose, missing='effect')").fit(mixed, z)
    figure = model.plot()
    panels = [ax for ax in figure.axes if ax.get_visible()]
    picture = io.BytesIO()
    figure.savefig(picture)

    assert type(figure).__module__ == "matplotlib.figure"
    assert [ax.get_title() for ax in panels] == ["s(x1)", "l(x2)", "f(site)", "s(x3)", "s(dose)"]
    assert [label.get_text() for label in panels[2].get_xticklabels()] == ["east", "north", "south"]
    assert picture.getvalue().startswith(b"\x89PNG")


def test_a_picture_shows_the_effects(model):
    ax = next(ax for ax in model.plot().axes if ax.get_title() == "s(x2)")
    frame = model.effect("x2")
    curves = [line.get_xydata() for line in ax.lines if len(line.get_xydata()) == len(frame)]

    np.testing.assert_array_equal(curves[0], frame[["x", "u"]].to_numpy())


# The same rows in other clothes


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_every_library_gives_the_same_fit_and_its_own_frames(mixed, z, make):
    terms = "s(x1) + s(x2) + f(site)"
    expected = PUGAM(terms).fit(mixed, z)
    frame = make(mixed)
    model = PUGAM(terms).fit(frame, z)

    assert model.pi_ == expected.pi_
    assert model.feature_names_in_.tolist() == list(mixed.columns)
    np.testing.assert_array_equal(model.predict_proba(frame), expected.predict_proba(mixed))
    np.testing.assert_array_equal(expected.predict_proba(frame), expected.predict_proba(mixed))
    for term in ("x1", "site"):
        effect = model.effect(term)
        assert type(effect) is type(frame)
        np.testing.assert_array_equal(np.asarray(effect["u"]), expected.effect(term)["u"])


@pytest.mark.parametrize("make", [np.asarray, np.asfortranarray, lambda values: np.asarray(values).tolist()])
def test_arrays_and_lists_give_the_same_fit(X, z, model, make):
    rows = make(X.to_numpy())
    by_position = PUGAM().fit(rows, z)

    assert by_position.pi_ == model.pi_
    assert [term.column for term in by_position.terms_] == ["x0", "x1", "x2"]
    assert by_position.n_features_in_ == 3
    np.testing.assert_array_equal(by_position.predict_proba(rows), model.predict_proba(X))
    np.testing.assert_array_equal(model.predict_proba(rows), model.predict_proba(X))
    assert isinstance(by_position.effect("x0"), pd.DataFrame)


@pytest.mark.parametrize("dtype", ["Float64", "float32", "object"])
def test_the_dtype_of_a_column_does_not_matter(X, z, model, dtype):
    # float32 keeps 24 bits of each value: about 1e-7.
    assert PUGAM().fit(X.astype(dtype), z).pi_ == pytest.approx(model.pi_, abs=1e-6)


CODINGS = {
    "zero and one": (lambda z: z, [0, 1]),
    "minus one and one": (lambda z: 2 * z - 1, [-1, 1]),
    "booleans": (lambda z: z == 1, [False, True]),
    "floats": (lambda z: z.astype(float), [0.0, 1.0]),
    "list": (lambda z: z.tolist(), [0, 1]),
    "list of booleans": (lambda z: (z == 1).tolist(), [False, True]),
    "pandas": (lambda z: pd.Series(z, index=np.arange(len(z))[::-1]), [0, 1]),
    "pandas nullable": (lambda z: pd.Series(z, dtype="Int64"), [0, 1]),
    "polars": (pl.Series, [0, 1]),
    "arrow": (lambda z: pa.array(2 * z - 1), [-1, 1]),
}


@pytest.mark.parametrize(("code", "classes"), CODINGS.values(), ids=CODINGS)
def test_every_coding_of_the_labels_gives_the_same_fit(X, z, model, code, classes):
    coded = PUGAM().fit(X, code(z))

    assert coded.pi_ == model.pi_
    assert coded.classes_.tolist() == classes
    assert isinstance(coded.classes_.tolist()[1], type(classes[1]))
    np.testing.assert_array_equal(coded.predict(X) == classes[1], model.predict(X) == 1)
    assert coded.score(X, code(z)) == model.score(X, z)


def test_order_and_surplus_of_columns_do_not_matter_at_prediction(model, X):
    other = X[["x3", "x2", "x1"]].assign(note="text", late=np.nan)

    np.testing.assert_array_equal(model.predict_proba(other), model.predict_proba(X))


def test_a_column_lacking_at_prediction_is_named(model, X):
    with pytest.raises(InputError, match="no column 'x2'"):
        model.predict_proba(X[["x1", "x3"]])


def test_an_array_of_another_width_is_refused_at_prediction(model, X):
    with pytest.raises(InputError, match=r"2 features.*expecting 3"):
        model.predict_proba(X.to_numpy()[:, :2])


def test_one_row_can_be_predicted(model, X):
    np.testing.assert_allclose(model.predict_proba(X.iloc[[3]])[0], model.predict_proba(X)[3], rtol=0, atol=1e-14)


# Weights


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("solver", ["newton", "em"])
def test_a_weight_of_two_is_a_duplicated_row_and_zero_a_removed_one(X, z, smoothing, solver):
    weights = np.random.default_rng(0).integers(0, 3, len(z))
    rows = np.repeat(np.arange(len(z)), weights)
    options = {"smoothing": smoothing, "solver": solver, "kappas": [1.0, 0.01]}
    weighted = PUGAM(**options).fit(X, z, weights)
    repeated = PUGAM(**options).fit(X.iloc[rows], z[rows])

    assert weighted.pi_ == pytest.approx(repeated.pi_, abs=1e-6)
    assert weighted.loglik_ == pytest.approx(repeated.loglik_, abs=1e-6)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=0, atol=1e-6)
    for name in X:
        np.testing.assert_allclose(weighted.effect(name), repeated.effect(name), rtol=0, atol=1e-4)


def test_weights_of_one_change_nothing(X, z, model):
    assert PUGAM().fit(X, z, np.ones(len(z))).pi_ == pytest.approx(model.pi_, abs=1e-12)
    assert PUGAM().fit(X, z, [1] * len(z)).pi_ == pytest.approx(model.pi_, abs=1e-12)


def test_a_row_of_weight_zero_may_hold_anything(X, z, model):
    wild = pd.concat([X, pd.DataFrame({"x1": [99.0, np.nan], "x2": [-99.0, 0.5], "x3": [0.5, 0.5]})])

    weighted = PUGAM().fit(wild, np.append(z, [1, 0]), np.append(np.ones(len(z)), [0, 0]))

    assert weighted.pi_ == pytest.approx(model.pi_, abs=1e-12)


@pytest.mark.parametrize("label", [0, 1])
def test_weights_that_remove_a_whole_class_are_refused(X, z, label):
    with pytest.raises(InputError, match="only one class"):
        PUGAM().fit(X, z, (z == label).astype(float))


# What must not matter


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_shifting_and_rescaling_features_changes_nothing(X, z, smoothing):
    moved = X.assign(x1=1000.0 + 37.0 * X["x1"], x2=-1e-3 * X["x2"], x3=1e6 * X["x3"] - 5.0)
    here, there = (PUGAM(smoothing=smoothing).fit(table, z) for table in (X, moved))

    assert there.pi_ == pytest.approx(here.pi_, abs=1e-7)
    assert there.alpha_ == pytest.approx(here.alpha_, abs=1e-6)
    assert there.smoothing_ == pytest.approx(here.smoothing_, rel=1e-5)
    np.testing.assert_allclose(there.predict_proba(moved), here.predict_proba(X), rtol=0, atol=1e-7)
    np.testing.assert_allclose(here.effect("x2")["u"], there.effect("x2")["u"][::-1], rtol=0, atol=1e-6)


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_the_order_of_the_rows_changes_nothing(X, z, smoothing):
    order = np.random.default_rng(1).permutation(len(z))
    sorted_, shuffled = PUGAM(smoothing=smoothing).fit(X, z), PUGAM(smoothing=smoothing).fit(X.iloc[order], z[order])

    assert shuffled.pi_ == pytest.approx(sorted_.pi_, abs=1e-7)
    np.testing.assert_allclose(shuffled.predict_proba(X), sorted_.predict_proba(X), rtol=0, atol=1e-7)


def test_the_order_of_the_terms_changes_nothing(X, z, model):
    assert PUGAM("s(x3) + s(x1) + s(x2)").fit(X, z).pi_ == pytest.approx(model.pi_, abs=1e-6)


@pytest.fixture(scope="module")
def many_rows():
    """Enough rows for several groups, so that there is work for more than one thread."""
    return simulate(3, n0=4000, n=7000, random_state=0)


def results(model, X):
    return np.concatenate([[model.pi_, model.loglik_, model.edf_], model.coef_, model.predict_proba(X)[:, 1]])


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_the_number_of_threads_changes_not_a_bit(many_rows, n_jobs):
    X, z = many_rows.X, many_rows.z
    one, several = PUGAM(n_jobs=1).fit(X, z), PUGAM(n_jobs=n_jobs).fit(X, z)

    np.testing.assert_array_equal(results(several, X), results(one, X))


def test_the_number_of_blas_threads_changes_not_a_bit(many_rows):
    X, z = many_rows.X, many_rows.z
    fits = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads, user_api="blas"):
            fits.append(results(PUGAM().fit(X, z), X))

    np.testing.assert_array_equal(*fits)


def test_the_same_seed_gives_the_same_starts_and_another_one_others(X, z):
    def starts(random_state):
        model = PUGAM(smoothing=1.0, n_starts=16, random_state=random_state).fit(X, z)
        return [start["pi_start"] for start in model.starts_]

    assert starts(1) == starts(1) == starts(np.random.RandomState(1))
    assert starts(None) == starts(None)
    assert starts(1)[:12] == starts(2)[:12]
    assert all(one != other for one, other in zip(starts(1)[12:], starts(2)[12:], strict=True))
