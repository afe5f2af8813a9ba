"""Is pi determined? Verdicts on data of known kind, and the numbers behind them."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import pugam
from pugam import PUGAM, PugamWarning, l, s
from pugam.datasets import simulate
from pugam.inference.findings import WideInterval
from pugam.inference.verdict import WIDE_INTERVAL
from pugam.likelihood import alpha_shift, logit
from pugam.solvers import Objective, StartRecord


def one_good_feature(n=1000, seed=0):
    """A feature that tells positives from negatives, and one that is noise."""
    rng = np.random.default_rng(seed)
    y = np.append(np.ones(n // 2), rng.random(n // 2) < 0.4)
    X = pd.DataFrame({"good": rng.normal(1.5 * y, 1.0), "noise": rng.normal(size=n)})
    return X, np.repeat([1, 0], n // 2)


# Verdicts on data


@pytest.mark.parametrize("which", ["clear", "clear_mode"])
def test_the_papers_data_determine_pi(which, request):
    clear = request.getfixturevalue(which)
    assert clear.verdict == "well determined"
    assert clear.warnings == ()
    assert clear.n_distinguishable == len(clear.terms) == 5
    assert (clear.at_boundary, clear.separated) == (False, None)


def test_starts_of_the_mode_end_at_the_same_place(clear_mode):
    assert clear_mode.starts_near == len(clear_mode.starts) == 4
    assert clear_mode.starts_spread < 1e-3


def test_a_single_informative_feature_does_not_determine_pi_and_is_named():
    diagnosis = PUGAM().fit(*one_good_feature()).diagnose()

    assert diagnosis.verdict == "not determined"
    assert diagnosis.n_distinguishable == 1
    (warning,) = (text for text in diagnosis.warnings if "distinguishable from a constant" in text)
    assert "Of 2 terms only s(good) is distinguishable" in warning
    assert "Fix pi or bound it" in warning
    assert "add features" in warning
    assert diagnosis.reliance > 1.3
    assert any("relies on curves being smooth" in text for text in diagnosis.warnings)


def steps_and_noise(seed, n_noise, n0=600, n1=1500, pi=0.4):
    """A feature in which a quarter of the negatives look like positives, and columns of noise."""
    rng = np.random.default_rng(seed)
    z = np.repeat([1, 0], [n0, n1])
    alike = (z == 1) | (rng.random(n0 + n1) < pi) | (rng.random(n0 + n1) < 0.25)
    return np.column_stack([rng.normal(4.0 * alike, 1.0), rng.normal(size=(n0 + n1, n_noise))]), z


def test_columns_of_noise_are_no_second_feature():
    diagnosis = PUGAM().fit(*steps_and_noise(seed=0, n_noise=9)).diagnose()

    assert (diagnosis.verdict, diagnosis.n_distinguishable) == ("not determined", 1)


@pytest.mark.long
def test_columns_of_noise_are_hardly_ever_a_second_feature():
    """At the 5% level for all together, it is one of 20 tables; more than three with a probability of 0.016."""
    fits = [PUGAM().fit(*steps_and_noise(seed, n_noise=9)) for seed in range(20)]

    assert sum(fit.verdict_ == "well determined" for fit in fits) <= 3


def test_noise_alone_does_not_determine_pi():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(800, 2)), columns=["a", "b"])

    z = np.repeat([1, 0], [300, 500])
    with pytest.warns(PugamWarning, match="say little about pi"):
        marginal = PUGAM().fit(X, z)
    assert marginal.diagnose().verdict == "not determined"

    with pytest.warns(PugamWarning, match="say little about pi"):
        shrunken = PUGAM(estimate="mode").fit(X, z)
    interval = shrunken.pi_interval()
    assert interval.upper - interval.lower > 0.9  # limits do not lean on the prior on separation
    assert shrunken.diagnose().verdict == "not determined"

    diagnosis = PUGAM(shrinkage="never").fit(X, z).diagnose()

    assert diagnosis.verdict == "not determined"
    assert any("None of the 2 terms is distinguishable" in warning for warning in diagnosis.warnings)
    assert diagnosis.profile_interval.upper - diagnosis.profile_interval.lower > 0.5


def test_a_fixed_pi_is_not_judged(clear_data):
    diagnosis = PUGAM(pi=0.4).fit(clear_data.X, clear_data.z).diagnose()

    assert diagnosis.verdict == "fixed"
    assert diagnosis.profile_interval is None
    assert (diagnosis.inflation, diagnosis.reliance) == (1.0, 1.0)
    assert diagnosis.profile_pi.tolist() == [0.4]
    assert diagnosis.sensitivity.pi[0] < 0.25
    assert diagnosis.sensitivity.pi[-1] > 0.6
    assert 0.4 in diagnosis.sensitivity.pi
    assert str(diagnosis).startswith("pi is fixed: 0.400 (fixed)")
    assert "profile" not in str(diagnosis)


def test_an_estimate_on_the_boundary_is_not_determined():
    # Not one positive among the unlabelled rows, and no prior that keeps pi from zero.
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [300, 500])
    X = pd.DataFrame({"a": rng.normal(1.5 * y, 1.0), "b": rng.normal(1.5 * y, 1.0)})
    with pytest.warns(PugamWarning, match="ran to the boundary"):
        model = PUGAM(pi_prior=None).fit(X, y)

    diagnosis = model.diagnose()

    assert diagnosis.verdict == "not determined"
    assert diagnosis.at_boundary
    assert diagnosis.warnings[0].startswith(
        "The estimate of pi ran to the boundary (0): these data do not determine it."
    )
    assert diagnosis.profile_interval.lower == 0.0
    assert diagnosis.profile_interval.upper < 0.1
    assert "boundary     on it" in str(diagnosis)


def test_the_term_that_gives_labels_away_is_named():
    rng = np.random.default_rng(0)
    z = np.repeat([1, 0], 200)
    X = pd.DataFrame({"age": rng.normal(z, 2.0), "visit": z + rng.normal(0.0, 0.01, 400)})
    with pytest.warns(PugamWarning, match=r"separate .* perfectly, s\(visit\) most of all"):
        PUGAM("s(age) + s(visit)", check=False).fit(X, z)


def test_features_that_separate_the_classes_are_reported():
    # Labelled and hidden positives have the same values, so that no chance difference between them is to be fitted.
    grid = np.linspace(-1.0, 1.0, 100)
    other = np.random.default_rng(2).permutation(grid)
    positive = np.repeat([1.0, 0.0], [500, 300])
    X = pd.DataFrame({"a": 6.0 * positive + np.tile(grid, 8), "b": 6.0 * positive + np.tile(other, 8)})
    with pytest.warns(PugamWarning, match="separate positives from negatives"):
        model = PUGAM().fit(X, (np.arange(800) < 300).astype(int))

    diagnosis = model.diagnose()

    assert diagnosis.separated in ("s(a)", "s(b)")
    assert diagnosis.verdict == "weakly determined"  # pi only counts rows: right, unless a column gives labels away
    (warning,) = (text for text in diagnosis.warnings if "separate positives from negatives" in text)
    assert "do not interpret odds ratios" in warning
    assert "separation   (almost) perfect" in str(diagnosis)


def test_columns_that_say_the_same_are_reported(clear_data):
    double = clear_data.X.assign(x6=clear_data.X["x1"])

    with pytest.warns(PugamWarning, match="do not determine some effects"):
        model = PUGAM("x1 + x6 + s(x2) + s(x3)", n_starts=3, estimate="mode").fit(double, clear_data.z)

    diagnosis = model.diagnose()
    assert diagnosis.condition > 1e9
    (warning,) = (text for text in diagnosis.warnings if "do not determine some effects: l(x1), l(x6). Either" in text)
    assert "Leave one out" in warning


def test_columns_that_say_the_same_share_an_effect_under_priors(clear_data):
    double = clear_data.X.assign(x6=clear_data.X["x1"])
    model = PUGAM("x1 + x6 + s(x2) + s(x3)", n_starts=3, interactions=None).fit(double, clear_data.z)

    diagnosis = model.diagnose()

    assert model.coef_[0] == pytest.approx(model.coef_[1], rel=1e-6)
    assert diagnosis.condition < 1e9
    assert not any("some effects" in text for text in diagnosis.warnings)


# The numbers behind a verdict


def test_two_intervals_are_those_of_the_model(clear_model, clear):
    assert clear.wald == clear_model.pi_interval()
    assert clear.profile_interval == clear_model.pi_interval(method="profile")


def test_tests_of_the_terms_are_those_of_the_model(clear_model, clear):
    assert clear.terms == tuple(clear_model.test(name) for name in ("x1", "x2", "x3", "x4", "x5"))


def test_the_profile_rises_from_the_estimate_and_crosses_its_quantile_at_the_limits(clear_model, clear):
    pi, deviance = clear.profile_pi, clear.profile_deviance
    lower, upper = clear.profile_interval.lower, clear.profile_interval.upper
    best = int(np.argmin(deviance))

    assert (np.diff(pi) > 0.0).all()
    assert pi[best] == pytest.approx(clear_model.pi_, abs=1e-9)
    assert deviance[best] == pytest.approx(0.0, abs=1e-6)
    assert (np.diff(deviance[best:]) > 0.0).all()
    assert (np.diff(deviance[: best + 1]) < 0.0).all()
    assert pi[0] < lower < upper < pi[-1]
    # Between points of the curve the deviance is nearly a parabola, so its root is nearly straight.
    roots = np.sqrt(deviance)
    for limit, side in ((lower, slice(None, best + 1)), (upper, slice(best, None))):
        assert np.interp(limit, pi[side], roots[side]) == pytest.approx(1.96, abs=0.02)


def test_condition_and_inflation_are_those_of_the_penalised_information(clear_model, clear):
    hessian = clear_model._fit.penalized.hessian
    scale = np.sqrt(np.outer(hessian.diagonal(), hessian.diagonal()))

    assert clear.condition == pytest.approx(np.linalg.cond(hessian / scale), rel=1e-6)
    assert clear.inflation == pytest.approx(np.linalg.inv(hessian)[0, 0] * hessian[0, 0], rel=1e-6)
    assert clear.inflation > 1.0


def test_reliance_is_one_where_no_curve_can_bend_or_all_bend_freely():
    X, z = one_good_feature()

    assert PUGAM("good + noise", n_starts=3).fit(X, z).diagnose().reliance == 1.0
    assert PUGAM(smoothing=1e-5, n_starts=3).fit(X, z).diagnose().reliance == pytest.approx(1.0, abs=0.01)


def test_reliance_is_the_growth_of_the_standard_error_when_curves_are_let_go():
    # Curves held straight, against curves with two degrees of bending each. Curves and pi differ, so loosely.
    X, z = one_good_feature(4000, seed=1)
    held = PUGAM(smoothing=1e5, n_starts=2, debias=False).fit(X, z)
    free = PUGAM(smoothing={"good": 5e-4, "noise": 6e-3}, n_starts=2, debias=False).fit(X, z)
    errors = [np.sqrt(np.linalg.inv(model._fit.penalized.hessian)[0, 0]) for model in (held, free)]

    assert list(free.summary().smooth["edf"]) == pytest.approx([3.0, 3.0], abs=0.1)
    assert held.diagnose().reliance == pytest.approx(errors[1] / errors[0], rel=0.25)
    assert held.diagnose().reliance > 1.5


def test_starts_nearly_as_good_as_the_best_are_counted(clear_model, clear):
    records = [
        StartRecord(1.0, 0.5, pi, objective, 5, True)
        for pi, objective in ((0.40, -100.0), (0.42, -100.5), (0.35, -101.9), (0.90, -103.0))
    ]
    fit = replace(clear_model._fit, starts=tuple(records))
    twin = PUGAM().set_params(**clear_model.get_params())
    twin.__dict__.update({**clear_model.__dict__, "_fit": fit, "_diagnosis": None})

    diagnosis = twin.diagnose()

    assert diagnosis.starts_near == 3
    assert diagnosis.starts_spread == pytest.approx(0.07)


# The model along values of pi


def test_sensitivity_by_marginal_likelihood_is_the_mode_of_the_curves_with_pi_fixed(clear_model, clear):
    found, engine = clear.sensitivity, clear_model._rows[0]
    objective = Objective(engine, clear_model._design.ridge, clear_model._settings.prior)

    assert len(found.pi) == 5
    assert found.pi[2] == pytest.approx(clear_model.pi_, rel=1e-9)
    for number in range(5):
        pi = found.pi[number]
        beta = clear_model._design.layout.join(
            float(logit(pi)), found.alpha[number] + float(alpha_shift(pi, engine.n0, engine.n1)), found.coef[number]
        )
        (here,) = objective.stand([beta])
        # Newton's step to the top from there, less than a thousandth of a standard error.
        others = clear_model._design.layout.predictor
        covariance = np.linalg.inv(here.hessian[others, others])
        assert (np.abs(covariance @ here.gradient[others]) < 1e-3 * np.sqrt(covariance.diagonal())).all()


@pytest.mark.parametrize("debias", [pytest.param(False, marks=pytest.mark.long), True], ids=["penalised", "corrected"])
def test_sensitivity_is_the_model_with_pi_fixed(clear_data, debias):
    model = PUGAM(debias=debias, tol=1e-8, n_starts=3, estimate="mode").fit(clear_data.X, clear_data.z)
    unlabelled = clear_data.X[clear_data.z == 0]

    found = model.diagnose().sensitivity

    assert len(found.pi) == 5
    assert found.pi[2] == pytest.approx(model.pi_, rel=1e-9)
    for number in range(5):
        fixed = PUGAM(pi=found.pi[number], smoothing=model.smoothing_, tol=1e-8, n_starts=3).fit(
            clear_data.X, clear_data.z
        )
        np.testing.assert_allclose(found.coef[number], fixed.coef_, atol=1e-5)
        assert found.alpha[number] == pytest.approx(fixed.alpha_, abs=1e-5)
        assert found.share_positive[number] == pytest.approx(fixed.predict(unlabelled).mean(), abs=0.002)


def test_sensitivity_runs_from_limit_to_limit_and_more_are_called_positive(clear):
    found = clear.sensitivity

    assert found.pi[0] == pytest.approx(clear.profile_interval.lower, rel=1e-6)
    assert found.pi[-1] == pytest.approx(clear.profile_interval.upper, rel=1e-6)
    assert (np.diff(found.share_positive) > 0.0).all()
    # At the limits of the interval the deviance is the square of 1.96, at the estimate nothing.
    np.testing.assert_allclose(found.deviance[[0, 2, 4]], [3.84, 0.0, 3.84], atol=0.02)


@pytest.mark.long
def test_weights_count_in_the_share_called_positive(clear_data):
    weights = np.where(clear_data.z == 1, 1.0, 1.0 + (clear_data.X["x1"] > 0.8))
    rows = np.repeat(np.arange(len(clear_data.z)), weights.astype(int))
    options = {"smoothing": 1e-3, "n_starts": 2, "tol": 1e-8}
    weighted = PUGAM(**options).fit(clear_data.X, clear_data.z, sample_weight=weights).diagnose()
    repeated = PUGAM(**options).fit(clear_data.X.iloc[rows], clear_data.z[rows]).diagnose()

    np.testing.assert_allclose(weighted.sensitivity.share_positive, repeated.sensitivity.share_positive, atol=0.002)
    np.testing.assert_allclose(weighted.sensitivity.pi, repeated.sensitivity.pi, atol=1e-4)
    assert weighted.verdict == repeated.verdict


def test_a_diagnosis_of_a_sound_model_warns_of_nothing(clear_model):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clear_model.diagnose()


def test_terms_without_a_smoothing_parameter_are_diagnosed_too(clear_data):
    frame = clear_data.X.assign(half=np.where(clear_data.X["x5"] > 0.5, "upper", "lower"))

    diagnosis = PUGAM([s("x1"), l("x2"), s("x3"), s("x4"), "f(half)"], n_starts=3).fit(frame, clear_data.z).diagnose()

    assert [test.terms[0] for test in diagnosis.terms] == ["s(x1)", "l(x2)", "s(x3)", "s(x4)", "f(half)"]
    assert diagnosis.verdict != "fixed"


@pytest.mark.usefixtures("checked")
@pytest.mark.parametrize(
    ("options", "setting", "seed", "verdict"),
    [
        ({"terms": "s(x1) + s(x2)", "estimate": "mode"}, 2, 13, "weakly determined"),
        ({}, 1, 3, "does not fit"),
        ({}, 1, 22, "does not fit"),
    ],
)
def test_findings_quote_the_reported_interval_and_copies_say_the_same(options, setting, seed, verdict, tmp_path):
    n0, n = (300, 700) if setting == 2 else (200, 400)
    data = simulate(setting, n0=n0, n=n, pi=0.4, random_state=seed)
    weights = None if setting == 2 else np.random.default_rng(seed).integers(1, 4, n)
    model = PUGAM(**options).fit(data.X, data.z, sample_weight=weights)
    interval = model.pi_interval()
    wide = [finding for finding in model.diagnose().findings if isinstance(finding, WideInterval)]

    assert model.verdict_ == verdict
    assert interval.upper - interval.lower > WIDE_INTERVAL
    assert [(found.lower, found.upper) for found in wide] == [(interval.lower, interval.upper)]
    model.save(tmp_path / "model.json")
    copy = pugam.load(tmp_path / "model.json")
    copy.attach(data.X, data.z, sample_weight=weights)
    assert copy.verdict_ == model.verdict_
    assert str(copy.diagnose()) == str(model.diagnose())
