"""Products of columns: lines times lines, lines by level, and levels by level."""

import numpy as np
import pandas as pd
import pytest

from pugam import InputError, f, l, ti
from pugam.data import read_table
from pugam.errors import FormulaError, RowError
from pugam.nodes import Node
from pugam.terms import Product, parse_formula
from pugam.terms.missing import resolve_term
from pugam.terms.shelf import Shelf
from pugam.terms.term import read_term

FRAME = pd.DataFrame(
    {
        "dose": [2.0, 4.0, 6.0, 10.0],
        "mass": [50.0, 90.0, 70.0, 60.0],
        "sex": ["f", "m", "f", "m"],
        "site": ["a", "b", "c", "a"],
        "ill": [True, False, False, True],
    }
)
TABLE = read_table(FRAME)


def resolved(text, table=TABLE):
    (term,) = parse_formula(text) if isinstance(text, str) else (text,)
    return resolve_term(term, [table.column(name) for name in term.columns])


def columns_of(basis, table=TABLE):
    return basis.columns(basis.encode([table.column(name) for name in basis.spec.columns]))


@pytest.mark.parametrize("text", ["dose:sex", "dose:mass:sex", "`body mass`:sex"])
def test_formulas_read_back(text):
    (term,) = parse_formula(text)

    assert term.formula == text
    assert read_term(Node("file", "", term.to_plain())) == term


def test_a_product_is_one_term_among_others():
    terms = parse_formula("dose + f(sex) + dose:sex")

    assert [term.label for term in terms] == ["l(dose)", "f(sex)", "dose:sex"]
    assert terms[2] == Product(("dose", "sex"))
    assert terms[2].spans == {frozenset({"dose", "sex"})}


@pytest.mark.parametrize("text", ["dose:", "dose:dose", ":dose", "dose:s(sex)", "s(dose):sex", "dose:3"])
def test_formula_refusals(text):
    with pytest.raises(FormulaError):
        parse_formula(text)


def test_numbers_are_multiplied_as_centred_lines():
    by_hand = ((FRAME["dose"] - 6.0) / 8.0) * ((FRAME["mass"] - 70.0) / 40.0)

    np.testing.assert_allclose(columns_of(resolved("dose:mass"))[:, 0], by_hand)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("dose:sex", ti(l("dose"), f("sex"))),
        ("dose:ill", ti(l("dose"), f("ill"))),
        ("site:sex", ti(f("site"), f("sex"))),
        ("dose:mass", ti(l("dose"), l("mass"))),
    ],
)
def test_what_a_column_holds_decides(text, same):
    product, interaction = resolved(text), resolved(same)

    np.testing.assert_array_equal(columns_of(product), columns_of(interaction))
    assert product.axes == interaction.axes
    assert not product.penalties


def test_slope_per_unit_of_the_product():
    (line,) = resolved("dose:mass").comparisons()

    assert line.name == ""
    assert line.weights == pytest.approx([1.0 / (8.0 * 40.0)])
    assert not resolved("dose:mass").is_tested_jointly


def test_slopes_by_level():
    basis = resolved("dose:site")

    assert [line.name for line in basis.comparisons()] == ["a", "b", "c"]
    assert basis.is_tested_jointly
    np.testing.assert_allclose(np.sum([line.weights for line in basis.comparisons()], axis=0), 0.0, atol=1e-15)


def test_combinations_of_levels_are_compared_with_the_average_row():
    basis = resolved("site:sex")

    assert all(line.is_level for line in basis.comparisons())
    assert not any(line.is_level for line in resolved("dose:site").comparisons())
    assert [line.name for line in basis.comparisons()] == ["a:f", "a:m", "b:f", "b:m", "c:f", "c:m"]


@pytest.mark.parametrize("text", ["dose:mass", "dose:sex", "site:ill"])
def test_found_restores_the_basis(text):
    basis, shelf = resolved(text), Shelf()

    again = basis.spec.restore(Node("file", "", basis.found(shelf)), shelf.bases)

    np.testing.assert_array_equal(columns_of(again), columns_of(basis))


def test_missing_values_are_refused_with_a_way_out():
    table = read_table(FRAME.assign(dose=[1.0, np.nan, 2.0, 3.0]))

    with pytest.raises(RowError, match=r"ti\(l\(dose\), l\(sex\), missing='zero'\)"):
        resolved("dose:sex", table)


def test_a_product_is_of_several_columns():
    with pytest.raises(InputError, match="two columns or more"):
        Product(("dose",))
