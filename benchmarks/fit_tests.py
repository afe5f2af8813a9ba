"""Size and power of the tests of fit: pairs, random labelling, boosting, the best-bin bound, and the verdict.

usage: python benchmarks/fit_tests.py [REPLICATES]      (default: 1000; a tenth of them where something is wrong)

Sizes are those on the paper's Settings 1 to 3, n = 1500, of which 1250 rows are labelled, and on the tables of
`misspecification.py` with nothing wrong; powers are those on its other tables. Models are additive, as they are fitted
by whoever does not know better.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np
from misspecification import CELLS, WAVES, make_table
from replication import run_replicates, seeds
from reporting import write_table

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.inference.findings import LabelsPrefer
from pugam.inference.verdict import SMALLEST_PVALUE, judge

N, N0 = 1500, 1250
STREAM = 31
LEVELS = (0.05, SMALLEST_PVALUE)


def make_setting(setting: int, seed: int) -> tuple[Any, np.ndarray]:
    data = simulate(setting, n0=N0, n=N, random_state=seed)
    return data.X, data.z


def look(kind: str, number: int, seed: int) -> tuple[float, ...]:
    """P-values of pairs, labelling, boosting and calibration; whether the bound refutes, labels are said to prefer some
    positives, and whether the verdict refutes, with the test of labelling and without.
    """
    X, z = make_setting(number, seed) if kind == "setting" else make_table([*CELLS, *WAVES][number], seed)
    found = PUGAM(interactions=None, n_jobs=1).fit(X, z).diagnose()
    tests = found.pair_test, found.labelling, found.omnibus
    pvalues = (1.0 if test is None else test.pvalue for test in tests)
    refuted = found.best_bin is not None and found.sampling.lower > found.best_bin.upper
    said = any(isinstance(finding, LabelsPrefer) for finding in found.findings)
    without, _ = judge(replace(found, labelling=None))
    verdicts = (verdict == "does not fit" for verdict in (found.verdict, without))
    return *pvalues, found.calibration.pvalue, refuted, said, *verdicts


def _share(flags: np.ndarray) -> str:
    share = float(np.mean(flags))
    return f"{share:.3f} ± {np.sqrt(share * (1.0 - share) / len(flags)):.3f}"


def main(replicates: int) -> None:
    cells = [("setting", number, f"Setting {number}", "nothing") for number in (1, 2, 3)]
    cells += [("cell", number, f"{cell.features} features", cell.what) for number, cell in enumerate([*CELLS, *WAVES])]
    rows = []
    for place, (kind, number, data, wrong) in enumerate(cells):
        count = replicates if wrong == "nothing" else replicates // 10
        found = run_replicates(look, [(kind, number, seed) for seed in seeds((STREAM, place), count)])
        shares = [_share(found[:, test] < level) for test in (0, 1, 2) for level in LEVELS]
        shares += [_share(found[:, 3] < SMALLEST_PVALUE), *map(_share, found[:, 4:].T)]
        rows.append([data, wrong, *shares])
        print(*rows[-1], flush=True)
    tests = [f"{name}, {100 * level:g}%" for name in ("pairs", "labelling", "boosting") for level in LEVELS]
    write_table(
        "fit_tests",
        f"How often tests of fit reject: {replicates} replicates where nothing is wrong, {replicates // 10} elsewhere",
        [
            *("data", "what is wrong", *tests, f"calibration, {100 * SMALLEST_PVALUE:g}%", "bound refutes"),
            *("labelling named", "does not fit", "without the test of labelling"),
        ],
        rows,
        "With their Monte-Carlo standard errors. pairs: joint score test of the products of all pairs of columns. "
        "labelling: joint score test of preferences by columns. boosting: trees fitted to residuals predict those of "
        "later rows. calibration: Hosmer and Lemeshow's test. bound refutes: the 95% interval lies above the best-bin "
        "bound. labelling named: the diagnosis says that labels prefer some positives; it does not where pairs reject "
        "more clearly. does not fit: the verdict, given where pairs, labelling or boosting reject at the "
        f"{100 * SMALLEST_PVALUE:g}% level or the bound refutes; last, what it would be without the test of labelling. "
        f"Models have a smooth of each column and no interaction. Settings: n = {N}, {N0} rows labelled; other data as "
        "in misspecification.md.",
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
