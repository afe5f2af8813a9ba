"""Shares of samples compared: differences with intervals, and a test that all are equal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc

from pugam.inference.shares import logit_covariance, share_interval
from pugam.linear_algebra import solve
from pugam.messages import printable
from pugam.solvers import PiRange, SampledShares

__all__ = ["EqualShares", "ShareDifference", "compare_shares", "equality_test"]


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
        return f"{printable(self.first)} - {printable(self.second)}: {self.estimate:.3f} ({limits})"


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
    return EqualShares(statistic, len(apart), float(chdtrc(len(apart), statistic)))
