"""Mixed and skewed tables: how long a default fit takes over maskings of their labels, beside a naive fit by mgcv.

The fits are made in turn in one run on one thread, and their CPU seconds compared. mgcv takes the labels for the truth,
with ten splines a number of ten values or more, and factors; rows with gaps are left out for all.

usage: python benchmarks/mixed.py FOLDER [MASKINGS]      (default: 20)

FOLDER holds nhanes.csv.gz, german_credit.csv and abalone.csv; tables that are not there are left out.
"""

from __future__ import annotations

import os

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from nhanes import FEATURES
from peers import PEERS
from reporting import write_table

from pugam import PUGAM

SHARE_LABELLED = 0.5
N_MIXED, LEVELS = 45_000, (3, 4, 5, 6, 7, 8, 10, 12)
N_SKEWED, SKEWED = 19_000, 10
REPEATS = 3  # of what others take
BAM = """
arguments <- commandArgs(TRUE)
suppressMessages(library(mgcv))
d <- read.csv(arguments[1], stringsAsFactors = TRUE)
term <- function(name) {
  x <- d[[name]]
  if (is.factor(x)) name else if (length(unique(x)) < 10) name else sprintf("s(%s, k = 10, bs = 'ps')", name)
}
terms <- sapply(setdiff(names(d), "z"), term)
formula <- as.formula(paste("z ~", paste(terms, collapse = " + ")))
spent <- system.time(bam(formula, family = binomial, data = d, method = "fREML", discrete = TRUE, nthreads = 1))
cat(sum(spent[c("user.self", "sys.self")]))
"""


def mixed() -> tuple[pd.DataFrame, np.ndarray]:
    """Eight factors, four of which matter, and eight numbers, three of which do; most numbers have a long tail."""
    rng = np.random.default_rng(1)
    y = rng.random(N_MIXED) < 0.4
    columns: dict[str, np.ndarray] = {}
    for j, n_levels in enumerate(LEVELS):
        base = rng.dirichlet(np.full(n_levels, 2.0))
        tilted = base * np.exp((0.6 if j < 4 else 0.0) * rng.normal(size=n_levels))
        of_positives = rng.choice(n_levels, size=N_MIXED, p=tilted / tilted.sum())
        levels = np.where(y, of_positives, rng.choice(n_levels, size=N_MIXED, p=base))
        columns[f"f{j}"] = np.char.add("level", levels.astype(str))
    for j in range(8):
        values = rng.normal(size=N_MIXED) + (0.7 * y if j < 3 else 0.0)
        columns[f"x{j}"] = (values, np.exp(values), 100.0 * np.exp(1.2 * values))[j % 3]
    for j in (4, 6):  # most of them nothing at all
        columns[f"x{j}"] = np.where(rng.random(N_MIXED) < 0.8, 0.0, np.round(50.0 * columns[f"x{j}"]))
    return pd.DataFrame(columns), y


