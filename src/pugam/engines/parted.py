"""The engine for rows that lie in parts, in a file or on a cluster: each is an engine in memory, and their sums add up.

What comes out is what the engine in memory gives for all rows, up to rounding: the same samples are drawn, and the
label frequency is that of all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from pugam.engines.counted import CountedRows
from pugam.engines.hessians import MemoryHessians
from pugam.engines.memory import MemoryEngine, MemoryResampledRows
from pugam.engines.pilots import pilot_rows
from pugam.engines.protocol import Counts, Expectation, OfRows, Sources
from pugam.engines.threads import count_threads
from pugam.likelihood import Scores, Sums, label_frequency
from pugam.terms import Design, Encoded

__all__ = ["OfPart", "PartedEngine", "Parts"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
OfPart = Callable[..., Any]  # takes the part's engine, what all parts share, and what is meant for this part alone


class Parts(Protocol):
    """Engines of consecutive rows, one for each part, wherever they are.

    `each` holds one more argument for every part.
    """

    @property
    def name(self) -> str:
        """Where the parts are."""
        ...

    @property
    def n_threads(self) -> int:
        """How many parts are worked on at a time."""
        ...

    def map(self, of_part: OfPart, *shared: Any, each: Sequence[Any] | None = None) -> list[Any]:
        """Apply a function to every part; results come in the order of the parts."""
        ...

    def sum(self, of_part: OfPart, *shared: Any, each: Sequence[Any] | None = None) -> Any:
        """Apply a function to every part and add up the results, always in the same order."""
        ...

    def changed(self, of_part: OfPart, *shared: Any, each: Sequence[Any] | None = None) -> Self:
        """Return other parts, into which a function turns each of these."""
        ...


@dataclass(frozen=True, eq=False)
class PointExpectation:
    """Expected labels as the point at which they are expected: parts work them out anew."""

    b: Array
    d: Array
    hidden_positives: Array


class PartedEngine(CountedRows):
    """Sums over rows in parts.

    Parameters
    ----------
    design : Design
    parts : Parts
    positive : bool array
        True where z = 1, for all rows.
    weights : array or None
    sizes : sequence of int
        How many rows each part holds.
    """

    def __init__(
        self, design: Design, parts: Parts, positive: Flags, weights: Array | None, sizes: Sequence[int]
    ) -> None:
        super().__init__(design, positive, weights)
        self.parts = parts
        self._ends = np.cumsum(sizes)

    @property
    def name(self) -> str:
        """Where the rows are."""
        return self.parts.name

    @property
    def n_threads(self) -> int:
        """How many parts are worked on at a time."""
        return self.parts.n_threads

    def linear_predictor(self, b: Array) -> Array:
        """Intercept plus effects of every row for one vector b, shape (n_rows,)."""
        return np.concatenate(self.parts.map(MemoryEngine.linear_predictor, b))

    def redesigned(self, design: Design, terms: Sequence[Sources], once: bool = False) -> PartedEngine:
        """Return an engine over the same rows for another design, of those of its terms with these numbers."""
        parts = self.parts.changed(MemoryEngine.redesigned, design, tuple(terms), once)
        other = self._with(parts, self.weights, design)
        return other.coded(self.codes, self.negatives and self.negatives.redesigned(design, terms, once))

    def reweighted(self, counts: Counts) -> PartedEngine:
        """Return an engine over the same rows in which each counts so many times, shape (n_rows,)."""
        negatives, counts = self._negatives_drawn(counts), counts[: self.n_rows]
        weights = counts.astype(float) if self.weights is None else counts * self.weights
        other = self._with(self.parts.changed(MemoryEngine.reweighted, each=self._cut(counts)), weights, self.design)
        return other.coded(self.codes, negatives)

    @property
    def n_side_by_side(self) -> int:
        """One: its parts are worked on side by side already."""
        return 1

    def pilot(self, design: Design, n_rows: int, rng: np.random.Generator) -> MemoryEngine:
        """Return a smaller engine, in memory, for a first look; see `MemoryEngine.pilot`."""
        rows = pilot_rows(self.positive, n_rows, rng)
        return self._gather(design, np.arange(self.n_rows) if rows is None else rows)

    def encoded_at(self, rows: NDArray[np.intp]) -> tuple[Encoded, ...]:
        """Encoded values of these rows, whose numbers increase, one array per term."""
        return self._gather(self.design, rows).encoded

    def sum_groups(self, values: Array, groups: NDArray[np.integer], n_groups: int) -> Array:
        """Sum values times model columns over the rows of each group."""
        each = list(zip(self._cut(values), self._cut(groups), strict=True))
        found: Array = self.parts.sum(_sum_groups, n_groups, each=each)
        return found

    def sum_products(self, values: Array) -> Array:
        """Sum values times products of model columns over the rows."""
        found: Array = self.parts.sum(MemoryEngine.sum_products, each=self._cut(values))
        return found

    def resampled(self, counts: Counts) -> PartedResampledRows:
        """Return the same rows under B weightings: how often each row counts, shape (B, n_rows)."""
        return PartedResampledRows(self, counts)

    def _sums(self, pi: Array, b: Array, observed: bool) -> Sums:
        c, d = label_frequency(pi, self.n0, self.n1)
        found: Sums = self.parts.sum(MemoryEngine.sums_given, c, d, b, observed)
        return found

    def trace_slopes(self, pi: Array, b: Array, matrix: Array) -> Array:
        """How the trace of a matrix times the expected information in (a, theta) changes."""
        c, d = label_frequency(pi, self.n0, self.n1)
        found: Array = self.parts.sum(MemoryEngine.trace_slopes_given, c, d, b, matrix)
        return found

    def _sum_rows(self, of_block: OfRows, shared: tuple[Any, ...]) -> Any:
        return self.parts.sum(MemoryEngine.sum_coded, of_block, shared, each=self._cut(self.codes))

    def expectation(self, pi: Array, b: Array) -> PointExpectation:
        """E-step: the expected labels of all rows."""
        _, d = label_frequency(pi, self.n0, self.n1)
        return PointExpectation(b, d, self.parts.sum(_hidden_positives, b, d))

    def logistic_sums(self, labels: Expectation, b: Array) -> Sums:
        """Value, score and information of the M-step's logistic likelihood in (a, theta)."""
        assert isinstance(labels, PointExpectation)
        found: Sums = self.parts.sum(_logistic_sums, labels.b, labels.d, b)
        return found

    def _with(self, parts: Parts, weights: Array | None, design: Design) -> PartedEngine:
        return PartedEngine(design, parts, self.positive, weights, np.diff(self._ends, prepend=0).tolist())

    def _cut(self, values: Any) -> list[Any]:
        """Cut what is given for all rows, along the last axis, into what is meant for each part."""
        return np.split(values, self._ends[:-1], axis=-1)

    def _gather(self, design: Design, rows: NDArray[np.intp]) -> MemoryEngine:
        """Bring some rows, whose numbers increase, into memory."""
        starts = self._ends - np.diff(self._ends, prepend=0)
        places = np.split(rows, np.searchsorted(rows, self._ends[:-1]))
        each = [numbers - start for numbers, start in zip(places, starts, strict=True)]
        taken = self.parts.map(MemoryEngine.encoded_at, each=each)
        encoded = [np.concatenate(columns) for columns in zip(*taken, strict=True)]
        threads = count_threads(None, len(rows), 1 + design.n_columns)
        return MemoryEngine(design, encoded, self.positive[rows], self._weights_at(rows), threads)


