"""Studies of the estimates on simulated data: Table 1, Figures 1 and 2, and the number of basis functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import expit, logit

from pugam.datasets import Simulation, simulate
from pugam.estimator import PUGAM
from pugam.studies import figures
from pugam.studies.estimates import (
    classification_errors,
    compare_estimates,
    complete,
    failure_note,
    outcome,
    seed_of,
)
from pugam.studies.plans import Experiment, Plan
from pugam.studies.printed import ESTIMATES, SAMPLE_SIZES, SETTINGS
from pugam.studies.records import Record
from pugam.studies.running import gather
from pugam.studies.tables import Row, Table
from pugam.terms import l

__all__ = [
    "PI",
    "STREAM",
    "basis",
    "draw_data",
    "figure1",
    "figure2",
    "linear_model",
    "paper_model",
    "paper_procedure",
    "smooth_terms",
    "table1",
]

PI = 0.4
STREAM = "simulated"  # one stream of data for all studies of the same cells
KAPPAS = {1: "linear", 2: "smooth", 3: "smooth"}
FEATURES = tuple(f"x{number}" for number in range(1, 6))
METHODS = ("GAET", "linear", "default")
CURVE_SIZES = (1500, 2250, 3000)  # of Figure 2
GRID = np.linspace(0.0, 1.0, 41)
BASIS_SIZES = (6, 10, 15, 20)
BASIS_N = 1500


def table1(plan: Plan) -> Table:
    """Bias, se and mse of pi and errors of classification, in Settings 1 to 3: Table 1 of the paper.

    Examples
    --------
    A full run takes 20 minutes on two cores; every replicate is kept, so that it can be stopped:

    >>> from pugam.studies import Plan, table1
    >>> table1(Plan("results"))  # doctest: +SKIP
    """
    cells = [(setting, n) for setting in SETTINGS for n in SAMPLE_SIZES]
    records = gather(ESTIMATION, cells, plan)
    rows = []
    for setting, n in cells:
        for method in (*METHODS, "Bayes"):
            if method == "Bayes" and n != max(SAMPLE_SIZES):
                continue
            printed = ESTIMATES.get((setting, n, method))
            found = compare_estimates(records[setting, n], method, PI, printed)
            rows.append(Row((str(setting), str(n), method), found))
    notes = [
        "bias, se and mse of the estimate of pi = 0.4, each x 100; FP, FN and Err on the unlabelled rows. n0 = 5n/6. "
        'GAET: the paper\'s method; linear: its parametric rival; default: `PUGAM(estimate="mode")`, the default when '
        "this study was made; Bayes: the truth is known.",
        _gain(rows),
        *failure_note(records),
    ]
    table = Table("table1", "Table 1: estimates of pi and classification", ("Setting", "n", "method"), rows, notes)
    table.write(plan.folder)
    return table


def figure1(plan: Plan) -> figures.Figure:
    """Histograms of the estimates of pi at n = 4500: Figure 1 of the paper, and the same for the default.

    Examples
    --------
    A full run takes 8 minutes on two cores, none after `table1`; every replicate is kept, so that it can be stopped:

    >>> from pugam.studies import Plan, figure1
    >>> figure1(Plan("results"))  # doctest: +SKIP
    """
    n = max(SAMPLE_SIZES)
    records = gather(ESTIMATION, [(setting, n) for setting in SETTINGS], plan)
    estimates = {
        (method, setting): [record[method]["pi"] for record in complete(records[setting, n])]
        for method in ("GAET", "default")
        for setting in SETTINGS
    }
    return figures.write(figures.histograms(estimates, PI, n), plan.folder, "figure1")


def figure2(plan: Plan) -> figures.Figure:
    """Mean estimates of u_3 and the truth in Settings 2 and 3: Figure 2 of the paper, and the same for the default.

    Examples
    --------
    >>> import tempfile
    >>> from pugam.studies import Plan, figure2
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     len(figure2(Plan(folder, replicates=2, jobs=1)).axes)
    4
    """
    cells = [(setting, n) for setting in (2, 3) for n in CURVE_SIZES]
    records = gather(ESTIMATION, cells, plan)
    means = {
        (method, setting, n): np.mean([record["u3"][method] for record in complete(records[setting, n])], axis=0)
        for method in ("GAET", "default")
        for setting, n in cells
    }
    truths = {setting: draw_data(setting, 1500, np.random.default_rng(0)).effect("x3", GRID) for setting in (2, 3)}
    return figures.write(figures.mean_curves(GRID, means, truths), plan.folder, "figure2")


def basis(plan: Plan) -> Table:
    """Does the number of basis functions matter? Settings 1 to 3 at n = 1500, k = 6, 10, 15, 20.

    Examples
    --------
    A full run takes half an hour on two cores; every replicate is kept, so that it can be stopped:

    >>> from pugam.studies import Plan, basis
    >>> basis(Plan("results"))  # doctest: +SKIP
    """
    cells = [(setting, BASIS_N) for setting in SETTINGS]
    records = gather(BASIS, cells, plan)
    rows = [
        Row((str(setting), str(k), method), compare_estimates(records[setting, n], f"{method} {k}", PI, None))
        for setting, n in cells
        for k in BASIS_SIZES
        for method in ("GAET", "default")
    ]
    notes = [
        f"n0 = {5 * BASIS_N // 6}, n = {BASIS_N}; the same data for every k. bias, se and mse of pi = 0.4 x 100.",
        *failure_note(records),
    ]
    title = "Sensitivity to the number k of basis functions"
    table = Table("basis", title, ("Setting", "k", "method"), rows, notes)
    table.write(plan.folder)
    return table


def draw_data(setting: int, n: int, rng: np.random.Generator, zeta: float = 1.0) -> Simulation:
    """Draw data as in the paper: five labelled rows to one unlabelled."""
    return simulate(setting, n0=5 * n // 6, n=n, pi=PI, zeta=zeta, random_state=rng)  # type: ignore[arg-type]


def smooth_terms(k: int = 10) -> str:
    """A smooth of every feature on [0, 1], the support that the paper knows."""
    return " + ".join(f"s({name}, k={k}, bounds=(0, 1))" for name in FEATURES)


def paper_model(setting: int, rng: np.random.Generator, plan: Plan, k: int = 10) -> PUGAM:
    """The paper's method for simulated data."""
    return paper_procedure(rng, plan, terms=smooth_terms(k), kappas=KAPPAS[setting])


