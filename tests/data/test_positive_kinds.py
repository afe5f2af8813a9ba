"""Kinds of positives are read from labelled rows; rare ones are refused by name, or pooled."""

import numpy as np
import pytest

from pugam.data.positive_kinds import FEWEST_LABELLED, read_kinds
from pugam.errors import InputError, RowError

ENOUGH = FEWEST_LABELLED


def read(labelled, n_unlabelled=3, rare="error", hidden=None):
    values = np.array([*labelled, *([hidden] * n_unlabelled)], dtype=object)
    positive = np.arange(len(values)) < len(labelled)
    return read_kinds(values, positive, np.ones(len(values), bool), rare)


def test_kinds_are_numbered_in_order_and_unlabelled_rows_have_none():
    found = read(["b"] * ENOUGH + ["a"] * ENOUGH, hidden="c")

    assert found.names == ("a", "b")
    assert found.numbers.tolist() == [1] * ENOUGH + [0] * ENOUGH + [-1] * 3


def test_numbers_name_kinds_too():
    assert read([2.0] * ENOUGH + [1.0] * ENOUGH).names == ("1", "2")


def test_a_rare_kind_is_refused_by_name_with_the_number_needed():
    with pytest.raises(
        InputError, match=rf"Kind 'b' has 1 labelled row, but .* at least {ENOUGH}; .*rare_kinds='pooled'"
    ):
        read(["a"] * ENOUGH + ["b"])


def test_rare_kinds_are_pooled_with_as_many_others_as_it_takes():
    alone = read(["a"] * 60 + ["b"] * 30 + ["c"] * 5, rare="pooled")
    several = read(["a"] * 60 + ["b"] * 30 + ["c"] * 12 + ["d"] * 11, rare="pooled")

    assert alone.names == ("a", "others")
    assert np.bincount(alone.numbers[alone.numbers >= 0]).tolist() == [60, 35]
    assert several.names == ("a", "b", "others")
    assert np.bincount(several.numbers[several.numbers >= 0]).tolist() == [60, 30, 23]


def test_kinds_that_are_all_rare_are_one():
    assert len(read(["a"] * 8 + ["b"] * 9, rare="pooled").names) == 1


def test_one_kind_may_have_few_rows():
    assert read(["a"] * 3).names == ("a",)


def test_what_tells_no_kind_is_refused_in_its_row():
    with pytest.raises(RowError, match="kind is missing in row 1, which is labelled"):
        read(["a", None])
    with pytest.raises(RowError, match="name a kind by one text or number"):
        read(["a", ["b"]])
    with pytest.raises(InputError, match="would both be the kind '1'"):
        read([1] * ENOUGH + ["1"] * ENOUGH)
    with pytest.raises(InputError, match="called 'all'"):
        read(["all"] * ENOUGH + ["b"] * ENOUGH)


def test_rows_without_weight_do_not_count():
    values = np.array(["a"] * ENOUGH + ["b"] * ENOUGH)
    counted = np.arange(2 * ENOUGH) < 2 * ENOUGH - 1

    with pytest.raises(InputError, match=f"Kind 'b' has {ENOUGH - 1} labelled rows"):
        read_kinds(values, np.ones(2 * ENOUGH, bool), counted, "error")
