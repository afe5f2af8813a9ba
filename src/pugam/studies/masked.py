"""Studies on real data whose labels are masked: Table 4, and the curves of Wilt and Spambase."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from pugam.datasets import load_spambase, load_wilt
from pugam.estimator import PUGAM
from pugam.studies import figures
from pugam.studies.coverage import KINDS, bootstrap_conditions, bootstrap_record, coverage_of
from pugam.studies.estimates import compare_estimates, complete, failure_note, outcome, seed_of
from pugam.studies.monte_carlo import Comparison, rate_of
from pugam.studies.plans import Experiment, Plan
from pugam.studies.printed import MASKED, MASKED_COVERAGE
from pugam.studies.real_tables import fingerprint
from pugam.studies.records import Record
from pugam.studies.running import gather
from pugam.studies.simulated import linear_model, paper_procedure
from pugam.studies.tables import Row, Table
from pugam.terms import Term, l, s

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["curves", "load_tables", "table4"]

SHARES = (0.7, 0.8, 0.9)  # of the positives that are labelled
STREAM = "masked"
METHODS = ("GAET", "linear", "default")

# The predictors of the additive model in Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, chapter
# 9, under the names they have there; the four whose effects bend most are smooth.
SPAM_COLUMNS = {
    "our": "word_freq_our",
    "over": "word_freq_over",
    "remove": "word_freq_remove",
    "internet": "word_freq_internet",
    "free": "word_freq_free",
    "business": "word_freq_business",
    "hp": "word_freq_hp",
    "hpl": "word_freq_hpl",
    "george": "word_freq_george",
    "1999": "word_freq_1999",
    "re": "word_freq_re",
    "edu": "word_freq_edu",
    "ch!": "char_freq_!",
    "ch$": "char_freq_$",
    "CAPMAX": "capital_run_length_longest",
    "CAPTOT": "capital_run_length_total",
}
SPAM_SMOOTH = ("over", "hpl", "edu", "CAPMAX")
# Six smoothing parameters each, as the paper has for simulated data; for real data it names none. On Wilt 10^-6 is far
# too smooth: benchmarks/results/wilt_smoothing.md.
KAPPAS: dict[str, str | tuple[float, ...]] = {
    "Wilt": tuple(10.0**power for power in range(-10, -4)),
    "Spambase": "smooth",
}


@dataclass(frozen=True, eq=False)
class RealData:
    """A table with true labels, and the terms of its model."""

    X: pd.DataFrame
    y: np.ndarray
    terms: tuple[Term, ...]

    def share_of_positives(self, labelled: float) -> float:
        """The paper's pi_0: the expected share among the unlabelled rows when so many positives are labelled."""
        hidden = (1.0 - labelled) * self.y.sum()
        return float(hidden / (hidden + np.sum(self.y == 0)))

    @property
    def fingerprint(self) -> str:
        """What tells these data from others."""
        return fingerprint(self.X, self.y)

    def mask(self, labelled: float, rng: np.random.Generator) -> np.ndarray:
        """Label each positive with this probability."""
        return np.asarray((self.y == 1) & (rng.random(len(self.y)) < labelled))


def table4(plan: Plan) -> Table:
    """Wilt and Spambase with masked labels: Table 4 of the paper, and the default with its interval.

    The coverage of bootstrap intervals, which takes longer, follows in a table of its own.

    Examples
    --------
    A full run takes hours on two cores; every replicate is kept, so that it can be stopped:

    >>> from pugam.studies import Plan, table4
    >>> table4(Plan("results", data="folder-with-the-tables"))  # doctest: +SKIP
    """
    tables = load_tables(plan)
    cells = [(name, share) for name in SOURCES for share in SHARES]
    records = gather(MASKING, cells, plan)
    rows = []
    for name, share in cells:
        pi, found = tables[name].share_of_positives(share), complete(records[name, share])
        for method in METHODS:
            figures_found = compare_estimates(found, method, pi, MASKED.get((name, share, method)))
            if method == "default":
                limits = np.array([record["interval"] for record in found])
                covered = rate_of((limits[:, 0] <= pi) & (pi <= limits[:, 1]))
                figures_found["coverage"] = Comparison(covered, None)
            rows.append(Row((name, f"{share}", f"{pi:.3f}", method), figures_found))
    notes = [
        "p_z: share of the positives that are labelled; pi_0: expected share of positives among the unlabelled rows. "
        "bias, se and mse of the estimate of pi x 100. coverage: of the default's 95% interval.",
        *failure_note(records),
    ]
    headings = ("data", "p_z", "pi_0", "method")
    table = Table("table4", "Table 4: real data with masked labels", headings, rows, notes)
    table.write(plan.folder)
    if plan.resamples > 0:
        _coverage(plan, tables, cells)
    return table


