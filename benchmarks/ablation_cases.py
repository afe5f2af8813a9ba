"""The cases of the ablation: masked tables, the paper's settings, and some with many columns or many rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import numpy as np
import pandas as pd
from ablation_switches import COLUMNS, PAPER, ROWS, TABLES

from pugam.datasets import simulate
from pugam.studies import real_tables
from pugam.studies.real_tables import RealTable, mask
from pugam.studies.realdata import SHARES

SEED = 22
SIZES, REPLICATES = (1500, 4500), 10
WIDE, WIDE_SHARES, NOISE_COLUMNS, WIDE_REPLICATES = "spambase", (0.5,), 20, 2
LONG_SIZES, LONG_REPLICATES = (60_000, 600_000), 1


class Rows(NamedTuple):
    X: pd.DataFrame
    labelled: np.ndarray
    y: np.ndarray


@dataclass(frozen=True)
class Case:
    """Rows to fit: a table or setting, something that tells its versions apart, and the number of the replicate."""

    group: str
    name: str
    version: float
    number: int

    @property
    def key(self) -> tuple[str, str, float, int]:
        return self.group, self.name, self.version, self.number

    def rows(self, folder: str) -> Rows:
        """Draw the rows: the same in every run."""
        seed = np.random.SeedSequence([SEED, self.number, *self.name.encode(), round(100 * self.version)])
        rows = MAKERS[self.group](self, folder, np.random.default_rng(seed))
        return rows._replace(X=rows.X.loc[:, rows.X.nunique() > 1])


def masked(case: Case, folder: str, rng: np.random.Generator) -> Rows:
    return Rows(*mask(load_tables(folder)[case.name], case.version, rng))


def simulated(case: Case, folder: str, rng: np.random.Generator) -> Rows:
    n = int(case.version)
    data = simulate(int(case.name[-1]), n0=5 * n // 6, n=n, random_state=rng)  # type: ignore[arg-type]
    return Rows(data.X, data.z == 1, data.y)


def with_many_columns(case: Case, folder: str, rng: np.random.Generator) -> Rows:
    """Half of all positives of a table are labelled, so that rows are enough; or a setting has columns of noise."""
    if case.name in load_tables(folder):
        with mock.patch.object(real_tables, "MOST_LABELLED", len(load_tables(folder)[case.name].y)):
            return masked(case, folder, rng)
    rows = simulated(case, folder, rng)
    noise = pd.DataFrame(rng.normal(size=(len(rows.X), NOISE_COLUMNS))).add_prefix("noise")
    return rows._replace(X=pd.concat([rows.X, noise], axis=1))


MAKERS: dict[str, Callable[[Case, str, np.random.Generator], Rows]] = {
    TABLES: masked,
    PAPER: simulated,
    COLUMNS: with_many_columns,
    ROWS: simulated,
}


@cache
def load_tables(folder: str) -> dict[str, RealTable]:
    """Load the tables of a folder, columns of text included, and two of scikit-learn's."""
    tables = [real_tables._breast_cancer(), real_tables._digits()]
    for path in sorted(Path(folder).glob("*.csv")):
        table = pd.read_csv(path)
        if table.columns[-1] == "y" and path.stem not in real_tables.WITHOUT_NEGATIVES:
            tables.append(RealTable(path.stem, table.drop(columns="y"), table["y"].to_numpy()))
    return {table.name: table for table in tables}


def cases(folder: str, maskings: int) -> list[Case]:
    """List all cases, the first masking of every table before the second."""
    settings = [f"Setting {setting}" for setting in (1, 2, 3)]
    names = load_tables(folder)
    return [
        *(Case(PAPER, name, n, number) for number in range(REPLICATES) for name in settings for n in SIZES),
        *(Case(ROWS, name, n, number) for number in range(LONG_REPLICATES) for name in settings for n in LONG_SIZES),
        *(Case(TABLES, name, share, 0) for name in names for share in SHARES),
        *(Case(COLUMNS, name, 4500, number) for number in range(WIDE_REPLICATES) for name in settings),
        *(Case(TABLES, name, share, number) for number in range(1, maskings) for name in names for share in SHARES),
        *(Case(COLUMNS, name, share, 0) for name in names if name == WIDE for share in WIDE_SHARES),
    ]
