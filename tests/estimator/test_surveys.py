"""Fits that know how a survey drew its rows: clusters, strata and sampling weights."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from pugam import PUGAM, load
from pugam.datasets import simulate
from pugam.errors import InputError, PugamWarning
from pugam.inference.findings import CurvesDiffer

LINEAR = {"smoothing": 0.0, "pi_prior": None, "debias": False, "estimate": "mode", "shrinkage": "never", "tol": 1e-10}
N_STRATA, PER_STRATUM, N_PEOPLE = 4, 10, 60


def make_survey(seed=0):
    """Clusters that differ in prevalence and in where their features lie, weights that depend on a feature."""
    rng = np.random.default_rng(seed)
    stratum = np.repeat(np.arange(N_STRATA), PER_STRATUM)
    share = rng.beta(6 * (0.3 + 0.1 * stratum), 6 * (0.7 - 0.1 * stratum))
    cluster = np.repeat(np.arange(len(stratum)), N_PEOPLE)
    y = rng.random(len(cluster)) < share[cluster]
    x = rng.normal(0, 0.4, size=(len(stratum), 3))[cluster] + rng.normal(size=(len(y), 3)) + 1.6 * y[:, None]
    chance = np.where(x[:, 0] > 1, 0.4, 1.0)
    rows = pd.DataFrame(x, columns=["a", "b", "c"]).assign(z=(y & (rng.random(len(y)) < 0.6)).astype(int))
    rows = rows.assign(weight=700 / chance, psu=cluster, region=stratum[cluster], year=2020 + cluster % 2)
    return rows[rng.random(len(y)) < chance].reset_index(drop=True)


@pytest.fixture(scope="module")
def survey():
    return make_survey()


def fit(rows, *roles, **settings):
    """A fit with these of the roles "weight", "psu" and "region"."""
    named = {"psu": "groups", "region": "strata", "year": "sample"}
    given = {named[role]: rows[role].to_numpy() for role in roles if role in named}
    weights = rows["weight"].to_numpy() if "weight" in roles else None
    return PUGAM(check=False, **settings).fit(rows[["a", "b", "c"]], rows["z"], weights, **given)


@pytest.fixture(scope="module")
def model(survey):
    return fit(survey, "weight", "psu", "region")


def width(found):
    """Of an interval, or of a table of them."""
    return found.upper - found.lower


@pytest.mark.parametrize(
    "settings",
    [{}, *(pytest.param({"estimate": "mode", **more}, marks=pytest.mark.long) for more in ({}, {"debias": False}))],
)
def test_rows_as_their_own_clusters_are_what_rows_are_without_a_survey(settings):
    """Empirical and expected variances of the score differ by a few percent at 2000 rows."""
    data = simulate(2, n0=800, n=2000, pi=0.4, random_state=1)
    plain = PUGAM(check=False, **settings).fit(data.X, data.z)
    rows = PUGAM(check=False, **settings).fit(data.X, data.z, groups=np.arange(2000))
    assert rows.pi_ == plain.pi_
    assert width(rows.pi_interval(model_error=False)) == pytest.approx(
        width(plain.pi_interval(model_error=False)), rel=0.05
    )
    errors = [np.sqrt(one.covariance().diagonal()) for one in (rows, plain)]
    assert np.median(errors[0] / errors[1]) == pytest.approx(1.0, abs=0.03)
    assert errors[0] == pytest.approx(errors[1], rel=0.12)


def test_rows_twice_in_clusters_of_two_say_what_they_say_once():
    data = simulate(1, n0=400, n=900, random_state=2)
    twice = np.repeat(np.arange(900), 2)
    once = PUGAM("x1 + x2 + x3", check=False, **LINEAR).fit(data.X, data.z, groups=np.arange(900))
    double = PUGAM("x1 + x2 + x3", check=False, **LINEAR).fit(data.X.iloc[twice], data.z[twice], groups=twice)
    assert double.pi_ == pytest.approx(once.pi_, rel=1e-7)
    for kind in ("curves", "bayesian", "frequentist"):
        assert double.covariance(kind) == pytest.approx(once.covariance(kind), rel=1e-5)
    assert width(double.pi_interval()) == pytest.approx(width(once.pi_interval()), rel=1e-5)
    assert double.test("x1").pvalue == pytest.approx(once.test("x1").pvalue, rel=1e-3)
    assert width(double.odds_ratio("x1", 0.4, 0.6)) == pytest.approx(width(once.odds_ratio("x1", 0.4, 0.6)), rel=1e-5)


@pytest.mark.parametrize("sample", [None, pytest.param(np.arange(1600) % 2, marks=pytest.mark.long)])
def test_a_large_design_effect_leaves_limits(sample):
    """Rows four times over: curves bend a little more freely, which moves limits by some hundredths."""
    data = simulate(2, n0=400, n=1600, random_state=0)
    rows = np.repeat(np.arange(1600), 4)
    model = PUGAM("s(x1) + s(x2) + s(x3)", check=False, interactions=None)
    once = clone(model).fit(data.X, data.z, sample=sample)
    samples = None if sample is None else sample[rows]
    four = clone(model).fit(data.X.iloc[rows], data.z[rows], sample=samples, groups=rows)
    for column in ("lower", "upper"):
        alone, known = (one.shares(model_error=False)[column].to_numpy() for one in (once, four))
        assert known == pytest.approx(alone, abs=0.08)
    profile, interval = four.pi_interval(method="profile"), four.pi_interval(model_error=False)
    assert (profile.lower, profile.upper) == pytest.approx((interval.lower, interval.upper), abs=5e-3)


def test_only_ratios_of_sampling_weights_count(survey, model):
    heavy = fit(survey.assign(weight=3e6 * survey["weight"]), "weight", "psu", "region")
    assert heavy.pi_ == pytest.approx(model.pi_, rel=1e-9)
    assert heavy.covariance() == pytest.approx(model.covariance(), rel=1e-6)
    assert heavy.n0_ + heavy.n1_ < len(survey)


@pytest.mark.long
def test_equal_weights_are_as_good_as_none(survey):
    equal, none = fit(survey.assign(weight=5.0), "weight", "psu"), fit(survey, "psu")
    assert (equal.pi_, equal.n0_, equal.n1_) == (none.pi_, none.n0_, none.n1_)


@pytest.mark.parametrize(
    ("roles", "count"),
    [
        pytest.param(("weight", "psu", "region"), 100, marks=pytest.mark.long),
        pytest.param(("weight", "psu"), 400, marks=pytest.mark.long),
        pytest.param(("weight", "psu", "region"), 400, marks=pytest.mark.long),
    ],
)
def test_standard_errors_agree_with_a_bootstrap_of_clusters(survey, roles, count):
    """400 resamples: a standard error has one of 3.5 percent, of which three are allowed, and as much for skewness.

    100 resamples: one of 7 percent, of which nearly three are allowed.
    """
    model = fit(survey, *roles, interactions=None)
    resamples = model.bootstrap(count, random_state=1, progress=False)
    drawn = np.std(np.log(resamples.pi / (1 - resamples.pi)), ddof=1)
    assert np.sqrt(model.covariance()[0, 0]) == pytest.approx(drawn, rel=0.2)
    by_rows = fit(survey, interactions=None)
    assert width(model.pi_interval(model_error=False)) > 1.3 * width(by_rows.pi_interval(model_error=False))


def test_strata_take_out_what_they_explain(survey, model):
    assert model.covariance()[0, 0] < fit(survey, "weight", "psu").covariance()[0, 0]


def test_a_profile_is_as_wide_as_the_interval(model):
    profile, interval = model.pi_interval(method="profile"), model.pi_interval(model_error=False)
    assert (profile.lower, profile.upper) == pytest.approx((interval.lower, interval.upper), abs=2e-3)


EM = {"solver": "em", "estimate": "mode"}


@pytest.mark.parametrize(
    "settings",
    [pytest.param({"pi": 0.3}, marks=pytest.mark.long), {"estimate": "mode"}, pytest.param(EM, marks=pytest.mark.long)],
)
def test_other_kinds_of_fit_know_surveys_too(survey, settings):
    plain, known = fit(survey, **settings), fit(survey, "psu", **settings)
    assert known.pi_ == plain.pi_
    assert known._fit.survey.n_clusters == N_STRATA * PER_STRATUM
    assert np.isfinite(known.covariance()).all()
    assert (np.linalg.eigvalsh(known.covariance()) > -1e-9).all()
    ratio = known.covariance("frequentist")[2:, 2:].diagonal() / plain.covariance("frequentist")[2:, 2:].diagonal()
    assert abs(np.log(ratio)).max() > 0.05


def test_shares_of_samples_know_surveys(survey):
    roles = ("weight", "year")
    plain, known = fit(survey, *roles, interactions=None), fit(survey, *roles, "psu", interactions=None)
    assert (width(known.shares(model_error=False)) > 1.1 * width(plain.shares(model_error=False))).all()
    assert known.share_difference(2021, 2020).pvalue > 0.01


@pytest.mark.long
def test_shares_of_samples_vary_as_a_bootstrap_of_clusters_says(survey):
    """300 resamples leave errors of 4 percent, of which four are allowed."""
    known = fit(survey, "weight", "year", "psu", interactions=None)
    resamples = known.bootstrap(300, random_state=1, progress=False)
    drawn = np.std(np.log(resamples.pi / (1 - resamples.pi)), ddof=1)
    assert np.sqrt(known.covariance()[0, 0]) == pytest.approx(drawn, rel=0.17)


@pytest.mark.long
def test_rows_as_their_own_clusters_leave_shares_of_samples_as_they_are(survey):
    plain = fit(survey, "year").shares(model_error=False)
    X, z, year = survey[["a", "b", "c"]], survey["z"], survey["year"]
    rows = PUGAM(check=False).fit(X, z, sample=year, groups=np.arange(len(z))).shares(model_error=False)
    assert width(rows).to_numpy() == pytest.approx(width(plain).to_numpy(), rel=0.05)


def test_columns_are_named_and_are_then_no_features(survey, model):
    named = PUGAM(check=False).fit(
        survey.drop(columns=["z", "weight", "year"]), survey["z"], survey["weight"], groups="psu", strata="region"
    )
    assert named.pi_ == model.pi_
    assert list(named.feature_names_in_) == ["a", "b", "c"]
    with pytest.raises(InputError, match="strata='area' is not a column of X"):
        PUGAM().fit(survey[["a", "b"]], survey["z"], strata="area")


def test_a_saved_model_keeps_its_survey(model, survey, tmp_path):
    model.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.pi_interval() == model.pi_interval()
    for kind in ("curves", "bayesian", "frequentist"):
        assert (again.covariance(kind) == model.covariance(kind)).all()
    X, z, weights = survey[["a", "b", "c"]], survey["z"], survey["weight"]
    with pytest.raises(InputError, match=r"attach\(X, z\), with the same sample, audit, negative, groups and strata"):
        again.bootstrap(3)
    with pytest.raises(InputError, match="not the clusters and strata the model was fitted to: give the same groups"):
        again.attach(X, z, weights)
    again.attach(X, z, weights, groups=survey["psu"], strata=survey["region"])
    assert (again.bootstrap(3, progress=False).pi == model.bootstrap(3, progress=False).pi).all()


def test_the_summary_says_that_there_was_a_survey(model, survey):
    line = next(line for line in str(model.summary()).splitlines() if line.startswith("survey"))
    assert line.startswith(f"survey of {len(survey)} rows, weighted ones that count as {model.n0_ + model.n1_:.6g},")
    assert line.endswith("in 40 clusters of 4 strata: standard errors allow for them")


@pytest.mark.parametrize(
    ("n_clusters", "told"), [(2, r"2 clusters .* 1 degree of freedom.* 6\.5 times"), (14, r"1\.1 times")]
)
def test_clusters_too_few_for_normal_limits_are_told(survey, n_clusters, told):
    few = survey.assign(psu=survey["psu"] % n_clusters)

    with pytest.warns(PugamWarning, match=told):
        fit(few, "psu")


def test_few_clusters_of_many_strata_are_told(survey):
    paired = survey[survey["psu"] % PER_STRATUM < 3]  # 12 clusters, in 4 strata

    with pytest.warns(PugamWarning, match=r"12 clusters in 4 strata .* 8 degrees of freedom.* 1\.2 times"):
        fit(paired, "psu", "region")


def test_enough_clusters_are_passed_over(survey):
    with warnings.catch_warnings():
        warnings.simplefilter("error", PugamWarning)
        fit(survey, "psu", "region")


def test_shrunken_curves_warn_that_rows_count_as_independent(survey):
    with pytest.warns(PugamWarning, match="Use a bootstrap, which draws whole clusters"):
        model = fit(survey, "psu", shrinkage="always")
    assert model._fit.survey is None


def with_negatives(rows, seed=1):
    """The same rows, and healthy people of the same clusters, with weights of their own."""
    rng = np.random.default_rng(seed)
    lying = rows.drop_duplicates("psu").iloc[np.repeat(np.arange(40), 8)]
    known = pd.DataFrame(rng.normal(size=(len(lying), 3)), columns=["a", "b", "c"])
    known = known.assign(**{name: lying[name].to_numpy() for name in ("psu", "region", "year")})
    known = known.assign(z=0, weight=rng.uniform(1.0, 2.0, len(known)), healthy=1)
    return pd.concat([rows.assign(healthy=0), known], ignore_index=True).sample(frac=1.0, random_state=seed)


def fit_with_negatives(rows, groups, weights=None):
    model = PUGAM(check=False, interactions=None)
    return model.fit(rows[["a", "b", "c"]], rows["z"], weights, negative=rows["healthy"], groups=groups)


def test_known_negatives_vary_by_clusters_too(survey):
    rows = with_negatives(survey)
    plain, alone = fit_with_negatives(rows, None), fit_with_negatives(rows, np.arange(len(rows)))
    assert alone.pi_ == plain.pi_
    assert width(alone.pi_interval(model_error=False)) == pytest.approx(
        width(plain.pi_interval(model_error=False)), rel=0.05
    )
    clusters = fit_with_negatives(rows, rows["psu"].to_numpy())
    assert width(clusters.pi_interval(model_error=False)) > 1.2 * width(alone.pi_interval(model_error=False))
    assert f"survey of {len(rows)} rows" in str(clusters.summary())


@pytest.mark.long
def test_only_ratios_of_weights_count_among_known_negatives(survey):
    rows = with_negatives(survey)
    other = np.where(rows["healthy"] == 1, 1e3, 1e-3) * rows["weight"]
    one, two = (fit_with_negatives(rows, rows["psu"], weights) for weights in (rows["weight"], other))
    assert two.pi_ == pytest.approx(one.pi_, rel=1e-9)
    assert two.covariance() == pytest.approx(one.covariance(), rel=1e-6)


@pytest.mark.parametrize("count", [60, pytest.param(300, marks=pytest.mark.long)])
def test_with_known_negatives_standard_errors_are_those_of_a_bootstrap_of_clusters(survey, count):
    """60 resamples leave errors of 9 percent, 300 of 4 percent: three of them are allowed, and 5 for skewness."""
    rows = with_negatives(survey)
    model = fit_with_negatives(rows, rows["psu"], rows["weight"])
    resamples = model.bootstrap(count, random_state=1, progress=False)
    drawn = np.std(np.log(resamples.pi / (1 - resamples.pi)), ddof=1)
    assert np.sqrt(model.covariance()[0, 0]) == pytest.approx(drawn, rel=0.05 + 3.0 / np.sqrt(2 * count))


@pytest.mark.parametrize("weight", [pytest.param(1.0, marks=pytest.mark.long), 0.0])
def test_no_known_negatives_are_none(survey, weight):
    negative = np.arange(len(survey)) % 10 == 0 if weight == 0.0 else np.zeros(len(survey))
    rows = survey.assign(z=np.where(negative, 0, survey["z"]), weight=np.where(negative, weight, 1.0))
    features, model = rows[["a", "b", "c"]], PUGAM(check=False, interactions=None)
    known = clone(model).fit(features, rows["z"], rows["weight"], groups=rows["psu"], negative=negative)
    assert known.pi_ == clone(model).fit(features, rows["z"], rows["weight"], groups=rows["psu"]).pi_


def test_a_column_can_have_several_roles(survey):
    table = survey[["a", "b", "c", "year", "psu"]].assign(year=survey["year"].astype(str))
    model = PUGAM(check=False, interactions=None)
    named = clone(model).fit(table, survey["z"], sample="year", groups="psu", strata="year")
    given = clone(model).fit(
        table[["a", "b", "c"]], survey["z"], sample=table["year"], groups=table["psu"], strata=table["year"]
    )
    assert named.formula_ == given.formula_
    assert named.shares().equals(given.shares())
    named.attach(table, survey["z"], sample="year", groups="psu", strata="year")


def test_the_test_of_curves_knows_clusters(survey):
    """Features of clusters lie apart, so that curves of samples look different if rows count as independent."""
    plain, known = (fit(survey, "year", *roles, interactions=None).test_curves() for roles in ((), ("psu",)))
    assert plain["pvalue"].iloc[-1] < 0.01
    assert known["pvalue"].iloc[-1] > 0.05
    assert (known["df"] <= plain["df"]).all()


def test_the_verdict_on_a_survey_knows_of_curves_that_differ(survey):
    apart = survey.assign(a=survey["a"] + 2.0 * (survey["year"] - 2020) * (survey["z"] == 0))
    found = fit(apart, "year", "psu", interactions=None).diagnose()
    assert found.curves.joint.pvalue < 1e-3
    assert any(isinstance(finding, CurvesDiffer) for finding in found.findings)


@pytest.mark.long
def test_tests_of_rows_as_their_own_clusters_are_those_of_rows(survey):
    """Empirical and expected variances of scores differ by some percent, which p-values show."""
    audit = np.where((survey["z"] == 0) & (np.arange(len(survey)) % 7 == 0), survey["a"] > 1.0, np.nan)
    features, model = survey[["a", "b", "c"]], PUGAM(check=False, interactions=None)
    roles = {"sample": survey["year"], "audit": audit}
    plain, alone = (
        clone(model).fit(features, survey["z"], **roles, **how) for how in ({}, {"groups": np.arange(len(survey))})
    )
    statistics = [one.test_curves()["statistic"].iloc[-1] for one in (alone, plain)]
    assert statistics[0] == pytest.approx(statistics[1], rel=0.15)
    here, there = (one.check_audit() for one in (alone, plain))
    for name in ("estimate", "lower", "upper"):
        assert here[name].to_numpy() == pytest.approx(there[name].to_numpy(), abs=0.01)


def test_audits_know_clusters(survey):
    """Every cluster twice over: intervals without the model say no more than once."""
    audit = np.where((survey["z"] == 0) & (np.arange(len(survey)) % 3 == 0), survey["a"] > 0.8, np.nan)
    twice = np.repeat(np.arange(len(survey)), 2)
    rows, model = survey.assign(audit=audit), PUGAM(check=False, interactions=None)
    once, double = (
        clone(model).fit(table[["a", "b", "c"]], table["z"], audit=table["audit"], groups=table["psu"]).check_audit()
        for table in (rows, rows.iloc[twice])
    )
    for name in ("lower", "upper"):
        assert double[name][0] == pytest.approx(once[name][0], abs=0.01)
    independent = clone(model).fit(rows[["a", "b", "c"]], rows["z"], audit=audit).check_audit()
    assert width(once)[0] > 1.1 * width(independent)[0]


@pytest.mark.parametrize("engine", [pytest.param("stream", marks=pytest.mark.long), "auto"])
def test_surveys_may_be_in_files(survey, tmp_path, monkeypatch, engine):
    """Read in parts of 500 rows, or whole; weights of zero leave a cluster that counts."""
    monkeypatch.setattr("pugam.engines.file_rows.BATCH_ROWS", 500)
    rows = with_negatives(survey).assign(weight=lambda table: table["weight"].where(table["psu"] != 3, 0.0))
    rows.drop(columns="year").to_csv(tmp_path / "rows.csv", index=False)
    roles = {"groups": "psu", "strata": "region", "negative": "healthy"}
    model = PUGAM(check=False, interactions=None, engine=engine)
    there = model.fit(str(tmp_path / "rows.csv"), "z", "weight", **roles)
    table = rows.drop(columns=["year", "z", "weight"])
    here = PUGAM(check=False, interactions=None).fit(table, rows["z"], rows["weight"], **roles)
    assert (there.n0_, there.n1_) == pytest.approx((here.n0_, here.n1_), rel=1e-9)
    assert there.pi_ == pytest.approx(here.pi_, rel=1e-7)
    assert there.covariance() == pytest.approx(here.covariance(), rel=1e-5, abs=1e-9)
    assert there._fit.survey.n_clusters == here._fit.survey.n_clusters == 40
    drawn = [one.bootstrap(3, random_state=0, progress=False).pi for one in (there, here)]
    assert drawn[0] == pytest.approx(drawn[1], rel=1e-6)


def test_equal_weights_are_as_good_as_none_in_a_file(survey, tmp_path):
    survey.drop(columns=["region", "year"]).assign(weight=7.0).to_parquet(tmp_path / "rows.parquet")
    model = PUGAM(check=False, interactions=None, engine="stream")
    there = model.fit(str(tmp_path / "rows.parquet"), "z", "weight", groups="psu")
    assert (there.n0_, there.n1_) == pytest.approx((sum(survey["z"] == 1), sum(survey["z"] == 0)))


def test_rows_in_parts_are_no_clusters_of_their_own(survey, tmp_path):
    survey.to_parquet(tmp_path / "rows.parquet")
    with pytest.raises(InputError, match="strata needs groups where rows are read in parts"):
        PUGAM(engine="stream").fit(str(tmp_path / "rows.parquet"), "z", strata="region")
