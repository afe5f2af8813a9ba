"""Rows in a file that need not fit into memory: read batch by batch, as often as needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any

from pugam.data import LabelPart, Part, read_label_part, read_part, rows_renumbered
from pugam.engines.memory import MemoryEngine
from pugam.engines.sources import Digest, digest_part, engine_of_part
from pugam.engines.stream import KEPT_BYTES, StreamedParts, in_order
from pugam.errors import InputError
from pugam.files import DataFile
from pugam.terms import Design

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
    """

    library = "pyarrow"

    def __init__(
        self,
        file: DataFile,
        label: str,
        weights: str | None,
        features: Sequence[str],
        n_threads: int,
        codes: ReadLabels | None = None,
        kept_bytes: int = KEPT_BYTES,
    ) -> None:
        self.names = tuple(features)
        self._file, self._label, self._weights = file, label, weights
        self._n_threads, self._codes, self._kept_bytes = n_threads, codes, kept_bytes

    def labels(self) -> list[LabelPart]:
        """Read labels and weights of all parts."""
        return list(in_order(self._jobs((), self._label_part), self._n_threads))

    def digests(self, firsts: Sequence[int], n_rows: int, names: Sequence[str]) -> list[Digest]:
        """Choose and read the rows that tell enough of some columns, part by part."""

        def of_batch(batch: Any, first: int, number: int) -> Digest:
            return digest_part(self._part(batch, first, names), firsts[number], n_rows, names)

        return list(in_order(self._jobs(names, of_batch), self._n_threads))

    def parts(self, design: Design, firsts: Sequence[int], local: bool) -> StreamedParts:
        """Make the engines of all parts."""
        names = design.columns_used

        def of_batch(batch: Any, first: int, number: int) -> MemoryEngine:
            part = self._part(batch, first, names)
            if number >= len(firsts):
                raise InputError(f"{self._file.path} has more rows than when it was first read; fit it again.")
            return engine_of_part(part, design, firsts[number], local)

        return StreamedParts(lambda: self._jobs(names, of_batch), self._n_threads, self._kept_bytes)

    def _jobs(self, names: Sequence[str], of_batch: Callable[[Any, int, int], Any]) -> Iterator[Callable[[], Any]]:
        """Read some columns, and give what is to be done with each batch."""
        columns = list(dict.fromkeys([*names, self._label, *([] if self._weights is None else [self._weights])]))
        types = {name: kind for name, kind in self._kinds.items() if name in columns}
        first = 0
        for number, batch in enumerate(self._file.batches(columns, types, BATCH_ROWS)):
            yield partial(of_batch, batch, first, number)
            first += batch.num_rows

    @cached_property
    def _kinds(self) -> dict[str, Any]:
        """What the columns of a CSV file hold."""
        roles = [self._label, *([] if self._weights is None else [self._weights])]
        return self._file.kinds(list(dict.fromkeys([*self.names, *roles])))

    def _label_part(self, batch: Any, first: int, number: int) -> LabelPart:
        with rows_renumbered(lambda row: first + row):
            return read_label_part(self._codes_of(batch), self._weights_of(batch), batch.num_rows)

    def _part(self, batch: Any, first: int, names: Sequence[str]) -> Part:
        import pyarrow as pa

        with rows_renumbered(lambda row: first + row):
            features = pa.Table.from_batches([batch]).select(list(names))
            return read_part(features, self._codes_of(batch), self._weights_of(batch))

    def _codes_of(self, batch: Any) -> Any:
        column = batch.column(self._label)
        return column if self._codes is None else self._codes(column)

    def _weights_of(self, batch: Any) -> Any:
        return None if self._weights is None else batch.column(self._weights)
