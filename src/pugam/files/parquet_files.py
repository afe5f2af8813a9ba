"""Parquet files: one, or a folder of them that hold parts of one table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pugam.errors import InputError
from pugam.files.arrow import arrow
from pugam.files.folders import look_into
from pugam.files.formats import BATCH_ROWS, NO_TYPES, Kind, chosen_columns, require_names
from pugam.files.identity import require_once
from pugam.files.parquet_parts import (
    batches_of_part,
    opened_part,
    plain_schema,
    require_same_columns,
    table_of_part,
)
from pugam.files.stamps import Stamps

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ParquetFiles", "open_parquet", "open_parquet_folder"]


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
    _stamps: Stamps = field(repr=False, compare=False)

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files themselves, in the order of their rows."""
        return self._parts

    def read(self, columns: Sequence[str] | None = None, types: Mapping[str, Kind] = NO_TYPES) -> pa.Table:
        """Read the whole table; the file itself says which types its columns have.

        See `DataFile.read`.
        """
        names = self._chosen(columns, types)
        with self._stamps.unchanged():
            return arrow().concat_tables([table_of_part(part, names) for part in self._parts])

    def batches(
        self,
        columns: Sequence[str] | None = None,
        types: Mapping[str, Kind] = NO_TYPES,
        batch_rows: int = BATCH_ROWS,
    ) -> Iterator[pa.RecordBatch]:
        """Read in batches, as `DataFile.batches` says; the file itself says which types its columns have."""
        names = self._chosen(columns, types)
        with self._stamps.unchanged():
            for part in self._parts:
                yield from batches_of_part(part, names, batch_rows)

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
    """Open the Parquet files in a folder and the folders below it, in the order of their names, as one table."""
    parts = look_into(folder).parts
    if not parts:
        raise InputError(f"{folder} is a folder without Parquet files; it needs files that end in .parquet or .pq.")
    require_once(((str(part), part) for part in parts), "remove one of them")
    return _joined(folder, tuple(parts))


def _joined(path: Path, parts: tuple[Path, ...]) -> ParquetFiles:
    stamps, counts, schemas = Stamps.of(parts), {}, {}
    for part in parts:
        with opened_part(part) as file:
            counts[part], schemas[part] = file.metadata.num_rows, plain_schema(file.schema_arrow)
    filled = tuple(part for part in parts if counts[part]) or parts[:1]  # columns without rows may have no type
    schema = schemas[filled[0]]
    require_names(filled[0], schema.names)
    for part in filled[1:]:
        require_same_columns(part, schemas[part], filled[0], schema)
    if not schema.names:
        raise InputError(f"{path} has no columns.")
    n_rows = sum(counts.values())
    if not n_rows:
        raise InputError(f"{path} has columns but no rows.")
    return ParquetFiles(path, tuple(schema.names), n_rows, filled, schema, stamps)
