"""The terms chosen for a user who names none."""

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from pugam.data import read_table
from pugam.errors import InputError, PugamWarning
from pugam.terms import Design, Factor, Linear, Smooth, choose_terms


def test_terms_are_chosen_by_the_values_of_each_column():
    frame = pd.DataFrame(
        {
            "number": np.linspace(0.0, 1.0, 60),
            "count": np.arange(60) % 5,
            "three": np.arange(60) % 3,
            "binary": np.arange(60) % 2,
            "text": ["a", "b", "c"] * 20,
            "flag": [True, False] * 30,
        }
    )

    assert choose_terms(read_table(frame)) == [
        Smooth("number", k=10),
        Smooth("count", k=5),
        Smooth("three", k=3),
        Linear("binary"),
        Factor("text"),
        Factor("flag"),
    ]


def test_chosen_terms_meet_their_columns_without_a_warning():
    values = {f"x{distinct}": np.arange(120) % distinct for distinct in (2, 3, 4, 5, 9, 10, 11)}
    table = read_table(pd.DataFrame(values))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        design = Design.resolve(choose_terms(table), table)

    assert design.sizes == (1, 2, 3, 4, 8, 9, 9)


def test_constant_columns_are_left_out_with_a_warning_that_names_them():
    frame = pd.DataFrame({"x": np.arange(20.0), "one": 1.0, "same": "a", "gaps": [np.nan, 2.0] * 10})

    with pytest.warns(PugamWarning, match="Left out 3 constant column.*: one, same, gaps"):
        terms = choose_terms(read_table(frame))

    assert [term.column for term in terms] == ["x"]


IDENTIFIERS = np.random.default_rng(2).permutation(np.arange(100_000, 102_000))[:200]


def test_an_identifier_with_gaps_is_kept_with_a_question():
    frame = pd.DataFrame({"x": np.linspace(0.0, 1.0, 200), "claim_id": IDENTIFIERS})

    with pytest.warns(PugamWarning, match="Column 'claim_id' holds whole numbers.* leave it out of X") as warned:
        terms = choose_terms(read_table(frame))

    assert len(warned) == 1
    assert [term.column for term in terms] == ["x", "claim_id"]


def test_several_identifiers_are_named_in_one_warning():
    frame = pd.DataFrame({"x": np.linspace(0.0, 1.0, 200), "claim": IDENTIFIERS, "client": IDENTIFIERS[::-1] * 7})

    with pytest.warns(PugamWarning, match="Columns 'claim', 'client' hold whole numbers") as warned:
        choose_terms(read_table(frame))

    assert len(warned) == 1


@pytest.mark.parametrize(
    "values",
    [
        np.where(np.arange(200) == 150, IDENTIFIERS[0], IDENTIFIERS),
        IDENTIFIERS + 0.5,
        np.where(np.arange(200) == 150, np.nan, IDENTIFIERS),
    ],
    ids=["a repeat", "halves", "a missing value"],
)
def test_numbers_that_cannot_identify_rows_are_not_asked_about(values):
    table = read_table(pd.DataFrame({"x": np.linspace(0.0, 1.0, 200), "amount": values}))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        choose_terms(table)


def test_few_whole_numbers_are_not_asked_about():
    table = read_table(pd.DataFrame({"x": np.linspace(0.0, 1.0, 49), "amount": IDENTIFIERS[:49]}))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        choose_terms(table)


@pytest.mark.filterwarnings("ignore:Left out")
def test_a_table_of_constants_is_refused():
    with pytest.raises(InputError, match="Every column is constant"):
        choose_terms(read_table(pd.DataFrame({"one": [1.0, 1.0], "same": ["a", "a"]})))


def test_the_index_of_a_data_frame_is_left_out_with_a_word():
    frame = pd.DataFrame({"x": np.linspace(0.0, 1.0, 60)}, index=pd.Index(np.arange(60) % 7, name="patient"))

    with pytest.warns(PugamWarning, match="Left out patient: this was the index of a pandas data frame") as told:
        terms = choose_terms(read_table(pa.Table.from_pandas(frame)))

    assert [term.column for term in terms] == ["x"]
    assert len(told) == 1


@pytest.mark.parametrize("first", [0, 1])
def test_numbers_that_begin_anew_with_every_table_are_left_out(first):
    frame = pd.DataFrame({"x": np.linspace(0.0, 1.0, 160), "row": first + np.r_[0:60, 0:100]})

    with pytest.warns(PugamWarning, match="Left out row: the values number the rows of tables"):
        terms = choose_terms(read_table(frame))

    assert [term.column for term in terms] == ["x"]


def test_hours_of_rows_in_order_are_kept():
    frame = pd.DataFrame({"x": np.linspace(0.0, 1.0, 240), "hour": np.arange(240) % 24})

    assert [term.column for term in choose_terms(read_table(frame))] == ["x", "hour"]


def test_a_factor_of_very_many_levels_is_refused_with_what_to_do():
    frame = pd.DataFrame({"x": np.linspace(0.0, 1.0, 9000), "code": [f"c{number % 400}" for number in range(9000)]})

    with pytest.raises(InputError, match="'code' has 400 levels, and a fit with an effect for each takes very long"):
        choose_terms(read_table(frame))


@pytest.mark.parametrize(("first", "said"), [(2**60, True), (10**40, True), (5, False)])
def test_whole_numbers_that_are_the_same_to_16_digits_are_not_called_constant_without_a_word(first, said):
    n = 60
    X = pd.DataFrame(
        {"x": np.linspace(0.0, 1.0, n), "y": np.arange(n) ** 2.0, "id": [first + said * (i % 3) for i in range(n)]}
    )

    with pytest.warns(PugamWarning, match=r"Left out 1 constant column, .*: id\.") as told:
        choose_terms(read_table(X))
    assert ("to 16 digits" in str(told[0].message)) is said
