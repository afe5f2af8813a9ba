"""Smooth along values or logarithms? Error and coverage of pi on long-tailed features, and error on masked real tables.

usage: python benchmarks/scale.py FOLDER [MASKINGS [REPLICATES]]      (as of knots.py; default: 6, 100)
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from knots import compare
from reporting import write_table

from pugam import PUGAM, s

CHOICES = ("linear", "auto")
SPREADS = (0.0, 0.3, 0.6, 1.0)  # of the logarithms of two features; 0: the logarithms themselves
N_LABELLED, N_UNLABELLED, PI = 500, 2000, 0.3


def long_tailed(spread: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two features, exponentials of normal ones that lie one standard deviation higher for positives."""
    positive = np.concatenate([np.ones(N_LABELLED), rng.random(N_UNLABELLED) < PI])
    logs = rng.normal(size=(len(positive), 2)) + positive[:, None]
    z = (np.arange(len(positive)) < N_LABELLED).astype(int)
    return (np.exp(spread * logs) if spread else logs), z


def answer(spread: float, choice: str, replicate: int) -> tuple[float, bool]:
    """Error of pi, and whether its interval holds the truth."""
    X, z = long_tailed(spread, np.random.default_rng([replicate, round(10 * spread)]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = PUGAM([s("x0", scale=choice), s("x1", scale=choice)], n_jobs=1).fit(X, z)
    interval = model.pi_interval()
    return model.pi_ - PI, interval.lower <= PI <= interval.upper


def simulated_rows(replicates: int) -> list[list[object]]:
    rows: list[list[object]] = []
    for spread in SPREADS:
        for choice in CHOICES:
            found = Parallel(n_jobs=-1)(delayed(answer)(spread, choice, number) for number in range(replicates))
            errors, covered = np.array(found, dtype=float).T
            rows.append([spread, choice, errors.mean(), np.sqrt(np.mean(errors**2)), covered.mean()])
    return rows


def main(folder: Path, maskings: int = 6, replicates: int = 100) -> None:
    write_table(
        "scale_simulated",
        f"Two long-tailed features, n0 = {N_LABELLED}, n1 = {N_UNLABELLED}, pi = {PI}, {replicates} data sets",
        ["spread of the logarithms", "scale", "bias of pi", "root mean squared error", "coverage of 95% intervals"],
        simulated_rows(replicates),
        "exp(spread * normal), one standard deviation higher for positives; spread 0: normal. Standard error of a "
        f"coverage of 0.95: {np.sqrt(0.95 * 0.05 / replicates):.3f}.",
    )
    write_table(
        "scale",
        "Mean absolute error of pi, smooth along values and along logarithms where one tail is long",
        ["table", "fits", *CHOICES, "auto - linear", "standard error of the difference"],
        compare(folder, maskings, "scale", CHOICES),
        "auto: logarithms of columns with one long tail are tried, and kept where the evidence is higher. Standard "
        "errors are over fits, in the last row over tables.",
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
