"""Does an audit agree with the model? Shares without the model, and a test, from audited rows and posteriors of all.

Posteriors f are those of the model fitted without knowing what the audit found, so that audited rows test it.
Prediction-powered estimation (Angelopoulos et al., Prediction-powered inference, Science 2023): the mean posterior over
all rows of a sample, and what audited rows, drawn at random from it, say of its errors,

    mean of f over all rows + mean of y - f over audited rows,

is right on average whatever the posteriors f are worth; good ones make it more precise than audited rows alone. Rows
that were audited with other chances count by the inverse of these. Audited rows are among all rows: each row's part in
both means counts as one, and the squares of these parts, summed, are the variance. A row of weight w is w rows. In a
survey it is one row, which stands for others, and parts of the rows of a cluster are summed before they are squared.

The test of the model is in `pugam.inference.audit_tests`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from pugam.data import ALL_ROWS, SurveyRows
from pugam.inference.audit_findings import AuditedShare
from pugam.inference.audit_tests import posteriors_pvalue
from pugam.inference.audited_rows import AuditedRows, gather_audit
from pugam.inference.intervals import normal_quantile
from pugam.inference.surveys import variance_of_sum
from pugam.likelihood import expit
from pugam.solvers import Fitted

__all__ = ["check_audits"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

FEWEST_AUDITED = 2  # for a variance


def check_audits(
    fitted: Fitted, level: float, chances: Array | None = None, survey: SurveyRows | None = None
) -> tuple[AuditedShare, ...]:
    """Compare each audited sample with the model; several of them also together, last. None where nobody audited.

    Parameters
    ----------
    chances : array of shape (n_rows,), optional
        With what chance each row was audited; None: all rows of a sample with the same.
    survey : SurveyRows, optional
        How rows were drawn; None stands for independent ones.
    """
    shares = fitted.fit.samples
    if shares is None or not shares.audited.any():
        return ()
    audit = gather_audit(fitted, chances, survey)
    pi, numbers = np.asarray(expit(shares.logits)), np.unique(audit.strata[audit.known])
    found = [
        _check(audit, level, shares.names[number - 1], float(pi[number - 1]), audit.strata == number)
        for number in numbers
    ]
    if len(found) > 1:
        every = np.isin(audit.strata, numbers)
        own = float(np.average(pi[audit.strata[every] - 1], weights=audit.weights[every]))
        found.append(_check(audit, level, ALL_ROWS, own, every))
    return tuple(found)


def _check(audit: AuditedRows, level: float, name: str, pi: float, inside: Flags) -> AuditedShare:
    audited = inside & audit.known
    share = _share_without_model(audit, level, inside)
    return AuditedShare(name, float(audit.weights[audited].sum()), pi, *share, posteriors_pvalue(audit, audited))


def _share_without_model(audit: AuditedRows, level: float, inside: Flags) -> tuple[float, float, float]:
    """Estimate, lower and upper limit."""
    audited, posterior = inside & audit.known, np.asarray(expit(audit.logits))
    everywhere, counts = _parts(audit.weights, inside), _parts(audit.weights / audit.chances, audited)
    errors = audit.positive - posterior
    mean, correction = float(everywhere @ posterior), float(counts @ errors)
    parts = everywhere * (posterior - mean) + counts * (errors - correction)
    estimate, count = mean + correction, float(audit.copies[audited].sum())
    if min(count, float(np.count_nonzero(audited))) < FEWEST_AUDITED:
        return float(np.clip(estimate, 0.0, 1.0)), 0.0, 1.0
    if audit.survey is None:
        squares = parts**2 / audit.copies
        spread, df = float(squares[~audited].sum() + squares[audited].sum() * count / (count - 1.0)), count - 1.0
    else:
        spread, df = _among_clusters(audit.survey, parts)
    quantile = stdtrit(df, ndtr(normal_quantile(level)))  # few rows: their variance is a guess
    found = np.clip(estimate + quantile * np.sqrt(spread) * np.array([0.0, -1.0, 1.0]), 0.0, 1.0)
    return float(found[0]), float(found[1]), float(found[2])


def _among_clusters(survey: SurveyRows, parts: Array) -> tuple[float, float]:
    """Variance of the sum of what rows contribute, as clusters show it, and its degrees of freedom."""
    sums = np.zeros((survey.n_clusters, 1))
    np.add.at(sums[:, 0], survey.clusters, parts)
    return float(variance_of_sum(sums, survey.strata)[0, 0]), float(survey.n_clusters - survey.n_strata)


def _parts(weights: Array, some: Flags) -> Array:
    """What part each row has in a mean over some of them: shape (n,)."""
    parts = np.where(some, weights, 0.0)
    return np.asarray(parts / parts.sum())
