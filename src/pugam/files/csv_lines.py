"""Lines of a CSV file, walked through one by one to find the place of a fault that pyarrow met."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import IO, AnyStr, NamedTuple, cast

from pugam.errors import InputError
from pugam.files.faults import system_errors_named
from pugam.files.formats import format_of

__all__ = [
    "Record",
    "first_row",
    "line_of_cell",
    "open_bytes",
    "open_text",
    "records",
    "require_closed_quotes",
    "require_sound",
]

CHUNK_BYTES = 1 << 20
LONGEST_CELL = 4 << 20  # in characters; Python's own limit is a thirtieth of it, and pyarrow's about the same
LONGEST_LINE = 64 << 20  # of a table with a million columns, but not of a small packed file that unpacks without end
# Follows the last line: it stands alone unless a quote is still open there.
END_MARK = "\x1eend of file\x1e"


class Record(NamedTuple):
    """The cells of one row, and the line on which the row begins, counted from 1."""

    line: int
    cells: list[str]


def open_bytes(path: Path) -> IO[bytes]:
    """Open a file, unpacked where its name says that it is packed."""
    form = format_of(path)
    packed = form is not None and form.compressed
    return cast(IO[bytes], gzip.open(path, "rb")) if packed else path.open("rb")


def open_text(path: Path) -> io.TextIOWrapper:
    """Open a file as UTF-8 text, its line ends as they are, without the mark that some programs put first."""
    return io.TextIOWrapper(open_bytes(path), encoding="utf-8-sig", newline="")


def records(path: Path, lines: IO[str], delimiter: str) -> Iterator[Record]:
    """Walk through the rows, skipping empty lines.

    Raises
    ------
    InputError
        A quote is never closed, or a cell or a line has no end within reason.
    """
    reader = csv.reader(chain(_bounded(path, lines), [END_MARK]), delimiter=delimiter)
    line = 1
    while True:
        try:
            cells = _next_row(reader)
        except csv.Error:
            raise InputError(
                f"{path}, line {line}: a cell in the row that begins here has more than {LONGEST_CELL:,} characters; "
                "shorten it, or close its quote if it is never closed."
            ) from None
        if cells == [END_MARK]:
            return
        if cells and cells[-1].endswith(END_MARK):
            raise InputError(_unclosed(path, line))
        if cells:
            yield Record(line, cells)
        line = reader.line_num + 1


def first_row(line: str, delimiter: str) -> list[str]:
    """Take one line apart."""
    return _next_row(csv.reader([line], delimiter=delimiter))


def require_sound(path: Path, delimiter: str, n_columns: int) -> None:
    """Refuse a file with a byte that is not UTF-8, a row of another length than the header, or an open quote."""
    with system_errors_named(path):
        _require_utf8(path)
        with open_text(path) as lines:
            for line, cells in records(path, lines, delimiter):
                if len(cells) != n_columns:
                    raise InputError(
                        f"{path}, line {line} has {_counted(len(cells))} where the header has {n_columns}; mend the "
                        "line: a cell that holds the delimiter or a quote must stand in quotes."
                    )


def require_closed_quotes(path: Path, delimiter: str, suspected: bool) -> None:
    """Refuse a file whose last quote is never closed, which pyarrow takes for one long last cell.

    That is suspected where the last cell holds line ends. The number of quotes alone does not tell: one too many
    elsewhere, such as an inch sign, makes it even.
    """
    with system_errors_named(path):
        # Quotes come in pairs where all are closed; the slow look is for few files.
        if suspected or _count_quotes(path) % 2:
            with open_text(path) as lines:
                for _ in records(path, lines, delimiter):
                    pass


def _count_quotes(path: Path) -> int:
    with open_bytes(path) as file:
        return sum(chunk.count(b'"') for chunk in iter(lambda: file.read(CHUNK_BYTES), b""))


def line_of_cell(path: Path, delimiter: str, row: int, position: int) -> int:
    """Give the line on which the cell in this row (from 0, without the header) and position begins."""
    with system_errors_named(path), open_text(path) as lines:
        for number, (line, cells) in enumerate(records(path, lines, delimiter)):
            if number == row + 1:
                return line + sum(_line_ends(cell) for cell in cells[:position])
    raise InputError(f"{path} changed while it was being read; try again.")


def _next_row(reader: Iterator[list[str]]) -> list[str]:
    before = csv.field_size_limit()
    csv.field_size_limit(max(before, LONGEST_CELL))
    try:
        return next(reader)
    finally:
        csv.field_size_limit(before)


def _bounded(path: Path, lines: IO[AnyStr]) -> Iterator[AnyStr]:
    """Give the lines one by one, refusing one that is too long before it is all in memory, or that is no text."""
    number = 0
    while line := _next_line(path, lines):
        number += 1
        if len(line) == LONGEST_LINE:
            raise InputError(f"{path}, line {number} has more than {LONGEST_LINE:,} characters; is this a table?")
        yield line


def _next_line(path: Path, lines: IO[AnyStr]) -> AnyStr:
    try:
        return lines.readline(LONGEST_LINE)
    except UnicodeDecodeError:
        _require_utf8(path)  # says where
        raise


def _require_utf8(path: Path) -> None:
    with open_bytes(path) as lines:
        for number, line in enumerate(_bounded(path, lines), start=1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{path}, line {number} is not UTF-8 text (byte 0x{line[error.start]:02x} at position "
                    f"{error.start + 1} of the line); save the file as UTF-8 (in Excel: Save as, CSV UTF-8)."
                ) from None


def _unclosed(path: Path, line: int) -> str:
    return f"{path}, line {line}: a quote in the row that begins here is never closed; close it or remove it."


def _counted(n_cells: int) -> str:
    return f"{n_cells} cell{'s' if n_cells != 1 else ''}"


def _line_ends(cell: str) -> int:
    return cell.count("\n") + cell.count("\r") - cell.count("\r\n")
