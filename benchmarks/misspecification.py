"""What becomes of pi where the model does not hold: effects that do not add up, labels that are not given at random.

usage: python benchmarks/misspecification.py [REPLICATES [waves]]      (default: 60; waves: these alone)

Five features are uniform on [0, 1], with the curves of the paper's Setting 2 (strong features) or half of them (weaker
ones). An interaction adds 12 size (x1 - 1/2)(x2 - 1/2) to the log density ratio; over the rows it is drawn from its
standard deviation is `size`. A wave adds sqrt(2) size cos(2 pi (x1 - x2)) instead, a triple 24 sqrt(3) size times the
product of three. Selected labels: of the positives, those with large x1 are labelled more often.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np
import pandas as pd
from replication import run_replicates, seeds
from reporting import write_table

from pugam import PUGAM
from pugam.likelihood import expit

N0, N1, PI = 1250, 1250, 0.4
STREAM = 24
ROWS_PER_BATCH = 4096
FEATURES = {"strong": 1.0, "weaker": 0.5}  # times the curves of Setting 2


class Cell(NamedTuple):
    """A way in which the model may be wrong."""

    features: str
    what: str
    size: float = 0.0  # standard deviation of the interaction, a product
    wave: float = 0.0  # standard deviation of one of another shape
    triple: float = 0.0  # standard deviation of one of three features
    preference: float = 1.0  # how many times as often a positive is labelled at x1 = 1 as at x1 = 0


WAYS = [
    ("nothing", {}),
    ("interaction of size 1", {"size": 1.0}),
    ("interaction of size 2", {"size": 2.0}),
    ("interaction of size -2", {"size": -2.0}),
    ("interaction of size 4", {"size": 4.0}),
    ("labelled twice as often at x1 = 1", {"preference": 2.0}),
    ("labelled five times as often at x1 = 1", {"preference": 5.0}),
]
CELLS = [Cell(features, what, **ways) for features in FEATURES for what, ways in WAYS]
WAVES = [Cell(features, "interaction of size 2, a wave", wave=2.0) for features in FEATURES]
WAVES += [Cell(features, "interaction of size 2, of three features", triple=2.0) for features in FEATURES]
STRONGLY = [Cell(features, "labelled twenty times as often at x1 = 1", preference=20.0) for features in FEATURES]
NUMBERS = {cell: number for number, cell in enumerate([*CELLS, *WAVES, *STRONGLY])}  # of their random streams


def log_odds(X: np.ndarray, cell: Cell) -> np.ndarray:
    """Logit of P(y = 1 | x), from which the log density ratio differs by a constant."""
    additive = FEATURES[cell.features] * (24.0 * np.sum((X - 0.3) ** 2, axis=1) - 14.0)
    product = 12.0 * (X[:, 0] - 0.5) * (X[:, 1] - 0.5)
    wave = np.sqrt(2.0) * np.cos(2.0 * np.pi * (X[:, 0] - X[:, 1]))
    triple = 24.0 * np.sqrt(3.0) * np.prod(X[:, :3] - 0.5, axis=1)
    return np.asarray(additive + cell.size * product + cell.wave * wave + cell.triple * triple)


def draw(rng: np.random.Generator, cell: Cell, label: int, n: int, preference: float = 1.0) -> np.ndarray:
    """Draw rows of one class, of which those with large x1 are preferred."""
    found = np.empty((0, 5))
    while len(found) < n:
        X = rng.random((ROWS_PER_BATCH, 5))
        chance = expit(log_odds(X, cell) if label else -log_odds(X, cell)) * preference ** (X[:, 0] - 1.0)
        found = np.vstack([found, X[rng.random(len(X)) < chance]])
    return found[:n]


def make_table(cell: Cell, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    hidden = int(rng.binomial(N1, PI))
    labelled = draw(rng, cell, 1, N0, cell.preference)
    unlabelled = [draw(rng, cell, 1, hidden), draw(rng, cell, 0, N1 - hidden)]
    X = pd.DataFrame(np.vstack([labelled, *unlabelled]), columns=[f"x{j}" for j in range(1, 6)])
    return X, np.repeat([1, 0], [N0, N1])


def look(cell: Cell, seed: int) -> tuple[float, ...]:
    """Estimate and limits, with and without an allowance for model error; pairs added; verdict."""
    X, z = make_table(cell, seed)
    model = PUGAM(n_jobs=1).fit(X, z)
    interval, sampling = model.pi_interval(), model.pi_interval(model_error=False)
    limits = interval.lower, interval.upper, sampling.lower, sampling.upper
    verdict = model.verdict_
    return (model.pi_, *limits, len(model.terms_) > X.shape[1], verdict == "does not fit", verdict != "well determined")


def _bias(estimates: np.ndarray) -> str:
    errors = estimates - PI
    return f"{errors.mean():+.3f} ± {errors.std(ddof=1) / np.sqrt(len(errors)):.3f}"


def _holds(limits: np.ndarray) -> np.ndarray:
    return np.asarray((limits[:, 0] <= PI) & (limits[:, 1] >= PI))


def measure(name: str, cells: list[Cell], replicates: int) -> None:
    rows = []
    for cell in cells:
        found = run_replicates(look, [(cell, seed) for seed in seeds((STREAM, NUMBERS[cell]), replicates)])
        held, by_sampling = _holds(found[:, 1:3]), _holds(found[:, 3:5])
        shares = [held, by_sampling, *found[:, 5:].T, ~held & (found[:, 7] == 0.0)]
        width = f"{np.mean(found[:, 2] - found[:, 1]):.3f}"
        row = [cell.features, cell.what, _bias(found[:, 0]), f"{found[:, 0].std(ddof=1):.3f}", width]
        rows.append([*row, *(f"{share.mean():.2f}" for share in shares)])
        print(*rows[-1], flush=True)
    write_table(
        name,
        f"pi where the model does not hold: n0 = {N0}, n1 = {N1}, pi = {PI}, {replicates} replicates",
        [
            "features",
            "what is wrong",
            "bias of pi",
            "sd",
            "mean width",
            "coverage",
            "coverage without model error",
            "pairs added",
            "does not fit",
            'verdict other than "well determined"',
            "missed although well determined",
        ],
        rows,
        "bias with its Monte-Carlo standard error. mean width, coverage: of the reported 95% interval; without model "
        "error: of the sampling interval. pairs added: share of fits in which the evidence asked for interactions. "
        "does not fit: the verdict. missed although well determined: reported intervals that do not cover the truth, "
        'the verdict being "well determined". Strong features: the curves of the '
        "paper's Setting 2; weaker: half of them. The size of an interaction is its standard deviation on the log-odds "
        "scale, for uniform features.",
    )


def main(arguments: list[str]) -> None:
    count = int(arguments[0]) if arguments else 60
    if arguments[1:] != ["waves"]:
        measure("misspecification", sorted([*CELLS, *STRONGLY], key=lambda cell: cell.features), count)
    measure("misspecification_waves", WAVES, count)


if __name__ == "__main__":
    import misspecification  # by name, so that other processes find what they are sent

    misspecification.main(sys.argv[1:])
