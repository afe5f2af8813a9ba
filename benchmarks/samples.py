"""Several unlabelled samples in one fit: do intervals for shares and differences cover, and is the test's size right?

usage: python benchmarks/samples.py [REPLICATES]      (default: 2000)

The curves of the paper's Setting 2; samples with shares of 0.1, 0.3 and 0.6, or all of 0.3. Each share is also
estimated by a fit to its own sample alone. Of the first 500 data sets alone, estimates vary more than they do in the
long run, by chance: what rows contribute at the true parameters has there 1.07 times its standard deviation for the
second share, and 1.03 times for the others.
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
from pugam.datasets import simulate

NAMES, SIZES, N_LABELLED = ("a", "b", "c"), (400, 700, 1000), 1000
SHARES, EQUAL = (0.1, 0.3, 0.6), (0.3, 0.3, 0.3)


def make_rows(shares: tuple[float, ...], seed: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Labelled rows and three unlabelled samples: features, labels, names of samples."""
    parts = []
    for number, (name, share, size) in enumerate(zip(NAMES, shares, SIZES, strict=True)):
        n0 = N_LABELLED if number == 0 else 1
        data = simulate(2, n0=n0, n=n0 + size, pi=share, random_state=10 * seed + number)
        rows = data.X.assign(z=data.z, sample=name)
        parts.append(rows if number == 0 else rows[data.z == 0])
    table = pd.concat(parts, ignore_index=True)
    return table.drop(columns=["z", "sample"]), table["z"].to_numpy(), table["sample"].to_numpy()


def move_rows(seed: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """The same, but in one sample values of x1 are smaller than elsewhere."""
    X, z, sample = make_rows(SHARES, 200_000 + seed)
    X.loc[(sample == "b") & (z == 0), "x1"] **= 1.3
    return X, z, sample


def answer(seed: int) -> list[float]:
    """Of each share: error, coverage, width, and those of a separate fit; coverage of differences; rejections."""
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore")
        X, z, sample = make_rows(SHARES, seed)
        model = PUGAM(check=False, n_jobs=1).fit(X, z, sample=sample)
        table, found = model.shares(model_error=False), []
        for number, (name, share) in enumerate(zip(NAMES, SHARES, strict=True)):
            lower, upper = table["lower"][number], table["upper"][number]
            kept = (z == 1) | (sample == name)
            alone = PUGAM(check=False, n_jobs=1).fit(X[kept], z[kept]).pi_interval(model_error=False)
            found += [table["pi"][number] - share, lower <= share <= upper, upper - lower]
            found += [alone.estimate - share, alone.upper - alone.lower]
        for one, other in ((1, 0), (2, 0), (2, 1)):
            difference = model.share_difference(NAMES[one], NAMES[other])
            found.append(difference.lower <= SHARES[one] - SHARES[other] <= difference.upper)
        same = model.test_curves()["pvalue"].to_numpy()[-1 - len(NAMES) :] < 0.05
        X, z, sample = make_rows(EQUAL, 100_000 + seed)
        equal = PUGAM(check=False, n_jobs=1).fit(X, z, sample=sample).test_shares()
        X, z, sample = move_rows(seed)
        moved = PUGAM(check=False, n_jobs=1).fit(X, z, sample=sample).test_curves()
        worst = moved["pvalue"][: -1 - len(NAMES)].idxmin()
        named = moved["sample"][worst] == "b" and moved["term"][worst] == "s(x1)"
    tests = equal.pvalue < 0.05, *same, moved["pvalue"].iloc[-1] < 0.05, named
    return [float(value) for value in (*found, *tests)]


def main(replicates: int) -> None:
    found = np.array(Parallel(n_jobs=-1, batch_size=1)(delayed(answer)(seed) for seed in range(replicates)))
    rows = []
    for number, share in enumerate(SHARES):
        error, held, width, alone, width_alone = found[:, 5 * number : 5 * number + 5].T
        row = [share, SIZES[number], error.mean(), error.std(ddof=1), width.mean() / 3.92, alone.std(ddof=1)]
        rows.append([*row, width_alone.mean() / 3.92, f"{held.mean():.3f}"])
    differences = found[:, 15:18].mean(axis=0)
    size, *of_samples, of_curves, power, named = found[:, 18:].mean(axis=0)
    write_table(
        "samples",
        f"Shares of three unlabelled samples in one fit, {N_LABELLED} labelled rows, {replicates} data sets",
        ["share", "rows", "bias", "sd", "standard error", "sd, alone", "standard error, alone", "coverage"],
        rows,
        "alone: of a fit to that sample and the labelled rows. 95% intervals for differences cover in "
        f"{', '.join(f'{value:.3f}' for value in differences)} of the data sets. Of data sets with equal shares the "
        f"test of equal shares rejects {size:.3f} at the 5% level. The test that curves are the same in all samples "
        f"rejects {of_curves:.3f}, that of one sample {', '.join(f'{value:.3f}' for value in of_samples)}; where x1 is "
        f"raised to the power 1.3 in all rows of the second sample {power:.3f}, and then the smallest p-value is that "
        f"of this term and sample in {named:.3f}. Monte-Carlo standard error of a coverage: "
        f"{np.sqrt(0.95 * 0.05 / replicates):.3f}. Intervals are sampling intervals.",
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
