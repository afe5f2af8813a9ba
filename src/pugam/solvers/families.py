"""Families of coefficients: each has a normal prior whose variance is estimated from the rows.

The straight parts of all terms are one family, their bends another, interactions a third. A coefficient's precision is
that of its family times a weight, w: the variance of its model column, so that columns count as if standardised, times
how much the function bends. Of the precisions k, only the first one has a prior itself: with m straight columns the
log density ratio has a variance of about S = m / k over the rows, which for normal features is how far positives and
negatives are apart in mean log density ratio, and log S ~ N(log 8, 1.2^2). For normal features S = 8 is a ROC area of
0.977; two standard deviations below it is one of 0.73.

Terms that say who is labelled have families of their own. The straight ones have the same kind of prior, around a log
preference of variance 1/2 over the rows: one standard deviation more makes a label twice as likely.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from pugam.solvers.standpoint import Standpoint
from pugam.solvers.tuning import TUNING
from pugam.terms import STRAIGHT, Design

__all__ = ["Families", "gather_families"]

Array = NDArray[np.float64]

WHO_IS_LABELLED = "labelling, "  # before the names of families of terms that say so
USUAL_VARIANCES = {  # of what straight parts make together, over the rows
    STRAIGHT: TUNING.usual_separation,
    WHO_IS_LABELLED + STRAIGHT: TUNING.usual_preference,
}


@dataclass(frozen=True, eq=False)
class Families:
    """Which coefficients share a variance.

    Attributes
    ----------
    names : tuple of str
    weights : array of shape (n_families, p)
        Precisions relative to others of the family; each column has one entry that is not zero.
    in_each : array of shape (n_families,), optional
        Number of coefficients of each family in one predictor, where there are several.
    """

    names: tuple[str, ...]
    weights: Array
    in_each: Array | None = None

    @property
    def sizes(self) -> Array:
        """Number of coefficients of each family."""
        return np.asarray(np.count_nonzero(self.weights, axis=1), dtype=float)

    def precision(self, logs: Array) -> Array:
        """Prior precision of every coefficient, shape (p,), for the logarithms of those of the families."""
        return np.asarray(np.exp(logs) @ self.weights)

    def start(self) -> Array:
        """Logarithms of precisions to begin with: loose enough that curves are not flat."""
        return np.full(len(self.names), np.log(TUNING.first_precision))

    def usual(self) -> Array:
        """The same for families with a prior: the mean of that."""
        logs = self.start()
        logs[self._with_prior] += self._excess(logs)
        return logs

    def log_prior(self, logs: Array) -> float:
        """Log density, up to a constant, of how far apart straight parts put the classes."""
        deviations = self._deviations(logs)
        return float(-0.5 * np.sum(deviations**2))

    def slopes(self, logs: Array, squares: Array) -> Array:
        """Derivatives of the log evidence in the logarithms, shape (n_families,).

        Parameters
        ----------
        squares : array of shape (p,)
            What the evidence takes for the squares of the coefficients: those of the mode, their variances, and what
            the mode moves the information by.
        """
        slopes = 0.5 * (self.sizes - np.exp(logs) * (self.weights @ squares))
        slopes[self._with_prior] += self._deviations(logs) / TUNING.separation_spread
        return np.asarray(slopes)

    def usual_bend(self, logs: Array, variances: Array) -> Array:
        """By how much each slope falls as its logarithm grows, roughly, for coefficients of these variances."""
        degrees = self.sizes - np.exp(logs) * (self.weights @ variances)
        bend = 0.5 * np.maximum(degrees, TUNING.least_degrees)
        bend[self._with_prior] += TUNING.separation_spread**-2
        return np.asarray(bend)

    def degrees(self, here: Standpoint, covariance: Array, logs: Array) -> Array:
        """Effective degrees of freedom of each family."""
        variances = covariance.diagonal()[here.layout.coefficients]
        return np.asarray(self.sizes - np.exp(logs) * (self.weights @ variances))

    def moves(self, here: Standpoint, covariance: Array, logs: Array) -> Array:
        """How far the logarithms should move towards the maximum of the evidence, by a Fellner-Schall step."""
        degrees = np.maximum(self.degrees(here, covariance, logs), TUNING.least_degrees)
        squares = np.maximum(np.exp(logs) * (self.weights @ here.theta**2), TUNING.least_degrees)
        moves = np.log(degrees / squares)
        for number, excess in zip(self._with_prior, self._excess(logs), strict=True):
            moves[number] = self._balanced(float(degrees[number]), float(squares[number]), float(excess))
        return np.asarray(np.clip(moves, -TUNING.longest_log_move, TUNING.longest_log_move))

    @property
    def _with_prior(self) -> list[int]:
        return [number for number, name in enumerate(self.names) if name in USUAL_VARIANCES]

    def _excess(self, logs: Array) -> Array:
        """By how much log S of each family with a prior exceeds its mean."""
        chosen = self._with_prior
        usual = [USUAL_VARIANCES[self.names[number]] for number in chosen]
        sizes = self.sizes if self.in_each is None else self.in_each
        return np.asarray(np.log(sizes[chosen]) - logs[chosen] - np.log(usual))

    def _deviations(self, logs: Array) -> Array:
        """The same in standard deviations."""
        return self._excess(logs) / TUNING.separation_spread

    def _balanced(self, degrees: float, squares: float, excess: float) -> float:
        """The move after which rows and prior balance, from where log S exceeds its mean by so much."""

        def slope(move: float) -> float:
            return float(0.5 * (degrees - squares * np.exp(move)) + (excess - move) / TUNING.separation_spread**2)

        low, high = -TUNING.longest_log_move, TUNING.longest_log_move
        if slope(low) <= 0.0 or slope(high) >= 0.0:
            return low if slope(low) <= 0.0 else high
        return float(brentq(slope, low, high, xtol=TUNING.log_tol))


def gather_families(design: Design, variances: Array) -> Families:
    """Collect the families of a design whose model columns have these variances over the rows, shape (p,)."""
    weights: dict[str, Array] = {}
    for basis, block in zip(design.bases, design.blocks, strict=True):
        of_whom = WHO_IS_LABELLED if basis.spec.is_labelling else ""
        for prior in basis.priors:
            family = weights.setdefault(of_whom + prior.name, np.zeros(design.n_columns))
            family[block] += prior.diagonal * np.maximum(basis.shared(variances[block]), TUNING.least_variance)
    return Families(tuple(weights), np.array(list(weights.values())))
