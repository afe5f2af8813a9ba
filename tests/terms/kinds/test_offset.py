"""Offsets: a known part without model columns, zero in the middle of its range."""

import numpy as np
import pytest
from meeting import column, evaluate, meet

from pugam.errors import InputError
from pugam.nodes import Node
from pugam.terms import Design, format_formula, offset, parse_formula, s
from pugam.terms.missing import resolve_term
from pugam.terms.shelf import Shelf


def known(basis, values):
    return basis.known(basis.encode([column(values)]))


def test_an_offset_has_no_columns_and_adds_its_values_less_the_middle_of_their_range():
    basis = meet(offset("x"), [2.0, 3.0, 10.0])

    np.testing.assert_allclose(known(basis, [2.0, 6.0, 18.0]), [-4.0, 0.0, 12.0])
    assert evaluate(basis, [2.0, 6.0]).shape == (2, 0)
    assert basis.size == 0
    assert basis.priors == basis.penalties == ()
    assert basis.margin(3) is None


def test_an_offset_may_be_constant():
    np.testing.assert_array_equal(known(meet(offset("x"), [3.0, 3.0]), [3.0, 5.0]), [0.0, 2.0])


def test_an_offset_reads_back_from_its_formula_and_from_a_saved_model():
    term = offset("log effort")
    assert parse_formula(format_formula([term])) == [term]

    basis = meet(offset("x"), [-1.0, 4.0])
    plain = Node("file", "", {"lower": -1.0, "upper": 4.0})
    assert basis.found(Shelf()) == plain.value
    assert offset("x").restore(plain, []) == basis


def test_missing_values_are_refused_without_advice_to_give_them_an_effect():
    with pytest.raises(InputError, match=r"offset\(x\): column 'x' has missing values .* fill or drop them\.$"):
        resolve_term(offset("x"), [column([1.0, np.nan])])
    with pytest.raises(InputError, match="fill or drop them"):
        meet(offset("x"), [1.0, 2.0]).encode([column([np.nan, 1.0])])
    assert offset("x").permitting_gaps() == offset("x")


def test_values_that_are_no_log_odds_are_refused():
    with pytest.raises(InputError, match=r"runs from 1 to 5000, .* take logarithms"):
        meet(offset("x"), [1.0, 5000.0])
    with pytest.raises(InputError, match=r"offset\(x\)"):
        meet(offset("x"), ["a", "b"])


@pytest.mark.parametrize("formula", ["offset(x, y)", "offset(x, k=3)", "te(offset(x), y)", "s(x, by=offset(y))"])
def test_an_offset_takes_one_column_and_no_options_and_is_no_part_of_other_terms(formula):
    with pytest.raises(InputError):
        parse_formula(formula)


def test_a_smooth_of_the_same_column_may_stand_beside_an_offset():
    basis = meet(offset("x"), [0.0, 1.0])
    design = Design((basis, meet(s("x", k=4), np.linspace(0.0, 1.0, 20))))

    assert basis.spans == frozenset()
    assert design.names == ("offset(x)", "s(x)")
    assert design.known_terms == (0,)
    assert design.estimated_terms == (1,)
