"""Is pi determined? Verdicts on data of known kind, each warning with its remedy, and the numbers behind them."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM, PugamWarning, l, s
from pugam.datasets import simulate
from pugam.inference import BestBin, Interval, LabellingTest, Omnibus, PairTest
from pugam.inference.description import describe
from pugam.inference.findings import (
    AboveBound,
    BoostingSeesMore,
    LabelsPrefer,
    NeedsSmoothness,
    PairsDoNotAddUp,
    Separated,
)
from pugam.inference.open_effects import OpenEffects
from pugam.inference.verdict import judge
from pugam.likelihood import alpha_shift, logit
from pugam.messages import in_python
from pugam.solvers import Objective, StartRecord


@pytest.fixture(scope="module")
def data():
    return simulate(2, n0=700, n=1400, random_state=0)


@pytest.fixture(scope="module")
def model(data):
    return PUGAM(n_starts=4).fit(data.X, data.z)


@pytest.fixture(scope="module")
def clear(model):
    """A diagnosis without any warning."""
    return model.diagnose()


@pytest.fixture(scope="module")
def clear_mode(data):
    """A diagnosis of the mode without any warning."""
    return PUGAM(n_starts=4, estimate="mode").fit(data.X, data.z).diagnose()


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


def test_a_fixed_pi_is_not_judged(data):
    diagnosis = PUGAM(pi=0.4).fit(data.X, data.z).diagnose()

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


def test_columns_that_say_the_same_are_reported(data):
    double = data.X.assign(x6=data.X["x1"])

    with pytest.warns(PugamWarning, match="do not determine some effects"):
        model = PUGAM("x1 + x6 + s(x2) + s(x3)", n_starts=3, estimate="mode").fit(double, data.z)

    diagnosis = model.diagnose()
    assert diagnosis.condition > 1e9
    (warning,) = (text for text in diagnosis.warnings if "do not determine some effects: l(x1), l(x6). Either" in text)
    assert "Leave one out" in warning


def test_columns_that_say_the_same_share_an_effect_under_priors(data):
    double = data.X.assign(x6=data.X["x1"])
    model = PUGAM("x1 + x6 + s(x2) + s(x3)", n_starts=3, interactions=None).fit(double, data.z)

    diagnosis = model.diagnose()

    assert model.coef_[0] == pytest.approx(model.coef_[1], rel=1e-6)
    assert diagnosis.condition < 1e9
    assert not any("some effects" in text for text in diagnosis.warnings)


# The numbers behind a verdict


def test_two_intervals_are_those_of_the_model(model, clear):
    assert clear.wald == model.pi_interval()
    assert clear.profile_interval == model.pi_interval(method="profile")


def test_tests_of_the_terms_are_those_of_the_model(model, clear):
    assert clear.terms == tuple(model.test(name) for name in ("x1", "x2", "x3", "x4", "x5"))


def test_the_profile_rises_from_the_estimate_and_crosses_its_quantile_at_the_limits(model, clear):
    pi, deviance = clear.profile_pi, clear.profile_deviance
    lower, upper = clear.profile_interval.lower, clear.profile_interval.upper
    best = int(np.argmin(deviance))

    assert (np.diff(pi) > 0.0).all()
    assert pi[best] == pytest.approx(model.pi_, abs=1e-9)
    assert deviance[best] == pytest.approx(0.0, abs=1e-6)
    assert (np.diff(deviance[best:]) > 0.0).all()
    assert (np.diff(deviance[: best + 1]) < 0.0).all()
    assert pi[0] < lower < upper < pi[-1]
    # Between points of the curve the deviance is nearly a parabola, so its root is nearly straight.
    roots = np.sqrt(deviance)
    for limit, side in ((lower, slice(None, best + 1)), (upper, slice(best, None))):
        assert np.interp(limit, pi[side], roots[side]) == pytest.approx(1.96, abs=0.02)


def test_condition_and_inflation_are_those_of_the_penalised_information(model, clear):
    hessian = model._fit.penalized.hessian
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


def test_starts_nearly_as_good_as_the_best_are_counted(model, clear):
    records = [
        StartRecord(1.0, 0.5, pi, objective, 5, True)
        for pi, objective in ((0.40, -100.0), (0.42, -100.5), (0.35, -101.9), (0.90, -103.0))
    ]
    fit = replace(model._fit, starts=tuple(records))
    twin = PUGAM().set_params(**model.get_params())
    twin.__dict__.update({**model.__dict__, "_fit": fit, "_diagnosis": None})

    diagnosis = twin.diagnose()

    assert diagnosis.starts_near == 3
    assert diagnosis.starts_spread == pytest.approx(0.07)


# The model along values of pi


def test_sensitivity_by_marginal_likelihood_is_the_mode_of_the_curves_with_pi_fixed(model, clear):
    found, engine = clear.sensitivity, model._rows[0]
    objective = Objective(engine, model._design.ridge, model._settings.prior)

    assert len(found.pi) == 5
    assert found.pi[2] == pytest.approx(model.pi_, rel=1e-9)
    for number in range(5):
        pi = found.pi[number]
        beta = model._design.layout.join(
            float(logit(pi)), found.alpha[number] + float(alpha_shift(pi, engine.n0, engine.n1)), found.coef[number]
        )
        (here,) = objective.stand([beta])
        # Newton's step to the top from there, less than a thousandth of a standard error.
        others = model._design.layout.predictor
        covariance = np.linalg.inv(here.hessian[others, others])
        assert (np.abs(covariance @ here.gradient[others]) < 1e-3 * np.sqrt(covariance.diagonal())).all()


@pytest.mark.parametrize("debias", [pytest.param(False, marks=pytest.mark.long), True], ids=["penalised", "corrected"])
def test_sensitivity_is_the_model_with_pi_fixed(data, debias):
    model = PUGAM(debias=debias, tol=1e-8, n_starts=3, estimate="mode").fit(data.X, data.z)
    unlabelled = data.X[data.z == 0]

    found = model.diagnose().sensitivity

    assert len(found.pi) == 5
    assert found.pi[2] == pytest.approx(model.pi_, rel=1e-9)
    for number in range(5):
        fixed = PUGAM(pi=found.pi[number], smoothing=model.smoothing_, tol=1e-8, n_starts=3).fit(data.X, data.z)
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
def test_weights_count_in_the_share_called_positive(data):
    weights = np.where(data.z == 1, 1.0, 1.0 + (data.X["x1"] > 0.8))
    rows = np.repeat(np.arange(len(data.z)), weights.astype(int))
    options = {"smoothing": 1e-3, "n_starts": 2, "tol": 1e-8}
    weighted = PUGAM(**options).fit(data.X, data.z, sample_weight=weights).diagnose()
    repeated = PUGAM(**options).fit(data.X.iloc[rows], data.z[rows]).diagnose()

    np.testing.assert_allclose(weighted.sensitivity.share_positive, repeated.sensitivity.share_positive, atol=0.002)
    np.testing.assert_allclose(weighted.sensitivity.pi, repeated.sensitivity.pi, atol=1e-4)
    assert weighted.verdict == repeated.verdict


# Each warning by itself


def with_pvalues(diagnosis, *pvalues):
    return tuple(replace(test, pvalue=pvalue) for test, pvalue in zip(diagnosis.terms, pvalues, strict=True))


def between(lower, upper):
    """The same limits by profile and Wald."""
    interval = Interval(0.4, lower, upper, 0.95, "profile")
    return {"profile_interval": interval, "sampling": replace(interval, method="wald")}


CASES = {
    "boundary": (lambda d: {"at_boundary": True}, "not determined", "ran to the boundary", "Fix pi or bound it"),
    "flat": (lambda d: between(0.0, 1.0), "not determined", "is flat: hardly any value from 0", "Fix pi or bound it"),
    "large error": (
        lambda d: between(0.25, 0.6) | {"sampling": Interval(0.4, 0.01, 0.99, 0.95, "wald")},
        "not determined",
        "Wald's interval excludes hardly any value from 0 to 1",
        "Fix pi or bound it",
    ),
    "open above": (
        lambda d: between(0.7, 1.0) | {"best_bin": None},
        "not determined",
        "does not fall off towards 1",
        "Fix pi or bound it",
    ),
    "open below": (lambda d: between(0.0, 0.3), "not determined", "does not fall off towards 0", "Fix pi or bound it"),
    "one term": (
        lambda d: {"terms": with_pvalues(d, 0.3, 0.001, 0.06, 0.5, 1.0)},
        "not determined",
        r"Of 5 terms only s(x2) is distinguishable",
        "add features",
    ),
    "one group": (
        lambda d: {
            "terms": with_pvalues(d, 0.3, 0.001, 0.01, 0.001, 1.0),
            "columns": (("x1",), ("x2",), ("x3",), ("x2", "x3"), ("x5",)),
        },
        "not determined",
        r"Interactions join the columns of all terms that are distinguishable from a constant (s(x2), s(x3), s(x4))",
        "add features",
    ),
    "no term": (
        lambda d: {"terms": with_pvalues(d, 0.3, 0.2, 0.06, 0.5, 1.0)},
        "not determined",
        "None of the 5 terms is distinguishable",
        "add features",
    ),
    "separation": (lambda d: {"separated": True}, "weakly determined", "(almost) perfectly", "Use fewer terms"),
    "wide": (lambda d: between(0.2, 0.65), "weakly determined", "wide, 0.20 to 0.65", "plot('sensitivity')"),
    "uneven": (
        lambda d: {**between(0.3, 0.5), "sampling": Interval(0.4, 0.35, 0.45, 0.95, "wald")},
        "weakly determined",
        "profile interval is 2.0 times as wide",
        "both ends of the interval",
    ),
    "uneven the other way": (
        lambda d: {**between(0.35, 0.45), "sampling": Interval(0.4, 0.3, 0.5, 0.95, "wald")},
        "weakly determined",
        "profile interval is 0.5 times as wide",
        "both ends of the interval",
    ),
    "smoothness": (lambda d: {"reliance": 1.62}, "weakly determined", "1.6 times as large", "fix pi"),
    "little apart": (
        lambda d: {"distance": 2.94},
        "weakly determined",
        "only weakly: they are 2.9 apart",
        "stronger features",
    ),
    "perhaps little apart": (
        lambda d: {"distance": 3.6, "wald": Interval(0.4, 0.25, 0.5, 0.95, "marginal")},
        "weakly determined",
        "3.6 apart in mean log density ratio if pi is as estimated, but only 2.9 if pi is 0.25",
        "stronger features",
    ),
    "starts": (
        lambda d: {"starts_near": 3, "starts_spread": 0.25},
        "weakly determined",
        "0.25 apart in pi",
        "n_starts=40",
    ),
    "pairs": (
        lambda d: {
            "pair_test": PairTest(43.2, 10.0, 0.0004, (("x1", "x4"), ("x2", "x3"), ("x1", "x2")), (1e-5, 0.002, 0.3))
        },
        "does not fit",
        "p = 0.0004): above all those of x1 and x4, x2 and x3. ",
        "Add interactions of these columns, as in ti(x, y)",
    ),
    "pairs, none by itself": (
        lambda d: {"pair_test": PairTest(43.2, 10.0, 0.0004, (("x1", "x4"), ("x2", "x3")), (0.02, 0.03))},
        "does not fit",
        "above all those of x1 and x4. ",
        "Add interactions of these columns",
    ),
    "labelling": (
        lambda d: {"labelling": LabellingTest(31.0, 10.0, 0.0006, ("x1", "x2"), (1e-6, 0.004), ("x1",), "s(x1)")},
        "does not fit",
        "p = 0.0006): whether a positive is labelled seems to depend on x1. ",
        "audit some unlabelled rows, or show how far off pi could be (plot('labelling'))",
    ),
    "labelling, none by itself": (
        lambda d: {"labelling": LabellingTest(31.0, 10.0, 0.0006, ("x1", "x2"), (0.02, 0.04), (), "s(x1)")},
        "does not fit",
        "seems to depend on x1. ",
        "audit some unlabelled rows",
    ),
    "boosting": (
        lambda d: {"omnibus": Omnibus(3.1, 0.00097, 1400)},
        "does not fit",
        "than the model says they can (p = 0.00097)",
        "ask how the labels came about",
    ),
    "bound": (
        lambda d: {"best_bin": BestBin(0.31, d.sampling.lower - 0.001)},
        "does not fit",
        "or more, but if labelled rows are a random sample of the positives, it is at most",
        "bound pi (pi=(0.1, 0.4))",
    ),
    "calibration": (
        lambda d: {"calibration": replace(d.calibration, pvalue=0.0012)},
        "well determined",
        "disagree (p = 0.0012)",
        "plot('calibration')",
    ),
    "collinear": (
        lambda d: {"open_effects": OpenEffects(terms=("l(a)", "l(b)"))},
        "well determined",
        "do not determine some effects: l(a), l(b).",
        "Leave one out",
    ),
    "one-sided": (
        lambda d: {"open_effects": OpenEffects(levels=("site = 'east'",))},
        "well determined",
        "grow without bound: site = 'east'.",
        "Merge these levels",
    ),
}


@pytest.mark.parametrize(("change", "verdict", "seen", "remedy"), CASES.values(), ids=CASES)
def test_each_sign_has_its_verdict_its_warning_and_its_remedy(clear, change, verdict, seen, remedy):
    found = replace(clear, **change(clear))

    judged, findings = judge(found)
    remarks = [str(finding.message) for finding in findings]

    assert judged == verdict
    relevant = [remark for remark in remarks if seen in remark]
    assert len(relevant) == 1
    assert remedy in relevant[0]
    # A profile that is open on both sides is wide, too, or unlike Wald's interval; otherwise nothing else is said.
    assert len(remarks) == (2 if "hardly any value" in seen else 1)


HARMLESS = {
    "two terms": lambda d: {"terms": with_pvalues(d, 0.3, 0.001, 0.04, 0.5, 1.0)},
    "narrow": lambda d: between(0.25, 0.64),
    "a little uneven": lambda d: {**between(0.3, 0.5), "sampling": Interval(0.4, 0.33, 0.48, 0.95, "wald")},
    "apart enough": lambda d: {"distance": 3.6, "wald": Interval(0.4, 0.3, 0.5, 0.95, "marginal")},
    "a little smoothness": lambda d: {"reliance": 1.25},
    "starts close by": lambda d: {"starts_near": 3, "starts_spread": 0.015},
    "one start": lambda d: {"starts_near": 1, "starts_spread": 0.5},
    "calibration": lambda d: {"calibration": replace(d.calibration, pvalue=0.02)},
    "condition": lambda d: {"condition": 3e11},
    "pairs": lambda d: {"pair_test": replace(d.pair_test, pvalue=0.011)},
    "labelling": lambda d: {"labelling": replace(d.labelling, pvalue=0.011)},
    "boosting": lambda d: {"omnibus": replace(d.omnibus, pvalue=0.011)},
    "bound": lambda d: {"best_bin": BestBin(0.2, d.sampling.lower + 0.001)},
    "not tested": lambda d: {"pair_test": None, "labelling": None, "omnibus": None, "best_bin": None},
}


@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS)
def test_what_is_harmless_is_not_warned_of(clear, change):
    assert judge(replace(clear, **change(clear))) == ("well determined", ())


# Of 19 terms that say nothing, two or more have p < 0.05 with a probability of 0.25, four or more with 0.013, and one
# or more p < 0.0027 with 0.05.
@pytest.mark.parametrize(
    ("small", "verdict"),
    [
        ((0.02,) * 3, "weakly determined"),
        ((0.02,) * 5, "well determined"),
        ((1e-9, 0.003), "weakly determined"),
        ((1e-9, 0.002), "well determined"),
    ],
)
def test_among_many_terms_of_a_shrunken_fit_more_must_vary_than_chance_lets(clear, small, verdict):
    pvalues = [*small, *[0.5] * (20 - len(small))]
    terms = tuple(replace(clear.terms[0], terms=(f"s(x{j})",), pvalue=p) for j, p in enumerate(pvalues))
    columns = tuple((f"x{j}",) for j in range(20))

    found = replace(clear, ridge=3.0, distance=8.0, wald=replace(clear.wald, lower=0.35), terms=terms, columns=columns)

    assert judge(found)[0] == verdict


def test_a_fixed_pi_is_warned_of_the_model_only(clear):
    troubled = replace(
        clear,
        profile_interval=None,
        at_boundary=True,
        reliance=5.0,
        open_effects=OpenEffects(terms=("l(a)", "l(b)")),
        calibration=replace(clear.calibration, pvalue=1e-5),
    )

    verdict, findings = judge(troubled)
    remarks = [str(finding.message) for finding in findings]

    assert verdict == "fixed"
    assert len(remarks) == 2
    assert "labels disagree" in remarks[0]
    assert "some effects" in remarks[1]


def test_a_fixed_pi_stays_fixed_where_the_model_does_not_fit(clear):
    fixed = Interval(0.7, 0.7, 0.7, 0.95, "fixed")
    misfits = {"omnibus": Omnibus(4.0, 3e-5, 1400), "best_bin": BestBin(0.5, 0.6)}

    verdict, findings = judge(replace(clear, profile_interval=None, wald=fixed, sampling=fixed, **misfits))

    assert verdict == "fixed"
    assert [type(finding) for finding in findings] == [BoostingSeesMore, AboveBound]


@pytest.mark.parametrize(("pvalue", "said"), [(1e-5, [PairsDoNotAddUp]), (1e-3, [LabelsPrefer, PairsDoNotAddUp])])
def test_where_pairs_reject_more_clearly_nothing_is_said_of_labels(clear, pvalue, said):
    tests = {
        "labelling": LabellingTest(40.0, 10.0, 1e-4, ("x1",), (1e-6,), ("x1",), "s(x1)"),
        "pair_test": PairTest(43.2, 10.0, pvalue, (("x1", "x4"),), (1e-5,)),
    }

    verdict, findings = judge(replace(clear, **tests))

    assert verdict == "does not fit"
    assert [type(finding) for finding in findings] == said


def test_a_misfit_outranks_all_else_and_is_said_before_any_number(clear):
    troubled = replace(clear, at_boundary=True, reliance=2.0, omnibus=Omnibus(4.0, 3e-5, 1400))

    verdict, findings = judge(troubled)
    first, *_ = str(replace(troubled, verdict=verdict, findings=findings)).split("\n")

    assert verdict == "does not fit"
    assert isinstance(findings[0], BoostingSeesMore)
    assert len(findings) == 3
    assert first == f"The model does not fit these data. pi: {clear.wald}"


def test_the_worst_comes_first(clear):
    calibration = replace(clear.calibration, pvalue=1e-3)
    troubled = replace(clear, reliance=2.0, at_boundary=True, calibration=calibration)

    verdict, findings = judge(troubled)
    remarks = [str(finding.message) for finding in findings]

    assert verdict == "not determined"
    assert [word in remark for word, remark in zip(("boundary", "smooth", "disagree"), remarks, strict=True)] == [
        True
    ] * 3


def test_labels_that_disagree_beyond_doubt_are_a_misfit(clear):
    verdict, findings = judge(replace(clear, calibration=replace(clear.calibration, pvalue=1e-5)))

    assert verdict == "does not fit"
    assert ["disagree" in str(finding.message) for finding in findings] == [True]


# In words


def test_a_diagnosis_in_words_holds_its_numbers(clear):
    lines = list(describe(clear, clear.wald, in_python))
    held, calibration, shares = clear.profile_interval, clear.calibration, clear.sensitivity.share_positive

    assert str(clear) == "\n".join(lines)
    assert lines[0] == f"pi is well determined: {clear.wald}"
    text = str(clear)
    assert f"95% interval {held.lower:.3f} to {held.upper:.3f}" in lines[1]
    assert "5 of 5 distinguishable from a constant" in text
    assert "interactions none added, of 10 pairs of columns" in text
    assert "starts" not in text
    assert "boundary     not reached" in text
    assert f"condition number {clear.condition:.2g}" in text
    assert f"the standard error of pi would grow {clear.reliance:.2f} times" in text
    assert "separation   none" in text
    assert f"chi-square {calibration.statistic:.3g} on 8 df, p = {calibration.pvalue:.2g}" in text
    pairs, omnibus, bound = clear.pair_test, clear.omnibus, clear.best_bin
    assert (
        f"additivity   chi-square {pairs.statistic:.3g} on 10 df, p = {pairs.pvalue:.2g} (products of 10 pairs" in text
    )
    labelling = clear.labelling
    test = f"chi-square {labelling.statistic:.3g} on 10 df, p = {labelling.pvalue:.2g}"
    assert f"labelling    {test} (preferences by 5 columns)" in text
    assert f"boosting     z = {omnibus.statistic:.2f}, p = {omnibus.pvalue:.2g}" in text
    assert f"pi is at most {bound.upper:.3f} without any model" in text
    assert f"{shares[0]:.3f} to {shares[-1]:.3f} of the unlabelled called positive" in text
    assert "!" not in text


def test_a_diagnosis_of_the_mode_tells_of_its_starts(clear_mode):
    text = str(clear_mode)

    assert f"4 of 4 near the best, within {clear_mode.starts_spread:.3f} in pi" in text
    assert "interactions" not in text
    assert "!" not in text


def test_tests_that_could_not_be_made_are_not_spoken_of(clear):
    text = str(replace(clear, pair_test=None, labelling=None, omnibus=None, best_bin=None))

    assert not any(word in text for word in ("additivity", "labelling", "boosting", "upper bound"))


def test_a_diagnosis_can_be_told_with_another_interval(clear):
    first, *others = clear.in_words(clear.profile_interval).split("\n")

    assert first == f"pi is well determined: {clear.profile_interval}"
    assert others == str(clear).split("\n")[1:]


def test_warnings_stand_at_the_end(clear):
    found = replace(clear, verdict="weakly determined", findings=(Separated("s(x1)"), NeedsSmoothness(2.0)))
    lines = str(found).split("\n")

    assert lines[0].startswith("pi is weakly determined")
    assert lines[-2:] == [f"  ! {warning}" for warning in found.warnings]


def test_a_diagnosis_of_a_sound_model_warns_of_nothing(model):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.diagnose()


def test_terms_without_a_smoothing_parameter_are_diagnosed_too(data):
    frame = data.X.assign(half=np.where(data.X["x5"] > 0.5, "upper", "lower"))

    diagnosis = PUGAM([s("x1"), l("x2"), s("x3"), s("x4"), "f(half)"], n_starts=3).fit(frame, data.z).diagnose()

    assert [test.terms[0] for test in diagnosis.terms] == ["s(x1)", "l(x2)", "s(x3)", "s(x4)", "f(half)"]
    assert diagnosis.verdict != "fixed"
