"""Does the default jump? pi with 2% of the rows left out, from other random starts, and with rows in another order.

usage: python benchmarks/stability.py FOLDER [REMOVALS [SEEDS [ORDERS]]]      (default: 5, 20, 6)

Every table of the folder and two of scikit-learn's, with labels hidden so that 30% of the unlabelled rows are positive.
Differences are shares of the width of the interval. Rows left out change pi by chance, too: were rows that are left out
and those that stay as good as independent, by 0.036 of the width in standard deviation.
"""

from __future__ import annotations

import sys
import warnings
import zlib
from pathlib import Path

import numpy as np
from division import CHOOSE_ON, REPORT_ON, present
from held_to_its_word import load
from joblib import Parallel, delayed
from reporting import write_table
from threadpoolctl import threadpool_limits

from pugam import PUGAM
from pugam.studies.real_tables import mask

SHARE, LEFT_OUT = 0.3, 0.02


def fit(folder: Path, name: str, removal: int, seed: int | None, order: int = 0) -> tuple[float, float, bool, str]:
    """Estimate, width, whether curves were shrunken, and verdict; removal 0 leaves no row out."""
    rng = np.random.default_rng([zlib.crc32(name.encode()), 7])
    X, labelled, _ = mask(load(folder, name), SHARE, rng)
    kept = np.ones(len(labelled), dtype=bool)
    if removal:
        left_out = np.random.default_rng(removal).permutation(len(kept))[: round(LEFT_OUT * len(kept))]
        kept[left_out] = False
    rows = np.flatnonzero(kept)
    if order:
        rows = np.random.default_rng(order).permutation(rows)
    X, labelled = X.iloc[rows], labelled[rows]
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore")
        model = PUGAM(random_state=seed, n_jobs=1).fit(X.loc[:, X.nunique() > 1], labelled)
    interval = model.pi_interval()
    return model.pi_, interval.upper - interval.lower, model.shrinkage_ is not None, str(model.verdict_)


def main(folder: Path, removals: int, seeds: int, orders: int) -> None:
    names = sorted(present(folder, (*CHOOSE_ON, *REPORT_ON)))
    tasks = [(name, removal, None, 0) for name in names for removal in range(removals + 1)]
    tasks += [(name, 0, seed, 0) for name in names for seed in range(seeds)]
    tasks += [(name, 0, None, order) for name in names for order in range(1, orders + 1)]
    answers = Parallel(n_jobs=-1, batch_size=1, verbose=1)(delayed(fit)(folder, *task) for task in tasks)
    found = dict(zip(tasks, answers, strict=True))
    rows = []
    for name in names:
        pi, width, shrunken, verdict = found[name, 0, None, 0]
        fewer = [found[name, removal, None, 0] for removal in range(1, removals + 1)]
        other = [found[name, 0, seed, 0] for seed in range(seeds)]
        shuffled = [found[name, 0, None, order] for order in range(1, orders + 1)]
        moved, elsewhere, reordered = (
            [abs(one[0] - pi) / width for one in answers] for answers in (fewer, other, shuffled)
        )
        kinds = {one[2] for one in fewer} | {shrunken}
        kind = " and ".join("shrunken" if one else "marginal" for one in sorted(kinds))
        changes = [f"{np.mean(moved):.3f}", f"{max(moved):.3f}", f"{max(elsewhere):.4f}", f"{max(reordered):.0e}"]
        changes.append("the same" if {one[3] for one in shuffled} == {verdict} else "another")
        rows.append([name, f"{pi:.3f}", f"{width:.3f}", verdict, kind, *changes])
    write_table(
        "stability",
        f"pi with 2% of the rows left out, {removals} times, from {seeds} other starts, and in {orders} other orders",
        [
            "table",
            "pi",
            "width",
            "verdict",
            "fit",
            "mean change",
            "largest change",
            "largest change by seed",
            "by order",
            "verdict by order",
        ],
        rows,
        "Changes of pi as shares of the width of its 95% interval; fit: by marginal likelihood or shrunken, with all "
        "rows or fewer.",
    )


if __name__ == "__main__":
    counts = [int(argument) for argument in sys.argv[2:]]
    main(Path(sys.argv[1]), *(counts + [5, 20, 6][len(counts) :]))
