"""What is asked of a fit before it begins."""

import warnings

import numpy as np
import pandas as pd
import pytest

from pugam import SlowWarning, f, s
from pugam.data import read_table
from pugam.estimator.requirements import warn_of_size
from pugam.terms import Design

ROWS = pd.DataFrame({"x": np.linspace(0.0, 1.0, 800), "code": [f"c{number % 400}" for number in range(800)]})


def test_a_term_of_very_many_columns_is_told_before_the_work_begins():
    table = read_table(ROWS)

    with pytest.warns(SlowWarning, match=r"f\(code\) has 399 columns: the fit may take an hour or more"):
        warn_of_size(Design.resolve([s("x"), f("code")], table))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_size(Design.resolve([s("x")], table))
