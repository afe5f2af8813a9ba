"""Labels that are not a random sample of the positives: what becomes of pi, and does the test of labelling see it?

usage: python benchmarks/selection.py [REPLICATES [PART ...]]      (default: 200; parts: tests, fits, bounds; fits/9: of
every ninth cell)

The features are those of the paper's Settings 2 and 3, or of Setting 2 with half its curves (weaker features, as in
`misspecification.py`). Positives are labelled with a chance that rises along a column, so many times from one end to
the other: along x1; along x6, which the model is not given, the mean of x1 and of a number that has nothing to do with
anything; or along x1 and x2, half as much (in logarithms) for each. For the tests the model is the default, which takes
labels for random. For the fits it is additive and knows by which columns labels were given, x6 included, or is told a
wrong one, x3. For the bounds it takes labels for random, and is told by how much their chances vary at most: as much
as they do, or twice as much.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import misspecification
import numpy as np
import pandas as pd
from replication import run_replicates, seeds
from reporting import write_table

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.inference.findings import LabelsPrefer
from pugam.inference.verdict import SMALLEST_PVALUE
from pugam.likelihood import logit

N0, N1 = 1500, 1500
STREAM = 53
ROWS_PER_BATCH = 4096
DATA = ("Setting 2", "Setting 3", "weaker features")
SHARES = (0.4, 0.1)
PREFERENCES = (2.0, 5.0, 20.0)
COLUMNS = [f"x{j}" for j in range(1, 6)]
ALPHA = 0.05
BY: dict[str, Callable[[np.ndarray, np.random.Generator], np.ndarray]] = {  # from 0 to 1: what labelling goes by
    "x1": lambda X, rng: X[:, 0],
    "x6, outside": lambda X, rng: (X[:, 0] + rng.random(len(X))) / 2.0,
    "x1 and x2": lambda X, rng: (X[:, 0] + X[:, 1]) / 2.0,
}


LABELLING = {"x1": "s(x1)", "x6, outside": "s(x6)", "x1 and x2": "s(x1) + s(x2)"}  # of models that know it
TERMS, WRONG = " + ".join(f"s({column})" for column in COLUMNS), "s(x3)"


class Cell(NamedTuple):
    """A way in which labels were given."""

    data: str
    pi: float
    by: str = "nothing"
    preference: float = 1.0  # how many times as often a positive is labelled at one end as at the other

    @property
    def right(self) -> set[str]:
        """The columns of the model that labelling goes by, or that what it goes by goes along with."""
        return {"x1"} if self.by == "x6, outside" else {column for column in COLUMNS if column in self.by}


CELLS = [
    Cell(data, pi, by, preference)
    for data in DATA
    for pi in SHARES
    for by, preference in [("nothing", 1.0), *((by, preference) for by in BY for preference in PREFERENCES)]
]


def draw_positives(rng: np.random.Generator, data: str, n: int) -> np.ndarray:
    """Draw positives, shape (n, 5)."""
    if data == "weaker features":
        return misspecification.draw(rng, misspecification.Cell("weaker", ""), 1, n)
    return simulate(_setting(data), n0=n, n=n + 1, random_state=rng).X.to_numpy()[:n]


def draw_unlabelled(rng: np.random.Generator, data: str, pi: float) -> np.ndarray:
    """Draw unlabelled rows, shape (N1, 5), of which about a share of pi is positive."""
    if data != "weaker features":
        return simulate(_setting(data), n0=1, n=N1 + 1, pi=pi, random_state=rng).X.to_numpy()[1:]
    hidden, cell = int(rng.binomial(N1, pi)), misspecification.Cell("weaker", "")
    return np.vstack([draw_positives(rng, data, hidden), misspecification.draw(rng, cell, 0, N1 - hidden)])


def _setting(data: str) -> Any:
    return int(data.removeprefix("Setting "))


def make_table(cell: Cell, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Make a table whose labels are given with a preference."""
    X, z, _ = draw_rows(cell, seed)
    return pd.DataFrame(X, columns=COLUMNS), z


