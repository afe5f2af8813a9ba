"""What audits buy: width and coverage of intervals for pi by audited rows; and whether an audit refutes a wrong model.

usage: python benchmarks/audits.py [REPLICATES]      (default: 500)

Data are those of misspecification.py, without and with an interaction, or with labels that depend on a feature; the fit
is additive, so that the interaction makes it wrong. Rows are audited at random.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from joblib import Parallel, delayed
from misspecification import FEATURES, N0, N1, PI, Cell, make_table
from reporting import write_table
from threadpoolctl import threadpool_limits

from pugam import PUGAM

COUNTS = (0, 25, 50, 100, 200)
WITHOUT = ("without the model: coverage", "without the model: width", "refuted")
WAYS = {
    "nothing": {},
    "interaction of size 2": {"size": 2.0},
    "interaction of size 4": {"size": 4.0},
    "labelled five times as often at x1 = 1": {"preference": 5.0},
}
CELLS = tuple(Cell(features, what, **ways) for what, ways in WAYS.items() for features in FEATURES)


def answer(cell: Cell, count: int, seed: int) -> list[float]:
    """By the model: error, coverage, width; without it: coverage, width, and whether the audit refutes the model."""
    X, z = make_table(cell, seed)
    rng = np.random.default_rng([seed, count])
    hidden = count_hidden(seed)
    audit = np.full(len(z), np.nan)
    drawn = N0 + rng.choice(N1, count, replace=False)
    audit[drawn] = drawn < N0 + hidden
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore")
        model = PUGAM(interactions=None, check=False, n_jobs=1).fit(X, z, audit=audit if count else None)
        interval = model.pi_interval(model_error=False)
        found = [model.pi_ - PI, interval.lower <= PI <= interval.upper, interval.upper - interval.lower]
        if count:
            lower, upper, pvalue = (float(model.check_audit()[name][0]) for name in ("lower", "upper", "pvalue"))
            found += [lower <= PI <= upper, upper - lower, pvalue < 0.05]
    return [float(value) for value in found] + [np.nan] * (0 if count else 3)


def count_hidden(seed: int) -> int:
    """How many of the unlabelled rows of `make_table` are positive; they come first."""
    return int(np.random.default_rng(seed).binomial(N1, PI))


def main(replicates: int) -> None:
    rows = []
    for cell in CELLS:
        for count in COUNTS:
            tasks = (delayed(answer)(cell, count, seed) for seed in range(replicates))
            found = np.array(Parallel(n_jobs=-1, batch_size=1)(tasks))
            shown = ["-" if np.isnan(value) else f"{value:.3f}" for value in found.mean(axis=0)]
            rows.append([cell.features, cell.what, count, f"{found[:, 0].mean():+.3f}", *shown[1:]])
    write_table(
        "audits",
        f"Audited rows of {N1} unlabelled ones, of which a share of {PI} is positive: an additive fit, {replicates} "
        "data sets a line",
        [*("features", "what is wrong", "audited", "bias", "coverage", "width"), *WITHOUT],
        rows,
        "coverage, width: of 95% sampling intervals, by the model, which knows the audited rows, and by "
        "posteriors corrected by audited rows. refuted: p < 0.05 in "
        f"check_audit(). Monte-Carlo standard error of a coverage: {np.sqrt(0.95 * 0.05 / replicates):.3f}.",
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
