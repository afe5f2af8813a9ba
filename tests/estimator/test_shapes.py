"""Terms with a shape in whole models: every engine and solver, missing values, saving, resamples, pictures."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pugam
from pugam import PUGAM, s

N = 1000
TERMS = (
    's(dose, missing="effect", shape="increasing") + s(age, shape="concave") + s(size, shape="decreasing") + f(site)'
)
GRID = np.linspace(-1.5, 1.5, 31)


@pytest.fixture(scope="module")
def rows():
    """Effects that rise to a plateau, bend down, and fall."""
    rng = np.random.default_rng(0)
    y = rng.random(N) < 0.6
    dose = np.where(y, rng.normal(0.8, 0.8, N), rng.normal(-0.8, 1.0, N))
    return pd.DataFrame(
        {
            "dose": np.where(rng.random(N) < 0.1, np.nan, dose),
            "age": np.where(y, rng.normal(0.0, 0.6, N), rng.normal(0.0, 1.3, N)),
            "size": np.where(y, rng.normal(-0.4, 1.0, N), rng.normal(0.4, 1.0, N)),
            "site": rng.choice(["a", "b", "c"], N),
            "z": (y & (rng.random(N) < 0.6)).astype(int),
        }
    )


def fit(rows, terms=TERMS, **options):
    return PUGAM(terms, shrinkage="never", **options).fit(rows.drop(columns="z"), rows["z"])


@pytest.fixture(scope="module")
def model(rows):
    return fit(rows)


def assert_shaped(model):
    """Rising, bending down and falling, beyond the range of the rows, too."""
    for name, order, sign in (("dose", 1, 1.0), ("age", 2, -1.0), ("size", 1, -1.0)):
        axis = model._design.bases[model._design.index(name)].axes[0]
        with pytest.warns(pugam.PugamWarning, match="outside the range"):
            curve = model.effect(name, np.linspace(axis.lower - 2.0, axis.upper + 2.0, 200))
        assert (sign * np.diff(curve.u, n=order)).min() > -1e-9


def test_curves_have_their_shapes_and_pi_is_found(model):
    assert_shaped(model)
    assert model.converged_
    assert model.pi_ == pytest.approx(0.375, abs=0.1)  # 240 of 640 unlabelled rows are positive, on average


def test_missing_values_keep_an_effect_of_their_own(model, rows):
    frame = model.effect("dose", [0.0, np.nan])

    assert (frame.lower < frame.u).all()
    assert (frame.u < frame.upper).all()


@pytest.mark.long
def test_a_list_of_terms_is_the_formula(model, rows):
    terms = [
        s("dose", shape="increasing", missing="effect"),
        s("age", shape="concave"),
        s("size", shape="decreasing"),
        pugam.f("site"),
    ]
    again = fit(rows, terms)

    np.testing.assert_array_equal(again.coef_, model.coef_)
    assert model.formula_ == TERMS


def test_a_loaded_model_says_the_same(model, rows, tmp_path):
    model.save(tmp_path / "model.json")
    loaded = pugam.load(tmp_path / "model.json")

    features = rows.drop(columns="z")
    np.testing.assert_array_equal(loaded.predict_proba(features), model.predict_proba(features))
    for term in ("dose", "age", "size"):
        pd.testing.assert_frame_equal(loaded.effect(term), model.effect(term))
        pd.testing.assert_frame_equal(loaded.effect(term, simultaneous=True), model.effect(term, simultaneous=True))
    assert loaded.test("dose") == model.test("dose")
    assert loaded.odds_ratio("dose", -1.0, 1.0) == model.odds_ratio("dose", -1.0, 1.0)
    assert loaded.pi_interval() == model.pi_interval()
    np.testing.assert_array_equal(loaded.covariance("frequentist"), model.covariance("frequentist"))
    assert [basis.spec for basis in loaded._design.bases] == [basis.spec for basis in model._design.bases]


def test_a_stream_gives_the_same(model, rows, tmp_path, monkeypatch):
    monkeypatch.setattr("pugam.engines.file_rows.BATCH_ROWS", 401)
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.Table.from_pandas(rows, preserve_index=False), path, row_group_size=500)

    streamed = PUGAM(TERMS, shrinkage="never", engine="stream").fit(path, "z")

    assert streamed.pi_ == pytest.approx(model.pi_, abs=1e-8)
    np.testing.assert_allclose(streamed.coef_, model.coef_, atol=1e-6)
    resamples = streamed.bootstrap(3, random_state=0)
    assert resamples.converged.all()


def test_the_gpu_gives_the_same(model, rows, monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr("pugam.engines.gpu.choose_device", lambda: torch.device("cpu"))
    there = fit(rows, engine="gpu")

    assert there.pi_ == pytest.approx(model.pi_, abs=1e-6)
    np.testing.assert_allclose(there.coef_, model.coef_, atol=1e-5)
    assert there.bootstrap(3, random_state=0).converged.all()


@pytest.mark.long
def test_both_solvers_agree(model, rows):
    given = {"smoothing": model.smoothing_, "debias": False}
    newton, em = (fit(rows, solver=solver, n_starts=1, max_iter=5_000, **given) for solver in ("newton", "em"))

    assert em.penalized_loglik_ == pytest.approx(newton.penalized_loglik_, abs=0.01)
    assert em.pi_ == pytest.approx(newton.pi_, abs=0.01)


def test_resamples_have_the_shapes(model):
    resamples = model.bootstrap(20, random_state=0)

    assert np.diff(resamples.effect("dose", GRID), axis=1).min() > -1e-9
    assert np.diff(resamples.effect("size", GRID), axis=1).max() < 1e-9
    assert np.diff(resamples.effect("age", GRID), n=2, axis=1).max() < 1e-9
    interval = resamples.interval()
    assert interval.lower < model.pi_ < interval.upper
    anew = model.bootstrap(2, random_state=0, smoothing="reselect")
    assert np.diff(anew.effect("dose", GRID), axis=1).min() > -1e-9


def test_shrunken_curves_have_the_shapes(rows):
    shrunken = PUGAM(TERMS, shrinkage="always").fit(rows.drop(columns="z"), rows["z"])

    assert shrunken.shrinkage_ is not None
    assert_shaped(shrunken)
    band = shrunken.effect("dose", GRID)
    assert np.diff(band.lower).min() > -1e-9
    assert np.diff(band.upper).min() > -1e-9


def test_pi_may_be_known(rows):
    known = fit(rows, pi=0.4)

    assert known.pi_ == 0.4
    assert_shaped(known)


@pytest.mark.parametrize("smoothing", [pytest.param("aic", marks=pytest.mark.long), 0.1])
def test_other_ways_to_smooth_work(rows, smoothing):
    assert_shaped(fit(rows, smoothing=smoothing, n_starts=3))


def test_summary_diagnosis_pictures_and_report_are_made(model, rows, tmp_path):
    assert "s(dose)" in str(model.summary())
    assert model.diagnose().verdict
    assert len(model.plot().axes) >= 4
    model.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_the_profile_of_pi_is_that_of_shaped_curves(model):
    wald, profile = model.pi_interval(), model.pi_interval(method="profile")

    assert profile.lower == pytest.approx(wald.lower, abs=0.08)
    assert profile.upper == pytest.approx(wald.upper, abs=0.08)
    held = model.sensitivity([0.3, 0.5])
    for coef in held.coef:
        assert (model._design.constraints @ coef).min() > -1e-9


@pytest.mark.long
def test_rows_of_weight_two_are_rows_that_stand_twice(rows):
    weights = np.random.default_rng(1).integers(1, 3, N)
    weighted = PUGAM(TERMS, smoothing=0.1, shrinkage="never", tol=1e-8)
    weighted.fit(rows.drop(columns="z"), rows["z"], sample_weight=weights)
    repeated = fit(rows.loc[np.repeat(rows.index, weights)], smoothing=0.1, tol=1e-8)

    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-5)
