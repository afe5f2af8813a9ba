"""Missing values where a term gives no leave: refused, with column and row."""

import numpy as np
import pandas as pd
import pytest
from meeting import NUMBERS, SITES, column, meet

from pugam.data import read_table
from pugam.errors import InputError
from pugam.terms import Design, f, l, s


@pytest.mark.parametrize(
    ("term", "values"),
    [(s("x"), [1.0, 2.0, np.nan]), (l("x"), [1.0, 2.0, np.nan]), (f("x"), ["a", "b", None])],
    ids=["smooth", "linear", "factor"],
)
def test_missing_values_are_refused_with_column_and_row(term, values):
    with pytest.raises(InputError, match=r"column 'x' has missing values \(NaN\) in row 2.*missing='effect'"):
        meet(term, values)


@pytest.mark.parametrize(
    ("term", "values"),
    [(s("x", missing="effect"), NUMBERS), (l("x", missing="effect"), NUMBERS), (f("x", missing="effect"), SITES)],
    ids=["smooth", "linear", "factor"],
)
def test_missing_values_at_prediction_are_refused_when_the_fit_saw_none(term, values):
    basis = meet(term, values)

    with pytest.raises(InputError, match=r"column 'x' has missing values \(NaN\) in row 1; the fit saw none"):
        basis.encode([column([values[0], None])])


@pytest.mark.parametrize("policy", ["error", "effect"])
def test_a_column_without_any_value_is_refused(policy):
    with pytest.raises(InputError, match="column 'x' has no values at all; leave it out"):
        meet(s("x", missing=policy), [np.nan, np.nan])


def test_all_columns_that_lack_values_are_named_at_once():
    gaps = np.where(np.arange(300) == 4, np.nan, np.arange(300) % 7)
    several = read_table(pd.DataFrame({"age": np.linspace(20.0, 80.0, 300), "one": gaps, "two": gaps, "three": gaps}))

    with pytest.raises(InputError, match=r"column 'one' has missing .* in row 4, and so have 'two', 'three'; fill"):
        Design.resolve([s("age"), s("one", k=5), l("two"), s("three", k=5)], several)
    with pytest.raises(InputError, match=r"column 'two' has missing .* in row 4; fill or drop"):
        Design.resolve([s("age"), s("one", k=5, missing="effect"), l("two")], several)
