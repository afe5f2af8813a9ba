"""Values of a parsed file, each checked: what is read, and how a refusal names file and place."""

import math

import numpy as np
import pytest

from pugam.errors import InputError
from pugam.nodes import LARGEST, Node


def node(value, path="here"):
    return Node("model.json", path, value)


def refusal(read):
    with pytest.raises(InputError) as caught:
        read()
    return str(caught.value)


def test_fields_of_an_object_know_their_place():
    parts = node({"a": 1, "b": {"c": 2}}).fields("a", "b")

    assert (parts["a"].value, parts["a"].path) == (1, "here.a")
    assert parts["b"].fields("c")["c"].path == "here.b.c"
    assert node({"a": 1}, "").fields("a")["a"].path == "a"


def test_optional_fields_may_be_absent():
    assert set(node({"a": 1}).fields("a", optional=("k",))) == {"a"}
    assert set(node({"a": 1, "k": 2}).fields("a", optional=("k",))) == {"a", "k"}


def test_a_lacking_and_an_unknown_key_are_named():
    assert refusal(lambda: node({"a": 1}).fields("a", "b")) == 'model.json: here lacks "b".'
    unknown = refusal(lambda: node({"a": 1, "z": 2}).fields("a", optional=("k",)))
    assert unknown == 'model.json: here has the unknown key "z"; expected "a", "k".'
    assert set(node({"a": 1, "z": 2}).fields("a", others=True)) == {"a"}
    assert refusal(lambda: node({}, "").fields("a")) == 'model.json: the file lacks "a".'


def test_entries_and_items_know_their_place():
    assert [item.path for item in node({"x y": 1}).entries().values()] == ['here["x y"]']
    assert [item.path for item in node([7, 8]).items(2)] == ["here[0]", "here[1]"]


@pytest.mark.parametrize(
    ("read", "value", "expected"),
    [
        (lambda at: at.fields("a", "b"), [], "an object with a, b; got a list of 0"),
        (lambda at: at.entries(), 3, "an object; got 3"),
        (lambda at: at.items(), {}, "a list; got an object of 0"),
        (lambda at: at.items(3), [1], "a list of 3; got a list of 1"),
        (lambda at: at.text(), 3, "text; got 3"),
        (lambda at: at.flag(), 1, "true or false; got 1"),
        (lambda at: at.choice((1, 2)), True, "one of 1, 2; got true"),
        (lambda at: at.choice(("a", None)), "b", 'one of "a", null; got "b"'),
        (lambda at: at.whole(3, 9), 2, "a whole number from 3 to 9; got 2"),
        (lambda at: at.whole(3), 3.0, "a whole number of at least 3; got 3.0"),
        (lambda at: at.whole(0), True, "a whole number of at least 0; got true"),
        (lambda at: at.number(), math.nan, "a finite number; got nan"),
        (lambda at: at.number(), 2 * LARGEST, "a finite number; got 2e+150"),
        (lambda at: at.number(), True, "a finite number; got true"),
        (lambda at: at.number(0.0, what="a share"), -1, "a share; got -1"),
        (lambda at: at.numbers(), 3, "a list of numbers; got 3"),
        (lambda at: at.numbers(2), [1.0], "a list of 2 numbers; got a list of 1"),
        (lambda at: at.coefficients(1), [1e60], "a number from -1e+50 to 1e+50; got 1e+60"),
        (lambda at: at.penalties(1), [-1.0], "a number from 0 to 1e+120; got -1.0"),
        (lambda at: at.plain(), [], "text, true, false or a finite number; got a list of 0"),
        (lambda at: at.plain(), math.inf, "text, true, false or a finite number; got inf"),
    ],
)
def test_a_refusal_says_what_was_expected_and_what_is_there(read, value, expected):
    message = refusal(lambda: read(node(value)))

    assert message.startswith("model.json: here")
    assert message.endswith(f": expected {expected}.")


def test_numbers_are_read_as_they_are():
    assert node(3).number() == 3.0
    assert type(node(3).number_as_written(0.0, 9.0, "x")) is int
    np.testing.assert_array_equal(node([1, 2.5]).numbers(2), [1.0, 2.5])
    assert next(node([1.0, math.nan]).items()).number() == 1.0
    assert "here[1]: expected a finite number; got nan." in refusal(lambda: node([1.0, math.nan]).numbers())
    assert [node(value).plain() for value in (None, "a", True, 3, 0.5)] == [None, "a", True, 3, 0.5]


def test_what_a_stranger_wrote_is_shown_in_printable_characters_and_in_short():
    message = refusal(lambda: node("\x1b[2J" + "x" * 1000).choice(("a",)))

    assert message.isprintable()
    assert r"\x1b[2J" in message
    assert len(message) < 150
