"""Unlabelled samples whose negatives differ along one column: are shares right if its curve varies with the sample?

usage: python benchmarks/own_curves.py [REPLICATES]      (default: 200)

Three columns, normal in each class. Negatives of the samples have another mean in the first column: far apart, or the
same in all samples, which is when curves of their own are not needed. Beside a fit with common curves and one in which
the first term varies with the sample, each sample is fitted alone, with all labelled rows.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from reporting import write_table
from threadpoolctl import threadpool_limits

from pugam import PUGAM

SAMPLES = ("a", "b", "c")
SHARES, SIZES, N_LABELLED = (0.2, 0.5, 0.35), (700, 700, 400), 800
MEANS = {"differ": (-1.0, 0.5, -0.25), "are the same": (-1.0, -1.0, -1.0)}  # of negatives, in the first column
WAYS = {"common": "s(x) + s(y) + s(z)", "own": "s(x, by=site) + s(y) + s(z)"}


def make_rows(means: tuple[float, ...], seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Features with the name of the sample, and labels."""
    rng = np.random.default_rng(seed)
    rows, sites = [rng.normal(size=(N_LABELLED, 3))], [np.full(N_LABELLED, "a")]
    for site, share, size, mean in zip(SAMPLES, SHARES, SIZES, means, strict=True):
        n_positive = rng.binomial(size, share)
        negatives = rng.normal([mean, -1.5, -1.0], size=(size - n_positive, 3))
        rows += [rng.normal(size=(n_positive, 3)), negatives]
        sites.append(np.full(size, site))
    X = pd.DataFrame(np.vstack(rows), columns=["x", "y", "z"]).assign(site=np.concatenate(sites))
    return X, (np.arange(len(X)) < N_LABELLED).astype(int)


def answer(means: tuple[float, ...], seed: int) -> np.ndarray:
    """Of each way and sample: estimate, lower and upper limit; of all rows and of a difference with known shares."""
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore")
        X, z = make_rows(means, seed)
        found = []
        for terms in WAYS.values():
            model = PUGAM(terms, interactions=None, check=False, n_jobs=1).fit(X, z, sample="site")
            difference = model.share_difference("b", "a")
            limits = model.shares(model_error=False)[["pi", "lower", "upper"]].to_numpy()
            found.append([*limits, [difference.estimate, difference.lower, difference.upper]])
        alone = []
        for site in SAMPLES:
            kept = (z == 1) | (X["site"] == site).to_numpy()
            model = PUGAM(WAYS["common"], interactions=None, check=False, n_jobs=1).fit(X[kept], z[kept])
            interval = model.pi_interval(model_error=False)
            alone.append([interval.estimate, interval.lower, interval.upper])
        return np.array([*found, [*alone, [np.nan] * 3, [np.nan] * 3]])


def main(replicates: int) -> None:
    jobs = [(name, seed) for name in MEANS for seed in range(replicates)]
    done = Parallel(n_jobs=-1, batch_size=1)(delayed(answer)(MEANS[name], seed) for name, seed in jobs)
    truth = np.array([*SHARES, np.dot(SHARES, SIZES) / sum(SIZES), SHARES[1] - SHARES[0]])
    told = [*(f"{name}, {share}" for name, share in zip(SAMPLES, SHARES, strict=True)), "all", "b - a"]
    lines = []
    for number, name in enumerate(MEANS):
        found = np.array(done[number * replicates : (number + 1) * replicates])
        for way, of_way in zip((*WAYS, "one by one"), found.transpose(1, 2, 3, 0), strict=True):
            for what, true, (estimate, lower, upper) in zip(told, truth, of_way, strict=True):
                if not np.isnan(estimate).all():
                    held = np.mean((lower <= true) & (true <= upper))
                    shown = estimate.mean() - true, estimate.std(ddof=1), (upper - lower).mean() / 3.92
                    lines.append([name, way, what, *(f"{value:.3f}" for value in shown), f"{held:.3f}"])
    write_table(
        "own_curves",
        f"Shares of three samples whose negatives differ along one column, or not, {replicates} data sets each",
        ["negatives", "curve of that column", "share", "bias", "sd", "standard error", "coverage"],
        lines,
        f"{N_LABELLED} labelled rows, {SIZES[0]}, {SIZES[1]} and {SIZES[2]} unlabelled ones. Intervals are 95% "
        "sampling intervals; standard error: their mean width over 3.92. one by one: a fit to each sample "
        f"and all labelled rows. Monte-Carlo standard error of a coverage: {np.sqrt(0.95 * 0.05 / replicates):.3f}.",
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
