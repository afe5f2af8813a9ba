"""Does the verdict notice that nothing identifies pi, and that something does?

usage: python benchmarks/identification.py [REPLICATES]      (default: 100)

In tables of the first group all that matters lies in one column, or in one pair that no other column helps: several
values of pi fit exactly, whatever the curves. In those of the second, columns identify pi, alone or only together.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import pandas as pd
from replication import run_replicates, seeds
from reporting import write_table

from pugam import PUGAM
from pugam.likelihood import expit

N0, N1, PI = 1000, 1000, 0.4
STREAM = 41
VERDICTS = ("well determined", "weakly determined", "not determined", "does not fit")
ROWS_PER_BATCH = 8192

Draw = Callable[[np.random.Generator, np.ndarray], np.ndarray]  # features of rows of these classes


def shifted(*means: float) -> Draw:
    """Normal columns whose means differ so much between the classes: effects are straight lines, and add up."""
    return lambda rng, y: rng.normal(y[:, None] * np.array(means), 1.0)


def beside(n_followers: int) -> Draw:
    """One column that matters, and others that follow it, with as much noise of their own."""

    def draw(rng: np.random.Generator, y: np.ndarray) -> np.ndarray:
        first = rng.normal(3.0 * y, 1.0)[:, None]
        return np.hstack([first, first + rng.normal(size=(len(y), n_followers))])

    return draw


def alike(n_columns: int) -> Draw:
    """Columns that follow one number which is not among them, so that each of them could be spared."""
    return lambda rng, y: rng.normal(4.0 * y, 1.0)[:, None] + rng.normal(0.0, 1.5, (len(y), n_columns))


def joined(further: float, noise: int) -> Draw:
    """Uniform columns, of which the first two interact; a third may have an effect of its own."""

    def draw(rng: np.random.Generator, y: np.ndarray) -> np.ndarray:
        found = np.empty((len(y), 3 + noise))
        for label in (False, True):
            wanted, rows = np.flatnonzero(y == label), np.empty((0, 3 + noise))
            while len(rows) < len(wanted):
                x = rng.uniform(-1.0, 1.0, (ROWS_PER_BATCH, 3 + noise))
                logit = 3.0 * x[:, 0] + 8.0 * x[:, 0] * x[:, 1] + further * x[:, 2] - 1.0
                rows = np.vstack([rows, x[rng.random(len(x)) < expit(logit if label else -logit)]])
            found[wanted] = rows[: len(wanted)]
        return found

    return draw


NOTHING = "nothing identifies pi"
SOMETHING = "columns identify pi"
CELLS: list[tuple[str, str, Draw, bool]] = [
    (NOTHING, "one column, 1 of noise", shifted(3.0, 0.0), False),
    (NOTHING, "one column, 4 of noise", shifted(3.0, *[0.0] * 4), False),
    (NOTHING, "one column, 19 of noise", shifted(3.0, *[0.0] * 19), False),
    (NOTHING, "one column, 4 that follow it", beside(4), False),
    (NOTHING, "one pair, 1 column of noise", joined(0.0, 0), False),
    (NOTHING, "one pair, 4 columns of noise", joined(0.0, 3), False),
    (NOTHING, "one column beside the one that labels depend on", shifted(1.5, 3.0, 0.0), True),
    (SOMETHING, "two columns", shifted(3.0, 3.0), False),
    (SOMETHING, "two columns, 8 of noise", shifted(3.0, 3.0, *[0.0] * 8), False),
    (SOMETHING, "two columns, one of them weak", shifted(3.0, 0.7), False),
    (SOMETHING, "12 columns, each of which could be spared", alike(12), False),
    (SOMETHING, "one pair and a column", joined(5.0, 0), False),
    (SOMETHING, "two columns beside the one that labels depend on", shifted(1.5, 3.0, 3.0), True),
]


def make_table(draw: Draw, preferred: bool, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Labelled and unlabelled rows; where labels prefer some positives, those with a large first column."""
    rng = np.random.default_rng(seed)
    positives = draw(rng, np.ones(3 * N0, dtype=bool))
    weights = np.exp(np.clip(positives[:, 0], -2.0, 4.0) / 2.0) if preferred else np.ones(len(positives))
    labelled = positives[rng.choice(len(positives), N0, replace=False, p=weights / weights.sum())]
    X = np.vstack([labelled, draw(rng, rng.random(N1) < PI)])
    return pd.DataFrame(X).add_prefix("x"), np.repeat([1, 0], [N0, N1])


def look(number: int, seed: int) -> tuple[float, ...]:
    """Estimate, whether the interval holds the truth, and the verdict."""
    _, _, draw, preferred = CELLS[number]
    X, z = make_table(draw, preferred, seed)
    model = PUGAM(labelling="s(x0)" if preferred else None, n_jobs=1).fit(X, z)
    interval = model.pi_interval()
    return model.pi_, interval.lower <= PI <= interval.upper, VERDICTS.index(model.verdict_)


def main(arguments: list[str]) -> None:
    replicates = int(arguments[0]) if arguments else 100
    rows = []
    for number, (group, what, *_) in enumerate(CELLS):
        found = run_replicates(look, [(number, seed) for seed in seeds((STREAM, number), replicates)])
        given = [float(np.mean(found[:, 2] == place)) for place in range(len(VERDICTS))]
        well = found[found[:, 2] == 0.0]
        held = f"{well[:, 1].mean():.2f} of {len(well)}" if len(well) else "-"
        error = f"{np.abs(found[:, 0] - PI).mean():.3f}"
        rows.append([group, what, *(f"{share:.2f}" for share in given), error, f"{found[:, 1].mean():.2f}", held])
        print(*rows[-1], sep=" | ", flush=True)
    write_table(
        "identification",
        f"Verdicts where nothing identifies pi, and where columns do: {N0} + {N1} rows, {replicates} replicates",
        ["", "what matters", *VERDICTS, "mean absolute error", "coverage", "coverage if well determined"],
        rows,
        "Shares of data sets by verdict; pi = 0.4. A share of 0.02 has a standard error of "
        f"{np.sqrt(0.02 * 0.98 / replicates):.3f}. Columns are normal, with means that differ by class; those of "
        "a pair are uniform. Where labels depend on a column, the fit is told so.",
    )


if __name__ == "__main__":
    import identification  # by name, so that other processes find what they are sent

    identification.main(sys.argv[1:])
