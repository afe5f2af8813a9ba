"""Tables out: batches of rows written to a CSV or Parquet file, by the end of its name."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol, cast

from pugam.errors import InputError
from pugam.files.arrow import arrow
from pugam.files.csv_header import read_delimiter
from pugam.files.csv_text import csv_header_text, csv_text, require_writable
from pugam.files.formats import Format, format_of, listed_suffixes
from pugam.files.replacing import replacing

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TableWriter", "open_writer"]

# As text, this many cells take some tens of megabytes.
CELLS_PER_TEXT = 1 << 20
ROWS_PER_GROUP = 1 << 20  # as pyarrow does by itself: every group tries out its own dictionaries, which takes time
BYTES_PER_GROUP = 128 << 20


class TableWriter(Protocol):
    """What rows are written to."""

    def write(self, batch: pa.RecordBatch) -> None:
        """Add rows; their columns are those of the schema."""


@contextmanager
def open_writer(
    path: str | os.PathLike[str], schema: pa.Schema, delimiter: str | None = None, decimal: str = "."
) -> Iterator[TableWriter]:
    """Write a table batch by batch; the file appears under its name when the last one is written.

    Parameters
    ----------
    path : path-like
        The file; its name ends in .csv, .tsv or .txt, perhaps with .gz, or in .parquet or .pq.
    schema : pyarrow.Schema
        Names and types of the columns.
    delimiter : str, optional
        What stands between the cells of a CSV file, if not a comma; names with .tsv ask for tabs whatever it is.
    decimal : {".", ","}
        The sign before the decimals of numbers in a CSV file.

    Raises
    ------
    InputError
        The name ends otherwise, the file may not be written, or a column does not fit into its format.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow as pa
    >>> from pugam.files import open_file, open_writer
    >>> batch = pa.RecordBatch.from_pydict({"age": [40.5, None], "site": ["north", "south, east"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open_writer(f"{folder}/scored.csv", batch.schema) as writer:
    ...         writer.write(batch)
    ...     open_file(f"{folder}/scored.csv").read().to_pydict()
    {'age': [40.5, None], 'site': ['north', 'south, east']}
    """
    form = format_of(Path(path))
    if form is None:
        raise InputError(f"{path} cannot be written: files that end in {listed_suffixes()} can.")
    if form.name == "csv":
        require_writable(path, schema)
    with replacing(path) as temporary, ExitStack() as stack:
        if form.name == "csv":
            given = form.delimiter if delimiter is None or form.delimiter != "," else read_delimiter(delimiter)
            yield CsvWriter(stack.enter_context(_open_text(temporary, form)), schema, given, decimal)
        else:
            writer = ParquetWriter(stack.enter_context(_open_parquet(path, temporary, schema)))
            yield writer
            writer.flush()


class CsvWriter:
    """Writes rows as text."""

    def __init__(self, file: IO[bytes], schema: pa.Schema, delimiter: str, decimal: str) -> None:
        self._file, self._delimiter, self._decimal = file, delimiter, decimal
        self._rows_per_text = max(1, CELLS_PER_TEXT // max(1, len(schema.names)))
        file.write(csv_header_text(schema, delimiter))

    def write(self, batch: pa.RecordBatch) -> None:
        """Add rows."""
        for start in range(0, batch.num_rows, self._rows_per_text):
            self._file.write(csv_text(batch.slice(start, self._rows_per_text), self._delimiter, self._decimal))


class ParquetWriter:
    """Gathers rows until they make a row group worth writing: many small groups would be slow to read."""

    def __init__(self, writer: Any) -> None:
        self._writer = writer
        self._waiting: list[pa.RecordBatch] = []
        self._n_rows = self._n_bytes = 0

    def write(self, batch: pa.RecordBatch) -> None:
        """Add rows."""
        self._waiting.append(batch)
        self._n_rows += batch.num_rows
        self._n_bytes += batch.nbytes
        if self._n_rows >= ROWS_PER_GROUP or self._n_bytes >= BYTES_PER_GROUP:
            self.flush()

    def flush(self) -> None:
        """Write the rows gathered so far."""
        if self._n_rows:
            self._writer.write_table(arrow().Table.from_batches(self._waiting), row_group_size=self._n_rows)
        self._waiting, self._n_rows, self._n_bytes = [], 0, 0


@contextmanager
def _open_text(temporary: Path, form: Format) -> Iterator[IO[bytes]]:
    with temporary.open("wb") as file:
        if not form.compressed:
            yield file
            return
        # No time and no name inside: the same rows give the same bytes.
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
            yield cast(IO[bytes], packed)


@contextmanager
def _open_parquet(shown: object, temporary: Path, schema: pa.Schema) -> Iterator[Any]:
    pa, parquet = arrow(), arrow("parquet")
    try:
        writer = parquet.ParquetWriter(temporary, schema)
    except pa.ArrowNotImplementedError as error:
        raise InputError(f"{shown} cannot be written as Parquet: {error}.") from None
    with writer:
        yield writer