def draw_rows(cell: Cell, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw features, labels, and what labelling goes by, of all rows."""
    rng = np.random.default_rng(seed)
    labelled, by = np.empty((0, 5)), np.empty(0)
    while len(labelled) < N0:
        X = draw_positives(rng, cell.data, ROWS_PER_BATCH)
        along = BY[cell.by](X, rng) if cell.by in BY else np.ones(len(X))
        given = rng.random(len(X)) < cell.preference ** (along - 1.0)
        labelled, by = np.vstack([labelled, X[given]]), np.append(by, along[given])
    unlabelled = draw_unlabelled(rng, cell.data, cell.pi)
    along = BY[cell.by](unlabelled, rng) if cell.by in BY else np.ones(N1)
    return np.vstack([labelled[:N0], unlabelled]), np.repeat([1, 0], [N0, N1]), np.append(by[:N0], along)


def look(cell: Cell, seed: int) -> tuple[float, ...]:
    """Estimate, limits, p-values of tests, what is named, the verdict, and the Gamma whose bounds reach the truth."""
    X, z = make_table(cell, seed)
    model = PUGAM(n_jobs=1).fit(X, z)
    found, interval, bounds = model.diagnose(), model.pi_interval(), model.labelling_bounds()
    additive = PUGAM(interactions=None, check=False, n_jobs=1).fit(X, z).test_labelling()
    labelling = found.labelling
    alone = {} if labelling is None else dict(zip(labelling.columns, labelling.pvalues, strict=True))
    said = [finding for finding in found.findings if isinstance(finding, LabelsPrefer)]
    tests = labelling, found.pair_test, found.omnibus
    joint, *others = (1.0 if test is None else test.pvalue for test in tests)
    return (
        *(model.pi_, interval.lower, interval.upper),
        *(joint, alone.get("x1", 1.0), alone.get("x4", 1.0), additive.pvalue, *others),
        *(bool(said), bool(said) and set(said[0].columns) == cell.right),
        *(found.verdict == "does not fit", found.verdict != "well determined"),
        bounds.gamma_for(cell.pi, sampling=False),
    )


def measure_tests(replicates: int, every: int) -> None:
    """What becomes of the ordinary fit, and what its diagnosis says."""
    rows = []
    for number, cell in list(enumerate(CELLS))[::every]:
        found = run_replicates(look, [(cell, seed) for seed in seeds((STREAM, number), replicates)])
        errors = found[:, 0] - cell.pi
        held = (found[:, 1] <= cell.pi) & (found[:, 2] >= cell.pi)
        bias = f"{errors.mean():+.3f} ± {errors.std(ddof=1) / np.sqrt(len(errors)):.3f}"
        rejected = [*(found[:, 3:7] < ALPHA).T, *(found[:, [3, 7, 8]] < SMALLEST_PVALUE).T]
        shares = [held, *rejected, *found[:, 9:13].T, ~held & (found[:, 12] == 0.0)]
        row = [cell.data, f"{cell.pi:g}", cell.by, f"{cell.preference:g}", bias]
        gamma = f"{np.median(found[:, 13]):.2f}"
        rows.append([*row, *(f"{share.mean():.3f}" for share in shares), gamma])
        print(*rows[-1], flush=True)
    write_table(
        "selection_tests",
        f"Labels given with a preference, taken for random: n0 = {N0}, n1 = {N1}, {replicates} data sets a line",
        [
            *("data", "pi", "labelled by", "preference", "bias of pi", "coverage"),
            *("all, 5%", "x1, 5%", "x4, 5%", "all, 5%, no interactions"),
            *("all, 1%", "pairs, 1%", "boosting, 1%"),
            *("said", "right columns", "does not fit", 'verdict other than "well determined"'),
            *("missed although well determined", "Gamma for the truth"),
        ],
        rows,
        "bias with its Monte-Carlo standard error. coverage: of the reported 95% interval. all, x1, x4: the score test "
        "of random labelling, by all columns together or by one; no interactions: with interactions=None. pairs, "
        "boosting: other tests of fit. said: the diagnosis says that labels prefer some positives; right columns: and "
        "names those of the model that they go by, and no other. missed although well determined: reported intervals "
        'that do not cover the truth, the verdict being "well determined". Gamma for the truth: median of the '
        "smallest Gamma whose bounds hold the true pi.",
    )


def look_at_fits(cell: Cell, seed: int) -> tuple[float, ...]:
    """Estimate, sampling limits, lower limit, and doubts, of a right model and of a wrong one."""
    rows, z, along = draw_rows(cell, seed)
    X = pd.DataFrame(rows, columns=COLUMNS).assign(x6=along)
    found: list[float] = []
    for labelling in (LABELLING[cell.by], WRONG):
        model = PUGAM(TERMS, labelling=labelling, n_jobs=1).fit(X, z)
        interval, sampling = model.pi_interval(), model.pi_interval(model_error=False)
        found += [model.pi_, sampling.lower, sampling.upper, interval.lower, model.verdict_ != "well determined"]
    return tuple(found)


def measure_fits(replicates: int, every: int) -> None:
    """What becomes of pi where the model knows by which columns labels are given, and where it is told others."""
    rows = []
    for number, cell in list(enumerate(CELLS))[::every]:
        if cell.by == "nothing":
            continue
        found = run_replicates(look_at_fits, [(cell, seed) for seed in seeds((STREAM, number), replicates)])
        row = [cell.data, f"{cell.pi:g}", cell.by, f"{cell.preference:g}"]
        for pi, low, high, lower, doubts in (found[:, :5].T, found[:, 5:].T):
            errors, error = pi - cell.pi, _standard_error(pi, low, high)
            held, allowed = ((limit <= cell.pi) & (high >= cell.pi) for limit in (low, lower))
            row += [f"{errors.mean():+.4f}", f"{errors.std(ddof=1):.4f}", f"{error.mean():.4f}"]
            row += [f"{share.mean():.3f}" for share in (held, allowed, doubts)]
        rows.append([*row[:10], row[10], row[14], row[15]])
        print(*rows[-1], flush=True)
    write_table(
        "selection_fits",
        f"Labels given with a preference that the model knows of: n0 = {N0}, n1 = {N1}, {replicates} data sets a line",
        [
            *("data", "pi", "labelled by", "preference"),
            *("bias", "sd", "standard error", "coverage", "coverage, default", "doubted"),
            *("wrong column: bias", "wrong column: coverage, default", "wrong column: doubted"),
        ],
        rows,
        "Labelling by the columns it goes by. coverage: of 95% sampling intervals; default: of reported intervals. "
        'doubted: with a verdict other than "well determined". '
        f"wrong column: labelling={WRONG!r}. Monte-Carlo standard error of a coverage of "
        f"0.95: {np.sqrt(0.95 * 0.05 / replicates):.3f}.",
    )


def _standard_error(pi: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Standard errors that belong to 95% limits on the logit scale."""
    return np.asarray((logit(high) - logit(low)) / 3.92 * pi * (1.0 - pi))


def look_at_bounds(cell: Cell, seed: int) -> tuple[float, ...]:
    """Where bounds lie, for as much as chances vary and for twice as much, and the limit that needs no model."""
    X, z = make_table(cell, seed)
    bounds = PUGAM(check=False, n_jobs=1).fit(X, z).labelling_bounds([cell.preference, 2.0 * cell.preference])
    ends = zip(bounds.lower, bounds.upper, bounds.lower_limit, bounds.upper_limit, bounds.without_model, strict=True)
    return tuple(value for end in ends for value in end)


def measure_bounds(replicates: int, every: int) -> None:
    """Do bounds hold pi where chances vary as much as they say, or half as much?"""
    rows = []
    for number, cell in list(enumerate(CELLS))[::every]:
        found = run_replicates(look_at_bounds, [(cell, seed) for seed in seeds((STREAM, number), replicates)])
        row = [cell.data, f"{cell.pi:g}", cell.by, f"{cell.preference:g}"]
        for lower, upper, low, high, without in (found[:, :5].T, found[:, 5:].T):
            held = [(start <= cell.pi) & (cell.pi <= end) for start, end in ((lower, upper), (low, high))]
            row += [f"{share.mean():.3f}" for share in (*held, without >= cell.pi)]
            row += [f"{low.mean():.2f} to {high.mean():.2f}"]
        rows.append(row)
        print(*rows[-1], flush=True)
    each = ("range holds", "limits hold", "limit without a model holds", "mean limits")
    write_table(
        "selection_bounds",
        f"Bounds for labels given with a preference: n0 = {N0}, n1 = {N1}, {replicates} data sets a line",
        ["data", "pi", "labelled by", "preference", *each, *(f"twice: {name}" for name in each)],
        rows,
        "Bounds for chances that vary as much as they do or, twice, up to double that. range: the fit taken for exact; "
        "limits: with the errors of its interval, at 95%. "
        f"Monte-Carlo standard error of a share of 0.95: {np.sqrt(0.95 * 0.05 / replicates):.3f}.",
    )


PARTS: dict[str, Callable[[int, int], None]] = {
    "tests": measure_tests,
    "fits": measure_fits,
    "bounds": measure_bounds,
}


def main(arguments: list[str]) -> None:
    count = int(arguments[0]) if arguments else 200
    for part in arguments[1:] or PARTS:
        name, _, every = part.partition("/")
        PARTS[name](count, int(every or 1))


if __name__ == "__main__":
    import selection  # by name, so that other processes find what they are sent

    selection.main(sys.argv[1:])
