"""Our whole default fit, with labels that hide positives, against one fit of other GAM libraries that trust them.

usage: python benchmarks/gam_libraries.py [simulated] [spambase]      (default: both)

pyGAM and statsmodels (pip install pygam statsmodels) and R with mgcv (Debian: r-base-core, r-cran-mgcv) are left out
where they are missing. Spambase comes from the folder PUGAM_DATA, or from OpenML.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from reporting import write_table

from pugam.errors import InputError

N_ROWS, SEED = 100_000, 1
SHARE_LABELLED = 0.5
BASIS_SIZE = 10  # as in our default terms
LAMBDA, ALPHA = 0.6, 1.0  # what pyGAM takes by default; statsmodels has no default
THREADS = 2
LIMIT, LONG = 600, 60  # seconds: of a process; of a first fit, beyond which it is not repeated
REPEATS = 3  # processes of each, and fits in each
LONGEST_MESSAGE = 100
# Reads labels and features by column; times the fit alone.
BAM = """
arguments <- commandArgs(TRUE)
n <- as.integer(arguments[2]); p <- as.integer(arguments[3]); k <- as.integer(arguments[4])
threads <- as.integer(arguments[5]); long <- as.numeric(arguments[6]); repeats <- as.integer(arguments[7])
suppressMessages(library(mgcv))
d <- as.data.frame(matrix(readBin(arguments[1], "double", n * (p + 1)), n))
names(d) <- c("z", paste0("x", 1:p))
terms <- as.formula(paste("z ~", paste0("s(x", 1:p, ", k = k, bs = 'ps')", collapse = " + ")))
seconds <- c()
while (length(seconds) == 0 || (length(seconds) < repeats && seconds[1] < long)) {
  spent <- system.time(
    m <- bam(terms, family = binomial, data = d, method = "fREML", discrete = TRUE, nthreads = threads)
  )
  seconds <- c(seconds, spent[["elapsed"]])
}
name <- sprintf("mgcv %s (R %s, %s)", packageVersion("mgcv"), getRversion(), basename(extSoftVersion()[["BLAS"]]))
cat(sprintf('\\n{"seconds": [%s], "edf": %.9g, "converged": %s, "name": "%s"}', paste(seconds, collapse = ", "),
            sum(m$edf), tolower(isTRUE(m$converged)), name))
