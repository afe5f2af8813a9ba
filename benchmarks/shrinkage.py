"""Shrinkage on real tables: the error of pi without it, as it comes, and without the prior on separation.

usage: python benchmarks/shrinkage.py FOLDER [MASKINGS]

Tables are masked as in `pugam study realdata`, with another seed. Without shrinkage fits of the two widest tables take
minutes each: they are left out.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from joblib import Parallel, delayed
from reporting import write_table

from pugam import PUGAM
from pugam.errors import PugamWarning
from pugam.inference import profile_of
from pugam.studies.real_tables import load_real_tables, mask
from pugam.studies.realdata import SHARES

SEED = 7
TOO_WIDE = ("mushroom", "spambase")


def errors(folder: str, name: str, share: float, number: int) -> list[float]:
    """Errors of pi: without shrinkage, by default, and so without the prior on separation; and whether it shrinks."""
    seed = np.random.SeedSequence([SEED, number, *name.encode(), round(100 * share)])
    X, labelled, y = mask(load_real_tables(folder)[name], share, np.random.default_rng(seed))
    X = X.loc[:, X.nunique() > 1]
    truth = float(y[~labelled].mean())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PugamWarning)
        warnings.simplefilter("ignore", UserWarning)
        model = PUGAM(n_jobs=1).fit(X, labelled)
        never = PUGAM(n_jobs=1, shrinkage="never").fit(X, labelled) if model.shrinkage_ is not None else model
    alone = model.pi_
    if model.shrinkage_ is not None:
        alone = float(1.0 / (1.0 + np.exp(-profile_of(model._fitted("The profile")).peak)))
    return [abs(never.pi_ - truth), abs(model.pi_ - truth), abs(alone - truth), float(model.shrinkage_ is not None)]


def main() -> None:
    folder, maskings = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 4
    names = [name for name in load_real_tables(folder) if name not in TOO_WIDE]
    tasks = [(folder, name, share, number) for name in names for share in SHARES for number in range(maskings)]
    found = np.array(Parallel(n_jobs=-1, batch_size=1)(delayed(errors)(*task) for task in tasks))
    tables = np.array([task[1] for task in tasks])
    rows = [_row(name, found[tables == name]) for name in names]
    header = ["table", "fits", "shrunken", "never", "auto", "auto, no prior on separation", "auto - never", "its error"]
    note = (
        "never: PUGAM(shrinkage='never'); auto: the default; without the prior on separation: where curves are "
        "shrunken, the pi at which the profile of rows held out is highest."
    )
    title = "Mean absolute error of pi on real tables, with and without shrinkage"
    write_table("shrinkage", title, header, [*rows, _row("all", found)], note)


def _row(name: str, found: np.ndarray) -> list[object]:
    difference = found[:, 1] - found[:, 0]
    error = float(difference.std(ddof=1) / np.sqrt(len(difference)))
    never, auto, alone, shrunken = (float(value) for value in found.mean(axis=0))
    return [name, len(found), f"{shrunken:.2f}", never, auto, alone, float(difference.mean()), error]


if __name__ == "__main__":
    main()
