"""Kinds of positives labelled 32:16:8:4:2:1 and hidden in equal parts: is pi right, and do intervals hold it?

usage: python benchmarks/kinds.py [REPLICATES] [FOLDER]      (default: 100 data sets, no folder)

Simulated kinds are normal around six places, at a distance of 3 or 4 from the negatives. Digits are scikit-learn's, as
eight principal components: six of them, drawn anew for each data set, are positive. With a folder that holds
mushroom.csv, poisonous mushrooms of six odours, which is what tells kinds and no feature. Beside the default, which
takes all positives for one kind: kinds as given, and kinds found by `kind="auto"`. Rare kinds are pooled.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from reporting import write_table
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from threadpoolctl import threadpool_limits

from pugam import PUGAM

MIX = np.array([32, 16, 8, 4, 2, 1])
N_KINDS, SHARE = len(MIX), 0.3
WAYS = ("default", "kinds given", "kinds found")
ODOURS = "fsypcn"  # foul, spicy, fishy, pungent, creosote, none
MUSHROOM = ("cap-shape", "cap-surface", "cap-color", "bruises", "gill-size", "stalk-shape", "ring-type", "habitat")


class Rows(NamedTuple):
    """Features, labels, kinds of labelled rows, and the share of positives among unlabelled rows."""

    X: pd.DataFrame
    z: np.ndarray
    kind: np.ndarray
    pi: float


def normal_kinds(distance: float, seed: int) -> Rows:
    """Kinds around six places in five columns, which are the same in all data sets."""
    rng = np.random.default_rng(seed)
    places = np.random.default_rng(5).normal(size=(N_KINDS, 5))
    places *= distance / np.linalg.norm(places, axis=1)[:, None]
    n_hidden = rng.binomial(2000, SHARE)
    labelled, hidden = np.repeat(np.arange(N_KINDS), 20 * MIX), rng.integers(N_KINDS, size=n_hidden)
    centres = np.vstack([places[labelled], places[hidden], np.zeros((2000 - n_hidden, 5))])
    X = pd.DataFrame(centres + rng.normal(size=centres.shape), columns=list("abcde"))
    return _rows(X, labelled, SHARE)


def digits() -> tuple[np.ndarray, np.ndarray]:
    found = load_digits()
    return PCA(8, random_state=0).fit_transform(found.data), found.target


def digit_kinds(seed: int) -> Rows:
    """Six digits of ten: 112, 56, ... labelled, 60 of each hidden, among all rows of the other four."""
    values, classes = digits()
    rng = np.random.default_rng(seed)
    order = rng.permutation(10)
    places = [rng.permutation(np.flatnonzero(classes == digit)) for digit in order[:N_KINDS]]
    counts = np.round(3.5 * MIX).astype(int)
    negatives = np.flatnonzero(np.isin(classes, order[N_KINDS:]))
    return _masked(pd.DataFrame(values).add_prefix("component_"), places, counts, 60, negatives)


def mushrooms(folder: Path) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Features as levels, odours, and which are poisonous."""
    table = pd.read_csv(folder / "mushroom.csv")
    levels = {}
    for feature in (*MUSHROOM, "odor"):
        names = [name for name in table.columns if name.startswith(f"{feature}=")]
        levels[feature] = table[names].to_numpy().argmax(axis=1)
        levels[feature] = np.array([name.split("=")[1] for name in names])[levels[feature]]
    return pd.DataFrame(levels)[list(MUSHROOM)], levels["odor"], table["y"].to_numpy() == 1


def mushroom_kinds(folder: Path, seed: int) -> Rows:
    """Poisonous mushrooms by odour: 640, 320, ... labelled, 100 of each hidden among 1400 that are edible."""
    X, odour, poisonous = mushrooms(folder)
    rng = np.random.default_rng(seed)
    places = [rng.permutation(np.flatnonzero(poisonous & (odour == one))) for one in ODOURS]
    negatives = rng.choice(np.flatnonzero(~poisonous), 1400, replace=False)
    return _masked(X, places, 20 * MIX, 100, negatives)


