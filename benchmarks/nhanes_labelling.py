"""Who is told that they are ill? Shares of people who do not know it, where labels depend on age, sex and the like.

usage: python benchmarks/nhanes_labelling.py FOLDER [CYCLES]      (nhanes.csv.gz, as for nhanes.py; default: all ten)

Written down before any of these fits was made, and kept: rows and features are those of `nhanes.py`, all ten cycles as
one sample; labels depend on age, sex, ethnicity and education, `LABELLING`; 200 people who were not told are audited,
drawn at random; bounds are those for chances of a label that vary at most 2-fold and 5-fold. What was measured is
looked at once, to be shown beside the estimates.
"""

from __future__ import annotations

import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pandas as pd
from nhanes import CONDITIONS, FEATURES, read
from reporting import write_table

from pugam import PUGAM

LABELLING = "s(age) + f(sex) + f(ethnicity) + f(education)"
N_AUDITED = 200
GAMMAS = (2.0, 5.0)
FITS = ("labels at random", "labels by preference", "labels at random, audit", "labels by preference, audit")


def audit_of(rows: pd.DataFrame) -> pd.Series:
    """What is found out about some of those who were not told."""
    measured = rows[(rows["z"] == 0) & rows["y"].notna()]
    return rows["y"].where(rows.index.isin(measured.sample(N_AUDITED, random_state=0).index))


def fit(folder: str, cycles: int, condition: str, how: str) -> list[object]:
    """Fit in one of four ways; return a line of the table."""
    rows = read(folder, condition, cycles)
    start = time.perf_counter()
    model = PUGAM(labelling=LABELLING if "preference" in how else None, n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(rows[FEATURES], rows["z"], audit=audit_of(rows) if "audit" in how else None)
    interval, sampling = model.pi_interval(), model.pi_interval(model_error=False)
    seconds = time.perf_counter() - start
    audited = model.check_audit().iloc[0] if "audit" in how else None
    return [
        condition,
        how,
        f"{interval.estimate:.3f} ({interval.lower:.3f} to {interval.upper:.3f})",
        f"{sampling.lower:.3f} to {sampling.upper:.3f}",
        model.verdict_,
        "-" if audited is None else f"{audited['estimate']:.3f} ({audited['lower']:.3f} to {audited['upper']:.3f})",
        "-" if audited is None else f"{audited['pvalue']:.2g}",
        f"{seconds:.0f}",
    ]


def measured(folder: str, cycles: int, condition: str) -> list[object]:
    """Return the share of those not told who have it, among those in whom it was measured."""
    rows = read(folder, condition, cycles)
    truth = rows.loc[rows["z"] == 0, "y"].dropna()
    return [condition, f"measured in {len(truth)}", f"{truth.mean():.3f}", *["-"] * 5]


def main(folder: str, cycles: int) -> None:
    tasks = [(folder, cycles, condition, how) for condition in CONDITIONS for how in FITS]
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        found = list(pool.map(fit, *zip(*tasks, strict=True)))
    rows = []
    for condition in CONDITIONS:
        rows += [line for line in found if line[0] == condition] + [measured(folder, cycles, condition)]
    write_table(
        "nhanes_labelling",
        "People who do not know that they are ill, with labels at random and by preference",
        [
            "condition",
            "fit",
            "share (95% interval)",
            "sampling interval",
            "verdict",
            "by the audit, without the model",
            "p, audit",
            "seconds",
        ],
        rows,
        f"Preference: {LABELLING}. Audit: {N_AUDITED} people who were not told, drawn at random. measured: among those "
        "not told in whom it was measured.",
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10)
