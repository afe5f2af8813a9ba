"""What a shape is worth: coverage and width of bands, error of curves and pi, size and power of tests.

The curves of Setting 2, c (x - 0.3)^2, are increasing and convex in |x - 0.3|, and flat at its lower end: an increasing
curve has active constraints there more often than not. Those of Setting 1 are straight lines, of which the first has
the slope 6 zeta.

All fits are those of estimate="mode", which is what a shape asks for.

usage: python benchmarks/shapes.py [REPLICATES]      (default: 300)
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
from replication import run_replicates, seeds
from reporting import write_table

from pugam import PUGAM
from pugam.datasets import simulate

N = 1500
GRID = np.linspace(0.02, 0.68, 34)
SHAPES = (None, "increasing", "convex")


def formula(shape: str | None, n_shaped: int = 5) -> str:
    """Five smooth terms, the first of them with a shape."""
    option = f", shape='{shape}'" if shape else ""
    return " + ".join(f"s(x{number}{option if number <= n_shaped else ''})" for number in range(1, 6))


def curves(shape: str | None, seed: int) -> np.ndarray:
    """Coverage, pointwise and simultaneous, width, and squared error of the curves, and the error of pi."""
    data = simulate(2, n0=5 * N // 6, n=N, pi=0.4, random_state=seed)
    table = pd.DataFrame(np.abs(data.X - 0.3))
    model = PUGAM(formula(shape), estimate="mode", check=False).fit(table, data.z)
    found = []
    for number in range(1, 6):
        lower, upper = table.iloc[:, number - 1].agg(["min", "max"])
        range_of_fit = np.linspace(lower, upper, 1001)
        truth = data.effect(number, 0.3 + GRID) - np.mean(data.effect(number, 0.3 + range_of_fit))
        band = model.effect(f"x{number}", grid=GRID, center="range")
        wide = model.effect(f"x{number}", grid=GRID, simultaneous=True, center="range")
        pointwise = np.mean((band.lower <= truth) & (truth <= band.upper))
        whole = np.all((wide.lower <= truth) & (truth <= wide.upper))
        width, error = np.mean(band.upper - band.lower), np.mean((band.u - truth) ** 2)
        found.append([pointwise, whole, width, error])
    interval = model.pi_interval()
    return np.array([*np.mean(found, axis=0), abs(model.pi_ - 0.4), interval.lower <= 0.4 <= interval.upper])


def pvalues(setting: int, zeta: float, shape: str, null: str, seed: int) -> tuple[float, float]:
    """P-values of a test of the first term without and with a shape."""
    data = simulate(setting, n0=5 * N // 6, n=N, zeta=zeta, random_state=seed)
    plain, shaped = (PUGAM(formula(one, 1), estimate="mode", check=False).fit(data.X, data.z) for one in (None, shape))
    return plain.test("x1", null=null).pvalue, shaped.test("x1", null=null).pvalue


def main(replicates: int) -> None:
    rows = []
    for shape in SHAPES:
        found = run_replicates(curves, [(shape, seed) for seed in seeds((11, N), replicates)])
        means, errors = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(replicates)
        cells = [f"{mean:.3f} ± {error:.3f}" for mean, error in zip(means, errors, strict=True)]
        rows.append([shape or "none", *cells])
        print(*rows[-1], flush=True)
    write_table(
        "shapes",
        f"Curves that are increasing and convex, with and without a shape, n = {N}, {replicates} replicates",
        ["shape", "pointwise", "simultaneous", "mean width", "mse of curves", "mae of pi", "interval of pi"],
        rows,
        "Pointwise and simultaneous coverage of 95% bands, means over five curves and 34 points; coverage of the 95% "
        "interval of pi; each ± its Monte-Carlo standard error. Setting 2 in |x - 0.3|, n0 = 5n/6, pi = 0.4. All rows "
        "have the same data sets. PUGAM(estimate='mode').",
    )
    rows = []
    for setting, zeta, shape, null in (
        (1, 0.0, "increasing", "zero"),
        (1, 0.1, "increasing", "zero"),
        (1, 0.2, "increasing", "zero"),
        (1, 0.5, "convex", "linear"),
        (1, 0.5, "increasing", "linear"),
        (2, 0.2, "convex", "linear"),
        (2, 0.3, "convex", "linear"),
    ):
        key = (12, setting, round(100 * zeta), len(shape), len(null))
        tasks = [(setting, zeta, shape, null, seed) for seed in seeds(key, replicates)]
        plain, shaped = np.mean(run_replicates(pvalues, tasks) < 0.05, axis=0)
        rows.append([setting, zeta, shape, null, f"{plain:.3f}", f"{shaped:.3f}"])
        print(*rows[-1], flush=True)
    write_table(
        "shape_tests",
        f"Rejection rates at the 5% level of tests of u1, with and without a shape, n = {N}, {replicates} replicates",
        ["Setting", "zeta", "shape", "null", "without", "with"],
        rows,
        "In the first row, and in Setting 1 with the null hypothesis of a straight line, rates are sizes. Monte-Carlo "
        f"standard error of a rate: {np.sqrt(0.05 * 0.95 / replicates):.3f} at 0.05, at most "
        f"{np.sqrt(0.25 / replicates):.3f}.",
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
