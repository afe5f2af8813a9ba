"""Samples with curves of their own, seen together: what all unlabelled rows say of labels, whatever sample they are in.

All unlabelled rows are positives and the negatives of all samples. Their log density ratio is no sum of effects, but it
is known, and so are its derivatives: with s_k the predictor in sample k it is s = -log sum_k exp(-s_k), and a change of
s_k moves it by the share of sample k among negatives like these. So tests of labels are what they are for other fits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from pugam.engines import Engine
from pugam.inference.shares import samples_of
from pugam.solvers import Fitted, predictors_by_sample
from pugam.solvers.own_curves import OwnCurves
from pugam.terms import Design, Encoded

__all__ = ["SeenTogether", "predictors_of_all", "ratios_of_all", "see_together"]

Array = NDArray[np.float64]
Numbers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class SeenTogether:
    """Rows of samples with curves of their own, as if they were one sample.

    Attributes
    ----------
    rows : Engine
        Of the design with common curves.
    own : OwnCurves
    theta : array of shape (p,)
        Coefficients as they are reported.
    by_sample : array of shape (K, n_rows)
        Predictors of all rows in each sample.
    """

    rows: Engine
    own: OwnCurves
    theta: Array
    by_sample: Array

    @cached_property
    def predictors(self) -> Array:
        """Those of all samples together, shape (n_rows,)."""
        return np.asarray(-logsumexp(-self.by_sample, axis=0))

    def terms(self, encoded: tuple[Encoded, ...]) -> tuple[Design, Array, tuple[Encoded, ...]]:
        """The terms as if curves were common, without effects of samples: their mean coefficients, and their values."""
        pairs = [basis.alone(values) for basis, values in zip(self.own.common.bases, encoded, strict=False)]
        mean = self.theta[self.own.numbers].mean(axis=0)
        return Design(tuple(basis for basis, _ in pairs)), mean, tuple(values for _, values in pairs)

    def columns(self, rows: Numbers, of_common: Array) -> Array:
        """What parameters of single samples do to the predictors of some rows, from the columns of common terms."""
        shares = np.exp(self.predictors[rows] - self.by_sample[:, rows])
        varies = (self.own.numbers != self.own.numbers[0]).any(axis=0)
        kept = of_common[:, np.append(True, varies)]
        return np.hstack([share[:, None] * kept for share in shares[1:]])


def predictors_of_all(fitted: Fitted) -> Array:
    """Predictors of all rows, shape (n_rows,): with curves of their own, those of all samples together."""
    together = see_together(fitted)
    return fitted.engine.linear_predictor(fitted.fit.optimum.b) if together is None else together.predictors


def ratios_of_all(fitted: Fitted) -> Array:
    """Log density ratios of all rows up to a constant, shape (n_rows,): with curves of their own, by the row's sample.

    Labelled rows are in no sample, and have the mean over all. The level that they have in a column of samples stands
    for none.
    """
    together, shares = see_together(fitted), fitted.fit.samples
    if together is None or shares is None:
        return fitted.engine.linear_predictor(fitted.fit.optimum.b)
    own, mean = samples_of(fitted), shares.rows / shares.rows.sum() @ together.by_sample
    within = together.by_sample[np.clip(own - 1, 0, len(shares.rows) - 1), np.arange(len(own))]
    return np.asarray(np.where(own > 0, within, mean))


def see_together(fitted: Fitted) -> SeenTogether | None:
    """See the rows of a fit as one sample; None where their curves are common, as there is nothing to be done."""
    found = predictors_by_sample(fitted)
    if found is None:
        return None
    model, by_sample = found
    return SeenTogether(model.engine, model.own, fitted.fit.optimum.theta, by_sample)
