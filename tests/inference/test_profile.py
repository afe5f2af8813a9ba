"""The profile of pi: the fall of the objective away from the estimate, and the interval it cuts out."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2

from pugam import PUGAM, InputError, PugamWarning, s
from pugam.datasets import simulate
from pugam.inference import bayesian_covariance, frequentist_covariance, profile_interval
from pugam.inference.smoothed_profile import SmoothedProfile
from pugam.solvers import Fitted

SMOOTH = [s(f"x{number}", k=6) for number in range(1, 6)]
KAPPAS = {"x1": 0.1, "x2": 0.05, "x3": 0.1, "x4": 0.2, "x5": 0.1}
TIGHT = {"smoothing": KAPPAS, "n_starts": 2, "tol": 1e-8}
CASES = {
    "penalised": {"debias": False},
    "penalised, no prior": {"debias": False, "pi_prior": None},
    "corrected": {},
}


@pytest.fixture(scope="module")
def data():
    return simulate(2, n0=500, n=1000, random_state=2)


def fit(data, **options):
    return PUGAM(SMOOTH, **{**TIGHT, **options}).fit(data.X, data.z)


def fitted_of(model):
    return Fitted(model._rows[0], model._design, model._settings, model._fit)


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=[pytest.mark.long] if name == "penalised, no prior" else []) for name in CASES],
)
def model(request, data):
    return fit(data, **CASES[request.param])


@pytest.fixture(scope="module")
def profile(model):
    return SmoothedProfile(fitted_of(model))


def expit(x):
    return 1.0 / (1.0 + np.exp(-x))


def logit(p):
    return np.log(p) - np.log1p(-p)


# The deviance


def test_deviance_is_zero_at_the_estimate_and_grows_away_from_it(model, profile):
    logits = logit(model.pi_) + np.array([-2.0, -1.0, -0.5, -0.1, 0.0, 0.1, 0.5, 1.0, 2.0])

    deviances = [profile.deviance(expit(each)) for each in logits]

    assert deviances[4] == pytest.approx(0.0, abs=1e-6)
    assert (np.diff(deviances[:5]) < -1e-3).all()
    assert (np.diff(deviances[4:]) > 1e-3).all()


def test_the_order_in_which_it_is_asked_makes_no_difference(model):
    places = expit(logit(model.pi_) + np.linspace(-1.5, 1.5, 7))

    upwards, downwards = SmoothedProfile(fitted_of(model)), SmoothedProfile(fitted_of(model))
    from_below = [upwards.deviance(pi) for pi in places]
    from_above = [downwards.deviance(pi) for pi in places[::-1]][::-1]

    np.testing.assert_allclose(from_below, from_above, atol=1e-4)


@pytest.mark.parametrize("prior", ["weak", None])
def test_deviance_is_the_fall_of_the_objective_of_models_with_pi_fixed(data, prior):
    free = fit(data, debias=False, pi_prior=prior)
    profile = SmoothedProfile(fitted_of(free))

    for pi in (0.15, free.pi_ - 0.05, free.pi_ + 0.05, 0.6):
        held = fit(data, debias=False, pi_prior=prior, pi=pi)
        fall = free.penalized_loglik_ - held.penalized_loglik_
        assert fall > 0.05
        assert profile.deviance(pi) == pytest.approx(2.0 * profile.factor * fall, abs=1e-5)
        np.testing.assert_allclose(profile.fixed_at(pi).beta[2:], held.coef_, atol=1e-4)


def test_the_bias_correction_moves_the_profile_along_the_logit_scale(data):
    plain, corrected = (SmoothedProfile(fitted_of(fit(data, debias=debias))) for debias in (False, True))
    shift = logit(corrected.fitted.fit.optimum.pi) - logit(plain.fitted.fit.optimum.pi)
    assert abs(shift) > 0.05

    for pi in (0.2, 0.35, 0.5):
        moved = corrected.deviance(expit(logit(pi) + shift)) / corrected.factor
        assert moved == pytest.approx(plain.deviance(pi) / plain.factor, abs=1e-5)


def test_the_factor_is_the_ratio_of_variances_uncorrected_to_corrected(model, profile):
    hessian = model._fit.penalized.hessian
    uncorrected = np.linalg.inv(hessian)[0, 0]
    log_scale_se = np.log(model.pi_interval(chi2.cdf(1.0, 1)).upper / model.pi_)  # one standard error of log pi
    corrected = (log_scale_se / (1.0 - model.pi_)) ** 2

    assert profile.factor == pytest.approx(uncorrected / corrected, rel=1e-5)
    assert profile.standard_error == pytest.approx(np.sqrt(corrected), rel=1e-6)


def test_the_factor_of_a_penalised_fit_owes_to_the_sampling_of_labels_alone(data):
    model = fit(data, debias=False, pi_prior=None)
    n0, n1 = model.n0_, model.n1_
    variance = bayesian_covariance(model._fit, n0, n1)[0, 0]

    factor = SmoothedProfile(fitted_of(model)).factor

    assert factor == pytest.approx(np.linalg.inv(model._fit.penalized.hessian)[0, 0] / variance, rel=1e-6)
    assert factor > 1.0
    assert variance > frequentist_covariance(model._fit, n0, n1)[0, 0]


# The interval


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_the_deviance_at_both_ends_is_the_chi_square_quantile(model, profile, level):
    interval = profile_interval(profile, level)

    assert 0.0 < interval.lower < model.pi_ < interval.upper < 1.0
    for end in (interval.lower, interval.upper):
        assert profile.deviance(end) == pytest.approx(chi2.ppf(level, 1), abs=1e-2)
    assert (interval.estimate, interval.level, interval.method) == (model.pi_, level, "profile")
    asked = model.pi_interval(level, "profile")
    assert (asked.lower, asked.upper) == pytest.approx((interval.lower, interval.upper), rel=1e-9)


def test_a_higher_level_gives_a_wider_interval(model):
    intervals = [model.pi_interval(level, "profile") for level in (0.5, 0.95)]

    assert (np.diff([interval.lower for interval in intervals]) < -1e-3).all()
    assert (np.diff([interval.upper for interval in intervals]) > 1e-3).all()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_with_many_rows_it_agrees_with_walds(seed):
    data = simulate(1, n0=7500, n=15_000, random_state=seed)
    model = PUGAM("x1 + x2 + x3 + x4 + x5", n_starts=2).fit(data.X, data.z)

    wald, profile = model.pi_interval(model_error=False), model.pi_interval(method="profile")

    width = wald.upper - wald.lower
    assert 0.01 < width < 0.2
    assert profile.lower == pytest.approx(wald.lower, abs=0.1 * width)
    assert profile.upper == pytest.approx(wald.upper, abs=0.1 * width)


def test_the_solver_makes_no_difference(data):
    newton, em = (
        fit(data, debias=False, solver=solver, tol=tol).pi_interval(0.9, "profile")
        for solver, tol in (("newton", 1e-8), ("em", 1e-6))
    )

    assert (em.lower, em.upper) == pytest.approx((newton.lower, newton.upper), abs=1e-3)


@pytest.mark.parametrize(("seed", "refuted"), [(0, ()), (3, ("high",)), (2, ())], ids=["neither", "high", "boundary"])
def test_where_no_value_on_a_side_is_refuted_the_limit_of_pi_is_the_end(seed, refuted):
    # Few rows with a single weak effect beside noise: much may be the share of positives.
    rng = np.random.default_rng(seed)
    z = np.repeat([1, 0], [60, 60])
    X = np.column_stack([rng.normal(0.4 * z, 1.0), rng.normal(size=120)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PugamWarning)
        model = PUGAM("x0 + x1", pi_prior=None, shrinkage="never").fit(X, z)
    profile, critical = SmoothedProfile(fitted_of(model)), chi2.ppf(0.95, 1)

    interval = model.pi_interval(method="profile")

    assert interval.lower == 0.0
    assert profile.deviance(1e-4) < critical
    if "high" in refuted:
        assert profile.deviance(interval.upper) == pytest.approx(critical, abs=1e-2)
        assert interval.upper < 0.95
    else:
        assert profile.deviance(1.0 - 1e-4) < critical
        assert interval.upper == 1.0


def test_bounds_of_pi_cut_the_interval(data):
    model = fit(data)
    free = model.pi_interval(method="profile")
    bounds = (0.5 * (free.lower + model.pi_penalized_), 0.9)
    assert free.lower < bounds[0] < model.pi_penalized_

    bounded = fit(data, pi=bounds).pi_interval(method="profile")

    assert bounded.lower == bounds[0]
    assert bounded.estimate == pytest.approx(free.estimate, abs=1e-6)
    assert bounded.upper == pytest.approx(free.upper, abs=1e-3)


@pytest.mark.parametrize("end", ["low", "high"])
def test_an_estimate_on_a_bound_has_an_interval_to_one_side(data, end):
    free = fit(data, debias=False)
    bounds = (free.pi_ + 0.02, 0.95) if end == "low" else (0.02, free.pi_ - 0.02)
    with pytest.warns(PugamWarning):
        model = fit(data, pi=bounds, debias=False)

    interval = model.pi_interval(method="profile")

    profile = SmoothedProfile(fitted_of(model))
    assert interval.estimate == pytest.approx(bounds[0] if end == "low" else bounds[1], rel=1e-12)
    if end == "low":
        assert interval.lower == bounds[0]
        assert profile.deviance(interval.upper) == pytest.approx(chi2.ppf(0.95, 1), abs=1e-2)
    else:
        assert interval.upper == bounds[1]
        assert profile.deviance(interval.lower) == pytest.approx(chi2.ppf(0.95, 1), abs=1e-2)


def test_a_known_pi_has_no_interval(data):
    interval = fit(data, pi=0.3).pi_interval(method="profile")

    assert (interval.lower, interval.upper, interval.method) == (0.3, 0.3, "fixed")


def test_the_interval_is_found_wherever_the_search_begins(model, profile, monkeypatch):
    expected = profile_interval(profile, 0.95)

    for step in (1e-3, 0.03, 1.9):
        begun = SmoothedProfile(fitted_of(model))
        monkeypatch.setattr(SmoothedProfile, "standard_error", property(lambda _, step=step: step / 1.96))
        interval = profile_interval(begun, 0.95)
        assert (interval.lower, interval.upper) == pytest.approx((expected.lower, expected.upper), abs=1e-3)


@pytest.mark.parametrize("level", [0.0, 1.0, 95, "high"])
def test_a_level_that_is_no_probability_is_refused(profile, level):
    with pytest.raises(InputError, match="level is a probability"):
        profile_interval(profile, level)


def test_the_profile_takes_the_fit_as_it_is_given(data):
    # A fit stopped short of its optimum: the profile may rise above it, but a deviance is never negative.
    model = fit(data, debias=False)
    short = replace(model._fit.penalized, value=model._fit.penalized.value - 1.0)
    fitted = replace(fitted_of(model), fit=replace(model._fit, penalized=short, optimum=short))

    assert SmoothedProfile(fitted).deviance(model.pi_ + 0.01) == 0.0
