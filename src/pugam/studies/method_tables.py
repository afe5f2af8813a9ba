"""Tables that compare methods on real data with hidden labels, made of their records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from pugam.studies.monte_carlo import Comparison, Measured, average_of, mean_of, median_of, rate_of
from pugam.studies.records import Cell, Record
from pugam.studies.tables import Row, Table

__all__ = ["Records", "by_method", "by_share", "by_table", "errors_of"]

OfMethod = Mapping[Cell, Sequence[Record]]  # cells are table and share
Records = Mapping[str, OfMethod]
Value = Callable[[Record], float | None]

FAR = 0.3  # an error of pi that misleads whoever relies on it
ALL = "all tables"
LONGEST = 200  # characters of a message
HIDING = (
    "Half of the positives of a table, 1000 at most, are labelled; among the unlabelled rows, 2000 at most, 0.1, 0.3, "
    "0.5, 0.7 or 0.9 are positive. All methods see the same maskings."
)
MEASURES = (
    "MAE: mean absolute error of pi, all tables and shares counted alike; empty where a method did not answer in "
    f"every table. > {FAR}: share of runs with a larger error; unwarned: with a larger error, but no doubt cast on pi "
    "by a warning or by the diagnosis. coverage: share of 95% intervals that cover the true share, in all runs and in "
    "those that the diagnosis flags or not; width: their mean width. warned: share of runs in which the fit warns; "
    "flagged: in which the diagnosis does not find pi well determined. Err, AUC, log score: share of wrong calls of "
    "unlabelled rows at a posterior of 0.5, area under the curve, mean of -log posterior of the truth (between 1e-6 "
    "and 1 - 1e-6), all tables and shares counted alike. seconds: median time of pi, posterior and interval; with "
    "diagnosis: of the diagnosis too. failures: share of runs without an answer; what else is in the line is of the "
    "other runs."
)


def errors_of(records: Records) -> dict[str, dict[str, Measured]]:
    """Mean absolute errors of pi by method and table, where there are any."""
    found: dict[str, dict[str, Measured]] = {}
    for method, of_method in records.items():
        by_name = {name: _mean(_part(of_method, 0, name), _absolute_error) for name in _levels(records, 0)}
        found[method] = {str(name): one for name, one in by_name.items() if one is not None}
    return found


def by_table(records: Records) -> Table:
    """Tabulate the mean absolute error of pi: a line for each table, a column for each method."""
    errors, names = errors_of(records), _levels(records, 0)
    rows = [
        Row((str(name),), _cells({method: found.get(str(name)) for method, found in errors.items()})) for name in names
    ]
    rows.append(Row((ALL,), _cells(_overall(records))))
    notes = [HIDING, f"The line {ALL} is empty for a method that did not answer in every table.", *_failures(records)]
    title = "Mean absolute error of the estimated share of positives, by table"
    return Table("realdata", title, ("table",), rows, notes)


def by_method(records: Records) -> Table:
    """Tabulate what was measured of each method, over all tables and shares."""
    errors = _overall(records)
    rows = [
        Row((method,), _cells({"MAE": errors[method], **_measures(of_method)})) for method, of_method in records.items()
    ]
    notes = [MEASURES, HIDING, *_failures(records)]
    return Table("realdata_methods", "Methods on real data with hidden labels", ("method",), rows, notes)


def by_share(records: Records) -> Table:
    """Tabulate bias and mean absolute error of pi by the true share, all tables counted alike."""
    rows = []
    for share in _levels(records, 1):
        for method, of_method in records.items():
            here = _part(of_method, 1, share)
            found = {"bias": _mean(here, _deviation), "MAE": _mean(here, _absolute_error)}
            rows.append(Row((str(share), method), _cells(found)))
    title = "Bias and mean absolute error of the estimated share of positives, by the true share"
    return Table("realdata_shares", title, ("share", "method"), rows, [HIDING, *_failures(records)])


def _overall(records: Records) -> dict[str, Measured | None]:
    """Mean errors over all tables; None without an answer in one: a mean over easy tables is no match for others."""
    names = _levels(records, 0)
    return {
        method: average_of(list(found.values())) if len(found) == len(names) else None
        for method, found in errors_of(records).items()
    }


def _measures(of_method: OfMethod) -> dict[str, Measured | None]:
    """All measures of one method but its mean error; None for those that it does not have."""
    runs = [run for found in of_method.values() for run in _answered(found)]
    with_pi = [run for run in runs if "deviation" in run]
    with_interval = [run for run in runs if "interval" in run]
    return {
        f"> {FAR}": _rate(map(_is_far, with_pi)),
        f"> {FAR}, unwarned": _rate(_is_far(run) and not (run["warned"] or run["flagged"]) for run in with_pi),
        "coverage": _rate(map(_covers, with_interval)),
        "coverage, flagged": _rate(_covers(run) for run in with_interval if run["flagged"]),
        "coverage, not flagged": _rate(_covers(run) for run in with_interval if not run["flagged"]),
        "width": _mean(of_method, _width),
        "warned": _rate(run["warned"] for run in with_interval),
        "flagged": _rate(run["flagged"] for run in with_interval),
        "Err": _mean(of_method, lambda run: run.get("Err")),
        "AUC": _mean(of_method, lambda run: run.get("auc")),
        "log score": _mean(of_method, lambda run: run.get("log_score")),
        "seconds": median_of([run["fit_seconds"] for run in runs]) if runs else None,
        "with diagnosis": median_of([run["all_seconds"] for run in runs]) if runs else None,
        "failures": _rate("error" in run for found in of_method.values() for run in found),
    }


def _deviation(run: Record) -> float | None:
    return run.get("deviation")


def _absolute_error(run: Record) -> float | None:
    return abs(run["deviation"]) if "deviation" in run else None


def _is_far(run: Record) -> bool:
    return bool(abs(run["deviation"]) > FAR)


def _covers(run: Record) -> bool:
    low, high = run["interval"]
    return bool(low <= run["share"] <= high)


def _width(run: Record) -> float | None:
    if "interval" not in run:
        return None
    low, high = run["interval"]
    return float(high - low)


def _answered(found: Sequence[Record]) -> list[Record]:
    return [run for run in found if "error" not in run]


def _mean(of_method: OfMethod, value_of: Value) -> Measured | None:
    """The mean of the means of cells; None where no run has such a value.

    Tables and shares are chosen, not drawn: that cells differ is no Monte-Carlo error.
    """
    values = [[value_of(run) for run in _answered(found)] for found in of_method.values()]
    present = [[value for value in of_cell if value is not None] for of_cell in values]
    means = [mean_of(of_cell) for of_cell in present if of_cell]
    return average_of(means) if means else None


def _rate(flags: Iterable[bool]) -> Measured | None:
    listed = list(flags)
    return rate_of(listed) if listed else None


def _cells(found: Mapping[str, Measured | None]) -> dict[str, Comparison]:
    return {name: Comparison(one, None) for name, one in found.items() if one is not None}


def _levels(records: Records, position: int) -> list[int | float | str]:
    """The tables, at position 0 of a cell, or the shares, at 1."""
    return list(dict.fromkeys(cell[position] for of_method in records.values() for cell in of_method))


def _part(of_method: OfMethod, position: int, level: float | str) -> OfMethod:
    return {cell: found for cell, found in of_method.items() if cell[position] == level}


def _failures(records: Records) -> list[str]:
    """Say how often a method broke down, in which tables, and why at first."""
    lines = []
    for method, of_method in records.items():
        failed = {cell: [run["error"] for run in found if "error" in run] for cell, found in of_method.items()}
        errors = [error for of_cell in failed.values() for error in of_cell]
        if errors:
            total = sum(len(found) for found in of_method.values())
            where = ", ".join(dict.fromkeys(str(cell[0]) for cell, of_cell in failed.items() if of_cell))
            why = " ".join(errors[0].split())[:LONGEST]  # in one line
            lines.append(f"{method} broke down in {len(errors)} of {total} runs ({where}): {why}")
    return lines
