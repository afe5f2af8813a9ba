"""What a user sees of a fit: attributes that belong together, and options that do as they say."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2
from sklearn.exceptions import ConvergenceWarning

from pugam import PUGAM, NotIdentifiableError, PugamWarning, s
from pugam.datasets import simulate
from pugam.inference.marginal_profile import given_labels

TIGHT = {"tol": 1e-10}
PURE = {"pi_prior": None, "debias": False, "smoothing": 0.1, **TIGHT}
SMOOTHINGS = ("reml", pytest.param("aic", marks=pytest.mark.long), 0.1)


def expit(x):
    return 1.0 / (1.0 + np.exp(-x))


def logit(p):
    return np.log(p) - np.log1p(-p)


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
        np.testing.assert_allclose(
            model.effect(name, grid=grid, center="range")["u"], data.effect(name, grid), rtol=0, atol=1.2
        )


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
    linear = PUGAM("x1 + x2 + x3", pi_prior=None, estimate="mode").fit(X, z)

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
    model = PUGAM("x1 + x2 + x3", estimate="mode").fit(X, z)

    assert model.pi_ == model.pi_penalized_
    assert model.smoothing_ == {}


@pytest.mark.parametrize("solver", ["newton", pytest.param("em", marks=pytest.mark.long)])
def test_posteriors_of_the_unlabelled_average_to_pi(X, z, solver):
    model = PUGAM(solver=solver, **PURE).fit(X, z)

    assert model.predict_proba(X[z == 0])[:, 1].mean() == pytest.approx(model.pi_, abs=1e-7)


@pytest.mark.long  # tests/estimator/test_solvers_agree.py holds them against each other on another table
def test_newton_and_em_reach_the_same_optimum(X, z):
    newton, em = (PUGAM(solver=solver, smoothing=0.1, **TIGHT).fit(X, z) for solver in ("newton", "em"))

    assert newton.pi_ == pytest.approx(em.pi_, abs=1e-6)
    assert newton.penalized_loglik_ == pytest.approx(em.penalized_loglik_, abs=1e-6)


def test_the_log_density_ratio_is_alpha_plus_the_effects(model, X):
    effects = sum(np.asarray(model.effect(name, grid=X[name], center="range")["u"]) for name in X)

    np.testing.assert_allclose(model.log_density_ratio(X), model.alpha_ + effects, rtol=0, atol=1e-10)


@pytest.mark.parametrize("weighted", [pytest.param(False, marks=pytest.mark.long), True])
def test_averaged_posteriors_of_the_unlabelled_average_to_pi_too(X, z, weighted):
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(z)) if weighted else None
    model = PUGAM(check=False).fit(X, z, sample_weight=weights)
    unlabelled = z == 0

    mean = np.average(
        model.predict_proba(X[unlabelled])[:, 1], weights=None if weights is None else weights[unlabelled]
    )
    assert mean == pytest.approx(model.pi_, abs=1e-9)


def test_averaged_posteriors_are_less_sure_and_keep_the_order_of_rows(X, model):
    ratio, decision = model.log_density_ratio(X), model.decision_function(X)

    assert (np.diff(decision[np.argsort(ratio)]) >= 0.0).all()
    assert np.ptp(decision) < np.ptp(ratio)
    assert model.predict_proba(X, pi=0.2)[:, 1] == pytest.approx(
        expit(decision - logit(model.pi_) + logit(0.2)), abs=1e-12
    )


def test_limits_of_averaged_posteriors_hold_them_and_lie_around_those_at_the_mode(X, model):
    frame = model.predict_interval(X)
    centre = expit(model.log_density_ratio(X) + logit(model.pi_))

    for posterior in (frame["p_positive"], centre):
        assert (frame["lower"] <= posterior).all()
        assert (posterior <= frame["upper"]).all()


@pytest.mark.parametrize("estimate", ["mode", "marginal"])
def test_posterior_decision_and_class_are_one_thing(X, z, estimate):
    model = PUGAM(estimate=estimate, check=False).fit(X, z)
    decision = model.decision_function(X)
    proba = model.predict_proba(X)

    if estimate == "mode":
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
    found = PUGAM(smoothing=smoothing, debias=debias, estimate="mode", **TIGHT).fit(X, z)
    given = PUGAM(found.formula_, smoothing=found.smoothing_, debias=debias, **TIGHT).fit(X, z)

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

    assert len(PUGAM(n_starts=1, estimate="mode").fit(X, z).starts_) == 1
    assert single.pi_ == pytest.approx(model.pi_, abs=1e-4)


def test_a_fit_says_that_it_converged(model):
    assert model.converged_
    assert not model.at_boundary_
    assert model.n_iter_ >= 1


def test_too_few_iterations_are_reported_with_a_remedy(X, z):
    with pytest.warns(ConvergenceWarning, match="did not converge.*larger max_iter"):
        model = PUGAM(max_iter=1, estimate="mode").fit(X, z)

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


def test_a_second_fit_forgets_the_first(X, z, model_given):
    twice = PUGAM(smoothing=0.1).fit(X[["x1", "x2"]].assign(x9=X["x3"]), -np.sign(0.5 - z)).fit(X.to_numpy(), z)

    assert twice.pi_ == model_given.pi_
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


@pytest.mark.parametrize(
    ("solver", "bounds", "end"),
    [
        ("newton", (0.1, 0.2), 0.2),
        ("newton", (0.8, 0.9), 0.8),
        ("newton", [0.8, 1], 0.8),
        ("newton", (0, 0.2), 0.2),
        ("em", (0.1, 0.2), 0.2),
        # EM takes many steps to a bound; which bound it is makes no difference to how it stops there.
        pytest.param("em", (0.8, 0.9), 0.8, marks=pytest.mark.long),
        pytest.param("em", [0.8, 1], 0.8, marks=pytest.mark.long),
        pytest.param("em", (0, 0.2), 0.2, marks=pytest.mark.long),
    ],
)
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
    model = PUGAM("x1 + x2 + x3", pi_prior=(3, 2), estimate="mode", **TIGHT).fit(X, z)
    log_density = 2 * np.log(model.pi_) + np.log1p(-model.pi_)

    assert model.penalized_loglik_ == pytest.approx(model.loglik_ + log_density, abs=1e-9)


def test_the_priors_of_pi_and_of_the_coefficients_count_in_the_penalised_objective(X, z):
    model = PUGAM("s(x1) + x2 + x3", pi_prior=(3, 2), **TIGHT).fit(X, z)
    log_density = 2 * np.log(model.pi_) + np.log1p(-model.pi_) - 0.5 * model._design.ridge @ model.coef_**2

    assert (model._design.ridge > 0.0).all()
    assert model.penalized_loglik_ == pytest.approx(model.loglik_ + log_density, abs=1e-9)


def test_interval_holds_the_estimate_and_widens_with_its_level(model):
    narrow, wide = model.pi_interval(0.5), model.pi_interval(0.99)

    assert wide.lower < narrow.lower < model.pi_ < narrow.upper < wide.upper <= 1.0
    assert narrow.estimate == model.pi_
    assert (narrow.level, narrow.method) == (0.5, "marginal")


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.99])
def test_at_the_limits_of_the_interval_the_evidence_has_fallen_by_half_a_quantile(model, level):
    # Limits are points of a grid of 4001 from end to end, so the fall is a little less than the quantile.
    interval = model.pi_interval(level, model_error=False)
    half = 0.5 * chi2.ppf(level, 1) / given_labels(model._fit, model.n0_, model.n1_)

    for limit in (interval.lower, interval.upper):
        assert half - 0.02 < model._fit.curve.fall(logit(limit)) <= half + 1e-9


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2))])
def test_an_interval_of_next_to_no_level_holds_the_estimate_and_hardly_more(seed):
    data = simulate(1 + seed, n0=300, n=600, random_state=seed)
    model = PUGAM().fit(data.X, data.z)

    for level in (1e-12, 1e-4, 0.01, 0.1):
        interval, usual = (model.pi_interval(one, model_error=False) for one in (level, 0.95))

        assert interval.lower <= model.pi_ <= interval.upper
        assert interval.upper - interval.lower < max(level, 1e-3) * (usual.upper - usual.lower)


def test_the_interval_of_the_mode_is_symmetric_on_the_log_scale(X, z):
    interval = PUGAM(estimate="mode").fit(X, z).pi_interval(0.5)

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
    assert model.shrinkage == "never"
    assert model.estimate == "mode"
    others = {"solver", "smoothing", "n_starts", "tol", "pi_prior", "debias", "shrinkage", "estimate"}
    defaults = PUGAM().get_params()
    assert {name: settings[name] for name in settings if name not in others} == {
        name: defaults[name] for name in defaults if name not in others
    }


@pytest.mark.parametrize("solver", ["newton", pytest.param("em", marks=pytest.mark.long)])
def test_the_papers_settings_look_for_no_interactions(X, z, y, solver):
    # Two columns of which only the product tells the classes apart: the default takes it up.
    rng = np.random.default_rng(5)
    sign = np.where(rng.random(len(y)) < 0.5, -1.0, 1.0)
    X = X.assign(x4=sign + rng.normal(0.0, 0.5, len(y)), x5=np.where(y, sign, -sign) + rng.normal(0.0, 0.5, len(y)))
    looking, not_looking = (
        PUGAM.paper(kappas=[0.1], n_starts=2, solver=solver, interactions=interactions).fit(X, z)
        for interactions in ("auto", None)
    )

    assert PUGAM().fit(X, z)._fit.added == ("ti(x4, x5)",)
    assert [term.label for term in looking.terms_] == [f"s({name})" for name in X]
    assert looking.pi_ == not_looking.pi_
    np.testing.assert_array_equal(looking.coef_, not_looking.coef_)


def test_the_papers_settings_may_be_changed_one_by_one(X, z):
    model = PUGAM.paper(kappas=[1.0, 0.1], n_starts=2).fit(X, z)

    assert model.solver == "em"
    # Two starts for each kappa; the second kappa also starts from where the first one ended.
    assert [start["kappa"] for start in model.starts_] == [1.0, 1.0, 0.1, 0.1, 0.1]
