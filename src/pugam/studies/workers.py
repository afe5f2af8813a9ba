"""Replicates on one process, on several, or on a cluster, each with random numbers of its own."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
import warnings
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from pugam.engines import find_client
from pugam.errors import PugamWarning
from pugam.studies.plans import Experiment, Plan
from pugam.studies.records import Cell, Record

__all__ = ["generator_of", "n_jobs", "run_replicates"]


def generator_of(experiment: Experiment, cell: Cell, number: int, seed: int) -> np.random.Generator:
    """Return the generator of one replicate."""
    key = zlib.crc32(json.dumps([experiment.stream, *cell]).encode())
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(key, number)))


def n_jobs(plan: Plan) -> int:
    """Return the number of processes: one a core unless the plan says otherwise."""
    import joblib

    return int(plan.jobs or joblib.cpu_count())


def run_replicates(
    experiment: Experiment, places: Sequence[tuple[Cell, int]], plan: Plan
) -> Iterator[tuple[tuple[Cell, int], Record]]:
    """Yield these replicates as they are done, in any order."""
    if plan.engine == "dask" and places:
        yield from _run_on_cluster(experiment, places, replace(plan, engine="auto"))
        return
    if n_jobs(plan) == 1:
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
            results = Parallel(n_jobs=n_jobs(plan), batch_size=1, return_as="generator_unordered")(calls)
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
