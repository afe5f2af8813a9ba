"""How far off is pi on real tables beyond sampling error, and do intervals and verdicts account for it?

usage: python benchmarks/model_error.py FOLDER [MASKINGS [choose | report]]      (default: 1, both halves)

FOLDER holds the tables that `many_tables.py` writes, and others like them. Labels are hidden so that 10% to 90% of the
unlabelled rows are positive, MASKINGS times for each of five shares. The mean error behind the lower limit of intervals
(`pugam.inference.model_error`) was chosen on one half of the tables; the other half is used for no decision.
"""

from __future__ import annotations

import sys
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from held_to_its_word import SHARES, SUREST, calibration_error
from joblib import Parallel, delayed
from many_tables import half_of
from reporting import write_table
from scipy.stats import beta
from threadpoolctl import threadpool_limits

from pugam import PUGAM
from pugam.inference.model_error import MEAN_ERROR
from pugam.studies.real_tables import RealTable, mask

HALVES = ("choose", "report")
VERDICTS = ("well determined", "weakly determined", "not determined", "does not fit")
MEASURES = (
    "fits",
    "tables",
    "error",
    "bias",
    "coverage, sampling interval",
    "width",
    "coverage, reported interval",
    "of a population's share",
    "width",
    "worst",
    "log score",
    "ECE",
)
MOST_ROWS = 8000  # of a table, more than a masking takes


def load(path: Path) -> RealTable:
    rows = pd.read_csv(path)
    rows = rows.iloc[:: 1 + len(rows) // MOST_ROWS] if len(rows) > MOST_ROWS else rows
    return RealTable(path.stem, rows.drop(columns="y").reset_index(drop=True), rows["y"].to_numpy().astype(int))


def ask(path: Path, share: float, masking: int) -> dict[str, Any]:
    """Fit the default to one masking of a table."""
    rng = np.random.default_rng([zlib.crc32(path.stem.encode()), round(100 * share), masking])
    X, labelled, y = mask(load(path), share, rng)
    X = X.loc[:, X.nunique() > 1]
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore")
        model = PUGAM(n_jobs=1).fit(X, labelled)
    hidden = y[~labelled]
    truth = hidden.mean()
    interval, sampling = model.pi_interval(), model.pi_interval(model_error=False)
    posterior = np.clip(model.predict_proba(X[~labelled])[:, 1], SUREST, 1.0 - SUREST)
    return {
        "table": path.stem,
        "share": share,
        "verdict": model.verdict_,
        "error": model.pi_ - truth,
        "excess": np.log((1.0 - truth) / (1.0 - min(model.pi_, 1.0 - SUREST))),
        "held": interval.lower <= truth <= interval.upper,
        "held of a population": chance_to_hold(interval.lower, interval.upper, int(hidden.sum()), len(hidden)),
        "width": interval.upper - interval.lower,
        "held by sampling": sampling.lower <= truth <= sampling.upper,
        "width of sampling": sampling.upper - sampling.lower,
        "log score": -np.mean(np.log(np.where(hidden == 1, posterior, 1.0 - posterior))),
        "ECE": calibration_error(posterior, hidden),
    }


def chance_to_hold(lower: float, upper: float, positives: int, rows: int) -> float:
    """How likely an interval holds the share of the population that so many positives among the rows come from.

    The share is as the rows leave it, with a flat prior.
    """
    share = beta(1 + positives, 1 + rows - positives)
    return float(share.cdf(upper) - share.cdf(lower))


def summarise(found: pd.DataFrame) -> list[str]:
    """One row of the table; the standard error of coverage is clustered by table."""
    held = found.groupby("table")["held"].agg(["mean", "size"])
    weights = held["size"] / held["size"].sum()
    spread = float(np.sqrt(np.sum(weights**2 * (held["mean"] - found["held"].mean()) ** 2)))
    return [
        str(len(found)),
        str(found["table"].nunique()),
        f"{found['error'].abs().mean():.3f}",
        f"{found['error'].mean():+.3f}",
        f"{found['held by sampling'].mean():.3f}",
        f"{found['width of sampling'].mean():.2f}",
        f"{found['held'].mean():.3f} ± {spread:.3f}",
        f"{found['held of a population'].mean():.3f}",
        f"{found['width'].mean():.2f}",
        f"{found['error'].abs().max():.2f}",
        f"{found['log score'].mean():.3f}",
        f"{found['ECE'].mean():.3f}",
    ]


def groups(found: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Fits by verdict, and those that are well determined by share."""
    yield "all", found
    for verdict in VERDICTS:
        yield verdict, found[found["verdict"] == verdict]
    sure = found[found["verdict"] == VERDICTS[0]]
    for share in SHARES:
        yield f"{VERDICTS[0]}, share {share}", sure[sure["share"] == share]


def main(folder: Path, maskings: int, halves: tuple[str, ...]) -> None:
    rows, notes = [], []
    for half in halves:
        paths = [path for path in sorted(folder.glob("*.csv")) if half_of(path.stem) == half]
        tasks = [(path, share, masking) for path in paths for share in SHARES for masking in range(maskings)]
        answers = Parallel(n_jobs=-1, batch_size=1, verbose=1)(delayed(ask)(*task) for task in tasks)
        found = pd.DataFrame(answers)
        rows += [[half, name, *summarise(some)] for name, some in groups(found) if len(some)]
        fits = found[(found["verdict"] != VERDICTS[-1]) & (found["share"] < max(SHARES))]
        notes.append(f"{fits['excess'].median():.3f} in the median and {fits['excess'].mean():.3f} on average ({half})")
    write_table(
        "model_error",
        "The default on many real tables: errors of pi, and intervals with and without an allowance for model error",
        ["tables to", "verdict", *MEASURES],
        rows,
        "Tables of R packages whose classes trees predict with a ROC area of 0.82 to 0.99 (benchmarks/many_tables.py), "
        f"{maskings} masking(s) at each of five shares. error, bias: mean absolute and mean error of pi. coverage: of "
        "95% sampling intervals (`model_error=False`), with their mean width; then the same of reported intervals, ± a "
        "standard error clustered by table. Shares are fixed, not drawn, which is easier to cover: of a population's "
        "share: the same for the share of a population that the unlabelled rows may be a random sample from, about "
        "their own. worst: largest error. log: mean negative log-likelihood of the hidden labels. ECE: expected "
        "calibration error of posteriors, ten bins. Where the model fits, and shares are below "
        f"0.9, log((1 - pi) / (1 - estimate)) is {' and '.join(notes)}; intervals allow for an exponential error of "
        f"mean {MEAN_ERROR:g}, chosen on the first half.",
    )


if __name__ == "__main__":
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    main(Path(sys.argv[1]), count, tuple(sys.argv[3:]) or HALVES)
