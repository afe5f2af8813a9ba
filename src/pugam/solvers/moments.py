"""Moments of the model columns over the rows, from the same sums that fits are made of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.layout import Layout
from pugam.solvers.standpoint import Standpoint

__all__ = ["column_variances", "effect_variances", "flat_curves", "mean_products", "variances_seen"]

Array = NDArray[np.float64]


def mean_products(engine: Engine) -> Array:
    """Mean products of the intercept's ones and all model columns: shape (1 + p, 1 + p)."""
    layout = engine.design.layout
    sums = engine.sums(np.array([0.5]), np.zeros((1, layout.of_predictors.size)))
    return _mean_products(sums.information[0], layout)


def column_variances(engine: Engine) -> Array:
    """Variances of the model columns, shape (p,); rounding may leave one a little below zero."""
    return _variances(mean_products(engine), engine.design.layout)


def effect_variances(engine: Engine, theta: Array) -> Array:
    """How much the effect of each term varies over the rows, shape (n_terms,)."""
    layout, products = engine.design.layout.of_predictors, mean_products(engine)
    means = products[layout.intercept, layout.coefficients]
    covariance = products[layout.coefficients, layout.coefficients] - np.outer(means, means)
    blocks = engine.design.blocks
    return np.array([theta[block] @ covariance[block, block] @ theta[block] for block in blocks])


def flat_curves(layout: Layout) -> Array:
    """Parameters from which variances are seen."""
    return np.zeros(layout.size)


def variances_seen(flat: Standpoint) -> Array:
    """The same variances, from how an objective is seen with flat curves."""
    return _variances(_mean_products(flat.information, flat.layout), flat.layout)


def _mean_products(information: Array, layout: Layout) -> Array:
    """Without curves all rows have the same information: what is left of it are products of columns."""
    products, ones = information[layout.predictor, layout.predictor], layout.of_predictors.intercept
    return np.asarray(products / products[ones, ones])


def _variances(products: Array, layout: Layout) -> Array:
    alone = layout.of_predictors
    variances = products.diagonal() - products[alone.intercept] ** 2
    return np.asarray(variances[alone.coefficients])
