"""Curves that vary with another column: one for each level, or one times a number."""

import numpy as np
import pandas as pd
import pytest

from pugam import InputError, s
from pugam.data import read_table
from pugam.errors import RowError
from pugam.nodes import Node
from pugam.terms import parse_formula
from pugam.terms.kinds.varying import CurveByLevel, CurveTimesNumber
from pugam.terms.missing import resolve_term
from pugam.terms.shelf import Shelf
from pugam.terms.term import read_term

RNG = np.random.default_rng(8)
N = 150
FRAME = pd.DataFrame(
    {
        "x": np.append([0.0, 10.0], RNG.uniform(0.0, 10.0, N - 2)),
        "z": np.append([-3.0, 6.0], RNG.uniform(-3.0, 6.0, N - 2)),
        "site": RNG.choice(["east", "north", "west"], N),
    }
)
TABLE = read_table(FRAME)
KINDS = [s("x", k=6, by="site"), s("x", k=6, by="z")]


def resolved(term, table=TABLE):
    return resolve_term(term, [table.column(name) for name in term.columns])


def encoded(basis, table=TABLE):
    return basis.encode([table.column(name) for name in basis.spec.columns])


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("s(bmi, by=sex)", s("bmi", by="sex")),
        ('s(bmi, k=6, by=`the sex`, unseen="zero")', s("bmi", k=6, by="the sex", unseen="zero")),
    ],
)
def test_formulas_read_back(text, term):
    assert term.formula == text
    assert parse_formula(text) == [term]
    assert parse_formula("s(bmi, by='sex')") == [s("bmi", by="sex")]
    assert read_term(Node("file", "", term.to_plain())) == term


