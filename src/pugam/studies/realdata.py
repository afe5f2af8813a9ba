"""The share of positives on real tables with hidden labels, estimated by our methods and by any others."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from pugam.errors import InputError, PugamError, PugamWarning
from pugam.estimator import PUGAM
from pugam.messages import Argument
from pugam.studies import figures
from pugam.studies.answers import Answer, Method
from pugam.studies.method_tables import by_method, by_share, by_table, errors_of
from pugam.studies.real_tables import RealTable, fingerprint, load_real_tables, mask
from pugam.studies.records import Record
from pugam.studies.running import Experiment, Plan, gather
from pugam.studies.tables import Table
from pugam.terms import l

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["OURS", "SHARES", "experiment_of", "realdata", "tables_of"]

SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)  # of positives among the unlabelled rows
REPLICATES = 10  # some methods take minutes, and tables differ far more than maskings of one table
STREAM = "realdata"  # one for all methods: they see the same maskings
LOWEST = 1e-6  # posteriors are taken for no surer than this: one that is sure and wrong would decide all


def pugam_as_it_comes(X: pd.DataFrame, labelled: np.ndarray, rng: np.random.Generator) -> Answer:
    """Answer by `PUGAM()`, a smooth of every column."""
    return _answer(PUGAM(n_jobs=1), _varying(X), labelled)


def linear(X: pd.DataFrame, labelled: np.ndarray, rng: np.random.Generator) -> Answer:
    """Answer by the parametric exponential tilting model: every column linear."""
    X = _varying(X)
    return _answer(PUGAM([l(name) for name in X.columns], n_jobs=1), X, labelled)


OURS: dict[str, Method] = {"pugam": pugam_as_it_comes, "linear": linear}


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
                found = _judge(answer, y[~labelled])
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


def _varying(X: pd.DataFrame) -> pd.DataFrame:
    """Leave out constant columns: a term of one is refused, and advice to leave it out is no doubt about pi."""
    values = X.to_numpy()
    return X.loc[:, (values != values[0]).any(axis=0)]


def _answer(model: PUGAM, X: pd.DataFrame, labelled: np.ndarray) -> Answer:
    from sklearn.exceptions import ConvergenceWarning

    began = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        for doubt in (PugamWarning, ConvergenceWarning):
            warnings.simplefilter("always", doubt)
        model.fit(X, labelled)
    posterior = model.predict_proba(X[~labelled])[:, 1]
    interval = model.pi_interval()
    seconds = time.perf_counter() - began
    return Answer(
        model.pi_,
        posterior,
        (interval.lower, interval.upper),
        warned=any(issubclass(one.category, PugamWarning | ConvergenceWarning) for one in caught),
        flagged=model.diagnose().verdict != "well determined",
        seconds=seconds,
    )


def _judge(answer: Answer, y: np.ndarray) -> Record:
    """Hold an answer against the true labels of the unlabelled rows."""
    share = float(y.mean())
    record: Record = {"share": share, "warned": bool(answer.warned), "flagged": bool(answer.flagged)}
    if answer.pi is not None:
        record |= {"pi": _finite("pi", answer.pi), "deviation": float(answer.pi) - share}
    if answer.interval is not None:
        record["interval"] = [float(limit) for limit in answer.interval]
    if answer.posterior is not None:
        record |= _judge_posterior(np.asarray(answer.posterior, dtype=float), y)
    return record


def _judge_posterior(posterior: np.ndarray, y: np.ndarray) -> Record:
    from sklearn.metrics import roc_auc_score

    if posterior.shape != y.shape:
        raise ValueError(f"There are {len(y)} unlabelled rows, but the posterior has shape {posterior.shape}.")
    of_truth = np.clip(np.where(y == 1, posterior, 1.0 - posterior), LOWEST, 1.0 - LOWEST)
    return {
        "Err": float(np.mean((posterior > 0.5) != (y == 1))),
        "auc": float(roc_auc_score(y, posterior)),
        "log_score": _finite("the log score", float(-np.mean(np.log(of_truth)))),
    }


def _finite(name: str, value: float) -> float:
    if not np.isfinite(value):
        raise ValueError(f"{name} is {value}.")
    return float(value)
