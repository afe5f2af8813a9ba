"""Does an audit agree with the model? Shares without the model, from audited rows and posteriors of all.

Prediction-powered estimation (Angelopoulos et al., Prediction-powered inference, Science 2023): the mean posterior over
all rows of a sample, and what audited rows, drawn at random from it, say of its errors,

    mean of f over all rows + mean of y - f over audited rows,

is right on average whatever the posteriors f are worth; good ones make it more precise than audited rows alone. Rows
that were audited with other chances count by the inverse of these.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from pugam.data import ALL_ROWS
from pugam.inference.intervals import normal_quantile
from pugam.likelihood import alpha_shift, expit
from pugam.solvers import Fitted, count_samples

__all__ = ["AuditedShare", "check_audits"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class AuditedShare:
    """What audited rows of a sample say, beside the model.

    Attributes
    ----------
    sample : str
    audited : int
    pi : float
        By the model.
    estimate, lower, upper : float
        Without it.
    pvalue : float
        Of the hypothesis that posteriors of audited rows are right on average.
    """

    sample: str
    audited: int
    pi: float
    estimate: float
    lower: float
    upper: float
    pvalue: float


def check_audits(fitted: Fitted, level: float, chances: Array | None = None) -> list[AuditedShare]:
    """Compare each audited sample with the model; several of them also together, last.

    Parameters
    ----------
    chances : array of shape (n_rows,), optional
        With what chance each row was audited; None: all rows of a sample with the same.
    """
    engine, shares = fitted.engine, fitted.fit.samples
    assert shares is not None
    assert engine.codes is not None
    sizes = count_samples(engine, len(shares.names))
    strata, weights = sizes.strata[engine.codes], np.ones(engine.n_rows) if engine.weights is None else engine.weights
    n_samples = sizes.n_samples
    known = (engine.codes > n_samples) & (engine.codes < sizes.known_negative)
    positive = known & (engine.codes <= 2 * n_samples)
    ratio = engine.linear_predictor(fitted.fit.optimum.b) - _shift(fitted)
    logits = np.concatenate([[0.0], shares.logits, [0.0]])
    posterior = np.asarray(expit(ratio + logits[strata]))
    pi = np.asarray(expit(shares.logits))
    found = []
    for number, name in enumerate(shares.names):
        inside = strata == 1 + number
        if (known & inside).any():
            found.append(_check(name, float(pi[number]), inside, known, positive, posterior, weights, chances, level))
    if len(found) > 1:
        every = (strata > 0) & np.isin(strata, [1 + shares.names.index(one.sample) for one in found])
        own = np.average(pi[strata[every] - 1], weights=weights[every])
        chances = _same_within(strata, known, weights) if chances is None else chances
        found.append(_check(ALL_ROWS, float(own), every, known, positive, posterior, weights, chances, level))
    return found


def _shift(fitted: Fitted) -> float:
    return float(alpha_shift(fitted.fit.optimum.pi, fitted.engine.n0, fitted.engine.n1))


def _same_within(strata: NDArray[np.integer], known: Flags, weights: Array) -> Array:
    """The chances with which rows were audited, the same for all rows of a sample."""
    counts, audited = (np.bincount(strata, weights=weights * some) for some in (np.ones(len(known)), known))
    return np.asarray((audited / np.maximum(counts, 1.0))[strata])


def _check(
    name: str,
    pi: float,
    inside: Flags,
    known: Flags,
    positive: Flags,
    posterior: Array,
    weights: Array,
    chances: Array | None,
    level: float,
) -> AuditedShare:
    audited = inside & known
    errors, predicted = positive[audited] - posterior[audited], posterior[inside]
    counts = weights[audited] if chances is None else weights[audited] / chances[audited]
    counts, everywhere = counts / counts.sum(), weights[inside] / weights[inside].sum()
    correction, mean = float(counts @ errors), float(everywhere @ predicted)
    variance = float(counts**2 @ (errors - correction) ** 2) * _few(len(errors))
    spread = variance + float(everywhere**2 @ (predicted - mean) ** 2)
    estimate, half = mean + correction, normal_quantile(level) * float(np.sqrt(spread))
    # If posteriors are right, errors vary as their classes do: also where all rows seen are of one class.
    expected = float(np.sqrt(counts**2 @ (posterior * (1.0 - posterior))[audited]))
    pvalue = 2.0 * float(ndtr(-abs(correction) / expected)) if expected > 0.0 else 1.0
    limits = max(estimate - half, 0.0), min(estimate + half, 1.0)
    return AuditedShare(name, int(np.count_nonzero(audited)), pi, estimate, *limits, pvalue)


def _few(count: int) -> float:
    """What makes a variance over so many rows right on average."""
    return count / (count - 1.0) if count > 1 else 1.0
