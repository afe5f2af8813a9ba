"""How many threads a fit may use: one for BLAS always, several for blocks of rows when there are many."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import joblib
from threadpoolctl import ThreadpoolController

__all__ = ["count_threads", "one_blas_thread"]

SMALL_CELLS = 5_000_000  # model cells below which handing work to threads costs more than it saves


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep BLAS to one thread.

    Threads of BLAS wait for each other by spinning: on small matrices, with another process on the machine, that
    was seen to slow a fit down fifty-fold. Blocks of rows are handed to threads of our own instead, whose
    number does not change the order of summation and so not the result.
    """
    with _controller().limit(limits=1, user_api="blas"):
        yield


def count_threads(n_jobs: int | None, n_cells: int) -> int:
    """Return the number of threads for a design of so many cells; None means one if small, else the cores there are."""
    if n_jobs is not None:
        return max(1, int(joblib.effective_n_jobs(n_jobs)))
    if n_cells < SMALL_CELLS:
        return 1
    allowed = os.environ.get("OMP_NUM_THREADS", "")
    cores = int(joblib.cpu_count())
    return min(cores, int(allowed)) if allowed.isdigit() and int(allowed) > 0 else cores
