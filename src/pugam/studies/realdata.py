"""The share of positives on real tables with hidden labels, estimated by our methods and by any others."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from pugam.errors import InputError, PugamError
from pugam.messages import Argument
from pugam.studies import figures
from pugam.studies.answers import Method
from pugam.studies.judging import judge
from pugam.studies.method_tables import by_method, by_share, by_table, errors_of
from pugam.studies.our_methods import OURS
from pugam.studies.plans import Experiment, Plan
from pugam.studies.real_tables import RealTable, fingerprint, load_real_tables, mask
from pugam.studies.records import Record
from pugam.studies.running import gather
from pugam.studies.tables import Table

__all__ = ["SHARES", "experiment_of", "realdata", "tables_of"]

SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)  # of positives among the unlabelled rows
REPLICATES = 10  # some methods take minutes, and tables differ far more than maskings of one table
STREAM = "realdata"  # one for all methods: they see the same maskings


@dataclass(frozen=True)
class Trial:
    """One method asked about one masking; a replicate of an experiment.

    Attributes
    ----------
    method : Method
    foreign : bool
        Whether others wrote it: what goes wrong in it is counted, and what it warns of is not shown. Of our own
        methods only refusals are counted; a mistake ends the run.
    """

    method: Method
    foreign: bool

    def __call__(self, cell: tuple[str, float], rng: np.random.Generator, plan: Plan) -> Record:
        """Return the record of a masking of this table with this share."""
        name, share = cell
        X, labelled, y = mask(tables_of(plan)[name], share, rng)
        began = time.perf_counter()
        # One thread each: times can be compared, and the threads of several processes do not wait for each other.
        with warnings.catch_warnings(), threadpool_limits(limits=1):
            if self.foreign:
                warnings.simplefilter("ignore")
            try:
                answer = self.method(X, labelled, rng)
                all_seconds = time.perf_counter() - began
                found = judge(answer, y[~labelled])
            except Exception as error:
                if not (self.foreign or isinstance(error, PugamError)):
                    raise
                return {"error": f"{type(error).__name__}: {error}"}
        fit_seconds = all_seconds if answer.seconds is None else answer.seconds
        return {**found, "fit_seconds": round(fit_seconds, 3), "all_seconds": round(all_seconds, 3)}


def realdata(plan: Plan, methods: Mapping[str, Method] = OURS) -> dict[str, Table]:
    """Compare methods on real tables with hidden labels, at five shares of positives.

    Writes the errors of pi by table, all measures by method, and the errors by share, each as a table, and a picture.

    Parameters
    ----------
    plan : Plan
        Its `data` names a folder of CSV files; see `pugam.studies.real_tables.load_real_tables`. Where it leaves the
        number of replicates open, there are 10.
    methods : mapping of str to Method
        In the order of the tables.

    Returns
    -------
    dict of str to Table
        By the names of their files: realdata, realdata_methods and realdata_shares.
    """
    if plan.engine == "gpu":
        raise InputError(
            "The fits of realdata are made in memory, one masking at a time; use ",
            Argument("engine", "auto"),
            " or ",
            Argument("engine", "dask"),
            ".",
        )
    experiments = {name: experiment_of(name, method) for name, method in methods.items()}
    if len({experiment.name for experiment in experiments.values()}) < len(methods):
        raise InputError(f"Two of the methods {', '.join(methods)} would share a file of records; rename one.")
    cells = [(name, share) for name in tables_of(plan) for share in SHARES]
    records = {name: gather(experiment, cells, plan) for name, experiment in experiments.items()}
    tables = {table.name: table for table in (by_table(records), by_method(records), by_share(records))}
    for table in tables.values():
        table.write(plan.folder)
    errors = errors_of(records)
    if any(errors.values()):
        figures.write(figures.errors_by_table(errors, ours=tuple(OURS)), plan.folder, "realdata")
    return tables


def experiment_of(name: str, method: Method) -> Experiment:
    """Return the experiment of one method."""
    trial = Trial(method, foreign=method not in OURS.values())
    slug = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    return Experiment(f"realdata_{slug}", trial, STREAM, _conditions, REPLICATES)


def tables_of(plan: Plan) -> dict[str, RealTable]:
    """Load all tables, or say that they are not there."""
    return load_real_tables(plan.data)


def _conditions(plan: Plan) -> dict[str, str]:
    return {f"table {name}": fingerprint(table.X, table.y) for name, table in tables_of(plan).items()}
