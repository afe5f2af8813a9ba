"""Share, intercept and steepness from rows held out: what curves say about rows that they were not fitted to.

Curves with few rows for each of their columns tell labelled rows from hidden positives by chance, and pi comes out too
low. The scores t of rows held out know nothing of their labels. On them the model has three parameters,

    P(z = 1 | t) = c expit(a + b t),    c = n0 / (n0 + n1 pi),

and what shrinkage took from the curves, the steepness b gives back.

Where hardly a negative is seen, a steep curve with a large pi and a flat one with any pi fit alike: flat ones are what
features of no use would give. How far apart features put two classes is not unknown, though. With the prior on pi goes
one on the difference D between positives and negatives in mean log density ratio, log D ~ N(log 8, 1.2^2). Unlabelled
rows have a mean score between those of the two classes, so D = b (mean t of labelled - mean t of unlabelled rows) /
(1 - pi). For normal features D = 8 is a ROC area of 0.977, and two standard deviations below it, D = 0.7, one of 0.73.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize

from pugam.likelihood import expit, label_frequency, log_c_bend, log_c_slope, logit, saturating_rows
from pugam.linear_algebra import inverse, inverse_definite
from pugam.solvers.adjustment import INTERCEPT, SHARE, STEEPNESS, Adjustment
from pugam.solvers.pi import PiPrior, PiRange
from pugam.solvers.steps import slack
from pugam.solvers.tuning import TUNING
from pugam.solvers.weighted import quantiles

__all__ = ["HeldOutRows"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

ALL_BUT_SHARE = slice(INTERCEPT, None)


@dataclass(frozen=True, eq=False)
class HeldOutRows:
    """Rows with the scores that curves fitted without them gave them.

    Attributes
    ----------
    scores : array of shape (n,)
    positive : bool array of shape (n,)
    weights : array of shape (n,)
        All positive.
    prior : PiPrior
    separation : bool
        Whether the prior on separation counts.
    unit : float
        The weight that stands for one row.
    """

    scores: Array
    positive: Flags
    weights: Array
    prior: PiPrior
    separation: bool = True
    unit: float = 1.0

    def adjust(self, pi_range: PiRange, near: Adjustment | None = None) -> Adjustment:
        """Find the best share within a range, intercept and steepness; look near those of another range, too."""
        (low, high), (centre, spread) = pi_range.logits, self._place
        bounds = [(low, high), (-TUNING.largest_intercept, TUNING.largest_intercept), TUNING.log_steepness]
        starts = [
            [logit(share), -float(self._hidden_quantiles(1.0 - share)) * np.exp(steepness), steepness]
            for share, steepness in TUNING.held_out_starts
        ]
        if near is not None:
            at_centre, steepness = near.intercept + near.steepness * centre, np.log(near.steepness * spread)
            starts.append([near.logit_pi, at_centre, steepness])
        for start in starts:
            start[SHARE] = np.clip(start[SHARE], low, high)
        if pi_range.fixed:  # starts that differ in their share alone are the same
            starts = sorted(starts, key=lambda start: self._loss(np.array(start))[0])[: TUNING.fixed_starts]
        found = [minimize(self._loss, start, jac=True, method="L-BFGS-B", bounds=bounds) for start in starts]
        point = self._at_top(min(found, key=lambda end: end.fun).x, np.array(bounds))
        covariance, alone = self._covariances(point, ALL_BUT_SHARE if pi_range.fixed else slice(None))
        steepness = float(np.exp(point[STEEPNESS]) / spread)
        return Adjustment(
            logit_pi=float(point[SHARE]),
            intercept=float(point[INTERCEPT] - steepness * centre),
            steepness=steepness,
            value=-self._loss(point)[0],
            covariance=self._on_scores(covariance, steepness),
            logit_variance=0.0 if pi_range.fixed else max(alone, float(covariance[SHARE, SHARE])),
        )

    def _at_top(self, point: Array, bounds: Array) -> Array:
        """Take the last steps to the optimum by Newton's method: L-BFGS stops some way below it."""
        low, high = bounds.T
        inside = np.flatnonzero((low < point) & (point < high))
        for _ in range(TUNING.newton_steps if len(inside) else 0):
            hessian = self._hessian(point, observed=True) + self._separation_hessian(point, observed=True)
            inverted = inverse_definite(hessian[np.ix_(inside, inside)])
            loss, gradient = self._loss(point)
            if inverted is None:
                break
            moved = point.copy()
            moved[inside] -= inverted @ gradient[inside]
            if np.any((moved < low) | (moved > high)) or self._loss(moved)[0] > loss + slack(loss):
                break
            point = moved
        return point

    def settle(self, pi_range: PiRange) -> Adjustment:
        """Find them, and let the variance of logit pi be what rows alone say, however far the prior moved it.

        The prior on separation may move pi far where rows say little. What rows say is taken where they alone would put
        pi, and the distance from there counts as an error.
        """
        found = self.adjust(pi_range)
        if pi_range.fixed:
            return found
        alone = replace(self, separation=False).adjust(pi_range, near=found)
        variance = alone.logit_variance + (found.logit_pi - alone.logit_pi) ** 2
        inside = pi_range.is_inside(alone.pi)
        return replace(found, logit_variance=max(variance, found.logit_variance) if inside else float("inf"))

    @cached_property
    def _place(self) -> tuple[float, float]:
        """Centre and spread of the scores."""
        mean = np.average(self.scores, weights=self.weights)
        spread = float(np.sqrt(np.average((self.scores - mean) ** 2, weights=self.weights)))
        return float(quantiles(self.scores, self.weights, 0.5, self.unit)), spread if spread > 0.0 else 1.0

    @cached_property
    def _standard(self) -> Array:
        centre, spread = self._place
        return (self.scores - centre) / spread

    def _hidden_quantiles(self, shares: ArrayLike) -> Array:
        """Quantiles of the standardised scores of unlabelled rows."""
        hidden = ~self.positive
        return quantiles(self._standard[hidden], self.weights[hidden], shares, self.unit)

    @cached_property
    def _counts(self) -> tuple[float, float]:
        return float(self.weights[self.positive].sum()), float(self.weights[~self.positive].sum())

    @cached_property
    def _log_difference(self) -> float:
        """Logarithm of how much higher labelled rows score, on average, than unlabelled ones."""
        labelled, hidden = (
            np.average(self._standard[rows], weights=self.weights[rows]) for rows in (self.positive, ~self.positive)
        )
        return float(np.log(max(labelled - hidden, TUNING.least_difference)))

    def _deviation(self, point: Array) -> float:
        """How far log D is from what is usual, in standard deviations."""
        if not self.separation:
            return 0.0
        log_separation = point[STEEPNESS] + self._log_difference - float(np.log1p(-expit(point[SHARE])))
        return float(log_separation - np.log(TUNING.usual_separation)) / TUNING.separation_spread

    def _rows(self, point: Array, observed: bool) -> tuple[Array, ...]:
        """Weighted value, score and information of the rows in (s, log c), s the linear predictor."""
        c, d = label_frequency(np.asarray(expit(point[SHARE])), *self._counts)
        rows = saturating_rows(self.positive, point[INTERCEPT] + self._steep(point), c, d, observed)
        return tuple(part * self.weights for part in rows)

    def _steep(self, point: Array) -> Array:
        """What the steepness adds to the linear predictors."""
        return np.asarray(np.exp(point[STEEPNESS]) * self._standard)

    def _slopes(self, point: Array) -> Array:
        """Derivatives of the linear predictors with intercept and log steepness: shape (2, n)."""
        return np.array([np.ones(len(self.scores)), self._steep(point)])

    def _loss(self, point: Array) -> tuple[float, Array]:
        """What is to be minimised: the objective and its gradient with their signs changed."""
        pi = np.asarray(expit(point[SHARE]))
        value, score_s, score_c, *_ = self._rows(point, observed=False)
        deviation = self._deviation(point)
        pull = deviation / TUNING.separation_spread
        total = value.sum() + float(self.prior.value(pi)) - 0.5 * deviation**2
        gradient = np.empty(3)
        gradient[SHARE] = score_c.sum() * float(log_c_slope(pi, *self._counts)) + float(self.prior.score(pi))
        gradient[ALL_BUT_SHARE] = self._slopes(point) @ score_s
        gradient -= pull * np.array([float(pi), 0.0, 1.0])
        return -float(total), -gradient

    def _covariances(self, point: Array, free: slice) -> tuple[Array, float]:
        """Inverse information of the three parameters, and the variance of logit pi without the prior on separation.

        That is infinite where the rows alone have no maximum nearby, and where labelled rows score no higher than
        others: what looks like one is then a step in front of the lowest labelled score. The expected information
        stands in for the observed one where that is not definite, as it may be on the edge of what the parameters may
        be.
        """
        covariance, variance = np.zeros((3, 3)), float("inf")
        for observed in (True, False):
            whole = self._hessian(point, observed)
            inverted = inverse_definite((whole + self._separation_hessian(point, observed))[free, free])
            if inverted is not None:
                break
        covariance[free, free] = inverse(whole[free, free]) if inverted is None else inverted
        alone = inverse_definite(whole[free, free]) if self._log_difference > np.log(TUNING.least_difference) else None
        return covariance, variance if alone is None else float(alone[SHARE, SHARE])

    def _hessian(self, point: Array, observed: bool) -> Array:
        """Information of (logit pi, a, log b) in the rows, with what the prior on pi adds."""
        pi = np.asarray(expit(point[SHARE]))
        _, score_s, score_c, info_ss, info_sc, info_cc = self._rows(point, observed)
        slope, bend = (float(f(pi, *self._counts)) for f in (log_c_slope, log_c_bend))
        slopes = self._slopes(point)
        hessian = np.empty((3, 3))
        hessian[SHARE, SHARE] = slope**2 * info_cc.sum() + float(self.prior.information(pi))
        hessian[SHARE, ALL_BUT_SHARE] = hessian[ALL_BUT_SHARE, SHARE] = slope * (slopes @ info_sc)
        hessian[ALL_BUT_SHARE, ALL_BUT_SHARE] = (slopes * info_ss) @ slopes.T
        if observed:
            hessian[SHARE, SHARE] -= bend * score_c.sum()
            hessian[STEEPNESS, STEEPNESS] -= self._steep(point) @ score_s
        return hessian

    def _separation_hessian(self, point: Array, observed: bool) -> Array:
        """What the prior on separation adds to the information; its bend, which may be negative, only if observed."""
        if not self.separation:
            return np.zeros((3, 3))
        pi = float(expit(point[SHARE]))
        direction = np.array([pi, 0.0, 1.0]) / TUNING.separation_spread
        added = np.outer(direction, direction)
        if observed:
            added[SHARE, SHARE] += self._deviation(point) * pi * (1.0 - pi) / TUNING.separation_spread
        return added

    def _on_scores(self, covariance: Array, steepness: float) -> Array:
        """Bring a covariance from standardised scores to the scores themselves."""
        change = np.eye(3)
        change[INTERCEPT, STEEPNESS] = -steepness * self._place[0]
        changed: Array = change @ covariance @ change.T
        return changed
