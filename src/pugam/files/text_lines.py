"""Files as lines of UTF-8 text, unpacked where they are packed, none of them too long for the memory."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from typing import IO, AnyStr, cast

from pugam.errors import InputError
from pugam.files.formats import format_of

__all__ = ["bounded", "open_bytes", "open_text", "require_utf8"]

LONGEST_LINE = 64 << 20  # of a table with a million columns, but not of a small packed file that unpacks without end


def open_bytes(path: Path) -> IO[bytes]:
    """Open a file, unpacked where its name says that it is packed."""
    form = format_of(path)
    packed = form is not None and form.compressed
    return cast(IO[bytes], gzip.open(path, "rb")) if packed else path.open("rb")


def open_text(path: Path) -> io.TextIOWrapper:
    """Open a file as UTF-8 text, its line ends as they are, without the mark that some programs put first."""
    return io.TextIOWrapper(open_bytes(path), encoding="utf-8-sig", newline="")


def bounded(path: Path, lines: IO[AnyStr]) -> Iterator[AnyStr]:
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
        require_utf8(path)  # says where
        raise


def require_utf8(path: Path) -> None:
    """Refuse a file with a byte that is not UTF-8, and say where it is."""
    with open_bytes(path) as lines:
        for number, line in enumerate(bounded(path, lines), start=1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{path}, line {number} is not UTF-8 text (byte 0x{line[error.start]:02x} at position "
                    f"{error.start + 1} of the line); save the file as UTF-8 (in Excel: Save as, CSV UTF-8)."
                ) from None
