"""Posteriors averaged over what is not known of pi and of the curves, as a function of the log density ratio.

For a row whose logit posterior is normal with mean L and variance v, the mean posterior is about
expit(L / sqrt(1 + v * 3.14 / 8)): MacKay's approximation. Variances grow with the distance from rows that are in doubt,
so v is a parabola in the log density ratio, fitted to the rows. Averaged posteriors of the unlabelled rows have pi as
their mean, as those of the true model do; priors flatten curves, so that without a shift they would not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from pugam.likelihood import expit, logit
from pugam.solvers.tuning import TUNING
from pugam.terms.expressions import (
    AtLeast,
    Below,
    Call,
    Choice,
    Expression,
    Number,
    Plus,
    Quotient,
    Times,
    between,
    shifted,
)

__all__ = ["Averaging", "fit_averaging"]

Array = NDArray[np.float64]

MACKAY = np.pi / 8.0


@dataclass(frozen=True)
class Averaging:
    """How posteriors are averaged.

    Attributes
    ----------
    intercept : float
        Of the logit posterior as a function of the log density ratio: logit pi, and a shift.
    variances : (float, float, float)
        v = variances[0] + variances[1] r + variances[2] r^2 for a log density ratio r, and none below zero.
    range : (float, float)
        Of the log density ratios that were seen; beyond, v stays as it is.
    """

    intercept: float
    variances: tuple[float, float, float]
    range: tuple[float, float]

    def logits(self, ratio: Array) -> Array:
        """Logits of averaged posteriors of rows with these log density ratios."""
        constant, slope, bend = self.variances
        inside = np.clip(ratio, *self.range)
        variance = np.maximum(constant + inside * (slope + inside * bend), 0.0)
        return np.asarray((ratio + self.intercept) / np.sqrt(1.0 + MACKAY * variance))

    def expression(self, ratio: Expression) -> Expression:
        """The same as an expression."""
        constant, slope, bend = map(Number, self.variances)
        inside = between(ratio, *self.range)
        variance = Plus((constant, Times((inside, Plus((slope, Times((inside, bend))))))))
        positive = Choice(
            (
                (Below(variance, 0.0), Number(0.0)),
                (AtLeast(variance, 0.0), variance),
            )
        )
        spread = Call("sqrt", shifted(Times((Number(float(MACKAY)), positive)), 1.0))
        return Quotient(shifted(ratio, self.intercept), spread)


def fit_averaging(ratio: Array, variances: Array, weights: Array | None, pi: float) -> Averaging:
    """Find out how to average, from unlabelled rows.

    Parameters
    ----------
    ratio, variances, weights : arrays of shape (n,), or no weights
        Log density ratios, variances of the logit posteriors, and weights of the rows.
    pi : float
        The estimate.
    """
    columns = np.column_stack([np.ones_like(ratio), ratio, ratio**2])
    root = np.ones_like(ratio) if weights is None else np.sqrt(weights)
    found, *_ = np.linalg.lstsq(columns * root[:, None], variances * root, rcond=None)
    limits = float(ratio.min()), float(ratio.max())
    flat = Averaging(0.0, (max(float(found[0]), 0.0), float(found[1]), float(found[2])), limits)

    def excess(intercept: float) -> float:
        moved = _rising(replace(flat, intercept=intercept))
        return float(np.average(expit(moved.logits(ratio)), weights=weights)) - pi

    ends = -TUNING.largest_shift - limits[1], TUNING.largest_shift - limits[0]
    if not excess(ends[0]) < 0.0 < excess(ends[1]):  # nothing is known of rows: no shift makes them surer
        return _rising(replace(flat, intercept=float(logit(pi))))
    return _rising(replace(flat, intercept=float(brentq(excess, *ends, xtol=1e-12))))


def _rising(averaging: Averaging) -> Averaging:
    """Flatten the parabola as far as it takes for averaged logits to rise with the ratio.

    Their derivative has the sign of 1 + M v - M v' L / 2, M = 3.14 / 8, which is linear in the ratio.
    """
    constant, slope, bend = averaging.variances
    least = 1.0 + MACKAY * constant
    changes = [
        0.5 * MACKAY * (slope * end - (slope + 2.0 * bend * end) * averaging.intercept) for end in averaging.range
    ]
    factor = min(1.0, *((1.0 - TUNING.least_rise) * least / -change for change in changes if change < 0.0), 1.0)
    return replace(averaging, variances=(constant, factor * slope, factor * bend))
