"""Tests of terms: by hand where they are classical, against simulation where they are not, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import chi2, norm

from pugam import PUGAM, InputError, f, l, s
from pugam.data import read_table
from pugam.datasets import simulate
from pugam.engines import MemoryEngine
from pugam.inference import bayesian_covariance, fourier_test, wald_test
from pugam.inference.hypotheses import reference_penalty
from pugam.solvers import PiPrior, Settings, fit_smoothed, gather_evidence
from pugam.terms import Design

# The tests are of the penalised estimate; without a prior on pi its covariance is theirs.
PENALISED = {"debias": False, "pi_prior": None, "tol": 1e-8, "n_starts": 3}


@pytest.fixture(scope="module")
def table():
    """Labels, two informative numbers, a factor of three levels and noise."""
    rng = np.random.default_rng(11)
    n = 900
    y = np.repeat([1, 0], [550, 350])
    level = np.where(rng.random(n) < 0.3 + 0.3 * y, "a", rng.choice(["b", "c"], n))
    columns = {
        "x1": rng.normal(1.2 * y, 1.0),
        "x2": rng.normal(1.0 * y, 1.0 + 0.5 * y),
        "level": level,
        "noise": rng.normal(size=n),
        "gaps": np.where(rng.random(n) < 0.2, np.nan, rng.normal(0.5 * y, 1.0)),
    }
    return pd.DataFrame(columns)


@pytest.fixture(scope="module")
def z():
    return (np.arange(900) < 350).astype(int)


@pytest.fixture(scope="module")
def mixed(table, z):
    """A model with a smooth, two linear terms and a factor, all at given smoothing."""
    return PUGAM("s(x2, k=6) + x1 + noise + f(level)", smoothing=0.01, **PENALISED).fit(table, z)


def coefficients(model, *terms, kind="bayesian"):
    """Estimate and covariance of the terms' coefficients."""
    design = model._design
    block = np.concatenate([np.arange(design.n_columns)[design.blocks[design.index(term)]] for term in terms])
    return model.coef_[block], model.covariance(kind)[np.ix_(2 + block, 2 + block)]


# The statistic by hand


@pytest.mark.parametrize("term", ["x1", "noise"])
def test_the_test_of_a_linear_term_is_the_square_of_z(mixed, term):
    (estimate,), ((variance,),) = coefficients(mixed, term, kind="curves")  # as in the summary

    test = mixed.test(term)

    assert test.statistic == pytest.approx(estimate**2 / variance, rel=1e-6)
    assert test.pvalue == pytest.approx(2.0 * norm.sf(abs(estimate) / np.sqrt(variance)), rel=1e-5)
    assert (test.df, test.reference) == (1.0, "chi-square")
    assert (test.terms, test.null, test.method) == ((f"l({term})",), "zero", "wald")


def test_the_test_of_a_factor_is_walds_of_its_levels(mixed):
    estimate, covariance = coefficients(mixed, "level")
    effects = mixed._design.bases[3].contrasts[:-1]  # of the levels a, b and c
    differences = np.diff(effects, axis=0)
    d, V = differences @ estimate, differences @ covariance @ differences.T

    test = mixed.test("level")

    assert test.statistic == pytest.approx(d @ np.linalg.solve(V, d), rel=1e-6)
    assert test.df == 2.0
    assert test.pvalue == pytest.approx(chi2.sf(test.statistic, 2), rel=1e-9)


def test_the_joint_test_of_two_terms_uses_their_covariance(mixed):
    estimate, covariance = coefficients(mixed, "x1", "noise")

    test = mixed.test(["x1", "noise"])

    assert test.statistic == pytest.approx(estimate @ np.linalg.solve(covariance, estimate), rel=1e-6)
    assert test.df == 2.0
    assert test.pvalue == pytest.approx(chi2.sf(test.statistic, 2), rel=1e-9)
    assert abs(test.statistic - mixed.test("x1").statistic - mixed.test("noise").statistic) > 1e-4


def test_the_order_of_jointly_tested_terms_does_not_matter(mixed):
    one, other = mixed.test(["x2", "level"]), mixed.test(["level", "x2"])

    assert other.statistic == pytest.approx(one.statistic, rel=1e-8)
    assert other.terms == ("f(level)", "s(x2)")


