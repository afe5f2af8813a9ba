"""A fit on a Dask cluster of two workers: what scheduling costs, and a worker that dies half-way.

usage: python benchmarks/cluster.py [ROWS]      (default: 10,000,000)
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
from distributed import Client, LocalCluster
from large_data import write_rows
from reporting import write_table

from pugam import PUGAM
from pugam.engines import MemoryEngine, PartedEngine
from pugam.likelihood import label_frequency

WORKERS, PASSES = 2, 5


def timed_sums(part: MemoryEngine, *arguments: Any) -> float:
    start = time.perf_counter()
    part.sums_given(*arguments)
    return time.perf_counter() - start


def scheduling(model: PUGAM) -> tuple[float, float]:
    """Seconds of a pass, and how much longer it takes than the work on the workers would if nothing else were done."""
    engine: PartedEngine = model._rows[0]
    b = np.append(0.1, model.coef_)[None]
    c, d = label_frequency(np.array([0.4]), engine.n0, engine.n1)
    walls, works = [], []
    for number in range(PASSES):
        start = time.perf_counter()
        engine.parts.sum(MemoryEngine.sums_given, c, d, b + 1e-6 * number, False)
        walls.append(time.perf_counter() - start)
        works.append(sum(engine.parts.map(timed_sums, c, d, b + 1e-3 * number, False)) / WORKERS)
    return float(np.min(walls)), float(np.median(np.array(walls) / np.array(works)) - 1.0)


def kill_a_worker(client: Client, after: threading.Event) -> None:
    after.wait()
    pid = next(iter(client.run(os.getpid).values()))
    os.kill(pid, signal.SIGKILL)


def fit(path: Path, **options: Any) -> tuple[PUGAM, float]:
    start = time.perf_counter()
    model = PUGAM(check=False, **options).fit(str(path), "z")
    return model, time.perf_counter() - start


def main(n_rows: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.parquet")
        write_rows(path, n_rows)
        streamed, seconds = fit(path, engine="stream", n_jobs=WORKERS)
        rows: list[list[object]] = [["stream, two threads", seconds, streamed.pi_, 0.0, ""]]
        cluster = LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None)
        with cluster, Client(cluster) as client:
            model, seconds = fit(path, engine="dask")
            wall, overhead = scheduling(model)
            rows.append(["Dask, two workers", seconds, model.pi_, abs(model.pi_ - streamed.pi_), ""])
            rows.append(["one pass over all rows there", wall, "", "", f"{overhead:.1%}"])
            model, half_way = None, threading.Event()
            count, original = 0, PartedEngine._sums

            def counted(self: PartedEngine, *arguments: Any) -> Any:
                nonlocal count
                count += 1
                if count == 3:
                    half_way.set()
                return original(self, *arguments)

            PartedEngine._sums = counted  # type: ignore[method-assign]
            killer = threading.Thread(target=kill_a_worker, args=(client, half_way))
            killer.start()
            model, seconds = fit(path, engine="dask")
            killer.join()
            rows.append(["the same, one worker killed", seconds, model.pi_, abs(model.pi_ - streamed.pi_), ""])
    write_table(
        "cluster",
        f"A whole fit of {n_rows:,} rows x 10 smooth features on a local Dask cluster of two workers, one thread each",
        ["", "seconds", "pi", "difference", "scheduling"],
        [[f"{cell:.12f}" if column == 2 and cell else cell for column, cell in enumerate(row)] for row in rows],
        "Rows in one Parquet file. Scheduling: how much longer a pass takes than the work of its tasks, shared by two "
        "workers. The worker is killed by its process id in the third of the passes over all rows; its partitions are "
        "read anew. Targets: scheduling below 20%, difference of pi below 1e-8.",
    )


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000)
