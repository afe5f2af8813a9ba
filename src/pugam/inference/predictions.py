"""Posteriors of single rows, and how sure they are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pugam.inference.intervals import normal_quantile
from pugam.inference.kinds import inference_of
from pugam.likelihood import expit
from pugam.solvers import Fitted

__all__ = ["logits_of_rows", "posterior_limits", "posteriors_of_rows"]

Array = NDArray[np.float64]


def posteriors_of_rows(fitted: Fitted, pi: float | Array, alpha: float, coef: Array) -> Array:
    """P(y = 1 | x) of all rows of a fit, as if none of them were labelled, for these parameters."""
    ratio = fitted.engine.linear_predictor(fitted.design.layout.join_predictor(alpha, coef))
    posterior: Array = expit(inference_of(fitted).posterior_logits(ratio, pi))
    return posterior


def logits_of_rows(fitted: Fitted, pi: float | Array, alpha: float, coef: Array) -> Array:
    """Logits of the same, which tell how near to one a posterior is."""
    ratio = fitted.engine.linear_predictor(fitted.design.layout.join_predictor(alpha, coef))
    return inference_of(fitted).posterior_logits(ratio, pi)


def posterior_limits(logits: Array, centre: Array, errors: Array, level: float) -> dict[str, Array]:
    """Posterior, its standard error by the delta method, and limits that are symmetric on the logit scale.

    Parameters
    ----------
    logits, centre : arrays
        Of the posterior, and around which limits are drawn; these hold the posterior always.
    errors : array
        Standard errors of the centre.
    level : float
    """
    posterior = expit(logits)
    half = normal_quantile(level) * errors
    return {
        "p_positive": posterior,
        "se": posterior * (1.0 - posterior) * errors,
        "lower": expit(np.minimum(centre - half, logits)),
        "upper": expit(np.maximum(centre + half, logits)),
    }
