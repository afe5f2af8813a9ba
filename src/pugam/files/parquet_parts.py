"""Single Parquet files: opened, read in batches, and compared with others of the same table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pugam.errors import InputError
from pugam.files.arrow import arrow
from pugam.files.faults import first_line, require_content
from pugam.files.formats import require_names

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["batches_of_part", "opened_part", "plain_schema", "require_same_columns", "table_of_part"]

MAGIC = b"PAR1"
# Columns are read through buffers of this size: without them, pyarrow holds whole row groups in memory.
BUFFER_BYTES = 1 << 20


# Text and bytes in another layout, for which much of Arrow has no functions.
PLAIN_TYPES = {"string_view": "string", "binary_view": "binary"}


@contextmanager
def opened_part(part: Path) -> Iterator[Any]:
    """Open a file for pyarrow; what goes wrong within is the damage of this file."""
    with _damage_named(part):
        yield _open(part)


def batches_of_part(part: Path, names: list[str], batch_rows: int) -> Iterator[pa.RecordBatch]:
    """Read some columns in batches."""
    with opened_part(part) as file:
        rest = file.iter_batches(batch_rows, columns=names)
    while True:
        # The caller's own errors must not be taken for damage, hence no yield within.
        with _damage_named(part):
            batch = next(rest, None)
        if batch is None:
            break
        yield _plain(batch.select(names))


def table_of_part(part: Path, names: list[str]) -> pa.Table:
    """Read some columns at once."""
    with opened_part(part) as file:
        return _plain(file.read(columns=names).select(names))


def plain_schema(schema: pa.Schema) -> pa.Schema:
    """The columns as they are given to others: views as plain text or bytes, and none of them said to have no gaps."""
    pa = arrow()
    kinds = (PLAIN_TYPES.get(str(kind)) for kind in schema.types)
    return pa.schema(
        field.with_nullable(True) if kind is None else pa.field(field.name, pa.type_for_alias(kind))
        for field, kind in zip(schema, kinds, strict=True)
    )


def _plain(rows: Any) -> Any:
    schema = plain_schema(rows.schema)
    pairs = zip(rows.columns, schema.types, strict=True)
    columns = [column if column.type == kind else column.cast(kind) for column, kind in pairs]
    return type(rows).from_arrays(columns, schema=schema)


def require_same_columns(part: Path, schema: pa.Schema, first: Path, expected: pa.Schema) -> None:
    """Refuse a file whose columns are not those of another, by name and type."""
    require_names(part, schema.names)
    here, there = set(schema.names), set(expected.names)
    for name in expected.names:
        if name not in here:
            raise InputError(
                f"{part} lacks the column {name!r} that {first} has; the files must hold the same columns."
            )
        found, wanted = schema.field(name).type, expected.field(name).type
        if found != wanted:
            raise InputError(
                f"{part}: column {name!r} is of type {found}, but of type {wanted} in {first}; write both with the "
                "same type."
            )
    extra = [name for name in schema.names if name not in there]
    if extra:
        raise InputError(f"{part} has a column {extra[0]!r} that {first} lacks; the files must hold the same columns.")


def _open(part: Path) -> Any:
    require_content(part)
    with part.open("rb") as file:
        begins = file.read(len(MAGIC)) == MAGIC
        file.seek(-min(len(MAGIC), part.stat().st_size), 2)
        ends = file.read() == MAGIC
    if not begins:
        raise InputError(f"{part} is not a Parquet file; rename it after what it is, such as .csv.")
    if not ends:
        raise InputError(f"{part} is cut off: a Parquet file, but its end is missing; copy or write it again.")
    return arrow("parquet").ParquetFile(part, buffer_size=BUFFER_BYTES, pre_buffer=False)


@contextmanager
def _damage_named(part: Path) -> Iterator[None]:
    pa = arrow()
    try:
        yield
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        raise InputError(f"{part} is a damaged Parquet file ({first_line(error)}); copy or write it again.") from error