def _masked(
    X: pd.DataFrame, places: list[np.ndarray], counts: np.ndarray, n_hidden: int, negatives: np.ndarray
) -> Rows:
    labelled = [rows[:count] for rows, count in zip(places, counts, strict=True)]
    hidden = [rows[count : count + n_hidden] for rows, count in zip(places, counts, strict=True)]
    rows = np.concatenate([*labelled, *hidden, negatives])
    n_positive = sum(map(len, hidden))
    kinds = np.repeat(np.arange(len(places)), [len(one) for one in labelled])
    return _rows(X.iloc[rows].reset_index(drop=True), kinds, n_positive / (n_positive + len(negatives)))


def _rows(X: pd.DataFrame, labelled: np.ndarray, pi: float) -> Rows:
    kind = np.full(len(X), None, dtype=object)
    kind[: len(labelled)] = [f"kind {number}" for number in labelled]
    return Rows(X, (np.arange(len(X)) < len(labelled)).astype(int), kind, pi)


def answer(make: Callable[[int], Rows], seed: int, check: bool = True) -> list[list[float]]:
    """For each way: the estimate's error, whether intervals hold pi, with and without model errors, and the width.

    Also how many kinds there are, and whether pi is called well determined.
    """
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore")
        X, z, kind, pi = make(seed)
        model = PUGAM(check=check, n_jobs=1)
        ways: list[dict[str, Any]] = [{}, {"kind": kind, "rare_kinds": "pooled"}]
        if X.select_dtypes("number").shape[1]:  # columns to find kinds by
            ways.append({"kind": "auto", "rare_kinds": "pooled"})
        found = []
        for way in ways:
            model.fit(X, z, **way)
            wide, narrow = model.pi_interval(), model.pi_interval(model_error=False)
            held = [one.lower <= pi <= one.upper for one in (wide, narrow)]
            size, well = len(getattr(model, "kinds_", [1])), model.verdict_ == "well determined"
            found.append([model.pi_ - pi, *held, wide.upper - wide.lower, size, well])
        return found + [[np.nan] * 6] * (len(WAYS) - len(ways))


def main(replicates: int, folder: Path | None) -> None:
    makers: dict[str, Callable[[int], Rows]] = {
        "normal, distance 3": partial(normal_kinds, 3.0),
        "normal, distance 4": partial(normal_kinds, 4.0),
        "digits": digit_kinds,
    }
    if folder is not None:
        makers["mushroom, by odour"] = partial(mushroom_kinds, folder)
    jobs = [(name, seed) for name in makers for seed in range(replicates)]
    done = Parallel(n_jobs=-1, batch_size=1)(delayed(answer)(makers[name], seed) for name, seed in jobs)
    lines = []
    for number, name in enumerate(makers):
        found = np.array(done[number * replicates : (number + 1) * replicates])
        for way, (error, held, sampling, width, size, well) in zip(WAYS, found.transpose(1, 2, 0), strict=True):
            shown = [error.mean(), np.abs(error).mean(), error.std(ddof=1), held.mean(), sampling.mean(), width.mean()]
            shown += [well.mean(), (well * (1.0 - held)).mean()]
            values = ["" if np.isnan(value) else f"{value:.3f}" for value in shown]
            lines.append([name, way, *values, "" if np.isnan(size.mean()) else f"{size.mean():.1f}"])
    write_table(
        "kinds",
        f"Six kinds of positives labelled 32:16:8:4:2:1 and hidden in equal parts, {replicates} data sets a table",
        [
            "table",
            "way",
            "bias",
            "mean error",
            "sd",
            "coverage",
            "coverage, sampling alone",
            "width",
            "well determined",
            "missed although well determined",
            "kinds",
        ],
        lines,
        "mean error: mean absolute error of pi. Intervals are at 95%, with an allowance for model error, and "
        "without it. Of the digits, kinds have 112, 56, 28, 14, 7 and 4 labelled rows, so that the last three are one "
        f"kind. Monte-Carlo standard error of a coverage: {np.sqrt(0.95 * 0.05 / replicates):.3f}.",
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100, Path(sys.argv[2]) if len(sys.argv) > 2 else None)
