"""The summary: what is printed, its parts as frames, and that both say the same as the model."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import chi2, norm

from pugam import PUGAM, InputError, PugamWarning, s
from pugam.datasets import simulate
from pugam.presentation.summary import _aligned, _decimals
from pugam.version import __version__

FORMULA = "s(age) + l(dose, missing='effect') + f(site) + weight + f(group, missing='effect')"
COLUMNS = {
    "model": ["quantity", "value"],
    "smooth": ["term", "edf", "ref_df", "statistic", "pvalue", "smoothing"],
    "linear": ["term", "level", "estimate", "se", "z", "pvalue", "lower", "upper"],
    "factors": ["term", "df", "statistic", "pvalue"],
}
LIBRARIES = {"pandas": (lambda frame: frame, pd.DataFrame), "polars": (pl.from_pandas, pl.DataFrame)}


@pytest.fixture(scope="module", name="X")
def features():
    rng = np.random.default_rng(3)
    n = 900
    y = np.repeat([1, 0], [550, 350])
    columns = {
        "age": 40.0 + 10.0 * rng.normal(1.2 * y, 1.0),
        "dose": np.where(rng.random(n) < 0.2, np.nan, rng.normal(1.0 * y, 1.0 + 0.5 * y)),
        "site": np.where(rng.random(n) < 0.3 + 0.3 * y, "north", rng.choice(["east", "south"], n)),
        "weight": 70.0 + 12.0 * rng.normal(0.8 * y, 1.0),
        "group": np.where(rng.random(n) < 0.1, None, np.where(rng.random(n) < 0.4 + 0.3 * y, "u", "v")),
    }
    return pd.DataFrame(columns)


@pytest.fixture(scope="module")
def z():
    return (np.arange(900) < 350).astype(int)


@pytest.fixture(scope="module")
def model(X, z):
    return PUGAM(FORMULA, n_starts=4).fit(X, z)


@pytest.fixture(scope="module")
def summary(model):
    return model.summary()


@pytest.fixture(scope="module")
def mode(X, z):
    return PUGAM(FORMULA, n_starts=4, estimate="mode").fit(X, z)


def line_of(text, start, pattern=""):
    """The cells of the one line that starts like this; cells are two spaces apart or more."""
    heads = [(re.match(rf"  {re.escape(start)}{pattern}\s\s", line), line) for line in text.splitlines()]
    ((head, line),) = (found for found in heads if found[0])
    return line[head.end() :].split()


# Frames


@pytest.mark.parametrize(("make", "kind"), LIBRARIES.values(), ids=LIBRARIES)
@pytest.mark.parametrize("formula", [FORMULA, "age + weight", "s(age) + s(weight)"], ids=["mixed", "linear", "smooth"])
def test_the_parts_are_frames_of_the_users_library_with_fixed_columns(X, z, formula, make, kind):
    summary = PUGAM(formula, n_starts=2).fit(make(X), z).summary()

    for name, columns in COLUMNS.items():
        frame = getattr(summary, name)
        assert isinstance(frame, kind)
        assert list(frame.columns) == columns


def test_the_frame_of_the_model_holds_its_numbers(model, summary):
    found = dict(zip(summary.model["quantity"], summary.model["value"], strict=True))
    interval = model.pi_interval()

    assert found == {
        "pi": model.pi_,
        "pi_lower": interval.lower,
        "pi_upper": interval.upper,
        "level": 0.95,
        "pi_penalized": model.pi_penalized_,
        "prevalence": model.prevalence_,
        "label_frequency": model.label_frequency_,
        "n0": 350.0,
        "n1": 550.0,
        "alpha": model.alpha_,
        "loglik": model.loglik_,
        "edf": model.edf_,
        "aic": model.aic_,
    }


@pytest.mark.parametrize(("which", "least"), [("model", 0.0), ("mode", 1.0)])
def test_smooth_terms_have_their_test_and_their_smoothing_parameter(request, which, least):
    model = request.getfixturevalue(which)
    (row,) = model.summary().smooth.to_dict("records")
    test = model.test("age")

    assert row["term"] == "s(age)"
    assert (row["ref_df"], row["statistic"], row["pvalue"]) == (test.df, test.statistic, test.pvalue)
    assert row["smoothing"] == model.smoothing_["age"]
    # Of the mode, nothing restrains the straight part.
    assert least <= row["edf"] <= row["ref_df"] + 1e-6


def test_degrees_of_freedom_of_the_terms_add_up_to_those_of_the_model(X, z):
    terms = "s(age, k=6) + s(dose, k=6, missing='effect') + f(site)"
    marginal, model = (
        PUGAM(terms, n_starts=3, pi_prior=None, estimate=estimate).fit(X, z) for estimate in ("marginal", "mode")
    )

    # A prior takes something from the contrasts, which are not among the smooth terms.
    assert 2.0 < marginal.edf_ - marginal.summary().smooth["edf"].sum() < 4.0
    degrees = model.summary().smooth["edf"]

    # With pi, the intercept and the two contrasts between three levels; an effect of missing values is in its term.
    assert degrees.sum() + 1.0 + 1.0 + 2.0 == pytest.approx(model.edf_, abs=1e-4)
    assert degrees[1] > 2.0


def test_a_linear_estimate_is_the_slope_of_the_effect_per_unit_of_the_column(model, summary):
    row = summary.linear[summary.linear["term"] == "l(weight)"].iloc[0]
    ends = model.effect("weight", [60.0, 61.0])
    slope = model.effect("weight", [60.0], derivative=True).iloc[0]

    assert row["estimate"] == pytest.approx(ends["u"][1] - ends["u"][0], rel=1e-9)
    assert row["estimate"] == pytest.approx(slope["u"], rel=1e-9)
    assert row["se"] == pytest.approx(slope["se"], rel=1e-9)
    assert row["z"] == pytest.approx(row["estimate"] / row["se"], rel=1e-12)
    assert row["pvalue"] == pytest.approx(2.0 * norm.sf(abs(row["z"])), rel=1e-9)
    assert row["level"] == ""


def test_levels_of_a_factor_are_its_effects(model, summary):
    rows = summary.linear[summary.linear["term"] == "f(site)"]
    effect = model.effect("site")

    assert rows["level"].tolist() == effect["x"].tolist() == ["east", "north", "south"]
    np.testing.assert_allclose(rows["estimate"], effect["u"], rtol=1e-9)
    np.testing.assert_allclose(rows["se"], effect["se"], rtol=1e-9)


def test_missing_values_have_a_line_of_their_own(model, summary):
    missing = summary.linear[summary.linear["level"] == "missing"].set_index("term")
    group = model.effect("group", [None]).iloc[0]

    assert missing.index.tolist() == ["l(dose)", "f(group)"]
    assert missing.loc["f(group)", "estimate"] == pytest.approx(group["u"], rel=1e-9)
    assert missing.loc["f(group)", "se"] == pytest.approx(group["se"], rel=1e-9)


@pytest.mark.parametrize("term", ["l(dose)", "s(dose)"])
def test_a_missing_number_is_compared_to_the_median(X, z, term):
    model = PUGAM(f"s(age) + {term[:-1]}, missing='effect')", n_starts=3).fit(X, z)
    line = model.summary().linear.set_index("level").loc["missing"]
    ratio = model.odds_ratio("dose", float(X["dose"].median()), np.nan)

    assert line["estimate"] == pytest.approx(np.log(ratio.estimate), rel=1e-9)
    assert line["lower"] == pytest.approx(np.log(ratio.lower), rel=1e-9)
    assert line["upper"] == pytest.approx(np.log(ratio.upper), rel=1e-9)
    assert f"{term} missing against {X['dose'].median():.4g}" in str(model.summary())


def test_gaps_at_random_in_a_column_with_a_long_tail_have_no_effect():
    found, against_zero = [], []
    for seed in range(10):
        data = simulate(1, n0=800, n=1600, random_state=seed)
        gaps = np.random.default_rng(seed).random(1600) < 0.25
        X = data.X[["x1", "x2", "x3"]].assign(x1=np.where(gaps, np.nan, np.exp(4.0 * data.X["x1"])))
        terms = [s("x1", missing="effect", scale="linear"), s("x2"), s("x3")]
        model = PUGAM(terms, n_starts=4, shrinkage="never").fit(X, data.z)
        found.append(model.summary().linear["z"].iloc[0])
        alone = model.effect("x1", [np.nan], center="range").iloc[0]
        against_zero.append(alone["u"] / alone["se"])

    # Ten standard normal numbers: their mean square is above 2.5 with probability 0.006.
    assert np.mean(np.square(found)) < 2.5
    # The mean of the curve over the range is far from where the rows are: against it every gap counts.
    assert np.mean(np.square(against_zero)) > 5.0


def test_a_level_called_missing_is_compared_to_nothing(X, z):
    group = np.where(np.arange(len(z)) % 3 == 0, "missing", np.where(np.arange(len(z)) % 3 == 1, "a", "b"))
    text = str(PUGAM("s(age) + f(group)", n_starts=3).fit(X.assign(group=group), z).summary())

    assert re.search(r"f\(group\) missing +-?\d", text)


def test_a_summary_has_one_level(model):
    halfway = model.pi_interval(0.5)

    assert model.summary(interval=halfway).linear.equals(model.summary(0.5).linear)
    with pytest.raises(InputError, match=r"The interval has the level 0.5, but level=0.9 was asked for; give one"):
        model.summary(0.9, halfway)


def test_a_smooth_term_with_missing_values_has_only_those_among_the_linear(X, z):
    summary = PUGAM("s(age) + s(dose, missing='effect')", n_starts=3).fit(X, z).summary()

    assert summary.linear[["term", "level"]].to_numpy().tolist() == [["s(dose)", "missing"]]
    assert summary.smooth["term"].tolist() == ["s(age)", "s(dose)"]
    assert len(summary.factors) == 0


@pytest.mark.parametrize("which", ["model", "mode"])
def test_factors_have_their_joint_test(request, which):
    model = request.getfixturevalue(which)
    rows = model.summary().factors.set_index("term")

    assert rows.index.tolist() == ["f(site)", "f(group)"]
    for term in rows.index:
        test = model.test(term)
        assert rows.loc[term].tolist() == [test.df, test.statistic, test.pvalue]
        assert test.pvalue == pytest.approx(chi2.sf(test.statistic, 2), rel=1e-9)


def test_an_interval_made_before_is_the_one_shown(model):
    profile = model.pi_interval(0.9, "profile")
    shown = model.summary(0.9, profile)
    overall = shown.model.set_index("quantity")["value"]

    assert f"pi = {profile}" in str(shown)
    assert overall[["pi_lower", "pi_upper", "level"]].tolist() == [profile.lower, profile.upper, 0.9]


# Text


def test_the_text_says_what_was_fitted_to_what(model, summary):
    text = str(summary)

    assert f"log g(x)/h(x) = alpha + {model.formula_}" in text
    assert "labelled positives n0 = 350, unlabelled n1 = 550" in text
    assert f"pi = {model.pi_interval()}" in text
    assert f"share among all rows {model.prevalence_:.3f}" in text
    assert f"share of positives labelled {model.label_frequency_:.3f}" in text
    assert f"log-likelihood {model.loglik_:.2f} on {model.edf_:.1f} effective degrees of freedom" in text
    assert f"AIC {model.aic_:.2f}" in text
    assert f"pi by marginal likelihood, prior on pi weak; pugam {__version__}" in text
    assert text == repr(summary)


def test_the_text_says_how_the_mode_was_found(mode):
    text = str(mode.summary())

    assert "smoothing reml, solver newton, prior on pi weak, bias of smoothing taken out of pi" in text


@pytest.mark.parametrize("which", ["model", "mode"])
def test_all_degrees_of_freedom_are_short(request, which):
    text = str(request.getfixturevalue(which).summary())

    joint = text[text.index("all levels together") :]
    assert all(re.fullmatch(r"[0-9.]{1,4}", line_of(joint, term)[0]) for term in ("f(site)", "f(group)"))


def test_numbers_in_the_text_are_those_of_the_frames(summary):
    text = str(summary)

    for row in summary.smooth.to_dict("records"):
        edf, df, statistic, p, *_ = line_of(text, row["term"])
        assert (float(edf), float(df)) == (round(row["edf"], 2), round(row["ref_df"], 2))
        assert float(statistic) == round(row["statistic"], 2)
        assert float(p) == pytest.approx(row["pvalue"], rel=5e-3)
    for row in summary.linear.to_dict("records"):
        against = r" against \S+" if (row["term"], row["level"]) == ("l(dose)", "missing") else ""
        estimate, se, z_value, p, *_ = line_of(text, f"{row['term']} {row['level']}".rstrip(), against)
        assert len(estimate.partition(".")[2]) == len(se.partition(".")[2]) >= 2
        rounding = 0.5 * 10.0 ** -len(se.partition(".")[2])
        assert float(estimate) == pytest.approx(row["estimate"], abs=1.001 * rounding)
        assert float(se) == pytest.approx(row["se"], abs=1.001 * rounding)
        assert float(z_value) == pytest.approx(row["z"], abs=0.005)
        assert float(p) == pytest.approx(row["pvalue"], rel=5e-3)
    joint = text[text.index("all levels together") :]
    for row in summary.factors.to_dict("records"):
        df, statistic, p, *_ = line_of(joint, row["term"])
        assert float(df) == pytest.approx(row["df"], rel=5e-3)
        assert float(statistic) == round(row["statistic"], 2)
        assert float(p) == pytest.approx(row["pvalue"], rel=5e-3)


def test_stars_mark_small_pvalues(summary):
    text = str(summary)
    lines = [line for line in text.splitlines() if re.match(r"  [slf]\(", line)]

    marks = {}
    for line in lines:
        last = line.split()[-1]
        mark = last if set(last) <= {"*", "."} else ""
        p = line.split()[-2] if mark else last
        marks.setdefault(mark, []).append(float(p))
    assert max(marks["***"]) < 0.001
    assert all(0.001 <= p < 0.01 for p in marks.get("**", []))
    assert all(0.01 <= p < 0.05 for p in marks["*"])
    assert min(marks[""]) >= 0.1
    assert "0 '***' 0.001 '**' 0.01 '*' 0.05 '.' 0.1" in text


def test_headings_stand_for_the_kinds_of_terms_there_are(X, z, summary):
    lines = PUGAM("age + weight", n_starts=2).fit(X, z).summary()
    smooths = PUGAM("s(age) + s(weight)", n_starts=2).fit(X, z).summary()

    headings = ("Smooth terms", "Linear terms", "Factors, all levels")
    assert [heading in str(summary) for heading in headings] == [True, True, True]
    assert [heading in str(lines) for heading in headings] == [False, True, False]
    assert [heading in str(smooths) for heading in headings] == [True, False, False]


def test_the_level_is_that_of_the_interval(model):
    summary = model.summary(level=0.8)

    interval = model.pi_interval(0.8)
    assert f"pi = {interval}" in str(summary)
    assert "80% interval" in str(summary)
    assert summary.model["value"].tolist()[1:4] == [interval.lower, interval.upper, 0.8]


def test_a_fixed_pi_is_called_fixed(X, z):
    summary = PUGAM("s(age) + weight", pi=0.3, n_starts=2).fit(X, z).summary()

    assert "pi = 0.300 (fixed)" in str(summary)
    assert summary.model["value"].tolist()[:3] == [0.3, 0.3, 0.3]


def test_given_smoothing_the_papers_estimate_and_no_prior_are_named(X, z):
    summary = PUGAM("s(age) + weight", smoothing=0.1, pi_prior=None, debias=False, n_starts=2).fit(X, z).summary()

    assert "smoothing given, solver newton, prior on pi none, penalised estimate of pi" in str(summary)
    assert summary.smooth["smoothing"].tolist() == [0.1]


def test_tiny_pvalues_are_bounded():
    rng = np.random.default_rng(5)
    y = np.repeat([1, 0], [3500, 2500])
    frame = pd.DataFrame({"a": rng.normal(1.5 * y, 1.0), "b": rng.normal(1.5 * y, 1.0)})

    summary = PUGAM("a + s(b)", pi=0.3, n_starts=2).fit(frame, (np.arange(6000) < 2430).astype(int)).summary()

    assert summary.linear["pvalue"][0] < 1e-16
    assert line_of(str(summary), "l(a)")[-3:] == ["<", "1e-16", "***"]
    assert line_of(str(summary), "s(b)")[-3:] == ["<", "1e-16", "***"]


def test_columns_of_few_numbers_that_became_curves_are_named_once(rows_of_few_values):
    X, z = rows_of_few_values
    chosen, named = PUGAM(check=False).fit(X, z), PUGAM("s(x1) + s(three, k=3) + s(five, k=5)", check=False).fit(X, z)

    said = (
        "three, five have at most 5 distinct values and became curves through them; f(three) gives each value its own"
    )
    assert str(chosen.summary()).count("distinct values") == str(chosen.summary()).count(said) == 1
    assert "distinct values" not in str(named.summary())
    alone = str(PUGAM(check=False).fit(X[["x1", "three", "six"]], z).summary())
    assert "three has at most 5 distinct values and became a curve through them; f(three) gives" in alone


@pytest.fixture(scope="module")
def rows_of_few_values():
    data = simulate(1, n0=300, n=600, random_state=0)
    numbers = np.arange(600)
    return data.X[["x1"]].assign(three=numbers % 3, five=numbers % 5, six=numbers % 6, two=numbers % 2), data.z


@pytest.mark.parametrize(
    ("errors", "cells"),
    [
        ([0.0521, 1.9], [("-0.1862", "0.0521"), ("0.1940", "1.9000")]),
        ([0.0, 0.34], [("0.000", "0.000"), ("0.194", "0.340")]),
        ([250.0, 31.0], [("-0.2", "250.0"), ("0.2", "31.0")]),
        ([3e-7, 0.34], [("-0.186", "3e-07"), ("0.194", "0.340")]),
    ],
)
def test_slopes_and_their_errors_have_the_same_decimals(errors, cells):
    estimates = [-1.63e-13 if errors[0] == 0.0 else -0.1862, 0.194]
    decimals = _decimals(errors)

    assert [_aligned(estimate, se, decimals) for estimate, se in zip(estimates, errors, strict=True)] == cells


def test_an_estimate_on_the_boundary_is_warned_of(X, z):
    with pytest.warns(PugamWarning, match="boundary"):
        model = PUGAM("s(age) + weight", pi=(0.05, 0.1), n_starts=2).fit(X, z)

    summary = model.summary()

    assert summary.warnings == ("The estimate of pi lies on the boundary of its range: see diagnose().",)
    assert str(summary).endswith("! The estimate of pi lies on the boundary of its range: see diagnose().")


def test_a_sound_fit_has_no_warnings(summary):
    assert summary.warnings == ()
    assert "!" not in str(summary)


def test_parameters_set_after_the_fit_are_not_those_of_the_fit(X, z):
    model = PUGAM("s(age) + weight", smoothing=0.1, pi_prior=(3, 2), n_starts=2).fit(X, z)
    before = str(model.summary())

    model.set_params(pi_prior=None)

    assert "prior on pi (3, 2)" in before
    assert str(model.summary()) == before
