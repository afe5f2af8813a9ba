"""Study of the tests of u_1 = 0 on simulated data: Table 3."""

from __future__ import annotations

from typing import Any

import numpy as np

from pugam.estimator import PUGAM
from pugam.studies.coverage import bootstrap_conditions, require_resamples
from pugam.studies.estimates import complete, failure_note, seed_of
from pugam.studies.monte_carlo import Comparison, rate_of
from pugam.studies.plans import Experiment, Plan
from pugam.studies.printed import REJECTIONS, ZETAS
from pugam.studies.records import Record
from pugam.studies.running import gather
from pugam.studies.simulated import draw_data, paper_model
from pugam.studies.tables import Row, Table

__all__ = ["table3"]

LEVEL = 0.05
TESTS = {
    "Fourier": "the paper's, n b'b against a bootstrap",
    "Wald": "`PUGAM(estimate=\"mode\").test('x1')`, that of the default when this study was made",
    "parametric": "Wald's test in the true parametric model, where the shape of every curve is known",
}


def table3(plan: Plan) -> Table:
    """Size and power of tests of u_1 = 0 at the 5% level: Table 3 of the paper, and the default test.

    Examples
    --------
    A full run takes hours on two cores and 20 minutes on a GPU; every replicate is kept, so that it can be stopped:

    >>> from pugam.studies import Plan, table3
    >>> table3(Plan("results", engine="gpu"))  # doctest: +SKIP
    """
    require_resamples(plan)
    cells = [(setting, n, zeta) for setting, n in REJECTIONS for zeta in ZETAS]
    records = gather(TESTING, cells, plan)
    rows = []
    for (setting, n), printed in REJECTIONS.items():
        for test in TESTS:
            found = {
                f"zeta = {zeta}": Comparison(
                    rate_of([record[test] < LEVEL for record in complete(records[setting, n, zeta])]),
                    figure if test == "Fourier" else None,
                )
                for zeta, figure in zip(ZETAS, printed, strict=True)
            }
            rows.append(Row((str(setting), str(n), test), found))
    notes = [
        "Rejection rates: sizes in the column zeta = 0, powers in the others. "
        + "; ".join(f"{name}: {meaning}" for name, meaning in TESTS.items())
        + f". {plan.resamples} resamples a bootstrap.",
        *failure_note(records),
    ]
    headings = ("Setting", "n", "test")
    table = Table("table3", "Table 3: rejection rates of tests of u_1 = 0 at the 5% level", headings, rows, notes)
    table.write(plan.folder)
    return table


def _pvalues(cell: tuple[int, int, float], rng: np.random.Generator, plan: Plan) -> Record:
    setting, n, zeta = cell
    data = draw_data(setting, n, rng, zeta)
    paper = paper_model(setting, rng, plan).fit(data.X, data.z)
    resamples = paper.bootstrap(plan.resamples, random_state=seed_of(rng), progress=False)
    fourier = paper.test("x1", method="bootstrap", bootstrap=resamples)
    shapes = data.X if setting == 1 else (data.X - 0.3) ** 2
    options: dict[str, Any] = {"estimate": "mode", "engine": plan.engine, "n_jobs": 1, "check": False}
    parametric = PUGAM(" + ".join(shapes.columns), **options).fit(shapes, data.z)
    default = PUGAM(**options).fit(data.X, data.z)
    return {
        "Fourier": fourier.pvalue,
        "statistic": fourier.statistic,
        "Wald": default.test("x1").pvalue,
        "parametric": parametric.test("x1").pvalue,
        "kappa": max(paper.smoothing_.values()),
        "failed": resamples.n_failed,
        "unconverged": int(np.sum(~resamples.converged)),
    }


TESTING = Experiment("tests", _pvalues, "tests", bootstrap_conditions)
