"""Parquet files: one, or a folder of them that hold parts of one table."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pugam.errors import InputError
from pugam.files.arrow import arrow
from pugam.files.faults import system_errors_named
from pugam.files.formats import BATCH_ROWS, NO_TYPES, Kind, chosen_columns, format_of, require_names
from pugam.files.parquet_parts import (
    batches_of_part,
    opened_part,
    plain_schema,
    require_same_columns,
    table_of_part,
)

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

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files themselves, in the order of their rows."""
        return self._parts

    def read(self, columns: Sequence[str] | None = None, types: Mapping[str, Kind] = NO_TYPES) -> pa.Table:
        """Read the whole table; the file itself says which types its columns have.

        See `DataFile.read`.
        """
        names = self._chosen(columns, types)
        return arrow().concat_tables([table_of_part(part, names) for part in self._parts])

    def batches(
        self,
        columns: Sequence[str] | None = None,
        types: Mapping[str, Kind] = NO_TYPES,
        batch_rows: int = BATCH_ROWS,
    ) -> Iterator[pa.RecordBatch]:
        """Read in batches, as `DataFile.batches` says; the file itself says which types its columns have."""
        names = self._chosen(columns, types)
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
    """Open the Parquet files in a folder and the folders below it, in the order of their names, as one table.

    Files and folders whose names begin with a dot or an underscore are left out: they are other programs' notes.
    """
    parts = sorted(_parts_in(folder, ()), key=lambda path: path.relative_to(folder).as_posix())
    if not parts:
        raise InputError(f"{folder} is a folder without Parquet files; it needs files that end in .parquet or .pq.")
    _require_once(parts)
    return _joined(folder, tuple(parts))


def _parts_in(folder: Path, above: tuple[Path, ...]) -> Iterator[Path]:
    """Find Parquet files in a folder, those below links to folders among them; what cannot be seen is refused."""
    own = folder.resolve()
    if own in above:
        raise InputError(f"{folder} is a link to a folder that it lies in; remove it.")
    with system_errors_named(folder):
        entries = [path for path in folder.iterdir() if not path.name.startswith((".", "_"))]
    for path in entries:
        mode = _mode_of(path)
        if stat.S_ISDIR(mode):
            yield from _parts_in(path, (*above, own))
        elif (form := format_of(path)) is not None and form.name == "parquet":
            if not stat.S_ISREG(mode):
                raise InputError(f"{path} is not a file; remove it, or name it otherwise.")
            yield path


def _mode_of(path: Path) -> int:
    """What stands in a folder, where links lead."""
    with system_errors_named(path):
        try:
            return path.stat().st_mode
        except FileNotFoundError:
            if not path.is_symlink():
                raise
            to = path.readlink()
    raise InputError(f"{path} is a link to {to}, which is not there; mend it, or remove it.")


def _require_once(parts: Sequence[Path]) -> None:
    """Refuse a file that is there twice, by links: its rows would count twice."""
    first: dict[Path, Path] = {}
    for part in parts:
        other = first.setdefault(part.resolve(), part)
        if other is not part:
            raise InputError(f"{part} and {other} are the same file, whose rows would count twice; remove one of them.")


def _joined(path: Path, parts: tuple[Path, ...]) -> ParquetFiles:
    counts, schemas = {}, {}
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
    return ParquetFiles(path, tuple(schema.names), n_rows, filled, schema)
