"""Columns that tell labelled from unlabelled rows by how a file was put together."""

import numpy as np
import pandas as pd
import pytest

from pugam.data import Giveaway, find_giveaways, read_table

N0, N1 = 60, 140
POSITIVE = np.arange(N0 + N1) < N0
RNG = np.random.default_rng(0)


def found(values, positive=POSITIVE):
    table = read_table(pd.DataFrame({"c": values}))
    return [giveaway.how for giveaway in find_giveaways(table, ["c"], positive)]


def either(labelled, others):
    return np.where(POSITIVE, labelled, others)


@pytest.mark.parametrize(
    ("values", "how"),
    [
        (np.r_[RNG.permutation(N0), RNG.permutation(N1)], "numbered"),
        (np.r_[1 + np.arange(N0), 1 + np.arange(N1)], "numbered"),
        (np.r_[7 + 3 * np.arange(N0), 5 + 4 * np.arange(N1)], "numbered"),
        (np.r_[1000 + np.arange(N0), 6000 - 3 * np.arange(N1)], "apart"),
        (np.r_[1000 + RNG.permutation(N0), 5000 + 3 * np.arange(N1)], "apart"),
        (either("cases.csv", "controls.csv"), "apart"),
        (either("cases.csv", np.where(np.arange(N0 + N1) % 2, "a.csv", "b.csv")), "apart"),
        (either(20240105, 20240300 + np.arange(N0 + N1) % 7), "apart"),
        (either(1.0, np.arange(N0 + N1) % 2), "one value"),
        (either(np.arange(N0 + N1) % 3, 0), "one value"),
        (
            either(np.where(np.arange(N0 + N1) % 20, "unit", "desk"), np.where(np.arange(N0 + N1) % 99, "a", "unit")),
            "nearly",
        ),
        (either(RNG.normal(size=N0 + N1), np.where(np.arange(N0 + N1) % 99, 9.0, 0.0)), "nearly"),
        (either(np.nan, RNG.normal(size=N0 + N1)), "gaps"),
        (np.where(POSITIVE | (np.arange(N0 + N1) % 3 > 0), RNG.normal(size=N0 + N1), np.nan), "gaps"),
    ],
)
def test_a_column_that_depends_on_the_file_is_found(values, how):
    assert found(values) == [how]


@pytest.mark.parametrize(
    "values",
    [
        RNG.normal(size=N0 + N1) + 2.0 * POSITIVE,
        RNG.integers(0, 3, N0 + N1),
        np.where(RNG.random(N0 + N1) < 0.02, 1.0, 0.0) * ~POSITIVE,  # rare: that no labelled row has it may be chance
        np.where(np.arange(N0 + N1) % 15 == 0, 1.0, 0.0)
        * ~POSITIVE,  # a level that few negatives have, and no positive
        np.where(RNG.random(N0 + N1) < 0.1, np.nan, RNG.normal(size=N0 + N1)),
        [f"patient {number}" for number in range(N0 + N1)],
        np.array(["a", "b", "c"])[RNG.integers(0, 3, N0 + N1)],
        np.full(N0 + N1, 1.0),
    ],
)
def test_a_feature_is_not(values):
    assert found(values) == []


def test_few_rows_say_nothing():
    assert found(either("a", "b"), np.arange(N0 + N1) < 10) == []


def test_columns_are_named_with_what_to_do():
    message = str(Giveaway("apart", ("source",)).message)

    assert message.startswith("Column 'source' has no value that labelled and unlabelled rows share. If it tells how ")
    assert message.endswith("pi is wrong: leave it out of X.")
    assert "Columns 'a', 'b' have no value" in str(Giveaway("apart", ("a", "b")).message)
