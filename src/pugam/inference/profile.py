"""The profile of pi: how far the objective falls when pi is fixed elsewhere and all else follows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from pugam.inference.calibration import Calibration
from pugam.inference.intervals import Interval, normal_quantile
from pugam.likelihood import expit, logit
from pugam.solvers import EDGE, Fit, FittedKind, Optimum, PiRange

__all__ = ["KindOfProfile", "PiProfile", "profile_interval"]

Array = NDArray[np.float64]
Numbers = NDArray[np.intp]
F_co = TypeVar("F_co", bound=Fit, covariant=True)

ROOT_TOL = 1e-4  # on the logit scale
MOST_DOUBLINGS = 12
FIRST_STEP = 0.2  # on the logit scale, where the standard error is of no use


@dataclass
class KindOfProfile(ABC, Generic[F_co]):
    """Fits with pi fixed, remembered; each kind of fit has a profile of its own kind."""

    fitted: FittedKind[F_co]
    _fits: dict[float, Optimum] = field(init=False)

    def __post_init__(self) -> None:
        known = self._known
        self._fits = {known.logit_pi: known}

    def fixed_at(self, pi: float) -> Optimum:
        """Fit with pi fixed at a value."""
        place = float(np.clip(logit(pi), *PiRange().logits))
        if place not in self._fits:
            self._fits[place] = self._fix(place)
        return self._fits[place]

    @property
    @abstractmethod
    def _known(self) -> Optimum:
        """The fit itself, as one of those with pi fixed."""

    @abstractmethod
    def _fix(self, place: float) -> Optimum:
        """Fit with logit pi fixed at a value."""

    @abstractmethod
    def deviance(self, pi: float) -> float:
        """Twice the fall of the objective, scaled so that it compares with a chi-square variable of one degree."""

    @property
    @abstractmethod
    def peak(self) -> float:
        """Where the profile is highest, on the logit scale."""

    @property
    @abstractmethod
    def standard_error(self) -> float:
        """Standard error of logit pi."""

    @abstractmethod
    def calibrate(self) -> Calibration:
        """Compare predicted with observed labels of the rows that the profile is seen in."""

    @property
    def holds_out(self) -> bool:
        """Whether these are predictors of rows held out."""
        return False

    def predictors_of(self, rows: Numbers, copies: Numbers) -> Array:
        """Intercept plus effects of copies of rows, as tests of the fit take them: shape (m,)."""
        return np.asarray(self.fitted.engine.linear_predictor(self.fitted.fit.optimum.b)[rows])


PiProfile = KindOfProfile[Fit]  # of any kind


def profile_interval(profile: PiProfile, level: float) -> Interval:
    """Interval of the values of pi at which the deviance stays below its quantile.

    Where it stays below up to the end of the range of pi, that end is the limit.
    """
    fit, pi_range = profile.fitted.fit, profile.fitted.settings.pi_range
    pi = float(pi_range.clip(np.array(fit.optimum.pi)))
    critical = normal_quantile(level) ** 2

    def excess(logit_pi: float) -> float:
        return profile.deviance(float(expit(logit_pi))) - critical

    limits = pi_range.limits
    guess = normal_quantile(level) * profile.standard_error
    step = guess if np.isfinite(guess) and 0.0 < guess < 2.0 else FIRST_STEP
    ends = [
        _crossing(excess, profile.peak, side * step, float(logit(np.clip(limit, EDGE, 1.0 - EDGE))))
        for side, limit in zip((-1.0, 1.0), limits, strict=True)
    ]
    lower, upper = (limit if end is None else float(expit(end)) for end, limit in zip(ends, limits, strict=True))
    return Interval(pi, min(lower, pi), max(upper, pi), level, "profile")


def _crossing(excess: Callable[[float], float], start: float, step: float, end: float) -> float | None:
    """Find where the excess becomes positive on the way from start to end, if it does."""
    inside = start
    if excess(start) > 0.0:
        return start
    for outside in _ahead(start, step, end):
        if excess(outside) > 0.0:
            return float(brentq(excess, inside, outside, xtol=ROOT_TOL))
        inside = outside
    return None


def _ahead(start: float, step: float, end: float) -> Iterator[float]:
    """Places on the way from start to end, twice as far each time; the end is the last of them."""
    for doubling in range(MOST_DOUBLINGS):
        place = start + step * 2.0**doubling
        if place <= end if step < 0.0 else place >= end:
            if end != start:
                yield end
            return
        yield place