def test_an_unpenalised_smooth_has_a_chi_square_of_all_its_functions(table, z):
    model = PUGAM([s("x2", k=6), l("x1")], smoothing=0.0, **PENALISED).fit(table, z)
    estimate, covariance = coefficients(model, "x2")

    test = model.test("x2")

    assert test.statistic == pytest.approx(estimate @ np.linalg.solve(covariance, estimate), rel=1e-5)
    assert test.df == pytest.approx(5.0, rel=1e-9)
    assert test.reference == "chi-square"
    assert test.pvalue == pytest.approx(chi2.sf(test.statistic, 5), rel=1e-9)


def test_a_smooth_held_straight_is_tested_as_a_linear_term(table, z):
    straight = PUGAM([s("x1"), l("x2")], smoothing=1e8, **PENALISED).fit(table, z).test("x1")
    line = PUGAM([l("x1"), l("x2")], **PENALISED).fit(table, z).test("x1")

    assert straight.statistic == pytest.approx(line.statistic, rel=1e-3)
    assert straight.df == pytest.approx(1.0, abs=1e-3)
    assert straight.pvalue == pytest.approx(line.pvalue, rel=0.02)


def test_a_penalised_smooth_counts_as_many_directions_as_the_penalty_leaves(mixed):
    o, block = mixed._fit.penalized, 2 + np.arange(5)
    V = np.linalg.inv(o.hessian)
    edf = 5.0 - V.diagonal()[block] @ o.curvature[block]

    test = mixed.test("x2")

    # The rank is tr(2 F - F F), between tr F and twice that.
    assert edf < test.df < min(5.0, 2.0 * edf)
    assert test.reference == "weighted sum of chi-squares"


def test_the_rank_is_the_trace_of_two_f_less_f_squared(table, z):
    # With the smooth term alone, and pi known, F = V I is that of the term with the intercept following.
    model = PUGAM([s("x2", k=6)], smoothing=0.01, pi=0.36, **PENALISED).fit(table, z)
    I, P = model._fit.penalized.information[1:, 1:], np.diag(model._fit.penalized.curvature[1:])
    W = I[1:, 1:] - np.outer(I[1:, 0], I[0, 1:]) / I[0, 0]
    F = np.linalg.solve(W + P[1:, 1:], W)

    assert model.test("x2").df == pytest.approx(np.trace(2.0 * F - F @ F), rel=1e-6)


# What must not matter


@pytest.mark.parametrize("null", ["zero", "linear"])
@pytest.mark.parametrize("change", [lambda x: 1000.0 * x + 5.0, lambda x: -x], ids=["rescaled", "flipped"])
def test_the_unit_and_the_direction_of_a_column_do_not_matter(table, z, null, change):
    terms = [s("x2", k=6), l("x1")]
    one, other = (
        PUGAM(terms, smoothing=0.01, **PENALISED).fit(frame, z)
        for frame in (table, table.assign(x1=change(table["x1"]), x2=change(table["x2"])))
    )

    before, after = one.test("x2", null=null), other.test("x2", null=null)

    assert after.statistic == pytest.approx(before.statistic, rel=1e-4)
    assert after.df == pytest.approx(before.df, rel=1e-4)
    assert after.pvalue == pytest.approx(before.pvalue, rel=1e-3)
    assert other.test("x1").statistic == pytest.approx(one.test("x1").statistic, rel=1e-4)


@pytest.mark.parametrize("reach", [pytest.param(5.0, marks=pytest.mark.long), 20.0])
def test_wide_bounds_do_not_hide_an_effect(table, z, reach):
    centre = float(table["x1"].mean())
    usual = PUGAM([s("x1"), s("x2")]).fit(table, z).test("x1")
    wide = PUGAM([s("x1", bounds=(centre - reach, centre + reach)), s("x2")]).fit(table, z).test("x1")

    assert usual.pvalue < 2e-6
    assert wide.pvalue < 1e-4


