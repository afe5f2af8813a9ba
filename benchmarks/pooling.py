"""Partial pooling: shares of twenty small samples, pooled and by themselves.

usage: python benchmarks/pooling.py [REPLICATES]      (default: 100)

The curves of the paper's Setting 2; logits of the shares are normal around that of 0.3.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from reporting import write_table
from threadpoolctl import threadpool_limits

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.inference import share_interval
from pugam.inference.shares import logit_covariance
from pugam.solvers import PiRange, SampledShares

N_LABELLED, N_SAMPLES, N_ROWS = 1000, 20, 60
MEAN, SPREADS = np.log(0.3 / 0.7), (0.0, 0.3, 0.6, 1.0)


def make_rows(spread: float, seed: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, np.ndarray]:
    """Features, labels, names of samples, and the shares of the samples."""
    shares = 1.0 / (1.0 + np.exp(-MEAN - spread * np.random.default_rng([seed, 7]).normal(size=N_SAMPLES)))
    parts = []
    for number, share in enumerate(shares):
        n0 = N_LABELLED if number == 0 else 1
        data = simulate(2, n0=n0, n=n0 + N_ROWS, pi=share, random_state=1000 * seed + number)
        rows = data.X.assign(z=data.z, sample=f"site {number:02d}")
        parts.append(rows if number == 0 else rows[data.z == 0])
    table = pd.concat(parts, ignore_index=True)
    return table.drop(columns=["z", "sample"]), table["z"].to_numpy(), table["sample"].to_numpy(), shares


def answer(spread: float, seed: int) -> list[float]:
    """Mean squared error, coverage and width, by themselves and pooled, the estimated spread, and the least error."""
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore")
        X, z, sample, shares = make_rows(spread, seed)
        fit = PUGAM(check=False, n_jobs=1).fit(X, z, sample=sample, shares="pooled")._fit
        pooled, found = fit.samples, []
        for reported in (replace(pooled, pooled=None), pooled):
            limits = [share_interval(reported, number, 0.95, PiRange(), False) for number in range(N_SAMPLES)]
            lower, pi, upper = np.array([(one.lower, one.estimate, one.upper) for one in limits]).T
            held = (lower <= shares) & (shares <= upper)
            found += [((pi - shares) ** 2).mean(), held.mean(), (upper - lower).mean()]
    return [*map(float, found), pooled.pooled.spread, least_error(pooled, spread, shares)]


def least_error(found: SampledShares, spread: float, shares: np.ndarray) -> float:
    """Mean squared error of logits that are pulled towards their mean by one who knows it, and the spread."""
    variances = logit_covariance(found, PiRange()).diagonal()
    pulled = MEAN + spread**2 / (spread**2 + variances) * (found.logits - MEAN)
    return float(np.mean((1.0 / (1.0 + np.exp(-pulled)) - shares) ** 2))


def main(replicates: int) -> None:
    tasks = [(spread, seed) for spread in SPREADS for seed in range(replicates)]
    found = np.array(Parallel(n_jobs=-1, batch_size=1)(delayed(answer)(*task) for task in tasks))
    rows = []
    for spread, mine in zip(SPREADS, found.reshape(len(SPREADS), replicates, -1), strict=True):
        alone, held, width, pooled, pooled_held, pooled_width, estimated, least = mine.mean(axis=0)
        errors = [100 * alone, 100 * pooled, pooled / alone, least / alone]
        rows.append([spread, *errors, held, pooled_held, width, pooled_width, estimated])
    write_table(
        "pooling",
        f"Shares of {N_SAMPLES} samples of {N_ROWS} rows, {N_LABELLED} labelled rows, {replicates} data sets a line",
        [
            *("standard deviation of logits", "100 x mse", "pooled", "ratio", "least ratio"),
            *("coverage", "pooled", "width", "pooled"),
            "estimated standard deviation",
        ],
        rows,
        "least ratio: of logits pulled towards their mean by one who knows it and their standard deviation. "
        "Intervals are 95% sampling intervals. Monte-Carlo standard error of a coverage, over samples: about "
        f"{np.sqrt(0.95 * 0.05 / (replicates * N_SAMPLES)):.3f}, or more where errors of samples go together.",
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
