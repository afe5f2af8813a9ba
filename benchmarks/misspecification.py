"""What becomes of pi where the model does not hold: effects that do not add up, labels that are not given at random.

usage: python benchmarks/misspecification.py [REPLICATES [waves]]      (default: 60; waves: these alone)

Five features are uniform on [0, 1], with the curves of the paper's Setting 2 (strong features) or half of them (weaker
ones). An interaction adds 12 size (x1 - 1/2)(x2 - 1/2) to the log density ratio; over the rows it is drawn from its
standard deviation is `size`. A wave adds sqrt(2) size cos(2 pi (x1 - x2)) instead. Selected labels: of the positives,
those with large x1 are labelled more often. Each data set is fitted as it comes, and once more with the products of all
pairs of features as ten linear terms, which are then tested together.
"""

from __future__ import annotations

import sys
import warnings
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
from replication import run_replicates, seeds
from reporting import write_table
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from pugam import PUGAM, l, s
from pugam.errors import PugamWarning
from pugam.inference import Interval
from pugam.inference.verdict import ALPHA, SMALLEST_PVALUE

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


def log_odds(X: np.ndarray, cell: Cell) -> np.ndarray:
    """Logit of P(y = 1 | x), from which the log density ratio differs by a constant."""
    additive = FEATURES[cell.features] * (24.0 * np.sum((X - 0.3) ** 2, axis=1) - 14.0)
    product = 12.0 * (X[:, 0] - 0.5) * (X[:, 1] - 0.5)
    wave = np.sqrt(2.0) * np.cos(2.0 * np.pi * (X[:, 0] - X[:, 1]))
    return np.asarray(additive + cell.size * product + cell.wave * wave)


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
    """Estimate and limits; whether the verdict, the calibration, and anything at all casts doubt; then with products.

    Of the model with products: estimate, limits, and whether their joint test rejects at the 5% level.
    """
    X, z = make_table(cell, seed)
    with warnings.catch_warnings(record=True) as caught:
        for doubt in (PugamWarning, ConvergenceWarning):
            warnings.simplefilter("always", doubt)
        model = PUGAM(n_jobs=1).fit(X, z)
    warned = any(issubclass(one.category, PugamWarning | ConvergenceWarning) for one in caught)
    interval, found = model.pi_interval(), model.diagnose()
    verdict = found.verdict != "well determined"
    calibration = found.calibration.pvalue < SMALLEST_PVALUE
    anything = warned or verdict or bool(found.warnings)
    products = {f"{one} {other}": (X[one] - 0.5) * (X[other] - 0.5) for one, other in combinations(X.columns, 2)}
    terms = [*(s(name) for name in X.columns), *(l(name) for name in products)]
    wider = PUGAM(terms, n_jobs=1, interactions=None).fit(X.assign(**products), z)
    other, tested = wider.pi_interval(), wider.test(list(products)).pvalue < ALPHA
    return (*_ends(interval), verdict, calibration, anything, *_ends(other), tested)


def _ends(interval: Interval) -> tuple[float, float, float]:
    return interval.estimate, interval.lower, interval.upper


def _bias(estimates: np.ndarray) -> str:
    errors = estimates - PI
    return f"{errors.mean():+.3f} ± {errors.std(ddof=1) / np.sqrt(len(errors)):.3f}"


def _holds(limits: np.ndarray) -> np.ndarray:
    return np.asarray((limits[:, 0] <= PI) & (limits[:, 1] >= PI))


def measure(name: str, cells: list[Cell], first: int, replicates: int) -> None:
    rows = []
    for number, cell in enumerate(cells, first):
        found = run_replicates(look, [(cell, seed) for seed in seeds((STREAM, number), replicates)])
        held, held_too = _holds(found[:, 1:3]), _holds(found[:, 7:9])
        shares = [held, *found[:, 3:6].T, ~held & (found[:, 5] == 0.0), found[:, 9], held_too]
        width, width_too = (f"{np.mean(found[:, end] - found[:, end - 1]):.3f}" for end in (2, 8))
        row = [cell.features, cell.what, _bias(found[:, 0]), f"{found[:, 0].std(ddof=1):.3f}", width]
        rows.append([*row, *(f"{share.mean():.2f}" for share in shares), width_too, _bias(found[:, 6])])
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
            "verdict doubts",
            "calibration doubts",
            "any doubt",
            "misses, no doubt",
            "products: test rejects",
            "products: coverage",
            "products: mean width",
            "products: bias of pi",
        ],
        rows,
        "bias with its Monte-Carlo standard error. mean width, coverage: of the default 95% interval. verdict doubts: "
        'share of fits whose diagnosis says other than "well determined". calibration doubts: labels predicted and '
        f"observed disagree (p < {SMALLEST_PVALUE:g}). any doubt: one of these, another remark of the diagnosis, or a "
        "warning of the fit. misses, no doubt: intervals without the truth, nothing having been said. Strong features: "
        "the curves of the paper's Setting 2; weaker: half of them. The size of an interaction is its standard "
        "deviation on the log-odds scale, for uniform features. products: of a second fit, with the products of all "
        f"pairs of features as linear terms; test: that none has an effect, at the {100 * ALPHA:g}% level.",
    )


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    if sys.argv[2:] != ["waves"]:
        measure("misspecification", CELLS, 0, count)
    measure("misspecification_waves", WAVES, len(CELLS), count)