def test_a_column_and_its_double_together_say_what_the_column_says(table, z):
    alone = PUGAM("x1 + s(x2, k=6)", smoothing=0.01, **PENALISED).fit(table, z).test("x1")
    doubled = table.assign(double=3.0 - 2.0 * table["x1"])
    both = PUGAM("x1 + double + s(x2, k=6)", smoothing=0.01, **PENALISED).fit(doubled, z).test(["x1", "double"])

    assert both.df == pytest.approx(1.0, abs=1e-6)
    # A single coefficient is tested with the bias of smoothing counted in, several of them without.
    assert both.statistic == pytest.approx(alone.statistic, rel=0.1)


def test_the_test_of_linearity_does_not_depend_on_how_smooth_the_term_was_estimated():
    data = simulate(2, n0=1000, n=2000, zeta=0.2, random_state=4)
    others = {f"x{number}": 1e-3 for number in range(2, 6)}

    tests = [
        PUGAM(smoothing={"x1": kappa, **others}, **PENALISED).fit(data.X, data.z).test("x1", null="linear")
        for kappa in (0.1, 1e4)
    ]

    # The likelihood is not quite quadratic from the one estimate to the other.
    assert tests[1].statistic == pytest.approx(tests[0].statistic, rel=0.15)
    assert tests[1].df == pytest.approx(tests[0].df, rel=0.02)


@pytest.mark.parametrize(("k", "df"), [(3, 0.5), (4, 1.0), (5, 1.5), (10, 2.0), (20, 2.0)])
def test_the_test_of_linearity_looks_for_curves_of_two_degrees_or_half_of_what_there_are(table, z, k, df):
    model = PUGAM([s("x2", k=k), l("x1")], **PENALISED).fit(table, z)

    test = model.test("x2", null="linear")

    assert test.df == pytest.approx(df, rel=1e-6)


def test_where_terms_share_a_variance_bends_count_as_two_degrees_of_freedom_and_a_line_as_one(table, z):
    model = PUGAM("s(x1) + s(noise, cyclic=True) + s(x2, k=4)", check=False, interactions=None).fit(table, z)

    assert [model.test(name).df for name in ("x1", "noise", "x2")] == pytest.approx([3.0, 2.0, 2.0], rel=0.05)


@pytest.mark.long
def test_pvalues_by_marginal_likelihood_are_about_uniform_too():
    """Of 150 tables of noise; three standard deviations are 0.053 at 0.05, and 0.12 at 0.5."""
    data = [simulate(2, n0=1000, n=1500, zeta=0.0, random_state=seed) for seed in range(150)]
    pvalues = np.array([PUGAM(check=False).fit(one.X, one.z).test("x1").pvalue for one in data])

    assert np.mean(pvalues < 0.05) <= 0.05 + 0.053
    assert np.mean(pvalues < 0.5) == pytest.approx(0.5, abs=0.12)


def test_the_reference_penalty_leaves_two_degrees_of_freedom(mixed):
    evidence = gather_evidence(mixed._fit.penalized, slice(None))

    penalty = reference_penalty(evidence, mixed._design, np.arange(1, 5))

    W = evidence.information(np.arange(1, 5))
    assert np.trace(np.linalg.solve(W + np.diag(penalty), W)) == pytest.approx(2.0, rel=1e-6)
    diagonal = mixed._design.penalties[0].diagonal
    np.testing.assert_allclose(penalty / penalty[0], diagonal / diagonal[0])


def test_a_bow_is_told_from_a_line_and_a_line_is_not():
    bent = simulate(2, n0=1000, n=2000, random_state=6)
    straight = simulate(1, n0=1000, n=2000, random_state=6)

    assert PUGAM().fit(bent.X, bent.z).test("x1", null="linear").pvalue < 1e-4
    assert PUGAM().fit(straight.X, straight.z).test("x1", null="linear").pvalue > 0.05


# Under the null hypothesis


