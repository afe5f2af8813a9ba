"""Rows that cannot be scored are found, each with a reason, and no others."""

import numpy as np
import pandas as pd
import pytest

from pugam.data import read_table
from pugam.errors import InputError
from pugam.terms import Design, parse_formula, unscorable_rows

FITTED = pd.DataFrame(
    {"x": np.linspace(0.0, 1.0, 20), "y": [np.nan, *np.linspace(0.0, 1.0, 19)], "site": ["a", "b"] * 10}
)


def found(formula, **columns):
    design = Design.resolve(parse_formula(formula), read_table(FITTED))
    return unscorable_rows([design], read_table(pd.DataFrame(columns)))


def test_gaps_and_new_levels_have_reasons():
    rows = found("s(x) + f(site)", x=[0.5, np.nan, 0.5, np.nan], site=["a", "b", "c", "c"])

    assert rows == {1: "x is missing", 2: "site 'c' was not seen in the fit", 3: "x is missing"}


def test_what_terms_permit_is_no_reason():
    rows = found('l(y, missing="effect") + f(site, unseen="zero")', y=[np.nan, 0.5], site=["c", "a"])

    assert rows == {}


def test_a_gap_is_no_level():
    assert found("x + f(site)", x=[0.5, 0.5], site=["a", None]) == {1: "site is missing"}


def test_levels_of_a_curve_and_of_a_product_count():
    assert found("s(x, by=site)", x=[0.5], site=["c"]) == {0: "site 'c' was not seen in the fit"}
    assert found("x:site", x=[0.5], site=["c"]) == {0: "site 'c' was not seen in the fit"}


def test_leave_for_gaps_that_the_fit_saw_none_of_does_not_help():
    assert found('s(x, missing="effect")', x=[np.nan]) == {0: "x is missing"}


@pytest.mark.parametrize("formula", ["x + f(site)", "s(x) + f(site)", "x:site", "s(x, by=site)"])
def test_text_in_place_of_numbers_is_no_fault_of_single_rows(formula):
    with pytest.raises(InputError, match="needs numbers, but column 'x' holds text"):
        found(formula, x=["low", "0.5"], site=["a", "b"])
