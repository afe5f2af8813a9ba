"""`pugam predict` from Parquet to Parquet: speed against pyarrow alone, and peak memory; each in a process of its own.

usage: python benchmarks/predict.py [ROWS]      (default: 5,000,000)
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from reporting import write_table

from pugam import PUGAM
from pugam.datasets import simulate

ROWS_PER_PIECE = 500_000
REPEATS = 3
# Reads all columns of the one file and writes all columns of the other, some at a time or all at once.
STREAM = """
import sys, time, pyarrow.parquet as pq
source, scored, out = sys.argv[1:]
start = time.perf_counter()
for batch in pq.ParquetFile(source).iter_batches(65536):
    pass
read = time.perf_counter() - start
table = pq.read_table(scored)
start = time.perf_counter()
with pq.ParquetWriter(out, table.schema) as writer:
    for piece in range(0, len(table), 1048576):
        writer.write_table(table.slice(piece, 1048576), row_group_size=1048576)
print(read + time.perf_counter() - start)
"""
WHOLE = """
import sys, time, pyarrow.parquet as pq
source, scored, out = sys.argv[1:]
start = time.perf_counter()
pq.read_table(source)
read = time.perf_counter() - start
table = pq.read_table(scored)
start = time.perf_counter()
pq.write_table(table, out)
print(read + time.perf_counter() - start)
"""
# The work alone and the whole process with its imports; peak memory as the operating system saw it.
PREDICT = """
import resource, sys, time
start = time.perf_counter()
from pugam.command_line import main
import pugam.estimator
imported = time.perf_counter() - start
sys.argv = ["pugam", "predict", *sys.argv[1:], "--quiet"]
start = time.perf_counter()
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print(time.perf_counter() - start, imported, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def write_source(path: Path, n_rows: int) -> None:
    """Five features, an identifier and a text, as random as such columns are."""
    rng = np.random.default_rng(0)
    schema = pa.schema([("id", pa.int64()), ("site", pa.string()), *((f"x{j}", pa.float64()) for j in range(1, 6))])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, n_rows, ROWS_PER_PIECE):
            n = min(ROWS_PER_PIECE, n_rows - start)
            columns = [np.arange(start, start + n), rng.choice(["north", "south", "east"], n), *rng.random((5, n))]
            writer.write_table(pa.table(dict(zip(schema.names, columns, strict=True)), schema=schema))


def run(code: str, *arguments: object) -> list[float]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return [float(word) for word in subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()]


def main(n_rows: int) -> None:
    data = simulate(3, n0=1250, n=2500, random_state=1)
    with tempfile.TemporaryDirectory() as folder:
        source, scored, copy, model = (
            Path(folder, name) for name in ("in.parquet", "out.parquet", "c.parquet", "m.json")
        )
        PUGAM().fit(data.X, data.z).save(model)
        write_source(source, n_rows)
        rounds = []
        for _ in range(REPEATS):
            seconds, imports, peak = run(PREDICT, model, source, "--out", scored)
            limits, _, limits_peak = run(PREDICT, model, source, "--interval", "--out", copy)
            (stream,), (whole,) = run(STREAM, source, scored, copy), run(WHOLE, source, scored, copy)
            rounds.append((seconds, imports, peak, stream, whole, limits, limits_peak))
            time.sleep(0.5)
        best = np.min(rounds, axis=0)
        size = source.stat().st_size / 2**20
    seconds, imports, peak, stream, whole, limits, limits_peak = best
    write_table(
        "predict",
        f"pugam predict, {n_rows:,} rows x 5 smooth features, Parquet to Parquet ({size:.0f} MiB in)",
        ["", "seconds", "times pyarrow in batches", "times pyarrow at once", "peak memory, MiB"],
        [
            ["pugam predict", seconds, seconds / stream, seconds / whole, peak],
            ["the same with --interval", limits, limits / stream, limits / whole, limits_peak],
            ["pyarrow alone, in batches", stream, 1.0, stream / whole, ""],
            ["pyarrow alone, at once", whole, whole / stream, 1.0, ""],
        ],
        f"Best of {REPEATS}, each in a process of its own, whose imports ({imports:.1f} s) come on top. pyarrow reads "
        "all columns of the file and writes all columns of the scored one. Targets: at most 2 times pyarrow, below "
        "1000 MiB.",
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000_000)