@pytest.mark.long
def test_pvalues_are_about_uniform_where_the_null_hypothesis_holds():
    # In 200 samples the numbers of p-values below 0.05 and 0.5 are binomial: 10 with a standard deviation of 3.1, and
    # 100 with one of 7.1. The bounds 2 and 20, and 75 and 125, are three standard deviations away or more.
    terms = [s("x1", k=6), s("x2", k=6), l("x3"), l("x4"), l("x5")]
    settings = Settings(np.full(2, 0.02), n_starts=1, prior=PiPrior(1.0, 1.0))
    zero, linear = [], []
    for seed in range(200):
        data = simulate(1, n0=750, n=1500, zeta=0.0, random_state=5000 + seed)
        table = read_table(data.X)
        design = Design.resolve(terms, table)
        engine = MemoryEngine(design, design.encode(table), data.z == 1)
        fit = fit_smoothed(engine, design, settings, np.random.default_rng(0))
        evidence = gather_evidence(fit.penalized, slice(None))
        estimate = fit.optimum.beta[2:], bayesian_covariance(fit, 750, 750)[2:, 2:]
        zero.append(wald_test(evidence, design, [0], "zero", *estimate).pvalue)
        linear.append(wald_test(evidence, design, [1], "linear", *estimate).pvalue)

    for pvalues in (zero, linear):
        assert 2 <= np.sum(np.array(pvalues) < 0.05) <= 20
        assert 75 <= np.sum(np.array(pvalues) < 0.5) <= 125


# The paper's test


