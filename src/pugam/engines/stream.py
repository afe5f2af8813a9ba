"""Parts of a file: read, summed by several threads and forgotten, unless they fit into the memory meant for them."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial, reduce
from operator import add
from typing import Any

from pugam.engines.memory import MemoryEngine
from pugam.engines.parted import OfPart

__all__ = ["KEPT_BYTES", "StreamedParts", "in_order"]

Make = Callable[[], MemoryEngine]  # makes the engine of a part that was fetched: work for a thread of its own

KEPT_BYTES = 2**30  # parts are kept in memory up to this size; others are read anew in each pass
FETCHED_AHEAD = 2  # parts for every thread


class StreamedParts:
    """Engines of the parts of a file; see `parted.Parts`.

    Parameters
    ----------
    fetch : callable
        Gives, part by part, a function that makes its engine. Called in every pass that needs the file.
    n_threads : int
    kept_bytes : int
    """

    name = "stream"

    def __init__(self, fetch: Callable[[], Iterator[Make]], n_threads: int, kept_bytes: int = KEPT_BYTES) -> None:
        self.n_threads = n_threads
        self._fetch, self._kept_bytes, self._room = fetch, kept_bytes, kept_bytes
        self._kept: dict[int, MemoryEngine] = {}
        self._all_kept = False
        self._lock = threading.Lock()

    def map(self, of_part: OfPart, *shared: Any, each: Sequence[Any] | None = None) -> list[Any]:
        """Apply a function to every part; results come in the order of the parts."""
        return list(self._results(of_part, shared, each))

    def sum(self, of_part: OfPart, *shared: Any, each: Sequence[Any] | None = None) -> Any:
        """Apply a function to every part and add up the results, in the order of the parts."""
        return reduce(add, self._results(of_part, shared, each))

    def changed(self, of_part: OfPart, *shared: Any, each: Sequence[Any] | None = None) -> StreamedParts:
        """Return other parts, into which a function turns each of these."""

        def fetch() -> Iterator[Make]:
            for number, make in enumerate(self._makers()):
                yield partial(_apply, of_part, make, shared, _own(each, number))

        return StreamedParts(fetch, self.n_threads, self._kept_bytes if self._all_kept else 0)

    def _results(self, of_part: OfPart, shared: Sequence[Any], each: Sequence[Any] | None) -> Iterator[Any]:
        n_parts = 0
        jobs = (
            partial(_apply, of_part, make, shared, _own(each, number)) for number, make in enumerate(self._makers())
        )
        for result in in_order(jobs, self.n_threads):
            n_parts += 1
            yield result
        self._all_kept = len(self._kept) == n_parts

    def _makers(self) -> Iterator[Make]:
        if self._all_kept:
            yield from (partial(self._kept.__getitem__, number) for number in range(len(self._kept)))
            return
        for number, make in enumerate(self._fetch()):
            yield partial(self._make, number, make)

    def _make(self, number: int, make: Make) -> MemoryEngine:
        if number in self._kept:
            return self._kept[number]
        engine = make()
        with self._lock:
            if number not in self._kept and engine.n_bytes <= self._room:
                self._room -= engine.n_bytes
                self._kept[number] = engine
        return engine


def in_order(jobs: Iterable[Callable[[], Any]], n_threads: int) -> Iterator[Any]:
    """Do jobs in threads; results come in order, and only a few jobs are fetched before the first is done."""
    waiting: deque[Future[Any]] = deque()
    with ThreadPoolExecutor(n_threads) as pool:
        try:
            for job in jobs:
                waiting.append(pool.submit(job))
                while len(waiting) > FETCHED_AHEAD * n_threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _apply(of_part: OfPart, make: Make, shared: Sequence[Any], own: Sequence[Any]) -> Any:
    return of_part(make(), *shared, *own)


def _own(each: Sequence[Any] | None, number: int) -> tuple[Any, ...]:
    return () if each is None else (each[number],)
