"""How many threads a fit may use: one for BLAS always, several for blocks of rows when there are many."""

from __future__ import annotations

import math
import os
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import joblib
from threadpoolctl import OpenBLASController, ThreadpoolController

__all__ = ["count_threads", "map_in_threads", "one_blas_thread"]

Item = TypeVar("Item")
Result = TypeVar("Result")

# Model cells, and multiplications of their products, below which handing work to threads costs more than it saves.
SMALL_CELLS, SMALL_PRODUCTS = 5_000_000, 100_000_000


class _OneBlasThread:
    """Keeps BLAS to one thread while anybody is inside; BLAS is the process's, so entries are counted."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._controller: ThreadpoolController | None = None
        self._limiter: Any = None

    def __enter__(self) -> None:
        with self._lock:
            self._controller = self._controller or ThreadpoolController()
            limiter = self._controller.limit(limits=1, user_api="blas")
            if self._inside == 0:
                self._limiter = limiter
            self._inside += 1

    def __exit__(self, *exception: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._limiter.restore_original_limits()
            _release_control()


def _release_control() -> None:
    """Let another thread set the limit: newer threadpoolctl ties it to the thread that set it first."""
    release = getattr(OpenBLASController, "clear_controlling_thread", None)
    if release is not None:
        release()


_ONE_BLAS_THREAD = _OneBlasThread()


def one_blas_thread() -> _OneBlasThread:
    """Return a context in which BLAS keeps to one thread.

    Threads of BLAS wait for each other by spinning: on small matrices, with another process on the machine, that
    was seen to slow a fit down fifty-fold. Blocks of rows are handed to threads of our own instead, whose
    number does not change the order of summation and so not the result.
    """
    return _ONE_BLAS_THREAD


def map_in_threads(function: Callable[[Item], Result], items: Iterable[Item], n_threads: int) -> list[Result]:
    """Apply a function to each item, by several threads if there are to be several; results in the items' order."""
    if n_threads == 1:
        return list(map(function, items))
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(function, items))


def count_threads(n_jobs: int | None, n_rows: float = math.inf, n_columns: int = 1) -> int:
    """Return the number of threads for so many rows and columns; None means one if few, else the cores there are.

    Work that others already share out, as a grid search does, gets no more than its part of the cores.
    """
    if n_jobs is None and n_rows * n_columns < SMALL_CELLS and n_rows * n_columns**2 < SMALL_PRODUCTS:
        return 1
    allowed = os.environ.get("OMP_NUM_THREADS", "")  # set by joblib and Dask for those who work for them
    most = int(allowed) if allowed.isdigit() and int(allowed) > 0 else None
    if _is_shared_out():
        most = most or 1
    elif n_jobs is not None:
        most = None
    wanted = int(joblib.cpu_count() if n_jobs is None else joblib.effective_n_jobs(n_jobs))
    return max(1, wanted if most is None else min(wanted, most))


def _is_shared_out() -> bool:
    """Whether this is one of several pieces of work that joblib or Dask have going at the same time."""
    backend, _ = joblib.parallel.get_active_backend()
    if backend.nesting_level:
        return True
    distributed = sys.modules.get("distributed")
    try:
        return distributed is not None and distributed.get_worker() is not None
    except ValueError:
        return False
