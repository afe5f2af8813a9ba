"""What the text of a cell means."""

import pyarrow as pa
import pytest

from pugam.files.cells import MISSING_WORDS, convert, first_misfit
from pugam.files.kinds import MixedColumnError, Tally


def converted(cells, kind):
    column = convert(pa.array(cells, pa.string()), kind)
    return None if column is None else column.to_pylist()


def kind_of(cells):
    tally = Tally()
    tally.add(pa.array(cells, pa.string()), 0)
    return tally.kind()


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        ("1", 1.0),
        ("007", 7.0),
        ("-1.5", -1.5),
        ("+2", 2.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e-3", 0.001),
        ("1E+5", 100000.0),
        (" 12\t", 12.0),
        ("12\u00a0", 12.0),
        ("inf", float("inf")),
        ("-Infinity", float("-inf")),
        ("+inf", float("inf")),
        ("1e999", float("inf")),
        ("9007199254740993", 9007199254740992.0),
    ],
)
def test_a_number_is_read_whatever_stands_beside_it(cell, number):
    assert converted([cell], "number") == [number]
    assert converted([cell, "NA"], "number") == [number, None]
    assert kind_of([cell, " na "]) == "number"


@pytest.mark.parametrize(
    "cell", ["abc", "12,5", "1_000", "0x10", "1 2", "1e", "+", "--", "5%", "१", "1d5", "2020-01-01"]
)
def test_other_cells_are_no_numbers(cell):
    assert converted(["1", "", cell], "number") is None
    assert first_misfit(pa.array(["1", "NA", cell, "x"]), "number") == 2


@pytest.mark.parametrize("word", [*MISSING_WORDS, "NA", "N/A", "NaN", "None", "NULL", "  ", " ? "])
def test_words_for_missing_values_are_missing_among_numbers_and_booleans_only(word):
    assert converted([word, "1"], "number") == [None, 1.0]
    assert converted([word, "true"], "boolean") == [None, True]
    assert converted([word], "text") == [word or None]


def test_booleans_are_true_and_false_in_any_case():
    assert converted(["true", "FALSE", " True", ""], "boolean") == [True, False, True, None]
    assert converted(["true", "yes"], "boolean") is None
    assert first_misfit(pa.array(["true", "NA", "yes"]), "boolean") == 2


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["0", "1", ""], "number"),
        (["", "NA"], "number"),
        (["True", "false", "NA"], "boolean"),
        (["a", "b"], "text"),
        (["a", "1"], "text"),
        (["true", "maybe"], "text"),
        (["2020-01-01", "2020-01-02"], "text"),
    ],
)
def test_the_kind_of_a_column_is_that_of_all_its_cells(cells, kind):
    assert kind_of(cells) == kind


@pytest.mark.parametrize("cells", [["1", "2", "x"], ["1", "2", "true"], ["1,5", "2,5"], ["1,5", "2", "x"]])
def test_mostly_numbers_is_neither_numbers_nor_text(cells):
    with pytest.raises(MixedColumnError):
        kind_of(cells)
