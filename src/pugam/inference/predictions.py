"""Posteriors of single rows, and how sure they are: standard errors and limits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit

from pugam.inference.intervals import normal_quantile
from pugam.likelihood import alpha_shift, expit, logit
from pugam.solvers import Adjustment, Fit, Fitted
from pugam.terms import Design, Encoded

__all__ = ["posterior_errors", "posterior_limits", "posterior_logits", "posteriors_of_rows"]

Array = NDArray[np.float64]

AVERAGED_OVER = 16  # steepnesses


def posterior_logits(fit: Fit, n0: float, n1: float, ratio: Array, pi: float) -> Array:
    """Logit of P(y = 1 | x) of rows with these log density ratios, in a population of which a share pi is positive.

    How steep shrunken curves are is known from those few rows held out that are in doubt. Their posterior is the
    average over what these leave open: at the best steepness alone it would be too sure of itself. Other curves are
    taken as they are: where they saturate, the errors of their logits are large upwards only, and an average over both
    sides would doubt what the rows do not.
    """
    if fit.shrinkage is None:
        return np.asarray(ratio + float(logit(pi)))
    shift = float(alpha_shift(fit.optimum.pi, n0, n1))
    return _averaged(fit.shrinkage.adjustment, ratio + shift, float(logit(pi)) - shift)


def posteriors_of_rows(fitted: Fitted, pi: float, alpha: float, coef: Array) -> Array:
    """P(y = 1 | x) of all rows of a fit, as if none of them were labelled, for these parameters."""
    engine = fitted.engine
    ratio = engine.linear_predictor(fitted.design.layout.join_predictor(alpha, coef))
    posterior: Array = expit(posterior_logits(fitted.fit, engine.n0, engine.n1, ratio, pi))
    return posterior


def _averaged(adjustment: Adjustment, s: Array, shift: float) -> Array:
    """Logits of mean posteriors, over other intercepts and steepnesses of the linear predictors s.

    As each alternative rises with s, so does the mean. The normal distribution of the intercept at a known steepness
    is averaged over by MacKay's approximation, as if the logistic curve were a normal one.
    """
    softened = 1.0 / np.sqrt(1.0 + np.pi / 8.0 * adjustment.intercept_variance)
    steep = s - adjustment.intercept
    positive = negative = np.full(len(s), -np.inf)  # logarithms, so that the surest rows keep their order
    for weight, change, factor in adjustment.alternatives(AVERAGED_OVER):
        other = softened * (shift + adjustment.with_strays(s + change + (factor - 1.0) * steep))
        positive = np.logaddexp(positive, np.log(weight) + log_expit(other))
        negative = np.logaddexp(negative, np.log(weight) + log_expit(-other))
    mean: Array = positive - negative
    return mean


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
