"""Even or quantile knots? Error of pi on masked real tables and on the paper's settings, for both.

usage: python benchmarks/knots.py FOLDER [MASKINGS]      (CSV tables with a column y of true labels, 1/0; default: 6)

Each table is masked at five shares: labelled positives and an unlabelled sample, without overlap.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from reporting import error_by_table, write_table
from sklearn.datasets import load_breast_cancer

from pugam import PUGAM
from pugam.data import read_table
from pugam.datasets import simulate
from pugam.terms import Smooth, choose_terms

NAMES = ("wilt", "concrete", "wine_colour", "waveform", "htru2")
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
REPLICATES = 6
MOST_LABELLED, MOST_UNLABELLED = 800, 1500
PLACEMENTS = ("even", "quantile")


def tables(folder: Path) -> Iterator[tuple[str, pd.DataFrame, np.ndarray]]:
    for name in NAMES:
        path = folder / f"{name}.csv"
        if not path.exists():
            continue
        table = pd.read_csv(path)
        yield name, table.drop(columns="y"), table["y"].to_numpy()
    tumours = load_breast_cancer(as_frame=True)
    yield "breast cancer (means)", tumours.data.iloc[:, :10], 1 - tumours.target.to_numpy()


def masked(
    X: pd.DataFrame, y: np.ndarray, share: float, rng: np.random.Generator
) -> tuple[pd.DataFrame, np.ndarray, float]:
    positives, negatives = (rng.permutation(np.flatnonzero(y == label)) for label in (1, 0))
    n1 = min(MOST_UNLABELLED, int(len(negatives) / (1 - share)), int(0.5 * len(positives) / share))
    hidden = round(share * n1)
    labelled = positives[hidden:][:MOST_LABELLED]
    rows = np.concatenate([labelled, positives[:hidden], negatives[: n1 - hidden]])
    return X.iloc[rows].reset_index(drop=True), (np.arange(len(rows)) < len(labelled)).astype(int), hidden / n1


def errors(X: pd.DataFrame, z: np.ndarray, pi: float, option: str, choices: Sequence[str]) -> list[float]:
    """Absolute error of pi under each choice for an option of smooth terms."""
    found = []
    for choice in choices:
        terms = [
            replace(term, **{option: choice}) if isinstance(term, Smooth) else term
            for term in choose_terms(read_table(X))
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.append(abs(PUGAM(terms, check=False, n_jobs=1).fit(X, z).pi_ - pi))
    return found


def rows_of(folder: Path, maskings: int) -> Iterator[tuple[str, pd.DataFrame, np.ndarray, float]]:
    """Maskings of real tables, and simulated ones: name, features, labels, pi."""
    for name, X, y in tables(folder):
        for share in SHARES:
            for replicate in range(maskings):
                yield name, *masked(X, y, share, np.random.default_rng([replicate, round(100 * share)]))
    for setting in (1, 2, 3):
        for replicate in range(5 * maskings):
            data = simulate(setting, n0=1250, n=1500, random_state=replicate)
            yield f"simulated, Setting {setting}", data.X, data.z, 0.4


def compare(folder: Path, maskings: int, option: str, choices: Sequence[str]) -> list[list[object]]:
    """Mean error of pi for each table, under both choices, and their difference with its standard error."""
    names, *parts = zip(*rows_of(folder, maskings), strict=True)
    pairs = Parallel(n_jobs=-1, batch_size=1)(
        delayed(errors)(*row, option, choices) for row in zip(*parts, strict=True)
    )
    cells = {name: [pair for other, pair in zip(names, pairs, strict=True) if other == name] for name in names}
    cells["all"] = list(pairs)
    rows: list[list[object]] = []
    for name, some in cells.items():
        found = np.array(some)
        difference = found[:, 1] - found[:, 0]
        error = error_by_table(difference, names if name == "all" else range(len(some)))
        rows.append([name, len(found), *(float(mean) for mean in found.mean(axis=0)), float(difference.mean()), error])
    return rows


def main(folder: Path, maskings: int) -> None:
    write_table(
        "knots",
        "Mean absolute error of pi with even and with quantile knots",
        ["table", "fits", "even", "quantile", "quantile - even", "standard error of the difference"],
        compare(folder, maskings, "knots", PLACEMENTS),
        "Penalised splines with k = 10 adapt to either placement; even knots are the default. Standard errors are over "
        "fits, in the last row over tables.",
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else REPLICATES)
