"""The information matrix by moments within intervals against BLAS on columns written out, and how far from the limits.

usage: python benchmarks/kernel.py [ROWS]      (default: 1,000,000)
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from reporting import best_time, write_table
from threadpoolctl import threadpool_limits

from pugam import s
from pugam.data import read_table
from pugam.engines import MemoryEngine
from pugam.engines.local import LocalColumns, Workspace
from pugam.engines.memory import LOCAL_BLOCK_ROWS
from pugam.terms import Design

TERMS, REPEATS, CHUNK = 10, 3, 10_000
MOMENTS = 16
HEADER = [
    "k",
    "threads",
    "BLAS, s",
    "by moments, s",
    "times as fast",
    "whole Fisher step, s",
    "GFLOP/s of BLAS",
    "GFLOP/s by moments",
    "stores, GB/s",
    "values read, GB/s",
]


def dense(X: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Chunks small enough for the cache; BLAS shares each among its threads."""
    total = np.zeros((X.shape[1], X.shape[1]))
    for start in range(0, len(X), CHUNK):
        some = X[start : start + CHUNK]
        total += some.T @ (w[start : start + CHUNK, None] * some)
    return total


def local(design: Design, encoded: tuple, w: np.ndarray, threads: int) -> np.ndarray:
    """From the values themselves: the columns are never made."""
    ends = np.linspace(0, len(w), threads + 1).astype(int)

    def of_range(number: int) -> np.ndarray:
        workspace, q = Workspace(design, LOCAL_BLOCK_ROWS), 1 + design.n_columns
        total, gram = np.zeros((q, q)), np.empty((1, q, q))
        for start in range(ends[number], ends[number + 1], LOCAL_BLOCK_ROWS):
            rows = slice(start, min(start + LOCAL_BLOCK_ROWS, ends[number + 1]))
            LocalColumns(design, [values[rows] for values in encoded], workspace).grams(w[None, rows], gram)
            total += gram[0]
        return total

    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(of_range, range(threads)))


def measure(n_rows: int, k: int, threads: int) -> list[object]:
    rng = np.random.default_rng(0)
    table = read_table(np.asfortranarray(rng.random((n_rows, TERMS))))
    design = Design.resolve([s(f"x{j}", k=k) for j in range(TERMS)], table)
    encoded, w = design.encode(table), rng.random(n_rows)
    X = design.matrix(encoded)
    assert np.allclose(dense(X, w), local(design, encoded, w, threads), rtol=1e-9, atol=1e-9 * n_rows)
    with threadpool_limits(threads, user_api="blas"):
        by_blas = best_time(lambda: dense(X, w), REPEATS)
    by_moments = best_time(lambda: local(design, encoded, w, threads), REPEATS)
    engine = MemoryEngine(design, encoded, rng.random(n_rows) < 0.3, n_threads=threads, local=True)
    points = iter(rng.normal(size=(REPEATS, 1, X.shape[1])) * 0.1)  # the sums of a point are remembered
    with threadpool_limits(1, user_api="blas"):
        step = best_time(lambda: engine.sums(np.array([0.4]), next(points)), REPEATS)
    pairs = TERMS * (TERMS + 1) // 2
    flops, stored = 2.0 * n_rows * pairs * MOMENTS, 8.0 * n_rows * pairs * MOMENTS
    multiplied, read = 2.0 * n_rows * X.shape[1] ** 2, 8.0 * n_rows * TERMS
    rates = [work / 1e9 for work in (multiplied / by_blas, *(each / by_moments for each in (flops, stored, read)))]
    return [k, threads, by_blas, by_moments, by_blas / by_moments, step, *rates]


def copied(n_cells: int = 2**26) -> float:
    """Bytes per second that one thread reads and writes."""
    cells = np.ones(n_cells)
    other = np.empty_like(cells)
    return 16.0 * n_cells / best_time(lambda: np.copyto(other, cells), REPEATS)


def main(n_rows: int) -> None:
    local_rows = [measure(n_rows, k, threads) for k in (10, 20) for threads in (1, 2)]
    write_table(
        "kernel",
        f"Weighted products of all pairs of model columns, {n_rows:,} rows x {TERMS} smooth terms of k functions",
        HEADER,
        local_rows,
        f"BLAS is given the columns, written out; moments are made from the values. A row adds to {MOMENTS} moments "
        f"for each of {TERMS * (TERMS + 1) // 2} pairs of terms: {2 * 16 * 55} floating-point operations and "
        f"{8 * 16 * 55} bytes loaded and stored in the first-level cache, against (10 (k - 1) + 1)^2 multiplications "
        f"and additions of columns written out. One thread copies {copied() / 1e9:.0f} GB/s of main memory, of which "
        "the values are a small part: not memory is the limit, nor arithmetic (BLAS shows what that can be), but the "
        "cache, which every multiplication reads and writes. Target: 5 times as fast as BLAS at k = 20.",
    )


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000)
