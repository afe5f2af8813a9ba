"""New rows compared with those of a fit: which columns moved, and which share of positives they suggest alone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import chdtrc, kolmogorov

from pugam.data import Column
from pugam.inference.column_digests import NEIGHBOURS, QUANTILES, ColumnDigest
from pugam.inference.intervals import Interval, normal_quantile
from pugam.inference.multiple_tests import holm
from pugam.messages import counted, in_lines, printable

__all__ = ["ColumnDrift", "Drift", "ShareOfRows", "column_drift", "drift_columns", "share_of_rows"]

Array = NDArray[np.float64]

FAR = 0.1  # in cumulative shares, or shares of levels: what is less hardly changes scores
SURE = 0.01  # p-value below which a distance is none of chance, all columns taken together
EDGE = 1e-9
LEAST_INFORMATION = 1e-300


@dataclass(frozen=True)
class ColumnDrift:
    """How a column of new rows differs from that of the unlabelled rows of a fit.

    Attributes
    ----------
    column : str
    distance : float
        From 0 to 1: of numbers, the largest difference of the shares of rows below a value; of levels, half the sum of
        the differences of their shares; or that of missing values, if it is larger.
    pvalue : float
        Of rows from the same population.
    what : str
        The largest change, in words.
    """

    column: str
    distance: float
    pvalue: float
    what: str


def column_drift(
    digest: ColumnDigest, column: Column, weights: Array | None = None, *, copied: bool = False
) -> ColumnDrift:
    """Compare a column of new rows, which may be weighted, with what is kept of the old ones.

    `copied` says that a row of weight two stands for two rows.
    """
    gaps, size = column.missing, _sum if copied else _effective
    every = np.ones(len(gaps)) if weights is None else weights / _scale(weights, copied)
    lacking = float(every[gaps].sum() / every.sum()) if every.any() else 0.0
    kept = (every > 0.0) & ~gaps
    present, own = column.values[kept], every[kept]
    found = [_gap_drift(digest, lacking, size(every))]
    if digest.quantiles is None and len(present):
        found.append(_of_levels(digest, present, own, size(own)))
    elif digest.quantiles is not None and len(digest.quantiles) and len(present):
        found.append(_of_numbers(digest, present, own, size(own)))
    return max(found, key=lambda drift: drift.distance)


def _scale(weights: Array, copied: bool) -> float:
    """What weights are divided by, so that no square overflows."""
    return 1.0 if copied else max(float(weights.max(initial=0.0)), LEAST_INFORMATION)


def _sum(weights: Array) -> float:
    return float(weights.sum())


def _effective(weights: Array) -> float:
    """How many rows of one weight would say as much (Kish)."""
    return float(weights.sum() ** 2 / np.sum(weights**2)) if weights.any() else 0.0


def _gap_drift(digest: ColumnDigest, lacking: float, n_rows: float) -> ColumnDrift:
    distance, common = abs(lacking - digest.missing), (lacking + digest.missing) / 2.0
    variance = common * (1.0 - common) * (1.0 / digest.n_rows + 1.0 / max(n_rows, 1))
    pvalue = float(chdtrc(1.0, distance**2 / variance)) if variance > 0.0 else 1.0
    return ColumnDrift(digest.column, distance, pvalue, f"missing {digest.missing:.1%} before, {lacking:.1%} now")


def _of_numbers(digest: ColumnDigest, values: Array, weights: Array, n_rows: float) -> ColumnDrift:
    """Kolmogorov's distance, at the quantiles kept; allowed for is what these hide, five rows or a hundredth."""
    assert digest.quantiles is not None
    places = np.unique(digest.quantiles)
    before = QUANTILES[np.searchsorted(digest.quantiles, places, side="right") - 1]
    order = np.argsort(values.astype(float))
    ordered, reached = values.astype(float)[order], np.concatenate([[0.0], np.cumsum(weights[order])])
    now = reached[np.searchsorted(ordered, places, side="right")] / reached[-1]
    distance = float(np.abs(before - now).max())
    size = math.sqrt(_harmonic(digest.n_rows, n_rows))
    pvalue = float(kolmogorov(size * max(0.0, distance - max(QUANTILES[1], NEIGHBOURS / digest.n_rows))))
    middle = int(np.searchsorted(reached[1:], 0.5 * reached[-1] * (1.0 - EDGE)))
    medians = digest.quantiles[len(QUANTILES) // 2], ordered[middle]  # values that there are
    return ColumnDrift(digest.column, distance, pvalue, "median {:.4g} before, {:.4g} now".format(*medians))


def _of_levels(digest: ColumnDigest, values: NDArray[Any], weights: Array, n_rows: float) -> ColumnDrift:
    shares = _shares(values.tolist(), weights)
    every = list(dict.fromkeys([*digest.levels, *shares]))
    before, now = (np.array([known.get(level, 0.0) for level in every]) for known in (digest.levels, shares))
    common = (digest.n_rows * before + n_rows * now) / (digest.n_rows + n_rows)
    seen = common > 0.0
    statistic = _harmonic(digest.n_rows, n_rows) * float(np.sum((before - now)[seen] ** 2 / common[seen]))
    pvalue = float(chdtrc(max(1.0, seen.sum() - 1.0), statistic))
    most = int(np.argmax(np.abs(before - now)))
    what = f"{every[most]} {before[most]:.1%} before, {now[most]:.1%} now"
    return ColumnDrift(digest.column, 0.5 * float(np.abs(before - now).sum()), pvalue, what)


def _shares(levels: list[Any], weights: Array) -> dict[Any, float]:
    """The share of each level in the weight of all rows."""
    sums: dict[Any, float] = {}
    for level, weight in zip(levels, weights.tolist(), strict=True):
        sums[level] = sums.get(level, 0.0) + weight
    total = float(weights.sum())
    return {level: weight / total for level, weight in sums.items()}


def _harmonic(n_old: float, n_new: float) -> float:
    return n_old * n_new / (n_old + n_new)


def have_moved(drifts: Sequence[ColumnDrift]) -> list[bool]:
    """Which columns moved far enough to matter, and not by chance, however many are looked at."""
    sure = holm([drift.pvalue for drift in drifts], SURE)
    return [bool(moved and drift.distance >= FAR) for moved, drift in zip(sure, drifts, strict=True)]


def drift_columns(drifts: Sequence[ColumnDrift]) -> dict[str, Any]:
    """Columns of a table with one row for each column, the farthest moved first."""
    marked = sorted(zip(drifts, have_moved(drifts), strict=True), key=lambda pair: -pair[0].distance)
    return {
        "column": [drift.column for drift, _ in marked],
        "distance": [drift.distance for drift, _ in marked],
        "pvalue": [drift.pvalue for drift, _ in marked],
        "moved": [moved for _, moved in marked],
        "change": [drift.what for drift, _ in marked],
    }


@dataclass(frozen=True)
class ShareOfRows:
    """The share of positives that rows speak for, with the density ratio of a fit, and a test of another share."""

    interval: Interval
    asked: float
    pvalue: float


def share_of_rows(
    ratio: Array, columns: Array, covariance: Array, asked: float, level: float, weights: Array | None = None
) -> ShareOfRows:
    """Estimate the share at which rows are likeliest, sum log(1 - pi + pi exp(ratio)), and test the one asked for.

    Parameters
    ----------
    ratio : array of shape (n,)
        Log density ratios of the rows.
    columns, covariance : arrays of shape (n, m) and (m, m)
        Model columns of the rows, a constant among them, and the covariance of their coefficients: errors of the
        density ratio widen the interval. Likelihood ratios are divided by how much they add to the variance.
    weights : array of shape (n,), optional
        As how many rows each counts.
    """
    counts = np.ones(len(ratio)) if weights is None else weights
    excess = np.expm1(np.clip(ratio, -700.0, 700.0))

    def loglik(pi: float) -> float:
        return float(counts @ np.log1p(pi * excess))

    def score(pi: float) -> float:
        return float(counts @ (excess / (1.0 + pi * excess)))

    pi = (
        EDGE
        if score(EDGE) <= 0.0
        else 1.0 - EDGE
        if score(1.0 - EDGE) >= 0.0
        else float(brentq(score, EDGE, 1.0 - EDGE))
    )
    mixture = 1.0 + pi * excess  # whose square may be too large for a number
    information = max(float(counts @ (excess / mixture) ** 2), LEAST_INFORMATION)
    slopes = (counts * (excess + 1.0) / mixture / mixture) @ columns / information
    wider = 1.0 + information * max(0.0, float(slopes @ covariance @ slopes))  # rounding may leave it below zero
    drop = 0.5 * normal_quantile(level) ** 2 * wider

    def beyond(other: float) -> float:
        return loglik(pi) - loglik(other) - drop

    lower = 0.0 if beyond(EDGE) <= 0.0 else float(brentq(beyond, EDGE, pi))
    upper = 1.0 if beyond(1.0 - EDGE) <= 0.0 else float(brentq(beyond, pi, 1.0 - EDGE))
    statistic = max(0.0, 2.0 * (loglik(pi) - loglik(asked))) / wider
    return ShareOfRows(Interval(pi, lower, upper, level, "likelihood"), asked, float(chdtrc(1.0, statistic)))


@dataclass(frozen=True, eq=False, repr=False)
class Drift:
    """Whether new rows look like the unlabelled rows of a fit.

    Attributes
    ----------
    columns : data frame
        One row for each column of the model, the farthest moved first: column, distance (0 to 1), pvalue, moved
        (whether the distance is at least 0.1 and none of chance), and the change in words.
    share : Interval
        The share of positives that the new rows speak for, with the density ratio of the fit.
    pi : float
        The share asked for, that of the fit where none was.
    pvalue : float
        Of that share, given the new rows.
    n_rows, n_left_out : int
        Rows, and those of them that cannot be scored, which do not count for the share.
    reasons : Counter
        How many of the latter there are by the first reason for each.
    """

    columns: Any
    share: Interval
    pi: float
    pvalue: float
    n_rows: int
    n_left_out: int
    reasons: Counter[str]

    @property
    def contradicts(self) -> bool:
        """Whether the rows contradict the share asked for."""
        return self.pvalue < SURE

    def __str__(self) -> str:
        return in_lines(self.lines())

    __repr__ = __str__

    def lines(self) -> Iterator[str]:
        """What was found, in words."""
        names = "column", "distance", "moved", "change"
        cells = (
            [value.as_py() if hasattr(value, "as_py") else value for value in self.columns[name]] for name in names
        )
        rows = list(zip(*cells, strict=True))
        moved = [row for row in rows if row[2]]
        verb = "differs" if len(moved) == 1 else "differ"
        end = ":" if moved else "."
        yield f"{len(moved)} of {counted(len(rows), 'column')} {verb} from the unlabelled rows of the fit{end}"
        width = max((len(printable(row[0])) for row in moved), default=0)
        for column, distance, _, change in moved:
            yield f"  {printable(column):<{width}}  by {distance:.2f}: {change}"
        yield f"These rows suggest a share of {self.share}, if the density ratio is still that of the fit."
        doubt = "contradict" if self.contradicts else "do not contradict"
        p = "p < 0.001" if self.pvalue < 0.001 else f"p = {self.pvalue:.3f}"
        yield f"They {doubt} a share of {self.pi:.3f} ({p})."
        if self.n_left_out:
            ((reason, count),) = self.reasons.most_common(1)
            why = reason if count == self.n_left_out else f"{reason} in {count:,} of them"
            verb = "does" if self.n_left_out == 1 else "do"
            yield (
                f"{self.n_left_out:,} of {counted(self.n_rows, 'row')} cannot be scored and {verb} not count for the "
                f"share: {why}."
            )
