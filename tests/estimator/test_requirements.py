"""What is asked of a fit before it begins."""

import warnings

import numpy as np
import pandas as pd
import pytest

from pugam import PugamWarning, SlowWarning, f, s
from pugam.data import read_table
from pugam.estimator.requirements import warn_of_size, warn_of_survey
from pugam.terms import Design

ROWS = pd.DataFrame({"x": np.linspace(0.0, 1.0, 800), "code": [f"c{number % 400}" for number in range(800)]})


def test_a_term_of_very_many_columns_is_told_before_the_work_begins():
    table = read_table(ROWS)

    with pytest.warns(SlowWarning, match=r"f\(code\) has 399 columns: the fit may take an hour or more"):
        warn_of_size(Design.resolve([s("x"), f("code")], table))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_size(Design.resolve([s("x")], table))


@pytest.mark.parametrize("scale", [3.0435, 0.2])
def test_weights_that_add_up_to_other_than_the_rows_are_told(scale):
    weights = np.linspace(0.5, 1.5, 4000) * scale
    total = f"{4000 * scale:,.0f}"
    with pytest.warns(PugamWarning, match=f"Weights add up to {total} for 4,000 rows.*divide them"):
        warn_of_survey(None, None, weights)


@pytest.mark.parametrize("weights", [None, np.linspace(0.5, 1.5, 40), np.full(40, 3.0)])
def test_usual_weights_and_numbers_of_rows_are_passed_over(weights):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_survey(None, None, weights)
