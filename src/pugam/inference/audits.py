"""Does an audit agree with the model? Shares without the model, and a test, from audited rows and posteriors of all.

Posteriors f are those of the model fitted without knowing what the audit found, so that audited rows test it.
Prediction-powered estimation (Angelopoulos et al., Prediction-powered inference, Science 2023): the mean posterior over
all rows of a sample, and what audited rows, drawn at random from it, say of its errors,

    mean of f over all rows + mean of y - f over audited rows,

is right on average whatever the posteriors f are worth; good ones make it more precise than audited rows alone. Rows
that were audited with other chances count by the inverse of these.

The test is of the errors y - f of audited rows, their sum and their sum times logit f: posteriors may be wrong on
average, or too sure. If the model holds, these vary as classes do and as the estimates behind f do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtr, stdtrit

from pugam.data import ALL_ROWS
from pugam.inference.intervals import normal_quantile
from pugam.likelihood import SampleShares, expit
from pugam.linear_algebra import inverse, solve
from pugam.solvers import Fitted, Optimum, count_samples, refit_unaudited

__all__ = ["AuditedShare", "check_audits"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

FARTHEST_LOGIT = 5.0  # rows of which the model is surer say no more about how sure it may be


@dataclass(frozen=True)
class AuditedShare:
    """What audited rows of a sample say, beside the model.

    Attributes
    ----------
    sample : str
    audited : int
    pi : float
        By the model, which knows the audited rows.
    estimate, lower, upper : float
        Without it.
    pvalue : float
        Of the hypothesis that posteriors, made without the audit, are right for audited rows.
    """

    sample: str
    audited: int
    pi: float
    estimate: float
    lower: float
    upper: float
    pvalue: float


@dataclass(frozen=True, eq=False)
class _Audit:
    """All rows with posteriors made without the audit.

    Attributes
    ----------
    strata : int array of shape (n,)
        The sample of each row: 0 for labelled ones, 1 and so on for unlabelled ones.
    known, positive : bool arrays of shape (n,)
        Which rows were audited, and which of these are positive.
    weights, logits : arrays of shape (n,)
        Weights, and logits of the posteriors.
    chances : array of shape (n,), or None
    slopes : array of shape (number of audited rows, q)
        How the logits of audited rows change with the parameters.
    covariance : array of shape (q, q)
        Of the parameters.
    """

    strata: NDArray[np.integer]
    known: Flags
    positive: Flags
    weights: Array
    logits: Array
    chances: Array | None
    slopes: Array
    covariance: Array


def check_audits(fitted: Fitted, level: float, chances: Array | None = None) -> list[AuditedShare]:
    """Compare each audited sample with the model; several of them also together, last.

    Parameters
    ----------
    chances : array of shape (n_rows,), optional
        With what chance each row was audited; None: all rows of a sample with the same.
    """
    shares = fitted.fit.samples
    assert shares is not None
    audit = _gather(fitted, chances)
    pi, numbers = np.asarray(expit(shares.logits)), np.unique(audit.strata[audit.known])
    found = [
        _check(audit, level, shares.names[number - 1], float(pi[number - 1]), audit.strata == number)
        for number in numbers
    ]
    if len(found) > 1:
        every = np.isin(audit.strata, numbers)
        own = float(np.average(pi[audit.strata[every] - 1], weights=audit.weights[every]))
        found.append(_check(audit, level, ALL_ROWS, own, every))
    return found


def _gather(fitted: Fitted, chances: Array | None) -> _Audit:
    engine, shares = fitted.engine, fitted.fit.samples
    assert shares is not None
    assert engine.codes is not None
    sizes, mode = count_samples(engine, len(shares.names)), refit_unaudited(fitted)
    strata = sizes.strata[engine.codes]
    known = (engine.codes > sizes.n_samples) & (engine.codes < sizes.known_negative)
    weights = np.ones(engine.n_rows) if engine.weights is None else engine.weights
    at = SampleShares(sizes, mode.shares)
    of_samples = np.concatenate([[0.0], mode.beta[mode.layout.shares]])
    logits = engine.linear_predictor(mode.b) - np.log(at.positives / at.negatives) + of_samples[strata]
    return _Audit(
        strata=strata,
        known=known,
        positive=known & (engine.codes <= 2 * sizes.n_samples),
        weights=weights,
        logits=np.asarray(logits),
        chances=_same_within(strata, known, weights) if chances is None else chances,
        slopes=_slopes(fitted, mode, at, np.flatnonzero(known), strata[known]),
        covariance=inverse(mode.hessian),
    )


def _slopes(
    fitted: Fitted, mode: Optimum, at: SampleShares, rows: NDArray[np.intp], strata: NDArray[np.integer]
) -> Array:
    """How the logits of posteriors of some rows change with the parameters: shape (m, q)."""
    layout = mode.layout
    slopes = np.empty((len(rows), layout.size))
    own = strata[:, None] == np.arange(1, 1 + at.sizes.n_samples)
    slopes[:, layout.shares] = own - (at.alpha + at.beta)
    slopes[:, layout.predictor] = fitted.design.matrix(fitted.engine.encoded_at(rows))
    return slopes


def _same_within(strata: NDArray[np.integer], known: Flags, weights: Array) -> Array:
    """The chances with which rows were audited, the same for all rows of a sample."""
    counts, audited = (np.bincount(strata, weights=weights * some) for some in (np.ones(len(known)), known))
    return np.asarray((audited / np.maximum(counts, 1.0))[strata])


def _check(audit: _Audit, level: float, name: str, pi: float, inside: Flags) -> AuditedShare:
    audited, posterior = inside & audit.known, np.asarray(expit(audit.logits))
    assert audit.chances is not None
    errors, predicted = audit.positive[audited] - posterior[audited], posterior[inside]
    counts = audit.weights[audited] / audit.chances[audited]
    counts, everywhere = counts / counts.sum(), audit.weights[inside] / audit.weights[inside].sum()
    correction, mean = float(counts @ errors), float(everywhere @ predicted)
    variance = float(counts**2 @ (errors - correction) ** 2) * _few(len(errors))
    spread = variance + float(everywhere**2 @ (predicted - mean) ** 2)
    quantile = stdtrit(max(len(errors) - 1, 1), ndtr(normal_quantile(level)))  # few rows: their variance is a guess
    estimate, half = mean + correction, float(quantile * np.sqrt(spread))
    limits = max(estimate - half, 0.0), min(estimate + half, 1.0)
    return AuditedShare(name, int(np.count_nonzero(audited)), pi, estimate, *limits, _pvalue(audit, audited))


def _pvalue(audit: _Audit, audited: Flags) -> float:
    """Test whether posteriors of audited rows are right, on average and along themselves."""
    logits, weights = audit.logits[audited], audit.weights[audited]
    posterior = np.asarray(expit(logits))
    directions = np.array(list(_directions(logits, weights)))
    errors = directions @ (audit.positive[audited] - posterior)
    doubt = posterior * (1.0 - posterior)
    moved = (directions * doubt) @ audit.slopes[audited[audit.known]]
    variance = (directions * doubt) @ directions.T + moved @ audit.covariance @ moved.T
    return float(chdtrc(len(errors), float(errors @ solve(variance, errors))))


def _directions(logits: Array, weights: Array) -> Iterator[Array]:
    yield weights
    clipped = np.clip(logits, -FARTHEST_LOGIT, FARTHEST_LOGIT)
    yield weights * (clipped - np.average(clipped, weights=weights))


def _few(count: int) -> float:
    """What makes a variance over so many rows right on average."""
    return count / (count - 1.0) if count > 1 else 1.0
