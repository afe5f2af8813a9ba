"""Collects what a report says of several samples and of audits, and the posteriors behind its slider."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pugam.inference import (
    Sensitivity,
    judge_share,
    moved_shares,
    posteriors_of_rows,
    samples_of,
    shares_of_rows,
    unaudited_rows,
    unlabelled_rows,
)
from pugam.presentation.protocol import FittedModel
from pugam.presentation.report.content import FixedPi, Sample
from pugam.solvers import Fitted

__all__ = ["along_slider", "collect_samples", "likely_rows", "posteriors_along"]

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

HISTOGRAM_BINS = 20
MOST_LISTED = 400  # rows of single samples, all samples together: what a page can hold


def posteriors_along(fitted: Fitted, found: Sensitivity) -> list[Array]:
    """Posteriors of the unlabelled rows with pi fixed at each value, by the share of the sample each is in."""
    unlabelled = unlabelled_rows(fitted)
    return [
        posteriors_of_rows(fitted, shares_of_rows(fitted, float(pi)), float(alpha), coef)[unlabelled]
        for pi, alpha, coef in zip(found.pi, found.alpha, found.coef, strict=True)
    ]


def along_slider(
    pi: Sequence[float] | Array,
    estimate: int,
    posteriors: Sequence[Array],
    weights: Array,
    deviance: tuple[float, ...] = (),
    limit: float = 0.0,
) -> FixedPi:
    """What becomes of rows with these posteriors where the slider stands."""
    histograms = [np.histogram(rows, HISTOGRAM_BINS, (0.0, 1.0), weights=weights)[0] for rows in posteriors]
    called = [float(np.average(rows > 0.5, weights=weights)) for rows in posteriors]
    shares = tuple(tuple((counts / weights.sum()).tolist()) for counts in histograms)
    return FixedPi(tuple(map(float, pi)), estimate, deviance, limit, tuple(called), shares)


def collect_samples(
    model: FittedModel,
    fitted: Fitted,
    found: Sensitivity,
    estimate: int,
    posteriors: Sequence[Array],
    weights: Array,
    verdict: str,
    level: float,
) -> Iterator[Sample]:
    """Yield the share of each sample, where there are several."""
    shares = fitted.fit.samples
    if shares is None or len(shares.names) == 1:
        return
    own = samples_of(fitted)[unlabelled_rows(fitted)]
    moved = np.array([moved_shares(shares, float(pi)) for pi in found.pi])
    *rows, _ = model._share_rows(level)
    for number, row in enumerate(rows):
        inside = own == 1 + number
        along = along_slider(moved[:, number], estimate, [values[inside] for values in posteriors], weights[inside])
        judged = judge_share(shares, number, fitted.settings.pi_range, verdict) or verdict
        yield Sample(row.sample, row.rows, row.audited, row.interval, judged, along)


def likely_rows(fitted: Fitted, posterior: Array, count: int) -> tuple[Rows, Rows]:
    """Places of the most likely positives among the unlabelled rows: of all, and of each sample, the likeliest first.

    Rows that were audited are not among them: their class is known.
    """
    unlabelled = unlabelled_rows(fitted)
    order = np.argsort(-posterior, kind="stable")
    order = order[unaudited_rows(fitted)[unlabelled][order]]
    found = fitted.fit.samples
    if found is None or len(found.names) == 1:
        return order[:count], order[:count]
    own, most = samples_of(fitted)[unlabelled][order], min(count, max(1, MOST_LISTED // len(found.names)))
    kept = np.arange(len(order)) < count
    for number in range(len(found.names)):
        kept[np.flatnonzero(own == 1 + number)[:most]] = True
    return order[:count], order[kept] if count else order[:0]
