"""Differences between two fits: of shares, with limits from theirs, and of effects, where both have seen values."""

import numpy as np
import pandas as pd
import pytest

from pugam.data import read_table
from pugam.inference import ColumnDigest, Curves, Interval, compare_effects, share_change
from pugam.terms import Design, parse_formula


def curves(formula, slope=1.0, variance=0.01, **columns):
    design = Design.resolve(parse_formula(formula), read_table(pd.DataFrame(columns)))
    return Curves(design, np.full(design.n_columns, slope), variance * np.eye(design.n_columns))


def numbers(low, high):
    return np.linspace(low, high, 30)


def test_limits_of_a_difference_come_from_those_of_both_shares():
    old, new = Interval(0.4, 0.3, 0.6, 0.95, "wald"), Interval(0.3, 0.26, 0.32, 0.95, "wald")

    change = share_change(old, new)

    assert change.estimate == pytest.approx(-0.1)
    assert change.lower == pytest.approx(-0.1 - np.hypot(0.04, 0.2))
    assert change.upper == pytest.approx(-0.1 + np.hypot(0.02, 0.1))


def test_a_difference_of_shares_is_covered_as_often_as_it_says():
    rng = np.random.default_rng(0)
    draws = 0.3 + 0.05 * rng.standard_normal((4000, 2))
    half = 1.959964 * 0.05
    changes = [share_change(*(Interval(p, p - half, p + half, 0.95, "wald") for p in pair)) for pair in draws]

    covered = np.mean([change.lower < 0.0 < change.upper for change in changes])

    assert covered == pytest.approx(0.95, abs=3 * np.sqrt(0.95 * 0.05 / 4000))


def test_effects_are_centred_where_both_fits_have_seen_values():
    old, new = curves("x", x=numbers(0.0, 10.0)), curves("x", x=numbers(5.0, 15.0))

    (change,) = compare_effects(old, new)

    assert [float(point) for point in (change.points[0], change.points[-1])] == [5.0, 10.0]
    assert change.difference == pytest.approx(0.0, abs=1e-12)
    assert change.old.mean() == pytest.approx(0.0, abs=1e-12)
    assert change.pvalue > 0.99


def test_effects_are_centred_over_the_rows_of_the_newer_fit():
    old, new = (
        curves("x + f(g)", x=numbers(0.0, 10.0), g=["a", "b"] * 15),
        curves("x + f(g)", x=numbers(0.0, 10.0), g=["a", "b"] * 15),
    )
    skewed = ColumnDigest("x", 900.0, 0.0, 10.0 * np.linspace(0.0, 1.0, 101) ** 2, {})
    levels = ColumnDigest("g", 900.0, 0.0, None, {"a": 0.9, "b": 0.1})

    line, factor = compare_effects(old, new._replace(columns=(skewed, levels)))

    x = np.array([float(point) for point in line.points])
    assert np.interp(0.0, line.old, x) == pytest.approx(10.0 / 3.0, abs=0.1)  # the mean of the quantiles; steps are 0.2
    assert factor.new @ [0.9, 0.1] == pytest.approx(0.0, abs=1e-12)


def test_the_standard_error_adds_those_of_both_fits():
    old, new = (curves("x", slope, variance, x=numbers(0.0, 1.0)) for slope, variance in ((1.0, 0.04), (2.0, 0.09)))

    (change,) = compare_effects(old, new)
    at = change.largest
    column = change.old[at]  # its slope is one

    assert change.difference[at] == pytest.approx(column)
    assert change.se[at] == pytest.approx(abs(column) * np.sqrt(0.04 + 0.09))


def test_a_line_is_tested_as_one_number():
    old, new = (curves("x", slope, 0.005, x=numbers(0.0, 1.0)) for slope in (1.0, 1.2))

    (change,) = compare_effects(old, new)

    assert change.pvalue == pytest.approx(0.0455, abs=0.008)  # of 0.2 with a standard error of 0.1, by 10,000 draws


def test_levels_that_both_have_are_compared():
    old = curves("f(site)", site=["a", "b", "c"] * 10)
    new = curves("f(site)", site=["b", "c", "d"] * 10)

    assert next(compare_effects(old, new)).points == ["b", "c"]


@pytest.mark.parametrize(
    ("texts", "values"), [(["True", "False"], [True, False]), (["01", "2.0", "3"], [1, 2.0, 3]), (["a", "1"], ["a", 1])]
)
def test_levels_of_text_are_those_of_a_file_that_knows_their_type(texts, values):
    """As in predictions, whichever of the two fits is the older one; so are the shares of rows that have them."""
    sites = [{"site": pd.Categorical(levels * 10)} for levels in (texts, values)]
    for old, new in (sites, sites[::-1]):
        (change,) = compare_effects(curves("f(site)", **old), curves("f(site)", **new))

        assert len(change.points) == len(texts)
        assert sorted(change.old) == pytest.approx(sorted(change.new))


def test_texts_that_are_spelt_otherwise_are_two_levels():
    old, new = curves("f(site)", site=["01", "02"] * 10), curves("f(site)", site=["1", "2"] * 10)

    assert next(compare_effects(old, new)).points == []


def test_surfaces_are_compared_on_a_grid_of_both_columns():
    rng = np.random.default_rng(1)
    tables = ({"x": rng.random(50), "y": rng.random(50)} for _ in range(2))
    old, new = (curves("ti(x, y)", **table) for table in tables)

    assert len(next(compare_effects(old, new)).points) == 225


def test_ranges_without_a_common_part_have_no_difference():
    old, new = curves("x", x=numbers(0.0, 1.0)), curves("x", x=numbers(2.0, 3.0))

    (change,) = compare_effects(old, new)

    assert change.points == []
    assert change.largest is None
    assert np.isnan(change.pvalue)


def test_only_terms_of_both_are_compared():
    old = curves("x + y", x=numbers(0.0, 1.0), y=numbers(0.0, 1.0))
    new = curves("x + s(y)", x=numbers(0.0, 1.0), y=numbers(0.0, 1.0))

    assert [change.term for change in compare_effects(old, new)] == ["l(x)"]
