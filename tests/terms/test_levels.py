"""Levels of a column: which can be used, and which were seen."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from meeting import SITES, column, evaluate, meet

from pugam import PUGAM
from pugam.data import read_table
from pugam.errors import InputError, PugamWarning
from pugam.terms import Design, f, r, ti, unscorable_rows
from pugam.terms.missing import resolve_term


def test_levels_may_be_of_different_types():
    basis = meet(f("x"), pd.Categorical([1, "a", 2, "a"]))

    assert evaluate(basis, pd.Categorical([1, "a", 2, "a"])).shape == (4, 2)


@pytest.mark.parametrize(
    "values",
    [
        pd.Categorical(["Mar", "Jan", "Feb", "Jan"], categories=["Jan", "Feb", "Mar", "Apr"], ordered=True),
        pl.Series(["Mar", "Jan", "Feb", "Jan"], dtype=pl.Enum(["Jan", "Feb", "Mar", "Apr"])),
    ],
    ids=["pandas", "polars"],
)
def test_levels_keep_an_order_of_their_own(values):
    frame = pl.DataFrame if isinstance(values, pl.Series) else pd.DataFrame
    (axis,) = f("x").resolve([read_table(frame({"x": values})).column("x")]).axes

    assert axis.levels == ("Jan", "Feb", "Mar")


def test_effects_come_in_that_order():
    months = pd.Categorical(["Mar", "Jan", "Feb", "Jan"] * 25, categories=["Jan", "Feb", "Mar"], ordered=True)
    X = pd.DataFrame({"age": np.arange(100.0), "month": months})
    model = PUGAM("age + f(month)", pi=0.3, estimate="mode", check=False).fit(X, np.arange(100) % 2)

    assert list(model.effect("month")["x"]) == ["Jan", "Feb", "Mar"]


@pytest.mark.parametrize(
    ("levels", "in_order"),
    [
        (["west", "east", "north"], ["east", "north", "west"]),
        (["Mar", "Jan", "Feb"], ["Jan", "Feb", "Mar"]),
        (["october", "September", "MAY"], ["MAY", "September", "october"]),
        (["Sun", "Thurs", "Tue."], ["Tue.", "Thurs", "Sun"]),
        (["Mar", "Jan", "never"], ["Jan", "Mar", "never"]),
        (["Mar", "Sun", "Apr"], ["Apr", "Mar", "Sun"]),
        (["65+", "5-9", "10-14"], ["5-9", "10-14", "65+"]),
        (["site 10", "site 2", "site 02"], ["site 02", "site 2", "site 10"]),
        (["9" * 5000, "1"], ["1", "9" * 5000]),
    ],
)
def test_levels_without_an_order_are_sorted(levels, in_order):
    (axis,) = meet(f("x"), pd.Categorical(levels, categories=levels)).axes

    assert axis.levels == tuple(in_order)


def test_an_unseen_level_is_refused_with_its_row():
    basis = meet(f("x"), SITES)

    with pytest.raises(InputError, match=r"level 'z' in row 1 was not seen in the fit.*f\(x, unseen=\"zero\"\)"):
        basis.encode([column(["a", "z"])])


def test_a_factor_of_one_level_is_refused():
    with pytest.raises(InputError, match="column 'x' has the single level 'a'; leave it out"):
        meet(f("x"), ["a", "a"])


LONG = 2**53
LONG_COLUMNS = {
    "NumPy": lambda values: np.array(values, dtype=np.int64),
    "objects": lambda values: pd.Series(values, dtype=object),
    "with a gap": lambda values: pd.Series([*values, None], dtype="Int64"),
    "unsigned": lambda values: np.array(values, dtype=np.uint64),
    "polars": pl.Series,
    "Arrow": pa.array,
}


@pytest.mark.parametrize("make", LONG_COLUMNS.values(), ids=LONG_COLUMNS)
@pytest.mark.parametrize("term", [f("x", missing="effect"), r("x", missing="effect"), ti(f("x"), "y", missing="zero")])
def test_numbers_that_are_rounded_are_no_levels(make, term):
    """Neighbouring ones would be one level, in files that know whole numbers but not in CSV."""
    values = make([7, LONG, LONG + 1] * 10)
    library = {"polars": pl.DataFrame, "pyarrow": pa.table}.get(type(values).__module__.split(".")[0], pd.DataFrame)
    table = read_table(library({"x": values, "y": np.arange(float(len(values)))}))

    with pytest.raises(
        InputError, match=r"column 'x' holds numbers of 16 digits or more, which are rounded.* into text"
    ):
        resolve_term(term, [table.column(name) for name in term.columns])


def test_numbers_that_are_rounded_are_not_taken_for_levels_of_the_fit():
    levels = [LONG, LONG + 2, 7]
    basis = meet(f("x", unseen="zero"), pd.Categorical(levels))

    assert basis.encode([column([7, 8])]).tolist() == [basis.levels.index(7), -1]
    assert (basis.encode([column(pd.Categorical([LONG + 2, LONG + 1]))]) < 0).tolist() == [False, True]
    with pytest.raises(InputError, match="turn the column into text"):
        basis.encode([column([7, LONG + 1])])
    with pytest.raises(InputError, match="turn the column into text"):
        unscorable_rows([Design((meet(f("x"), pd.Categorical(levels)),))], read_table(pd.DataFrame({"x": [LONG + 1]})))
    assert meet(f("x", unseen="zero"), [7, 8]).encode([column([7, LONG + 1])]).tolist() == [0, -1]


def test_numbers_that_are_exact_are_levels():
    assert meet(f("x"), [7, LONG - 1, LONG - 2]).levels == (7, LONG - 2, LONG - 1)


@pytest.mark.parametrize("kind", ["f", "r"])
@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([1, 2, 10], ["1", "2", "10"]),
        ([1.0, 2.5, -3.0], ["1", "2.5", "-3"]),
        ([True, False, True], ["True", "False", "True"]),
    ],
)
def test_levels_that_were_text_are_found_by_the_numbers_they_are_written_like(kind, values, text):
    """A CSV file of the fit holds text, and a frame made of the same file numbers."""
    rng = np.random.default_rng(0)
    places, z = rng.integers(0, 3, 300), np.repeat([1, 0], 150)
    X = pd.DataFrame({"a": rng.normal(size=300) + z, "code": np.array(text)[places]})
    model = PUGAM(f"a + {kind}(code)", check=False, pi=0.3).fit(X, z)
    numbers = X.assign(code=np.array(values)[places])

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = model.predict_proba(numbers)

    np.testing.assert_array_equal(found, model.predict_proba(X))


def test_numbers_that_no_level_is_written_like_stay_unseen():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=300), "code": np.array(["1", "2", "x"])[rng.integers(0, 3, 300)]})
    model = PUGAM("a + r(code)", check=False, pi=0.3).fit(X, np.repeat([1, 0], 150))

    with pytest.warns(PugamWarning, match=r"1 row has a level of code that the fit did not see \(7"):
        model.predict_proba(pd.DataFrame({"a": [0.0, 0.0], "code": [2.0, 7.0]}))
