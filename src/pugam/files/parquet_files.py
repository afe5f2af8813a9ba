"""Parquet files: one, or a folder of them that hold parts of one table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pugam.errors import InputError
from pugam.files.arrow import arrow
from pugam.files.faults import first_line, require_content, system_errors_named
from pugam.files.formats import BATCH_ROWS, NO_TYPES, Kind, chosen_columns, format_of, require_names

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ParquetFiles", "open_parquet", "open_parquet_folder"]

MAGIC = b"PAR1"
# Columns are read through buffers of this size: without them, pyarrow holds whole row groups in memory.
BUFFER_BYTES = 1 << 20


@dataclass(frozen=True)
class ParquetFiles:
    """A table in a Parquet file or in a folder of them; made by `open_file`.

    Attributes
    ----------
    path : Path
        Where the file or the folder is.
    names : tuple of str
        The names of the columns.
    n_rows : int
        How many rows there are.
    """

    path: Path
    names: tuple[str, ...]
    n_rows: int | None
    _parts: tuple[Path, ...] = field(repr=False)
    _schema: pa.Schema = field(repr=False)

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files themselves, in the order of their rows."""
        return self._parts

    def read(self, columns: Sequence[str] | None = None, types: Mapping[str, Kind] = NO_TYPES) -> pa.Table:
        """Read the whole table; the file itself says which types its columns have.

        See `DataFile.read`.
        """
        names = self._chosen(columns, types)
        tables = []
        for part in self._parts:
            with _damage_named(part):
                tables.append(_open_part(part).read(columns=names).select(names))
        return arrow().concat_tables(tables)

    def batches(
        self,
        columns: Sequence[str] | None = None,
        types: Mapping[str, Kind] = NO_TYPES,
        batch_rows: int = BATCH_ROWS,
    ) -> Iterator[pa.RecordBatch]:
        """Read in batches; the file itself says which types its columns have.

        See `DataFile.batches`.
        """
        names = self._chosen(columns, types)
        for part in self._parts:
            with _damage_named(part):
                rest = _open_part(part).iter_batches(batch_rows, columns=names)
            while True:
                # The caller's own errors must not be taken for damage, hence no yield within.
                with _damage_named(part):
                    batch = next(rest, None)
                if batch is None:
                    break
                yield batch.select(names)

    def kinds(self, columns: Sequence[str] | None = None, types: Mapping[str, Kind] = NO_TYPES) -> dict[str, Kind]:
        """Say nothing: the file itself says which types its columns have."""
        return {}

    def typed(self, block: pa.RecordBatch, types: Mapping[str, Kind], first_row: int = 0) -> pa.RecordBatch:
        """Return the rows as they are: the file itself says which types its columns have."""
        return block

    def place(self, row: int) -> str:
        """Count rows from 1, over all files of a folder."""
        return f"row {row + 1}"

    def _chosen(self, columns: Sequence[str] | None, types: Mapping[str, Kind]) -> list[str]:
        names = chosen_columns(self.path, self.names, columns, types)
        for name in (*(columns or ()), *types):
            kind = self._schema.field(name).type
            if arrow("types").is_nested(kind):
                raise InputError(
                    f"{self.path}: column {name!r} holds several values per row ({kind}); a column needs one number, "
                    "text or boolean per row. Leave it out, or unpack it into columns of its own."
                )
        return names


def open_parquet(path: Path) -> ParquetFiles:
    """Open one Parquet file."""
    return _joined(path, (path,))


def open_parquet_folder(folder: Path) -> ParquetFiles:
    """Open the Parquet files in a folder and the folders below it, in the order of their names, as one table.

    Files and folders whose names begin with a dot or an underscore are left out: they are other programs' notes.
    """
    with system_errors_named(folder):
        parts = [path for path in folder.rglob("*") if _is_part(path, folder)]
    if not parts:
        raise InputError(f"{folder} is a folder without Parquet files; it needs files that end in .parquet or .pq.")
    return _joined(folder, tuple(sorted(parts, key=lambda path: path.relative_to(folder).as_posix())))


def _is_part(path: Path, folder: Path) -> bool:
    form = format_of(path)
    hidden = any(name.startswith((".", "_")) for name in path.relative_to(folder).parts)
    return form is not None and form.name == "parquet" and path.is_file() and not hidden


def _joined(path: Path, parts: tuple[Path, ...]) -> ParquetFiles:
    counts, schemas = {}, {}
    for part in parts:
        with _damage_named(part):
            opened = _open_part(part)
        counts[part], schemas[part] = opened.metadata.num_rows, opened.schema_arrow
    n_rows = sum(counts.values())
    filled = tuple(part for part in parts if counts[part]) or parts[:1]  # columns without rows may have no type
    schema = schemas[filled[0]]
    require_names(filled[0], schema.names)
    for part in filled[1:]:
        _require_same_columns(part, schemas[part], filled[0], schema)
    if not schema.names:
        raise InputError(f"{path} has no columns.")
    if not n_rows:
        raise InputError(f"{path} has columns but no rows.")
    return ParquetFiles(path, tuple(schema.names), n_rows, filled, schema)


def _require_same_columns(part: Path, schema: pa.Schema, first: Path, expected: pa.Schema) -> None:
    require_names(part, schema.names)
    for name in expected.names:
        if name not in schema.names:
            raise InputError(
                f"{part} lacks the column {name!r} that {first} has; the files must hold the same columns."
            )
        found, wanted = schema.field(name).type, expected.field(name).type
        if found != wanted:
            raise InputError(
                f"{part}: column {name!r} is of type {found}, but of type {wanted} in {first}; write both with the "
                "same type."
            )
    extra = [name for name in schema.names if name not in expected.names]
    if extra:
        raise InputError(f"{part} has a column {extra[0]!r} that {first} lacks; the files must hold the same columns.")


def _open_part(part: Path) -> Any:
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
