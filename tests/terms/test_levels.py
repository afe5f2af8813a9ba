"""Levels of a column: which can be used, and which were seen."""

import pandas as pd
import pytest
from meeting import SITES, column, evaluate, meet

from pugam.errors import InputError
from pugam.terms import f


def test_levels_may_be_of_different_types():
    basis = meet(f("x"), pd.Categorical([1, "a", 2, "a"]))

    assert evaluate(basis, pd.Categorical([1, "a", 2, "a"])).shape == (4, 2)


def test_an_unseen_level_is_refused_with_its_row():
    basis = meet(f("x"), SITES)

    with pytest.raises(InputError, match=r"level 'z' in row 1 was not seen in the fit.*f\(x, unseen=\"zero\"\)"):
        basis.encode([column(["a", "z"])])


def test_a_factor_of_one_level_is_refused():
    with pytest.raises(InputError, match="column 'x' has the single level 'a'; leave it out"):
        meet(f("x"), ["a", "a"])
