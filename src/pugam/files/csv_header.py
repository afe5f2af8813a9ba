"""The head of a CSV file: what it is at all, its delimiter and the names of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from pugam.errors import InputError
from pugam.files.csv_places import binary_data
from pugam.files.csv_records import Record, first_row, records
from pugam.files.faults import require_content, system_errors_named
from pugam.files.formats import require_names
from pugam.files.text_lines import open_bytes, open_text
from pugam.messages import ReadingCsv

__all__ = ["Header", "read_delimiter", "read_header"]

LOOKED_AT_BYTES = 1 << 16
DELIMITER_NAMES = {",": "','", ";": "';'", "\t": "tab", "|": "'|'"}
SPELT_DELIMITERS = {"tab": "\t", "\\t": "\t"}
GZIP = b"\x1f\x8b"
TWICE = "is compressed by gzip twice; decompress it once"
SIGNATURES = {
    b"PAR1": "is a Parquet file; rename it to end in .parquet",
    GZIP: "is compressed by gzip; rename it to end in .csv.gz",
    b"PK\x03\x04": "is a workbook or a zip archive, not text; save the table as CSV",
    b"\xd0\xcf\x11\xe0": "is an old Excel workbook, not text; save the table as CSV",
    b"\xff\xfe": "is UTF-16 text; save the file as UTF-8",
    b"\xfe\xff": "is UTF-16 text; save the file as UTF-8",
}


class Header(NamedTuple):
    """The names of the columns, and how many bytes the header and the first row take."""

    names: tuple[str, ...]
    n_bytes: int


def read_delimiter(given: str) -> str:
    """Check a delimiter that the user gave; tab may be spelt."""
    delimiter = SPELT_DELIMITERS.get(given, given)
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
        raise InputError(f"The delimiter must be one character such as ',' or ';', or tab; got {given!r}.")
    return delimiter


def read_header(path: Path, delimiter: str) -> Header:
    """Read the names of the columns.

    Raises `InputError` for a file that cannot be read, is not text, or has no rows, another delimiter, or names that
    cannot be used.
    """
    head = _first_records(path, delimiter)
    if not head:
        raise InputError(f"{path} is empty but for line ends; it needs a header and rows.")
    names = tuple(head[0].cells)
    _require_delimited(path, names, delimiter)
    _require_no_title(path, head)
    require_names(path, names)
    if len(head) == 1:
        raise InputError(f"{path} has a header but no rows.")
    return Header(names, sum(len(cell.encode()) + 3 for record in head for cell in record.cells))


def _first_records(path: Path, delimiter: str) -> list[Record]:
    """Read the header and the first row."""
    require_content(path)
    with system_errors_named(path):
        _require_text(path)
        with open_text(path) as lines:
            return list(islice(records(path, lines, delimiter), 2))


def _require_text(path: Path) -> None:
    with open_bytes(path) as file:
        start = file.read(LOOKED_AT_BYTES)
    for signature, what in SIGNATURES.items():
        if start.startswith(signature):
            what = TWICE if path.suffix == ".gz" and signature == GZIP else what
            raise InputError(f"{path} {what}.")
    if b"\0" in start:
        raise binary_data(path, 1 + start[: start.index(b"\0")].count(b"\n"))


def _require_delimited(path: Path, names: tuple[str, ...], delimiter: str) -> None:
    if len(names) != 1:
        return
    with open_text(path) as lines:
        written = next(line for line in lines if line.strip("\r\n"))
    for other, spelt in DELIMITER_NAMES.items():
        # Parsed, not searched: a single name within quotes may hold any of these characters.
        if other != delimiter and len(first_row(written, other)) > 1:
            raise InputError(
                f"{path}, line 1: the header is one cell, {_shortened(names[0])}, delimited by {spelt} rather than "
                f"{DELIMITER_NAMES.get(delimiter, repr(delimiter))}; ",
                ReadingCsv("delimiter", other),
                ".",
            )


def _require_no_title(path: Path, head: Sequence[Record]) -> None:
    """Refuse a single cell above rows of several: the names of the columns come further down."""
    title, *others = head[0].cells
    n_cells = sum(bool(cell) for record in head[1:] for cell in record.cells)
    if title and not any(others) and n_cells > 1:
        raise InputError(
            f"{path}, line {head[0].line}: {_shortened(title)} seems to be a title, since it is a single cell above "
            f"{n_cells}; delete all lines above the names of the columns."
        )


def _shortened(text: str, most: int = 40) -> str:
    return repr(text if len(text) <= most else text[: most - 3] + "...")