def linear_model(features: Sequence[str], rng: np.random.Generator, plan: Plan) -> PUGAM:
    """The parametric exponential tilting model, fitted by maximum likelihood."""
    return paper_procedure(rng, plan, terms=[l(name) for name in features], smoothing=1.0)


def paper_procedure(rng: np.random.Generator, plan: Plan, **changes: Any) -> PUGAM:
    """The paper's method with such changes; Newton's way to the optimum that EM seeks too."""
    return PUGAM.paper(solver="newton", engine=plan.engine, random_state=seed_of(rng), n_jobs=1, **changes)


def _estimate(cell: tuple[int, int], rng: np.random.Generator, plan: Plan) -> Record:
    setting, n = cell
    data = draw_data(setting, n, rng)
    hidden = data.z == 0
    models = {
        "GAET": paper_model(setting, rng, plan),
        "linear": linear_model(FEATURES, rng, plan),
        "default": PUGAM(estimate="mode", engine=plan.engine, n_jobs=1, check=False),
    }
    record: Record = {"u3": {}}
    for name, model in models.items():
        model.fit(data.X, data.z)
        record[name] = outcome(model, data.X[hidden], data.y[hidden])
        if name != "linear":
            record["u3"][name] = [round(float(u), 6) for u in model.effect("x3", GRID, center="range")["u"]]
    record["GAET"]["kappa"] = max(models["GAET"].smoothing_.values())
    posterior = expit(logit(PI) + data.log_density_ratio[hidden])
    record["Bayes"] = classification_errors(posterior > 0.5, data.y[hidden])
    return record


def _estimate_with_bases(cell: tuple[int, int], rng: np.random.Generator, plan: Plan) -> Record:
    setting, n = cell
    data = draw_data(setting, n, rng)
    hidden = data.z == 0
    record: Record = {}
    for k in BASIS_SIZES:
        default = PUGAM(smooth_terms(k), estimate="mode", engine=plan.engine, n_jobs=1, check=False)
        for name, model in (("GAET", paper_model(setting, rng, plan, k)), ("default", default)):
            model.fit(data.X, data.z)
            record[f"{name} {k}"] = outcome(model, data.X[hidden], data.y[hidden])
    return record


def _gain(rows: list[Row]) -> str:
    """The default against the paper's printed GAET: ratio of mse, difference of Err."""
    lines = ["| Setting | n | mse of the default / the paper's | Err of the default - the paper's |"]
    lines.append("| --- | --- | --- | --- |")
    for row in rows:
        setting, n, method = row.labels
        if method == "default":
            _, _, mse, _, _, err = ESTIMATES[int(setting), int(n), "GAET"]
            assert mse is not None
            assert err is not None
            ours, ours_err = row.cells["mse"].measured, row.cells["Err"].measured
            ratio = f"{ours.value / mse:.2f} ± {ours.error / mse:.2f}"
            lines.append(f"| {setting} | {n} | {ratio} | {ours_err.value - err:.3f} ± {ours_err.error:.3f} |")
    return "\n".join(lines)


ESTIMATION = Experiment("estimates", _estimate, STREAM)
BASIS = Experiment("basis", _estimate_with_bases, STREAM)
