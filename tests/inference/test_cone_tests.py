"""Tests of terms with a shape: their distribution where it is known, and what they say of whole models."""

import numpy as np
import pytest

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.inference.cone_tests import _statistics, cone_test, rows_on
from pugam.inference.distributions import weighted_chi2_sf
from pugam.solvers import Canonical


def block(z, shares):
    size = len(z)
    return Canonical(np.eye(size), np.asarray(z, dtype=float), 1.0 / np.asarray(shares) - 1.0, np.ones(size, bool))


@pytest.mark.parametrize("first", [0.5, 3.0, *(pytest.param(value, marks=pytest.mark.long) for value in (2.0, 6.0))])
@pytest.mark.parametrize("shares", [[1.0, 1e-6, 1e-6], [1.0, 0.6, 0.2, 0.05], [1.0, 1.0, 1.0, 1.0, 1.0]])
def test_a_half_space_halves_the_chi_squares(shares, first):
    z = np.full(len(shares), 0.5)
    z[0] = first

    found = cone_test(block(z, shares), np.eye(len(shares))[:1])

    shares = np.array(shares)
    assert found.statistic == pytest.approx(np.sum(shares * z**2))
    expected = [weighted_chi2_sf(found.statistic, some) for some in (shares, shares[1:])]
    # The average over 4000 directions has a relative error of some hundredths, more where p is very small.
    assert found.pvalue == pytest.approx(np.mean(expected), rel=0.25 if found.pvalue < 0.01 else 0.1)
    assert found.mean == pytest.approx(shares.sum() - 0.5, rel=0.05)


def test_an_orthant_mixes_all_degrees_of_freedom():
    found = cone_test(block([2.0, 1.0, -1.0], np.ones(3)), np.eye(3))

    assert found.statistic == pytest.approx(5.0)
    binomial = np.array([1.0, 3.0, 3.0, 1.0]) / 8.0
    chi2 = [0.0, *(weighted_chi2_sf(5.0, np.ones(df)) for df in (1, 2, 3))]
    assert found.pvalue == pytest.approx(binomial @ chi2, rel=0.1)


def test_what_points_away_from_the_cone_is_no_evidence():
    found = cone_test(block([-3.0, -2.0], np.ones(2)), np.eye(2))

    assert (found.statistic, found.pvalue) == (0.0, 1.0)


def test_pvalues_are_shares_of_larger_statistics():
    rng = np.random.default_rng(0)
    rows, shares, many = rng.standard_normal((3, 4)), [1.0, 0.8, 0.3, 0.1], rng.standard_normal((4000, 4))
    order = np.argsort(_statistics(block(many[0], shares), rows, many))

    for level in (0.05, 0.2, 0.4):  # four standard errors of 4000 draws, on either side
        found = cone_test(block(many[order[round(4000 * (1.0 - level))]], shares), rows)
        assert found.pvalue == pytest.approx(level, abs=4.0 * np.sqrt(2.0 * level * (1.0 - level) / 4000))


# Whole models


@pytest.fixture(scope="module")
def model():
    data = simulate(2, n0=800, n=1000, random_state=1)
    formula = "s(x1, shape='increasing') + s(x2, shape='convex') + s(x3, shape='decreasing') + s(x4)"
    return PUGAM(formula, shrinkage="never").fit(data.X, data.z)


def test_only_constraints_on_the_tested_coefficients_alone_count(model):
    design = model._design
    first, second = (np.arange(design.n_columns)[design.blocks[number]] for number in (0, 1))

    assert rows_on(design, first).shape == (9, 9)
    assert rows_on(design, first[1:]).shape == (0, 8)  # a line may be increasing, too
    assert rows_on(design, second[1:]).shape == (8, 8)  # but it does not bend
    assert rows_on(design, np.concatenate([first, second])).shape == (17, 18)


def test_a_shape_that_the_data_contradict_is_no_effect(model):
    result = model.test("x3")

    assert (result.statistic, result.pvalue) == (0.0, 1.0)
    assert model.test("x1").pvalue < 1e-4


def test_the_reference_says_which_distribution_it_is(model):
    assert model.test("x1").reference == "chi-bar-square"
    assert model.test("x2", null="linear").reference == "chi-bar-square"
    assert model.test("x1", null="linear").reference == "weighted sum of chi-squares, and one for waves"
    assert model.test(["x1", "x4"]).reference == "chi-bar-square"
    assert model.test("x4").reference != "chi-bar-square"


def test_the_model_under_the_null_hypothesis_keeps_the_other_shapes(model):
    linear = model.test("x2", null="linear", refit=True)

    assert linear.null_loglik < model.loglik_
    assert model.test("x2", refit=True).null_loglik < linear.null_loglik
