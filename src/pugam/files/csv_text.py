"""Rows as CSV text: cells quoted where they must be, numbers that read back bit for bit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pugam.errors import InputError
from pugam.files.arrow import arrow

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["csv_header_text", "csv_text", "require_writable"]

DELIMITERS = ",;\t|"


def csv_text(batch: pa.RecordBatch, delimiter: str, decimal: str = ".") -> memoryview:
    """Write rows as lines of UTF-8 text.

    Missing values, NaN among them, become empty cells. Numbers are written with as many digits as it takes to get the
    same number back, those of float32 included.
    """
    return _joined([_cells(column, delimiter, decimal) for column in batch.columns], delimiter)


def csv_header_text(schema: pa.Schema, delimiter: str) -> memoryview:
    """Write the names of the columns as the first line."""
    pa = arrow()
    names = [pa.array([name], pa.large_string()) for name in schema.names]
    # A single name with another file's delimiter in it must not pass for a header of several.
    return _joined([_quoted(name, DELIMITERS + delimiter) for name in names], delimiter)


def require_writable(shown: object, schema: pa.Schema) -> None:
    """Refuse columns that no CSV cell can hold."""
    for column in schema:
        if not _fits_into_cells(column.type):
            raise InputError(
                f"{shown}: column {column.name!r} ({column.type}) does not fit into the cells of a CSV file; leave it "
                "out, or write a file that ends in .parquet."
            )


def _fits_into_cells(kind: pa.DataType) -> bool:
    pa = arrow()
    if pa.types.is_nested(kind) or "binary" in str(kind):  # bytes need not be text
        return False
    try:
        _cells(pa.array([], kind), ",")
    except pa.ArrowNotImplementedError:  # no way to write this type as text
        return False
    return True


def _joined(cells: list[pa.Array], delimiter: str) -> memoryview:
    pc = arrow("compute")
    if len(cells) == 1:
        # A line without a single character would be no row to a reader.
        cells = [pc.if_else(pc.equal(cells[0], _scalar("")), _scalar('""'), cells[0])]
    lines = pc.binary_join_element_wise(*cells, _scalar(delimiter))
    ended = pc.binary_join_element_wise(lines, _scalar(""), _scalar("\n"))
    # The lines lie one after the other in the array's own memory: that is the text.
    _, offsets, text = ended.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)
    return memoryview(text)[ends[ended.offset] : ends[ended.offset + len(ended)]]


def _cells(column: pa.Array, delimiter: str, decimal: str = ".") -> pa.Array:
    pa, pc = arrow(), arrow("compute")
    if pa.types.is_dictionary(column.type):
        return _cells(column.dictionary_decode(), delimiter, decimal)
    if pa.types.is_floating(column.type):
        numbers = _widened(column)
        column = pc.if_else(pc.is_nan(numbers), None, numbers)
    text = column.cast(pa.large_string()).fill_null("")
    if decimal != "." and pa.types.is_floating(column.type):
        text = pc.replace_substring(text, ".", decimal)
    is_plain = pa.types.is_primitive(column.type) and delimiter in DELIMITERS and delimiter != decimal
    return text if is_plain else _quoted(text, delimiter)


def _widened(column: pa.Array) -> pa.Array:
    """Turn any floats into float64: the fewest digits that tell one float32 from the next give another float64."""
    pa = arrow()
    if pa.types.is_float16(column.type):
        # Older versions of pyarrow have no cast for these.
        return pa.array(column.to_numpy(zero_copy_only=False).astype(np.float64))
    return column.cast(pa.float64())


def _quoted(text: pa.Array, delimiters: str) -> pa.Array:
    pc = arrow("compute")
    # A file that begins with U+FEFF would lose it as a byte order mark.
    among = "".join(f"\\{sign}" if sign in "\\[]^-" else sign for sign in delimiters)
    must = pc.match_substring_regex(text, f'["\\r\\n\\x{{feff}}{among}]')
    if not pc.any(must).as_py():
        return text
    doubled = pc.replace_substring(text, '"', '""')
    return pc.if_else(must, pc.binary_join_element_wise(_scalar('"'), doubled, _scalar('"'), _scalar("")), text)


def _scalar(text: str) -> pa.Scalar:
    """Make a text of the columns' type, 64-bit large: pyarrow joins no others with them."""
    pa = arrow()
    return pa.scalar(text, pa.large_string())
