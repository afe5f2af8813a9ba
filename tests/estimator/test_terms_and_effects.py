"""Terms in a model, and the effects and pictures that come of them."""

import io
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.integrate import trapezoid

from pugam import PUGAM, InputError, PugamWarning, f, l, s, te

TIGHT = {"tol": 1e-10}
FRAMES = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
}


# Terms


def test_a_formula_and_a_list_are_the_same_model(mixed, z):
    formula = PUGAM("s(x1, k=6) + l(x2) + f(site) + x3", smoothing=0.1).fit(mixed, z)
    listed = PUGAM([s("x1", k=6), l("x2"), f("site"), l("x3")], smoothing=0.1).fit(mixed, z)
    both = PUGAM(["s(x1, k=6) + x2", f("site"), "l(x3)"], smoothing=0.1).fit(mixed, z)

    assert formula.terms_ == listed.terms_ == both.terms_
    assert formula.pi_ == listed.pi_ == both.pi_
    np.testing.assert_array_equal(formula.predict_proba(mixed), listed.predict_proba(mixed))


def test_terms_are_chosen_from_the_columns(mixed, z):
    table = mixed.drop(columns="dose").assign(count=np.arange(len(mixed)) % 4, flag=mixed["x1"] > 0.5, same=1.0)

    with pytest.warns(PugamWarning, match=r"constant.*same"):
        model = PUGAM().fit(table, z)

    # Whether logarithms are better is found out in the fit.
    assert [replace(term, scale="auto") if hasattr(term, "scale") else term for term in model.terms_] == [
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
    levels = PUGAM([s("x1"), f("site")], smoothing=0.1).fit(mixed, z).effect("site", center="range")

    assert list(levels["x"]) == ["east", "north", "south"]
    assert levels["u"].sum() == pytest.approx(0.0, abs=1e-10)
    assert levels["u"].abs().max() > 0.1


def test_numeric_codes_may_be_a_factor(mixed, z):
    codes = mixed["site"].map({"east": 10, "north": 20, "south": 30})
    by_name = PUGAM([s("x1"), f("site")], smoothing=0.1).fit(mixed, z)
    by_code = PUGAM([s("x1"), f("site")], smoothing=0.1).fit(mixed.assign(site=codes), z)

    assert by_code.pi_ == pytest.approx(by_name.pi_, abs=1e-12)
    np.testing.assert_allclose(by_code.effect("site")["u"], by_name.effect("site")["u"], rtol=0, atol=1e-9)
    np.testing.assert_array_equal(by_code.effect("site")["x"], [10, 20, 30])


def test_an_unseen_level_has_a_zero_effect_on_request(mixed, z):
    model = PUGAM([s("x1"), f("site", unseen="zero")], smoothing=0.1).fit(mixed, z)
    expected = model.alpha_ + np.asarray(model.effect("x1", grid=mixed["x1"], center="range")["u"])

    np.testing.assert_allclose(model.log_density_ratio(mixed.assign(site="west")), expected, rtol=0, atol=1e-10)


def test_an_unseen_level_is_refused_by_default(mixed, z):
    model = PUGAM([s("x1"), f("site")], smoothing=0.1).fit(mixed, z)
    mixed = mixed.copy()
    mixed.loc[7, "site"] = "west"

    with pytest.raises(InputError, match=r"f\(site\).*'west' in row 7.*unseen=\"zero\""):
        model.predict_proba(mixed)


def test_missing_numbers_with_an_effect_are_a_line_and_an_indicator(mixed, z):
    absent = mixed["dose"].isna()
    middle = (mixed["dose"].min() + mixed["dose"].max()) / 2
    by_hand = mixed.assign(dose=mixed["dose"].fillna(middle), absent=absent.astype(int))
    model = PUGAM([s("x1"), l("dose", missing="effect")], estimate="mode", **TIGHT).fit(mixed, z)
    expected = PUGAM("s(x1) + dose + absent", estimate="mode", **TIGHT).fit(by_hand, z)

    assert model.pi_ == pytest.approx(expected.pi_, abs=1e-6)
    assert model.loglik_ == pytest.approx(expected.loglik_, abs=1e-7)
    np.testing.assert_allclose(model.predict_proba(mixed), expected.predict_proba(by_hand), rtol=0, atol=1e-5)


def test_missing_text_with_an_effect_is_one_more_level(mixed, z):
    gaps = mixed["site"].mask(mixed["site"] == "south", None)
    model = PUGAM([s("x1"), f("site", missing="effect")], estimate="mode", **TIGHT).fit(mixed.assign(site=gaps), z)
    expected = PUGAM([s("x1"), f("site")], estimate="mode", **TIGHT).fit(mixed, z)

    assert model.pi_ == pytest.approx(expected.pi_, abs=1e-6)
    np.testing.assert_allclose(
        model.predict_proba(mixed.assign(site=gaps)), expected.predict_proba(mixed), rtol=0, atol=1e-5
    )


def test_missing_numbers_are_a_line_and_an_indicator_under_priors_too(mixed, z):
    absent = mixed["dose"].isna()
    middle = (mixed["dose"].min() + mixed["dose"].max()) / 2
    by_hand = mixed.assign(dose=mixed["dose"].fillna(middle), absent=absent.astype(int))
    model = PUGAM([s("x1"), l("dose", missing="effect")]).fit(mixed, z)
    # A column with gaps is in no pair that is looked at, one without them might be.
    expected = PUGAM("s(x1) + dose + absent", interactions=None).fit(by_hand, z)

    # The summit is found to a thousandth of the width or so where nothing but the intercept is coded otherwise.
    width = expected.pi_interval().upper - expected.pi_interval().lower
    assert model.pi_ == pytest.approx(expected.pi_, abs=2e-3 * width)
    np.testing.assert_allclose(model.predict_proba(mixed), expected.predict_proba(by_hand), rtol=0, atol=2e-3)


def test_priors_hardly_depend_on_which_contrasts_levels_are_coded_by(mixed, z):
    # Contrasts of levels with unequal numbers of rows have unequal prior variances: one of two codings is as good. The
    # summit is found where the evidence is at most 0.01 below the highest seen, which is 0.036 of the width.
    gaps = mixed["site"].mask(mixed["site"] == "south", None)
    expected = PUGAM([s("x1"), f("site")]).fit(mixed, z)
    width = expected.pi_interval().upper - expected.pi_interval().lower

    missing = PUGAM([s("x1"), f("site", missing="effect")]).fit(mixed.assign(site=gaps), z)
    renamed = PUGAM([s("x1"), f("site")]).fit(mixed.replace({"site": {"north": "a", "south": "b", "east": "c"}}), z)

    assert missing.pi_ == pytest.approx(expected.pi_, abs=0.05 * width)
    assert renamed.pi_ == pytest.approx(expected.pi_, abs=0.05 * width)


def test_missing_values_of_a_smooth_term_have_their_own_effect(mixed, z):
    model = PUGAM([s("dose", missing="effect"), s("x1")], smoothing=0.1).fit(mixed, z)
    frame = model.effect("dose", center="range")
    rows = mixed[mixed["dose"].isna()]
    other = model.effect("x1", grid=rows["x1"], center="range")
    expected = model.alpha_ + frame["u"].iloc[-1] + np.asarray(other["u"])

    assert np.isnan(frame["x"].iloc[-1])
    assert frame["x"].iloc[:-1].notna().all()
    np.testing.assert_allclose(model.log_density_ratio(rows), expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_missing_values_are_read_from_every_library(mixed, z, make):
    gaps = mixed.assign(site=mixed["site"].mask(mixed["site"] == "south", None))
    terms = [s("dose", missing="effect"), f("site", missing="effect"), l("x1")]
    model = PUGAM(terms, smoothing=0.1).fit(make(gaps), z)

    assert model.pi_ == PUGAM(terms, smoothing=0.1).fit(gaps, z).pi_
    assert model.predict_proba(make(gaps)).shape == (len(z), 2)


def test_a_gap_that_the_fit_never_saw_is_refused(X, z):
    model = PUGAM([s("x1", missing="effect"), s("x2")], smoothing=0.1).fit(X, z)

    with pytest.raises(InputError, match=r"s\(x1\).*missing value.*row 0.*the fit saw none"):
        model.predict_proba(X.assign(x1=np.nan))


def test_gaps_in_a_column_without_a_term_do_not_matter(mixed, z):
    assert (
        PUGAM("s(x1) + s(x2)", smoothing=0.1).fit(mixed, z).pi_
        == PUGAM("s(x1) + s(x2)", smoothing=0.1).fit(mixed[["x1", "x2"]], z).pi_
    )


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


def test_an_effect_integrates_to_zero_over_the_range_on_request(model):
    for name in ("x1", "x2", "x3"):
        frame = model.effect(name, center="range")
        scale = model._design.bases[model._number(name)].scale
        x = np.asarray(frame["x"]) if scale is None else scale(np.asarray(frame["x"]))
        mean = trapezoid(frame["u"], x) / np.ptp(x)

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


@pytest.mark.parametrize("ask", ["effect", "test", "odds_ratio"])
@pytest.mark.parametrize("several", ["s(x1) + s(x2)", "s(x1) + s(nonsense)"])
def test_several_terms_are_refused_where_one_is_asked_for(model, ask, several):
    values = (0.2, 0.4) if ask == "odds_ratio" else ()
    with pytest.raises(InputError, match=r"names 2 terms where one is asked for; its terms are s\(x1\), s\(x2\), s"):
        getattr(model, ask)(several, *values)


@pytest.mark.parametrize("other", ["s(x1, k=99)", s("x1", k=99), "s(x1, k=99, missing='effect')"])
def test_a_term_of_other_options_than_the_models_is_refused(model, other):
    with pytest.raises(
        InputError, match=r"no term s\(x1, k=99.*\) in the model, but s\(x1\); its terms are s\(x1\), s"
    ):
        model.effect(other)


def test_a_term_is_found_by_the_options_it_was_asked_for_with_or_none(X, z):
    fitted = PUGAM("s(x1, k=6) + te(x2, x3, k=(4, 3))", smoothing=0.1, check=False).fit(X, z)

    names = "x1", "s(x1)", "s( x1 )", "s(x1, k=6)", s("x1"), s("x1", k=6), fitted.terms_[0]
    for name in names:
        assert fitted.effect(name).equals(fitted.effect("x1"))
    for name in ("te(x2,x3)", "te(x2, x3, k=(4, 3))", te("x2", "x3"), te(s("x2", k=4), s("x3", k=3))):
        assert fitted.test(name) == fitted.test("te(x2, x3)")
    with pytest.raises(InputError, match=r"no term te\(x2, x3, k=\(5, 3\)\) in the model, but te\(x2, x3, k=\(4"):
        fitted.test(te("x2", "x3", k=(5, 3)))


def test_a_value_beside_two_sets_of_values_is_refused(model):
    with pytest.raises(InputError, match=r"Two sets of values are compared.*leave out 0\.5"):
        model.odds_ratio({"x1": 0.2}, {"x1": 0.4}, 0.5)


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
    model = PUGAM("s(x1) + l(x2) + f(site) + s(x3) + s(dose, missing='effect')", smoothing=0.1).fit(mixed, z)
    figure = model.plot(order="formula")
    panels = [ax for ax in figure.axes if ax.get_visible()]
    picture = io.BytesIO()
    figure.savefig(picture)

    assert type(figure).__module__ == "matplotlib.figure"
    assert [ax.get_title() for ax in panels] == ["s(x1)", "l(x2)", "f(site)", "s(x3)", "s(dose)"]
    assert [label.get_text() for label in panels[2].get_xticklabels()] == ["east", "north", "south"]
    assert picture.getvalue().startswith(b"\x89PNG")


NUMBERS = ["contribution", "se", "lower", "upper"]
CENTRED = {
    "s(x1)": ["x1"],
    "f(site)": ["site"],
    "s(dose)": ["dose"],
    "ti(x1, x2)": ["x1", "x2"],
    "site:old": ["site", "old"],
}


@pytest.fixture(scope="module")
def centred(mixed, z):
    formula = "s(x1) + s(x2) + f(site) + s(dose, missing='effect') + ti(x1, x2, k=4) + site:old"
    return PUGAM(formula, smoothing=0.01, estimate="mode").fit(mixed, z)


def test_a_picture_shows_the_effects(model):
    ax = next(ax for ax in model.plot().axes if ax.get_title() == "s(x2)")
    frame = model.effect("x2")
    curves = [line.get_xydata() for line in ax.lines if len(line.get_xydata()) == len(frame)]

    np.testing.assert_array_equal(curves[0], frame[["x", "u"]].to_numpy())


def test_effects_of_all_kinds_of_terms_have_mean_zero_over_the_unlabelled_rows(centred, mixed, z):
    unlabelled = mixed[z == 0]

    for term, columns in CENTRED.items():
        u = centred.effect(term, unlabelled[columns] if len(columns) > 1 else unlabelled[columns[0]])["u"]
        assert np.mean(u) == pytest.approx(0.0, abs=1e-9)


def test_effects_are_what_explain_and_the_summary_say(centred, mixed, z):
    row = mixed[z == 0].tail(1)
    explained = centred.explain(row).set_index("term")
    levels = centred.summary().linear.set_index(["term", "level"])

    for term, columns in CENTRED.items():
        own = centred.effect(term, row[columns] if len(columns) > 1 else row[columns[0]]).iloc[0]
        np.testing.assert_allclose(own[["u", *NUMBERS[1:]]].to_list(), list(explained.loc[term, NUMBERS]))
    shown = centred.effect("site").set_index("x")
    own = levels.loc["f(site)"]
    np.testing.assert_allclose(own[["estimate", "se"]].to_numpy(), shown.loc[own.index, ["u", "se"]].to_numpy())


def test_both_ways_to_centre_differ_by_a_constant(model, mixed):
    shift = model.effect("x1", mixed["x1"])["u"] - model.effect("x1", mixed["x1"], center="range")["u"]

    assert np.ptp(shift) == pytest.approx(0.0, abs=1e-9)
    assert abs(shift[0]) > 0.1
    with pytest.raises(InputError, match="center is 'rows' or 'range'"):
        model.effect("x1", center="middle")
