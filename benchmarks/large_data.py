"""Simulated rows for the benchmarks of large data: ten features in a Parquet file, some positives labelled."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

FEATURES = [f"x{j}" for j in range(1, 11)]
PI, SHARE_LABELLED = 0.4, 0.3
ROWS_PER_GROUP = 500_000


def write_rows(path: Path, n_rows: int) -> None:
    """Normal features, some larger where a row is positive and one of them bent."""
    rng = np.random.default_rng(0)
    schema = pa.schema([*((name, pa.float64()) for name in FEATURES), ("z", pa.int8())])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, n_rows, ROWS_PER_GROUP):
            size = min(ROWS_PER_GROUP, n_rows - start)
            labelled = rng.random(size) < SHARE_LABELLED
            positive = labelled | (rng.random(size) < PI)
            X = rng.normal(size=(len(FEATURES), size))
            X += np.outer(np.linspace(0.8, 0.0, len(FEATURES)), positive)
            X[1] *= np.where(positive, 1.3, 1.0)
            writer.write_table(pa.table([*X, labelled.astype(np.int8)], schema=schema))
