"""Flags and names, as methods are given them."""

import numpy as np
import pandas as pd
import pytest

from pugam import InputError
from pugam.data import read_flag, read_names


@pytest.mark.parametrize("value", ["no", "False", "", None, [], 0, 1, 0.0, np.array([True])], ids=repr)
def test_a_flag_is_true_or_false_and_nothing_else(value):
    assert (read_flag("check", np.True_), read_flag("check", False)) == (True, False)
    with pytest.raises(InputError, match=r"check is True or False; got "):
        read_flag("check", value)


def test_names_are_one_or_several_texts():
    assert read_names("columns", "age") == ["age"]
    for several in (["a", "b"], ("a", "b"), np.array(["a", "b"]), pd.Index(["a", "b"]), dict.fromkeys("ab")):
        assert read_names("columns", several) == ["a", "b"]
    assert read_names("columns", []) == []


@pytest.mark.parametrize("value", [0, True, 1.5, None, [0], [None], ["a", 1], b"a", np.array(0), [["a"]]], ids=repr)
def test_numbers_and_flags_are_no_names(value):
    with pytest.raises(InputError, match="columns takes names, each a text, such as '0' for a column numbered 0; got"):
        read_names("columns", value)
