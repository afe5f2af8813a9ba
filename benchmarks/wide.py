"""Wide tables: how long a default fit, its diagnosis and its report take where five of many columns matter.

Every table is fitted in a process of its own, on one thread; CPU seconds.

usage: python benchmarks/wide.py [COLUMNS ...]      (default: 20 50 100 200)
"""

from __future__ import annotations

import os

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from reporting import write_table

N_ROWS, MATTER = 19_000, 5
COLUMNS = (20, 50, 100, 200)


def table(p: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Uniform columns; positives, four in ten, lean to large values in five of them, and half of them are labelled."""
    rng = np.random.default_rng(3)
    y = rng.random(N_ROWS) < 0.4
    X = rng.random((N_ROWS, p))
    X[y, :MATTER] = np.sqrt(X[y, :MATTER])
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(p)]), (y & (rng.random(N_ROWS) < 0.5)).astype(int)


def seconds(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def one(p: int) -> dict[str, float]:
    """Seconds of a fit, of the diagnosis of a fit, and of the report of a fit that has none yet."""
    from pugam import PUGAM

    small = PUGAM(check=False, n_jobs=1).fit(*(part[:2000] for part in table(5)))
    X, z = table(p)
    with tempfile.TemporaryDirectory() as folder:
        small.report(Path(folder, "report.html"))  # imports
        model = PUGAM(check=False, n_jobs=1)
        fit = seconds(lambda: model.fit(X, z))
        diagnosis = seconds(model.diagnose)
        model.fit(X, z)
        report = seconds(lambda: model.report(Path(folder, "report.html")))
    return {"fit": fit, "diagnosis": diagnosis, "report": report}


def measure(p: int) -> dict[str, float]:
    command = [sys.executable, __file__, "one", str(p)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def growth(before: tuple[int, float] | None, p: int, value: float) -> object:
    """Exponent of growth from the table before."""
    return "-" if before is None else float(np.log(value / before[1]) / np.log(p / before[0]))


def main(columns: list[int]) -> None:
    rows: list[list[object]] = []
    before = None
    for p in columns:
        found = measure(p)
        fit, diagnosis, report = found["fit"], found["diagnosis"], found["report"]
        rows.append([p, fit, growth(before, p, fit), diagnosis, diagnosis / fit, report, report / fit])
        before = p, fit
        print(rows[-1], flush=True)
    write_table(
        "wide",
        f"Wide tables: {N_ROWS:,} rows, {MATTER} columns of p matter; CPU seconds on one thread",
        ["p", "fit", "its growth: exponent in p", "diagnosis", "diagnosis / fit", "report", "report / fit"],
        rows,
        "Fit: PUGAM(check=False). Diagnosis and report: of such a fit, so that the report makes the diagnosis too. "
        "Targets: exponent below 2, diagnosis at most the fit, report at most twice the fit.",
    )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1:2] == ["one"]:
        print(json.dumps(one(int(sys.argv[2]))))
    else:
        main([int(p) for p in sys.argv[1:]] or list(COLUMNS))
