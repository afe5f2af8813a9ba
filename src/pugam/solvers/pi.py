"""What is known of pi before the rows are seen: where it may lie, and a prior."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pugam.likelihood import logit

__all__ = ["EDGE", "FIXED", "FLAT_PRIOR", "PiPrior", "PiRange"]

Array = NDArray[np.float64]

EDGE = 1e-5  # pi is kept inside [EDGE, 1 - EDGE]; an estimate that reaches it is reported as lying on the boundary


@dataclass(frozen=True)
class PiPrior:
    """A Beta(a, b) density for pi, as the exponents a - 1 and b - 1; flat by default, as in the paper."""

    success: float = 0.0
    failure: float = 0.0

    def value(self, pi: Array) -> Array:
        """Log density up to a constant, finite even at pi = 0 and 1."""
        tiny = np.finfo(np.float64).tiny
        return np.asarray(
            self.success * np.log(np.maximum(pi, tiny)) + self.failure * np.log(np.maximum(1.0 - pi, tiny))
        )

    def score(self, pi: Array) -> Array:
        """Derivative of the log density in logit pi."""
        return self.success * (1.0 - pi) - self.failure * pi

    def information(self, pi: Array) -> Array:
        """Negative second derivative of the log density in logit pi."""
        return (self.success + self.failure) * pi * (1.0 - pi)

    @property
    def mode(self) -> float:
        """Where the density is highest; in the middle where it is flat."""
        total = self.success + self.failure
        return self.success / total if total > 0.0 else 0.5


FLAT_PRIOR = PiPrior()


@dataclass(frozen=True)
class PiRange:
    """Where pi may lie: an interval, or a single point when pi is known."""

    low: float = EDGE
    high: float = 1.0 - EDGE

    @property
    def fixed(self) -> bool:
        """Whether pi is known."""
        return self.low == self.high

    @cached_property
    def logits(self) -> tuple[float, float]:
        """The interval on the scale of beta."""
        return float(logit(self.low)), float(logit(self.high))

    @property
    def limits(self) -> tuple[float, float]:
        """The interval as a user sees it: 0 and 1 where only the margin that keeps logits finite was set."""
        if self.fixed:
            return self.low, self.high
        return (0.0 if self.low <= EDGE else self.low), (1.0 if self.high >= 1.0 - EDGE else self.high)

    def is_inside(self, pi: float) -> bool:
        """Whether pi lies between the ends and, rounding allowed for, not on one of them."""
        return bool(self.are_inside(np.asarray(pi)))

    def are_inside(self, pi: Array) -> NDArray[np.bool_]:
        """The same for an array."""
        low, high = self.low * (1.0 + 1e-9), self.high - 1e-9 * (1.0 - self.high)
        return np.asarray((low < pi) & (pi < high) & (not self.fixed))

    def clip(self, pi: Array) -> Array:
        """Bring pi into the interval."""
        return np.clip(pi, self.low, self.high)


FIXED = PiRange(0.5, 0.5)  # any single point: shares stay where a climb begins
