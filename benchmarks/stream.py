"""A whole fit from a Parquet file on two cores: against reading and summing it, how it grows, and its peak memory.

usage: python benchmarks/stream.py [ROWS ...]      (default: 100,000 1,000,000 10,000,000)
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from large_data import FEATURES, write_rows
from reporting import write_table

REPEATS = 3
READ = """
import sys, time, numpy as np, pyarrow.parquet as pq
start = time.perf_counter()
table = pq.read_table(sys.argv[1], columns=sys.argv[2].split(","))
sums = [np.sum(column.to_numpy()) for column in table.columns]
print(time.perf_counter() - start)
"""
READ_BATCHES = """
import sys, time, numpy as np, pyarrow.parquet as pq
start = time.perf_counter()
sums = 0.0
for batch in pq.ParquetFile(sys.argv[1]).iter_batches(131072, columns=sys.argv[2].split(",")):
    sums = sums + np.array([np.sum(column.to_numpy()) for column in batch.columns])
print(time.perf_counter() - start)
"""
# Labels, ranges, starts, smoothing, bias correction, the interval; imports apart, as for pyarrow above.
FIT = """
import resource, sys, time
from pugam import PUGAM
from pugam.engines import FileRows, kernels
from pugam.files import open_file
path, names, kept = sys.argv[1], sys.argv[2].split(","), int(sys.argv[3])
start = time.perf_counter()
rows = FileRows(open_file(path), "z", None, names[:-1], n_threads=2, kept_bytes=kept)
model = PUGAM(check=False).fit(rows)
interval = model.pi_interval()
assert interval.lower < interval.upper
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def run(code: str, *arguments: object) -> list[float]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return [float(word) for word in subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()]


def measure(path: Path, n_rows: int) -> list[list[object]]:
    write_rows(path, n_rows)
    names = ",".join([*FEATURES, "z"])
    rounds = []
    for _ in range(REPEATS):
        whole, batches = run(READ, path, names)[0], run(READ_BATCHES, path, names)[0]
        rounds.append([whole, batches, *run(FIT, path, names, 2**30), *run(FIT, path, names, 0)])
    path.unlink()
    best = np.min(rounds, axis=0)
    whole, batches, kept, kept_peak, streamed, streamed_peak = best
    return [
        [f"{n_rows:,}", how, seconds, seconds / n_rows * 1e6, seconds / whole, seconds / batches, peak]
        for how, seconds, peak in (("1 GiB", kept, kept_peak), ("nothing", streamed, streamed_peak))
    ] + [[f"{n_rows:,}", "(reading alone)", whole, whole / n_rows * 1e6, 1.0, whole / batches, ""]]


def main(sizes: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        rows = [row for n_rows in sizes for row in measure(Path(folder, "rows.parquet"), n_rows)]
    write_table(
        "stream",
        "A whole fit of ten smooth features from a Parquet file, two threads",
        ["rows", "kept in memory", "seconds", "microseconds a row", "times reading at once", "in batches", "peak, MiB"],
        rows,
        f"Best of {REPEATS}, each in a process of its own, imports and the compilation of kernels (once on a machine) "
        "apart. Reading: pyarrow reads the same columns, at once or in batches, and NumPy sums them. Targets: 20 times "
        "reading, 2000 MiB.",
    )


if __name__ == "__main__":
    main([int(float(word)) for word in sys.argv[1:]] or [100_000, 1_000_000, 10_000_000])
