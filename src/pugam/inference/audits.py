"""Does an audit agree with the model? Shares without the model, and a test, from audited rows and posteriors of all.

Posteriors f are those of the model fitted without knowing what the audit found, so that audited rows test it.
Prediction-powered estimation (Angelopoulos et al., Prediction-powered inference, Science 2023): the mean posterior over
all rows of a sample, and what audited rows, drawn at random from it, say of its errors,

    mean of f over all rows + mean of y - f over audited rows,

is right on average whatever the posteriors f are worth; good ones make it more precise than audited rows alone. Rows
that were audited with other chances count by the inverse of these. Audited rows are among all rows: each row's part in
both means counts as one, and the squares of these parts, summed, are the variance. A row of weight w is w rows; in a
survey it is one row, which stands for others.

The test is of the errors y - f of audited rows, their sum and their sum times logit f: posteriors may be wrong on
average, too sure, or not sure enough. If the model holds, these vary as classes do and as the estimates behind f do.
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
FEWEST_AUDITED = 2  # for a variance


@dataclass(frozen=True)
class AuditedShare:
    """What audited rows of a sample say, beside the model.

    Attributes
    ----------
    sample : str
    audited : float
        How many rows were audited, by weight.
    pi : float
        By the model, which knows the audited rows.
    estimate, lower, upper : float
        Without it.
    pvalue : float
        Of the hypothesis that posteriors, made without the audit, are right for audited rows.
    """

    sample: str
    audited: float
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
    copies : array of shape (n,)
        How many rows each one is: its weight, or one in a survey.
    chances : array of shape (n,)
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
    copies: Array
    chances: Array
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
        copies=weights if fitted.fit.survey is None else np.ones(engine.n_rows),
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
    """The chances with which rows were audited, the same for all rows of a sample; one where none was."""
    counts, audited = (np.bincount(strata, weights=weights * some) for some in (np.ones(len(known)), known))
    return np.asarray(np.where(audited > 0.0, audited / np.maximum(counts, 1.0), 1.0)[strata])


def _check(audit: _Audit, level: float, name: str, pi: float, inside: Flags) -> AuditedShare:
    audited = inside & audit.known
    share = _share_without_model(audit, level, inside)
    return AuditedShare(name, float(audit.weights[audited].sum()), pi, *share, _pvalue(audit, audited))


def _share_without_model(audit: _Audit, level: float, inside: Flags) -> tuple[float, float, float]:
    """Estimate, lower and upper limit."""
    audited, posterior = inside & audit.known, np.asarray(expit(audit.logits))
    everywhere, counts = _parts(audit.weights, inside), _parts(audit.weights / audit.chances, audited)
    errors = audit.positive - posterior
    mean, correction = float(everywhere @ posterior), float(counts @ errors)
    squares = (everywhere * (posterior - mean) + counts * (errors - correction)) ** 2 / audit.copies
    estimate, count = mean + correction, float(audit.copies[audited].sum())
    if min(count, float(np.count_nonzero(audited))) < FEWEST_AUDITED:
        return float(np.clip(estimate, 0.0, 1.0)), 0.0, 1.0
    spread = squares[~audited].sum() + squares[audited].sum() * count / (count - 1.0)
    quantile = stdtrit(count - 1.0, ndtr(normal_quantile(level)))  # few rows: their variance is a guess
    found = np.clip(estimate + quantile * np.sqrt(spread) * np.array([0.0, -1.0, 1.0]), 0.0, 1.0)
    return float(found[0]), float(found[1]), float(found[2])


def _parts(weights: Array, some: Flags) -> Array:
    """What part each row has in a mean over some of them: shape (n,)."""
    parts = np.where(some, weights, 0.0)
    return np.asarray(parts / parts.sum())


def _pvalue(audit: _Audit, audited: Flags) -> float:
    """Test whether posteriors of audited rows are right, on average and along themselves."""
    logits, weights = audit.logits[audited], audit.weights[audited]
    posterior = np.asarray(expit(logits))
    directions = np.array(list(_directions(logits, weights)))
    errors = directions @ (audit.positive[audited] - posterior)
    doubt = posterior * (1.0 - posterior)
    moved = (directions * doubt) @ audit.slopes[audited[audit.known]]
    variance = (directions * (doubt / audit.copies[audited])) @ directions.T + moved @ audit.covariance @ moved.T
    return float(chdtrc(len(errors), float(errors @ solve(variance, errors))))


def _directions(logits: Array, weights: Array) -> Iterator[Array]:
    yield weights
    clipped = np.clip(logits, -FARTHEST_LOGIT, FARTHEST_LOGIT)
    yield weights * (clipped - np.average(clipped, weights=weights))
