"""CSV files: read the same whole, in small batches and by Python's own reader, or refused in one line.

The first two bytes of an input say how the file is named, packed and asked for; the rest is what it holds.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import tempfile
import zlib
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import pyarrow as pa

from fuzz_targets.change import spliced
from fuzz_targets.messages import require_sentence
from pugam.command_line.fit import fit
from pugam.command_line.main import main
from pugam.errors import InputError
from pugam.files import DataFile, csv_files, open_file

__all__ = ["check", "mutated", "seeds"]

SCRATCH = tempfile.TemporaryDirectory(prefix="pugam-fuzz-")
FOLDER = Path(SCRATCH.name)
NAMES = ("data.csv", "data.tsv", "data.txt", "packed.csv.gz", "raw.csv.gz")
DELIMITERS = (None, ";", "|", "tab")
DECIMALS = (".", ",")
ENGINES = ("memory", "stream")
MISSING = ("error", "drop", "effect")
TINY_BLOCK = 64
# A long row, a block of empty lines at the top, or, met on the way to a long row, a last cell that lacks its quote.
ONLY_IN_SMALL_BLOCKS = ("has a row longer than", "Empty CSV file or block", "is never closed")
GZIP = 31  # as zlib calls it
MOST_UNPACKED = 1 << 20

TABLES = (
    b"x,y,z\n1,2,1\n2.5,-3e2,0\n.5,NA,0\n,7,1\n",
    b'id,site,z\n007,"so\nuth",true\n008,"a ""b"", c",FALSE\n009,,true\n',
    b"\xef\xbb\xbfx;y;z\r\n1,5;2;1\r\n2,5;3;0\r\n",
    b"x\ty\tz\rnorth\t1\t0\rs\xc3\xbcd\tinf\t1\r",
    b"x|z\n?|1\n-|0\nnan|0\n1e400|0\n",
    b"x,label\n1,case\n2,\n3,case\n4,control\n",
    b"x,z\n\n 1 ,1\n\n\t2,0\n3,0",
    b'"x","z"\n"1","1"\n"2","0"\n',
    b"x\n1\n2\n",
    b"x,z\n1,1\n2\n",
    b"x,z\n\xff,1\n2,0\n",
    b"\xff\xfex\0,\0z\0\n\0",
    b'x,z\n"1,1\n2,0\n',
    b"x,x\n1,1\n",
    b"x,z\n" + b"1,1\n2,0\n" * 60,
)
WORDS = (
    "NA nan inf - . ? null true FALSE 1 0 -1 1e400 1,5 0x1p3 1_000 +1 1e \u0661 \u2028 \x85 \xa0 z x ' # ` \\ "
    "\x1b[2J \x1e \x0b \x1c"
)
QUOTED = (b'"', b'""', b'"\n"', b'",', b',"', b'"a"b')
BETWEEN = (b",", b";", b"|", b"\t", b" ", b"\n", b"\n\n", b"\r", b"\r\n")
FOREIGN = (b"\0", b"\xef\xbb\xbf", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\x1f\x8b", b"PK\x03\x04", b"PAR1")
LONG = (b"1" * 300, b"word" * 300, b'"' + b"long" * 40_000 + b'"')
PIECES = (*QUOTED, *BETWEEN, *FOREIGN, *LONG, b"x,z\n1,1\n2,0\n", *(word.encode() for word in WORDS.split(" ")))


def seeds() -> list[bytes]:
    """Tables in every usual way to write them, and some in none."""
    packed = [bytes([4, 0]) + gzip.compress(table, mtime=0) for table in TABLES[:2]]
    ways = [bytes([number % 4, 37 * number % 256]) + table for number, table in enumerate(TABLES)]
    return [bytes(2) + table for table in TABLES] + ways + packed


def mutated(data: bytes, rng: Random) -> bytes:
    """Change the way a file is asked for, or what it holds."""
    if len(data) < 2 or rng.random() < 0.1:
        return bytes([rng.randrange(256), rng.randrange(256)]) + data[2:]
    return data[:2] + spliced(data[2:], PIECES, rng)


def check(data: bytes) -> None:
    """Read a file in all ways, and hand it to `pugam fit`, which is stopped before it fits."""
    (first, second), content = (*data[:2], 0, 0)[:2], data[2:]
    path = FOLDER / NAMES[first % len(NAMES)]
    if path.name.startswith("raw") and _unpacks_to_much(content):
        return  # it takes its time; that it takes no more memory is tested in tests/files
    path.write_bytes(gzip.compress(content, 1, mtime=0) if path.name.startswith("packed") else content)
    delimiter, decimal = DELIMITERS[first // 5 % 4], DECIMALS[first // 20 % 2]
    names = _check_reading(path, delimiter, decimal)
    flags = _flags(names or ("z",), second)
    _check_command({"data": path, "delimiter": delimiter, "decimal": decimal, **flags})


def _unpacks_to_much(content: bytes) -> bool:
    try:
        return len(zlib.decompressobj(GZIP).decompress(content, MOST_UNPACKED)) == MOST_UNPACKED
    except zlib.error:
        return False


def _check_reading(path: Path, delimiter: str | None, decimal: str) -> tuple[str, ...] | None:
    """Read a table whole and in batches, small ones from small blocks, and compare; give the names of its columns."""
    try:
        file = open_file(path, delimiter, decimal)
    except InputError as error:
        require_sentence(str(error), about=str(path))
        return None
    _check_single(path, file, file.names[-1])
    try:
        whole = file.read()
    except InputError as error:
        require_sentence(str(error), about=str(path))
        return file.names
    kinds = file.kinds()
    assert whole.column_names == list(file.names) == list(kinds)
    assert whole.equals(pa.Table.from_batches(file.batches(types=kinds, batch_rows=2)))
    text = pa.Table.from_batches(file.batches())
    _require_as_python_reads(path, file._delimiter, text)
    with mock.patch.object(csv_files, "BLOCK_BYTES", TINY_BLOCK):
        try:
            small = open_file(path, delimiter, decimal)
            assert small.kinds() == kinds
            assert whole.equals(pa.Table.from_batches(small.batches(types=kinds)))
        except InputError as error:
            if not any(reason in str(error) for reason in ONLY_IN_SMALL_BLOCKS):
                raise AssertionError(f"refused in small blocks only: {error}") from error
    return file.names


def _check_single(path: Path, file: DataFile, name: str) -> None:
    """Read one column: faults of others are not looked for, but may be met when the place of one is told."""
    try:
        table = file.read([name])
        assert table.column_names == [name]
        assert file.place(table.num_rows - 1).startswith("line ")
    except InputError as error:
        require_sentence(str(error), about=str(path))


def _require_as_python_reads(path: Path, delimiter: str, text: pa.Table) -> None:
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    lines = io.StringIO(content.decode("utf-8-sig"), newline="")
    try:
        names, *rows = (row for row in csv.reader(lines, delimiter=delimiter) if row)
    except csv.Error:  # a cell longer than it permits
        return
    assert names == text.column_names
    ours = [[cell or "" for cell in row.values()] for row in text.to_pylist()]
    assert ours == rows, f"read as {ours[:5]}, by Python as {rows[:5]}"


def _flags(names: tuple[str, ...], choices: int) -> dict[str, Any]:
    """Flags of `pugam fit` that depend on a byte."""
    flags: dict[str, Any] = {
        "label": names[-1 - choices % len(names)],
        "engine": ENGINES[choices // 2 % 2],
        "missing": MISSING[choices // 4 % 3],
    }
    given = {16: ("positive", "1"), 32: ("weights", names[0]), 64: ("id", names[0]), 128: ("terms", "s(x) + f(site)")}
    return flags | dict(pair for bit, pair in given.items() if choices & bit)


def _check_command(flags: dict[str, Any]) -> None:
    """Run `pugam fit`: it ends with code 2 and one line that says why, after warnings of one line each."""
    said, told = io.StringIO(), io.StringIO()
    with (
        # Typer needs ten times as long to read flags as we need to read a small file.
        mock.patch("pugam.command_line.running.command", side_effect=lambda *_, **__: fit(**flags)),
        mock.patch("pugam.estimator.pugam.fit_designs", side_effect=InputError("stopped before the fit")),
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(told),
    ):
        code = _exit_code()
    assert code == 2, f"exit code {code}"
    *warned, last = told.getvalue().split("\n")[:-1]
    assert all(line.startswith("! ") for line in warned), told.getvalue()
    assert last.startswith("pugam: "), told.getvalue()
    for line in (*warned, last):
        require_sentence(line)
    assert not said.getvalue()


def _exit_code() -> object:
    try:
        main()
    except SystemExit as end:
        return end.code
    return None
