"""Where rows in parts come from: what a fit asks of a file or of a cluster before there is an engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from pugam.data import Column, LabelPart, Part, digest, rows_renumbered
from pugam.engines.memory import MemoryEngine
from pugam.engines.parted import Parts
from pugam.terms import Design

__all__ = ["Digest", "Place", "RowSource", "digest_part", "engine_of_part", "places_of"]

Digest = tuple[np.ndarray, dict[str, Column]]


class Place(NamedTuple):
    """Where a part begins, among the rows that count and among all rows, and what its labels are known by."""

    first: int
    first_of_all: int
    fingerprint: tuple[int, int, float]
    of_negatives: bool


class RowSource(Protocol):
    """Rows in parts, of which columns can be read as often as needed. Parts without rows are passed over."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features."""
        ...

    @property
    def library(self) -> str:
        """The library in which frames are given back."""
        ...

    def labels(self) -> list[LabelPart]:
        """Read labels, weights and what else is known of the rows of all parts."""
        ...

    def digests(self, labels: Sequence[LabelPart], names: Sequence[str]) -> list[Digest]:
        """Choose and read the rows that tell enough of some columns, part by part."""
        ...

    def parts(self, design: Design, labels: Sequence[LabelPart], local: bool) -> Parts:
        """Make the engines of all parts, or of their known negatives; `local` as of `MemoryEngine`."""
        ...


def places_of(labels: Sequence[LabelPart]) -> list[Place]:
    """Where each part begins."""
    firsts = np.cumsum([0, *(len(part.positive) for part in labels)])
    firsts_of_all = np.cumsum([0, *(part.n_rows for part in labels)])
    return [
        Place(int(first), int(of_all), part.fingerprint, part.are_negatives)
        for first, of_all, part in zip(firsts[:-1], firsts_of_all[:-1], labels, strict=True)
    ]


def digest_part(part: Part, place: Place, n_rows: int, names: Sequence[str]) -> Digest:
    """Choose the rows of a part that tell enough, and number them as rows of the whole."""
    with rows_renumbered(lambda row: place.first_of_all + row):
        return digest(part.table, place.first, n_rows, names)


def engine_of_part(part: Part, design: Design, place: Place, local: bool) -> MemoryEngine:
    """Make the engine of one part; it is worked on by one thread at a time."""
    with rows_renumbered(lambda row: place.first_of_all + row):
        for name in design.columns_used:
            part.table.column(name)  # faults found in reading count all rows of the part
    with rows_renumbered(lambda row: place.first_of_all + part.labels.row(row)):
        encoded = design.encode(part.table)
    return MemoryEngine(design, encoded, part.labels.positive, part.labels.weights, local=local)
