"""How much each row moves the estimate of pi."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pugam.inference.kinds import inference_of
from pugam.inference.labels import predictors_along
from pugam.likelihood import label_frequency, log_c_slope, saturating_rows
from pugam.solvers import Fitted

__all__ = ["pi_influence"]

Array = NDArray[np.float64]


def pi_influence(fitted: Fitted) -> Array:
    """Change of logit pi when a row counts a little more, relative to the rows of its label: shape (n_rows,)."""
    engine, optimum = fitted.engine, fitted.fit.penalized
    layout = optimum.layout
    direction = inference_of(fitted).movement()[layout.share]
    pi = np.array(optimum.pi)
    c, d = label_frequency(pi, engine.n0, engine.n1)
    rows = saturating_rows(engine.positive, engine.linear_predictor(optimum.b), c, d)
    slope = float(log_c_slope(pi, engine.n0, engine.n1))
    weights = np.ones(engine.n_rows) if engine.weights is None else engine.weights
    along = predictors_along(engine, direction[layout.predictor])
    influence: Array = rows.score_c * (slope * direction[layout.share]) + rows.score_s * along
    for label in (engine.positive, ~engine.positive):
        influence[label] -= np.average(influence[label], weights=weights[label])
    return influence * weights
