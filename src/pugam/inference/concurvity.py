"""Concurvity: how much of a term's effect other terms could say as well."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.solvers import mean_products

__all__ = ["Concurvity", "measure_concurvity"]

Array = NDArray[np.float64]

NO_DIRECTION = 1e-9  # eigenvalue, of a unit diagonal, below which model columns say the same


@dataclass(frozen=True, eq=False)
class Concurvity:
    """How much of each of m terms the others explain, over the rows: shares from 0 to 1, as of R's mgcv.

    Attributes
    ----------
    terms : tuple of str
    worst : array of shape (m,)
        Of that function of the term which they explain best.
    observed : array of shape (m,)
        Of the effect as estimated.
    estimate : array of shape (m,)
        Of the term's model columns together.
    nearest : tuple of str
        The other term that explains most of the effect alone; empty where there is no other.
    """

    terms: tuple[str, ...]
    worst: Array
    observed: Array
    estimate: Array
    nearest: tuple[str, ...]


def measure_concurvity(engine: Engine, coef: Array) -> Concurvity:
    """Measure how much of each term the others explain: those that say who is labelled are not among them."""
    design, layout = engine.design, engine.design.layout.of_predictors
    products = mean_products(engine)
    means = products[layout.intercept, layout.coefficients]
    covariance = products[layout.coefficients, layout.coefficients] - np.outer(means, means)
    numbers = [number for number in design.estimated_terms if number < design.n_effects]
    blocks = [design.blocks[number] for number in numbers]
    places = np.arange(blocks[-1].stop)
    found = [_of_term(covariance, coef, places[block], np.delete(places, block)) for block in blocks]
    worst, observed, estimate = np.array(found).T
    labels = tuple(design.labels[number] for number in numbers)
    nearest = _nearest(covariance, coef, [places[block] for block in blocks])
    names = tuple("" if number is None else labels[number] for number in nearest)
    return Concurvity(labels, worst, observed, estimate, names)


def _of_term(covariance: Array, coef: Array, own: NDArray[np.intp], others: NDArray[np.intp]) -> tuple[float, ...]:
    """Shares that others explain: of the function they explain best, of the effect, and of all model columns."""
    explained, whole = _explained(covariance, own, others), covariance[np.ix_(own, own)]
    root = _inverse_root(whole)
    worst = float(np.linalg.eigvalsh(root.T @ explained @ root).max(initial=0.0))
    theta = coef[own]
    shares = (
        worst,
        _share(float(theta @ explained @ theta), float(theta @ whole @ theta)),
        _share(np.trace(explained), np.trace(whole)),
    )
    return tuple(float(np.clip(share, 0.0, 1.0)) for share in shares)


def _nearest(covariance: Array, coef: Array, blocks: list[NDArray[np.intp]]) -> list[int | None]:
    """Of each term the other one that explains most of its effect alone."""
    found: list[int | None] = []
    for number, own in enumerate(blocks):
        theta = coef[own]
        shares = {
            other: float(theta @ _explained(covariance, own, block) @ theta)
            for other, block in enumerate(blocks)
            if other != number
        }
        found.append(max(shares, key=shares.__getitem__) if shares else None)
    return found


def _explained(covariance: Array, own: NDArray[np.intp], others: NDArray[np.intp]) -> Array:
    """Covariance of what others explain of some model columns."""
    root = _inverse_root(covariance[np.ix_(others, others)])
    across = root.T @ covariance[np.ix_(others, own)]
    return np.asarray(across.T @ across)


def _inverse_root(covariance: Array) -> Array:
    """R with R R' the inverse of a covariance, without directions in which there is next to nothing."""
    scale = np.sqrt(np.maximum(covariance.diagonal(), np.finfo(float).tiny))
    values, vectors = np.linalg.eigh(covariance / np.outer(scale, scale))
    kept = values > NO_DIRECTION * values.max(initial=0.0)
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]) / scale[:, None])


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole > 0.0 else 0.0
