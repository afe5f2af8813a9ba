import numpy as np
import pandas as pd
import pytest

from pugam import s
from pugam.data import read_table
from pugam.errors import FormulaError, InputError
from pugam.terms import Design
from pugam.terms.formula import parse_formula

WRITTEN_HERE = {
    "s(clinic, bs='re')": "r(clinic)",
    "s(clinic, bs=re)": "r(clinic)",
    "s(`my clinic`, bs='re')": "r(`my clinic`)",
    "s(month, bs='cc')": "s(month, cyclic=True)",
    "s(age, k=5, bs='tp')": "leave bs out",
    "te(age, bmi, bs='cr')": "leave bs out",
    "s(age, sp=3)": "leave sp out",
    "s(``, bs='re')": "r(age)",
    "log(lab)": 's(lab, scale="log")',
    "s(log(lab))": 's(lab, scale="log")',
    "poly(age, 2)": "compute a new column and name it here, or write s(age)",
    "I(age^2)": "compute a new column and name it here, or write s(age)",
    "s(x) + (1|clinic)": "r(clinic)",
    "(1 | `my clinic`)": "r(`my clinic`)",
    "as.factor(site)": "f(site)",
    "t2(a, b)": "te(",
}


@pytest.mark.parametrize(("formula", "instead"), WRITTEN_HERE.items())
def test_what_other_formulas_write_is_said_in_the_words_of_this_one(formula, instead):
    with pytest.raises(FormulaError) as caught:
        parse_formula(formula)
    assert instead in str(caught.value).splitlines()[0]


def test_no_curve_is_suggested_for_the_logarithm_of_an_offset():
    with pytest.raises(FormulaError, match=r"compute a new column and name it here\.\n"):
        parse_formula("offset(log(effort))")


def test_far_too_many_functions_are_refused_with_the_most_that_make_sense():
    table = read_table(pd.DataFrame({"x": np.arange(2000.0)}))
    with pytest.raises(InputError, match=r"k = 5000 is far more .* give at most 300"):
        Design.resolve([s("x", k=5000)], table)
    assert Design.resolve([s("x", k=300)], table).n_columns == 299
