"""How good the default estimate of pi is on the paper's settings: bias, spread, coverage, classification error.

usage: python benchmarks/simulation.py [REPLICATES]      (default: 200)
"""

from __future__ import annotations

import sys

import numpy as np
from reporting import write_table

from pugam import PUGAM
from pugam.datasets import simulate

PI = 0.4


def replicate(setting: int, seed: int) -> tuple[float, bool, float]:
    """Error of pi, whether the 95% interval covers, and classification error on the unlabelled rows."""
    data = simulate(setting, n0=1250, n=1500, pi=PI, random_state=seed)
    model = PUGAM().fit(data.X, data.z)
    interval, hidden = model.pi_interval(), data.z == 0
    wrong = (model.predict_proba(data.X)[hidden, 1] > 0.5) != data.y[hidden]
    return model.pi_ - PI, interval.lower < PI < interval.upper, float(wrong.mean())


def main(replicates: int) -> None:
    rows = []
    for setting in (1, 2, 3):
        found = np.array([replicate(setting, 1000 * setting + number) for number in range(replicates)], dtype=float)
        errors, covered, wrong = found.T
        mse = 100 * errors**2
        noise = mse.std(ddof=1) / np.sqrt(replicates)
        rows.append([setting, 100 * errors.mean(), 100 * errors.std(), mse.mean(), noise, covered.mean(), wrong.mean()])
    write_table(
        "simulation",
        f"The default estimate of pi, n0 = 1250, n = 1500, pi = {PI}, {replicates} replicates",
        ["Setting", "bias x 100", "sd x 100", "mse x 100", "its standard error", "coverage of 95%", "error rate"],
        rows,
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
