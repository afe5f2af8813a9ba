"""Files in: one way to open a table, whatever its format."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pugam.errors import InputError
from pugam.files.arrow import arrow
from pugam.files.csv_files import open_csv
from pugam.files.formats import BATCH_ROWS, NO_TYPES, Kind, format_of, listed_suffixes
from pugam.files.parquet_files import open_parquet, open_parquet_folder

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["DataFile", "open_file", "require_text_name"]

WORKBOOKS = (".xlsx", ".xls", ".xlsm", ".ods")


class DataFile(Protocol):
    """A table in a file, of which columns can be read as often as needed."""

    @property
    def path(self) -> Path:
        """Where the file is."""

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files themselves, where the path is that of a folder, in the order of their rows."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""

    @property
    def n_rows(self) -> int | None:
        """How many rows there are; None where the file does not say, as in CSV."""

    def read(self, columns: Sequence[str] | None = None, types: Mapping[str, Kind] = NO_TYPES) -> pa.Table:
        """Read the whole table.

        Parameters
        ----------
        columns : sequence of str, optional
            The columns to read, in this order; all by default.
        types : mapping of str to {"number", "text", "boolean"}
            What columns of a CSV file hold. The type of others is decided over all their rows: numbers where each
            cell is one, booleans where each is true or false, text otherwise. Parquet files say it themselves.

        Returns
        -------
        pyarrow.Table
            From CSV: numbers as float64, booleans as bool, text as string. An empty cell is null, and so, unless the
            column is text, is one of . ? - NA N/A #N/A <NA> NaN null None, in any case. From Parquet: as in the file.

        Raises
        ------
        InputError
            The file cannot be read, or a cell is not of the column's type; the message names file, line and column.
        """

    def batches(
        self,
        columns: Sequence[str] | None = None,
        types: Mapping[str, Kind] = NO_TYPES,
        batch_rows: int = BATCH_ROWS,
    ) -> Iterator[pa.RecordBatch]:
        """Read the rows in order, at most `batch_rows` at a time, in memory that does not grow with the file.

        Parameters
        ----------
        columns : sequence of str, optional
            The columns to read, in this order; all by default.
        types : mapping of str to {"number", "text", "boolean"}
            What columns of a CSV file hold. Others are text, exactly as written in the file: 007 stays 007, and NA
            stays NA; only an empty cell is null. Parquet files say it themselves.
        batch_rows : int
            The most rows of a batch.

        Raises
        ------
        InputError
            As in `read`; perhaps not before the batches ahead of the fault were given.
        """

    def kinds(self, columns: Sequence[str] | None = None, types: Mapping[str, Kind] = NO_TYPES) -> dict[str, Kind]:
        """Say what columns of a CSV file hold: the type given, or the one that all their rows fit.

        Parquet files say it themselves, so nothing is said of their columns.
        """

    def typed(self, block: pa.RecordBatch, types: Mapping[str, Kind], first_row: int = 0) -> pa.RecordBatch:
        """Turn columns of a CSV file that `batches` gave as text into what they hold; rows of others stay as they are.

        `first_row` is where the rows begin in the file, for messages.
        """

    def place(self, row: int) -> str:
        """Say where a row, counted from 0, is to be found: `line 19` of a text file, else `row 18`, counted from 1."""


def open_file(path: str | os.PathLike[str], delimiter: str | None = None, decimal: str = ".") -> DataFile:
    """Open a table in a file: the end of its name says in which format.

    Parameters
    ----------
    path : path-like
        A CSV file (.csv, .txt; .tsv with tabs; also .gz), a Parquet file (.parquet, .pq) or a folder of Parquet files.
        CSV files are UTF-8 text with a header; cells may stand in double quotes.
    delimiter : str, optional
        What stands between the cells of a CSV file, where it is not what the name says: one character, or "tab".
    decimal : {".", ","}
        The sign before the decimals of numbers in a CSV file.

    Raises
    ------
    InputError
        There is no such file, it is not what its name says, or it has no rows.
    """
    # A missing pyarrow is better noticed now than after the header was read.
    arrow()
    path = Path(path)
    require_text_name(path)
    if path.is_dir():
        return open_parquet_folder(path)
    form = format_of(path)
    if form is None:
        if path.suffix.lower() in WORKBOOKS:
            raise InputError(f"{path} is an Excel workbook; save the table as 'CSV UTF-8' and give that file.")
        raise InputError(
            f"{path}: the end of the name does not say what the file is; files that end in {listed_suffixes()}, and "
            "folders of Parquet files, can be read."
        )
    return open_parquet(path) if form.name == "parquet" else open_csv(path, form, delimiter, decimal)


def require_text_name(path: str | os.PathLike[str]) -> None:
    """Refuse a name of bytes that are no text, as a disk may have: it could not be written down anywhere."""
    try:
        os.fspath(path).encode()
    except UnicodeEncodeError:
        raise InputError(f"{os.fspath(path)!r} is not UTF-8 text; rename the file.") from None
