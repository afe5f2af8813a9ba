"""How much each term matters: how far its effect moves the log odds of the unlabelled rows apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from pugam.inference.intervals import normal_quantile
from pugam.inference.known_effects import known_moments
from pugam.inference.rows_of_samples import unlabelled_rows
from pugam.inference.shapes import draw_deviations
from pugam.linear_algebra import covariance_root
from pugam.solvers import Fitted, covariance_among
from pugam.terms import Design

__all__ = ["Importance", "OrderName", "TermMoments", "effect_spreads", "measure_importance", "measure_terms"]

Array = NDArray[np.float64]
OrderName = Literal["importance", "formula"]


@dataclass(frozen=True, eq=False)
class TermMoments:
    """How the terms vary over the unlabelled rows of a fit; those that say who is labelled are not among them.

    Attributes
    ----------
    covariances : tuple of arrays of shape (k, k)
        Of the model columns of each term.
    known : array of shape (m,)
        Standard deviations of known effects, zeros for other terms.
    """

    covariances: tuple[Array, ...]
    known: Array


def measure_terms(fitted: Fitted) -> TermMoments:
    """See how the terms of a fit vary over its unlabelled rows."""
    design = fitted.design
    covariance = covariance_among(fitted.engine, unlabelled_rows(fitted))
    blocks = design.blocks[: design.n_effects]
    _, known = known_moments(fitted)
    return TermMoments(tuple(covariance[block, block] for block in blocks), known[: design.n_effects])


@dataclass(frozen=True, eq=False)
class Importance:
    """How much m terms matter, in the order of the formula; terms that say who is labelled are not among them.

    Attributes
    ----------
    terms : tuple of str
    spread, lower, upper : arrays of shape (m,)
        Standard deviation of each effect over the unlabelled rows, on the scale of log odds, and its limits.
    level : float
        Of the limits.
    """

    terms: tuple[str, ...]
    spread: Array
    lower: Array
    upper: Array
    level: float

    @property
    def share(self) -> Array:
        """Variance of each effect as a share of the sum of all, shape (m,); zeros where no effect varies."""
        variances = self.spread**2
        return np.asarray(variances / max(float(variances.sum()), np.finfo(float).tiny))

    @property
    def order(self) -> NDArray[np.intp]:
        """Numbers of the terms, the one that matters most first."""
        return np.argsort(-self.spread, kind="stable")


def effect_spreads(moments: TermMoments, design: Design, coef: Array) -> Array:
    """Return the standard deviation of each term's effect over the unlabelled rows, shape (m,)."""
    estimated = [np.linalg.norm(root.T @ coef[block]) for block, root in _roots(moments, design)]
    return np.array(estimated) + moments.known


def measure_importance(
    moments: TermMoments, design: Design, coef: Array, covariance: Array, level: float, draw: Callable[[], Array]
) -> Importance:
    """Measure how much each term matters, with limits.

    Parameters
    ----------
    coef, covariance : arrays of shape (p,) and (p, p)
        The reported coefficients, and how sure they are.
    level : float
    draw : callable
        Gives coefficients that keep to constraints, shape (N, p), for terms that have any.
    """
    normal_quantile(level)  # refuses what is no probability
    found = []
    for basis, (block, root) in zip(design.bases, _roots(moments, design), strict=False):
        shaped = len(basis.constraints) > 0
        curves = draw()[:, block] if shaped else coef[block] + draw_deviations(covariance[block, block])
        found.append((float(np.linalg.norm(root.T @ coef[block])), *_limits(coef[block], curves, root, level)))
    spread, lower, upper = np.array(found).T + moments.known
    return Importance(design.labels[: design.n_effects], spread, lower, upper, level)


def _roots(moments: TermMoments, design: Design) -> list[tuple[slice, Array]]:
    """Where the coefficients of each term stand, and a root of the covariance of its model columns: (k, k)."""
    return [(block, covariance_root(one)) for block, one in zip(design.blocks, moments.covariances, strict=False)]


def _limits(theta: Array, curves: Array, root: Array, level: float) -> tuple[float, float]:
    """Limits of a standard deviation, from curves drawn around the estimate.

    A curve that is off by chance varies more than the estimate, wherever that lies, by as much as errors vary: for the
    upper limit that much is taken off the variances of all draws, so that their mean is the variance of the estimate.
    """
    own = float(np.linalg.norm(root.T @ theta))
    drawn = np.sum((curves @ root) ** 2, axis=1)
    tail = float(np.quantile(drawn + own**2 - drawn.mean(), 0.5 * (1.0 + level)))
    return _lower(root.T @ theta, (curves - theta) @ root, level), max(float(np.sqrt(max(tail, 0.0))), own)


def _lower(effect: Array, errors: Array, level: float) -> float:
    """The smallest size of an effect of this shape that errors would carry as far as the estimate, or further.

    Parameters
    ----------
    effect, errors : arrays of shape (m,) and (N, m)
        In coordinates in which the standard deviation is the length.
    """
    own = float(np.linalg.norm(effect))
    if own == 0.0:
        return 0.0
    along = errors @ (effect / own)
    across = np.maximum(np.sum(errors**2, axis=1) - along**2, 0.0)

    def excess(size: float) -> float:
        return float(np.quantile(np.hypot(size + along, np.sqrt(across)), 0.5 * (1.0 + level))) - own

    if excess(0.0) >= 0.0:
        return 0.0
    return float(brentq(excess, 0.0, own)) if excess(own) > 0.0 else own
