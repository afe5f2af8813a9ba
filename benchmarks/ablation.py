"""Does each heuristic of the fit pay? Each is taken away alone; what becomes of pi, its interval, REML and the time.

usage: python benchmarks/ablation.py FOLDER [--maskings 2] [--processes 1] [--every 1] [--records FILE]

FOLDER holds CSV tables with a column y of true labels (1/0); two of scikit-learn's are added. Each is masked as in
`pugam study realdata`, so many times at each of five shares. The paper's Settings 1 to 3 follow, cases with many
columns, and cases with many rows. Fits are kept as lines of a file (records/ablation.jsonl in the folder for results),
from which a run resumes: delete it when the solvers change. `--every 40` takes
every fortieth case. Processes work side by side, one thread each.

The rule, fixed before the full run (1% and breakdowns were added after a trial on four tables). A heuristic pays if
taking it away

- raises the mean absolute error of pi by more than a standard error of that change and by more than 1%, or
- makes a fit break down, or
- lowers the coverage of the 95% interval by more than a standard error of that change, or
- lowers the REML criterion by more than 1 in more than 1% of the fits that can be compared, or
- takes a third more CPU time or more in a group of cases in which it is meant to save time (median of the fits in which
  it takes part).

What does not pay goes. Standard errors are clustered by table (and setting): maskings of one table are alike.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from ablation_cases import Case, Rows, cases
from ablation_switches import HEURISTICS, Heuristic
from ablation_table import FULL, Fits, Record, write_ablation
from joblib import Parallel, delayed
from reporting import RESULTS
from threadpoolctl import threadpool_limits

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.errors import PugamError
from pugam.files import append_line, drop_torn_line, read_lines
from pugam.solvers.smoothing import log_marginal

MANY_ROWS, MANY_COLUMNS = 50_000, 150  # beyond, scales are compared on a sample, and a coarse basis goes first
LOWEST = 1e-6  # posteriors are taken for no surer than this


def fit(rows: Rows) -> tuple[Record, PUGAM]:
    """Fit by default; hold pi, interval and posteriors against the truth."""
    truth, hidden = float(rows.y[~rows.labelled].mean()), rows.y[~rows.labelled] == 1
    began = time.process_time()
    model = PUGAM(n_jobs=1).fit(rows.X, rows.labelled)
    seconds = time.process_time() - began
    interval = model.pi_interval()
    posterior = np.clip(model.predict_proba(rows.X[~rows.labelled])[:, 1], LOWEST, 1.0 - LOWEST)
    record = {
        "pi": model.pi_,
        "error": abs(model.pi_ - truth),
        "covered": bool(interval.lower <= truth <= interval.upper),
        "log_score": float(-np.mean(np.log(np.where(hidden, posterior, 1.0 - posterior)))),
        "seconds": round(seconds, 4),
    }
    return record | criterion(model), model


def criterion(model: PUGAM) -> Record:
    """The REML criterion of a smoothed fit, and what tells whether that of another can be compared with it."""
    fitted = model._fitted("The criterion")
    if fitted.fit.ridge is not None:
        return {"reml": None, "terms": "shrunken"}
    free = fitted.fit.penalized.free(fitted.settings.pi_range)
    value = log_marginal(fitted.design, fitted.fit.penalized, fitted.fit.kappas, free)
    return {"reml": float(value), "terms": f"{zlib.crc32(model.formula_.encode()):08x}"}


@contextmanager
def watched(paths: set[str]) -> Iterator[None]:
    """Note which ways fits go in here."""
    from pugam.solvers import strategy

    smoothed, shrunken = strategy._fit_best_scale, strategy.fit_shrunken

    def note(way: str, engine: Any, designs: Sequence[Any]) -> None:
        reached = {way: True, "logged": len(designs) > 1, "long": engine.n_rows > MANY_ROWS}
        paths.update(name for name, is_so in reached.items() if is_so)
        if way == "smoothed" and designs[0].n_columns > MANY_COLUMNS:
            paths.add("wide")

    def fit_best_scale(engine: Any, designs: Sequence[Any], *others: Any) -> Any:
        note("smoothed", engine, designs)
        return smoothed(engine, designs, *others)

    def fit_shrunken(engine: Any, designs: Sequence[Any], *others: Any) -> Any:
        note("shrunken", engine, designs)
        return shrunken(engine, designs, *others)

    with mock.patch.multiple(strategy, _fit_best_scale=fit_best_scale, fit_shrunken=fit_shrunken):
        yield
    paths.add("any")
    if "shrunken" in paths:
        paths.add("both" if "smoothed" in paths else "short")


def run_case(case: Case, folder: str, done: set[str]) -> list[tuple[Case, str, Record]]:
    """Fit a case with everything, and without each heuristic that takes part in the fit."""
    found: list[tuple[Case, str, Record]] = []
    rows, paths = case.rows(folder), set[str]()
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore")
        _warm_up()
        try:
            with watched(paths):
                full, _ = fit(rows)
            # The first fit to these rows also pays for memory and compiled code: it is no measure of time.
            full["seconds"] = fit(rows)[0]["seconds"]
        except PugamError as error:
            return [(case, FULL, {"refused": str(error)})]
        if FULL not in done:
            found.append((case, FULL, full | {"paths": sorted(paths)}))
        for heuristic in HEURISTICS:
            if heuristic.path in paths and heuristic.name not in done:
                found.append((case, heuristic.name, without(heuristic, rows) | {"full_seconds": full["seconds"]}))
    return found


def without(heuristic: Heuristic, rows: Rows) -> Record:
    """Fit without a heuristic; what breaks down without it is counted."""
    with heuristic.taken_away():
        try:
            return fit(rows)[0]
        except (PugamError, ArithmeticError, AssertionError, ValueError, np.linalg.LinAlgError) as error:
            return {"refused": f"{type(error).__name__}: {error}"}


@cache
def _warm_up() -> None:
    data = simulate(2, n0=300, n=600, random_state=0)
    PUGAM(n_jobs=1).fit(data.X, data.z)


class Records:
    """All fits so far, by case and by what was taken away; each is also a line in a file."""

    def __init__(self, path: Path) -> None:
        self.path, self.found = path, Fits()
        path.parent.mkdir(parents=True, exist_ok=True)
        drop_torn_line(path)
        for line in read_lines(path):
            self._keep(tuple(line["case"]), line["without"], line["record"])

    def add(self, case: Case, name: str, record: Record) -> None:
        append_line(self.path, {"case": list(case.key), "without": name, "record": record})
        self._keep(case.key, name, record)

    def _keep(self, key: tuple[Any, ...], name: str, record: Record) -> None:
        self.found.setdefault(key, {})[name] = record

    def done(self, case: Case) -> set[str]:
        return set(self.found.get(case.key, {}))

    def is_complete(self, case: Case) -> bool:
        full = self.found.get(case.key, {}).get(FULL)
        if full is None or "refused" in full:
            return full is not None
        return self.done(case) >= {one.name for one in HEURISTICS if one.path in full["paths"]}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--maskings", type=int, default=2)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--records", type=Path, default=RESULTS / "records" / "ablation.jsonl")
    given = parser.parse_args()
    records, chosen = Records(given.records), cases(given.folder, given.maskings)[:: given.every]
    missing = [case for case in chosen if not records.is_complete(case)]
    calls = (delayed(run_case)(case, given.folder, records.done(case)) for case in missing)
    with Parallel(n_jobs=given.processes, batch_size=1, return_as="generator_unordered") as parallel:
        for number, found in enumerate(parallel(calls)):
            for one in found:
                records.add(*one)
            print(f"{number + 1} of {len(missing)} cases", file=sys.stderr, flush=True)
    write_ablation(records.found, chosen)


if __name__ == "__main__":
    main()
