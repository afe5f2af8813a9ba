"""What real tables do to an estimator: extreme shares, lopsided samples, copies, outliers, tails, spikes, many columns.

usage: python benchmarks/hardships.py FOLDER [MASKINGS]

Tables are masked as in `pugam study realdata`, with another seed, and then made harder in one way at a time; two
estimators on cross-fitted boosting scores see the same rows. The two widest tables, whose fits take longest, are left
out.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from peers import PEERS
from reporting import write_table

from pugam.errors import PugamError
from pugam.studies.our_methods import OURS
from pugam.studies.real_tables import load_real_tables, mask

SEED = 11
TOO_WIDE = ("mushroom", "spambase")
METHODS = {"pugam": OURS["pugam"]} | {name: PEERS[name] for name in ("BBE (boosting)", "DEDPUL (boosting)")}
LARGE = 0.3
MANY_COLUMNS = 100


class Rows(NamedTuple):
    X: pd.DataFrame
    labelled: np.ndarray
    y: np.ndarray


Change = Callable[[Rows, np.random.Generator], Rows]


def as_it_is(rows: Rows, rng: np.random.Generator) -> Rows:
    return rows


def keep_some(labelled: bool, count: int) -> Change:
    """Keep so many of the labelled or unlabelled rows, and all others."""

    def change(rows: Rows, rng: np.random.Generator) -> Rows:
        chosen = rng.permutation(np.flatnonzero(rows.labelled == labelled))[:count]
        kept = np.sort(np.concatenate([chosen, np.flatnonzero(rows.labelled != labelled)]))
        return Rows(rows.X.iloc[kept].reset_index(drop=True), rows.labelled[kept], rows.y[kept])

    return change


def every_row_twice(rows: Rows, rng: np.random.Generator) -> Rows:
    return Rows(pd.concat([rows.X, rows.X], ignore_index=True), np.tile(rows.labelled, 2), np.tile(rows.y, 2))


def outliers(rows: Rows, rng: np.random.Generator) -> Rows:
    """One value in a hundred is a thousand times too large, as of a misplaced decimal point."""
    values = rows.X.to_numpy()
    return rows._replace(X=rows.X.where(rng.random(values.shape) > 0.01, 1000.0 * values))


def heavy_tails(rows: Rows, rng: np.random.Generator) -> Rows:
    return rows._replace(X=((rows.X - rows.X.median()) / rows.X.std()) ** 3)


def spikes_at_zero(rows: Rows, rng: np.random.Generator) -> Rows:
    """The lower half of each column is zero, as below a limit of detection."""
    above = rows.X - rows.X.median()
    return rows._replace(X=above.where(above > 0.0, 0.0))


def five_values(rows: Rows, rng: np.random.Generator) -> Rows:
    """Fifths instead of values, as in a questionnaire."""
    return rows._replace(X=rows.X.apply(lambda column: np.floor(4.999 * column.rank(pct=True, method="average"))))


def near_copies(rows: Rows, rng: np.random.Generator) -> Rows:
    """Each column a second time, with a correlation of 0.99."""
    noise = rng.normal(size=rows.X.shape) * 0.14 * rows.X.std().to_numpy()
    return rows._replace(X=pd.concat([rows.X, (rows.X + noise).add_suffix(" again")], axis=1))


def noise_columns(rows: Rows, rng: np.random.Generator) -> Rows:
    """As many columns that say nothing as make it a hundred."""
    count = max(MANY_COLUMNS - rows.X.shape[1], 0)
    noise = pd.DataFrame(rng.normal(size=(len(rows.X), count)), columns=[f"noise {j}" for j in range(count)])
    return rows._replace(X=pd.concat([rows.X, noise], axis=1))


HARDSHIPS: dict[str, tuple[float, Change]] = {
    "none": (0.5, as_it_is),
    "pi = 0.02": (0.02, as_it_is),
    "pi = 0.95": (0.95, as_it_is),
    "50 labelled rows": (0.5, keep_some(labelled=True, count=50)),
    "50 unlabelled rows": (0.5, keep_some(labelled=False, count=50)),
    "every row twice": (0.5, every_row_twice),
    "1% of values times 1000": (0.5, outliers),
    "values to the third power": (0.5, heavy_tails),
    "lower half of each column zero": (0.5, spikes_at_zero),
    "five values in each column": (0.5, five_values),
    "a near copy of each column": (0.5, near_copies),
    "noise up to 100 columns": (0.5, noise_columns),
}


def ask(folder: str, hardship: str, name: str, number: int) -> list[float]:
    """Errors of all methods; then of ours: whether the interval holds, whether pi is doubted, a large silent error."""
    seed = np.random.SeedSequence([SEED, number, *name.encode(), *hardship.encode()])
    rng = np.random.default_rng(seed)
    share, change = HARDSHIPS[hardship]
    X, labelled, y = change(Rows(*mask(load_real_tables(folder)[name], share, rng)), rng)
    X = X.loc[:, X.nunique() > 1]
    truth = float(y[~labelled].mean())
    errors, checks = [], [np.nan, np.nan, 0.0]
    for method, estimate in METHODS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                answer = estimate(X, labelled, rng)
            except PugamError:  # a refusal of ours says what is wrong; it is counted
                errors.append(np.nan)
                continue
        assert answer.pi is not None
        errors.append(abs(answer.pi - truth))
        if method == "pugam":
            assert answer.interval is not None
            doubted = answer.warned or answer.flagged
            low, high = answer.interval
            checks = [float(low <= truth <= high), float(doubted), float(errors[-1] > LARGE and not doubted)]
    return [*errors, *checks]


def main() -> None:
    folder, maskings = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    names = [name for name in load_real_tables(folder) if name not in TOO_WIDE]
    tasks = [(folder, hardship, name, number) for hardship in HARDSHIPS for name in names for number in range(maskings)]
    found = np.array(Parallel(n_jobs=-1, batch_size=1)(delayed(ask)(*task) for task in tasks))
    hardships = np.array([task[1] for task in tasks])
    rows = [_row(hardship, found[hardships == hardship]) for hardship in HARDSHIPS]
    header = ["hardship", "fits", *METHODS, "refused", "coverage", "doubted", f"error > {LARGE}, not doubted"]
    note = (
        f"Mean absolute error of pi, with its standard error, over {', '.join(names)}; pi = 0.5 unless said. coverage, "
        "doubted: share of pugam's 95% intervals that cover the truth, and of its fits of which a warning or the "
        "diagnosis casts doubt on pi."
    )
    write_table("hardships", "What real tables do to an estimator of pi", header, rows, note)


def _row(hardship: str, found: np.ndarray) -> list[object]:
    errors, (covered, doubted, silent) = found[:, : len(METHODS)], np.nanmean(found[:, len(METHODS) :], axis=0)
    spread = np.nanstd(errors, axis=0, ddof=1) / np.sqrt(np.isfinite(errors).sum(axis=0))
    cells = [f"{mean:.3f} ± {one:.3f}" for mean, one in zip(np.nanmean(errors, axis=0), spread, strict=True)]
    refused = int(np.isnan(errors[:, 0]).sum())
    return [hardship, len(found), *cells, refused, f"{covered:.2f}", f"{doubted:.2f}", round(silent * len(found))]


if __name__ == "__main__":
    main()
