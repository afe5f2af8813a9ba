"""CSV files: read by pyarrow as text, block by block, and turned into typed columns by one rule for all blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pugam.errors import InputError
from pugam.files.arrow import arrow
from pugam.files.cells import convert, first_misfit, is_decimal_comma, is_grouped, with_points
from pugam.files.csv_header import read_delimiter, read_header
from pugam.files.csv_places import line_of_cell, require_sound, require_text_to_the_end
from pugam.files.faults import first_line, system_errors_named
from pugam.files.formats import BATCH_ROWS, NO_TYPES, Format, Kind, chosen_columns
from pugam.files.kinds import MixedColumnError, Tally
from pugam.files.stamps import Stamps
from pugam.messages import LeavingOut, Message, ReadingCsv, in_formula

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["CsvFile", "open_csv"]

# A row must lie within a block: wide tables get larger blocks.
BLOCK_BYTES = 4 << 20
ROWS_PER_BLOCK = 8
MOST_COLUMNS = 100_000  # for which pyarrow takes a gigabyte; where it gets no more, it ends the process
MOST_CHARACTERS_SHOWN = 40


@dataclass(frozen=True)
class CsvFile:
    """A table in a CSV file; made by `open_file`.

    Attributes
    ----------
    path : Path
        Where the file is.
    names : tuple of str
        The names of the columns.
    n_rows : None
        How many rows there are is not known before they are read.
    """

    path: Path
    names: tuple[str, ...]
    n_rows: int | None = field(default=None, init=False)
    _delimiter: str = field(repr=False)
    _compression: str | None = field(repr=False)
    _block_bytes: int = field(repr=False)
    _stamps: Stamps = field(repr=False, compare=False)
    _decimal: str = field(repr=False, default=".")

    @property
    def paths(self) -> tuple[Path, ...]:
        """The file itself."""
        return (self.path,)

    def read(self, columns: Sequence[str] | None = None, types: Mapping[str, Kind] = NO_TYPES) -> pa.Table:
        """Read the whole table; columns whose type is not given get the one that all their rows fit.

        See `DataFile.read`.
        """
        kinds = self.kinds(columns, types)
        return arrow().Table.from_batches(self.batches(list(kinds), kinds))

    def batches(
        self,
        columns: Sequence[str] | None = None,
        types: Mapping[str, Kind] = NO_TYPES,
        batch_rows: int = BATCH_ROWS,
    ) -> Iterator[pa.RecordBatch]:
        """Read in batches, as `DataFile.batches` says; without a type, columns are text as written in the file."""
        names = chosen_columns(self.path, self.names, columns, types)
        first_row = 0
        for block in self._blocks(names):
            typed = self.typed(block, types, first_row)
            for start in range(0, typed.num_rows, batch_rows):
                yield typed.slice(start, batch_rows)
            first_row += block.num_rows

    def kinds(self, columns: Sequence[str] | None = None, types: Mapping[str, Kind] = NO_TYPES) -> dict[str, Kind]:
        """Say of each column what it holds: the type given, or the one that all its rows fit.

        Raises
        ------
        InputError
            A column holds mostly numbers but not only; the message names the first cell that is none.
        """
        names = chosen_columns(self.path, self.names, columns, types)
        tallies = {name: Tally() for name in names if name not in types}
        first_row = 0
        for block in self._blocks(list(tallies)) if tallies else ():
            for name, tally in tallies.items():
                tally.add(block.column(name), first_row, self._decimal)
            first_row += block.num_rows
        return {name: self._decided(name, tallies[name]) if name in tallies else types[name] for name in names}

    def place(self, row: int) -> str:
        """Find the line on which a row begins."""
        return f"line {self._line(row, 0)}"

    def _line(self, row: int, position: int) -> int:
        with self._stamps.unchanged():
            return line_of_cell(self.path, self._delimiter, row, position)

    def _blocks(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Give these columns as text, a few megabytes of the file at a time; the file has to be what it was."""
        if len(names) > MOST_COLUMNS:
            raise InputError(
                f"{self.path}: {len(names):,} columns are asked for, but at most {MOST_COLUMNS:,} of a CSV file can be "
                "read; name fewer, or leave some out."
            )
        with self._stamps.unchanged():
            yield from self._blocks_now(names)

    def _blocks_now(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        pa, csv = arrow(), arrow("csv")
        last, ending = self.names[-1], False
        with system_errors_named(self.path):
            try:
                with pa.input_stream(str(self.path), compression=self._compression) as stream:
                    for block in csv.open_csv(stream, **self._options(names)):
                        ending = _holds_line_end(block.column(last)[-1].as_py()) if block.num_rows else ending
                        yield block.select(list(names))
            except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
                require_sound(self.path, self._delimiter, len(self.names))
                raise InputError(_unexplained(self.path, error, self._block_bytes)) from error
        require_text_to_the_end(self.path, self._delimiter, suspected=ending)

    def _options(self, names: Sequence[str]) -> dict[str, Any]:
        pa, csv = arrow(), arrow("csv")
        # The last column is always read, as bytes, which may be no text: it shows whether a quote is never closed.
        types = {self.names[-1]: pa.binary()} | dict.fromkeys(names, pa.string())
        return {
            "read_options": csv.ReadOptions(block_size=self._block_bytes),
            "parse_options": csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True),
            "convert_options": csv.ConvertOptions(
                column_types=types, include_columns=list(types), strings_can_be_null=False
            ),
        }

    def typed(self, block: pa.RecordBatch, types: Mapping[str, Kind], first_row: int = 0) -> pa.RecordBatch:
        """Turn columns of text, as written in the file, into what they hold; see `DataFile.typed`."""
        typed = []
        for name, sliced in zip(block.schema.names, block.columns, strict=True):
            # Some releases of pyarrow get part of a longer array wrong; a copy has no other parts.
            text = arrow().concat_arrays([sliced]) if sliced.offset else sliced
            typed.append(self._converted(name, text, types.get(name, "text"), first_row))
        return arrow().RecordBatch.from_arrays(typed, names=block.schema.names)

    def _converted(self, name: str, text: pa.Array, kind: Kind, first_row: int) -> pa.Array:
        cells = with_points(text, self._decimal) if kind == "number" else text
        column = convert(cells, kind)
        if column is None:
            position = first_misfit(cells, kind) or 0
            cell = text[position].as_py()
            raise self._misfit(
                name, first_row + position, cell, f"is not a {kind}{self._reason(cell)}", "mend the cell"
            )
        return column

    def _reason(self, cell: str) -> str:
        """Why a cell is no number, where that is easily mended."""
        if is_grouped(cell, self._decimal):
            return " as written: it needs no signs between groups of digits"
        return " as written: decimals need a point" if is_decimal_comma(cell) and self._decimal == "." else ""

    def _decided(self, name: str, tally: Tally) -> Kind:
        try:
            return tally.kind()
        except MixedColumnError:
            share = f"is not a number, but {tally.numbers} of the column's {tally.present} cells are"
            remedy = Message(
                "mend the cell; a feature may also be left out",
                LeavingOut((name,)),
                f", or treated as levels with f({in_formula(name)})",
            )
            if is_grouped(tally.misfit, self._decimal) and (tally.have_groups or self._decimal == ","):
                share, remedy = _grouped(tally, remedy)
            elif is_decimal_comma(tally.misfit) and tally.decimal_commas:
                share = "is not a number as written: decimals need a point"
                remedy = Message(ReadingCsv("decimal", ","), " if all are written so; else ", remedy)
            raise self._misfit(name, tally.misfit_row or 0, tally.misfit, share, remedy) from None

    def _misfit(self, name: str, row: int, cell: str, what: str, remedy: str | Message) -> InputError:
        if "\n" in cell:
            # The cell may only have swallowed the rest of the file after a quote that is never closed.
            require_sound(self.path, self._delimiter, len(self.names))
        line = self._line(row, self.names.index(name))
        shown = repr(cell if len(cell) <= MOST_CHARACTERS_SHOWN else cell[:MOST_CHARACTERS_SHOWN] + "...")
        return InputError(f"{self.path}, line {line}, column {name!r}: {shown} {what}; ", remedy, ".")


