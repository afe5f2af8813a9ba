"""A scorer as a query in standard SQL, for SQLite, PostgreSQL and others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pugam.errors import InputError
from pugam.storage.scorer import Scorer
from pugam.terms.expressions import (
    AtLeast,
    Below,
    Call,
    Choice,
    Condition,
    Expression,
    Has,
    Is,
    Lacks,
    Number,
    Plus,
    Quotient,
    Result,
    Times,
    Value,
)

__all__ = ["write_sql"]

ROWS, WITH_RATIO = "pugam_rows", "pugam_ratios"
NEW_NAME = "pugam_score"
SURE = 700.0  # logits beyond have posteriors that exp() overflows or underflows at
UNWRITABLE = re.compile("[\0\r\ud800-\udfff]")  # zero bytes, half characters, and ends of lines that readers change


def write_sql(scorer: Scorer, table: Sequence[str], keep: Sequence[str] | None) -> str:
    """Write a query of a table that adds pugam_score to its columns, or to those to be kept.

    Parameters
    ----------
    table : sequence of str
        Its name, behind that of its schema if need be.
    keep : sequence of str, optional
        Columns of the table; None stands for all, with the log density ratio.
    """
    remarks = "\n".join(f"-- {remark}" for remark in (*scorer.remarks(), *_on_empty_text(scorer, table)))
    if keep is not None and NEW_NAME in map(str.lower, keep):
        raise InputError(f"The query returns a column {NEW_NAME} already; leave it out of those to be kept.")
    posterior = "\n    + ".join(
        f"{_write(Number(weight), WITH_RATIO)} * {_expit(_write(logit, WITH_RATIO))}"
        for weight, logit in scorer.posterior
    )
    # What is new comes before all columns of the table: of two with one name, such as one that an earlier query added,
    # SQLite takes the first, and others refuse the query.
    score = f"{posterior} AS {NEW_NAME}"
    kept = [] if keep is None else [f"{WITH_RATIO}.{_name(column)}" for column in keep]
    listed = ",\n    ".join([score, f"{WITH_RATIO}.*"] if keep is None else [*kept, score])
    ratio = _write(scorer.ratio, ROWS)
    # Names are quoted.
    return (
        f"{remarks}\nSELECT {listed}\nFROM (\n"  # nosec B608
        f"SELECT\n{ratio} AS pugam_ratio,\n{ROWS}.*\nFROM {_names(table)} AS {ROWS}\n) AS {WITH_RATIO}\n"
    )


def _on_empty_text(scorer: Scorer, table: Sequence[str]) -> Iterator[str]:
    """Say what to do where empty cells of a CSV file became text: it would be scored, as zero."""
    columns = [column for column in scorer.columns if column not in scorer.columns_with_empty_text]
    if columns:
        yield "Missing values are NULL. The .import of SQLite makes empty text of empty cells, which would count as 0;"
        yield "after it, run:"
    for column in columns:
        # Names are quoted.
        statement = f"UPDATE {_names(table)} SET {_name(column)} = NULL WHERE {_name(column)} = '';"  # nosec B608
        if len(statement.splitlines()) == 1:  # a name may break lines, and a remark ends with its line
            yield f"  {statement}"


def _names(table: Sequence[str]) -> str:
    return ".".join(map(_name, table))


def _expit(logit: str) -> str:
    sure = f"WHEN {logit} > {SURE!r} THEN 1.0 WHEN {logit} < {-SURE!r} THEN 0.0"
    return f"CASE {sure} ELSE 1.0 / (1.0 + EXP(-{logit})) END"


def _name(name: str) -> str:
    """Quote the name of a column or table."""
    if not name or UNWRITABLE.search(name):
        raise InputError(f"SQL has no name {name!r}; rename the column or table.")
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


def _value(column: str, rows: str) -> str:
    # By the name of the table, too: SQLite takes a quoted name that no column has for text.
    return f"{rows}.{_name(column)}"


def _write(of: Expression, rows: str) -> str:
    """Write an expression of columns, which are those of `rows`."""
    match of:
        case Number(value):
            return repr(value) if value >= 0.0 else f"({value!r})"
        case Value(column):
            return f"CAST({_value(column, rows)} AS DOUBLE PRECISION)"
        case Result(name):
            return f"{WITH_RATIO}.pugam_{name}"
        case Plus(parts):
            return f"({' + '.join(_write(part, rows) for part in parts)})"
        case Times(parts):
            return f"({' * '.join(_write(part, rows) for part in parts)})"
        case Quotient(above, below):
            return f"({_write(above, rows)} / {_write(below, rows)})"
        case Call(function, inner):
            return f"{function.upper()}({_write(inner, rows)})"
        case Choice(cases):
            lines = "".join(f"\n  WHEN {_condition(when, rows)} THEN {_write(part, rows)}" for when, part in cases)
            return f"CASE{lines} END"


def _condition(when: Condition, rows: str) -> str:
    match when:
        case Below(of, bound):
            return f"{_write(of, rows)} < {_write(Number(bound), rows)}"
        case AtLeast(of, bound):
            return f"{_write(of, rows)} >= {_write(Number(bound), rows)}"
        case Is(column, level):
            return f"{_value(column, rows)} = {_level(level)}"
        case Lacks(columns):
            return " OR ".join(f"{_value(column, rows)} IS NULL" for column in columns)
        case Has(columns):
            return " AND ".join(f"{_value(column, rows)} IS NOT NULL" for column in columns)


def _level(level: object) -> str:
    plain = level.item() if hasattr(level, "item") else level
    if isinstance(plain, bool):
        return str(plain).upper()
    if isinstance(plain, int | float):
        return repr(plain)
    if isinstance(plain, str) and not UNWRITABLE.search(plain):
        escaped = plain.replace("'", "''")
        return f"'{escaped}'"
    raise InputError(f"SQL cannot hold the level {plain!r}; leave it out, or export to Python.")
