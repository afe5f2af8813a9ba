"""The default on the paper's simulated data: error of pi, coverage of its interval, interactions added by mistake.

usage: python benchmarks/evidence_coverage.py [REPLICATES]      (default: 500)

The nine cells of the paper's Table 1. "mode" is the default that marginal likelihood took the place of, fitted to the
same data sets.
"""

from __future__ import annotations

import sys

import numpy as np
from replication import run_replicates, seeds
from reporting import write_table
from threadpoolctl import threadpool_limits

from pugam import PUGAM
from pugam.datasets import simulate

PI, STREAM = 0.4, 31
CELLS = [(setting, n) for setting in (1, 2, 3) for n in (1500, 3000, 4500)]


def look(setting: int, n: int, seed: int) -> tuple[float, ...]:
    """Error, whether the interval holds the truth, and its width, by marginal likelihood and by the mode; and pairs."""
    data = simulate(setting, n0=n * 5 // 6, n=n, pi=PI, random_state=seed)
    with threadpool_limits(limits=1):
        models = [PUGAM(estimate=estimate, n_jobs=1).fit(data.X, data.z) for estimate in ("marginal", "mode")]
        intervals = [model.pi_interval() for model in models]
        alone = models[0].pi_interval(model_error=False)
    found: list[float] = []
    for one in intervals:
        found += [one.estimate - PI, one.lower <= PI <= one.upper, one.upper - one.lower]
    return (*found, len(models[0].terms_) > data.X.shape[1], alone.lower <= PI <= alone.upper)


def summarise(found: np.ndarray) -> list[str]:
    """Figures of a cell, errors times 100."""
    root = np.sqrt(len(found))
    cells = []
    for first in (0, 3):
        error, held, width = found[:, first : first + 3].T
        squares = 100.0 * error**2
        cells += [
            f"{100.0 * error.mean():+.2f} ± {100.0 * error.std(ddof=1) / root:.2f}",
            f"{squares.mean():.3f} ± {squares.std(ddof=1) / root:.3f}",
            f"{held.mean():.3f} ± {held.std(ddof=1) / root:.3f}",
            f"{width.mean():.3f}",
        ]
    change = 100.0 * (found[:, 0] ** 2 - found[:, 3] ** 2)
    shares = [f"{found[:, place].mean():.3f}" for place in (6, 7)]
    return [*cells, f"{change.mean():+.3f} ± {change.std(ddof=1) / root:.3f}", *shares]


if __name__ == "__main__":
    replicates = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    rows = []
    for number, (setting, n) in enumerate(CELLS):
        results = run_replicates(look, [(setting, n, seed) for seed in seeds((STREAM, number), replicates)])
        rows.append([setting, n, *summarise(results)])
        print(*rows[-1], flush=True)
    measures = ["bias", "mse", "coverage", "mean width"]
    write_table(
        "evidence_coverage",
        f"pi by marginal likelihood and by the mode on the paper's simulated data, {replicates} replicates",
        [
            "Setting",
            "n",
            *(f"{estimate}: {measure}" for estimate in ("marginal", "mode") for measure in measures),
            "difference of mse",
            "interactions added",
            "coverage without model error",
        ],
        rows,
        "bias and mse x 100, each ± its Monte-Carlo standard error; pi = 0.4. coverage, mean width: of the 95% "
        "interval that belongs to the estimate. difference of mse: marginal less mode, over the same data sets. "
        "interactions added: share of data sets, in all of which effects add up. coverage without model error: of the "
        "marginal sampling interval, `pi_interval(model_error=False)`.",
    )
