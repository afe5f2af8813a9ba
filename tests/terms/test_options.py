"""Options of terms, and names of columns in messages."""

import numpy as np
import pytest

from pugam.data import Column
from pugam.errors import InputError
from pugam.terms import l, s
from pugam.terms.missing import resolve_term


def test_a_name_with_a_line_end_does_not_break_a_message():
    with pytest.raises(InputError) as refusal:
        resolve_term(l("a\nb"), [Column("a\nb", "category", np.array(["u", "v"], dtype=object))])

    assert "l(a\\nb)" in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("column", ["", None, 3, ["x"]])
def test_a_term_takes_the_name_of_a_column(column):
    with pytest.raises(InputError, match="takes the name of a column as text; got"):
        l(column)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 2}, r"s\(x\): k is the number of basis functions, an integer of at least 3; got 2\."),
        ({"k": True}, "an integer of at least 3; got True"),
        ({"k": 5.0}, r"an integer of at least 3; got 5\.0"),
        ({"knots": "odd"}, "knots must be 'even' or 'quantile'; got 'odd'"),
        ({"missing": "drop"}, "missing must be 'error' or 'effect'; got 'drop'"),
        ({"scale": None}, "scale must be 'auto' or 'linear' or 'log'; got None"),
        ({"bounds": 3}, r"bounds are two numbers \(low, high\); got 3"),
        ({"bounds": (1.0, 2.0, 3.0)}, r"bounds are two numbers \(low, high\)"),
        ({"bounds": (2.0, 1.0)}, r"bounds must be finite with low < high; got \(2\.0, 1\.0\)"),
        ({"bounds": (0.0, np.inf)}, "bounds must be finite with low < high"),
    ],
)
def test_an_option_that_cannot_be_is_refused_with_its_term(options, message):
    with pytest.raises(InputError, match=message):
        s("x", **options)


def test_options_become_plain_values():
    term = s("x", k=np.int64(7), bounds=[0, 1])

    assert (type(term.k), term.k, term.bounds) == (int, 7, (0.0, 1.0))
