"""Labelled rows that name their sample: does the test that they look alike keep its size, and see what is wrong?

usage: python benchmarks/sample_positives.py [REPLICATES]      (default: 300)

Two years of 3000 people each. Of five features four are normal, x2 is 0 or 1; the log odds of being ill are
-2.6 + 2 x1 + 1.5 x2 - 1.5 x3 + x4. Some share of the ill is labelled at random, each in their year, and labelled rows
name it. Then the number of labels differs, or the mix of the ill and the others, or the log odds are larger by 1 in the
second year, while features are distributed alike. The difference of shares by `sample=` stands beside that of one fit
for each year, with its own labelled rows.
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
from pugam.inference import compare_positives

N_PEOPLE, YEARS = 3000, (2023, 2024)
DESIGNS = {
    "the same risk, labelled as often": ((0.0, 0.0), (0.4, 0.4), "risk"),
    "the same risk, labelled half as often in the second year": ((0.0, 0.0), (0.4, 0.2), "risk"),
    "more positives in the second year, which look the same": ((0.0, 0.1), (0.4, 0.4), "mix"),
    "the same, half the people": ((0.0, 0.1), (0.4, 0.4), "mix of half"),
    "a larger risk at the same features in the second year": ((0.0, 1.0), (0.4, 0.4), "risk"),
}


def make_people(rng: np.random.Generator, n: int, shift: float) -> tuple[pd.DataFrame, np.ndarray]:
    """Features, and who is ill."""
    X = pd.DataFrame(rng.normal(size=(n, 5)), columns=["x1", "x2", "x3", "x4", "x5"])
    X["x2"] = (X["x2"] > 0.0).astype(float)
    log_odds = -2.6 + shift + 2.0 * X["x1"] + 1.5 * X["x2"] - 1.5 * X["x3"] + X["x4"]
    return X, rng.random(n) < 1.0 / (1.0 + np.exp(-log_odds))


def make_mix(rng: np.random.Generator, n: int, more: float) -> tuple[pd.DataFrame, np.ndarray]:
    """The same, with a larger share of the ill, who look as those of the first year do."""
    X, ill = make_people(rng, 8 * n, 0.0)
    wanted = rng.random(n) < ill.mean() + more
    chosen = np.concatenate([np.flatnonzero(ill)[: wanted.sum()], np.flatnonzero(~ill)[: n - wanted.sum()]])
    return X.iloc[chosen].reset_index(drop=True), ill[chosen]


def make_rows(design: str, seed: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, np.ndarray]:
    """Features, labels, years, and who is ill."""
    moved, labelled, how = DESIGNS[design]
    rng, make = np.random.default_rng(seed), make_people if how == "risk" else make_mix
    n = N_PEOPLE // 2 if how == "mix of half" else N_PEOPLE
    people = [make(rng, n, shift) for shift in moved]
    X, y = pd.concat([one for one, _ in people], ignore_index=True), np.concatenate([ill for _, ill in people])
    year = np.repeat(YEARS, n)
    z = (y & (rng.random(len(y)) < np.repeat(labelled, n))).astype(int)
    return X, z, year, y


def answer(design: str, seed: int) -> list[float]:
    """The p-values of both tests; error and coverage of the difference of shares, by samples and year by year."""
    X, z, year, y = make_rows(design, seed)
    truth = float(np.diff([y[(year == one) & (z == 0)].mean() for one in YEARS])[0])
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore")
        model = PUGAM(n_jobs=1, check=False).fit(X, z, sample=year)
        difference = model.share_difference(YEARS[1], YEARS[0])
        alike = compare_positives(model._fitted("The test"), model._origins)
        alone = [PUGAM(check=False, n_jobs=1).fit(X[year == one], z[year == one]) for one in YEARS]
        by_year = alone[1].changes_since(alone[0]).share
    assert alike is not None
    return [
        alike.pvalue,
        model.test_curves()["pvalue"].iloc[-1],
        difference.estimate - truth,
        difference.lower <= truth <= difference.upper,
        by_year.estimate - truth,
        by_year.lower <= truth <= by_year.upper,
    ]


def main(replicates: int) -> None:
    rows = []
    for number, design in enumerate(DESIGNS):
        jobs = (delayed(answer)(design, 10_000 * number + seed) for seed in range(replicates))
        found = np.array(Parallel(n_jobs=-1, batch_size=1)(jobs), dtype=float)
        tests = [f"{(found[:, 0] < 0.05).mean():.3f}", f"{(found[:, 0] < 0.01).mean():.3f}"]
        rows.append([design, *tests, f"{(found[:, 1] < 0.01).mean():.3f}"])
        rows[-1] += [found[:, 2].mean(), f"{found[:, 3].mean():.3f}", found[:, 4].mean(), f"{found[:, 5].mean():.3f}"]
    errors = [f"{np.sqrt(level * (1.0 - level) / replicates):.3f}" for level in (0.05, 0.01)]
    write_table(
        "sample_positives",
        f"Two years whose labelled rows name their year, {N_PEOPLE} people each, {replicates} data sets",
        ["", "p < 0.05", "p < 0.01", "curves", "bias", "coverage", "bias, by year", "coverage, by year"],
        rows,
        "p < 0.05, p < 0.01: how often the test that labelled rows of both years look alike rejects. curves: how often "
        "that of common curves does, at 0.01. bias, coverage: of the difference of the two shares and its 95% sampling "
        "interval, by `sample=`, and by two fits, each with the labelled rows of its year; the shares are those of the "
        "unlabelled rows that were drawn. Monte-Carlo standard error of a "
        f"rejection rate of 0.05: {errors[0]}, of 0.01: {errors[1]}, of a coverage of 0.95: {errors[0]}.",
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