class PartedResampledRows:
    """The rows of all parts under B weightings; see `protocol.ResampledRows`."""

    def __init__(self, engine: PartedEngine, counts: Counts) -> None:
        self._engine, self._counts = engine, counts
        self.layout = engine.design.layout
        weighted = counts if engine.weights is None else counts * engine.weights
        self.n0 = weighted[:, engine.positive].sum(axis=1, dtype=float)
        self.n1 = weighted[:, ~engine.positive].sum(axis=1, dtype=float)

    def take(self, numbers: NDArray[np.intp]) -> PartedResampledRows:
        """Return the weightings of these numbers only."""
        return PartedResampledRows(self._engine, self._counts[numbers])

    def sums(self, pi: Array, b: Array, observed: bool = False) -> Sums:
        """Value, score and expected (or observed) information of the profile likelihood in (log c, a, theta)."""
        c, d = label_frequency(pi, self.n0, self.n1)
        found: Sums = self._sum(_resampled_sums, c, d, b, observed)
        return found

    def scores(self, pi: Array, b: Array) -> Scores:
        """Value and score alone, which cost much less."""
        c, d = label_frequency(pi, self.n0, self.n1)
        found: Scores = self._sum(_resampled_scores, c, d, b)
        return found

    def hessians(self, information: Array, slope: Array, corner: Array, diagonal: Array) -> MemoryHessians:
        """Make systems of the information."""
        return MemoryHessians.assemble(self.layout, information, slope, corner, diagonal)

    def _sum(self, of_part: OfPart, *shared: Any) -> Any:
        return self._engine.parts.sum(of_part, *shared, each=self._engine._cut(self._counts))


def _sum_groups(part: MemoryEngine, n_groups: int, rows: tuple[Array, NDArray[np.integer]]) -> Array:
    return part.sum_groups(*rows, n_groups)


def _hidden_positives(part: MemoryEngine, b: Array, d: Array) -> Array:
    return part.expectation_given(d, b).hidden_positives


def _logistic_sums(part: MemoryEngine, labels_b: Array, d: Array, b: Array) -> Sums:
    return part.logistic_sums(part.expectation_given(d, labels_b), b)


def _resampled_sums(part: MemoryEngine, c: Array, d: Array, b: Array, observed: bool, counts: Counts) -> Sums:
    return MemoryResampledRows(part, counts).sums_given(c, d, b, observed)


def _resampled_scores(part: MemoryEngine, c: Array, d: Array, b: Array, counts: Counts) -> Scores:
    return MemoryResampledRows(part, counts).scores_given(c, d, b)
