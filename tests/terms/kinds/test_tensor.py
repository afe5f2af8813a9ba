"""Tensor products: what a user asks for, and the products of functions that become of it."""

import numpy as np
import pandas as pd
import pytest

from pugam import InputError, f, l, r, s, te, ti
from pugam.data import read_table
from pugam.errors import FormulaError, RowError
from pugam.nodes import Node
from pugam.terms import Interaction, Smooth, Tensor, format_formula, parse_formula
from pugam.terms.missing import resolve_term
from pugam.terms.shelf import Shelf
from pugam.terms.term import read_term

RNG = np.random.default_rng(5)
N = 200
TABLE = read_table(
    pd.DataFrame(
        {
            "x": np.append([0.0, 1.0], RNG.uniform(size=N - 2)),
            "y": np.append([10.0, 30.0], RNG.uniform(10.0, 30.0, N - 2)),
            "w": np.append([-1.0, 1.0], RNG.uniform(-1.0, 1.0, N - 2)),
            "site": RNG.choice(["east", "north", "west"], N),
            "sex": RNG.choice(["f", "m"], N),
        }
    )
)


def resolved(term, table=TABLE):
    return resolve_term(term, [table.column(name) for name in term.columns])


def encoded(basis, table=TABLE):
    return basis.encode([table.column(name) for name in basis.spec.columns])


def gauss(breaks, n_points=6):
    """Nodes and weights on [0, 1], exact for polynomials between breaks."""
    points, weights = np.polynomial.legendre.leggauss(n_points)
    width = np.diff(breaks)[:, None]
    return (breaks[:-1, None] + width * (points + 1.0) / 2.0).ravel(), (width * weights / 2.0).ravel()


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("te(age, bmi)", te("age", "bmi")),
        ("te(age, bmi, k=6)", te("age", "bmi", k=6)),
        ("te(age, bmi, k=(6, 4))", te("age", "bmi", k=[6, 4])),
        ("te(age, bmi, k=(10, 5))", te(s("age"), "bmi")),
        ('ti(age, bmi, k=(8, 5), missing="effect")', ti(s("age", k=8), "bmi", missing="effect")),
        ("ti(s(age, bounds=(0.0, 100.0)), bmi, k=4)", ti(s("age", bounds=(0, 100)), "bmi", k=4)),
        ("ti(age, f(site))", ti("age", f("site"))),
        ('ti(l(dose), f(sex, unseen="zero"))', ti(l("dose"), f("sex", unseen="zero"))),
        ("te(`body mass`, x, y)", te("body mass", "x", "y")),
    ],
)
def test_formulas_read_back(text, term):
    assert format_formula([term]) == text
    assert parse_formula(text) == [term]
    assert read_term(Node("file", "", term.to_plain())) == term


def test_formula_nests_terms():
    (term,) = parse_formula("ti(s(age, k=8), bmi)")

    assert term == Interaction((Smooth("age", k=8), Smooth("bmi", k=5)))
    assert isinstance(te("age", "bmi"), Tensor)


