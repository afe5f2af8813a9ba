"""Curves and their bands, and intervals: levels, limits and where they are cut."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from pugam.data import Column, read_table
from pugam.errors import InputError, PugamWarning
from pugam.inference import contrast, curve_columns, default_grid, effect_table, wald_interval_log
from pugam.inference.effects import simultaneous_quantile
from pugam.terms import Design, f, l, s
from pugam.terms.missing import resolve_term
from surface import Surface

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
    basis = resolve_term(spec, [read_table(pd.DataFrame({"x": values})).column("x")])
    rng = np.random.default_rng(6)
    size = basis.size
    root = rng.normal(size=(size, size))
    return basis, grid, rng.normal(size=size), root @ root.T


def columns_at(basis, grid):
    """One row of model columns for each value of the grid."""
    table = read_table(pd.DataFrame({"x": list(grid)}))
    return basis.columns(basis.encode([table.column("x")]))


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
        grids[name] = default_grid(resolve_term(spec, [read_table(pd.DataFrame({"x": values})).column("x")]))

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
    basis = resolve_term(s("x", k=6), [read_table(pd.DataFrame({"x": NUMBERS[:-1]})).column("x")])

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


# Simultaneous bands


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("n_points", [1, 2, 10, 50])
def test_the_simultaneous_quantile_of_independent_points_is_that_of_their_maximum(n_points, level):
    exact = norm.ppf(0.5 + 0.5 * level ** (1.0 / n_points))

    quantile = simultaneous_quantile(np.eye(n_points), np.diag(np.arange(1.0, n_points + 1.0)), level)

    # 10 000 draws: half a percent of the quantile at 0.95, 1.2 percent at the median of one point.
    assert quantile == pytest.approx(exact, rel=0.02)


def test_points_that_move_together_count_once():
    columns = np.outer([1.0, 2.0, -3.0, 0.5], [1.0, 0.0])

    assert simultaneous_quantile(columns, np.eye(2), 0.95) == pytest.approx(norm.ppf(0.975), rel=0.02)


def test_points_without_variance_do_not_count():
    columns = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])

    assert simultaneous_quantile(columns, np.eye(2), 0.95) == simultaneous_quantile(np.eye(2), np.eye(2), 0.95)
    assert simultaneous_quantile(columns, np.zeros((2, 2)), 0.95) == 0.0


def test_a_simultaneous_band_is_wider_than_a_pointwise_one_by_the_same_factor_everywhere(example):
    pointwise, together = (effect_table(*example, 0.95, simultaneous) for simultaneous in (False, True))
    basis, grid, _, covariance = example

    np.testing.assert_array_equal(together["u"], pointwise["u"])
    np.testing.assert_array_equal(together["se"], pointwise["se"])
    factor = (together["upper"] - together["u"]) / together["se"]
    expected = max(norm.ppf(0.975), simultaneous_quantile(curve_columns(basis, grid), covariance, 0.95))
    np.testing.assert_allclose(factor, expected, rtol=1e-9)
    np.testing.assert_allclose(together["u"] - together["lower"], together["upper"] - together["u"], rtol=1e-9)
    assert (together["upper"] >= pointwise["upper"]).all()
    if basis.size > 2:
        assert factor[0] > 1.05 * norm.ppf(0.975)


def test_a_simultaneous_band_holds_the_whole_curve_with_its_level():
    # 4000 curves: a share of 0.9 has a standard error of 0.005; the quantile adds as much. Four standard errors.
    spec, values, _ = TERMS["smooth"]
    basis = resolve_term(spec, [read_table(pd.DataFrame({"x": values})).column("x")])
    rng = np.random.default_rng(8)
    root = rng.normal(size=(5, 5))
    grid = default_grid(basis)
    table = effect_table(basis, grid, np.zeros(5), root @ root.T, 0.9, simultaneous=True)

    curves = rng.normal(size=(4000, 5)) @ root.T @ columns_at(basis, grid).T

    held = (np.abs(curves) <= table["upper"]).all(axis=1).mean()
    assert held == pytest.approx(0.9, abs=0.03)


# Scales


@pytest.mark.parametrize("simultaneous", [True, False])
def test_the_odds_scale_is_the_exponential_of_the_log_scale(example, simultaneous):
    log, odds = (effect_table(*example, 0.9, simultaneous, scale=scale) for scale in ("log", "odds"))

    for name in ("u", "lower", "upper"):
        np.testing.assert_allclose(odds[name], np.exp(log[name]), rtol=1e-12)
    np.testing.assert_allclose(odds["se"], np.exp(log["u"]) * log["se"], rtol=1e-12)


def test_odds_that_overflow_are_cut():
    spec, values, _ = TERMS["linear"]
    basis = resolve_term(spec, [read_table(pd.DataFrame({"x": values})).column("x")])

    table = effect_table(basis, [2.0, 6.0], np.array([1e6]), np.eye(1), 0.95, scale="odds")

    assert np.isfinite([table["u"], table["lower"], table["upper"]]).all()
    assert table["u"][1] > 1e300


@pytest.mark.parametrize(
    ("options", "message"),
    [({"scale": "logit"}, "scale is 'log' or 'odds'"), ({"scale": "odds", "derivative": True}, "use scale='log'")],
    ids=["unknown", "of a derivative"],
)
def test_an_unusable_scale_is_refused(example, options, message):
    with pytest.raises(InputError, match=message):
        effect_table(*example, 0.95, **options)


# Derivatives


@pytest.mark.parametrize("name", ["smooth", "linear", "smooth with gaps"])
def test_a_derivative_is_the_slope_of_the_effect_with_the_error_of_that_slope(name):
    spec, values, _ = TERMS[name]
    basis = resolve_term(spec, [read_table(pd.DataFrame({"x": values})).column("x")])
    rng = np.random.default_rng(9)
    size = basis.size
    theta, root, step = rng.normal(size=size), rng.normal(size=(size, size)), 1e-5
    grid = np.array([0.0, 1.9, 2.1, 3.0, 4.4, 5.9, 6.1, 12.0])  # values run from 2 to 6
    slopes = (columns_at(basis, grid + step) - columns_at(basis, grid - step)) / (2.0 * step)

    table = effect_table(basis, grid, theta, root @ root.T, 0.95, derivative=True)

    np.testing.assert_allclose(table["u"], slopes @ theta, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(table["se"], np.linalg.norm(slopes @ root, axis=1), rtol=1e-5)
    np.testing.assert_allclose(table["upper"] - table["u"], norm.ppf(0.975) * table["se"], rtol=1e-9)
    # Straight lines outside the range.
    assert table["u"][0] == pytest.approx(table["u"][1], rel=1e-9)
    assert table["u"][-1] == pytest.approx(table["u"][-2], rel=1e-9)


def test_a_missing_value_has_no_derivative():
    spec, values, _ = TERMS["smooth with gaps"]
    basis = resolve_term(spec, [read_table(pd.DataFrame({"x": values})).column("x")])

    table = effect_table(basis, [3.0, np.nan], np.ones(6), np.eye(6), 0.95, simultaneous=True, derivative=True)

    assert np.isfinite([table["u"][0], table["se"][0], table["lower"][0]]).all()
    assert np.isnan([table["u"][1], table["se"][1], table["upper"][1]]).all()


@pytest.mark.parametrize("name", ["factor", "numeric factor", "factor with gaps"])
def test_the_derivative_of_a_factor_is_refused(name):
    spec, values, grid = TERMS[name]
    basis = resolve_term(spec, [read_table(pd.DataFrame({"x": values})).column("x")])
    size = basis.size

    with pytest.raises(InputError, match=r"f\(x\) is a factor and has no derivative.*odds_ratio"):
        effect_table(basis, grid, np.zeros(size), np.eye(size), 0.95, derivative=True)


# Contrasts


@pytest.fixture(scope="module")
def several():
    """A design of four terms, coefficients, and a covariance that ties them together."""
    frame = pd.DataFrame(
        {
            "age": np.linspace(20.0, 60.0, 50),
            "dose": np.append(np.linspace(0.0, 3.0, 48), [np.nan, np.nan]),
            "site": ["a", "b", "c", "a", "b"] * 10,
            "group": ["u", "v", None, "u", "v"] * 10,
        }
    )
    terms = [s("age", k=5), l("dose", missing="effect"), f("site"), f("group", missing="effect")]
    design = Design.resolve(terms, read_table(frame))
    rng = np.random.default_rng(10)
    root = rng.normal(size=(design.n_columns, design.n_columns))
    return design, rng.normal(size=design.n_columns), root @ root.T


def row_at(design, **values):
    """Model columns of the named values, zeros for terms that are not named."""
    row = np.zeros(design.n_columns)
    for name, value in values.items():
        number = design.index(name)
        kind = object if isinstance(value, str) or value is None else float
        column = read_table(pd.DataFrame({name: np.array([value], dtype=kind)})).column(name)
        row[design.blocks[number]] = design.bases[number].columns(design.bases[number].encode([column]))[0]
    return row


PAIRS = {
    "one curve": ({"age": 25.0}, {"age": 55.0}),
    "levels": ({"site": "a"}, {"site": "c"}),
    "two terms": ({"age": 25.0, "site": "b"}, {"age": 40.0, "site": "c"}),
    "missing number": ({"dose": 1.0}, {"dose": np.nan}),
    "missing level": ({"group": None}, {"group": "v"}),
    "all": (
        {"age": 30.0, "dose": np.nan, "site": "a", "group": "u"},
        {"age": 70.0, "dose": 2.0, "site": "b", "group": None},
    ),
}


@pytest.mark.parametrize(("a", "b"), PAIRS.values(), ids=PAIRS)
def test_a_contrast_is_the_difference_of_effects_with_its_covariance(several, a, b):
    design, theta, covariance = several
    weights = row_at(design, **b) - row_at(design, **a)

    found = contrast(design, a, b, theta, covariance, 0.9)

    half = norm.ppf(0.95) * np.sqrt(weights @ covariance @ weights)
    assert found.estimate == pytest.approx(weights @ theta, rel=1e-9)
    assert (found.lower, found.upper) == pytest.approx((weights @ theta - half, weights @ theta + half), rel=1e-9)
    assert (found.level, found.method) == (0.9, "wald")


def test_a_contrast_over_two_terms_uses_their_covariance(several):
    design, theta, covariance = several
    a, b = PAIRS["two terms"]
    apart = covariance.copy()
    age, site = design.blocks[0], design.blocks[2]
    apart[age, site] = apart[site, age] = 0.0

    together, independent = (contrast(design, a, b, theta, matrix, 0.95) for matrix in (covariance, apart))

    weights = row_at(design, **b) - row_at(design, **a)
    difference = 2.0 * weights[age] @ covariance[age, site] @ weights[site]
    widths = [(found.upper - found.lower) / (2.0 * norm.ppf(0.975)) for found in (together, independent)]
    assert widths[0] ** 2 - widths[1] ** 2 == pytest.approx(difference, rel=1e-9)
    assert abs(difference) > 0.1


def test_a_contrast_turned_around_changes_its_sign_and_with_itself_is_nothing(several):
    design, theta, covariance = several
    a, b = PAIRS["all"]

    there, back = (contrast(design, *pair, theta, covariance, 0.95) for pair in ((a, b), (b, a)))
    nothing = contrast(design, a, a, theta, covariance, 0.95)

    assert (back.estimate, back.lower, back.upper) == pytest.approx((-there.estimate, -there.upper, -there.lower))
    assert (nothing.estimate, nothing.lower, nothing.upper) == (0.0, 0.0, 0.0)


def test_terms_of_a_contrast_may_be_named_by_label(several):
    design, theta, covariance = several

    by_label = contrast(design, {"s(age)": 25.0}, {"age": 55.0}, theta, covariance, 0.95)

    assert by_label == contrast(design, *PAIRS["one curve"], theta, covariance, 0.95)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ({"age": 30.0}, {"site": "a"}, "values of the same columns"),
        ({"age": 30.0, "site": "a"}, {"age": 40.0}, "values of the same columns"),
        ({}, {}, "one or more"),
        ({"height": 1.0}, {"height": 2.0}, "no term 'height'"),
        ({"age": "old"}, {"age": 30.0}, r"s\(age\): a grid is a list of finite numbers"),
        ({"age": np.nan}, {"age": 30.0}, "missing values"),
        ({"site": "z"}, {"site": "a"}, "no level 'z'; its levels are 'a', 'b', 'c'"),
    ],
    ids=["other columns", "one more", "none", "unknown", "text", "missing", "unseen"],
)
def test_values_that_cannot_be_compared_are_refused(several, a, b, message):
    design, theta, covariance = several

    with pytest.raises(InputError, match=message):
        contrast(design, a, b, theta, covariance, 0.95)


def test_values_outside_the_range_of_the_fit_are_warned_of(several):
    design, theta, covariance = several
    basis = design.bases[design.index("age")]

    with pytest.warns(PugamWarning, match=r"s\(age\): 1000 lies outside the range of the fit"):
        contrast(design, {"age": basis.upper}, {"age": 1000.0}, theta, covariance, 0.95)


def test_derivatives_leave_missing_values_out_of_the_default_grid():
    column = Column("age", "numeric", np.append(np.linspace(0.0, 1.0, 50), np.nan))
    basis = resolve_term(s("age", missing="effect"), [column])

    assert np.isnan(default_grid(basis)).sum() == 1
    assert not np.isnan(default_grid(basis, derivative=True)).any()


# Terms of several columns


@pytest.fixture(scope="module")
def interacting():
    rng = np.random.default_rng(12)
    frame = pd.DataFrame({"age": rng.uniform(20.0, 80.0, 200), "dose": rng.random(200), "site": list("abcd") * 50})
    terms = [s("age", k=5), l("dose"), Surface("age", "dose"), f("site")]
    design = Design.resolve(terms, read_table(frame))
    root = rng.normal(size=(design.n_columns, design.n_columns))
    return design, rng.normal(size=design.n_columns), root @ root.T


def whole_row(design, age, dose, site="a"):
    frame = pd.DataFrame({"age": [age], "dose": [dose], "site": [site]})
    table = read_table(frame)
    return design.matrix(design.encode(table))[0, 1:]


def test_a_contrast_by_columns_changes_all_terms_that_depend_on_them(interacting):
    design, theta, covariance = interacting

    found = contrast(design, {"age": 40.0, "dose": 0.2}, {"age": 60.0, "dose": 0.7}, theta, covariance, 0.95)

    weights = whole_row(design, 60.0, 0.7) - whole_row(design, 40.0, 0.2)
    assert found.estimate == pytest.approx(weights @ theta, rel=1e-12)
    half = norm.ppf(0.975) * np.sqrt(weights @ covariance @ weights)
    assert found.upper - found.lower == pytest.approx(2.0 * half, rel=1e-9)


def test_a_contrast_by_label_changes_that_term_alone(interacting):
    design, theta, covariance = interacting
    label = "surface(age, dose)"

    found = contrast(design, {label: (40.0, 0.2)}, {label: (60.0, 0.7)}, theta, covariance, 0.95)

    weights = whole_row(design, 60.0, 0.7) - whole_row(design, 40.0, 0.2)
    block = design.blocks[2]
    assert found.estimate == pytest.approx(weights[block] @ theta[block], rel=1e-12)


def test_labels_and_columns_can_be_mixed_in_a_contrast(interacting):
    design, theta, covariance = interacting

    found = contrast(design, {"s(age)": 40.0, "site": "a"}, {"s(age)": 60.0, "site": "c"}, theta, covariance, 0.95)

    weights = whole_row(design, 60.0, 0.5, "c") - whole_row(design, 40.0, 0.5, "a")
    weights[design.blocks[2]] = 0.0
    assert found.estimate == pytest.approx(weights @ theta, rel=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ({"age": 40.0}, {"age": 60.0}, r"depends on dose too, by surface\(age, dose\); give values of all"),
        ({"surface(age, dose)": 1.0}, {"surface(age, dose)": 2.0}, "takes a value of each of its columns"),
        ({"surface(age, dose)": (1.0,)}, {"surface(age, dose)": (2.0,)}, "takes a value of each of its columns"),
        ({"surface(age, dose)": "ab"}, {"surface(age, dose)": "cd"}, "takes a value of each of its columns"),
        (
            {"age": 40.0, "dose": 0.1, "surface(age, dose)": (40.0, 0.1)},
            {"age": 60.0, "dose": 0.1, "surface(age, dose)": (60.0, 0.1)},
            "names the same term twice",
        ),
    ],
)
def test_contrasts_that_say_too_little_or_too_much_about_an_interaction_are_refused(interacting, a, b, message):
    design, theta, covariance = interacting

    with pytest.raises(InputError, match=message):
        contrast(design, a, b, theta, covariance, 0.95)


GRIDS = {
    "tuples": [(30.0, 0.1), (50.0, 0.9), (70.0, 0.5)],
    "mapping": {"age": [30.0, 50.0, 70.0], "dose": [0.1, 0.9, 0.5]},
    "frame": pd.DataFrame({"dose": [0.1, 0.9, 0.5], "age": [30.0, 50.0, 70.0]}),
    "array": np.array([[30.0, 0.1], [50.0, 0.9], [70.0, 0.5]]),
}


@pytest.mark.parametrize("grid", GRIDS.values(), ids=GRIDS)
def test_a_grid_over_several_columns_has_several_forms(interacting, grid):
    design, theta, covariance = interacting
    basis, block = design.bases[2], design.blocks[2]

    table = effect_table(basis, grid, theta[block], covariance[block, block], 0.95)

    assert list(table) == ["x1", "x2", "u", "se", "lower", "upper"]
    assert table["x1"].tolist() == [30.0, 50.0, 70.0]
    assert table["x2"].tolist() == [0.1, 0.9, 0.5]
    np.testing.assert_allclose(table["u"], basis.columns(np.array(GRIDS["tuples"])) @ theta[block], rtol=1e-12)


@pytest.mark.parametrize("grid", [[1.0, 2.0], [(1.0, 2.0, 3.0)], {"age": [1.0]}, {"age": [1.0], "dose": [1.0, 2.0]}, 7])
def test_a_grid_that_does_not_fit_the_columns_is_refused(interacting, grid):
    with pytest.raises(InputError, match=r"surface\(age, dose\): a grid is a list of tuples \(age, dose\)"):
        curve_columns(interacting[0].bases[2], grid)


def test_the_default_grid_over_two_columns_covers_both_ranges(interacting):
    basis = interacting[0].bases[2]

    points = np.array(default_grid(basis))

    assert points.shape == (900, 2)
    np.testing.assert_allclose(points.min(axis=0), [ends[0] for ends in basis.ranges])
    np.testing.assert_allclose(points.max(axis=0), [ends[1] for ends in basis.ranges])


def test_a_derivative_of_several_columns_names_one(interacting):
    with pytest.raises(InputError, match="name the column of the derivative, one of age, dose"):
        curve_columns(interacting[0].bases[2], GRIDS["tuples"], derivative=True)
