"""What a model says of missing values and unseen levels reaches all terms that do not say it themselves."""

import numpy as np
import pandas as pd
import pytest

from pugam.data import read_table
from pugam.terms import parse_formula, with_policies

TABLE = read_table(
    pd.DataFrame({"x": [1.0, np.nan, 3.0], "y": [1.0, 2.0, 3.0], "site": ["a", None, "b"], "sex": ["f", "m", "f"]})
)


def formulas(formula, missing="error", unseen="error"):
    return [term.formula for term in with_policies(parse_formula(formula), TABLE, missing, unseen)]


def test_only_terms_with_gaps_are_given_leave_for_them():
    assert formulas("s(x) + s(y) + f(site)", missing="effect") == [
        's(x, missing="effect")',
        "s(y)",
        'f(site, missing="effect")',
    ]


def test_interactions_leave_gaps_to_main_effects():
    assert formulas("ti(x, y) + s(y, by=site) + te(x, y)", missing="effect") == [
        'ti(x, y, missing="zero")',
        's(y, missing="zero", by=site)',
        'te(x, y, missing="effect")',
    ]


def test_a_term_that_says_it_itself_is_left_alone():
    assert formulas('te(x, y, missing="zero")', missing="effect") == ['te(x, y, missing="zero")']


@pytest.mark.parametrize(
    ("term", "treated"),
    [
        ("f(sex)", 'f(sex, unseen="zero")'),
        ("s(y)", "s(y)"),
        ("s(y, by=sex)", 's(y, by=sex, unseen="zero")'),
        ("ti(y, f(sex))", 'ti(y, f(sex, unseen="zero"))'),
        ("labelling(f(sex))", 'labelling(f(sex, unseen="zero"))'),
        ("r(sex)", "r(sex)"),
        ("y:sex", "y:sex"),
    ],
)
def test_unseen_levels_have_no_effect_wherever_there_are_levels(term, treated):
    assert formulas(term, unseen="zero") == [treated]


def test_labelling_terms_permit_gaps_as_others_do():
    assert formulas("labelling(s(x))", missing="effect") == ['labelling(s(x, missing="effect"))']


def test_errors_leave_every_term_as_it_is():
    formula = 's(x, missing="effect") + f(site) + r(sex)'

    assert formulas(formula) == formula.split(" + ")