def test_labels_columns_and_spans():
    assert te(s("age", k=8), "bmi").label == "te(age, bmi)"
    assert ti("age", f("site")).label == "ti(age, f(site))"
    assert ti("age", f("site")).columns == ("age", "site")
    assert ti("age", f("site")).level_columns == ("site",)
    assert ti("a", "b").spans == {frozenset("ab")}
    assert te("a", "b").spans == {frozenset("a"), frozenset("b"), frozenset("ab")}
    assert len(te("a", "b", "c").spans) == 7


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: te("age"), "two columns or more"),
        (lambda: te("age", "age"), "'age' is there twice"),
        (lambda: te("age", 3), "name of a column"),
        (lambda: te("age", te("bmi", "dose")), "terms of one column; got te"),
        (lambda: te(s("age", missing="effect"), "bmi"), "missing='effect' to te"),
        (lambda: te("age", "bmi", missing="no"), "missing must be"),
        (lambda: te("age", "bmi", k=(6, 4, 3)), "one for each column"),
        (lambda: te("age", "bmi", k=2), "integer of at least 3"),
        (lambda: te(s("age"), s("bmi"), k=5), "give it to s"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize("text", ["te(age, 5)", "te(age, bmi, 5)", "te(age, k=5, bmi)", "te(age, bmi, k='5')"])
def test_formula_refusals(text):
    with pytest.raises(FormulaError):
        parse_formula(text)


def test_saved_terms_nest_no_deeper():
    plain = te("age", "bmi").to_plain()
    plain["margins"][0] = te("x", "y").to_plain()

    with pytest.raises(InputError, match="a term of one column"):
        read_term(Node("file", "", plain))


def test_columns_are_products():
    basis = resolved(ti("x", "y", k=(5, 4)))
    of_x, of_y = (resolved(s(name, k=k)) for name, k in (("x", 5), ("y", 4)))

    columns = basis.columns(encoded(basis))

    assert columns.shape == (N, 12)
    by_hand = [a * b for a in of_x.columns(encoded(of_x)).T for b in of_y.columns(encoded(of_y)).T]
    np.testing.assert_allclose(columns, np.transpose(by_hand), rtol=1e-14)


def test_surface_is_main_effects_and_interaction():
    surface, interaction = (resolved(kind("x", "y", "w", k=4)) for kind in (te, ti))
    singles = [resolved(s(name, k=4)) for name in "xyw"]
    pairs = [resolved(ti(*names, k=4)) for names in ("xy", "xw", "yw")]

    assert surface.size == 4**3 - 1
    whole = np.hstack([part.columns(encoded(part)) for part in (*singles, *pairs, interaction)])
    columns = surface.columns(encoded(surface))
    assert whole.shape == columns.shape
    np.testing.assert_allclose(sorted(columns.sum(axis=0)), sorted(whole.sum(axis=0)), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("make", [te, ti])
def test_products_are_orthonormal_and_penalties_integrals(make):
    basis = resolved(make("x", "y", k=(6, 4)))
    nodes, weights = gauss(np.linspace(0.0, 1.0, 4))
    x, y = (part.ravel() for part in np.meshgrid(nodes, nodes, indexing="ij"))
    both, ranges = np.outer(weights, weights).ravel(), np.array([1.0, 20.0])
    points = np.column_stack([x, 10.0 + 20.0 * y])

    values = basis.columns(points)

    np.testing.assert_allclose(both @ values, 0.0, atol=1e-12)
    np.testing.assert_allclose((values * both[:, None]).T @ values, np.eye(basis.size), atol=1e-10)
    assert [penalty.name for penalty in basis.penalties] == ["x", "y"]
    for axis, penalty in enumerate(basis.penalties):
        # Slopes are quadratic between knots, where differences are exact; nodes are further than a step from knots.
        step = 1e-3 * ranges[axis] * np.eye(2)[axis]
        second = (basis.slopes(points + step, axis) - basis.slopes(points - step, axis)) * ranges[axis] / 2e-3
        np.testing.assert_allclose((second * both[:, None]).T @ second, np.diag(penalty.diagonal), rtol=1e-8, atol=1e-5)


def test_interaction_is_centred_along_each_column():
    basis = resolved(ti("x", f("site")))
    nodes, weights = gauss(np.linspace(0.0, 1.0, 3))

    for code in range(3):
        along_x = basis.columns(np.column_stack([nodes, np.full(len(nodes), code)]))
        np.testing.assert_allclose(weights @ along_x, 0.0, atol=1e-12)
    for place in (0.1, 0.7):
        over_sites = basis.columns(np.column_stack([np.full(3, place), np.arange(3.0)]))
        np.testing.assert_allclose(over_sites.sum(axis=0), 0.0, atol=1e-12)


@pytest.mark.parametrize("term", [te("x", "y", "w", k=4), ti("x", f("site")), te("x", f("site")), ti(l("x"), "y")])
def test_slopes_are_derivatives(term):
    basis = resolved(term)
    points = encoded(basis)[2:]
    for axis, name in enumerate(term.columns):
        if name == "site":
            with pytest.raises(InputError, match="no derivative"):
                basis.slopes(points, axis)
            continue
        step = 1e-5 * np.eye(len(term.columns))[axis]
        numerical = (basis.columns(points + step) - basis.columns(points - step)) / 2e-5
        np.testing.assert_allclose(basis.slopes(points, axis), numerical, atol=1e-3)


def test_penalties_share_columns():
    surface, with_levels, lines = (resolved(term) for term in (te("x", "y"), ti("x", f("site")), ti(l("x"), l("y"))))

    assert [penalty.name for penalty in surface.penalties] == ["x", "y"]
    both = np.all([penalty.diagonal > 0.0 for penalty in surface.penalties], axis=0)
    assert both.sum() == 9
    assert len(with_levels.penalties) == 1
    assert lines.penalties == ()


def test_margins_of_any_kind_bring_their_penalties():
    assert [penalty.name for penalty in resolved(te("x", r("site"))).penalties] == ["x", "site"]
    assert [penalty.name for penalty in resolved(ti(l("x"), r("site"))).penalties] == ["site"]
    assert len(resolved(ti(s("x", cyclic=True), "y")).penalties) == 2


def test_orders_and_bends():
    basis = resolved(te("x", "y", k=4))

    # Functions of x from the constant to the roughest, and of y within each.
    assert basis.orders.tolist() == [0, 1, 2, 0, 0, 1, 2, 1, 1, 2, 3, 2, 2, 3, 4]
    assert basis.bends.tolist() == [order > 0 for order in basis.orders]
    assert resolved(ti(l("x"), f("site"))).bends is None


@pytest.mark.parametrize("term", [te("x", "y", k=6), ti("x", "y", "w"), te("x", f("site"))])
def test_coarse_term_has_the_smoothest_products(term):
    basis = resolved(term)

    coarse, kept = basis.coarse(2)

    values = encoded(basis)
    np.testing.assert_array_equal(coarse.columns(values), basis.columns(values)[:, kept])
    assert len(coarse.penalties) == len(basis.penalties)
    for one, other in zip(coarse.penalties, basis.penalties, strict=True):
        np.testing.assert_array_equal(one.diagonal, other.diagonal[kept])
    straight, kept = basis.coarse(1)
    np.testing.assert_array_equal(np.sort(kept), np.flatnonzero(~basis.bends))
    assert straight.penalties == ()


@pytest.mark.parametrize("term", [te("x", "y"), ti("x", f("site")), te("x", "y", "w", k=4), ti(l("x"), l("y"))])
def test_effect_of_a_row_depends_on_that_row_alone(term):
    basis = resolved(term)
    values, theta = encoded(basis), np.random.default_rng(1).standard_normal(basis.size)

    together = basis.effect(values, theta)

    alone = np.concatenate([basis.effect(values[row : row + 1], theta) for row in range(N)])
    some = np.concatenate([basis.effect(values[rows], theta) for rows in np.array_split(np.arange(N), 7)])
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(together, some)
    np.testing.assert_allclose(together, basis.columns(values) @ theta, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "term",
    [te("x", "y", k=6), ti("x", f("site")), ti(l("x"), f("sex")), te("x", r("site")), ti(s("x", cyclic=True), "y")],
)
def test_found_restores_the_basis(term):
    basis, shelf = resolved(term), Shelf()

    found = basis.found(shelf)
    again = term.restore(Node("file", "", found), shelf.bases)

    np.testing.assert_array_equal(again.columns(encoded(again)), basis.columns(encoded(basis)))
    assert again.axes == basis.axes


def test_lines_are_compared_by_level():
    basis = resolved(ti(l("y"), f("site")))
    theta = np.array([0.3, -0.2])

    lines = {line.name: float(line.weights @ theta) for line in basis.comparisons()}

    at = np.column_stack([np.tile([10.0, 30.0], 3), np.repeat([0.0, 1.0, 2.0], 2)])
    rises = np.diff(basis.effect(at, theta).reshape(3, 2), axis=1).ravel() / 20.0
    assert lines == pytest.approx(dict(zip(["east", "north", "west"], rises, strict=True)))
    assert basis.is_tested_jointly


def test_comparisons_of_a_surface_name_main_effects_first():
    basis = resolved(te(l("x"), f("sex")))

    assert [line.name for line in basis.comparisons()] == ["x", "f", "m", "x:f", "x:m"]
    weights = np.array([line.weights for line in basis.comparisons()])
    at = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    theta = np.array([0.4, 1.0, -0.7])
    effects = basis.effect(at, theta)
    slope, female, male, of_women, of_men = weights @ theta
    assert effects[1] - effects[0] == pytest.approx(slope + of_women)
    assert effects[3] - effects[2] == pytest.approx(slope + of_men)
    assert effects[:2].mean() == pytest.approx(female)
    assert effects[2:].mean() == pytest.approx(male)


def test_smooth_terms_compare_nothing():
    assert list(resolved(te("x", "y")).comparisons()) == []
    assert not resolved(te("x", "y")).is_tested_jointly


def test_rows_that_lack_a_value_have_an_effect_of_their_own():
    frame = pd.DataFrame({name: TABLE.column(name).values for name in ("x", "y", "site")})
    frame.loc[3, "x"] = frame.loc[4, "site"] = np.nan
    frame.loc[5, ["x", "site"]] = np.nan
    table = read_table(frame)

    basis = resolved(ti("x", f("site"), missing="effect"), table)

    columns = basis.columns(encoded(basis, table))
    assert columns[:, -1].tolist() == [float(row in (3, 4, 5)) for row in range(N)]
    assert not columns[3:6, :-1].any()
    np.testing.assert_allclose(columns[6:, :-1], basis.inner.columns(encoded(basis, table)[6:]))
    with pytest.raises(RowError, match=r"ti\(x, f\(site\), missing='zero'\)"):
        resolved(ti("x", f("site")), table)


def test_unseen_levels_follow_the_margin():
    other = read_table(pd.DataFrame({"x": [0.5, 0.5], "site": ["east", "south"]}))
    strict, lenient = (resolved(ti("x", f("site", unseen=unseen))) for unseen in ("error", "zero"))

    with pytest.raises(RowError, match="'south'"):
        encoded(strict, other)
    columns = lenient.columns(encoded(lenient, other))
    assert columns[0].any()
    assert not columns[1].any()


def test_long_tails_are_taken_along_logarithms():
    skewed = np.exp(2.0 * RNG.standard_normal(500))
    table = read_table(pd.DataFrame({"x": skewed, "y": RNG.uniform(size=500)}))
    columns = [table.column(name) for name in "xy"]
    basis = resolved(te("x", "y"), table)

    logged = basis.on_log_scale(columns)

    assert logged.spec.formula == 'te(s(x, k=5, scale="log"), y)'
    assert logged.margins[0].scale is not None
    assert resolved(te("x", "y")).on_log_scale([TABLE.column(name) for name in "xy"]).spec == te("x", "y")


def test_too_many_products_are_refused():
    with pytest.raises(InputError, match="2303 functions"):
        resolved(te("x", "y", "w", k=(16, 16, 9)))


def test_too_many_products_of_a_saved_model_are_refused():
    term, shelf = te("x", "y", "w", k=(16, 16, 9)), Shelf()
    found = {"margins": [resolved(margin).found(shelf) for margin in term.margins]}

    with pytest.raises(InputError, match="at most 1000 functions"):
        term.restore(Node("file", "", found), shelf.bases)
