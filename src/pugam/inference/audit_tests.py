"""Do audited rows refute the model? A test of its posteriors, made without the audit.

If the model holds, errors y - f of audited rows are zero on average in any direction d, sum d (y - f), and vary as
classes do and as the estimates behind f do, by a covariance V. Two sets of directions are looked at:

- one, and logit f: posteriors may be wrong on average, too sure, or not sure enough. The statistic is e' V^-1 e;
- products of the straight parts of two effects: columns may act on each other. There may be many of these, and what is
  wrong is often spread over some, so the statistic is the sum of squares of each over its standard error.

Both are quadratic forms of few classes, zeros and ones, whose fourth moments are not those of normal variables. Mean
and variance of a form are known exactly, and it is compared with a multiple of a chi-square variable that has them.
The smaller of both p-values counts, twice. Where rows were drawn by a survey, clusters within strata show how much
errors vary.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pugam.data import SurveyRows
from pugam.inference.audited_rows import AuditedRows
from pugam.inference.distributions import scaled_chi2_sf
from pugam.inference.pair_products import (
    MOST_PRODUCTS,
    choose_pairs,
    products_of_pair,
    sizes_of_effects,
    straight_parts,
)
from pugam.inference.surveys import variance_of_sum
from pugam.likelihood import expit

__all__ = ["posteriors_pvalue"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

FARTHEST_LOGIT = 5.0  # rows of which the model is surer say no more about how sure it may be
MOST_CELLS = 5_000_000  # of all products in all audited rows
NO_INFORMATION = 1e-6  # eigenvalue, of a unit diagonal, below which directions say the same
LEAST_VARIANCE = 0.2  # of a form, relative to that of normal variables: a single row of doubtful class has none at all


def posteriors_pvalue(audit: AuditedRows, audited: Flags) -> float:
    """Test whether posteriors of some audited rows are right; returns the p-value."""
    calibration = _compare(audit, audited, _calibration(audit, audited), jointly=True)
    products = _products(audit, audited)
    if products is None:
        return calibration
    pairs = _compare(audit, audited, products, jointly=False)
    return min(1.0, 2.0 * min(calibration, pairs))


def _calibration(audit: AuditedRows, audited: Flags) -> Array:
    """One, and how sure the model is: shape (n, 2)."""
    logits = np.clip(audit.logits[audited], -FARTHEST_LOGIT, FARTHEST_LOGIT)
    centred = logits - np.average(logits, weights=audit.weights[audited])
    return np.column_stack([np.ones(len(logits)), centred])


def _products(audit: AuditedRows, audited: Flags) -> Array | None:
    """Products of pairs that the model leaves out, shape (n, m); None where there are none."""
    columns = audit.slopes[audited[audit.known]][:, audit.mode.layout.predictor]
    straight = straight_parts(audit.design, columns, audit.weights[audited])
    sizes = sizes_of_effects(audit.design, columns, audit.mode.theta)
    n_summed = len(columns) if audit.survey is None else max(len(columns), audit.survey.n_clusters)
    pairs = choose_pairs(audit.design, straight, sizes, min(MOST_PRODUCTS, MOST_CELLS // n_summed))
    found = [products_of_pair(straight[one], straight[other]) for one, other in pairs]
    return np.hstack(found) if found and any(product.any() for product in found) else None


def _compare(audit: AuditedRows, audited: Flags, directions: Array, jointly: bool) -> float:
    """P-value of the errors of audited rows along directions, shape (n, m)."""
    posterior = np.asarray(expit(audit.logits[audited]))
    errors, doubt, copies = audit.positive[audited] - posterior, posterior * (1.0 - posterior), audit.copies[audited]
    directions = directions * audit.weights[audited][:, None]
    moved = (directions * doubt[:, None]).T @ audit.slopes[audited[audit.known]]
    variance = moved @ audit.covariance @ moved.T
    if audit.survey is None:
        variance += (directions * (doubt / copies)[:, None]).T @ directions
    else:
        variance += _among_clusters(audit.survey, audited, directions * errors[:, None])
    scaled = _scaling(variance, jointly)
    parts, spread = directions @ scaled, scaled.T @ variance @ scaled
    form, normal = float(np.sum((parts.T @ errors) ** 2)), 2.0 * float(np.sum(spread**2))
    beyond = 0.0
    if audit.survey is None:
        beyond = float(np.sum(doubt * (1.0 - 6.0 * doubt) / copies**3 * np.sum(parts**2, axis=1) ** 2))
    return scaled_chi2_sf(form, float(np.trace(spread)), max(normal + beyond, LEAST_VARIANCE * normal))


def _among_clusters(survey: SurveyRows, audited: Flags, parts: Array) -> Array:
    """Variance of a sum over audited rows, shape (m, m), as clusters show it."""
    sums = np.zeros((survey.n_clusters, parts.shape[1]))
    np.add.at(sums, survey.clusters[audited], parts)
    return variance_of_sum(sums, survey.strata)


def _scaling(variance: Array, jointly: bool) -> Array:
    """What gives errors the variance one, each by itself or jointly; directions that say nothing are left out."""
    diagonal = variance.diagonal()
    there = diagonal > NO_INFORMATION * diagonal.max(initial=0.0)
    each = np.diag(np.where(there, np.where(there, diagonal, 1.0) ** -0.5, 0.0))
    if not jointly:
        return each
    values, vectors = np.linalg.eigh(each @ variance @ each)
    kept = values > NO_INFORMATION
    return np.asarray(each @ (vectors[:, kept] / np.sqrt(values[kept])))
