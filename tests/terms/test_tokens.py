"""Pieces of a formula: where each begins, and names and values as they are written."""

import numpy as np
import pytest

from pugam.errors import FormulaError
from pugam.terms.tokens import error_at, format_column, format_value, tokenize


def test_a_formula_is_cut_into_tokens_with_their_places():
    tokens = tokenize(" s(age, k=1.5e3) + `a b`")

    assert [(token.kind, token.text, token.position) for token in tokens] == [
        ("name", "s", 1),
        ("symbol", "(", 2),
        ("name", "age", 3),
        ("symbol", ",", 6),
        ("name", "k", 8),
        ("symbol", "=", 9),
        ("number", "1.5e3", 10),
        ("symbol", ")", 15),
        ("symbol", "+", 17),
        ("backticked", "a b", 19),
        ("end", "", 24),
    ]


@pytest.mark.parametrize(
    ("name", "written"), [("age", "age"), ("a.b", "a.b"), ("a b", "`a b`"), ("1st", "`1st`"), ("a`b", '"a`b"')]
)
def test_a_name_is_quoted_where_it_has_to_be(name, written):
    assert format_column(name) == written
    assert tokenize(written)[0].text == name


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("log", '"log"'),
        (True, "True"),
        (np.int64(7), "7"),
        (np.float64(0.5), "0.5"),
        ((0, 1.5), "(0, 1.5)"),
        ("it's", '"it\'s"'),
        ('say "hi"', '`say "hi"`'),
    ],
)
def test_values_are_written_as_the_tokenizer_reads_them(value, written):
    assert format_value(value) == written


def test_the_caret_points_at_the_character_in_the_formula_as_shown():
    sentence, shown, caret = str(error_at("age\n\t +  dose", 8, "Wrong.")).split("\n")

    assert (sentence, shown) == ("Wrong.", "age + dose")
    assert shown[len(caret) - 1] == "d"


def test_a_quote_that_is_never_closed_is_refused():
    with pytest.raises(FormulaError, match="needs a closing `"):
        tokenize("s(`age)")
