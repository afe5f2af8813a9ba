"""Shares of several samples: intervals, verdicts, and how they vary together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pugam.inference.intervals import USUAL_LEVEL, Interval, normal_quantile
from pugam.inference.model_error import allow_for_model_error
from pugam.inference.verdict import NEARLY_ALL, WIDE_INTERVAL
from pugam.likelihood import expit
from pugam.solvers import Fitted, PiRange, SampledShares, count_samples

__all__ = ["judge_share", "logit_covariance", "samples_of", "share_interval"]

Array = NDArray[np.float64]


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
    sampling = partial(_sampling_interval, shares, number, pi_range)
    return allow_for_model_error(sampling, level, others, pi_range.limits) if model_error else sampling(level)


def _sampling_interval(shares: SampledShares, number: int, pi_range: PiRange, level: float) -> Interval:
    pi, fall = float(expit(shares.reported[number])), 0.5 * normal_quantile(level) ** 2
    if shares.pooled is None:
        low, high = shares.curves[number].falling(float(shares.factors[number])).limits(fall)
    else:
        low, high = shares.pooled.curves[number].limits(fall)
    bounds = pi_range.limits
    lower = bounds[0] if np.isneginf(low) else max(float(expit(low)), bounds[0])
    upper = bounds[1] if np.isposinf(high) else min(float(expit(high)), bounds[1])
    method = "marginal" if shares.pooled is None else "pooled"
    return Interval(pi, min(lower, pi), max(upper, pi), level, method)


def judge_share(shares: SampledShares, number: int, pi_range: PiRange, verdict: str | None) -> str | None:
    """The verdict on one share: that on the model, unless its own interval is wide where that of all is not.

    Whatever interval is shown, it is the one at 95%, with an allowance for model errors, that is judged.
    """
    interval = share_interval(shares, number, USUAL_LEVEL, pi_range, model_error=True)
    width = interval.upper - interval.lower
    if verdict is None or verdict in ("does not fit", "not determined"):
        return verdict
    if width > NEARLY_ALL:
        return "not determined"
    return "weakly determined" if width > WIDE_INTERVAL else verdict


def logit_covariance(shares: SampledShares, pi_range: PiRange) -> Array:
    """Covariance of the logits: normal ones with the same intervals would have these variances."""
    low, high = pi_range.logits
    fall, errors = 0.5 * normal_quantile(USUAL_LEVEL) ** 2, []
    for curve, factor in zip(shares.curves, shares.factors, strict=True):
        lower, upper = np.clip(curve.falling(float(factor)).limits(fall), low, high)
        errors.append((upper - lower) / (2.0 * normal_quantile(USUAL_LEVEL)))
    return np.asarray(shares.correlation * np.outer(errors, errors))
