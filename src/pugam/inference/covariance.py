"""Standard errors of smoothed fits without a bootstrap: from the penalised information, corrected for sampling given z.

What the numbers of labelled and unlabelled rows fix, and how estimates move with the data, is in `solvers.precision`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pugam.layout import Layout
from pugam.likelihood import label_frequency
from pugam.solvers import Optimum, PiRange, SmoothedFit, Survey, labelling_direction, labelling_score, movement
from pugam.terms import Design, Encoded

__all__ = [
    "NO_IDEA",
    "bayesian_covariance",
    "covariance_given_labels",
    "frequentist_covariance",
    "in_alpha",
    "intercept_covariance",
    "posterior_errors",
    "sampling_covariance",
    "share_and_intercept_covariance",
]

Array = NDArray[np.float64]

ANY_PI = PiRange()
ROWS_MULTIPLIED = 256  # at a time
NO_IDEA = 100.0  # standard error of a parameter, or of an effect wherever it is known best


def bayesian_covariance(fit: SmoothedFit, n0: float, n1: float, pi_range: PiRange = ANY_PI) -> Array:
    """Covariance of beta = (logit pi, a, theta) given the smoothing parameters, shape (q, q).

    The inverse V of the information with penalty and prior, at the reported parameters, corrected for sampling given z.
    It counts the bias of smoothing as if curves were drawn from the prior that the penalty stands for. Zero for
    a pi that is known.
    """
    return sampling_covariance(fit.optimum, fit.survey, n0, n1, pi_range)


def sampling_covariance(
    optimum: Optimum, survey: Survey | None, n0: float, n1: float, pi_range: PiRange = ANY_PI
) -> Array:
    """The inverse V of the information with penalty and prior, corrected for how rows were sampled: shape (q, q).

    Given z, or by a survey: then V (B + P) V with B the variance of the score among clusters, P penalty and prior.
    With B = I, that is V. It is V for parameters that rows tell next to nothing of: that their scores hardly vary does
    not make them known.
    """
    if survey is None:
        return covariance_given_labels(optimum, n0, n1, pi_range)
    covariance = optimum.covariance(pi_range)
    among: Array = covariance @ (survey.score_variance + np.diag(optimum.curvature)) @ covariance
    is_open = covariance.diagonal() > NO_IDEA**2
    return np.where(is_open | is_open[:, None], covariance, 0.5 * (among + among.T))


def covariance_given_labels(optimum: Optimum, n0: float, n1: float, pi_range: PiRange = ANY_PI) -> Array:
    """The inverse of the information with penalty and prior, less what the numbers of labels fix: shape (q, q)."""
    covariance = optimum.covariance(pi_range)
    score = labelling_score(optimum, n0, n1)
    w = covariance @ score
    corrected: Array = covariance - _at_most_all(1.0 / n0 + 1.0 / n1, float(score @ w)) * np.outer(w, w)
    return corrected


def frequentist_covariance(fit: SmoothedFit, n0: float, n1: float, pi_range: PiRange = ANY_PI) -> Array:
    """Covariance of beta over repeated samples, the sandwich M S M', shape (q, q).

    S is the variance of the score, by a survey that among its clusters, M how the reported estimate (bias-corrected or
    not) moves with it. It knows nothing of the bias that smoothing leaves in the curves, and is too large where a given
    smoothing parameter flattens them much: the information is taken at the flattened curves.
    """
    move = movement(fit, fit.penalized.covariance(pi_range))
    if fit.survey is not None:
        among: Array = move @ fit.survey.score_variance @ move.T
        return among
    # Through a root of the information, so that rounding leaves no negative variances where columns are collinear.
    values, vectors = np.linalg.eigh(fit.penalized.information)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    given = root.T @ labelling_direction(fit.penalized, n0, n1)
    size = float(given @ given)
    left = 1.0 - np.sqrt(max(1.0 - _at_most_all(1.0 / n0 + 1.0 / n1, size) * size, 0.0))
    spread = root - np.outer(root @ given, given) * (left / size if size > 0.0 else 0.0)  # a root of the variance
    half = move @ spread
    covariance: Array = half @ half.T
    return covariance


def _at_most_all(share: float, size: float) -> float:
    """How much of a direction the numbers of labels fix: no more than there is of it, or variances would be negative.

    There is less of it than there should be where a prior or a penalty is far from what the rows say.
    """
    return min(share, 1.0 / size) if size > 0.0 else share


def in_alpha(layout: Layout, covariance: Array, pi: float, n0: float, n1: float) -> Array:
    """Bring a covariance from (logit pi, a, theta) to (logit pi, alpha, theta)."""
    _, d = label_frequency(np.array(pi), n0, n1)
    change = np.eye(layout.size)
    # Of alpha = a - log((n0 + n1 pi) / (n1 (1 - pi))), with logit pi.
    change[layout.intercept, layout.share] = -float(d) * (1.0 - pi) - pi
    changed: Array = change @ covariance @ change.T
    return changed


def intercept_covariance(layout: Layout, covariance: Array, pi_known: bool = False) -> Array:
    """Bring a covariance from (logit pi, alpha, theta) to (logit pi + alpha, theta), that of the logit posterior.

    Who is labelled has no part in it. Where a posterior is re-targeted to a population of known pi, only alpha varies
    in its intercept.
    """
    joined = _joined(layout, pi_known)
    changed: Array = joined @ covariance @ joined.T
    return changed


def share_and_intercept_covariance(layout: Layout, covariance: Array, pi_known: bool = False) -> Array:
    """Bring a covariance from (logit pi, alpha, theta) to (logit pi, logit pi + alpha, theta)."""
    share = np.zeros((1, layout.size))
    if not pi_known:
        share[0, layout.share] = 1.0
    joined = np.vstack([share, _joined(layout, pi_known)])
    changed: Array = joined @ covariance @ joined.T
    return changed


def _joined(layout: Layout, pi_known: bool) -> Array:
    """What takes (logit pi, alpha, theta) to (logit pi + alpha, theta), or to (alpha, theta)."""
    joined: Array = layout.of_effects(np.eye(layout.size))[layout.predictor]
    if not pi_known:
        joined[layout.of_predictors.intercept, layout.share] = 1.0
    return joined


def posterior_errors(design: Design, encoded: Sequence[Encoded], covariance: Array) -> Array:
    """Standard error of the logit posterior of every row.

    Parameters
    ----------
    encoded : sequence of arrays
        The rows, as made by `Design.encode`.
    covariance : array of shape (1 + p, 1 + p)
        Of the intercept of the logit posterior, logit pi + alpha, and of all coefficients.
    """
    errors = np.empty(len(encoded[0]))
    for rows, matrix in design.matrices(encoded):
        # Always so many rows: where BLAS multiplies fewer it may round otherwise, and rows would depend on each other.
        tiles = np.zeros((-(-len(matrix) // ROWS_MULTIPLIED), ROWS_MULTIPLIED, matrix.shape[1]))
        padded = tiles.reshape(-1, matrix.shape[1])
        padded[: len(matrix)] = matrix
        variances = np.einsum("ij,ij->i", (tiles @ covariance).reshape(padded.shape), padded)[: len(matrix)]
        errors[rows] = np.sqrt(np.maximum(variances, 0.0))
    return errors