def open_csv(path: Path, form: Format, delimiter: str | None = None, decimal: str = ".") -> CsvFile:
    """Open a CSV file: read its header, and see that it has rows."""
    if decimal not in (".", ","):
        raise InputError(f"The decimal sign is '.' or ','; got {decimal!r}.")
    delimiter = form.delimiter if delimiter is None else read_delimiter(delimiter)
    stamps = Stamps.of((path,))
    header = read_header(path, delimiter)
    return CsvFile(
        path,
        header.names,
        _delimiter=delimiter,
        _compression="gzip" if form.compressed else None,
        _block_bytes=max(BLOCK_BYTES, ROWS_PER_BLOCK * header.n_bytes),
        _stamps=stamps,
        _decimal=decimal,
    )


def _grouped(tally: Tally, otherwise: Message) -> tuple[str, Message]:
    """Ask what is meant by digits in groups: thousands, or three decimals behind a comma."""
    plain = "write numbers without signs between groups of digits"
    if not tally.decimal_commas and "." in tally.misfit and "," not in tally.misfit and tally.misfit.count(".") == 1:
        return "has a point, but decimals have a comma here", Message(plain, ", and all decimals alike")
    if tally.ambiguous and tally.grouped == tally.ambiguous:
        decimals = Message("; or, if it is a small number with three decimals, ", ReadingCsv("decimal", ","))
        return "may be thousands, or decimals behind a comma", Message(plain, " if it is thousands", decimals)
    return "is not a number as written, but looks like thousands", Message(plain, "; else ", otherwise)


def _holds_line_end(cell: str | bytes) -> bool:
    raw = cell.encode() if isinstance(cell, str) else cell
    return b"\n" in raw or b"\r" in raw


def _unexplained(path: Path, error: Exception, block_bytes: int) -> str:
    if "straddl" in str(error):
        return f"{path} has a row longer than {block_bytes} bytes, more than can be read; shorten its cells."
    return f"{path} cannot be read as CSV: {first_line(error)}."
