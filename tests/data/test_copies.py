"""Columns that say the same as others."""

import numpy as np
import pandas as pd

from pugam import PUGAM
from pugam.data import find_copies, read_table
from pugam.datasets import simulate


def test_copies_other_units_and_other_names_of_levels_are_found():
    rng = np.random.default_rng(0)
    x, site = rng.normal(size=50), rng.choice(["a", "b", "c"], 50)
    table = pd.DataFrame(
        {"x": x, "inches": 3.0 - 2.54 * x, "y": rng.normal(size=50), "site": site, "code": [f"{one}!" for one in site]}
    )

    assert find_copies(read_table(table), list(table)) == [("x", "inches"), ("site", "code")]


def test_gaps_count_and_a_column_that_differs_in_one_row_is_no_copy():
    x = np.random.default_rng(0).normal(size=50)
    other, gap = x.copy(), x.copy()
    other[3] += 0.1
    gap[3] = np.nan
    table = pd.DataFrame({"x": x, "other": other, "gap": gap, "again": gap})

    assert find_copies(read_table(table), list(table)) == [("gap", "again")]


def test_a_fit_names_them(recwarn):
    data = simulate(1, n0=80, n=200, random_state=0)
    PUGAM(check=False).fit(data.X.assign(again=data.X["x1"], other=2.0 * data.X["x2"]), data.z)

    (told,) = [str(one.message) for one in recwarn if "carry the same" in str(one.message)]
    assert told.startswith("Columns 'x1' and 'again' carry the same information")
    assert "(1 more column repeats another)" in told
