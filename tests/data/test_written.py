"""Cells written as text, beside the same values in files that know numbers and booleans."""

from decimal import Decimal

import pytest

from pugam.data import Levels, is_written, value_of
from pugam.errors import InputError

BIG = 2**53


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"),
        (1.0, "1"),
        ("1.0", "1"),
        (Decimal("1.00"), "1"),
        ("1", "1.0"),
        (True, "True"),
        (True, "true"),
        (" 1", "1"),
    ],
)
def test_a_value_is_what_was_written_however_it_is_spelt(value, text):
    assert is_written(value, text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "1"),
        (True, "1"),
        ("true", "1"),
        ("\u0661", "1"),
        (BIG + 1, str(BIG)),
        (str(BIG + 1), str(BIG)),
        ("ill", "Ill"),
    ],
)
def test_other_values_are_not(value, text):
    assert not is_written(value, text)


def test_whole_numbers_stay_exact_and_only_plain_digits_are_numbers():
    assert value_of(str(BIG + 1)) == BIG + 1
    assert value_of(float(BIG)) == BIG
    assert value_of("\u0665") == "\u0665"
    assert value_of("0.1") == value_of(0.1)
    assert value_of("nan") == "nan"


@pytest.mark.parametrize(
    ("levels", "value", "level"),
    [
        ((str(BIG), str(BIG + 1)), BIG + 1, str(BIG + 1)),
        ((str(BIG + 1),), BIG, str(BIG)),
        (("1", "true"), 1, "1"),
        (("1", "true"), True, "true"),
        (("True", "1"), True, "True"),
        (("0", "-0"), 0, "0"),
        (("5", "\u0665"), 5.0, "5"),
        (("\u0665",), 5, "5"),
        (("1.0", "1.00"), 1.0, "1.0"),
        (("007",), 7, "007"),
        (("yes",), True, "true"),
    ],
)
def test_a_level_is_found_as_it_is_spelt_or_else_as_the_same_number(levels, value, level):
    assert Levels("site", levels).find(value) == level


@pytest.mark.parametrize(("levels", "value"), [(("1.0", "1.00"), 1), (("0", "-0"), 0.0), (("true", "True"), 1)])
def test_levels_that_are_the_same_number_are_not_guessed(levels, value):
    with pytest.raises(InputError, match=f"'site' holds {value}, but the fit has levels '{levels[0]}' and"):
        Levels("site", levels).find(value)