def fourier(number, t):
    """The paper's functions on [0, 1]: 1, then sine and cosine of one wave, of two, and so on."""
    if number == 0:
        return 1.0
    wave = np.sin if number % 2 else np.cos
    return np.sqrt(2.0) * wave(2.0 * np.pi * ((number + 1) // 2) * t)


@pytest.mark.parametrize(("term", "null"), [("x2", "zero"), ("x2", "linear"), ("x1", "zero")])
def test_the_fourier_statistic_is_that_of_the_integrals(mixed, term, null):
    number = mixed._design.index(term)
    basis, block = mixed._design.bases[number], mixed._design.blocks[number]
    theta = mixed.coef_[block].copy()
    if null == "linear":
        theta[0] = 0.0

    def curve(t):
        return float((basis.columns(basis.lower + np.array([t]) * (basis.upper - basis.lower)) @ theta)[0])

    b = [quad(lambda t, j=j: curve(t) * fourier(j, t), 0.0, 1.0, epsabs=1e-9, limit=100)[0] for j in range(5)]
    replicates = np.tile(mixed.coef_, (9, 1))

    test = fourier_test(mixed._design, number, null, mixed.coef_, replicates, 900.0, 5)

    assert test.statistic == pytest.approx(900.0 * np.dot(b, b), rel=1e-4)
    assert test.pvalue == 1.0 / 10.0  # replicates without scatter never exceed it
    assert (test.df, test.method) == (None, "bootstrap")
    assert test.reference == "9 resamples of n b'b, 5 Fourier functions"


def test_the_bootstrap_pvalue_counts_replicates_that_scatter_as_far(mixed):
    # For a line the projection is a fixed multiple of the slope: so distances of slopes are what is counted.
    number, block = mixed._design.index("x1"), mixed._design.blocks[1]
    slope = mixed.coef_[block][0]
    replicates = np.tile(mixed.coef_, (5, 1))
    replicates[:, block.start] = slope * np.array([0.1, -0.1, 1.5, 2.0, 2.5])

    test = fourier_test(mixed._design, number, "zero", mixed.coef_, replicates, 900.0, 11)

    assert test.pvalue == (1 + 3) / (1 + 5)  # -0.1, 2.0 and 2.5 are at least as far from 1 as 1 is from 0


def test_the_effect_of_missing_values_is_no_part_of_the_projected_curve(table, z):
    model = PUGAM([s("gaps", k=5, missing="effect"), l("x1")], smoothing=0.01, **PENALISED).fit(table, z)
    without = model.coef_.copy()
    without[4] += 10.0

    one, other = (
        fourier_test(model._design, 0, "zero", theta, theta[None], 900.0, 7) for theta in (model.coef_, without)
    )

    assert other.statistic == one.statistic > 0.0


def test_a_factor_cannot_be_projected_on_waves(mixed):
    with pytest.raises(InputError, match=r"f\(level\) cannot be projected.*method='wald'"):
        fourier_test(mixed._design, 3, "zero", mixed.coef_, mixed.coef_[None], 900.0, 11)


# The model under the null hypothesis


@pytest.mark.parametrize("debias", [True, False], ids=["corrected", "penalised"])
@pytest.mark.parametrize(
    ("tested", "null", "formula"),
    [
        (["noise"], "zero", "s(x2, k=6) + s(gaps, k=5, missing='effect') + f(level) + x1"),
        (["x2"], "zero", "noise + s(gaps, k=5, missing='effect') + f(level) + x1"),
        (["x2"], "linear", "x2 + noise + s(gaps, k=5, missing='effect') + f(level) + x1"),
        (["gaps", "x2"], "linear", "x2 + noise + l(gaps, missing='effect') + f(level) + x1"),
        (["level", "x1"], "zero", "s(x2, k=6) + noise + s(gaps, k=5, missing='effect')"),
    ],
    ids=["without a line", "without a curve", "straight", "both straight", "without two"],
)
def test_the_refit_is_the_model_without_what_was_tested(table, z, tested, null, formula, debias):
    options = {"smoothing": 0.01, "tol": 1e-8, "n_starts": 3, "debias": debias}
    whole = "s(x2, k=6) + noise + s(gaps, k=5, missing='effect') + f(level) + x1"
    expected = PUGAM(formula, **options).fit(table, z)

    test = PUGAM(whole, **options).fit(table, z).test(tested, null=null, refit=True)

    assert test.null_pi == pytest.approx(expected.pi_, abs=1e-5)
    assert test.null_loglik == pytest.approx(expected.loglik_, abs=1e-5)


ZERO, LINEAR = ("zero", "s(x2) + s(x3)"), ("linear", "x1 + s(x2) + s(x3)")


@pytest.mark.parametrize(
    ("null", "formula", "roles"),
    [
        (*ZERO, ["sample"]),
        (*LINEAR, ["negative"]),
        pytest.param(*ZERO, ["negative"], marks=pytest.mark.long),
        pytest.param(*LINEAR, ["sample"], marks=pytest.mark.long),
        *(pytest.param(*null, ["sample", "negative"], marks=pytest.mark.long) for null in (ZERO, LINEAR)),
    ],
)
def test_fits_to_samples_are_refitted_too(roles, null, formula):
    """Variances of the other curves stay those of the whole model, which moves pi by about a hundredth."""
    data = simulate(2, n0=400, n=1600, random_state=0)
    values = {"sample": np.arange(1600) % 3, "negative": np.arange(1600) - 50 < np.argmin(data.z)}
    known = {role: np.where(data.z == 1, 0, values[role]) for role in roles}
    options = {"check": False, "interactions": None}
    expected = PUGAM(formula, **options).fit(data.X, data.z, **known)

    test = PUGAM("s(x1) + s(x2) + s(x3)", **options).fit(data.X, data.z, **known).test("x1", null=null, refit=True)

    assert test.null_pi == pytest.approx(expected.pi_, abs=0.02)
    assert test.null_loglik == pytest.approx(expected.loglik_, abs=0.3)


def test_without_a_refit_nothing_is_said_about_the_null_model(mixed):
    test = mixed.test("x1")

    assert test.null_pi is None
    assert test.null_loglik is None


def test_a_model_without_terms_is_not_refitted(table, z):
    model = PUGAM("x1 + x2", **PENALISED).fit(table, z)

    with pytest.raises(InputError, match="no term is left to refit; test fewer terms"):
        model.test(["x1", "x2"], refit=True)


# What is refused, and what is printed


@pytest.mark.parametrize("term", ["x1", "level"])
def test_linearity_of_what_cannot_bend_is_refused(mixed, term):
    with pytest.raises(InputError, match=rf"\({term}\) cannot bend.*use null='zero'"):
        mixed.test(term, null="linear")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"term": "x1", "null": "constant"}, "null is 'zero' or 'linear'; got 'constant'"),
        ({"term": "x1", "method": "score"}, "method is 'wald' or 'bootstrap'; got 'score'"),
        ({"term": "x9"}, r"no term 'x9'.*s\(x2\), l\(x1\), l\(noise\), f\(level\)"),
        ({"term": ["x1", "l(x1)"]}, "one or several different terms"),
        ({"term": []}, "one or several different terms"),
        ({"term": "x1", "n_resamples": 10}, "for method='bootstrap'"),
        ({"term": ["x1", "x2"], "method": "bootstrap"}, "bootstrap test is of one term; use method='wald'"),
    ],
    ids=["null", "method", "term", "repeated", "none", "options", "several"],
)
def test_a_test_of_what_is_not_there_is_refused(mixed, arguments, message):
    with pytest.raises(InputError, match=message):
        mixed.test(**arguments)


