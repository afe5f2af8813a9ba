"""Moments of the model columns over the rows, from the same sums that fits are made of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.terms import Design

__all__ = [
    "column_variances",
    "covariance_among",
    "effect_variances",
    "mean_products",
    "shared_variances",
    "without_known",
]

Array = NDArray[np.float64]


def mean_products(engine: Engine) -> Array:
    """Mean products of the intercept's ones and all model columns: shape (1 + p, 1 + p)."""
    layout, engine = engine.design.layout, without_known(engine)
    sums = engine.sums(np.array([0.5]), np.zeros((1, layout.of_predictors.size)))
    # Without curves all rows have the same information: what is left of it are products of columns.
    products, ones = sums.information[0][layout.predictor, layout.predictor], layout.of_predictors.intercept
    return np.asarray(products / products[ones, ones])


def without_known(engine: Engine) -> Engine:
    """The same rows and model columns without known effects, in which rows differ even where curves are flat."""
    design = engine.design
    if not design.known_terms:
        return engine
    estimated = Design(tuple(design.bases[number] for number in design.estimated_terms))
    return engine.redesigned(estimated, design.estimated_terms, once=True)


def shared_variances(design: Design, variances: Array) -> Array:
    """Variances of model columns, shape (p,), the mean of them for columns that are equals; not below zero."""
    parts = [basis.shared(variances[block]) for basis, block in zip(design.bases, design.blocks, strict=True)]
    return np.maximum(np.concatenate(parts), 0.0)


def column_variances(engine: Engine) -> Array:
    """Variances of the model columns, shape (p,); rounding may leave one a little below zero."""
    products, alone = mean_products(engine), engine.design.layout.of_predictors
    variances = products.diagonal() - products[alone.intercept] ** 2
    return np.asarray(variances[alone.coefficients])


def effect_variances(engine: Engine, theta: Array) -> Array:
    """How much the effect of each term varies over the rows, shape (n_terms,)."""
    layout, products = engine.design.layout.of_predictors, mean_products(engine)
    means = products[layout.intercept, layout.coefficients]
    covariance = products[layout.coefficients, layout.coefficients] - np.outer(means, means)
    blocks = engine.design.blocks
    return np.array([theta[block] @ covariance[block, block] @ theta[block] for block in blocks])


def covariance_among(engine: Engine, chosen: NDArray[np.bool_]) -> Array:
    """Covariance of the model columns over some of the rows, by weight: shape (p, p).

    Engines show sums over all rows only: the chosen ones are what counting them twice adds.
    """
    layout = engine.design.layout.of_predictors
    twice = engine.reweighted(1 + chosen.astype(np.intp))
    totals = [(one.n0 + one.n1) * mean_products(one) for one in (twice, engine)]
    added = totals[0] - totals[1]
    products = added / added[layout.intercept, layout.intercept]
    means = products[layout.intercept, layout.coefficients]
    covariance = products[layout.coefficients, layout.coefficients] - np.outer(means, means)
    constant = covariance.diagonal() <= 0.0  # there, up to rounding
    covariance[constant] = covariance[:, constant] = 0.0
    return np.asarray(covariance)
