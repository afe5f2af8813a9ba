"""People who do not know that they are ill: shares by survey cycle, beside what was measured in the same people.

usage: python benchmarks/nhanes.py FOLDER [CYCLES]      (default: all ten)

FOLDER holds nhanes.csv.gz, adults of the U.S. National Health and Nutrition Examination Survey; docs/nhanes.md
describes its columns. Labelled rows are people whom a doctor told that they have diabetes, or hypertension. Of all
others a laboratory, or a cuff, knows. Rows that lack a feature are left out. Each fit has a process of its own.
"""

from __future__ import annotations

import resource
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain
from multiprocessing import get_context
from pathlib import Path

import pandas as pd
from reporting import write_table

from pugam import PUGAM

FEATURES = ["age", "sex", "ethnicity", "education", "bmi", "waist", "height", "hdl", "family_diabetes"]
DESIGN = ["year", "stratum", "psu", "weight"]
MEANS = {"age": 1, "bmi": 1, "waist": 1, "hdl": 2, "family_diabetes": 2}  # and digits shown
CONDITIONS = ("diabetes", "hypertension")
N_AUDITED = 100  # people of each cycle
ALL = "all"
TOGETHER, CYCLES, SURVEY = "all cycles as one sample", "one fit, a share for each cycle", "the same, by the survey"
AUDITED, ALONE = f"{N_AUDITED} audited in each cycle, without the model", "each cycle alone"


@dataclass(frozen=True)
class Answer:
    """What a fit says: shares with their limits, how long it took, and what tests say of it."""

    shares: pd.DataFrame
    seconds: float
    mebibytes: float
    verdict: str
    tests: tuple[str, ...]


def read(folder: str, condition: str, cycles: int) -> pd.DataFrame:
    """Complete rows: features, design of the survey, z, and y, which is missing where nothing was measured."""
    table = pd.read_csv(Path(folder) / "nhanes.csv.gz")
    table = table[table["year"].isin(sorted(table["year"].unique())[:cycles])]
    ill = {
        "diabetes": (table["hba1c"] >= 6.5).where(table["hba1c"].notna()),
        "hypertension": ((table["systolic"] >= 140) | (table["diastolic"] >= 90)).where(table["systolic"].notna()),
    }[condition]
    rows = table[FEATURES + DESIGN].assign(z=table[f"told_{condition}"], y=ill.astype(float))
    rows["psu"] = rows["stratum"].astype(str) + "-" + rows["psu"].astype(str)
    return rows.dropna(subset=[*FEATURES, "z"]).reset_index(drop=True)


def fit_together(rows: pd.DataFrame) -> PUGAM:
    """All cycles as one sample: what a fit costs without shares for each."""
    return PUGAM().fit(rows[FEATURES], rows["z"])


def fit_cycles(rows: pd.DataFrame) -> PUGAM:
    """A share for each cycle."""
    return PUGAM().fit(rows[[*FEATURES, "year"]], rows["z"], sample="year")


def fit_audited(rows: pd.DataFrame) -> PUGAM:
    """The same, and some people's measurements are known."""
    measured = rows[(rows["z"] == 0) & rows["y"].notna()]
    drawn = measured.groupby("year").sample(N_AUDITED, random_state=0).index
    audit = rows["y"].where(rows.index.isin(drawn))
    return PUGAM().fit(rows[[*FEATURES, "year"]], rows["z"], sample="year", audit=audit)


def fit_survey(rows: pd.DataFrame) -> PUGAM:
    """The survey's design: people without a weight weigh nothing, but their clusters were drawn."""
    X, design = rows[[*FEATURES, "year", "psu", "stratum"]], {"groups": "psu", "strata": "stratum"}
    return PUGAM().fit(X, rows["z"], rows["weight"].fillna(0.0), sample="year", **design)


def by_model(model: PUGAM) -> pd.DataFrame:
    """Shares, and their sampling limits."""
    sampling = model.shares(model_error=False)
    limits = {"low": sampling["lower"], "high": sampling["upper"]}
    return model.shares()[["sample", "pi", "lower", "upper", "verdict"]].assign(**limits)


def by_audit(model: PUGAM) -> pd.DataFrame:
    """What audited rows say without the model."""
    found = model.check_audit()
    return found[["sample", "lower", "upper"]].assign(pi=found["estimate"])


