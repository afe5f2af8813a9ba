"""What becomes of the model when pi is fixed at other values than the estimate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.inference.intervals import Interval
from pugam.inference.predictions import posteriors_of_rows
from pugam.inference.profile import PiProfile
from pugam.inference.rows_of_samples import shares_of_rows, unlabelled_rows
from pugam.likelihood import alpha_shift, expit, logit

__all__ = ["Sensitivity", "fix_pi", "values_around", "values_within"]

Array = NDArray[np.float64]

MARGIN = 0.01  # that pi keeps from 0 and 1
AROUND_FIXED = 1.0  # on the logit scale, where pi was fixed and has no interval


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity:
    """The model with pi fixed at several values; print it to read it.

    Attributes
    ----------
    pi, deviance : arrays of shape (K,)
        The values, and how much worse the model fits there: above 3.84 they lie outside the 95% profile interval. The
        evidence is followed as far as intervals need; values farther away fit worse still than the last ones.
    alpha : array of shape (K,)
    coef : array of shape (K, p)
    share_positive : array of shape (K,)
        Share of the unlabelled rows that would be called positive: whose posterior would exceed one half.
    """

    pi: Array
    deviance: Array
    alpha: Array
    coef: Array
    share_positive: Array

    def __str__(self) -> str:
        lines = zip(self.pi, self.deviance, self.share_positive, strict=True)
        told = [f"{pi:8.3f}  {deviance:8.2f}  {called:15.3f}" for pi, deviance, called in lines]
        return "\n".join(["pi fixed  deviance  called positive", *told])

    __repr__ = __str__


def values_within(interval: Interval | None, estimate: float) -> Array:
    """Five values of pi: the estimate, the limits of its interval, and one between each."""
    low, middle, high = _logits(interval, estimate)
    places = (*np.linspace(min(low, middle), middle, 3), *np.linspace(middle, max(high, middle), 3))
    return np.unique(expit(places))


def values_around(interval: Interval | None, estimate: float, count: int, beyond: float) -> Array:
    """Values of pi from below its interval to above, so far beyond on the logit scale, half of them on each side.

    The estimate is one of them, to the last digit; a side without room has none.
    """
    low, middle, high = _logits(interval, estimate)
    low, high = max(low - beyond, float(logit(MARGIN))), min(high + beyond, float(logit(1.0 - MARGIN)))
    half = count // 2
    below = expit(np.linspace(low, middle, half, endpoint=False)) if low < middle else np.empty(0)
    above = expit(np.linspace(high, middle, half, endpoint=False))[::-1] if high > middle else np.empty(0)
    return np.concatenate([below, [estimate], above])


def fix_pi(profile: PiProfile, values: Sequence[float] | Array) -> Sensitivity:
    """Fit with pi fixed at each of these values, which are in rising order."""
    fitted, engine, estimate = profile.fitted, profile.fitted.engine, profile.fitted.fit.optimum.pi
    # From the estimate outwards, so that each fit starts at a neighbour.
    fits = {pi: profile.fixed_at(float(pi)) for pi in sorted(values, key=lambda pi: abs(float(pi) - estimate))}
    alphas = np.array([float(fits[pi].intercept - alpha_shift(fits[pi].pi, engine.n0, engine.n1)) for pi in values])
    coef = np.array([fits[pi].theta for pi in values])
    unlabelled = unlabelled_rows(fitted)
    weights = None if engine.weights is None else engine.weights[unlabelled]
    called = [
        posteriors_of_rows(fitted, shares_of_rows(fitted, float(pi)), float(alpha), theta)[unlabelled] > 0.5
        for pi, alpha, theta in zip(values, alphas, coef, strict=True)
    ]
    return Sensitivity(
        np.asarray(values, dtype=float),
        np.array([profile.deviance(float(pi)) for pi in values]),
        alphas,
        coef,
        np.array([float(np.average(rows, weights=weights)) for rows in called]),
    )


def _logits(interval: Interval | None, estimate: float) -> tuple[float, float, float]:
    middle = float(logit(estimate))
    if interval is None:
        return middle - AROUND_FIXED, middle, middle + AROUND_FIXED
    low, high = (float(logit(np.clip(limit, MARGIN, 1.0 - MARGIN))) for limit in (interval.lower, interval.upper))
    return low, middle, high
