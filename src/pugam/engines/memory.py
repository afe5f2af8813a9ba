"""The engine for tables that fit in memory: blocks of rows, summed by one or more threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial, reduce
from itertools import pairwise
from operator import add
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from pugam.engines.counted import CountedRows
from pugam.engines.hessians import MemoryHessians
from pugam.engines.local import MANY_ROWS, Workspace, is_local_faster, local_columns
from pugam.engines.pilots import pilot_rows
from pugam.engines.protocol import Counts, Expectation, OfRows, Sources
from pugam.engines.threads import map_in_threads
from pugam.likelihood import (
    Columns,
    DenseColumns,
    Scores,
    ShiftedColumns,
    Sums,
    label_block,
    label_frequency,
    logistic_sums,
    products_of_columns,
    saturating_sums,
    score_sums,
    trace_slopes,
)
from pugam.terms import Design, Encoded

__all__ = ["MemoryEngine", "MemoryResampledRows"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Result = TypeVar("Result")

BLOCK_CELLS = 300_000  # model cells of a block: what a block costs of itself is little then
MIN_BLOCK_ROWS = 1024
ONCE_BLOCK_ROWS = 8192  # where evaluating columns, not multiplying them, is the work
LOCAL_BLOCK_ROWS = 32_768  # where columns are not written out, blocks are larger: what a block costs of itself is more
SMALL_WORK = 100_000_000  # products of cells, or cells, for which no thread is started
GROUPS = 16  # the rows are always cut into so many groups, whatever the number of threads
CACHE_BYTES = 128 * 2**20  # model columns are kept up to this size and evaluated anew beyond it
PLACE_BYTES = 12  # of a value: its interval, and where it lies within
PRODUCT_BYTES = 96 * 2**20  # so are products of columns, which serve many parameter vectors at once


@dataclass(frozen=True, eq=False)
class Block:
    """Consecutive rows with their model columns."""

    rows: slice
    X: Columns
    positive: Flags
    weights: Array | None


@dataclass(frozen=True, eq=False)
class MemoryExpectation:
    """Expected labels as one array of shape (B, n)."""

    labels: Array
    hidden_positives: Array


class MemoryEngine(CountedRows):
    """Sums over rows kept in memory.

    The partition into groups and the order of summation are fixed, and BLAS is expected to run on one thread,
    so the result does not depend on the number of threads.

    Parameters
    ----------
    design : Design
    encoded : sequence of arrays
        One array per term, as made by `Design.encode`.
    positive : bool array
        True where z = 1.
    weights : array, optional
        Positive row weights.
    n_threads : int
    local : bool, optional
        Whether to sum by moments; None stands for what is faster for so many rows.
    once : bool
        Whether the rows are gone over only once, so that keeping model columns costs more than it saves.
    """

    name = "memory"

    def __init__(
        self,
        design: Design,
        encoded: Sequence[Encoded],
        positive: Flags,
        weights: Array | None = None,
        n_threads: int = 1,
        local: bool | None = None,
        once: bool = False,
    ) -> None:
        super().__init__(design, positive, weights)
        self.encoded = tuple(encoded)
        self.n_threads = n_threads
        self._is_part = local is not None
        self._local = is_local_faster(design, len(positive)) if local is None else local
        width = 1 + design.n_columns
        dense_rows = max(ONCE_BLOCK_ROWS if once else MIN_BLOCK_ROWS, BLOCK_CELLS // width)
        self._block_rows = LOCAL_BLOCK_ROWS if self._local else dense_rows
        n_cells = len(positive) * width
        self._matrix: Array | None = None
        if 8 * n_cells <= CACHE_BYTES and not self._local and not once:
            self._matrix = self._evaluate_all()
        self._products: dict[tuple[int, int], Array] = {}  # by a block's first row and the one after its last
        self._places: Workspace | None = None  # of all rows, within the terms that are summed by moments
        if self._local and not self._is_part and not once and self._bytes_of_places <= CACHE_BYTES:
            self._places = Workspace.empty(design, len(positive))
        self._located: set[tuple[int, int]] = set()  # blocks, by their first row and the one after the last
        # Of a part of many rows nothing more is kept than the rows themselves.
        n_products = n_cells * (width + 1) // 2
        self._keeps_products = not self._is_part and 8 * n_products <= PRODUCT_BYTES

    @property
    def n_bytes(self) -> int:
        """How much memory the rows take."""
        arrays = [*self.encoded, self.positive, self.weights, self._matrix]
        of_places = 0 if self._places is None else self._bytes_of_places
        return sum(array.nbytes for array in arrays if array is not None) + of_places

    @property
    def _bytes_of_places(self) -> int:
        return PLACE_BYTES * len(self.design.local_terms) * len(self.positive)

    def linear_predictor(self, b: Array) -> Array:
        """Intercept plus effects of every row for one vector b, shape (n_rows,)."""
        return np.concatenate([block.X.predict(b[None])[0] for block in self.blocks(0, self.n_rows)])

    def redesigned(self, design: Design, terms: Sequence[Sources], once: bool = False) -> MemoryEngine:
        """Return an engine over the same rows for another design, of those of its terms with these numbers."""
        encoded = self._encoded_for(terms)
        # What is a part of many rows stays one.
        local = self._local and is_local_faster(design, MANY_ROWS) if self._is_part else None
        other = MemoryEngine(design, encoded, self.positive, self.weights, self.n_threads, local, once)
        return other.coded(self.codes, self.negatives and self.negatives.redesigned(design, terms, once))

    def _encoded_for(self, terms: Sequence[Sources]) -> list[Encoded]:
        """Encoded values of terms of another design: those of one of ours, or of several of one column each."""
        return [self.encoded[one] if isinstance(one, int) else self._side_by_side(one) for one in terms]

    def _side_by_side(self, terms: Sequence[int]) -> NDArray[np.float64]:
        return np.column_stack([self.encoded[number] for number in terms]).astype(np.float64)

    def reweighted(self, counts: Counts) -> MemoryEngine:
        """Return an engine over the same rows in which each counts so many times, shape (n_rows,)."""
        other = copy(self)  # shares the model columns
        other.n_threads = 1  # several such engines are worked on side by side
        other.negatives, counts = self._negatives_drawn(counts), counts[: self.n_rows]
        other._weigh(counts.astype(float) if self.weights is None else counts * self.weights)
        return other

    @property
    def n_side_by_side(self) -> int:
        """One reweighted engine for each thread."""
        return self.n_threads

    def resampled(self, counts: Counts) -> MemoryResampledRows:
        """Return the same rows under B weightings: how often each row counts, shape (B, n_rows)."""
        return MemoryResampledRows(self, counts)

    def _sums(self, pi: Array, b: Array, observed: bool) -> Sums:
        return self.sums_given(*label_frequency(pi, self.n0, self.n1), b, observed)

    def sums_given(self, c: Array, d: Array, b: Array, observed: bool) -> Sums:
        """The same for given label frequencies and their complements: those of more rows than there are here."""
        work = self.n_rows * b.shape[0] * b.shape[1] ** 2
        return self._sum(lambda block: saturating_sums(block.X, block.positive, block.weights, b, c, d, observed), work)

    def trace_slopes(self, pi: Array, b: Array, matrix: Array) -> Array:
        """How the trace of a matrix times the expected information in (a, theta) changes."""
        return self.trace_slopes_given(*label_frequency(pi, self.n0, self.n1), b, matrix)

    def trace_slopes_given(self, c: Array, d: Array, b: Array, matrix: Array) -> Array:
        """The same for a given label frequency and its complement."""
        work = self.n_rows * b.shape[1] ** 2
        return self._sum(lambda block: trace_slopes(block.X, block.weights, b, c, d, matrix), work)

    def _sum_rows(self, of_block: OfRows, shared: tuple[Any, ...]) -> Any:
        assert self.codes is not None
        return self.sum_coded(of_block, shared, self.codes)

    def sum_coded(self, of_block: OfRows, shared: tuple[Any, ...], codes: NDArray[np.int32]) -> Any:
        """The same for rows whose codes are given."""
        work = self.n_rows * (1 + self.design.n_columns) ** 2
        return self._sum(lambda block: of_block(block.X, codes[block.rows], block.weights, *shared), work)

    def expectation(self, pi: Array, b: Array) -> MemoryExpectation:
        """E-step: the expected labels of all rows."""
        return self.expectation_given(label_frequency(pi, self.n0, self.n1)[1], b)

    def expectation_given(self, d: Array, b: Array) -> MemoryExpectation:
        """The same for given complements of the label frequency."""
        labels = np.empty((len(b), self.n_rows))

        def fill(block: Block) -> Array:
            y = label_block(block.X, block.positive, b, d)
            labels[:, block.rows] = y
            share = ~block.positive if block.weights is None else ~block.positive * block.weights
            return np.asarray(y @ share)

        return MemoryExpectation(labels, self._sum(fill))

    def logistic_sums(self, labels: Expectation, b: Array) -> Sums:
        """Value, score and information of the M-step's logistic likelihood in (a, theta)."""
        assert isinstance(labels, MemoryExpectation)
        y = labels.labels
        return self._sum(lambda block: logistic_sums(block.X, y[:, block.rows], block.weights, b))

    def pilot(self, design: Design, n_rows: int, rng: np.random.Generator) -> MemoryEngine:
        """Return a smaller engine for a first look: another design of the same terms, on about `n_rows` rows."""
        rows = pilot_rows(self.positive, n_rows, rng)
        if rows is None:
            return self if design is self.design else self.redesigned(design, range(len(self.encoded)))
        return MemoryEngine(design, self.encoded_at(rows), self.positive[rows], self._weights_at(rows), self.n_threads)

    def encoded_at(self, rows: NDArray[np.intp]) -> tuple[Encoded, ...]:
        """Encoded values of these rows, one array per term."""
        return tuple(values[rows] for values in self.encoded)

    def sum_groups(self, values: Array, groups: NDArray[np.integer], n_groups: int) -> Array:
        """Sum values times model columns over the rows of each group."""
        if n_groups == 1:
            return self._sum(lambda block: block.X.project(values[:, block.rows]))[:, None]
        found = np.zeros((len(values), n_groups, 1 + self.design.n_columns))
        for rows, matrix in self.design.matrices(self.encoded):
            present, places = np.unique(groups[rows], return_inverse=True)
            each = np.arange(len(places))
            for sums, value in zip(found, values, strict=True):
                sums[present] += csr_array((value[rows], (places, each)), (len(present), len(each))) @ matrix
        return found

    def sum_products(self, values: Array) -> Array:
        """Sum values times products of model columns over the rows."""
        width = 1 + self.design.n_columns

        def of_block(block: Block) -> Array:
            sums = np.empty((1, width, width))
            block.X.grams(values[None, block.rows], sums)
            return np.asarray(sums[0])

        return self._sum(of_block, self.n_rows * width**2)

    def _evaluate_all(self) -> Array:
        matrix = np.empty((1 + self.design.n_columns, self.n_rows)).T  # by columns: weighting rows is faster

        def of_group(group: slice) -> None:
            for rows in _evenly(group.start, group.stop, self._block_rows):
                self.design.matrix([values[rows] for values in self.encoded], out=matrix[rows])

        self._map_groups(of_group)
        return matrix

    def _sum(self, of_block: Callable[[Block], Result], work: int = 0) -> Result:
        """Sum over all blocks; `work` is how many products of cells that takes, if it is mostly such products."""

        def of_group(group: slice) -> Result:
            return reduce(add, map(of_block, self.blocks(group.start, group.stop)))

        return reduce(add, self._map_groups(of_group, work))

    def _map_groups(self, of_group: Callable[[slice], Result], work: int = 0) -> list[Result]:
        groups = self._groups()
        small = max(work, self.n_rows * (1 + self.design.n_columns)) < SMALL_WORK
        return map_in_threads(of_group, groups, 1 if small else min(self.n_threads, len(groups)))

    def _groups(self) -> list[slice]:
        return _evenly(0, self.n_rows, max(self._block_rows, -(-self.n_rows // GROUPS)))

    def blocks(self, start: int, stop: int) -> Iterator[Block]:
        """Yield the rows from start to stop, block by block; a block is valid until the next is asked for."""
        parts = _evenly(start, stop, self._block_rows)
        workspace = self._workspace(parts)
        for rows in parts:
            weights = None if self.weights is None else self.weights[rows]
            yield Block(rows, self._columns(rows, workspace), self.positive[rows], weights)

    def _workspace(self, parts: list[slice]) -> Workspace | None:
        """Room for one block after the other, unless the places of all rows are kept."""
        if not self._local or self._places is not None:
            return self._places
        return Workspace.empty(self.design, max(rows.stop - rows.start for rows in parts))

    def _columns(self, rows: slice, workspace: Workspace | None) -> Columns:
        encoded = [values[rows] for values in self.encoded]
        columns = self._estimated_columns(encoded, rows, workspace)
        known = self.design.known(encoded)
        return columns if known is None else ShiftedColumns(columns, known)

    def _estimated_columns(self, encoded: Sequence[Encoded], rows: slice, workspace: Workspace | None) -> Columns:
        if workspace is not None:
            return self._local_columns(encoded, rows, workspace)
        X = self.design.matrix(encoded) if self._matrix is None else self._matrix[rows]
        return DenseColumns(X, partial(self._products_of, (rows.start, rows.stop)))

    def _local_columns(self, encoded: Sequence[Encoded], rows: slice, workspace: Workspace) -> Columns:
        """Columns that are not written out; where the places of all rows are kept, each block is located once."""
        if workspace is not self._places:
            return local_columns(self.design, encoded, workspace)
        block = (rows.start, rows.stop)
        columns = local_columns(self.design, encoded, workspace.part(rows, block in self._located))
        self._located.add(block)
        return columns

    def _products_of(self, block: tuple[int, int], X: Array) -> Array:
        """Products of a block's columns, kept where all of them take little memory."""
        if not self._keeps_products:
            return products_of_columns(X)
        if block not in self._products:
            self._products[block] = products_of_columns(X)
        return self._products[block]


class MemoryResampledRows:
    """An engine's rows under B weightings; sums are taken by the calling thread, so batches can share the cores."""

    def __init__(self, engine: MemoryEngine, counts: Counts) -> None:
        self._engine, self._counts = engine, counts
        self.layout = engine.design.layout
        weighted = counts if engine.weights is None else counts * engine.weights
        self.n0 = weighted[:, engine.positive].sum(axis=1, dtype=float)
        self.n1 = weighted[:, ~engine.positive].sum(axis=1, dtype=float)

    def take(self, numbers: NDArray[np.intp]) -> MemoryResampledRows:
        """Return the weightings of these numbers only."""
        return MemoryResampledRows(self._engine, self._counts[numbers])

    def sums(self, pi: Array, b: Array, observed: bool = False) -> Sums:
        """Value, score and expected (or observed) information of the profile likelihood in (log c, a, theta)."""
        return self.sums_given(*self._label_frequency(pi), b, observed)

    def sums_given(self, c: Array, d: Array, b: Array, observed: bool) -> Sums:
        """The same for given label frequencies and their complements."""
        return self._sum(lambda block, w: saturating_sums(block.X, block.positive, w, b, c, d, observed))

    def scores(self, pi: Array, b: Array) -> Scores:
        """Value and score alone, which cost much less."""
        return self.scores_given(*label_frequency(pi, self.n0, self.n1), b)

    def scores_given(self, c: Array, d: Array, b: Array) -> Scores:
        """The same for given label frequencies and their complements."""
        return self._sum(lambda block, w: score_sums(block.X, block.positive, w, b, c, d))

    def hessians(self, information: Array, slope: Array, corner: Array, diagonal: Array) -> MemoryHessians:
        """Make systems of the information."""
        return MemoryHessians.assemble(self.layout, information, slope, corner, diagonal)

    def _label_frequency(self, pi: Array) -> tuple[Array, Array]:
        if len(pi) == 1 and np.ptp(self.n0) == np.ptp(self.n1) == 0.0:
            return label_frequency(pi, self.n0[:1], self.n1[:1])  # the rows' likelihood is then evaluated once for all
        return label_frequency(pi, self.n0, self.n1)

    def _sum(self, of_block: Callable[[Block, Array], Result]) -> Result:
        def weighted(block: Block) -> Result:
            counts = self._counts[:, block.rows].astype(float)
            return of_block(block, counts if block.weights is None else counts * block.weights)

        return reduce(add, map(weighted, self._engine.blocks(0, self._engine.n_rows)))


def _evenly(start: int, stop: int, size: int) -> list[slice]:
    """Cut rows into parts of much the same size, near the one given: a small rest costs as much as a whole part."""
    parts = max(1, round((stop - start) / size))
    limits = [start + (stop - start) * number // parts for number in range(parts + 1)]
    return [slice(*ends) for ends in pairwise(limits)]
