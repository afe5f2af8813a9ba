"""One large fit on a GPU: seconds per Fisher step for rows generated there, and a whole fit against the same in memory.

usage: python benchmarks/gpu.py [ROWS ...]      (default: 1,000,000 10,000,000 100,000,000)
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
import torch
from reporting import write_table

from pugam import PUGAM, s
from pugam.data import read_table
from pugam.engines.device import DeviceRows, choose_device
from pugam.terms import Design

FEATURES, REPEATS = 10, 5
FIT_ROWS = 5_000_000
PI, C = 0.4, np.array([0.6])


def seconds(work: Callable[[], object]) -> float:
    """The best of some runs, the device's work included; the first one warms up."""
    best = np.inf
    for _ in range(REPEATS + 1):
        torch.cuda.synchronize()
        start = time.perf_counter()
        work()
        torch.cuda.synchronize()
        best = min(best, time.perf_counter() - start)
    return float(best)


def bandwidth(device: torch.device) -> float:
    """Bytes read and written per second by a copy within the device."""
    cells = torch.empty(2**30, dtype=torch.float64, device=device)
    other = torch.empty_like(cells)
    return 2 * 8 * len(cells) / seconds(lambda: other.copy_(cells))


def multiplications(device: torch.device, q: int) -> float:
    """Multiplications with addition per second, in double precision, of a product as tall as a block of rows."""
    X = torch.rand((2**21, q), dtype=torch.float64, device=device)
    return float(X.shape[0]) * q * q / seconds(lambda: X.T @ X)


def step(device: torch.device, n_rows: int) -> list[object]:
    unit = read_table(np.tile([[0.0], [1.0]], (10, FEATURES)) + np.linspace(0.0, 1e-9, 20)[:, None])
    design = Design.resolve([s(f"x{j}") for j in range(FEATURES)], unit)
    places = torch.rand((FEATURES, n_rows), dtype=torch.float64, device=device)
    positive = torch.rand(n_rows, device=device) < 0.3
    rows = DeviceRows(design, places, places.new_empty((n_rows, 0)), positive)
    b = np.random.default_rng(0).normal(size=(1, 1 + design.n_columns)) * 0.1
    took = seconds(lambda: rows.sums(C, 1.0 - C, b, observed=False))
    q = 1 + design.n_columns
    reading, products = 8 * n_rows * FEATURES / bandwidth(device), n_rows * q * q / multiplications(device, q)
    columns = 8 * n_rows * q / bandwidth(device)
    return [n_rows, took, reading, columns, products, took / (2 * columns + products)]


def simulated(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Ten normal features, of which positives have larger ones."""
    rng = np.random.default_rng(1)
    labelled = rng.random(n_rows) < 0.3
    positive = labelled | (rng.random(n_rows) < PI)
    X = np.asfortranarray(rng.normal(size=(n_rows, FEATURES)))
    X += np.linspace(0.8, 0.0, FEATURES) * positive[:, None]
    return X, labelled.astype(int)


def fits() -> list[list[object]]:
    X, z = simulated(FIT_ROWS)
    found = {}
    for engine in ("memory", "gpu"):
        times = []
        for _ in range(2):
            start = time.perf_counter()
            model = PUGAM(engine=engine).fit(X, z)
            times.append(time.perf_counter() - start)
        found[engine] = (times[0], times[1], model.pi_)
    pi = found["memory"][2]
    return [[engine, first, second, abs(own - pi)] for engine, (first, second, own) in found.items()]


def main(sizes: list[int]) -> None:
    device = choose_device()
    name = torch.cuda.get_device_name(device)
    steps = [step(device, n_rows) for n_rows in sizes]
    write_table(
        "gpu_step",
        f"One Fisher step (value, score and information) of {FEATURES} smooth terms on a GPU, rows generated there",
        ["rows", "seconds", "reading the values", "writing the columns", "products at full speed", "times the sum"],
        steps,
        f"{name}. Copies within the device move {bandwidth(device) / 1e12:.1f} TB a second; in seconds: what it takes "
        "to read the ten values of every row, to write the 91 model columns once, and to multiply them at the speed of "
        "a plain product. The last column divides by writing the columns, reading them and multiplying them: the least "
        "that a step can take that makes model columns at all.",
    )
    write_table(
        "gpu_fit",
        f"A whole default fit, {FIT_ROWS:,} rows x {FEATURES} smooth features",
        ["engine", "first fit, s", "second fit, s", "pi: difference from memory"],
        fits(),
        f"{name}; in memory on the CPU beside it ({os.cpu_count()} cores"
        + (")." if find_spec("numba") else ", without numba: by BLAS, and so slower than it could be)."),
    )


if __name__ == "__main__":
    main([int(float(word)) for word in sys.argv[1:]] or [1_000_000, 10_000_000, 100_000_000])