"""

Answer = dict[str, Any]


class Fitter(NamedTuple):
    """What is timed, and what to say of the fit it returns: degrees of freedom, whether it converged, more words."""

    fit: Callable[[], Any]
    describe: Callable[[Any], tuple[float, bool, str]]


def simulated() -> tuple[np.ndarray, np.ndarray]:
    from pugam.datasets import simulate

    data = simulate(3, n0=N_ROWS * 5 // 6, n=N_ROWS, pi=0.4, random_state=SEED)
    return data.X.to_numpy(), data.z


def spambase() -> tuple[np.ndarray, np.ndarray]:
    """All features; about half of the spam, a label of 0 in this table, is known to be spam."""
    from pugam.datasets import load_spambase

    table = load_spambase()
    labelled = (table.y == 0) & (np.random.default_rng(SEED).random(len(table.y)) < SHARE_LABELLED)
    return table.X.to_numpy(), labelled.astype(int)


def pugam(X: np.ndarray, z: np.ndarray) -> Fitter:
    from pugam import PUGAM

    def fit() -> PUGAM:
        model = PUGAM(check=False).fit(X, z)
        model.pi_interval()
        str(model.summary())
        return model

    def describe(model: PUGAM) -> tuple[float, bool, str]:
        smooth = [term for term in model.terms_ if getattr(term, "k", 0) == BASIS_SIZE]
        logs = sum(term.scale == "log" for term in smooth)
        words = f"{len(smooth)} of {X.shape[1]} features have smooth terms with k = {BASIS_SIZE}, {logs} of logarithms"
        ridge = model.shrinkage_
        how = "smoothed by REML" if ridge is None else f"shrunken by a ridge of {ridge:g}"
        return model.edf_, model.converged_, f"{words}, {how}, pi = {model.pi_:.3f}"

    return Fitter(fit, describe)


def pygam(X: np.ndarray, z: np.ndarray) -> Fitter:
    from pygam import LogisticGAM, s
    from pygam.terms import TermList

    terms = TermList(*(s(j, n_splines=BASIS_SIZE, lam=LAMBDA) for j in range(X.shape[1])))

    def describe(model: LogisticGAM) -> tuple[float, bool, str]:
        return float(model.statistics_["edof"]), bool(model.logs_["diffs"][-1] < model.tol), ""

    return Fitter(lambda: LogisticGAM(terms).fit(X, z), describe)


def statsmodels(X: np.ndarray, z: np.ndarray) -> Fitter:
    from statsmodels.gam.api import BSplines, GLMGam
    from statsmodels.genmod.families import Binomial

    p = X.shape[1]
    scaled = (X - X.min(axis=0)) / np.ptp(X, axis=0)  # alpha is in units of the features
    intercept = np.ones((len(X), 1))

    def fit() -> Any:
        splines = BSplines(scaled, df=[BASIS_SIZE] * p, degree=[3] * p)
        return GLMGam(z, exog=intercept, smoother=splines, alpha=[ALPHA] * p, family=Binomial()).fit()

    return Fitter(fit, lambda model: (float(model.edf.sum()), bool(model.converged), ""))


TABLES = {"simulated": simulated, "spambase": spambase}
FITTERS = {"pugam": pugam, "pygam": pygam, "statsmodels": statsmodels}
LABELS = {
    "pugam": "pugam, whole fit",
    "pygam": "pyGAM LogisticGAM",
    "statsmodels": "statsmodels GLMGam",
    "bam": "mgcv bam, discrete",
}


def one(who: str, rows: str) -> Answer:
    """Fit in this process, whose imports are made before the clock starts."""
    table = np.load(rows)
    fitter = FITTERS[who](table["X"], table["z"])
    seconds: list[float] = []
    while not seconds or (len(seconds) < REPEATS and seconds[0] < LONG):
        start = time.perf_counter()
        model = fitter.fit()
        seconds.append(time.perf_counter() - start)
    edf, converged, words = fitter.describe(model)
    return {"seconds": seconds, "edf": edf, "converged": converged, "words": words}


def in_process(command: list[str]) -> Answer | str:
    """Run a command that prints its answer on the last line; what went wrong if it does not."""
    limits = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(THREADS))
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=LIMIT, env={**os.environ, **limits}
        )
    except subprocess.TimeoutExpired:
        return f"over {LIMIT} s"
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.strip() not in ("", "Execution halted")]
        return lines[-1].replace("|", "/")[:LONGEST_MESSAGE] if lines else f"ended with status {done.returncode}"
    answer: Answer = json.loads(done.stdout.splitlines()[-1])
    return answer


def measure(X: np.ndarray, z: np.ndarray) -> dict[str, Answer | str]:
    """Let everybody fit the same rows in processes of their own, taking turns; first fits and all fits in seconds."""
    found: dict[str, Answer | str] = {}
    with tempfile.TemporaryDirectory() as folder:
        rows, by_column = Path(folder, "rows.npz"), Path(folder, "rows.bin")
        np.savez(rows, X=X, z=z)
        np.column_stack([z, X]).ravel("F").tofile(by_column)
        numbers = [str(number) for number in (*X.shape, BASIS_SIZE, THREADS, LONG, REPEATS)]
        commands = {who: [sys.executable, __file__, "one", who, str(rows)] for who in FITTERS if find_spec(who)}
        if shutil.which("Rscript") is not None:
            commands["bam"] = ["Rscript", "-e", BAM, str(by_column), *numbers]
        for turn in range(REPEATS):
            for who, command in commands.items():
                before = found.get(who, {"seconds": [], "firsts": []})
                if isinstance(before, str) or (turn > 0 and before["firsts"][0] >= LONG):
                    continue
                answer = in_process(command)
                if isinstance(answer, dict):
                    answer["firsts"] = [*before["firsts"], answer["seconds"][0]]
                    answer["seconds"] += before["seconds"]
                elif who == "pugam":
                    raise SystemExit(f"pugam failed: {answer}")
                found[who] = answer
    return {who: found.get(who, "not installed") for who in LABELS}


def table_rows(name: str, found: dict[str, Answer | str]) -> list[list[Any]]:
    ours = found["pugam"]
    our_first, our_best = min(ours["firsts"]), min(ours["seconds"])
    rows: list[list[Any]] = []
    for who, answer in found.items():
        if isinstance(answer, str):
            below = f"below {our_first / LIMIT:.3g}" if answer.startswith("over") else "-"
            rows.append([name, LABELS[who], answer, "-", below, "-", "-"])
            continue
        first, best = min(answer["firsts"]), min(answer["seconds"])
        edf = f"{answer['edf']:.3g}" + ("" if answer["converged"] else ", not converged")
        rows.append([name, LABELS[who], first, best, our_first / first, our_best / best, edf])
    return rows


def versions(found: dict[str, Answer | str]) -> set[str]:
    python = {f"{who} {version(who)}" for who in ("pygam", "statsmodels") if find_spec(who)}
    in_r = found["bam"]
    return python | ({in_r["name"]} if isinstance(in_r, dict) else set())


def main(names: list[str]) -> None:
    rows: list[list[Any]] = []
    remarks, peers = [], set()
    for name in names:
        try:
            X, z = TABLES[name]()
        except InputError as error:
            print(f"{name} is left out: {error}")
            continue
        found = measure(X, z)
        rows += table_rows(f"{name}, {len(X):,} x {X.shape[1]}", found)
        remarks.append(f"pugam on {name}: {found['pugam']['words']}.")
        peers |= versions(found)
    if not rows:
        raise SystemExit("There is no table to fit.")
    write_table(
        "gam_libraries",
        "A whole default fit (starts, smoothing, standard errors, summary) against one naive fit of other libraries",
        ["table", "who", "first fit, s", "best fit, s", "pugam / this, first", "pugam / this, best", "edf"],
        rows,
        "Naive: labels taken for the truth, an easier problem. Ten splines per feature; edf as each reports it "
        "(that of statsmodels makes no sense where quantile knots coincide). pyGAM and statsmodels fit at "
        f"one fixed smoothing (lam = {LAMBDA}, alpha = {ALPHA}), mgcv chooses it (fREML). First fit: the first in a "
        f"fresh process, imports and reading not counted, best of {REPEATS} processes; best fit: of {REPEATS} in each "
        f"of them. Fits of more than {LONG} s are made once, processes of more than {LIMIT} s ended. At most {THREADS} "
        f"threads. {' '.join(remarks)}\n\nPeers: {', '.join(sorted(peers)) or 'none installed'}.",
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["one"]:
        print("\n" + json.dumps(one(*sys.argv[2:])))
    else:
        main(sys.argv[1:] or list(TABLES))
