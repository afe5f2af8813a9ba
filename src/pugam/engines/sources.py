"""Where rows in parts come from: what a fit asks of a file or of a cluster before there is an engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from pugam.data import Column, LabelPart, Part, digest, rows_renumbered
from pugam.engines.memory import MemoryEngine
from pugam.engines.parted import Parts
from pugam.terms import Design

__all__ = ["Digest", "RowSource", "digest_part", "engine_of_part"]

Digest = tuple[np.ndarray, dict[str, Column]]


class RowSource(Protocol):
    """Rows in parts, of which columns can be read as often as needed."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features."""
        ...

    @property
    def library(self) -> str:
        """The library in which frames are given back."""
        ...

    def labels(self) -> list[LabelPart]:
        """Read labels and weights of all parts."""
        ...

    def digests(self, firsts: Sequence[int], n_rows: int, names: Sequence[str]) -> list[Digest]:
        """Choose and read the rows that tell enough of some columns, part by part."""
        ...

    def parts(self, design: Design, firsts: Sequence[int], local: bool) -> Parts:
        """Make the engines of all parts; `local` as of `MemoryEngine`."""
        ...


def digest_part(part: Part, first: int, n_rows: int, names: Sequence[str]) -> Digest:
    """Choose the rows of a part that tell enough, and number them as rows of the whole."""
    with rows_renumbered(lambda row: first + row):
        return digest(part.table, first, n_rows, names)


def engine_of_part(part: Part, design: Design, first: int, local: bool) -> MemoryEngine:
    """Make the engine of one part; it is worked on by one thread at a time."""
    with rows_renumbered(lambda row: first + row):
        encoded = design.encode(part.table)
    return MemoryEngine(design, encoded, part.labels.positive, part.labels.weights, local=local)
