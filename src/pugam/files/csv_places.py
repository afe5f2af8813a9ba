"""Where in a CSV file a fault is that pyarrow met: a row of another length, an open quote, the line of a cell."""

from __future__ import annotations

from pathlib import Path

from pugam.errors import InputError
from pugam.files.csv_records import records
from pugam.files.faults import system_errors_named
from pugam.files.text_lines import open_bytes, open_text, require_utf8
from pugam.messages import counted

__all__ = ["binary_data", "line_of_cell", "require_sound", "require_text_to_the_end"]

CHUNK_BYTES = 1 << 20


def require_sound(path: Path, delimiter: str, n_columns: int) -> None:
    """Refuse a file with a byte that is not UTF-8, a row of another length than the header, or an open quote."""
    with system_errors_named(path):
        require_utf8(path)
        with open_text(path) as lines:
            for line, cells in records(path, lines, delimiter):
                if len(cells) != n_columns:
                    raise InputError(
                        f"{path}, line {line} has {counted(len(cells), 'cell')} where the header has {n_columns}; mend "
                        "the line: a cell that holds the delimiter or a quote must stand in quotes."
                    )


def require_text_to_the_end(path: Path, delimiter: str, suspected: bool) -> None:
    """Refuse binary data, and a file whose last quote is never closed, which pyarrow takes for one long last cell.

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
    """Count quotes, and refuse bytes of zero, which no text has."""
    quotes, lines = 0, 1
    with open_bytes(path) as file:
        for chunk in iter(lambda: file.read(CHUNK_BYTES), b""):
            if b"\0" in chunk:
                raise binary_data(path, lines + chunk[: chunk.index(b"\0")].count(b"\n"))
            quotes, lines = quotes + chunk.count(b'"'), lines + chunk.count(b"\n")
    return quotes


def binary_data(path: Path, line: int) -> InputError:
    """Say that a file is no text."""
    return InputError(f"{path} is not text: it holds binary data from line {line} on; save the table as CSV.")


def line_of_cell(path: Path, delimiter: str, row: int, position: int) -> int:
    """Give the line on which the cell in this row (from 0, without the header) and position begins."""
    with system_errors_named(path), open_text(path) as lines:
        for number, (line, cells) in enumerate(records(path, lines, delimiter)):
            if number == row + 1:
                return line + sum(_line_ends(cell) for cell in cells[:position])
    raise InputError(f"{path} changed while it was being read; try again.")


def _line_ends(cell: str) -> int:
    return cell.count("\n") + cell.count("\r") - cell.count("\r\n")
