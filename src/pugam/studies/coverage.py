"""Study of intervals for pi on simulated data: Table 2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import ndtri

from pugam.errors import InputError
from pugam.estimator import PUGAM
from pugam.inference import Bootstrap
from pugam.messages import Argument
from pugam.studies.estimates import complete, failure_note, seed_of
from pugam.studies.monte_carlo import Comparison, Measured, mean_of, rate_of
from pugam.studies.plans import Experiment, Plan
from pugam.studies.printed import COVERAGE, SAMPLE_SIZES, SETTINGS
from pugam.studies.records import Record
from pugam.studies.running import gather
from pugam.studies.simulated import PI, STREAM, draw_data, paper_model
from pugam.studies.tables import Row, Table

__all__ = [
    "KINDS",
    "bootstrap_conditions",
    "bootstrap_record",
    "coverage_of",
    "require_resamples",
    "table2",
    "width_of",
]

KINDS = ("percentile", "basic", "normal")
DEFAULT = "default (Wald)"


def table2(plan: Plan) -> Table:
    """Coverage of 95% intervals for pi: Table 2 of the paper, and the default interval.

    Examples
    --------
    A full run takes an hour on two cores and minutes on a GPU; every replicate is kept, so that it can be stopped:

    >>> from pugam.studies import Plan, table2
    >>> table2(Plan("results", engine="gpu"))  # doctest: +SKIP
    """
    require_resamples(plan)
    cells = [(setting, n) for setting in SETTINGS for n in SAMPLE_SIZES]
    records = gather(INTERVALS, cells, plan)
    rows = []
    for setting, n in cells:
        found = complete(records[setting, n])
        printed = COVERAGE[setting, n]
        for kind in (*KINDS, DEFAULT):
            figures = {
                "coverage": Comparison(coverage_of(found, kind, PI), None if kind == DEFAULT else printed),
                "mean width": Comparison(width_of(found, kind), None),
            }
            rows.append(Row((str(setting), str(n), kind), figures))
    notes = [
        f"GAET with {plan.resamples} bootstrap resamples, drawn among labelled and among unlabelled rows, kappa kept. "
        "The paper does not say how its interval is made of them: percentile takes quantiles of the refits, basic "
        "reflects them at the estimate, normal takes their standard deviation. Default: "
        '`PUGAM(estimate="mode").pi_interval()`, that of the default when this study was made.',
        *failure_note(records),
    ]
    headings = ("Setting", "n", "interval")
    table = Table("table2", "Table 2: coverage of 95% intervals for pi = 0.4", headings, rows, notes)
    table.write(plan.folder)
    return table


def bootstrap_conditions(plan: Plan) -> dict[str, Any]:
    """What records of a bootstrap depend on."""
    return {"resamples": plan.resamples}


def require_resamples(plan: Plan) -> None:
    """Refuse a plan without a bootstrap, for a study that is made of them."""
    if plan.resamples < 2:
        raise InputError(
            Argument("resamples"), f" is a whole number of at least 2 in this study; got {plan.resamples}."
        )


def bootstrap_record(resamples: Bootstrap) -> Record:
    """Record what intervals are made of."""
    lower, upper = (float(end) for end in np.quantile(resamples.pi, (0.025, 0.975)))
    return {
        "pi": resamples.estimate,
        "percentile": [lower, upper],
        "sd": float(resamples.pi.std(ddof=1)),
        "failed": resamples.n_failed,
        "unconverged": int(np.sum(~resamples.converged)),
    }


def coverage_of(records: Sequence[Record], kind: str, pi: float) -> Measured:
    """How often an interval of a kind holds pi."""
    limits = _limits(records, kind)
    return rate_of((limits[:, 0] <= pi) & (pi <= limits[:, 1]))


def width_of(records: Sequence[Record], kind: str) -> Measured:
    """The mean width of the intervals of a kind."""
    return mean_of(np.diff(_limits(records, kind), axis=1)[:, 0])


def _limits(records: Sequence[Record], kind: str) -> np.ndarray:
    if kind == DEFAULT:
        return np.array([record["default"] for record in records])
    rows = [record["GAET"] for record in records]
    quantiles = np.array([row["percentile"] for row in rows])
    estimates = np.array([row["pi"] for row in rows])[:, None]
    if kind == "percentile":
        return quantiles
    if kind == "basic":
        return np.asarray(2.0 * estimates - quantiles[:, ::-1])
    reach = ndtri(0.975) * np.array([row["sd"] for row in rows])[:, None]
    return np.hstack([estimates - reach, estimates + reach])


def _intervals(cell: tuple[int, int], rng: np.random.Generator, plan: Plan) -> Record:
    setting, n = cell
    data = draw_data(setting, n, rng)
    paper = paper_model(setting, rng, plan).fit(data.X, data.z)
    resamples = paper.bootstrap(plan.resamples, random_state=seed_of(rng), progress=False)
    interval = PUGAM(estimate="mode", engine=plan.engine, n_jobs=1).fit(data.X, data.z).pi_interval()
    return {"GAET": bootstrap_record(resamples), "default": [interval.lower, interval.upper]}


INTERVALS = Experiment("intervals", _intervals, STREAM, bootstrap_conditions)
