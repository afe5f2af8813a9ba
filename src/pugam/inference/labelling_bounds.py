"""How wrong could pi be if positives were not labelled at random? Limits, if chances vary at most Gamma-fold.

Where labelled rows were taken out of the sample of which the others are left, it is odds that vary at most Gamma-fold.

Let r = f / g be the density of unlabelled over that of labelled rows, and q(x) be pi times the density of all
positives over that of the labelled ones, so that pi is the mean of q among labelled rows. If chances vary at most
Gamma-fold with x, so does q; and unlabelled positives are no more than unlabelled rows, q <= r. Hence t <= q <= Gamma t
for some t <= min r, and pi <= E_g min(Gamma min r, r) = E_f min(Gamma min r / r, 1). By the model min r / r is the
posterior m of an unlabelled row; without one, thresholds of a score give limits. If somewhere all rows are positive,
then q = r >= min r there, and pi >= min r / Gamma. docs/model/random_labels.md has the proof.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from pugam.data import read_flag
from pugam.errors import InputError
from pugam.inference.best_bin import bound_pi, sort_scores
from pugam.inference.boosting import held_out_chances
from pugam.inference.intervals import Interval, normal_quantile
from pugam.inference.predictions import posteriors_of_rows
from pugam.inference.profile import PiProfile
from pugam.inference.rows_of_samples import shares_of_rows, unlabelled_rows
from pugam.inference.rows_tested import N_FOLDS, RowsTested, choose_rows
from pugam.inference.sensitivity import fix_pi
from pugam.messages import in_lines

__all__ = ["LabellingBounds", "bound_labelling"]

Array = NDArray[np.float64]

LARGEST_GAMMA = 1e6
STEPS = np.geomspace(1.0, 1000.0, 31)  # of Gamma, at which rows are counted
EDGE = 1e-6  # that a limit keeps from 1, where the model is fitted with pi fixed at it


@dataclass(frozen=True, eq=False)
class PosteriorBound:
    """The largest pi by the model: its pi, and what posteriors of unlabelled rows gain if multiplied by Gamma."""

    pi: float
    posteriors: Array
    weights: Array

    def at(self, gamma: float) -> float:
        """The bound if chances vary at most Gamma-fold."""
        gained = np.minimum(gamma * self.posteriors, 1.0) - self.posteriors
        return min(self.pi + float(np.average(gained, weights=self.weights)), 1.0)


@dataclass(frozen=True, eq=False)
class ThresholdBound:
    """An upper limit for pi that needs no model: from the rows above a threshold of any score, and those below.

    All unlabelled rows above, where rows look labelled, may be positive; of those below at most Gamma times the
    smallest ratio of densities, times the share of the labelled rows there. Each fold has the threshold that is best
    for the others.

    Attributes
    ----------
    smallest : float
        Upper limit for the smallest ratio of densities f / g.
    rows : RowsTested
    chances : array of shape (n,)
        The score: the chance of being labelled by trees that have not seen the row.
    quantile : float
        Of the normal distribution, for the level of the limit.
    """

    smallest: float
    rows: RowsTested
    chances: Array
    quantile: float

    def at(self, gamma: float) -> float:
        """The limit if chances vary at most Gamma-fold, between those at some values of Gamma."""
        return float(np.interp(np.log(gamma), np.log(STEPS), self._limits, right=1.0))

    def _count(self, gamma: float) -> float:
        rows, most = self.rows, gamma * self.smallest
        above = np.empty(len(rows.positive), dtype=bool)
        for fold, (scores, labelled, hidden) in enumerate(self._others):
            best = int(np.argmin(hidden / hidden[-1] - most * labelled / labelled[-1]))
            above[rows.folds == fold] = self.chances[rows.folds == fold] >= scores[best]
        weights = [rows.weights * label for label in (rows.positive, ~rows.positive)]
        n0, n1 = (float(weight.sum()) for weight in weights)
        below, hidden_above = float(weights[0] @ ~above) / n0, float(weights[1] @ above) / n1
        variance = most**2 * below * (1.0 - below) / n0 + hidden_above * (1.0 - hidden_above) / n1
        return float(min(most * below + hidden_above + self.quantile * np.sqrt(max(variance, 0.0)), 1.0))

    @cached_property
    def _limits(self) -> Array:
        """Limits at all steps: they rise, from that for random labels, which the diagnosis has, too."""
        return np.maximum.accumulate([self.smallest, *(self._count(float(gamma)) for gamma in STEPS[1:])])

    @cached_property
    def _others(self) -> list[tuple[Array, Array, Array]]:
        """Of the rows outside each fold: scores from high to low, and the weights of either kind of rows above."""
        rows = self.rows
        known = [rows.folds != fold for fold in range(N_FOLDS)]
        return [sort_scores(self.chances[some], rows.positive[some], rows.weights[some]) for some in known]


@dataclass(frozen=True, eq=False, repr=False)
class LabellingBounds:
    """The range of pi if the chance of a positive to be labelled varies at most Gamma-fold with its features.

    Where labelled rows were taken out of the sample of which the others are left, it is the odds that vary.

    Attributes
    ----------
    gamma : array of shape (K,)
    lower, upper : arrays of shape (K,)
        The range, given the fit. Below the estimate only if labels prefer positives that look like negatives.
    lower_limit, upper_limit : arrays of shape (K,)
        The same from the limits of the interval for pi instead of the estimate.
    without_model : array of shape (K,)
        Upper limit for pi that needs no model, but Gamma; NaN where rows are too few.
    pi : Interval
        If positives were labelled at random, or by the columns given alone.
    given : tuple of str
        The columns that labelling depends on by the model: Gamma is how far chances vary besides.
    """

    gamma: Array
    lower: Array
    upper: Array
    lower_limit: Array
    upper_limit: Array
    without_model: Array
    pi: Interval
    _at_estimate: PosteriorBound = field(repr=False)
    _at_upper: PosteriorBound = field(repr=False)
    given: tuple[str, ...] = ()

    def gamma_for(self, value: float, *, sampling: bool = True) -> float:
        """Return the smallest Gamma at which pi could be this value, on the other side of which the estimate lies.

        A conclusion such as "pi is below 0.2" holds as long as chances vary less than gamma_for(0.2)-fold.

        Parameters
        ----------
        value : float
            A share, from 0 to 1.
        sampling : bool
            Whether to start from the interval for pi, whose errors come on top, or from the estimate. From the interval
            the result is 1 if it holds the value.

        Returns
        -------
        float
            Infinite where no Gamma is large enough.
        """
        if not isinstance(value, Real) or not 0.0 <= value <= 1.0:
            raise InputError(f"gamma_for takes a share, a number from 0 to 1; got {value!r}.")
        sampling = read_flag("sampling", sampling)
        low, high = (self.pi.lower, self.pi.upper) if sampling else (self.pi.estimate, self.pi.estimate)
        if low <= value <= high:
            return 1.0
        if value < low:
            return low / value if value > 0.0 else np.inf
        bound = self._at_upper if sampling else self._at_estimate
        if value >= 1.0 or bound.at(LARGEST_GAMMA) < value:
            return np.inf
        root = brentq(lambda log_gamma: bound.at(float(np.exp(log_gamma))) - value, 0.0, np.log(LARGEST_GAMMA))
        return float(np.exp(root))

    def __str__(self) -> str:
        return in_lines(_describe(self))

    __repr__ = __str__


def _describe(found: LabellingBounds) -> Iterator[str]:
    given, more = (f" given {', '.join(found.given)}", " besides") if found.given else ("", "")
    yield f"pi if positives were labelled at random{given}: {found.pi}"
    yield f"If features{more} make some positives more likely to be labelled than others:"
    for number, gamma in enumerate(found.gamma):
        given = f"pi is {found.lower[number]:.3f} to {found.upper[number]:.3f}"
        limits = f"{found.lower_limit[number]:.3f} to {found.upper_limit[number]:.3f} from the ends of its interval"
        at_most = found.without_model[number]
        free = "" if np.isnan(at_most) else f"; at most {at_most:.3f} without any model"
        how = f"up to {gamma:g} times" if gamma > 1.0 else "at random"
        yield f"  {how:15} {given} ({limits}{free})"
    yield "Times: of the chance of a label, or of its odds where labelled rows were taken out of the unlabelled sample."


def bound_labelling(profile: PiProfile, pi: Interval, gamma: Array) -> LabellingBounds:
    """Bound pi where chances vary at most Gamma-fold, for each Gamma."""
    at_estimate, at_upper = _posterior_bounds(profile, pi)
    at_random = profile.fitted.fit.labelling is None  # what others say takes labels for random, up to Gamma
    free = _bound_without_model(choose_rows(profile), pi.level) if at_random else None
    return LabellingBounds(
        gamma,
        pi.estimate / gamma,
        np.array([at_estimate.at(value) for value in gamma]),
        pi.lower / gamma,
        np.array([at_upper.at(value) for value in gamma]),
        np.array([np.nan if free is None else free.at(value) for value in gamma]),
        pi,
        at_estimate,
        at_upper,
        profile.fitted.design.labelling_columns,
    )


def _posterior_bounds(profile: PiProfile, pi: Interval) -> list[PosteriorBound]:
    """Bounds by the model, and by the model with pi fixed at the upper limit of its interval."""
    fitted = profile.fitted
    unlabelled = unlabelled_rows(fitted)
    weights = np.ones(len(unlabelled)) if fitted.engine.weights is None else fitted.engine.weights
    values = pi.estimate, max(min(pi.upper, 1.0 - EDGE), pi.estimate)
    found = fix_pi(profile, values)
    return [
        PosteriorBound(
            value,
            posteriors_of_rows(fitted, shares_of_rows(fitted, value), float(alpha), coef)[unlabelled],
            weights[unlabelled],
        )
        for value, alpha, coef in zip(values, found.alpha, found.coef, strict=True)
    ]


def _bound_without_model(rows: RowsTested, level: float) -> ThresholdBound | None:
    """The limit that needs no model; None where rows are too few."""
    chances = held_out_chances(rows) if rows.are_enough else None
    best = bound_pi(rows, chances)
    if best is None or chances is None:
        return None
    return ThresholdBound(best.upper, rows, chances, normal_quantile(level))
