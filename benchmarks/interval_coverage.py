"""Coverage of intervals for pi, with estimate="mode": Wald's in all cells, all kinds at n = 1500.

usage: python benchmarks/interval_coverage.py [REPLICATES [STREAM]]

REPLICATES is 1000 by default, and at most 500 where every kind is computed. A STREAM, any positive number, takes other
seeds, for Wald's interval alone: to check figures on data that nobody looked at while choosing how to compute it.
"""

from __future__ import annotations

import sys

import numpy as np
from replication import run_replicates, seeds
from reporting import write_table

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.studies.printed import COVERAGE

CELLS = [(setting, 5 * n // 6, n, 0.4) for setting in (1, 2, 3) for n in (1500, 3000, 4500)]
CELLS += [
    (setting, n0, 3000, pi) for setting in (1, 2, 3) for n0, pi in ((2500, 0.1), (2500, 0.7), (1500, 0.4), (1500, 0.7))
]
KINDS = ("wald", "profile", "percentile", "normal", "bca")
N_RESAMPLES = 200


def wald_interval(setting: int, n0: int, n: int, pi: float, seed: int) -> tuple[float, float, float]:
    data = simulate(setting, n0=n0, n=n, pi=pi, random_state=seed)
    interval = PUGAM(estimate="mode", check=False, n_jobs=1).fit(data.X, data.z).pi_interval()
    return interval.estimate, interval.lower, interval.upper


def all_intervals(setting: int, n0: int, n: int, pi: float, seed: int) -> list[float]:
    data = simulate(setting, n0=n0, n=n, pi=pi, random_state=seed)
    model = PUGAM(estimate="mode", check=False, n_jobs=1).fit(data.X, data.z)
    resamples = model.bootstrap(N_RESAMPLES, progress=False)
    intervals = [model.pi_interval(), model.pi_interval(method="profile")]
    intervals += [resamples.interval(kind=kind) for kind in KINDS[2:]]
    return [end for interval in intervals for end in (interval.lower, interval.upper)]


def coverage_of(lower: np.ndarray, upper: np.ndarray, pi: float) -> float:
    return float(np.mean((lower <= pi) & (pi <= upper)))


def measure_wald(replicates: int, stream: int = 0) -> None:
    rows = []
    for cell in CELLS:
        setting, n0, n, pi = cell
        key = (1, setting, n0, n, round(1000 * pi), *([stream] if stream else []))
        found = run_replicates(wald_interval, [(*cell, seed) for seed in seeds(key, replicates)])
        errors = found[:, 0] - pi
        covered = coverage_of(found[:, 1], found[:, 2], pi)
        paper = COVERAGE[setting, n] if (n0, pi) == (5 * n // 6, 0.4) else "-"
        spread = [100 * float(errors.mean()), 100 * float(errors.std()), float(np.mean(found[:, 2] - found[:, 1]))]
        noise = float(np.sqrt(covered * (1.0 - covered) / replicates))
        rows.append([setting, n0, n - n0, pi, *spread, f"{covered:.3f}", f"{noise:.3f}", paper])
        print(*rows[-1], flush=True)
    write_table(
        "coverage_fresh" if stream else "coverage",
        f"Coverage of the 95% interval for pi, {replicates} replicates{' of fresh data' if stream else ''}",
        [
            "Setting",
            "n0",
            "n1",
            "pi",
            "bias x 100",
            "sd x 100",
            "mean width",
            "coverage",
            "its standard error",
            "paper",
        ],
        rows,
        "PUGAM(estimate='mode'), Wald's interval.",
    )


def measure_kinds(replicates: int) -> None:
    rows = []
    for setting in (1, 2, 3):
        cell = (setting, 1250, 1500, 0.4)
        found = run_replicates(all_intervals, [(*cell, seed) for seed in seeds((2, setting), replicates)])
        for number, kind in enumerate(KINDS):
            lower, upper = found[:, 2 * number], found[:, 2 * number + 1]
            covered = coverage_of(lower, upper, 0.4)
            rows.append([setting, kind, f"{covered:.3f}", float(np.mean(upper - lower))])
    write_table(
        "coverage_kinds",
        f"Coverage of 95% intervals for pi by method, n0 = 1250, n = 1500, pi = 0.4, {replicates} replicates",
        ["Setting", "interval", "coverage", "mean width"],
        rows,
        f"Bootstrap intervals (percentile, normal, bca) from {N_RESAMPLES} resamples each, smoothing kept. "
        "PUGAM(estimate='mode').",
    )


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    if len(sys.argv) > 2:
        measure_wald(count, int(sys.argv[2]))
    else:
        measure_wald(count)
        measure_kinds(min(count, 500))
