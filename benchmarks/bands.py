"""How often bands hold the true curves: pointwise, averaged over [0.05, 0.95], and simultaneously.

usage: python benchmarks/bands.py [REPLICATES [STREAM]]      (default: 2000 replicates; a STREAM > 0 takes fresh data)
"""

from __future__ import annotations

import sys

import numpy as np
from replication import run_replicates, seeds
from reporting import write_table

from pugam import PUGAM
from pugam.datasets import simulate

GRID = np.linspace(0.05, 0.95, 19)
N = 3000


def bands(setting: int, n: int, seed: int) -> np.ndarray:
    """Pointwise coverage of u_1..u_5, whether each lies in its simultaneous band, and the mean width of a band."""
    data = simulate(setting, n0=5 * n // 6, n=n, random_state=seed)
    model = PUGAM(check=False).fit(data.X, data.z)
    pointwise, whole, width = [], [], []
    for number in range(1, 6):
        truth = data.effect(number, GRID)
        band = model.effect(f"x{number}", grid=GRID, center="range")
        wide = model.effect(f"x{number}", grid=GRID, simultaneous=True, center="range")
        pointwise.append(np.mean((band.lower <= truth) & (truth <= band.upper)))
        whole.append(np.all((wide.lower <= truth) & (truth <= wide.upper)))
        width.append(np.mean(band.upper - band.lower))
    return np.array([*pointwise, *whole, np.mean(width)], dtype=float)


def main(replicates: int, stream: int = 0) -> None:
    rows = []
    for setting in (1, 2, 3):
        key = (3, setting, N, *([stream] if stream else []))
        found = run_replicates(bands, [(setting, N, seed) for seed in seeds(key, replicates)])
        means = found.mean(axis=0)
        pointwise = [f"{value:.3f}" for value in means[:5]]
        rows.append([setting, N, *pointwise, f"{means[5:10].mean():.3f}", float(means[10])])
        print(*rows[-1], flush=True)
    write_table(
        "bands_fresh" if stream else "bands",
        f"Coverage of 95% bands for the curves, n0 = 5n/6, pi = 0.4, {replicates} replicates",
        ["Setting", "n", "u1", "u2", "u3", "u4", "u5", "simultaneous, mean of five", "mean pointwise width"],
        rows,
        "u1 to u5: pointwise coverage averaged over 19 points from 0.05 to 0.95.",
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000, int(sys.argv[2]) if len(sys.argv) > 2 else 0)
