"""Curves and their bands, and intervals: levels, limits and where they are cut."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from pugam.data import read_table
from pugam.errors import InputError
from pugam.inference import default_grid, effect_table, wald_interval_log
from pugam.terms import f, l, s
from pugam.terms.bases import resolve_term

ANYWHERE = (0.0, 1.0)
NUMBERS = np.append(np.linspace(2.0, 6.0, 50), np.nan)
TERMS = {
    "smooth": (s("x", k=6), NUMBERS[:-1], [2.0, 3.5, 6.0, 7.0]),
    "linear": (l("x"), NUMBERS[:-1], [2.0, 4.5, 9.0]),
    "factor": (f("x"), ["a", "b", "c", "a"], ["c", "a"]),
    "numeric factor": (f("x"), [1.0, 2.0, 3.0], [3.0, 1.0, 2.0]),
    "smooth with gaps": (s("x", k=6, missing="effect"), NUMBERS, [2.0, np.nan, 6.0]),
    "factor with gaps": (f("x", missing="effect"), ["a", "b", None], [None, "b"]),
}


@pytest.fixture(params=TERMS)
def example(request):
    """A term that met its column, a grid, coefficients and a covariance."""
    spec, values, grid = TERMS[request.param]
    basis = resolve_term(spec, read_table(pd.DataFrame({"x": values})).column("x"))
    rng = np.random.default_rng(6)
    size = len(basis.roughness)
    root = rng.normal(size=(size, size))
    return basis, grid, rng.normal(size=size), root @ root.T


def columns_at(basis, grid):
    """One row of model columns for each value of the grid."""
    table = read_table(pd.DataFrame({"x": list(grid)}))
    return basis.columns(basis.encode(table.column("x")))


def test_curve_and_standard_error_are_the_linear_and_the_quadratic_form(example):
    basis, grid, theta, covariance = example

    table = effect_table(basis, grid, theta, covariance, 0.95)

    for number, row in enumerate(columns_at(basis, grid)):
        assert table["u"][number] == pytest.approx(row @ theta, rel=1e-12)
        assert table["se"][number] == pytest.approx(np.sqrt(row @ covariance @ row), rel=1e-9)
    assert len(table["u"]) == len(grid)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_limits_hold_the_level(example, level):
    table = effect_table(*example, level)

    np.testing.assert_allclose(norm.cdf(table["upper"], table["u"], table["se"]), 0.5 + level / 2.0, rtol=1e-9)
    np.testing.assert_allclose(norm.cdf(table["lower"], table["u"], table["se"]), 0.5 - level / 2.0, rtol=1e-6)


def test_missing_values_are_shown_last_where_they_have_an_effect():
    grids = {}
    for name, (spec, values, _) in TERMS.items():
        grids[name] = default_grid(resolve_term(spec, read_table(pd.DataFrame({"x": values})).column("x")))

    for name in ("smooth", "linear", "smooth with gaps"):
        numbers = grids[name][:100]
        np.testing.assert_allclose(numbers, np.linspace(2.0, 6.0, 100))
    assert len(grids["smooth"]) == 100
    assert np.isnan(grids["smooth with gaps"][100])
    assert grids["factor"].tolist() == ["a", "b", "c"]
    assert grids["factor with gaps"].tolist() == ["a", "b", None]
    assert grids["numeric factor"].tolist() == [1.0, 2.0, 3.0]


def test_the_default_grid_can_be_evaluated(example):
    basis, _, theta, covariance = example
    grid = default_grid(basis)

    table = effect_table(basis, grid, theta, covariance, 0.95)

    assert np.isfinite(table["u"]).all()
    assert len(table["x"]) == len(grid)


def test_a_grid_of_text_for_a_smooth_is_refused():
    basis = resolve_term(s("x", k=6), read_table(pd.DataFrame({"x": NUMBERS[:-1]})).column("x"))

    with pytest.raises(InputError, match=r"s\(x\): a grid is a list of"):
        effect_table(basis, ["low", "high"], np.zeros(5), np.eye(5), 0.95)


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_the_interval_of_pi_is_symmetric_on_the_log_scale_and_holds_its_level(level):
    interval = wald_interval_log(0.3, 0.04, level, ANYWHERE)
    half = norm.ppf(0.5 + level / 2.0) * 0.2

    assert interval.lower == pytest.approx(0.3 * np.exp(-half), rel=1e-9)
    assert interval.upper == pytest.approx(0.3 * np.exp(half), rel=1e-9)
    assert interval.lower * interval.upper == pytest.approx(0.3**2, rel=1e-9)
    assert (interval.estimate, interval.level) == (0.3, level)


@pytest.mark.parametrize("log_variance", [0.25, 1e10])
def test_the_interval_of_pi_is_cut_at_the_limits_of_what_pi_may_be(log_variance):
    assert wald_interval_log(0.9, log_variance, 0.95, ANYWHERE).upper == 1.0
    bounded = wald_interval_log(0.5, log_variance, 0.95, (0.4, 0.6))
    assert (bounded.lower, bounded.upper) == (0.4, 0.6)


def test_an_interval_prints_its_estimate_level_and_limits():
    assert str(wald_interval_log(0.3, 0.04, 0.95, ANYWHERE)) == "0.300 (95% interval 0.203 to 0.444)"


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0, -0.5])
def test_a_level_that_is_no_probability_is_refused(level):
    with pytest.raises(InputError, match="level is a probability strictly between 0 and 1"):
        wald_interval_log(0.3, 0.04, level, ANYWHERE)
