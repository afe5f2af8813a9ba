"""Shrinkage on real tables: the error of pi as it comes, by marginal likelihood or smoothing alone instead, and without
the prior on separation.

usage: python benchmarks/shrinkage.py FOLDER [MASKINGS]

Tables are masked as in `pugam study realdata`, with another seed. Without shrinkage fits of the two widest tables take
minutes each: they are left out.
"""

from __future__ import annotations

import sys
import warnings
from unittest.mock import patch

import numpy as np
from joblib import Parallel, delayed
from reporting import error_by_table, write_table

from pugam import PUGAM
from pugam.errors import PugamWarning
from pugam.inference import profile_of
from pugam.solvers import strategy
from pugam.studies.real_tables import load_real_tables, mask
from pugam.studies.realdata import SHARES

SEED = 7
TOO_WIDE = ("mushroom", "spambase")
DIFFERENCES = ("auto - smoothed", "auto - marginal")


def errors(folder: str, name: str, share: float, number: int) -> list[float]:
    """Errors of pi: smoothed, by marginal likelihood, by default, with no prior on separation; whether it shrinks."""
    seed = np.random.SeedSequence([SEED, number, *name.encode(), round(100 * share)])
    X, labelled, y = mask(load_real_tables(folder)[name], share, np.random.default_rng(seed))
    X = X.loc[:, X.nunique() > 1]
    truth = float(y[~labelled].mean())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PugamWarning)
        warnings.simplefilter("ignore", UserWarning)
        model = PUGAM(n_jobs=1, check=False).fit(X, labelled)
        smoothed = evidence = alone = model.pi_
        if model.shrinkage_ is not None:
            smoothed = PUGAM(n_jobs=1, check=False, shrinkage="never").fit(X, labelled).pi_
            with patch.object(strategy, "has_enough_rows", return_value=True):
                evidence = PUGAM(n_jobs=1, check=False).fit(X, labelled).pi_
            alone = float(1.0 / (1.0 + np.exp(-profile_of(model._fitted("The profile")).peak)))
    errors = [abs(pi - truth) for pi in (smoothed, evidence, model.pi_, alone)]
    return [*errors, float(model.shrinkage_ is not None)]


def main() -> None:
    folder, maskings = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 4
    names = [name for name in load_real_tables(folder) if name not in TOO_WIDE]
    tasks = [(folder, name, share, number) for name in names for share in SHARES for number in range(maskings)]
    found = np.array(Parallel(n_jobs=-1, batch_size=1)(delayed(errors)(*task) for task in tasks))
    tables = np.array([task[1] for task in tasks])
    rows = [_row(name, found[tables == name], np.arange(np.sum(tables == name))) for name in names]
    header = ["table", "fits", "shrunken", "smoothed", "marginal", "auto", "no prior on separation", *DIFFERENCES]
    note = (
        "Where the default (auto) shrinks: smoothed: PUGAM(shrinkage='never'); marginal: by marginal likelihood, with "
        "priors on all coefficients; no prior on separation: the pi at which the profile of rows held out is highest. "
        "The last two columns: mean difference of errors, with its standard error over maskings; in the last row over "
        "tables."
    )
    title = "Mean absolute error of pi on real tables, with and without shrinkage"
    write_table("shrinkage", title, header, [*rows, _row("all", found, tables)], note)


def _row(name: str, found: np.ndarray, clusters: np.ndarray) -> list[object]:
    *errors, shrunken = (float(value) for value in found.mean(axis=0))
    return [
        name,
        len(found),
        f"{shrunken:.2f}",
        *errors,
        *(_difference(found[:, 2] - found[:, j], clusters) for j in (0, 1)),
    ]


def _difference(values: np.ndarray, clusters: np.ndarray) -> str:
    return f"{values.mean():+.3f} ± {error_by_table(values, list(clusters)):.3f}"


if __name__ == "__main__":
    main()
