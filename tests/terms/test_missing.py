"""Terms whose missing values have an effect of their own."""

import numpy as np
import pytest
from meeting import column, evaluate, meet, slopes

from pugam.data import read_table
from pugam.errors import InputError
from pugam.terms import f, l, s
from pugam.terms.missing import resolve_term

GAPS = {
    "smooth": (s("x", missing="effect"), [1.0, 2.0, np.nan, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0], 9),
    "linear": (l("x", missing="effect"), [1.0, 2.0, np.nan, 3.0], 1),
    "linear boolean": (l("x", missing="effect"), [True, False, None, True], 1),
    "factor": (f("x", missing="effect"), ["a", "b", None, "c"], 2),
    "numeric factor": (f("x", missing="effect"), [1.0, 2.0, np.nan, 3.0], 2),
}


@pytest.mark.parametrize(("term", "values", "n_inner"), GAPS.values(), ids=GAPS)
def test_missing_values_have_a_column_of_their_own_and_zeros_elsewhere(term, values, n_inner):
    columns = evaluate(meet(term, values), values)

    assert columns.shape == (len(values), n_inner + 1)
    assert columns[:, -1].tolist() == [0.0, 0.0, 1.0] + [0.0] * (len(values) - 3)
    assert columns[2, :-1].tolist() == [0.0] * n_inner
    assert np.abs(np.delete(columns, 2, axis=0)[:, :-1]).max() > 0.1


@pytest.mark.parametrize(("term", "values", "n_inner"), GAPS.values(), ids=GAPS)
def test_missing_values_leave_the_other_columns_as_they_are_without_them(term, values, n_inner):
    whole = values[:2] + values[3:]

    with_gap = evaluate(meet(term, values), whole)
    without = evaluate(meet(term, whole), whole)

    np.testing.assert_array_equal(with_gap[:, :-1], without)
    assert without.shape[1] == n_inner


def test_the_effect_of_missing_values_is_not_penalised():
    term, values, _ = GAPS["smooth"]

    (penalty,) = meet(term, values).penalties

    assert penalty.diagonal[-1] == 0.0
    assert (penalty.diagonal[1:-1] > 0.0).all()


def test_values_of_another_kind_are_refused_where_gaps_are_allowed():
    line = meet(l("x", missing="effect"), [1.0, 2.0, np.nan])
    with pytest.raises(InputError, match=r"l\(x\) needs numbers, but column 'x' holds text"):
        line.encode([column(["a", None, "b"])])
    levels = meet(f("x", missing="effect"), ["a", "b", None])
    with pytest.raises(InputError, match=r"f\(x\): level 1.0 in row 0 was not seen"):
        levels.encode([column([1.0, np.nan, 2.0])])


def test_booleans_are_numbers_to_a_line_that_allows_gaps():
    line = meet(l("x", missing="effect"), [0.0, 1.0, np.nan])

    np.testing.assert_array_equal(line.encode([column([True, None, False])]), [1.0, np.nan, 0.0])


def test_a_missing_and_an_unseen_level_are_told_apart():
    basis = meet(f("x", missing="effect", unseen="zero"), ["a", "b", None])

    assert evaluate(basis, ["z", None]).tolist() == [[0.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize(("term", "values", "n_inner"), GAPS.values(), ids=GAPS)
def test_the_coarse_term_is_some_columns_of_the_whole_one(term, values, n_inner):
    basis = meet(term, values)

    coarse, kept = basis.coarse(3)

    np.testing.assert_array_equal(evaluate(coarse, values), evaluate(basis, values)[:, kept])
    for coarser, penalty in zip(coarse.penalties, basis.penalties, strict=True):
        np.testing.assert_array_equal(coarser.diagonal, penalty.diagonal[kept])
    assert len(kept) == min(n_inner, 3) + 1


def test_encoding_does_not_write_to_the_users_data():
    data = np.array([[1.0], [np.nan], [3.0]])
    basis = resolve_term(l("x0", missing="effect"), [read_table(data).column("x0")])

    basis.columns(basis.encode([read_table(data).column("x0")]))

    np.testing.assert_array_equal(data, [[1.0], [np.nan], [3.0]])


@pytest.mark.parametrize("name", ["smooth", "linear"])
def test_missing_values_have_no_slope_and_the_others_that_of_the_inner_term(name):
    term, values, n_inner = GAPS[name]
    whole = values[:2] + values[3:]

    found = slopes(meet(term, values), values)

    assert np.isnan(found[2, :-1]).all()
    np.testing.assert_array_equal(found[:, -1], 0.0)
    np.testing.assert_array_equal(np.delete(found, 2, axis=0)[:, :n_inner], slopes(meet(term, whole), whole))
