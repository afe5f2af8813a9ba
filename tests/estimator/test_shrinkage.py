"""`shrinkage=`: when curves are shrunken, what comes out of every method then, and what is said about it."""

import io
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib import pyplot as plt
from sklearn.base import clone

import pugam
from pugam import PUGAM, InputError, PugamWarning
from pugam.likelihood import logit

N0, N1, PI = 60, 120, 0.3
N_COLUMNS = 6
FORMULA = "s(x0) + s(x1) + x2 + x3 + x4 + x5"


def draw(n0=N0, n1=N1, n_columns=N_COLUMNS, seed=0, shift=2.0):
    """Normal columns of which the first two tell positives from negatives; rows in random order."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([1, 0], [n0 + round(PI * n1), n1 - round(PI * n1)]))
    X = rng.normal(size=(n0 + n1, n_columns))
    X[:, :2] += shift * y[:, None]
    z = np.isin(np.arange(n0 + n1), rng.choice(np.flatnonzero(y), n0, replace=False)).astype(int)
    return pd.DataFrame(X, columns=[f"x{number}" for number in range(n_columns)]), z


def without_signal():
    """Every row three times, once labelled: exactly as many labelled rows wherever one looks."""
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=["x0", "x1", "x2"])
    return pd.concat([X, X, X], ignore_index=True), np.repeat([1, 0, 0], 60)


@pytest.fixture(scope="module")
def rows():
    return draw()


@pytest.fixture(scope="module")
def model(rows):
    return PUGAM(FORMULA).fit(*rows)


@pytest.fixture(scope="module")
def resamples(model):
    return model.bootstrap(4)


@pytest.fixture(scope="module")
def diagnosis(model):
    return model.diagnose()


@pytest.fixture
def figure():
    yield
    plt.close("all")


@pytest.mark.filterwarnings("ignore:The terms separate")
def test_few_rows_for_the_columns_are_a_reason_to_shrink(model, rows):
    assert model.shrinkage_ in (0.3, 3.0, 30.0)
    assert model.smoothing_ == {}
    assert model.starts_ == []
    assert PUGAM(FORMULA, shrinkage="never").fit(*rows).shrinkage_ is None


def test_rows_enough_and_a_determined_pi_are_none():
    X, z = draw(200, 400, 3, shift=1.5)

    fitted = PUGAM("s(x0) + s(x1) + x2").fit(X, z)

    assert fitted.shrinkage_ is None
    assert set(fitted.smoothing_) == {"x0", "x1"}
    assert PUGAM("s(x0) + s(x1) + x2", shrinkage="always").fit(X, z).shrinkage_ is not None


@pytest.mark.filterwarnings("ignore::pugam.PugamWarning")
def test_separated_classes_are_a_reason_to_shrink_the_mode():
    X, z = draw(100, 200, 3, shift=12.0)

    fitted = PUGAM("x0 + x1 + x2", estimate="mode").fit(X, z)

    assert fitted.shrinkage_ is not None
    assert fitted.pi_ == pytest.approx(PI, abs=0.05)


def test_few_rows_in_doubt_are_a_reason_to_shrink_the_mode_and_not_few_rows_as_such():
    # Normal classes 3 standard deviations apart in each of two columns leave about one row in 30 in doubt.
    few, many = draw(60, 120, 3, shift=3.0), draw(900, 1800, 3, shift=3.0)

    assert PUGAM("x0 + x1 + x2", estimate="mode").fit(*few).shrinkage_ is not None
    assert PUGAM("x0 + x1 + x2", estimate="mode").fit(*many).shrinkage_ is None


@pytest.mark.filterwarnings("ignore::pugam.PugamWarning")
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2))])
def test_an_interval_that_says_little_is_a_reason_to_shrink_the_mode(seed):
    X, z = draw(150, 300, 3, seed=seed, shift=0.9)
    widths = {}
    for shrinkage in ("never", "always", "auto"):
        fitted = PUGAM("x0 + x1 + x2", shrinkage=shrinkage, estimate="mode").fit(X, z)
        interval = fitted.pi_interval()
        widths[shrinkage] = interval.upper - interval.lower

    assert widths["auto"] == widths["always" if widths["never"] > 0.5 else "never"]


@pytest.mark.filterwarnings("ignore::pugam.PugamWarning")
def test_a_share_that_is_not_determined_is_a_reason_to_shrink_the_mode_unless_it_is_fixed():
    X, z = without_signal()

    assert PUGAM("x0 + x1 + x2", estimate="mode").fit(X, z).shrinkage_ is not None
    assert PUGAM("x0 + x1 + x2", pi=0.3).fit(X, z).shrinkage_ is None


@pytest.mark.filterwarnings("ignore::pugam.PugamWarning")
@pytest.mark.parametrize(
    ("n_linear", "shifts"),
    [(1, [2.0]), *(pytest.param(number, (0.0, 2.0, 12.0), marks=pytest.mark.long) for number in (1, 3, 5))],
)
@pytest.mark.parametrize("short", [0, 1])
def test_by_marginal_likelihood_fewer_than_twenty_rows_for_each_column_are_the_only_reason(n_linear, shifts, short):
    # A line has one column that smoothing does not restrain, a smooth its straight part; whatever rows say of pi.
    formula = " + ".join(["s(x0)", *(f"x{number + 1}" for number in range(n_linear))])
    for shift in shifts:
        X, z = draw(20 * (n_linear + 1) - short, 300, N_COLUMNS, shift=shift)
        assert (PUGAM(formula).fit(X, z).shrinkage_ is not None) == bool(short)


@pytest.mark.filterwarnings("ignore::pugam.PugamWarning")
@pytest.mark.parametrize(
    "settings", [{"smoothing": "aic", "kappas": [1e-2]}, {"smoothing": 1e-2}, {"smoothing": {"x0": 1e-2, "x1": 1e-2}}]
)
def test_auto_does_not_touch_a_smoothing_of_ones_own_choice(rows, settings):
    fitted = PUGAM(FORMULA, n_starts=3, **settings).fit(*rows)

    assert fitted.shrinkage_ is None


@pytest.mark.filterwarnings("ignore")
def test_the_settings_of_the_paper_never_shrink(rows):
    X, z = rows

    assert PUGAM.paper().shrinkage == "never"
    assert PUGAM.paper(terms="x0 + x1", n_starts=2, kappas=[1.0], smoothing="reml").fit(X, z).shrinkage_ is None


@pytest.mark.parametrize("shrinkage", ["sometimes", None, True, 3.0])
def test_another_word_is_refused(rows, shrinkage):
    with pytest.raises(InputError, match=r"shrinkage is 'auto', 'always', 'never'; got "):
        PUGAM(FORMULA, shrinkage=shrinkage).fit(*rows)


def test_the_parameter_is_kept_by_a_clone():
    original = PUGAM(FORMULA, shrinkage="always")

    assert clone(original).get_params() == original.get_params()
    assert clone(original).shrinkage == "always"


def test_posteriors_are_probabilities_that_average_about_pi(model, rows):
    X, z = rows

    posterior = model.predict_proba(X)

    assert ((posterior >= 0.0) & (posterior <= 1.0)).all()
    assert posterior[z == 0, 1].mean() == pytest.approx(model.pi_, abs=0.1)
    assert np.isfinite(model.score(X, z))


def test_a_fixed_share_stays(rows):
    fitted = PUGAM(FORMULA, pi=0.4).fit(*rows)

    assert fitted.shrinkage_ is not None
    assert (fitted.pi_, fitted.pi_penalized_) == (pytest.approx(0.4, abs=1e-12),) * 2
    assert fitted.pi_interval().method == "fixed"
    assert not fitted.covariance()[0].any()
    assert fitted.diagnose().verdict == "fixed"
    assert "curves shrunk (ridge " in str(fitted.summary())
    assert "curves shrunk (ridge 3), pi fixed; pugam" in str(fitted.summary())


def test_a_bounded_share_stays_within_its_bounds(rows):
    with pytest.warns(PugamWarning, match="boundary of the range you gave"):
        fitted = PUGAM(FORMULA, pi=(0.6, 0.9)).fit(*rows)

    assert fitted.pi_ == 0.6
    assert fitted.at_boundary_
    for method in ("wald", "profile"):
        interval = fitted.pi_interval(method=method)
        assert interval.lower == 0.6
        assert interval.upper <= 0.9


@pytest.mark.long
def test_weights_that_are_all_equal_change_only_how_much_rows_say(rows):
    X, z = rows
    single, double = (
        PUGAM(FORMULA, estimate="mode").fit(X, z, sample_weight=np.full(len(z), weight)) for weight in (1.0, 2.0)
    )

    # Priors and ridge count for less; a row and its copy stay in one fold, as two rows of the table would not.
    assert (double.n0_, double.n1_) == (2 * N0, 2 * N1)
    assert double.pi_ == pytest.approx(single.pi_, abs=0.1)
    ratio = double._fit.adjustment.logit_variance / single._fit.adjustment.logit_variance
    assert 0.25 < ratio < 1.0


@pytest.mark.long
def test_weights_of_one_and_rows_of_weight_zero_change_nothing(model, rows):
    X, z = rows
    ones = PUGAM(FORMULA).fit(X, z, sample_weight=np.ones(len(z)))
    more = pd.concat([X, X.iloc[:30]])
    weights = np.repeat([1.0, 0.0], [len(z), 30])
    padded = PUGAM(FORMULA).fit(more, np.concatenate([z, z[:30]]), sample_weight=weights)

    for other in (ones, padded):
        assert other.pi_ == pytest.approx(model.pi_, abs=1e-6)
        np.testing.assert_allclose(other.coef_, model.coef_, atol=1e-5)


def test_factors_and_gaps_are_shrunken_too(rows):
    X, z = rows
    rng = np.random.default_rng(3)
    mixed = X.assign(site=rng.choice(list("abcdefgh"), len(z)), x3=np.where(rng.random(len(z)) < 0.2, np.nan, X["x3"]))

    fitted = PUGAM("s(x0) + s(x1) + x2 + f(site) + s(x3, missing='effect')").fit(mixed, z)

    assert fitted.shrinkage_ is not None
    assert fitted._design.n_columns == 6 + 6 + 1 + 7 + 7
    assert (fitted._design.ridge > 0.0).all()
    assert np.isfinite(fitted.predict_proba(mixed)).all()
    summary = fitted.summary()
    assert np.isfinite(summary.linear[["estimate", "se", "z", "pvalue"]].to_numpy(dtype=float)).all()
    assert list(summary.factors["term"]) == ["f(site)"]
    assert fitted.diagnose().ridge == fitted.shrinkage_


def test_a_loaded_model_predicts_the_same_and_given_its_rows_has_the_same_profile(model, diagnosis, rows, tmp_path):
    X, z = rows
    model.save(tmp_path / "model.json")

    loaded = pugam.load(tmp_path / "model.json")

    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert (loaded.shrinkage, loaded.shrinkage_) == (model.shrinkage, model.shrinkage_)
    assert loaded.pi_interval() == model.pi_interval()
    assert str(loaded.summary()) == str(model.summary())
    for kind in ("curves", "bayesian", "frequentist"):
        np.testing.assert_allclose(loaded.covariance(kind), model.covariance(kind), rtol=1e-12)
    loaded.attach(X, z)
    again = loaded.diagnose()
    np.testing.assert_allclose(again.profile_pi, diagnosis.profile_pi, atol=1e-6)
    np.testing.assert_allclose(again.profile_deviance, diagnosis.profile_deviance, atol=1e-6)
    assert str(again) == str(diagnosis)


@pytest.mark.filterwarnings("ignore::pugam.PugamWarning")
def test_a_variance_that_is_not_known_is_saved_and_loaded(tmp_path):
    fitted = PUGAM("x0 + x1 + x2", estimate="mode").fit(*without_signal())
    assert fitted._fit.adjustment.logit_variance == np.inf

    fitted.save(tmp_path / "model.json")

    loaded = pugam.load(tmp_path / "model.json")
    assert loaded._fit.adjustment.logit_variance == np.inf
    assert (loaded.pi_interval().lower, loaded.pi_interval().upper) == (0.0, 1.0)


@pytest.mark.parametrize("estimate", ["marginal", pytest.param("mode", marks=pytest.mark.long)])
def test_features_of_no_use_leave_pi_open_and_are_not_said_to_separate_the_classes(estimate):
    with pytest.warns(PugamWarning) as caught:
        fitted = PUGAM("x0 + x1 + x2", estimate=estimate).fit(*without_signal())

    assert ["say little about pi" in str(one.message) for one in caught] == [True]
    assert fitted.diagnose().verdict == "not determined"


def test_a_pickled_model_predicts_the_same(model, rows):
    X, _ = rows

    again = pickle.loads(pickle.dumps(model))

    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.pi_interval() == model.pi_interval()


@pytest.mark.long
def test_refits_to_resamples_spread_about_as_the_standard_error_says(model):
    # The standard deviation of 20 refits has a relative error of 0.16; a factor of three allows for few rows.
    resamples = model.bootstrap(20)
    error = np.sqrt(model._fit.adjustment.logit_variance)

    assert resamples.n_failed == 0
    assert 1.0 / 3.0 < np.std(logit(resamples.pi), ddof=1) / error < 3.0
    assert resamples.coef.shape == (20, len(model.coef_))
    for kind in ("percentile", "normal", "bca"):
        interval = resamples.interval(kind=kind)
        assert 0.0 <= interval.lower < interval.upper <= 1.0


def test_smoothing_chosen_anew_keeps_the_ridge(model):
    fixed, reselected = (model.bootstrap(2, smoothing=smoothing) for smoothing in ("fixed", "reselect"))

    np.testing.assert_array_equal(fixed.pi, reselected.pi)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::pugam.PugamWarning")
def test_a_bootstrap_of_three_labelled_rows_comes_to_an_end():
    X, z = draw(3, 40, 3)
    fitted = PUGAM("x0 + x1 + x2").fit(X, z)

    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        found = fitted.bootstrap(8)

    assert len(found.pi) == 8
    assert np.isfinite(found.coef).all()


@pytest.mark.filterwarnings("ignore::pugam.PugamWarning")
@pytest.mark.parametrize(
    ("n0", "n1"),
    [(1, 30), (30, 1), *(pytest.param(*rows, marks=pytest.mark.long) for rows in ((2, 30), (4, 30), (30, 3)))],
)
def test_a_handful_of_rows_of_a_label_is_enough_for_a_fit(n0, n1):
    rng = np.random.default_rng(0)
    z = np.repeat([1, 0], [n0, n1])
    X = pd.DataFrame(rng.normal(size=(n0 + n1, 3)) + z[:, None], columns=["x0", "x1", "x2"])

    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        fitted = PUGAM("x0 + x1 + x2").fit(X, z)

    assert 0.0 < fitted.pi_ < 1.0
    assert np.isfinite(fitted.covariance()).all()
    assert np.isfinite(fitted.predict_proba(X)).all()


def test_a_file_read_in_parts_gives_the_numbers_of_a_table(model, rows, tmp_path):
    X, z = rows
    X.assign(z=z).to_parquet(tmp_path / "rows.parquet")

    streamed = PUGAM(FORMULA, engine="stream").fit(tmp_path / "rows.parquet", "z")

    assert streamed.pi_ == pytest.approx(model.pi_, abs=1e-8)
    np.testing.assert_allclose(streamed.coef_, model.coef_, atol=1e-8)
    assert streamed.pi_interval(method="profile").upper == pytest.approx(
        model.pi_interval(method="profile").upper, abs=1e-6
    )


def test_a_polars_frame_gives_the_same_numbers_in_polars_frames(model, rows):
    X, z = rows

    fitted = PUGAM(FORMULA).fit(pl.DataFrame(X.to_dict("list")), z)

    assert fitted.pi_ == model.pi_
    assert isinstance(fitted.effect("x0"), pl.DataFrame)
    assert isinstance(fitted.summary().smooth, pl.DataFrame)


def test_the_summary_names_the_ridge_and_has_no_smoothing_parameters(model):
    summary = model.summary()

    ridge = f"curves shrunk (ridge {model.shrinkage_:g}), pi from held-out rows"
    assert str(summary).splitlines()[-1].startswith(f"{ridge}; prior on pi weak; pugam")
    assert list(summary.smooth["term"]) == ["s(x0)", "s(x1)"]
    assert summary.smooth["smoothing"].isna().all()
    assert np.isfinite(summary.smooth[["edf", "ref_df", "statistic", "pvalue"]].to_numpy(dtype=float)).all()
    assert list(summary.linear["term"]) == ["l(x2)", "l(x3)", "l(x4)", "l(x5)"]
    assert (summary.linear["se"] > 0.0).all()


def test_effects_have_finite_bands_and_odds_ratios_finite_limits(model, rows):
    X, _ = rows
    for term in ("x0", "x5"):
        for options in ({}, {"simultaneous": True}, {"derivative": True}, {"center": "rows"}):
            table = model.effect(term, **options).to_numpy(dtype=float)
            assert np.isfinite(table).all()
    assert (model.effect("x0")["se"] > 0.0).all()
    ratio = model.odds_ratio("x0", -1.0, 1.0)
    assert 0.0 < ratio.lower < ratio.estimate < ratio.upper < np.inf
    posterior = model.predict_interval(X)
    assert ((posterior["lower"] <= posterior["p_positive"]) & (posterior["p_positive"] <= posterior["upper"])).all()


@pytest.mark.parametrize("what", ["effects", "posterior"])
def test_the_model_can_be_drawn(model, figure, what):
    picture = io.BytesIO()

    model.plot(what).savefig(picture, dpi=40)

    assert picture.getvalue().startswith(b"\x89PNG")


def test_the_diagnosis_can_be_drawn_and_starts_are_refused_where_there_are_none(model, diagnosis, figure):
    assert [ax.get_title().split(",")[0] for ax in model.plot("diagnosis", diagnosis=diagnosis).axes] == [
        "profile",
        "calibration",
    ]
    model.plot("sensitivity", diagnosis=diagnosis)
    with pytest.raises(InputError, match="no starts to draw"):
        model.plot("starts", diagnosis=diagnosis)


def test_a_report_is_written(model, diagnosis, tmp_path):
    model.report(tmp_path / "report.html", diagnosis=diagnosis, progress=False)

    assert "<!doctype html>" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_diagnosis_names_the_ridge_and_holds_labels_against_rows_held_out(model, diagnosis, rows):
    assert diagnosis.ridge == model.shrinkage_
    assert diagnosis.leaning >= 1.0
    assert f"curves shrunk (ridge {model.shrinkage_:g})" in str(diagnosis)
    held = diagnosis.profile_interval
    assert held.lower < model.pi_ < held.upper
    assert diagnosis.calibration.weight.sum() == pytest.approx(N0 + N1)
    # Rows are of the model's own kind; with curves that know the labels the p-value would be next to zero.
    X, z = draw(100, 300, 40)
    many = PUGAM(" + ".join(X.columns), shrinkage="always").fit(X, z)
    assert many.diagnose().calibration.pvalue > 0.01


def test_a_model_with_pi_held_elsewhere_calls_more_rows_positive(model):
    held = model.sensitivity([0.1, model.pi_, 0.6])

    assert held.share_positive[0] < held.share_positive[2]
    np.testing.assert_allclose(held.coef[1], model.coef_, rtol=1e-2, atol=1e-2)
    assert (held.deviance >= 0.0).all()


@pytest.mark.parametrize("null", ["zero", "linear"])
def test_tests_of_terms_have_p_values(model, resamples, null):
    for tested in (model.test("x0", null=null), model.test("x0", "bootstrap", null, bootstrap=resamples)):
        assert 0.0 <= tested.pvalue <= 1.0
        assert np.isfinite(tested.statistic)
    assert model.test("x0").pvalue < 0.05 < model.test(["x4", "x5"]).pvalue


@pytest.mark.parametrize(("terms", "null"), [("x5", "zero"), (["x3", "x4"], "zero"), ("x1", "linear")])
def test_a_model_without_a_term_of_no_use_is_refitted_under_the_same_ridge(model, terms, null):
    tested = model.test(terms, null=null, refit=True)

    # Half a standard error: leaving noise out moves pi a little, losing the ridge would move it by far.
    error = 0.5 * np.sqrt(model._fit.adjustment.logit_variance)
    assert logit(tested.null_pi) == pytest.approx(logit(model.pi_), abs=error)
    assert np.isfinite(tested.null_loglik)


@pytest.mark.filterwarnings("ignore:The terms separate")
def test_a_talkative_fit_says_that_curves_were_shrunken(rows, capsys):
    fitted = PUGAM(FORMULA, verbose=1).fit(*rows)

    said = capsys.readouterr().out.splitlines()
    assert said[-1] == f"pugam: curves shrunk (ridge {fitted.shrinkage_:g}), pi from held-out rows"
    PUGAM(FORMULA, verbose=1, shrinkage="never").fit(*rows)
    assert "shrunken" not in capsys.readouterr().out
