"""Expressions written in Python and in SQL: digits, quotes, and no more nesting than languages bear."""

import math
import sqlite3

import numpy as np
import pytest

from pugam.errors import InputError
from pugam.storage import RATIO, Scorer, write_python, write_sql
from pugam.terms.expressions import (
    Choice,
    Expression,
    Has,
    Is,
    Lacks,
    Number,
    Plus,
    Result,
    Value,
    add_cases,
    cases_of_pieces,
)
from pugam.terms.splines import centred_basis, even_knots


def scorer(ratio: Expression, *columns: str) -> Scorer:
    return Scorer("s(x)", columns, ratio, ((1.0, Result(RATIO)),))


def score(ratio, row):
    names = {}
    exec(write_python(scorer(ratio, *row)), names)
    return names["score"](row)


def logit(p):
    return np.log(p / (1.0 - p))


@pytest.mark.parametrize("x", [-0.7, 0.0, 0.2, 1.0 / 3.0, 0.99, 1.0, 4.0])
def test_polynomials_are_those_of_the_basis(x):
    basis, theta = centred_basis(even_knots(2)), np.array([0.3, -0.2, 0.1, 0.05, -0.02])
    expression = add_cases([cases_of_pieces(basis, Value("x"))], theta)

    assert logit(score(expression, {"x": x})) == pytest.approx((basis(np.array([x])) @ theta)[0], abs=1e-12)


@pytest.mark.parametrize("number", [0.1, -1.0 / 3.0, 5e-324, 1e300, -0.0])
def test_numbers_keep_all_digits(number):
    assert repr(number) in write_python(scorer(Number(number)))
    assert repr(number) in write_sql(scorer(Number(number)), ("t",), None)


def test_thousands_of_levels_are_looked_up():
    levels = Choice(tuple((Is("site", f"s{number}"), Number(number / 1000.0)) for number in range(3000)))
    chosen = Choice(tuple((Is("site", f"s{number}"), Value("x")) for number in range(3000)))

    assert logit(score(Plus((levels, chosen)), {"site": "s2999", "x": 0.5})) == pytest.approx(3.499)
    with pytest.raises(ValueError, match="site 'new' was not seen in the fit"):
        score(levels, {"site": "new"})


@pytest.mark.parametrize("level", ["it's", "'; --", 'a"b', "\\", "ü\n", True, 3, 2.5])
def test_levels_are_found_as_they_are(level):
    ratio = Choice(((Lacks(("site",)), Number(2.0)), (Is("site", level), Number(1.0))))

    assert logit(score(ratio, {"site": level})) == pytest.approx(1.0)
    with sqlite3.connect(":memory:") as connection:
        connection.execute('create table t ("site")')
        connection.executemany("insert into t values (?)", [(level,), (None,), ("another",)])
        connection.create_function("exp", 1, lambda x: None if x is None else math.exp(x))
        found = connection.execute(write_sql(scorer(ratio, "site"), ("t",), None)).fetchall()
    assert [row[1] for row in found] == [1.0, 2.0, None]


def test_a_query_of_a_table_that_lacks_a_column_fails():
    """SQLite would take the quoted name of a column that is not there for text, and text for zero."""
    with sqlite3.connect(":memory:") as connection:
        connection.execute("create table t (y)")
        with pytest.raises(sqlite3.OperationalError, match="no such column"):
            connection.execute(write_sql(scorer(Value("x"), "x"), ("t",), None))


def test_levels_that_a_language_cannot_hold_are_refused():
    with pytest.raises(InputError, match="neither text nor a number"):
        write_python(scorer(Choice(((Is("site", (1, 2)), Number(1.0)),)), "site"))
    for level in ("a\0b", "a\ud800b"):
        with pytest.raises(InputError, match="SQL cannot hold the level"):
            write_sql(scorer(Choice(((Is("site", level), Number(1.0)),)), "site"), ("t",), None)
    with pytest.raises(InputError, match="SQL has no name ''"):
        write_sql(scorer(Value("x"), "x"), ("",), None)


def test_empty_text_is_a_missing_value_unless_it_is_a_level():
    missing = (Lacks(("site",)), Number(2.0))
    assert logit(score(Choice((missing, (Is("site", "a"), Number(1.0)))), {"site": ""})) == pytest.approx(2.0)
    assert logit(score(Choice((missing, (Is("site", ""), Number(1.0)))), {"site": ""})) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="x is missing"):
        score(Value("x"), {"x": ""})


def test_a_query_says_how_empty_text_becomes_null():
    ratio = Plus(
        (Choice(((Lacks(("x",)), Number(2.0)), (Has(("x",)), Value("x")))), Choice(((Is("s", ""), Number(0.5)),)))
    )
    query = write_sql(scorer(ratio, "x", "s", "a\nb"), ("main", "t"), None)
    said = [line[5:] for line in query.splitlines() if line.startswith("--   ")]
    assert said == ['UPDATE "main"."t" SET "x" = NULL WHERE "x" = \'\';']

    with sqlite3.connect(":memory:") as connection:
        connection.create_function("exp", 1, lambda x: None if x is None else math.exp(x))
        connection.execute("create table t (x text, s text)")
        connection.execute("insert into t values ('', '')")
        connection.execute(said[0])
        assert connection.execute(query).fetchone()[1] == 2.5
