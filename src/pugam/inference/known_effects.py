"""Effects that are known, offsets: what they are for the rows of a fit, on average and how they vary."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pugam.inference.rows_of_samples import unlabelled_rows
from pugam.solvers import Fitted
from pugam.terms import Design

__all__ = ["known_moments"]

Array = NDArray[np.float64]


def known_moments(fitted: Fitted) -> tuple[Array, Array]:
    """Mean and standard deviation of each known effect over the unlabelled rows, by weight; zeros for other terms."""
    design, engine = fitted.design, fitted.engine
    means, spreads = np.zeros((2, len(design.bases)))
    if design.known_terms:
        weights = unlabelled_rows(fitted).astype(float)
        weights = weights if engine.weights is None else weights * engine.weights
    for number in design.known_terms:
        alone = engine.redesigned(Design((design.bases[number],)), (number,), once=True)
        values = alone.linear_predictor(np.zeros(alone.design.layout.of_predictors.size))
        means[number] = np.average(values, weights=weights)
        spreads[number] = np.sqrt(np.average((values - means[number]) ** 2, weights=weights))
    return means, spreads
