"""Runs the replicates that a study still lacks, over several processes, and keeps each as soon as it is done."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from pugam.engines import find_client, serves_many_at_once
from pugam.errors import InputError, PugamWarning, warn_user
from pugam.estimator import EngineName, read_engine
from pugam.files import working_alone
from pugam.messages import Argument
from pugam.progress import Progress
from pugam.studies.monte_carlo import PRINTED_REPLICATES
from pugam.studies.provenance import RunLog
from pugam.studies.records import Cell, Record, RecordFile
from pugam.version import __version__

__all__ = ["Experiment", "Plan", "gather"]

DEFAULT_SEED = 20261115


@dataclass(frozen=True)
class Plan:
    """How a study is to be run.

    Attributes
    ----------
    out : Path or str
        Folder for tables and figures; the records, from which a run resumes, go to its folder `records`.
    replicates : int, optional
        None for as many as each study is meant to have: 500 in those of the paper.
    resamples : int
        Of every bootstrap; 0 leaves out what rests on one where something else remains.
    jobs : int, optional
        Processes; None for one a core. Results do not depend on it.
    engine : str
        Of every fit.
    seed : int
        Every replicate draws from a generator of its own, made of this, its cell and its number.
    data : Path or str, optional
        Folder of the real tables; see `pugam.datasets.load_wilt`.
    progress : bool, optional
        Show a progress bar; None shows one on a terminal.

    Examples
    --------
    >>> from pugam.studies import Plan
    >>> Plan("results", replicates=50, jobs=2).folder
    PosixPath('results')
    """

    out: Path | str = "results"
    replicates: int | None = None
    resamples: int = 500
    jobs: int | None = None
    engine: EngineName = "auto"
    seed: int = DEFAULT_SEED
    data: Path | str | None = None
    progress: bool | None = None

    def __post_init__(self) -> None:
        if read_engine(self.engine) == "stream":
            raise InputError(
                Argument("engine", "stream"),
                " is for a large file; the data of a study are small: use ",
                Argument("engine", "auto"),
                ".",
            )
        for name, least in (("replicates", 2), ("resamples", 0), ("jobs", 1), ("seed", 0)):
            value = getattr(self, name)
            fits = isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= least
            if not fits and not (name in ("jobs", "replicates") and value is None):
                raise InputError(Argument(name), f" is a whole number of at least {least}; got {value!r}.")

    @property
    def folder(self) -> Path:
        """The folder of the results."""
        return Path(self.out)


@dataclass(frozen=True)
class Experiment:
    """What is done in every replicate of a cell.

    Attributes
    ----------
    name : str
        Names the file of records.
    replicate : callable
        Takes a cell, a generator and the plan, and returns the record.
    stream : str
        Experiments with the same stream draw the same data in cells of the same name.
    conditions : callable, optional
        Gives what the records depend on, apart from the seed and the version of the package.
    replicates : int
        Of each cell, where the plan leaves it open.
    """

    name: str
    replicate: Callable[[Any, np.random.Generator, Plan], Record]
    stream: str
    conditions: Callable[[Plan], dict[str, Any]] = lambda plan: {}
    replicates: int = PRINTED_REPLICATES


def gather(experiment: Experiment, cells: Sequence[Cell], plan: Plan) -> dict[Cell, list[Record]]:
    """Return the records of all replicates of these cells, after running those that are not kept yet.

    A replicate that breaks down is kept as a record with an `error`, so that it is counted, and not tried again.
    """
    conditions = {"seed": plan.seed, "version": __version__, **experiment.conditions(plan)}
    path = plan.folder / "records" / f"{experiment.name}.jsonl"
    replicates = experiment.replicates if plan.replicates is None else plan.replicates
    with working_alone(path):
        records = RecordFile(path, conditions)
        _run_missing(experiment, cells, plan, records, replicates)
    return {cell: [records[cell, number] for number in range(replicates)] for cell in cells}


def _run_missing(
    experiment: Experiment, cells: Sequence[Cell], plan: Plan, records: RecordFile, replicates: int
) -> None:
    places = [(cell, number) for number in range(replicates) for cell in cells]
    missing = [place for place in places if place not in records]
    log = RunLog(records.path.with_suffix(".runs.jsonl"))
    if missing:
        _warn_of_queues(plan)
    with (
        Progress(experiment.name, len(places), plan.progress) as bar,
        log.session(_n_jobs(plan), plan.engine) as session,
    ):
        bar.advance(len(places) - len(missing))
        for (cell, number), record in _run(experiment, missing, plan):
            records.append(cell, number, record)
            session.replicates += 1
            bar.advance()


def _warn_of_queues(plan: Plan) -> None:
    """Warn where several processes share a GPU that serves one at a time."""
    if plan.engine == "gpu" and _n_jobs(plan) > 1 and not serves_many_at_once():
        warn_user(
            f"{_n_jobs(plan)} processes use the GPU in turns, each waiting for the others; start NVIDIA's "
            "multi-process service first (nvidia-cuda-mps-control -d), and the study may take a third of the time."
        )


def generator_of(experiment: Experiment, cell: Cell, number: int, seed: int) -> np.random.Generator:
    """Return the generator of one replicate."""
    key = zlib.crc32(json.dumps([experiment.stream, *cell]).encode())
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(key, number)))


def _n_jobs(plan: Plan) -> int:
    import joblib

    return int(plan.jobs or joblib.cpu_count())


def _run(
    experiment: Experiment, places: Sequence[tuple[Cell, int]], plan: Plan
) -> Iterator[tuple[tuple[Cell, int], Record]]:
    if plan.engine == "dask" and places:
        yield from _run_on_cluster(experiment, places, replace(plan, engine="auto"))
        return
    if _n_jobs(plan) == 1:
        for cell, number in places:
            yield _one(experiment, cell, number, plan)
        return
    from joblib import Parallel, delayed

    calls: Iterable[Any] = (
        delayed(_one_for_parent)(os.getpid(), experiment, cell, number, plan) for cell, number in places
    )
    results: Any = None
    try:
        with _ctrl_c_for_parent_alone():  # whose end is when an earlier Ctrl-C is heard
            results = Parallel(n_jobs=_n_jobs(plan), batch_size=1, return_as="generator_unordered")(calls)
        for result in results:  # noqa: UP028  `yield from` would close them itself
            yield result
    finally:
        if results is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # that work is thrown away: the reason is told elsewhere
                results.close()


def _run_on_cluster(
    experiment: Experiment, places: Sequence[tuple[Cell, int]], plan: Plan
) -> Iterator[tuple[tuple[Cell, int], Record]]:
    client = find_client()
    from distributed import as_completed

    jobs = [client.submit(_one, experiment, cell, number, plan, pure=False) for cell, number in places]
    for job in as_completed(jobs):  # type: ignore[no-untyped-call]
        yield job.result()
        job.release()


@contextmanager
def _ctrl_c_for_parent_alone() -> Iterator[None]:
    """Start processes that do not hear Ctrl-C: this one does, and ends them without a word from each."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    _start_trackers()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_trackers() -> None:
    """New processes inherit what is blocked. These two would lift that when they start; once they run, they do not."""
    from multiprocessing import resource_tracker

    from joblib.externals.loky.backend import resource_tracker as loky_tracker

    loky_tracker.ensure_running()
    resource_tracker.ensure_running()


def _one_for_parent(parent: int, *arguments: Any) -> tuple[tuple[Cell, int], Record]:
    _end_with_parent(parent)
    return _one(*arguments)


@cache
def _end_with_parent(parent: int) -> None:
    """Let this process end when the one that gives it work is gone: else it would wait for more for minutes."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _one(experiment: Experiment, cell: Cell, number: int, plan: Plan) -> tuple[tuple[Cell, int], Record]:
    began = time.perf_counter()
    rng = generator_of(experiment, cell, number, plan.seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PugamWarning)
        warnings.simplefilter("ignore", UserWarning)  # scikit-learn's of convergence
        try:
            record = experiment.replicate(cell, rng, plan)
        except np.linalg.LinAlgError as error:
            record = {"error": f"{type(error).__name__}: {error}"}
    return (cell, number), {**record, "seconds": round(time.perf_counter() - began, 3)}