def test_a_term_may_be_named_by_column_label_or_itself(mixed):
    by_column, by_label, by_itself = (mixed.test(term) for term in ("x2", "s(x2)", s("x2", k=6)))

    assert by_column == by_label == by_itself
    assert mixed.test(f("level")) == mixed.test("level")


def test_a_test_prints_hypothesis_statistic_degrees_and_pvalue(mixed):
    test = mixed.test(["x1", "noise"])
    linear = mixed.test("x2", null="linear")

    assert str(test).startswith(f"l(x1) and l(noise) = 0: Wald statistic {test.statistic:.4g} on 2 df, p ")
    numbers = f"Wald statistic {linear.statistic:.4g} on 2 df, p = {linear.pvalue:.3g}"
    assert str(linear) == f"s(x2) linear: {numbers} (weighted sum of chi-squares, and one for waves)"


def random_effect_tested(seed, spread, term="r(site)", gaps=0.0):
    """Test the effects of 12 sites, normal with this standard deviation, of which some rows lack the name."""
    rng = np.random.default_rng(seed)
    group, x = rng.integers(12, size=600), rng.normal(size=(600, 2))
    effect = spread * rng.normal(size=12)[group]
    z = (rng.random(600) < expit(1.5 * x.sum(axis=1) + effect)) & (rng.random(600) < 0.6)
    site = pd.Series(group.astype(str)).where(rng.random(600) >= gaps)
    X = pd.DataFrame({"x1": x[:, 0], "x2": x[:, 1], "site": site})
    return PUGAM(f"x1 + x2 + {term}", interactions=None, check=False).fit(X, z).test("r(site)")


def test_a_random_effect_of_noise_has_p_values_of_all_sizes_and_one_that_is_there_is_seen():
    # Of 12 p-values that are uniform, the mean has a standard deviation of 0.083; before, it was 0.97.
    assert 0.25 < np.mean([random_effect_tested(seed, 0.0).pvalue for seed in range(12)]) < 0.75
    assert random_effect_tested(0, 2.0).pvalue < 1e-3


def test_a_random_effect_with_gaps_is_tested_like_one_without():
    # With sites that differ by 0.5, the mean of 20 was about 0.8, more than without any difference. Now it is 0.20, and
    # has a standard deviation of 0.05.
    with_gaps = {"term": "r(site, missing='effect')", "gaps": 0.15}
    noise = [random_effect_tested(seed, 0.0, **with_gaps) for seed in range(12)]
    assert {test.df for test in noise} == {12.0}  # 11 differences of sites, and the effect of gaps
    assert 0.25 < np.mean([test.pvalue for test in noise]) < 0.75
    assert np.mean([random_effect_tested(seed, 0.5, **with_gaps).pvalue for seed in range(20)]) < 0.4


@pytest.mark.parametrize("term", ["s(hour, cyclic=True)", "s(hour)"])
def test_an_effect_of_many_waves_is_seen_beside_the_variance_that_terms_share(term):
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"hour": rng.uniform(0.0, 24.0, 8000), "dose": rng.normal(size=8000)})
    ill = rng.random(8000) < expit(2.5 * np.sin(6 * np.pi * X["hour"] / 24.0) + 2.5 * X["dose"] - 0.5)
    labelled, others = X[ill][:900], [X[ill][900:1300], X[~ill][:600]]
    table, z = pd.concat([labelled, *others], ignore_index=True), np.repeat([1, 0], [900, 1000])

    model = PUGAM(f"{term} + s(dose)", check=False).fit(table, z)

    assert model.test("hour").pvalue < 1e-6
    assert model.diagnose().n_distinguishable == 2