def skewed() -> tuple[pd.DataFrame, np.ndarray]:
    """Ten long-tailed numbers, five of which matter."""
    rng = np.random.default_rng(2)
    y = rng.random(N_SKEWED) < 0.35
    logs = rng.normal(size=(N_SKEWED, SKEWED)) + 0.7 * y[:, None] * (np.arange(SKEWED) < SKEWED // 2)
    return pd.DataFrame(np.exp(logs), columns=[f"x{j}" for j in range(SKEWED)]), y


def nhanes(folder: Path) -> tuple[pd.DataFrame, np.ndarray]:
    """People whom a doctor told that they have diabetes: half of these labels are hidden."""
    table = pd.read_csv(folder / "nhanes.csv.gz").dropna(subset=[*FEATURES, "told_diabetes"])
    return table[FEATURES].reset_index(drop=True), (table["told_diabetes"] == 1).to_numpy()


def real(path: Path) -> tuple[pd.DataFrame, np.ndarray]:
    table = pd.read_csv(path)
    return table.drop(columns="y"), (table["y"] == 1).to_numpy()


def tables(folder: Path) -> Iterator[tuple[str, pd.DataFrame, np.ndarray]]:
    yield "mixed, simulated", *mixed()
    yield "skewed, simulated", *skewed()
    if (folder / "nhanes.csv.gz").exists():
        yield "nhanes", *nhanes(folder)
    for name in ("german_credit", "abalone"):
        if (folder / f"{name}.csv").exists():
            yield name, *real(folder / f"{name}.csv")


def seconds(run: Callable[[], object]) -> float:
    """CPU seconds."""
    start = time.process_time()
    run()
    return time.process_time() - start


def naive(X: pd.DataFrame, z: np.ndarray) -> float:
    """CPU seconds of mgcv's fit in a fresh process, reading not counted."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.csv")
        X.assign(z=z).to_csv(path, index=False)
        done = subprocess.run(["Rscript", "-e", BAM, str(path)], capture_output=True, text=True, check=False)
    return float(done.stdout.split()[-1]) if done.returncode == 0 else np.nan


def mask(y: np.ndarray, masking: int) -> np.ndarray:
    """Hide half of the labels."""
    return y & (np.random.default_rng([masking, 1]).random(len(y)) < SHARE_LABELLED)


def ours(X: pd.DataFrame, z: np.ndarray) -> tuple[float, float]:
    """Seconds of a fit without and with its verdict."""
    return tuple(seconds(lambda check=check: PUGAM(check=check, n_jobs=1).fit(X, z)) for check in (False, True))


def others(X: pd.DataFrame, z: np.ndarray) -> tuple[float, float]:
    """Seconds of best bin estimation on scores of boosted trees, levels as numbers, and of mgcv."""
    numbers = X.apply(lambda column: column if column.dtype.kind in "ifb" else pd.factorize(column)[0]).astype(float)
    best_bin = seconds(lambda: PEERS["BBE (boosting)"](numbers, z == 1, np.random.default_rng(0)))
    return best_bin, naive(X, z) if shutil.which("Rscript") else np.nan


def main(folder: Path, maskings: int) -> None:
    rows = []
    for name, X, y in tables(folder):
        small = X[: len(X) // 5], mask(y, 0)[: len(X) // 5].astype(int)
        ours(*small), others(*small)  # imports
        found, beside = [], []
        for masking in range(maskings):
            z = mask(y, masking).astype(int)
            found.append(ours(X, z))
            if masking < REPEATS:
                beside.append(others(X, z))
        (fit, checked), (longest, longest_checked) = np.median(found, axis=0), np.max(found, axis=0)
        best_bin, bam = np.min(beside, axis=0)
        line = [
            fit,
            longest,
            longest / fit,
            checked,
            longest_checked / checked,
            bam,
            fit / bam,
            best_bin,
            fit / best_bin,
        ]
        rows.append([f"{name}, {len(X):,} x {X.shape[1]}", *map(float, line)])
        print(rows[-1], flush=True)
    write_table(
        "mixed",
        f"Mixed and skewed tables: CPU seconds of default fits over {maskings} maskings of their labels",
        [
            "table",
            "fit, median",
            "fit, longest",
            "longest / median",
            "with verdict, median",
            "its longest / median",
            "bam",
            "fit / bam",
            "best bin estimation",
            "fit / best bin",
        ],
        rows,
        "Half of the labels are hidden, anew in each masking. Fit: PUGAM(check=False), pi with its interval; with "
        "verdict: PUGAM(). bam: a naive fit, mgcv::bam(discrete = TRUE), the first in a fresh process, reading not "
        "counted; best bin estimation: on cross-fitted scores of boosted trees (benchmarks/peers); of both the best of "
        f"{REPEATS} maskings. One thread. Rows with gaps are left out. Targets: longest / median at most 2, the other "
        "ratios at most 1.5.",
    )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 20)
