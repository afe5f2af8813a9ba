"""Rows of a CSV file, taken apart one by one, each with the line on which it begins."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import IO, NamedTuple

from pugam.errors import InputError
from pugam.files.text_lines import bounded

__all__ = ["Record", "first_row", "records"]

LONGEST_CELL = 4 << 20  # in characters; Python's own limit is a thirtieth of it, and pyarrow's about the same
# Follows the last line: it stands alone unless a quote is still open there. No character of it can be a delimiter.
END_MARK = "\ufdd0\ufdd1\ufdd0"


class Record(NamedTuple):
    """The cells of one row, and the line on which the row begins, counted from 1."""

    line: int
    cells: list[str]


def records(path: Path, lines: IO[str], delimiter: str) -> Iterator[Record]:
    """Walk through the rows, skipping empty lines.

    Raises `InputError` for a quote that is never closed, and for a cell or a line without an end within reason.
    """
    reader = csv.reader(chain(bounded(path, lines), [END_MARK]), delimiter=delimiter)
    line = 1
    while True:
        cells = _next_cells(path, line, reader)
        if cells == [END_MARK]:
            return
        if cells:
            yield Record(line, cells)
        line = reader.line_num + 1


def _next_cells(path: Path, line: int, reader: Iterator[list[str]]) -> list[str]:
    """Read the row that begins on this line, or refuse it where a cell of it does not end."""
    try:
        cells = _next_row(reader)
    except csv.Error:
        raise InputError(
            f"{path}, line {line}: a cell in the row that begins here has more than {LONGEST_CELL:,} characters; "
            "shorten it, or close its quote if it is never closed."
        ) from None
    if cells != [END_MARK] and cells and cells[-1].endswith(END_MARK):
        raise InputError(
            f"{path}, line {line}: a quote in the row that begins here is never closed; close it or remove it."
        )
    return cells


def first_row(line: str, delimiter: str) -> list[str]:
    """Take one line apart."""
    return _next_row(csv.reader([line], delimiter=delimiter))


def _next_row(reader: Iterator[list[str]]) -> list[str]:
    before = csv.field_size_limit()
    csv.field_size_limit(max(before, LONGEST_CELL))
    try:
        return next(reader)
    finally:
        csv.field_size_limit(before)
