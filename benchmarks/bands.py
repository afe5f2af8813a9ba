"""How often bands hold the true curves: pointwise, averaged over [0.05, 0.95] and at both ends, and simultaneously.

usage: python benchmarks/bands.py mode | marginal [REPLICATES [STREAM]]
(default: 2000 replicates; a STREAM > 0 takes fresh data)
"""

from __future__ import annotations

import sys

import numpy as np
from replication import run_replicates, seeds
from reporting import write_table

from pugam import PUGAM
from pugam.datasets import simulate

GRID = np.linspace(0.0, 1.0, 21)  # both ends, and what is between them
N = 3000
NAMES = {"mode": "bands", "marginal": "bands_default"}


def bands(estimate: str, setting: int, n: int, seed: int) -> np.ndarray:
    """Pointwise coverage of u_1..u_5, that at the ends, whether each lies in its simultaneous band, and mean width."""
    data = simulate(setting, n0=5 * n // 6, n=n, random_state=seed)
    model = PUGAM(estimate=estimate, check=False).fit(data.X, data.z)
    pointwise, ends, whole, width = [], [], [], []
    for number in range(1, 6):
        truth = data.effect(number, GRID)
        band = model.effect(f"x{number}", grid=GRID, center="range")
        wide = model.effect(f"x{number}", grid=GRID, simultaneous=True, center="range")
        held = np.asarray((band.lower <= truth) & (truth <= band.upper))
        pointwise.append(np.mean(held[1:-1]))
        ends.append(np.mean(held[[0, -1]]))
        whole.append(np.all((wide.lower <= truth) & (truth <= wide.upper)))
        width.append(np.mean((band.upper - band.lower)[1:-1]))
    return np.array([*pointwise, *ends, *whole, np.mean(width)], dtype=float)


def main(estimate: str, replicates: int, stream: int = 0) -> None:
    rows = []
    for setting in (1, 2, 3):
        key = (3, setting, N, *([stream] if stream else []))
        found = run_replicates(bands, [(estimate, setting, N, seed) for seed in seeds(key, replicates)])
        means = found.mean(axis=0)
        pointwise = [f"{value:.3f}" for value in means[:5]]
        at_ends = f"{means[5:10].mean():.3f} ({means[5:10].min():.2f})"
        rows.append([setting, N, *pointwise, at_ends, f"{means[10:15].mean():.3f}", float(means[15])])
        print(*rows[-1], flush=True)
    write_table(
        NAMES[estimate] + ("_fresh" if stream else ""),
        f"Coverage of 95% bands for the curves, n0 = 5n/6, pi = 0.4, {replicates} replicates",
        [
            "Setting",
            "n",
            "u1",
            "u2",
            "u3",
            "u4",
            "u5",
            "ends (worst)",
            "simultaneous, mean of five",
            "mean pointwise width",
        ],
        rows,
        "u1 to u5: pointwise coverage averaged over 19 points from 0.05 to 0.95. ends: at 0 and 1, mean of five curves "
        f"and the worst of them. simultaneous: over 21 points from 0 to 1. PUGAM(estimate={estimate!r}).",
    )


if __name__ == "__main__":
    counts = [int(argument) for argument in sys.argv[2:]]
    main(sys.argv[1], *(counts + [2000, 0][len(counts) :]))
