"""Moments of the model columns over the rows, from the same sums that fits are made of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine

__all__ = ["column_variances", "mean_products"]

Array = NDArray[np.float64]


def mean_products(engine: Engine) -> Array:
    """Mean products of the intercept's ones and all model columns: shape (1 + p, 1 + p)."""
    layout = engine.design.layout
    ones = layout.of_predictors.intercept
    # Without curves all rows have the same information: what is left of it are products of columns.
    flat = np.zeros((1, layout.of_predictors.size))
    products = engine.sums(np.array([0.5]), flat).information[0, layout.predictor, layout.predictor]
    return np.asarray(products / products[ones, ones])


def column_variances(engine: Engine) -> Array:
    """Variances of the model columns, shape (p,); rounding may leave one a little below zero."""
    products, alone = mean_products(engine), engine.design.layout.of_predictors
    variances = products.diagonal() - products[alone.intercept] ** 2
    return np.asarray(variances[alone.coefficients])
