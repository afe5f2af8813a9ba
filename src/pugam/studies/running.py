"""Runs the replicates that a study still lacks, and keeps each as soon as it is done."""

from __future__ import annotations

from collections.abc import Sequence

from pugam.engines import serves_many_at_once
from pugam.errors import warn_user
from pugam.files import working_alone
from pugam.progress import Progress
from pugam.studies.plans import Experiment, Plan
from pugam.studies.provenance import RunLog
from pugam.studies.records import Cell, Record, RecordFile
from pugam.studies.workers import n_jobs, run_replicates
from pugam.version import __version__

__all__ = ["gather"]


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
        log.session(n_jobs(plan), plan.engine) as session,
    ):
        bar.advance(len(places) - len(missing))
        for (cell, number), record in run_replicates(experiment, missing, plan):
            records.append(cell, number, record)
            session.replicates += 1
            bar.advance()


def _warn_of_queues(plan: Plan) -> None:
    """Warn where several processes share a GPU that serves one at a time."""
    if plan.engine == "gpu" and n_jobs(plan) > 1 and not serves_many_at_once():
        warn_user(
            f"{n_jobs(plan)} processes use the GPU in turns, each waiting for the others; start NVIDIA's "
            "multi-process service first (nvidia-cuda-mps-control -d), and the study may take a third of the time."
        )
