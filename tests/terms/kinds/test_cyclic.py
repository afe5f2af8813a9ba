"""Cyclic smooths: a period without a seam."""

import numpy as np
import pytest

import pugam
from pugam import PUGAM, InputError, s
from pugam.data import Column
from pugam.datasets import simulate
from pugam.terms import parse_formula
from pugam.terms.missing import resolve_term
from pugam.terms.splines import cyclic_basis

NODES = (np.arange(20_000) + 0.5) / 20_000


def month_basis(**options):
    values = np.tile(np.arange(1.0, 13.0), 5)
    return resolve_term(s("month", cyclic=True, **options), [Column("month", "numeric", values)])


@pytest.mark.parametrize("k", [3, 4, 10])
def test_functions_are_centred_orthonormal_and_bend_as_much_as_they_say(k):
    basis = cyclic_basis(k)
    values, bends = basis(NODES), basis.derivative().derivative()(NODES)
    assert values.shape == (len(NODES), k - 1)
    # The midpoint rule with 20,000 nodes is good to about 1e-8 for cubics, relatively.
    np.testing.assert_allclose(values.mean(axis=0), 0.0, atol=1e-7)
    np.testing.assert_allclose(values.T @ values / len(NODES), np.eye(k - 1), atol=1e-6)
    np.testing.assert_allclose(bends.T @ bends / len(NODES), np.diag(basis.roughness), atol=1e-5 * basis.roughness[-1])
    assert (basis.roughness > 0.0).all()


def test_values_and_two_derivatives_match_at_the_seam():
    functions = cyclic_basis(8)
    just_before = np.array([1.0 - 1e-12])
    for _ in range(3):
        np.testing.assert_allclose(functions(just_before), functions(np.zeros(1)), atol=1e-6)
        functions = functions.derivative()


def test_whole_numbers_have_a_step_behind_the_last():
    basis = month_basis()
    assert (basis.lower, basis.upper) == (0.5, 12.5)
    encoded = np.array([1.0, 13.0, -11.0])
    columns = basis.columns(encoded)
    np.testing.assert_allclose(columns, columns[[0, 0, 0]], atol=1e-9)


def test_other_numbers_have_their_range_or_the_bounds_given():
    hours = Column("hour", "numeric", np.linspace(0.25, 23.75, 500))
    seen = resolve_term(s("hour", cyclic=True), [hours])
    given = resolve_term(s("hour", cyclic=True, bounds=(0, 24)), [hours])
    assert (seen.lower, seen.upper) == (0.25, 23.75)
    assert (given.lower, given.upper) == (0.0, 24.0)


def test_derivatives_are_differences():
    basis = month_basis()
    x, step = np.array([0.7, 3.3, 12.4]), 1e-6
    slope = (basis.columns(x + step) - basis.columns(x - step)) / (2.0 * step)
    np.testing.assert_allclose(basis.slopes(x), slope, atol=1e-6)


@pytest.mark.parametrize("options", [{"knots": "quantile"}, {"scale": "log"}, {"shape": "increasing"}])
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(InputError, match="a cyclic term has even knots, no logarithms and no shape"):
        s("month", cyclic=True, **options)


def test_there_is_no_line_to_test():
    assert month_basis().bends is None


@pytest.fixture(scope="module")
def seasonal():
    """Rows whose positives have a season: twenty times as many in January as in July."""
    data = simulate(2, n0=1000, n=2500, pi=0.4, random_state=4)
    rng = np.random.default_rng(4)
    months = np.arange(1, 13)
    season = np.exp(1.5 * np.cos(2.0 * np.pi * (months - 1) / 12.0))
    positive = np.where(data.z == 1, True, data.y == 1)
    drawn = np.where(positive, rng.choice(months, 2500, p=season / season.sum()), rng.choice(months, 2500))
    return data.X.assign(month=drawn), data.z


def test_a_season_is_found(seasonal, tmp_path):
    X, z = seasonal
    model = PUGAM("s(x1) + s(x2) + s(x3) + s(x4) + s(x5) + s(month, cyclic=True)").fit(X, z)
    curve = model.effect("month", [1, 4, 7, 10])["u"].to_numpy()
    # Three standard errors, of about 0.35 each.
    np.testing.assert_allclose(curve, [1.5, 0.0, -1.5, 0.0], atol=1.05)
    assert model.odds_ratio("month", 7, 1).lower > 1.0
    assert model.odds_ratio("month", 1, 13).estimate == pytest.approx(1.0, abs=1e-9)
    assert parse_formula(model.formula_)[-1] == s("month", cyclic=True)
    model.save(tmp_path / "model.json")
    loaded = pugam.load(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
