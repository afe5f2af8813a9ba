"""The penalised log-likelihood of labels given by preference, and the model whose evidence is climbed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.likelihood import (
    Preference,
    StratumSums,
    Sums,
    Tilt,
    selected_stratum_sums,
    selected_sums,
    selected_trace_slopes,
    tilt_sums,
)
from pugam.linear_algebra import inverse
from pugam.solvers.fits import LabellingFit
from pugam.solvers.sampled_objective import SampledModel, SampledObjective, covariance_given
from pugam.solvers.standpoint import Standpoint
from pugam.solvers.tuning import TUNING

__all__ = ["SelectedModel", "SelectedObjective"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SelectedObjective(SampledObjective):
    """The penalised log-likelihood of labels given by preference: shares on the logit scale, then (a, theta).

    The coefficients of the preference come last; it has no intercept, as only its differences matter.
    """

    def preference(self, beta: Array) -> Preference:
        """The preference at a parameter vector; it takes a pass over the labelled rows."""
        theta = beta[-self.layout.n_preference :]
        tilt: Tilt = self.engine.sum_rows(tilt_sums, (theta,))
        return Preference(theta, tilt)

    def trace_slopes(self, beta: Array, matrix: Array) -> Array:
        """How the trace of a symmetric matrix times the expected information in (a, theta) changes with beta."""
        found: Array = self.engine.sum_rows(selected_trace_slopes, (*self._at(beta), matrix))
        return found

    def given_sizes(self, mode: Standpoint) -> Array:
        """Covariance of all parameters at a mode, the numbers of rows in each sample given: shape (q, q).

        The score varies less than the information says, by its sums over each sample, and more, as the mean of exp(-w)
        over labelled rows is random.
        """
        sums: StratumSums = self.engine.sum_rows(selected_stratum_sums, self._at(mode.beta))
        shift, together = sums.scores[0] / self.sizes.labelled, sums.together
        drawn = sums.spread * np.outer(shift, shift) - np.outer(shift, together) - np.outer(together, shift)
        return covariance_given(self.sizes.counts, mode, sums.scores, drawn)

    def labelling(self, mode: Standpoint) -> LabellingFit:
        """What is known of who is labelled."""
        shares = mode.layout.shares
        weights = self.sizes.parts * mode.shares * (1.0 - mode.shares)  # of the share of all rows
        drawn, given = (
            float(weights @ covariance[shares, shares] @ weights)
            for covariance in (inverse(mode.hessian), self.given_sizes(mode))
        )
        factor = min(drawn / max(given, TUNING.smallest_information), TUNING.largest_factor_given)
        return LabellingFit(self.preference(mode.beta).log_mean, factor)

    def _sums(self, beta: Array, observed: bool) -> Sums:
        found: Sums = self.engine.sum_rows(selected_sums, (*self._at(beta), observed))
        return found

    def _at(self, beta: Array) -> tuple[object, ...]:
        return beta[self.layout.predictor], self._shares(beta), self.preference(beta)


@dataclass(frozen=True, eq=False)
class SelectedModel(SampledModel):
    """Rows labelled by preference, terms of effects and preference, and the families of their coefficients."""

    def at(self, logs: Array) -> SelectedObjective:
        """The penalised objective for the logarithms of the families' precisions."""
        return SelectedObjective(self.engine, self.families.precision(logs), self.prior, sizes=self.sizes)
