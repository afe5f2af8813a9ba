"""pi by marginal likelihood, as a whole: interactions where there are some, the same for rows in any order."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from pugam import PUGAM, load, s
from pugam.datasets import simulate
from pugam.errors import PugamWarning
from pugam.solvers import TUNING, MarginalFit, ShrunkenFit, marginal

PI = 0.4


def crossed(n=1500, size=12.0, seed=0):
    """Features whose effects do not add up: labelled positives, and as many rows with a share of hidden ones."""
    rng = np.random.default_rng(seed)

    def draw(label, count):
        found = np.empty((0, 3))
        while len(found) < count:
            X = rng.random((4096, 3))
            odds = 6.0 * (X.sum(axis=1) - 1.5) + size * (X[:, 0] - 0.5) * (X[:, 1] - 0.5) * 2.0
            found = np.vstack([found, X[rng.random(4096) < expit(odds if label else -odds)]])
        return found[:count]

    hidden = round(PI * n)
    X = np.vstack([draw(1, n + hidden), draw(0, n - hidden)])
    return pd.DataFrame(X, columns=["x1", "x2", "x3"]), np.repeat([1, 0], [n, n])


@pytest.fixture(scope="module")
def found():
    X, z = crossed()
    return X, z, PUGAM(estimate="marginal").fit(X, z)


def test_interactions_are_found_and_pi_with_them(found):
    _, _, model = found
    assert isinstance(model._fit, MarginalFit)
    assert "ti(x1, x2)" in model._fit.added
    interval = model.pi_interval()
    assert interval.method == "marginal"
    assert interval.lower < PI < interval.upper
    assert "ti(x1, x2" in model.formula_


def test_without_interactions_pi_is_off(found):
    X, z, model = found
    additive = PUGAM(estimate="marginal", interactions=None).fit(X, z)
    assert additive._fit.added == ()
    assert additive.pi_ == pytest.approx(model._fit.search.pi, abs=1e-6)
    assert abs(additive.pi_ - PI) > abs(model.pi_ - PI)


@pytest.mark.parametrize("interactions", [1, [("x1", "x2")]])
def test_interactions_may_be_counted_or_given(found, interactions):
    X, z, model = found
    other = PUGAM(estimate="marginal", interactions=interactions).fit(X, z)
    assert [term for term in other.formula_.split(" + ") if term.startswith("ti(")] != []
    assert other.pi_ == pytest.approx(model.pi_, abs=0.05)


@pytest.mark.parametrize("seeds", [1, pytest.param(5, marks=pytest.mark.long)])
def test_nothing_is_added_where_effects_add_up(seeds):
    for seed in range(seeds):
        data = simulate(2, n0=1250, n=1500, random_state=seed)
        assert PUGAM(estimate="marginal").fit(data.X, data.z)._fit.added == ()


def test_the_order_of_rows_does_not_matter(found):
    X, z, model = found
    order = np.random.default_rng(1).permutation(len(z))
    again = PUGAM(estimate="marginal").fit(X.iloc[order].reset_index(drop=True), z[order])
    width = model.pi_interval().upper - model.pi_interval().lower
    assert abs(again.pi_ - model.pi_) < 0.05 * width


def test_a_saved_model_says_the_same(found, tmp_path):
    X, _, model = found
    model.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.pi_interval() == model.pi_interval()
    assert again._fit.search == model._fit.search
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))


def test_odds_ratios_average_over_a_column_that_is_not_given(found):
    _, _, model = found
    alone = model.odds_ratio("x1", 0.2, 0.8)
    low, high = model._design.bases[1].axes[0].lower, model._design.bases[1].axes[0].upper
    values = low + (np.arange(400) + 0.5) / 400 * (high - low)
    each = [model.odds_ratio({"x1": 0.2, "x2": x2}, {"x1": 0.8, "x2": x2}).estimate for x2 in values]
    assert alone.lower > 1.0
    assert np.log(alone.estimate) == pytest.approx(np.mean(np.log(each)), abs=1e-3)


def test_few_rows_for_many_columns_are_shrunken():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 30)))
    z = np.repeat([1, 0], 100)
    X.iloc[:100, :2] += 1.0
    assert isinstance(PUGAM(estimate="marginal").fit(X, z)._fit, ShrunkenFit)


def test_refits_follow_their_rows(found):
    _, _, model = found
    boot = model.bootstrap(8, random_state=0)
    assert boot.pi.std() > 0.0
    assert abs(boot.pi.mean() - model.pi_) < 0.05


def test_what_the_evidence_is_not_for_takes_the_mode():
    data = simulate(1, n0=400, n=600, random_state=0)
    for changed in ({"pi": 0.4}, {"solver": "em"}, {"smoothing": 1.0}, {"shrinkage": "never"}, {"debias": False}):
        model = PUGAM("s(x1, k=5) + x2", estimate="marginal", **changed).fit(data.X, data.z)
        assert not isinstance(model._fit, MarginalFit)


def test_levels_without_labelled_rows_are_told():
    X, z = crossed(n=400)
    rng = np.random.default_rng(2)
    X["site"] = np.where(z == 1, "a", rng.choice(["a", "b", "c"], len(z)))
    X.loc[(z == 1) & (rng.random(len(z)) < 0.5), "site"] = "b"
    with pytest.warns(PugamWarning, match="no labelled rows, or only labelled ones: site = 'c'"):
        model = PUGAM().fit(X, z)
    assert model.diagnose().verdict != "well determined"


def long_tailed(n=2000, spread=1.5):
    """Two features whose logarithms are normal, one standard deviation higher for positives."""
    rng = np.random.default_rng(0)
    positive = np.concatenate([np.ones(n // 4), rng.random(n - n // 4) < PI])
    X = np.exp(spread * (rng.normal(size=(n, 2)) + positive[:, None]))
    return pd.DataFrame(X, columns=["x0", "x1"]), (np.arange(n) < n // 4).astype(int)


def test_the_scale_with_the_highest_evidence_is_kept():
    X, z = long_tailed()
    evidence = {}
    for scale in ("linear", "log", "auto"):
        model = PUGAM([s("x0", scale=scale), s("x1", scale=scale)], check=False).fit(X, z)
        evidence[scale] = model._fit.curve.values.max()
    assert evidence["auto"] == pytest.approx(max(evidence["linear"], evidence["log"]), abs=1e-4)
    assert evidence["log"] > evidence["linear"] + 10.0


@pytest.mark.parametrize(("far_below", "n_scales"), [(100.0, 2), (5.0, 1)])
def test_a_scale_far_below_is_not_climbed(monkeypatch, far_below, n_scales):
    """The linear scale begins lower than that of logarithms, but as a rule not so far that it is left out."""
    X, z = long_tailed()
    climbed, as_it_is = [], marginal.ascend

    def ascend(model, start, *range_, **options):
        if model.engine.n_rows == len(X):
            climbed.append(model)
        return as_it_is(model, start, *range_, **options)

    monkeypatch.setattr(marginal, "ascend", ascend)
    monkeypatch.setattr(marginal, "TUNING", replace(TUNING, far_below=far_below))
    PUGAM(interactions=None, check=False).fit(X, z)
    assert len({id(model) for model in climbed}) == n_scales