def _coverage(plan: Plan, tables: Mapping[str, RealData], cells: Sequence[tuple[str, float]]) -> None:
    records = gather(MASKED_INTERVALS, cells, plan)
    rows = []
    for name, share in cells:
        pi, found = tables[name].share_of_positives(share), complete(records[name, share])
        for kind in KINDS:
            covered = Comparison(coverage_of(found, kind, pi), MASKED_COVERAGE[name, share], digits=2)
            rows.append(Row((name, f"{share}", kind), {"coverage": covered}))
    notes = [f"GAET, {plan.resamples} resamples a bootstrap; the kinds are those of Table 2.", *failure_note(records)]
    title = "Table 4, in the text: coverage of 95% bootstrap intervals for pi_0"
    Table("table4_coverage", title, ("data", "p_z", "interval"), rows, notes).write(plan.folder)


def curves(plan: Plan) -> dict[str, figures.Figure]:
    """Effects of all terms with 95% bands, for one masking of Wilt and of Spambase with 7 in 10 positives labelled.

    Examples
    --------
    >>> from pugam.studies import Plan, curves
    >>> curves(Plan("results", data="folder-with-the-tables"))  # doctest: +SKIP
    """
    import pandas as pd

    drawn = {}
    for name, data in load_tables(plan).items():
        mask = data.mask(SHARES[0], np.random.default_rng(plan.seed))
        model = PUGAM(list(data.terms), estimate="mode", engine=plan.engine).fit(data.X, mask)
        drawn[name] = figures.write(model.plot(), plan.folder, f"curves_{name.lower()}")
        effects = pd.concat([model.effect(term.label).assign(term=term.label) for term in data.terms])
        effects.to_csv(plan.folder / f"curves_{name.lower()}.csv", index=False, float_format="%.6g")
    return drawn


def _wilt(folder: str | None) -> RealData:
    table = load_wilt(folder)
    return RealData(table.X, table.y, tuple(s(name) for name in table.X.columns))


def _spambase(folder: str | None) -> RealData:
    table = load_spambase(folder)
    X = np.log(table.X[list(SPAM_COLUMNS.values())] + 0.1)
    X.columns = list(SPAM_COLUMNS)
    terms = tuple(s(name) if name in SPAM_SMOOTH else l(name) for name in SPAM_COLUMNS)
    return RealData(X, table.y, terms)


SOURCES = {"Wilt": _wilt, "Spambase": _spambase}


def load_tables(plan: Plan) -> dict[str, RealData]:
    """Load all real tables, or say that they are not there."""
    return {name: _load(name, plan.data) for name in SOURCES}


def _load(name: str, folder: object) -> RealData:
    return _load_once(name, None if folder is None else str(folder))


@cache
def _load_once(name: str, folder: str | None) -> RealData:
    return SOURCES[name](folder)


def paper_model(name: str, rng: np.random.Generator, plan: Plan) -> PUGAM:
    """The paper's method for one of these tables."""
    return paper_procedure(rng, plan, terms=list(_load(name, plan.data).terms), kappas=KAPPAS[name])


def _estimate(cell: tuple[str, float], rng: np.random.Generator, plan: Plan) -> Record:
    name, share = cell
    data = _load(name, plan.data)
    labelled = data.mask(share, rng)
    models = {
        "GAET": paper_model(name, rng, plan),
        "linear": linear_model(list(data.X.columns), rng, plan),
        "default": PUGAM(list(data.terms), estimate="mode", engine=plan.engine, n_jobs=1),
    }
    record: Record = {"share": float(data.y[~labelled].mean())}
    for method, model in models.items():
        model.fit(data.X, labelled)
        record[method] = outcome(model, data.X[~labelled], data.y[~labelled])
    interval = models["default"].pi_interval()
    record["interval"] = [interval.lower, interval.upper]
    record["GAET"]["kappa"] = max(models["GAET"].smoothing_.values())
    return record


def _resample(cell: tuple[str, float], rng: np.random.Generator, plan: Plan) -> Record:
    name, share = cell
    data = _load(name, plan.data)
    model = paper_model(name, rng, plan).fit(data.X, data.mask(share, rng))
    resamples = model.bootstrap(plan.resamples, random_state=seed_of(rng), progress=False)
    return {"GAET": bootstrap_record(resamples)}


def _conditions(plan: Plan) -> dict[str, str]:
    return {name: f"{table.fingerprint}, kappas {KAPPAS[name]}" for name, table in load_tables(plan).items()}


MASKING = Experiment("masking", _estimate, STREAM, _conditions)
MASKED_INTERVALS = Experiment(
    "masked_intervals", _resample, STREAM, lambda plan: {**_conditions(plan), **bootstrap_conditions(plan)}
)