FITS: dict[str, tuple[Callable[[pd.DataFrame], PUGAM], Callable[[PUGAM], pd.DataFrame]]] = {
    TOGETHER: (fit_together, by_model),
    CYCLES: (fit_cycles, by_model),
    SURVEY: (fit_survey, by_model),
    AUDITED: (fit_audited, by_audit),
}


def answer(folder: str, condition: str, cycles: int, name: str, year: int | None) -> Answer:
    """Fit, in a process of its own."""
    rows, (fit, report) = read(folder, condition, cycles), FITS[name]
    rows = rows if year is None else rows[rows["year"] == year].reset_index(drop=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        model = fit(rows)
        seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        tests = what_tests_say(model) if year is None else ()
        return Answer(report(model), seconds, peak, str(model.verdict_), tests)


def what_tests_say(model: PUGAM) -> tuple[str, ...]:
    """p-values: curves are the same, effects add up, trees find nothing, shares are equal, the audit agrees."""
    diagnosis, found = model.diagnose(), model._fit.samples
    tests = [diagnosis.pair_test, diagnosis.omnibus]
    several = found is not None and len(found.names) > 1
    curves = _p(model.test_curves()["pvalue"].iloc[-1]) if several else "-"
    shares = _p(model.test_shares().pvalue) if several else "-"
    audit = _p(model.check_audit()["pvalue"].iloc[-1]) if several and found.audited.any() else "-"
    return curves, *("-" if test is None else _p(test.pvalue) for test in tests), shares, audit


def _p(value: float) -> str:
    return f"{value:.2g}"


def measure(rows: pd.DataFrame, weighted: bool = False) -> pd.Series:
    """The share of those not told who have it, of those measured, in each cycle and in all."""
    known = rows[(rows["z"] == 0) & rows["y"].notna()]
    weight = known["weight"].fillna(0.0) if weighted else pd.Series(1.0, known.index)
    sums = pd.DataFrame({"ill": weight * known["y"], "all": weight}).groupby(known["year"].astype(str)).sum()
    sums.loc[ALL] = sums.sum()
    return sums["ill"] / sums["all"]


def holds(found: pd.Series, truth: float, limits: Sequence[str] = ("lower", "upper")) -> bool:
    lower, upper = found[list(limits)]
    return bool(lower <= truth <= upper)


def _cell(found: pd.Series, truth: float) -> str:
    held = "*" if holds(found, truth) else ""
    return f"{found['pi']:.3f} ({found['lower']:.3f} to {found['upper']:.3f}){held}"


@dataclass(frozen=True)
class Comparison:
    """A condition: what was measured, by cycle, and what each way to estimate it says."""

    condition: str
    rows: pd.DataFrame
    ways: dict[str, pd.DataFrame]

    def truth(self, way: str) -> pd.Series:
        return measure(self.rows, weighted=way == SURVEY)

    def line(self, cycle: str) -> list[str]:
        here = self.rows if cycle == ALL else self.rows[self.rows["year"] == int(cycle)]
        told = [f"{(here['z'] == z).sum()}" for z in (1, 0)]
        measured = [f"{self.truth(way)[cycle]:.3f}" for way in (CYCLES, SURVEY)]
        cells = [
            _cell(found.loc[cycle], self.truth(way)[cycle]) if cycle in found.index else "-"
            for way, found in self.ways.items()
        ]
        return [self.condition, cycle, *told, *measured, *cells]

    def counts(self) -> list[str]:
        """The last line: in how many cycles intervals cover, by each way."""
        return [self.condition, "intervals that cover", *"----", *map(self._count, self.ways)]

    def _count(self, way: str) -> str:
        found, truth = self.ways[way], self.truth(way).drop(ALL)
        held = f"{sum(holds(found.loc[cycle], truth[cycle]) for cycle in truth.index)}"
        if way == AUDITED:
            return held
        sampling = sum(holds(found.loc[cycle], truth[cycle], ("low", "high")) for cycle in truth.index)
        return f"{held} ({sampling})"


def ask(folder: str, condition: str, cycles: int, tasks: Sequence[tuple[str, int | None]]) -> list[Answer]:
    """Fit one after the other, each in a fresh process, whose peak of memory is its own."""
    found = []
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:
        for task in tasks:
            found.append(pool.submit(answer, folder, condition, cycles, *task).result())
            print(condition, *task, f"{found[-1].seconds:.1f} s\n{found[-1].shares}", flush=True)
    return found


def compare(folder: str, condition: str, cycles: int) -> tuple[Comparison, list[list[str]]]:
    """All fits for one condition: what they say, and what they cost."""
    rows = read(folder, condition, cycles)
    years = sorted(rows["year"].unique())
    answers = dict(zip(FITS, ask(folder, condition, cycles, [(name, None) for name in FITS]), strict=True))
    singly = ask(folder, condition, cycles, [(TOGETHER, year) for year in years])
    alone = pd.concat([one.shares.assign(sample=str(year)) for one, year in zip(singly, years, strict=True)])
    ways = {CYCLES: answers[CYCLES].shares, ALONE: alone, AUDITED: answers[AUDITED].shares}
    ways = {way: found.set_index("sample") for way, found in (ways | {SURVEY: answers[SURVEY].shares}).items()}
    costs = [[condition, name, *_costs([one]), one.verdict, *one.tests] for name, one in answers.items()]
    verdicts = alone["verdict"].value_counts().items()
    costs.append([condition, ALONE, *_costs(singly), ", ".join(f"{n} {verdict}" for verdict, n in verdicts), *"-----"])
    return Comparison(condition, rows, ways), costs


def _costs(answers: Sequence[Answer]) -> tuple[str, str]:
    return f"{sum(one.seconds for one in answers):.1f}", f"{max(one.mebibytes for one in answers):.0f}"


def main(folder: str, cycles: int) -> None:
    found, costs = zip(*(compare(folder, condition, cycles) for condition in CONDITIONS), strict=True)
    write_shares(found, cycles)
    write_fits(list(chain(*costs)))
    write_people(found)


def write_shares(found: Sequence[Comparison], cycles: int) -> None:
    lines = [[*(one.line(cycle) for cycle in one.truth(CYCLES).index), one.counts()] for one in found]
    write_table(
        "nhanes",
        f"Shares of people who have a disease and were not told, by survey cycle: NHANES, {cycles} cycles",
        [*("condition", "cycle", "told", "not told", "measured", "measured, weighted"), *found[0].ways],
        list(chain(*lines)),
        "measured: share of those not told whose HbA1c is 6.5% or more, or whose mean blood pressure is 140/90 or "
        "more, among those in whom it was measured; weighted: by the weights of the fasting subsample, as in "
        f"{SURVEY!r}. * the 95% interval covers the measured share. It allows for model error, save that of "
        "audited people, which does not rest on the model. intervals that cover: in so many of the cycles; in "
        f"brackets, of sampling intervals. Complete rows; features: {', '.join(FEATURES)}.",
    )


def write_fits(fits: list[list[str]]) -> None:
    write_table(
        "nhanes_fits",
        "What the fits to NHANES cost, and what tests say of them",
        [
            *("condition", "fit", "seconds", "peak MiB", "verdict", "p: same curves", "p: effects add up"),
            *("p: boosting", "p: equal shares", "p: audit agrees"),
        ],
        fits,
        "seconds: fit and verdict. peak: of the whole process, the table included.",
    )


def write_people(found: Sequence[Comparison]) -> None:
    """Are those who were told like those who have it and were not?"""
    write_table(
        "nhanes_people",
        "Means of features: people who were told, people who have it and were not told, and all others",
        ["condition", "who", "people", *MEANS, "women", "not white"],
        list(chain(*(_people(one.condition, one.rows) for one in found))),
        "Of those not told, people in whom it was measured.",
    )


def _people(condition: str, rows: pd.DataFrame) -> list[list[str]]:
    who = {"told": rows["z"] == 1} | {
        name: (rows["z"] == 0) & (rows["y"] == y) for name, y in (("has it, not told", 1.0), ("does not have it", 0.0))
    }
    return [[condition, name, f"{chosen.sum()}", *_means(rows[chosen])] for name, chosen in who.items()]


def _means(rows: pd.DataFrame) -> list[str]:
    shares = (rows["sex"] == "female").mean(), (rows["ethnicity"] != "white").mean()
    return [*(f"{rows[name].mean():.{digits}f}" for name, digits in MEANS.items()), *(f"{one:.2f}" for one in shares)]


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10)
