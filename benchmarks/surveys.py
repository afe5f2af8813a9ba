"""Surveys in two stages: do intervals cover that account for clusters, strata and sampling weights?

usage: python benchmarks/surveys.py [REPLICATES]      (default: 500)

Ten strata differ in how many people are positive; six clusters are drawn in each, which differ in that, too, and in
where their features lie. Of a cluster's 120 people some are asked, those with a large x1 less often, and 60% of the
positives know that they are. A bootstrap of clusters is run for every tenth data set.
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

N_STRATA, N_CLUSTERS, N_PEOPLE, N_FEATURES = 10, 6, 120, 4
SHARES = np.linspace(0.2, 0.7, N_STRATA)  # of positives, in the strata
ALIKE, APART, SHIFT = 15.0, 0.25, 1.4  # a beta's sum, variance of places between clusters, of positives to negatives
TOLD, RARELY = 0.6, 0.25  # chances: of being labelled if positive, and of being asked with a large x1
PI = SHARES.mean() * (1.0 - TOLD) / (1.0 - SHARES.mean() * TOLD)
CONTRAST = SHIFT / (1.0 + APART)  # of the log odds, for one unit of a feature
BOOTSTRAPPED, N_RESAMPLES = 10, 200
SETTINGS = {"check": False, "n_jobs": 1, "interactions": None}  # clusters can look like interactions, of which none are


def draw(seed: int) -> pd.DataFrame:
    """A survey: features, z, stratum, cluster and weight of each row."""
    rng = np.random.default_rng(seed)
    stratum = np.repeat(np.arange(N_STRATA), N_CLUSTERS)
    share = rng.beta(ALIKE * SHARES[stratum], ALIKE * (1.0 - SHARES[stratum]))
    place = rng.normal(0.0, np.sqrt(APART), size=(len(stratum), N_FEATURES))
    cluster = np.repeat(np.arange(len(stratum)), N_PEOPLE)
    y = rng.random(len(cluster)) < share[cluster]
    x = place[cluster] + rng.normal(size=(len(cluster), N_FEATURES)) + SHIFT * y[:, None]
    chance = np.where(x[:, 0] > 1.0, RARELY, 1.0) * 0.5
    table = pd.DataFrame(x, columns=[f"x{number + 1}" for number in range(N_FEATURES)])
    table = table.assign(z=(y & (rng.random(len(y)) < TOLD)).astype(int), weight=1.0 / chance, cluster=cluster)
    return table.assign(stratum=stratum[cluster])[rng.random(len(y)) < chance].reset_index(drop=True)


def answer(seed: int) -> list[list[float]]:
    """Estimate, lower and upper limit of pi and of a contrast: by rows, by the survey, by a bootstrap of clusters."""
    table = draw(seed)
    X, z = table.filter(like="x"), table["z"].to_numpy()
    weight = (table["weight"] / table["weight"].mean()).to_numpy()
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore")
        by_rows = PUGAM(**SETTINGS).fit(X, z, weight)
        by_survey = PUGAM(**SETTINGS).fit(X, z, weight, groups=table["cluster"], strata=table["stratum"])
        found = [interval for model in (by_rows, by_survey) for interval in _asked(model)]
        if seed % BOOTSTRAPPED == 0:
            resamples = by_survey.bootstrap(N_RESAMPLES, progress=False)
            found += [resamples.interval(kind="percentile"), resamples.contrast({"x2": 0.0}, {"x2": 1.0})]
    return [[one.estimate, one.lower, one.upper] for one in found]


def _asked(model: PUGAM) -> list:
    return [model.pi_interval(model_error=False), model.contrast({"x2": 0.0}, {"x2": 1.0})]


def main(replicates: int) -> None:
    answers = Parallel(n_jobs=-1, batch_size=1)(delayed(answer)(seed) for seed in range(replicates))
    rows = []
    for number, (what, truth) in enumerate((("pi", PI), ("contrast", CONTRAST))):
        for place, method in enumerate(("rows", "survey", "bootstrap of clusters")):
            found = np.array([one[2 * place + number] for one in answers if len(one) > 2 * place])
            estimate, lower, upper = found.T
            error = float(np.mean(upper - lower)) / 3.92
            held = np.mean((lower <= truth) & (truth <= upper))
            spread = estimate.std(ddof=1) if len(found) > 1 else np.nan
            rows.append([what, truth, method, len(found), estimate.mean() - truth, spread, error, f"{held:.3f}"])
    write_table(
        "surveys",
        f"Surveys in two stages: {N_STRATA} strata of {N_CLUSTERS} clusters, {replicates} data sets",
        ["of", "truth", "intervals by", "data sets", "bias", "sd", "width / 3.92", "coverage"],
        rows,
        "rows: sample_weight scaled to a mean of one, without clusters. survey: fit(..., groups=, strata=). contrast: "
        "of the log odds, for one unit of a feature; its intervals also allow for the bias of the priors, save those "
        f"of the bootstrap ({N_RESAMPLES} resamples, percentile). No search for interactions. Monte-Carlo standard "
        "error of a coverage: "
        f"{np.sqrt(0.95 * 0.05 / replicates):.3f}, of the bootstrap's "
        f"{np.sqrt(0.95 * 0.05 * BOOTSTRAPPED / replicates):.3f}. Intervals for pi are sampling intervals.",
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
