"""Shares of several samples: intervals, differences, a test that they are equal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from pugam.inference.intervals import Interval, normal_quantile
from pugam.inference.model_error import allow_for_model_error
from pugam.inference.verdict import NEARLY_ALL, WIDE_INTERVAL
from pugam.likelihood import expit
from pugam.linear_algebra import solve
from pugam.solvers import Fitted, PiRange, SampledShares, count_samples

__all__ = [
    "EqualShares",
    "ShareDifference",
    "compare_shares",
    "equality_test",
    "judge_share",
    "samples_of",
    "share_interval",
]

Array = NDArray[np.float64]

LEVEL = 0.95


@dataclass(frozen=True)
class ShareDifference:
    """Share of one sample less that of another.

    Attributes
    ----------
    first, second : str
    estimate, lower, upper, level : float
    pvalue : float
        Of the hypothesis that both shares are equal.
    """

    first: str
    second: str
    estimate: float
    lower: float
    upper: float
    level: float
    pvalue: float

    def __str__(self) -> str:
        limits = f"{100 * self.level:g}% interval {self.lower:.3f} to {self.upper:.3f}, p = {self.pvalue:.3g}"
        return f"{self.first} - {self.second}: {self.estimate:.3f} ({limits})"


@dataclass(frozen=True)
class EqualShares:
    """A test that all samples have the same share.

    Attributes
    ----------
    statistic, df, pvalue : float
    """

    statistic: float
    df: int
    pvalue: float

    def __str__(self) -> str:
        return f"all shares equal: chi-square {self.statistic:.4g} on {self.df} df, p = {self.pvalue:.3g}"


def samples_of(fitted: Fitted) -> NDArray[np.integer]:
    """Which sample each row is in: 0 for labelled rows, 1 and so on for unlabelled ones."""
    engine, shares = fitted.engine, fitted.fit.samples
    if shares is None:
        return np.where(engine.positive, 0, 1)
    assert engine.codes is not None
    return count_samples(engine, len(shares.names)).strata[engine.codes]


def share_interval(
    shares: SampledShares,
    number: int,
    level: float,
    pi_range: PiRange,
    model_error: bool,
    others: Sequence[float] = (),
) -> Interval:
    """Interval for one share: where the evidence, for given numbers of rows, has fallen by half a chi-square quantile.

    With an allowance for model errors, as for pi: also for what others say of the share, where rows contradict the
    model.
    """
    pi, fall = float(expit(shares.reported[number])), 0.5 * normal_quantile(level) ** 2
    if shares.pooled is None:
        low, high = shares.curves[number].falling(float(shares.factors[number])).limits(fall)
    else:
        low, high = shares.pooled.curves[number].limits(fall)
    bounds = pi_range.limits
    lower = bounds[0] if np.isneginf(low) else max(float(expit(low)), bounds[0])
    upper = bounds[1] if np.isposinf(high) else min(float(expit(high)), bounds[1])
    method = "marginal" if shares.pooled is None else "pooled"
    interval = Interval(pi, min(lower, pi), max(upper, pi), level, method)
    return allow_for_model_error(interval, others, bounds) if model_error else interval


def judge_share(shares: SampledShares, number: int, pi_range: PiRange, verdict: str | None) -> str | None:
    """The verdict on one share: that on the model, unless its own interval is wide where that of all is not.

    Whatever interval is shown, it is the one at 95%, with an allowance for model errors, that is judged.
    """
    interval = share_interval(shares, number, LEVEL, pi_range, model_error=True)
    width = interval.upper - interval.lower
    if verdict is None or verdict in ("does not fit", "not determined"):
        return verdict
    if width > NEARLY_ALL:
        return "not determined"
    return "weakly determined" if width > WIDE_INTERVAL else verdict


def compare_shares(shares: SampledShares, first: int, second: int, level: float, pi_range: PiRange) -> ShareDifference:
    """Compare the shares of two samples.

    The interval is that of Newcombe (1998) for differences: from those of both shares, with their correlation. The test
    is Wald's, of the logits, which pooling leaves as it is.
    """
    one, other = (share_interval(shares, number, level, pi_range, model_error=False) for number in (first, second))
    estimate, correlation = one.estimate - other.estimate, _correlation(shares, first, second)
    below = one.estimate - one.lower, other.upper - other.estimate
    above = one.upper - one.estimate, other.estimate - other.lower
    lower, upper = estimate - _apart(*below, correlation), estimate + _apart(*above, correlation)
    found = equality_test(_of(shares, [first, second]), pi_range)
    names = shares.names[first], shares.names[second]
    return ShareDifference(*names, estimate, lower, upper, level, found.pvalue)


def _correlation(shares: SampledShares, first: int, second: int) -> float:
    if shares.pooled is None:
        return float(shares.correlation[first, second])
    covariance = shares.pooled.covariance
    return float(covariance[first, second] / np.sqrt(covariance[first, first] * covariance[second, second]))


def _apart(one: float, other: float, correlation: float) -> float:
    """The error of a difference, from those of both sides."""
    return float(np.sqrt(max(one**2 + other**2 - 2.0 * correlation * one * other, 0.0)))


def _of(shares: SampledShares, numbers: list[int]) -> SampledShares:
    """Some of the samples."""
    return SampledShares(
        names=tuple(shares.names[number] for number in numbers),
        rows=shares.rows[numbers],
        audited=shares.audited[numbers],
        logits=shares.logits[numbers],
        curves=tuple(shares.curves[number] for number in numbers),
        factors=shares.factors[numbers],
        correlation=shares.correlation[np.ix_(numbers, numbers)],
        negatives=shares.negatives,
    )


def equality_test(shares: SampledShares, pi_range: PiRange) -> EqualShares:
    """Wald's test that the logits of all shares are equal."""
    covariance = logit_covariance(shares, pi_range)
    contrasts = np.diff(np.eye(len(shares.logits)), axis=0)
    apart = contrasts @ shares.logits
    statistic = float(apart @ solve(contrasts @ covariance @ contrasts.T, apart))
    return EqualShares(statistic, len(apart), float(chi2.sf(statistic, len(apart))))


def logit_covariance(shares: SampledShares, pi_range: PiRange) -> Array:
    """Covariance of the logits: normal ones with the same intervals would have these variances."""
    low, high = pi_range.logits
    fall, errors = 0.5 * normal_quantile(LEVEL) ** 2, []
    for curve, factor in zip(shares.curves, shares.factors, strict=True):
        lower, upper = np.clip(curve.falling(float(factor)).limits(fall), low, high)
        errors.append((upper - lower) / (2.0 * normal_quantile(LEVEL)))
    return np.asarray(shares.correlation * np.outer(errors, errors))
