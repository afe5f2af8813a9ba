"""Rows in a file that need not fit into memory: read batch by batch, as often as needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from pugam.data import NO_COLUMNS, LabelPart, Part, read_label_part, read_part, rows_renumbered
from pugam.engines.memory import MemoryEngine
from pugam.engines.sources import Digest, digest_part, engine_of_part, places_of
from pugam.engines.stream import KEPT_BYTES, StreamedParts, in_order
from pugam.errors import InputError
from pugam.files import NO_TYPES, DataFile, Kind, stamp_of
from pugam.terms import Design

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["FileRows"]

BATCH_ROWS = 131_072

ReadLabels = Callable[[Any], Any]  # turns the column of labels into codes


class FileRows:
    """Labelled rows in a file; see `sources.RowSource`.

    Parameters
    ----------
    file : DataFile
    label, weights : str
        Names of columns; None where there are no weights.
    features : sequence of str
    n_threads : int
    codes : callable, optional
        Turns the column of labels into 0 and 1, where they are written in another way.
    types : mapping
        What columns of a CSV file hold; see `DataFile.kinds`.
    roles : mapping of str to str
        Names of columns that tell more of the rows, see `pugam.data.SampleRoles`.
    kept_bytes : int
        How much of the rows may be kept in memory between passes.
    """

    library = "pandas"

    def __init__(
        self,
        file: DataFile,
        label: str,
        weights: str | None,
        features: Sequence[str],
        n_threads: int,
        codes: ReadLabels | None = None,
        types: Mapping[str, Kind] = NO_TYPES,
        roles: Mapping[str, str] = NO_COLUMNS,
        kept_bytes: int = KEPT_BYTES,
    ) -> None:
        self.names = tuple(features)
        self._file, self._label, self._weights, self._others = file, label, weights, roles
        self._n_threads, self._codes, self._types, self._kept_bytes = n_threads, codes, types, kept_bytes
        self._stamps: list[object] = []
        self._tables: list[pa.Table] = []  # all of the file, as the last pass read it, if that is not too much

    def labels(self) -> list[LabelPart]:
        """Read labels and weights of all parts."""
        self._stamps = self._stamp()
        return list(in_order(self._jobs((), self._label_part), self._n_threads))

    def digests(self, labels: Sequence[LabelPart], names: Sequence[str]) -> list[Digest]:
        """Choose and read the rows that tell enough of some columns, part by part."""
        places, n_rows = places_of(labels), sum(len(part.positive) for part in labels)

        def of_batch(batch: pa.Table, number: int, first: int) -> Digest:
            return digest_part(self._part(batch, number, first, names, labels), places[number], n_rows, names)

        return list(in_order(self._jobs(names, of_batch, labels), self._n_threads))

    def parts(self, design: Design, labels: Sequence[LabelPart], local: bool) -> StreamedParts:
        """Make the engines of all parts."""
        names, places = design.columns_used, places_of(labels)

        def of_batch(batch: pa.Table, number: int, first: int) -> MemoryEngine:
            part = self._part(batch, number, first, names, labels)
            return engine_of_part(part, design, places[number], local)

        return StreamedParts(lambda: self._jobs(names, of_batch, labels), self._n_threads, self._kept_bytes)

    def _jobs(
        self, names: Sequence[str], of_batch: Callable[..., Any], labels: Sequence[LabelPart] | None = None
    ) -> Iterator[Callable[[], Any]]:
        """Read some columns, and give what is to be done with each batch; those without rows are passed over.

        With `labels`, those of an earlier pass, the file has to be what it was.
        """
        columns = self._with_roles(names)
        types = {name: kind for name, kind in self._kinds.items() if name in columns}
        first = number = 0
        if labels is not None and self._stamps != self._stamp():
            raise self._changed()
        for number, batch in enumerate(self._batches(columns, types), start=1):
            if labels is None or number > len(labels) or len(labels[number - 1].positive):
                yield partial(of_batch, batch, number - 1, first)
            first += batch.num_rows
        if labels is not None and number < len(labels):
            raise self._changed()

    def _batches(self, columns: list[str], types: dict[str, Any]) -> Iterator[pa.Table]:
        """Read the file, or take what the pass before read of it, once: then others may keep it, or it is let go."""
        kept, self._tables = self._tables, []
        if kept and set(columns) <= set(kept[0].column_names):
            while kept:
                yield kept.pop(0)
            return
        kept, room = [], self._kept_bytes
        for table in _even(self._file.batches(columns, types, BATCH_ROWS), BATCH_ROWS):
            room -= table.nbytes
            if room >= 0:
                kept.append(table)
            else:
                kept.clear()
            yield table
        self._tables = kept

    @cached_property
    def _kinds(self) -> dict[str, Any]:
        """What the columns of a CSV file hold."""
        return self._file.kinds(self._with_roles(self.names), self._types)

    def _with_roles(self, names: Sequence[str]) -> list[str]:
        """Some columns, that of labels, and those of weights and of what else is known of rows."""
        roles = [self._label, *([] if self._weights is None else [self._weights]), *self._others.values()]
        return list(dict.fromkeys([*names, *roles]))

    def _label_part(self, batch: pa.Table, number: int, first: int) -> LabelPart:
        with rows_renumbered(lambda row: first + row):
            return read_label_part(
                self._codes_of(batch), self._weights_of(batch), batch.num_rows, self._roles_of(batch)
            )

    def _part(
        self, batch: pa.Table, number: int, first: int, names: Sequence[str], labels: Sequence[LabelPart]
    ) -> Part:
        if number >= len(labels):
            raise self._changed()
        with rows_renumbered(lambda row: first + row):
            known = self._codes_of(batch), self._weights_of(batch), self._roles_of(batch)
            part = read_part(batch.select(list(names)), *known, labels[number].are_negatives)
        if part.labels.fingerprint != labels[number].fingerprint:
            raise self._changed()
        return part

    def _stamp(self) -> list[object]:
        """What changes when the files do."""
        return [stamp_of(path) for path in self._file.paths]

    def _changed(self) -> InputError:
        return InputError(f"{self._file.path} is not what it was when it was first read; fit it again.")

    def _codes_of(self, batch: pa.Table) -> Any:
        column = batch.column(self._label)
        return column if self._codes is None else self._codes(column)

    def _roles_of(self, batch: pa.Table) -> dict[str, Any]:
        return {role: batch.column(name) for role, name in self._others.items()}

    def _weights_of(self, batch: pa.Table) -> Any:
        return None if self._weights is None else batch.column(self._weights)


def _even(batches: Iterator[pa.RecordBatch], size: int) -> Iterator[pa.Table]:
    """Cut rows into tables of equal size, but for the last one: pyarrow cuts them differently for different columns."""
    import pyarrow as pa

    waiting: list[pa.RecordBatch] = []
    n_waiting = 0
    for batch in batches:
        while n_waiting + batch.num_rows >= size:
            taken = size - n_waiting
            yield pa.Table.from_batches([*waiting, batch.slice(0, taken)])
            batch, waiting, n_waiting = batch.slice(taken), [], 0
        if batch.num_rows:
            waiting.append(batch)
            n_waiting += batch.num_rows
    if waiting:
        yield pa.Table.from_batches(waiting)
