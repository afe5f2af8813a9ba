"""Does a worklist keep its word? Positives found by a review of the likeliest rows, on real tables with hidden labels.

usage: python benchmarks/worklists.py FOLDER [MASKINGS]      (default: 2)

Every table of the folder that has labels and two of scikit-learn's, three shares of positives among the unlabelled
rows, MASKINGS of each. The rows of the fit that have no label are ranked; those on a list are then looked up.
"""

from __future__ import annotations

import sys
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from division import CHOOSE_ON, REPORT_ON, present
from held_to_its_word import load
from joblib import Parallel, delayed
from reporting import write_table
from threadpoolctl import threadpool_limits

from pugam import PUGAM
from pugam.studies.real_tables import mask

SHARES = (0.1, 0.3, 0.6)
LENGTHS = (50, 100, 200)
THRESHOLD = 0.5
LISTS = (*(f"top {length}" for length in LENGTHS), f"p >= {THRESHOLD:g}", "all rows")
VERDICTS = ("well determined", "weakly determined", "not determined", "does not fit")
GROUPS = {"choose": CHOOSE_ON, "report": REPORT_ON}


def ask(folder: Path, name: str, share: float, masking: int) -> list[dict[str, Any]]:
    """Rank the unlabelled rows of one masking of a table, and look them up."""
    rng = np.random.default_rng([zlib.crc32(name.encode()), round(100 * share), masking])
    X, labelled, y = mask(load(folder, name), share, rng)
    X = X.loc[:, X.nunique() > 1]
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore")
        model = PUGAM(n_jobs=1).fit(X, labelled)
        asked: list[dict[str, Any]] = [*({"top": length} for length in LENGTHS), {"threshold": THRESHOLD}, {}]
        found = [_look_up(model.worklist(**one), y) for one in asked]
    common = {"table": name, "share": share, "verdict": model.verdict_}
    return [common | {"list": one} | answer for one, answer in zip(LISTS, found, strict=True)]


def _look_up(listed: Any, y: np.ndarray) -> dict[str, Any]:
    """Compare what was expected with what a review would have found."""
    seen, found, size = int(y[listed.rows["row"]].sum()), listed.found, max(listed.n_reviewed, 1)
    return {
        "held": found.lower <= seen <= found.upper,
        "below": seen < found.lower,
        "width": (found.upper - found.lower) / size,
        "expected": found.estimate / size,
        "seen": seen / size,
    }


def summarise(found: pd.DataFrame, *labels: str) -> list[str]:
    """One row of the table."""
    figures = [f"{found[name].mean():.3f}" for name in ("expected", "seen", "width", "held", "below")]
    return [*labels, str(len(found)), *figures]


def main(folder: Path, maskings: int) -> None:
    tables = [(group, name) for group, names in GROUPS.items() for name in present(folder, names)]
    tasks = [(name, share, masking) for _, name in tables for share in SHARES for masking in range(maskings)]
    answers = Parallel(n_jobs=-1, batch_size=1, verbose=1)(delayed(ask)(folder, *task) for task in tasks)
    groups = {name: group for group, name in tables}
    found = pd.DataFrame([one for some in answers for one in some]).assign(group=lambda rows: rows["table"].map(groups))
    parts = [(f"tables to {group} on", found[found["group"] == group]) for group in GROUPS]
    write_table(
        "worklists",
        f"Positives found by reviews of the likeliest rows; {maskings} maskings of {len(tables)} tables at each of "
        f"{len(SHARES)} shares",
        ["tables", "verdict", "list", "lists", "expected", "seen", "width", "held", "fewer"],
        [
            summarise(some[(some["verdict"] == verdict) & (some["list"] == one)], label, verdict, one)
            for label, some in (("all", found), *parts)
            for verdict in VERDICTS
            for one in LISTS
            if ((some["verdict"] == verdict) & (some["list"] == one)).any()
        ],
        "expected, seen: mean share of positives among the rows on the list, by the model and in truth. width: of the "
        "95% interval for their number, as a share of the rows on the list. held: share of lists with the number in "
        "the interval; fewer: with fewer than that. The allowance for model error is that of pi, chosen with "
        "the first group in sight (benchmarks/division.py).",
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2)
