"""Random effects: shrunken level effects with an estimated variance."""

import numpy as np
import pandas as pd
import pytest

import pugam
from pugam import PUGAM, InputError, f, r
from pugam.data import Column
from pugam.datasets import simulate
from pugam.terms import parse_formula
from pugam.terms.missing import resolve_term

LEVELS = ["a", "b", "c", "d"]


def column(values):
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return Column("site", "category", objects)


def with_clinics(spread, n_clinics=40, n_rows=3000, seed=0):
    """Rows of Setting 2 and a column of clinics, which tell positives from negatives by effects of this spread."""
    data = simulate(2, n0=n_rows // 2, n=n_rows, pi=0.4, random_state=seed)
    rng = np.random.default_rng(seed)
    effects = spread * rng.standard_normal(n_clinics)
    weights = np.exp(effects) / np.exp(effects).sum()
    positive = np.where(data.z == 1, True, data.y == 1)
    clinics = np.where(positive, rng.choice(n_clinics, n_rows, p=weights), rng.choice(n_clinics, n_rows))
    return data.X.assign(clinic=[f"clinic {number:02}" for number in clinics]), data.z, effects


def test_each_level_has_a_column_under_one_ridge():
    basis = resolve_term(r("site"), [column(LEVELS)])
    encoded = basis.encode([column(["b", "elsewhere", "d"])])
    np.testing.assert_array_equal(basis.columns(encoded), [[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]])
    assert [penalty.diagonal.tolist() for penalty in basis.penalties] == [[1.0, 1.0, 1.0, 1.0]]
    theta = np.array([1.0, 2.0, 3.0, 4.0])
    np.testing.assert_array_equal(basis.effect(encoded, theta), [2.0, 0.0, 4.0])
    np.testing.assert_array_equal(basis.pieces(basis.places(encoded)), basis.columns(encoded))


def test_unseen_levels_can_be_refused():
    basis = resolve_term(r("site", unseen="error"), [column(LEVELS)])
    with pytest.raises(InputError, match="'elsewhere' in row 1 was not seen"):
        basis.encode([column(["a", "elsewhere"])])


def test_the_formula_reads_back():
    (term,) = parse_formula("r(site, missing='effect', unseen='error')")
    assert term == r("site", missing="effect", unseen="error")
    assert parse_formula(term.formula) == [term]


def test_effects_follow_the_truth_and_are_shrunken():
    X, z, effects = with_clinics(spread=1.0, n_clinics=15)
    terms = "s(x1) + s(x2) + s(x3) + s(x4) + s(x5)"
    random, fixed = PUGAM(f"{terms} + r(clinic)").fit(X, z), PUGAM([terms, f("clinic")]).fit(X, z)
    u, u_fixed = (model.effect("clinic")["u"].to_numpy() for model in (random, fixed))
    assert np.corrcoef(u, effects)[0, 1] > 0.8
    assert u.std() < u_fixed.std()
    # Half the inverse variance: a variance of 15 effects has a standard error of 37%, and these are not seen exactly.
    assert 0.3 < 0.5 / random.smoothing_["clinic"] / effects.var() < 3.0
    error, error_fixed = (np.mean((values - effects) ** 2) for values in (u - u.mean() + effects.mean(), u_fixed))
    assert error < error_fixed


def test_effects_that_are_none_vanish():
    X, z, _ = with_clinics(spread=0.0)
    model = PUGAM("s(x1) + s(x2) + s(x3) + s(x4) + s(x5) + r(clinic)").fit(X, z)
    assert model.effect("clinic")["u"].abs().max() < 0.3
    assert model.test("r(clinic)").pvalue > 0.01


def test_saved_and_loaded_it_predicts_the_same(tmp_path):
    X, z, _ = with_clinics(spread=1.0, n_clinics=5, n_rows=600)
    X.loc[::50, "clinic"] = None
    model = PUGAM("s(x1) + s(x2) + r(clinic, missing='effect')").fit(X, z)
    model.save(tmp_path / "model.json")
    loaded = pugam.load(tmp_path / "model.json")
    new = pd.concat([X.head(60), X.head(1).assign(clinic="a new one")])
    np.testing.assert_array_equal(loaded.predict_proba(new), model.predict_proba(new))
    assert loaded.formula_ == model.formula_
