"""Rows in parts: wherever they are cut, the same few of them tell what terms need to know of all."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pugam.data import digest, join_digests, read_table
from pugam.errors import InputError

N_ROWS = 1000
CUTS = {
    "in one": [],
    "in half": [500],
    "evenly": [*range(100, 1000, 100)],
    "unevenly": [1, 2, 13, 400, 999],
    "finely": [*range(3, 1000, 29)],
}


@pytest.fixture(autouse=True)
def few_rows(monkeypatch):
    """Every tenth row of a thousand is looked at."""
    monkeypatch.setattr("pugam.data.digests.FEW_ROWS", 100)


@pytest.fixture(scope="module")
def frame():
    """Numbers with and without gaps, text with and without gaps, booleans, repeated extremes."""
    rng = np.random.default_rng(0)
    site = rng.choice(["north", "south"], N_ROWS).astype(object)
    site[[333, 777]] = ["east", "west"]
    ward = rng.choice(["p", "q", None], N_ROWS)
    ward[:50] = "p"
    return pd.DataFrame(
        {
            "x": rng.normal(size=N_ROWS),
            "few": rng.integers(0, 3, N_ROWS).astype(float),
            "gaps": np.where(rng.random(N_ROWS) < 0.01, np.nan, rng.normal(size=N_ROWS)),
            "site": site,
            "ward": ward,
            "old": rng.random(N_ROWS) < 0.002,
        }
    )


def joined(frame, cuts):
    """What is chosen of the parts between these cuts, brought together."""
    edges = [0, *cuts, len(frame)]
    parts = [
        digest(read_table(frame.iloc[start:stop]), start, len(frame), list(frame.columns))
        for start, stop in itertools.pairwise(edges)
    ]
    return join_digests(parts, len(frame), "pandas")


def assert_same(one, other):
    rows, table = one
    other_rows, other_table = other
    np.testing.assert_array_equal(rows, other_rows)
    assert table.names == other_table.names
    for name in table.names:
        here, there = table.column(name), other_table.column(name)
        assert (here.kind, here.stands_for) == (there.kind, there.stands_for)
        np.testing.assert_array_equal(here.values, there.values)


@pytest.mark.parametrize("cuts", CUTS.values(), ids=CUTS)
def test_what_is_chosen_does_not_depend_on_the_cuts(frame, cuts):
    assert_same(joined(frame, cuts), joined(frame, []))


@given(
    cuts=st.sets(st.integers(1, 59)),
    values=st.lists(st.sampled_from([0.0, 1.0, 2.5, -3.0, np.nan]), min_size=60, max_size=60),
    levels=st.lists(st.sampled_from(["a", "b", "c", None]), min_size=60, max_size=60),
    few=st.integers(1, 70),
)
def test_whatever_the_values_and_the_cuts_the_same_rows_are_chosen(cuts, values, levels, few):
    frame = pd.DataFrame({"x": values, "site": pd.Series(levels, dtype=object)})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pugam.data.digests.FEW_ROWS", few)
        assert_same(joined(frame, sorted(cuts)), joined(frame, []))


@pytest.mark.parametrize("cuts", CUTS.values(), ids=CUTS)
def test_rows_spread_evenly_extremes_levels_and_first_gaps_are_chosen(frame, cuts):
    rows, table = joined(frame, cuts)

    assert set(range(0, N_ROWS, 10)) <= set(rows)
    assert {frame["x"].argmin(), frame["x"].argmax()} <= set(rows)
    assert {frame["gaps"].argmin(), frame["gaps"].argmax(), frame["gaps"].isna().argmax()} <= set(rows)
    assert {333, 777, frame["ward"].isna().argmax(), frame["old"].argmax()} <= set(rows)
    assert set(table.column("site").values) == {"north", "south", "east", "west"}
    assert table.column("old").values.any()
    assert len(rows) < 120


def test_the_chosen_rows_hold_their_own_values_in_order(frame):
    rows, table = joined(frame, CUTS["unevenly"])

    assert np.all(np.diff(rows) > 0)
    assert table.n_rows == len(rows)
    assert table.library == "pandas"
    for name in ("x", "few", "gaps"):
        np.testing.assert_array_equal(table.column(name).values, frame[name].to_numpy()[rows])
    assert table.column("site").values.tolist() == frame["site"].to_numpy()[rows].tolist()
    gaps = frame["ward"].isna().to_numpy()[rows]
    np.testing.assert_array_equal(table.column("ward").missing, gaps)
    assert table.column("ward").values[~gaps].tolist() == frame["ward"].to_numpy()[rows][~gaps].tolist()


def test_the_chosen_rows_know_how_many_they_stand_for(frame):
    _, table = joined(frame, CUTS["evenly"])

    assert {table.column(name).stands_for for name in table.names} == {N_ROWS}
    assert table.column("x").n_rows == N_ROWS


@pytest.mark.parametrize("few", [501, 1000, 5000])
def test_of_a_small_table_all_rows_are_chosen_and_stand_for_themselves(frame, few, monkeypatch):
    monkeypatch.setattr("pugam.data.digests.FEW_ROWS", few)

    rows, table = joined(frame, CUTS["unevenly"])

    np.testing.assert_array_equal(rows, np.arange(N_ROWS))
    assert table.column("x").stands_for is None
    np.testing.assert_array_equal(table.column("gaps").values, frame["gaps"])


@pytest.mark.parametrize("cuts", CUTS.values(), ids=CUTS)
def test_of_a_column_with_too_many_levels_the_first_ones_are_chosen(cuts, monkeypatch):
    monkeypatch.setattr("pugam.data.digests.MOST_LEVELS", 30)
    names = np.array([f"name {number:04d}" for number in np.random.default_rng(1).integers(0, 700, N_ROWS)])
    frame = pd.DataFrame({"name": names})

    rows, _ = joined(frame, cuts)

    firsts = pd.Series(names).drop_duplicates().index[:30]
    assert set(firsts) <= set(rows)
    assert_same(joined(frame, cuts), joined(frame, []))


def test_only_the_columns_asked_for_are_read(frame):
    bad = frame.assign(when=pd.Timestamp("2020-01-01"))

    rows, columns = digest(read_table(bad), 0, N_ROWS, ["x", "site"])

    assert list(columns) == ["x", "site"]
    assert len(rows) < 120


@pytest.mark.parametrize("values", [["a", "b"], [True, False]], ids=["text", "booleans"])
def test_a_column_of_numbers_in_one_part_and_of_levels_in_another_is_refused(values):
    parts = [
        digest(read_table(pd.DataFrame({"x": part})), first, 4, ["x"]) for first, part in ((0, [1.0, 2.0]), (2, values))
    ]

    with pytest.raises(InputError, match="'x' holds numbers in some parts of the data and text in others"):
        join_digests(parts, 4, "pandas")


@pytest.mark.parametrize(
    ("empty", "other", "kind"),
    [
        ([np.nan, np.nan], ["a", "b"], "category"),
        ([None, None], ["a", "b"], "category"),
        ([None, None], [1.5, 2.5], "numeric"),
        ([None, None], [np.nan, np.nan], "numeric"),
    ],
    ids=["NaN before text", "None before text", "None before numbers", "nothing at all"],
)
@pytest.mark.parametrize("few", [1, 100], ids=["some rows", "all rows"])
def test_a_part_without_a_value_takes_the_kind_of_the_others(empty, other, kind, few, monkeypatch):
    monkeypatch.setattr("pugam.data.digests.FEW_ROWS", few)
    for order in (0, 1):
        halves = [empty, other] if order == 0 else [other, empty]
        parts = [
            digest(read_table(pd.DataFrame({"x": half})), first, 4, ["x"])
            for first, half in zip((0, 2), halves, strict=True)
        ]
        _, table = join_digests(parts, 4, "pandas")
        column = table.column("x")
        assert column.kind == kind
        assert column.missing.any()
        assert set(column.values[~column.missing]) == {value for value in other if not pd.isna(value)}


def test_a_part_of_no_rows_adds_nothing(frame):
    whole = read_table(frame)
    edges = ((0, 400), (400, 400), (400, 1000))

    parts = [digest(whole.take(np.arange(*edge)), edge[0], N_ROWS, list(frame.columns)) for edge in edges]

    assert_same(join_digests(parts, N_ROWS, "pandas"), joined(frame, []))
