"""The penalised log-likelihood of labels given by preference, and the model whose evidence is climbed."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pugam.likelihood import (
    Preference,
    SampleSizes,
    StratumSums,
    Sums,
    Tilt,
    selected_stratum_sums,
    selected_sums,
    selected_trace_slopes,
    tilt_sums,
)
from pugam.solvers.laplace import Model
from pugam.solvers.sampled_objective import SampledObjective

__all__ = ["SelectedModel", "SelectedObjective"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SelectedObjective(SampledObjective):
    """The penalised log-likelihood of labels given by preference: shares on the logit scale, then (a, theta).

    The coefficients of the preference come last; its intercept is none, as only its differences matter.
    """

    n_preference: int = field(kw_only=True)

    def preference(self, beta: Array) -> Preference:
        """The preference at a parameter vector; it takes a pass over the labelled rows."""
        theta = beta[self.layout.coefficients][-self.n_preference :]
        tilt: Tilt = self.engine.sum_rows(tilt_sums, (theta,))
        return Preference(theta, tilt)

    def trace_slopes(self, beta: Array, matrix: Array) -> Array:
        """How the trace of a symmetric matrix times the expected information in (a, theta) changes with beta."""
        shared = (beta[self.layout.predictor], self._shares(beta), self.preference(beta), matrix)
        found: Array = self.engine.sum_rows(selected_trace_slopes, shared)
        return found

    def stratum_sums(self, beta: Array) -> StratumSums:
        """What errors depend on where the numbers of rows in each sample are given."""
        shared = (beta[self.layout.predictor], self._shares(beta), self.preference(beta))
        found: StratumSums = self.engine.sum_rows(selected_stratum_sums, shared)
        return found

    def _sums(self, beta: Array, observed: bool) -> Sums:
        shared = (beta[self.layout.predictor], self._shares(beta), self.preference(beta), observed)
        found: Sums = self.engine.sum_rows(selected_sums, shared)
        return found


@dataclass(frozen=True, eq=False)
class SelectedModel(Model):
    """Rows labelled by preference, terms of effects and preference, and the families of their coefficients."""

    sizes: SampleSizes
    n_preference: int

    def at(self, logs: Array) -> SelectedObjective:
        """The penalised objective for the logarithms of the families' precisions."""
        precision = self.families.precision(logs)
        return SelectedObjective(self.engine, precision, self.prior, sizes=self.sizes, n_preference=self.n_preference)
