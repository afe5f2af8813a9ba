"""The table of the ablation: what is lost without each heuristic, and whether it pays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from ablation_cases import MAKERS, Case
from ablation_switches import HEURISTICS, PAPER, TABLES, Heuristic
from reporting import write_table

from pugam.studies.realdata import SHARES

FULL = "nothing"  # taken away
CHANGED = 1e-4  # of pi, or of the REML criterion
WORTH_IT, LARGE_LOSS, OFTEN, MUCH_LONGER = 0.01, 1.0, 0.01, 4.0 / 3.0  # the rule in ablation.py
LEGEND = (
    "fits: those in which the heuristic takes part. pi changed: by more than 0.0001. error of pi, coverage, log score "
    "(of the posteriors of unlabelled rows): mean change when the heuristic is taken away, over all cases, ± its "
    "standard error, which counts tables and settings; more error or log score is worse. REML: of fits with the same "
    "terms, the mean loss without the heuristic, and how many end lower, higher, and lower by more than 1. time: "
    "median ratio of CPU times, without to with the heuristic. pays: by which part of the rule in the script, if any."
)
Record = dict[str, Any]
Fits = dict[tuple[Any, ...], dict[str, Record]]  # by case, then by what was taken away


class Pair(NamedTuple):
    """A case fitted with everything and without one heuristic; the same record twice where that takes no part."""

    group: str
    cluster: str
    full: Record
    less: Record
    reached: bool


def pairs_of(name: str, found: Fits, chosen: Iterable[Case]) -> list[Pair]:
    """Pair the fits of all cases that ended in one, with and without a heuristic."""
    pairs = []
    for case in chosen:
        fits = found.get(case.key, {})
        full = fits.get(FULL)
        if full is None or "refused" in full:
            continue
        less = fits.get(name, full)
        if "refused" not in less:
            cluster = case.name if case.group in (TABLES, PAPER) else f"{case.name}, {case.group}"
            pairs.append(Pair(case.group, cluster, full, less, name in fits))
    return pairs


class Change(NamedTuple):
    value: float
    error: float

    def __str__(self) -> str:
        return f"{self.value:+.4f} ± {self.error:.4f}"


def change_of(pairs: Sequence[Pair], name: str) -> Change:
    """Mean change when the heuristic is taken away, over tables and settings, each the mean of its cases."""
    clusters: dict[str, list[float]] = {}
    for pair in pairs:
        clusters.setdefault(pair.cluster, []).append(float(pair.less[name]) - float(pair.full[name]))
    means = np.array([np.mean(changes) for changes in clusters.values()])
    return Change(float(means.mean()), float(means.std(ddof=1) / np.sqrt(len(means))))


def losses_of(pairs: Sequence[Pair]) -> np.ndarray:
    """How much lower the REML criterion ends without the heuristic, where fits of the same terms were kept."""
    return np.array(
        [
            pair.full["reml"] - pair.less["reml"]
            for pair in pairs
            if pair.reached and pair.full["reml"] is not None and pair.full["terms"] == pair.less["terms"]
        ]
    )


def times_of(pairs: Sequence[Pair]) -> dict[str, float]:
    """Median ratio of CPU times, without to with the heuristic, of the fits it takes part in, by group."""
    ratios: dict[str, list[float]] = {}
    for pair in pairs:
        if pair.reached:
            ratios.setdefault(pair.group, []).append(pair.less["seconds"] / pair.less["full_seconds"])
    return {group: float(np.median(found)) for group, found in ratios.items()}


def verdict_on(heuristic: Heuristic, pairs: Sequence[Pair], broken: int) -> str:
    """Say by which part of the rule a heuristic pays, if it does."""
    error, coverage = change_of(pairs, "error"), change_of(pairs, "covered")
    losses, times = losses_of(pairs), times_of(pairs)
    holds = {
        "error": error.value > max(error.error, WORTH_IT * mean_of(pairs, "error")),
        "breakdowns": broken > 0,
        "coverage": -coverage.value > coverage.error,
        "REML": len(losses) > 0 and np.mean(losses > LARGE_LOSS) > OFTEN,
        "time": any(times.get(group, 1.0) >= MUCH_LONGER for group in heuristic.meant_for),
    }
    return ", ".join(reason for reason, so in holds.items() if so) or "no"


def row_of(heuristic: Heuristic, found: Fits, chosen: Sequence[Case]) -> list[object]:
    pairs = pairs_of(heuristic.name, found, chosen)
    reached = [pair for pair in pairs if pair.reached]
    broken = sum("refused" in found.get(case.key, {}).get(heuristic.name, {}) for case in chosen)
    times = times_of(pairs)
    return [
        heuristic.name,
        len(reached),
        sum(abs(pair.less["pi"] - pair.full["pi"]) > CHANGED for pair in reached),
        broken,
        *(change_of(pairs, name) for name in ("error", "covered", "log_score")),
        *_in_short(losses_of(pairs)),
        *(f"{times[group]:.2f}" if group in times else "" for group in MAKERS),
        verdict_on(heuristic, pairs, broken),
    ]


def _in_short(losses: np.ndarray) -> list[str]:
    if not len(losses):
        return [""] * 4
    counts = [int(np.sum(losses > CHANGED)), int(np.sum(losses < -CHANGED)), int(np.sum(losses > LARGE_LOSS))]
    return [f"{losses.mean():.3f}", *(f"{count} of {len(losses)}" for count in counts)]


def write_ablation(found: Fits, chosen: Sequence[Case]) -> None:
    """Write the table of all heuristics."""
    header = ["taken away", "fits", "pi changed", "broke down", "error of pi", "coverage", "log score"]
    header += ["REML lost", "lower", "higher", "lower by 1", *(f"time, {group}" for group in MAKERS), "pays"]
    rows = [row_of(heuristic, found, chosen) for heuristic in HEURISTICS]
    pairs = pairs_of(FULL, found, chosen)
    note = "\n\n".join([_on_cases(pairs), LEGEND])
    write_table("ablation", "Each heuristic of the fit, taken away", header, rows, note)


def _on_cases(pairs: Sequence[Pair]) -> str:
    error, covered = (mean_of(pairs, name) for name in ("error", "covered"))
    names = {group: sorted({pair.cluster for pair in pairs if pair.group == group}) for group in MAKERS}
    listed = "; ".join(f"{group}: {', '.join(found)}" for group, found in names.items() if found)
    return (
        f"{len(pairs)} cases ({listed}). Tables are masked at shares of {', '.join(map(str, SHARES))}; all of them "
        f"were seen while the heuristics were made. With all heuristics the mean absolute error of pi is {error:.4f} "
        f"and the coverage of the 95% interval {covered:.3f}, each table and setting counted once. "
        f"With {len(HEURISTICS)} heuristics, some will seem to pay by more than one standard error by chance."
    )


def mean_of(pairs: Sequence[Pair], name: str) -> float:
    clusters: dict[str, list[float]] = {}
    for pair in pairs:
        clusters.setdefault(pair.cluster, []).append(float(pair.full[name]))
    return float(np.mean([np.mean(values) for values in clusters.values()]))
