"""Posteriors of single rows, and how sure they are: standard errors and limits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pugam.inference.intervals import normal_quantile
from pugam.inference.kinds import inference_of
from pugam.likelihood import expit
from pugam.solvers import Fitted
from pugam.terms import Design, Encoded

__all__ = ["posterior_errors", "posterior_limits", "posteriors_of_rows"]

Array = NDArray[np.float64]


def posteriors_of_rows(fitted: Fitted, pi: float, alpha: float, coef: Array) -> Array:
    """P(y = 1 | x) of all rows of a fit, as if none of them were labelled, for these parameters."""
    ratio = fitted.engine.linear_predictor(fitted.design.layout.join_predictor(alpha, coef))
    posterior: Array = expit(inference_of(fitted).posterior_logits(ratio, pi))
    return posterior


def posterior_errors(design: Design, encoded: Sequence[Encoded], covariance: Array) -> Array:
    """Standard error of the logit posterior of every row.

    Parameters
    ----------
    encoded : sequence of arrays
        The rows, as made by `Design.encode`.
    covariance : array of shape (1 + p, 1 + p)
        Of the intercept of the logit posterior, logit pi + alpha, and of all coefficients.
    """
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    errors = np.empty(len(encoded[0]))
    for rows, matrix in design.matrices(encoded):
        errors[rows] = np.linalg.norm(matrix @ root, axis=1)
    return errors


def posterior_limits(logits: Array, errors: Array, level: float) -> dict[str, Array]:
    """Posterior, its standard error by the delta method, and limits symmetric on the logit scale, so within 0 and 1."""
    posterior = expit(logits)
    half = normal_quantile(level) * errors
    return {
        "p_positive": posterior,
        "se": posterior * (1.0 - posterior) * errors,
        "lower": expit(logits - half),
        "upper": expit(logits + half),
    }