def test_label_and_columns():
    term = s("bmi", k=5, by="sex")

    assert term.label == "s(bmi, by=sex)"
    assert term.columns == ("bmi", "sex")
    assert term.spans == {frozenset({"bmi", "sex"})}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: s("bmi", by="bmi"), "another column than its own"),
        (lambda: s("bmi", by=3), "name of a column"),
        (lambda: s("bmi", unseen="zero"), "given as by"),
        (lambda: s("bmi", by="sex", unseen="no"), "unseen must be"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_each_level_has_its_own_curve():
    basis, curve = (resolved(term) for term in (s("x", k=6, by="site"), s("x", k=6)))

    columns = basis.columns(encoded(basis)).reshape(N, 3, 5)

    assert isinstance(basis, CurveByLevel)
    of_curve = curve.columns(encoded(curve))
    for number, level in enumerate(["east", "north", "west"]):
        here = (FRAME["site"] == level).to_numpy()
        np.testing.assert_array_equal(columns[here, number], of_curve[here])
        assert not columns[~here, number].any()
    assert [penalty.name for penalty in basis.penalties] == ["east", "north", "west"]
    np.testing.assert_array_equal(
        np.sum([penalty.diagonal for penalty in basis.penalties], axis=0), np.tile(curve.penalties[0].diagonal, 3)
    )
    assert frozenset({"x"}) in basis.spans


def test_a_number_multiplies_a_curve_with_a_mean():
    basis, curve = (resolved(term) for term in (s("x", k=6, by="z"), s("x", k=6)))

    columns = basis.columns(encoded(basis))

    assert isinstance(basis, CurveTimesNumber)
    with_mean = np.column_stack([np.ones(N), curve.columns(encoded(curve))])
    np.testing.assert_allclose(columns, with_mean * FRAME[["z"]].to_numpy() / 6.0, rtol=1e-14)
    (penalty,) = basis.penalties
    np.testing.assert_array_equal(penalty.diagonal, np.append(0.0, curve.penalties[0].diagonal))
    assert frozenset({"z"}) in basis.spans


def test_units_of_the_number_do_not_matter():
    other = read_table(FRAME.assign(z=1e7 * FRAME["z"]))
    basis, rescaled = resolved(KINDS[1]), resolved(KINDS[1], other)

    np.testing.assert_allclose(rescaled.columns(encoded(rescaled, other)), basis.columns(encoded(basis)), rtol=1e-14)


@pytest.mark.parametrize("term", KINDS)
def test_slopes_are_derivatives(term):
    basis = resolved(term)
    points = encoded(basis)[2:]

    for axis in range(2):
        if isinstance(basis, CurveByLevel) and axis == 1:
            with pytest.raises(InputError, match="no derivative along site"):
                basis.slopes(points, axis)
            continue
        step = 1e-5 * np.eye(2)[axis]
        numerical = (basis.columns(points + step) - basis.columns(points - step)) / 2e-5
        np.testing.assert_allclose(basis.slopes(points, axis), numerical, atol=1e-4)


@pytest.mark.parametrize("term", KINDS)
def test_coarse_term_has_the_smoothest_functions(term):
    basis = resolved(term)

    coarse, kept = basis.coarse(2)

    values = encoded(basis)
    np.testing.assert_array_equal(coarse.columns(values), basis.columns(values)[:, kept])
    assert len(coarse.penalties) == len(basis.penalties)
    np.testing.assert_array_equal(np.sort(basis.coarse(1)[1]), np.flatnonzero(~basis.bends))
    assert basis.orders.max() == 4
    assert len(basis.orders) == basis.size


@pytest.mark.parametrize("term", KINDS)
def test_effect_of_a_row_depends_on_that_row_alone(term):
    basis = resolved(term)
    values, theta = encoded(basis), np.random.default_rng(1).standard_normal(basis.size)

    alone = np.concatenate([basis.effect(values[row : row + 1], theta) for row in range(N)])

    np.testing.assert_array_equal(basis.effect(values, theta), alone)


@pytest.mark.parametrize("term", KINDS)
def test_found_restores_the_basis(term):
    basis, shelf = resolved(term), Shelf()

    again = term.restore(Node("file", "", basis.found(shelf)), shelf.bases)

    np.testing.assert_array_equal(again.columns(encoded(again)), basis.columns(encoded(basis)))
    assert again.axes == basis.axes


@pytest.mark.parametrize("name", ["x", "site", "z"])
def test_rows_that_lack_a_value_have_an_effect_of_their_own(name):
    frame = FRAME.copy()
    frame.loc[7, name] = np.nan
    table = read_table(frame)

    basis = resolved(s("x", by="z" if name == "z" else "site", missing="effect"), table)

    columns = basis.columns(encoded(basis, table))
    assert np.flatnonzero(columns[:, -1]).tolist() == [7]
    assert not columns[7, :-1].any()


def test_unseen_levels_are_refused_or_have_no_effect():
    other = read_table(pd.DataFrame({"x": [1.0, 1.0], "site": ["east", "south"]}))
    strict, lenient = resolved(s("x", by="site")), resolved(s("x", by="site", unseen="zero"))

    with pytest.raises(RowError, match=r's\(x, by=site, unseen="zero"\)'):
        encoded(strict, other)
    columns = lenient.columns(encoded(lenient, other))
    assert columns[0].any()
    assert not columns[1].any()


@pytest.mark.parametrize("by", ["z", "site"])
def test_long_tails_are_taken_along_logarithms(by):
    table = read_table(FRAME.assign(x=np.exp(2.0 * RNG.standard_normal(N))))
    term = s("x", by=by)
    basis = resolved(term, table)

    logged = basis.on_log_scale([table.column(name) for name in term.columns])

    assert logged.spec == s("x", scale="log", by=by)
    assert logged.inner.scale is not None


def test_too_many_levels_are_refused():
    table = read_table(pd.DataFrame({"x": RNG.uniform(size=600), "site": np.repeat([f"s{n}" for n in range(200)], 3)}))

    with pytest.raises(InputError, match="1000; use fewer"):
        resolved(s("x", k=9, by="site"), table)


def test_a_common_curve_has_the_same_values_and_one_curve_for_all_levels():
    basis = resolved(s("x", k=6, by="site"))
    common, values = basis.common("site"), encoded(basis)
    assert common.size == 5
    assert (common.columns(values) == basis.inner.columns(values[:, 0])).all()
    assert np.allclose(common.pieces(common.places(values)), common.columns(values))
    assert common.varying is basis
    assert basis.common("z") is None
    assert resolved(s("x", k=6)).common("site") is None
    alone, own = common.alone(values)
    assert alone is basis.inner
    assert (own == values[:, 0]).all()


def test_a_common_curve_with_gaps_skips_them():
    table = read_table(FRAME.assign(x=FRAME["x"].where(np.arange(N) != 3)))
    basis = resolved(s("x", k=6, by="site", missing="zero"), table)
    common, values = basis.common("site"), encoded(basis, table)
    assert (common.columns(values)[3] == 0.0).all()
    assert common.varying.size == basis.size
    alone, own = common.alone(values)
    assert alone.axes[0].column == "x"
    assert len(alone.axes) == 1
    assert np.allclose(alone.columns(own), common.columns(values))


def test_terms_say_what_they_would_be_with_and_without_levels():
    assert s("x", k=6).varying("site") == s("x", k=6, by="site")
    assert s("x", k=6, by="site").common("site") == s("x", k=6)
    assert s("x", by="site").varying("year") is None
    assert s("x", by="site").common("year") is None
