"""Offsets: what is known is added as it is, in fits and in all that is made of them."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from pugam import PUGAM, InputError, load, offset, s
from pugam.likelihood import label_frequency, log_likelihood_rows

pytestmark = pytest.mark.filterwarnings("ignore::pugam.VerdictWarning")


def simulate(n0, n1, pi, seed):
    """Rows with the log density ratio 2 x1 + 3 x2, up to a constant: x1 is known to count twice."""
    rng = np.random.default_rng(seed)
    many = rng.uniform(size=(40 * (n0 + n1), 2))
    positives = many[rng.random(len(many)) < np.exp(many @ [2.0, 3.0] - 5.0)]
    n_hidden = round(n1 * pi)
    rows = np.vstack([positives[: n0 + n_hidden], rng.uniform(size=(n1 - n_hidden, 2))])
    frame = pd.DataFrame(rows, columns=["x1", "x2"]).assign(score=2.0 * rows[:, 0], constant=7.0)
    return frame, (np.arange(len(rows)) < n0).astype(int)


@pytest.fixture(scope="module")
def rows():
    return simulate(300, 500, 0.4, seed=1)


@pytest.fixture(scope="module")
def model(rows):
    return PUGAM("offset(score) + s(x2, k=5)", check=False).fit(*rows)


def test_the_fit_is_where_a_general_optimiser_finds_it_with_the_coefficient_fixed_at_one(rows):
    X, z = rows
    found = PUGAM("offset(score) + x2", estimate="mode", pi_prior=None, tol=1e-10, check=False).fit(X, z)

    def loss(point):
        c, d = label_frequency(np.asarray(expit(point[0])), 300.0, 500.0)
        s = point[1] + point[2] * X["x2"].to_numpy() + X["score"].to_numpy()
        return -log_likelihood_rows(z == 1, s, c, d).sum()

    best = minimize(loss, [0.0, -2.0, 2.0], method="BFGS", options={"gtol": 1e-8})
    polished = minimize(loss, best.x, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-13, "maxiter": 4000})
    assert found.pi_ == pytest.approx(expit(polished.x[0]), abs=1e-6)
    slope = found.effect("x2", [0.0, 1.0])["u"].diff().iloc[1]
    assert slope == pytest.approx(polished.x[2], abs=1e-5)
    assert found.loglik_ == pytest.approx(-polished.fun, abs=1e-8)


def test_the_solvers_agree(rows):
    options = {"smoothing": 0.1, "pi_prior": None, "debias": False, "tol": 1e-9, "check": False}
    by_newton, by_em = (
        PUGAM("offset(score) + s(x2, k=5)", solver=solver, n_starts=2, **options).fit(*rows)
        for solver in ("newton", "em")
    )
    assert by_em.pi_ == pytest.approx(by_newton.pi_, abs=1e-4)


def test_with_hardly_any_hidden_positive_it_is_a_logistic_regression_with_an_offset(rows):
    X, z = rows
    found = PUGAM("offset(score) + x2", pi=1e-9, estimate="mode", tol=1e-10, check=False).fit(X, z)

    def loss(point):
        s = point[0] + point[1] * X["x2"].to_numpy() + X["score"].to_numpy()
        return np.sum(np.logaddexp(0.0, s) - z * s)

    best = minimize(loss, [0.0, 1.0], method="BFGS", options={"gtol": 1e-9})
    slope = found.effect("x2", [0.0, 1.0])["u"].diff().iloc[1]
    assert slope == pytest.approx(best.x[1], abs=1e-5)


@pytest.mark.parametrize("options", [{}, {"shrinkage": "never"}], ids=["marginal", "mode"])
def test_a_constant_offset_changes_nothing(rows, options):
    plain, known = (
        PUGAM(terms, **options, check=False).fit(*rows)
        for terms in ("s(x1, k=5) + s(x2, k=5)", "offset(constant) + s(x1, k=5) + s(x2, k=5)")
    )
    assert known.pi_ == pytest.approx(plain.pi_, abs=1e-9)
    np.testing.assert_allclose(known.coef_, plain.coef_, atol=1e-8)
    np.testing.assert_allclose(known.log_density_ratio(rows[0]), plain.log_density_ratio(rows[0]), atol=1e-8)


def test_a_constant_added_to_all_rows_changes_nothing(rows):
    X, z = rows
    moved = X.assign(score=X["score"] + 100.0)
    one, other = (PUGAM("offset(score) + s(x2, k=5)", check=False).fit(frame, z) for frame in (X, moved))

    assert other.pi_ == pytest.approx(one.pi_, abs=1e-9)
    np.testing.assert_allclose(other.predict_proba(moved), one.predict_proba(X), atol=1e-9)


def test_it_counts_as_a_feature_that_matters_and_is_listed_as_known(rows):
    model = PUGAM([offset("score"), s("x2", k=5)]).fit(*rows)

    assert model.diagnose().terms[0].pvalue == 0.0
    assert "Known, added with coefficient 1: offset(score)" in str(model.summary())
    assert model.formula_ == "offset(score) + s(x2, k=5)"
    with pytest.raises(InputError, match=r"offset\(score\) is known, so there is nothing to test"):
        model.test("score")


def test_its_effect_is_a_line_without_a_band(model):
    frame = model.effect("score", [0.0, 1.0, 2.5])

    np.testing.assert_allclose(np.diff(frame["u"]), [1.0, 1.5])
    assert (frame["se"] == 0.0).all()
    np.testing.assert_array_equal(frame["lower"], frame["upper"])
    np.testing.assert_array_equal(model.effect("score", [0.5], derivative=True)["u"], [1.0])
    assert model.odds_ratio("score", 0.0, 1.0).estimate == pytest.approx(np.e)
    assert model.odds_ratio({"score": 0.0, "x2": 0.2}, {"score": 1.0, "x2": 0.2}).upper == pytest.approx(np.e)


def test_explanations_add_up_and_compare_with_the_average_unlabelled_row(model, rows):
    X, z = rows
    frame = model.explain(X)

    total = frame.groupby("row")["contribution"].sum()
    np.testing.assert_allclose(total, model.decision_function(X), atol=1e-10)
    own = frame.loc[frame["term"] == "offset(score)", "contribution"].to_numpy()
    np.testing.assert_allclose(own, X["score"] - X["score"][z == 0].mean(), atol=1e-10)


def test_its_importance_is_its_standard_deviation(model, rows):
    X, z = rows
    line = model.importance().set_index("term").loc["offset(score)"]

    spread = X["score"][z == 0].std(ddof=0)
    np.testing.assert_allclose(line[["importance", "lower", "upper"]].astype(float), spread)
    assert np.isnan(line["pvalue"])


def test_a_saved_model_keeps_it(model, rows, tmp_path):
    model.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")

    np.testing.assert_array_equal(again.predict_proba(rows[0]), model.predict_proba(rows[0]))
    pd.testing.assert_frame_equal(again.explain(rows[0].head(3)), model.explain(rows[0].head(3)))


def test_a_report_says_that_it_is_known(model, tmp_path):
    model.report(tmp_path / "report.html", progress=False)

    assert "Known beforehand and added as it is" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_resamples_keep_it(model):
    resamples = model.bootstrap(3, random_state=0, n_jobs=1, progress=False)

    np.testing.assert_allclose(np.diff(resamples.effect("score", [0.0, 1.0]), axis=1), 1.0)
    assert resamples.contrast({"score": 0.0}, {"score": 1.0}).lower == pytest.approx(1.0)


def test_a_file_gives_what_memory_gives(model, rows, tmp_path):
    X, z = rows
    X.assign(z=z).to_parquet(tmp_path / "rows.parquet")
    streamed = PUGAM("offset(score) + s(x2, k=5)", engine="stream", check=False).fit(tmp_path / "rows.parquet", "z")

    assert streamed.pi_ == pytest.approx(model.pi_, abs=1e-8)


def test_several_samples_have_it_in_common(rows):
    X, z = rows
    sample = np.where(np.arange(len(z)) % 2 == 0, "even", "odd")
    model = PUGAM("offset(score) + s(x2, k=5)", check=False).fit(X, z, sample=sample)

    assert model.shares()["sample"].tolist() == ["even", "odd", "all"]
    np.testing.assert_allclose(np.diff(model.effect("score", [0.0, 1.0])["u"]), 1.0)


def test_where_labels_depend_on_columns_it_is_added_once(rows):
    # The log density ratio along score has a slope of one: a line that is free to have another gains little.
    X, z = rows
    known, free = (
        PUGAM(f"{term} + s(x2)", labelling="x1", interactions=None).fit(X, z) for term in ("offset(score)", "score")
    )

    assert abs(known.loglik_ - free.loglik_) < 3.0
    assert known.diagnose().calibration.pvalue > 1e-3


def test_it_takes_no_part_in_shrinkage(rows):
    with pytest.raises(InputError, match=r"offset\(score\) is known, but shrinkage='always'"):
        PUGAM("offset(score) + s(x2)", shrinkage="always").fit(*rows)
    few = rows[0].iloc[280:330], rows[1][280:330]
    assert PUGAM("offset(score) + s(x2) + s(x1)", check=False).fit(*few).shrinkage_ is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"terms": "offset(score)", "pi": 0.3}, "nothing to fit"),
        ({"terms": "offset(score) + x2", "labelling": "offset(x1)"}, "an offset has no part in it"),
    ],
)
def test_where_it_makes_no_sense_it_is_refused(rows, options, message):
    with pytest.raises(InputError, match=message):
        PUGAM(**options).fit(*rows)


def test_an_offset_that_says_all_there_is_leaves_nothing_to_other_terms():
    X, z = simulate(2000, 3000, 0.4, seed=3)
    known = X.assign(all=2.0 * X["x1"] + 3.0 * X["x2"])
    model = PUGAM("offset(all) + x2", check=False).fit(known, z)

    assert abs(model.effect("x2", [0.0, 1.0])["u"].diff().iloc[1]) < 0.5
    assert model.pi_ == pytest.approx(0.4, abs=0.05)
