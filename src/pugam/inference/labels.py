"""Who is labelled: preferences of rows, and the chance of a label that a fit expects."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.inference.own_curves import predictors_of_all
from pugam.likelihood import preferred_labels
from pugam.solvers import Fit, Fitted

__all__ = ["label_rows", "log_preferences", "predictors_along", "preference_of"]

Array = NDArray[np.float64]


def preference_of(fit: Fit) -> Array | None:
    """Intercept and coefficients of W, the log density of labelled over all positives; None for labels at random."""
    if fit.labelling is None:
        return None
    layout = fit.optimum.layout
    b = fit.optimum.beta[layout.predictor] - fit.optimum.b  # of the preference alone
    b[layout.of_predictors.intercept] = fit.labelling.log_mean
    return np.asarray(b)


def log_preferences(fit: Fit, engine: Engine) -> Array | None:
    """W of all rows, shape (n_rows,); None for labels at random."""
    b = preference_of(fit)
    return None if b is None else predictors_along(engine, b)


def predictors_along(engine: Engine, b: Array) -> Array:
    """What coefficients alone make of all rows, without effects that are known: shape (n_rows,)."""
    along = engine.linear_predictor(b)
    if engine.design.known_terms:
        along = along - engine.linear_predictor(np.zeros_like(b))
    return along


def label_rows(fitted: Fitted) -> tuple[Array, Array, Array]:
    """Predictors, label frequencies and their complements of all rows: P(z = 1 | x) = c expit(s)."""
    fit, engine = fitted.fit, fitted.engine
    return preferred_labels(
        predictors_of_all(fitted), log_preferences(fit, engine), fit.optimum.pi, engine.n0, engine.n1
    )
