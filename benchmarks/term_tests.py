"""Size and power of the tests of a term: u_1 = 0 in Settings 1 and 2, and u_1 linear.

Beside ours stand the paper's figures and those of a test that knows more: Wald's in the true parametric model, in which
the shape of every curve is known and only its height is estimated.

usage: python benchmarks/term_tests.py mode | marginal [REPLICATES [LARGEST_ZETA]]      (default: 500, all)
"""

from __future__ import annotations

import sys

import numpy as np
from replication import run_replicates, seeds
from reporting import write_table

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.studies.printed import REJECTIONS, ZETAS

NAMES = {"mode": "term_tests", "marginal": "term_tests_default"}
CELLS = [cell for cell in REJECTIONS if cell[1] <= 4500]


def pvalues(estimate: str, setting: int, n: int, zeta: float, seed: int) -> tuple[float, float, float]:
    """P-values of u_1 = 0, of u_1 linear, and of u_1 = 0 in the true parametric model."""
    data = simulate(setting, n0=5 * n // 6, n=n, zeta=zeta, random_state=seed)
    model = PUGAM(estimate=estimate, check=False).fit(data.X, data.z)
    shapes = data.X if setting == 1 else (data.X - 0.3) ** 2
    parametric = PUGAM(" + ".join(shapes.columns), estimate="mode", check=False).fit(shapes, data.z)
    return model.test("x1").pvalue, model.test("x1", null="linear").pvalue, parametric.test("x1").pvalue


def main(estimate: str, replicates: int, largest: float) -> None:
    rows = []
    for setting, n in CELLS:
        for zeta, paper in zip(ZETAS, REJECTIONS[setting, n], strict=True):
            if zeta > largest:
                break
            key = (4, setting, n, round(100 * zeta))
            found = run_replicates(pvalues, [(estimate, setting, n, zeta, seed) for seed in seeds(key, replicates)])
            zero, linear, parametric = np.mean(found < 0.05, axis=0)
            rates = [f"{rate:.3f}" for rate in (zero, parametric, paper, linear)]
            rows.append([setting, n, zeta, *rates])
            print(*rows[-1], flush=True)
            if zero == parametric == linear == 1.0 or (setting == 1 and zero == parametric == 1.0):
                break
    write_table(
        NAMES[estimate],
        f"Rejection rates of tests at the 5% level, {replicates} replicates",
        ["Setting", "n", "zeta", "u1 = 0", "same, true parametric model", "same, paper", "u1 linear"],
        rows,
        "With zeta = 0 the rates of `u1 = 0` are sizes; those of `u1 linear` are sizes in Setting 1 and at zeta = 0. "
        f"Monte-Carlo standard error of a rate: {np.sqrt(0.05 * 0.95 / replicates):.3f} at 0.05. "
        "Where every test rejects always, larger values of zeta are left out. "
        f"PUGAM(estimate={estimate!r}).",
    )


if __name__ == "__main__":
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    main(sys.argv[1], count, float(sys.argv[3]) if len(sys.argv) > 3 else 1.0)
