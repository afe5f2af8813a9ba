"""All rows of an audited fit, with posteriors of the model refitted without knowing what the audit found."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pugam.data import SurveyRows
from pugam.inference.shares import samples_of
from pugam.inference.surveys import sampled_scores, sandwich, sums_among_clusters, variance_of_sum
from pugam.likelihood import SampleShares, SampleSizes
from pugam.linear_algebra import inverse
from pugam.solvers import Fitted, Optimum, count_samples, refit_unaudited
from pugam.terms import Design

__all__ = ["AuditedRows", "gather_audit"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class AuditedRows:
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
    survey : SurveyRows, optional
        How rows were drawn; None stands for independent ones.
    design : Design
    mode : Optimum
        The parameters, shares first.
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
    survey: SurveyRows | None
    design: Design
    mode: Optimum


def gather_audit(fitted: Fitted, chances: Array | None, survey: SurveyRows | None = None) -> AuditedRows:
    """Refit without the audit, and gather what its test needs; without chances, those of a sample are the same."""
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
    return AuditedRows(
        strata=strata,
        known=known,
        positive=known & (engine.codes <= 2 * sizes.n_samples),
        weights=weights,
        logits=np.asarray(logits),
        copies=weights if fitted.fit.survey is None else np.ones(engine.n_rows),
        chances=_same_within(strata, known, weights) if chances is None else chances,
        slopes=_slopes(fitted, mode, at, np.flatnonzero(known), strata[known]),
        covariance=_covariance(fitted, mode, sizes, survey),
        survey=survey,
        design=fitted.design,
        mode=mode,
    )


def _covariance(fitted: Fitted, mode: Optimum, sizes: SampleSizes, survey: SurveyRows | None) -> Array:
    """Of the parameters of the fit that does not know what the audit found."""
    if survey is None:
        return inverse(mode.hessian)
    assert fitted.engine.codes is not None
    engine = fitted.engine.coded(sizes.unaudited[fitted.engine.codes], fitted.engine.negatives)
    of_rows = partial(sampled_scores, mode=mode, sizes=sizes)
    sums = sums_among_clusters(engine, samples_of(fitted), survey, of_rows)
    return sandwich(mode, variance_of_sum(sums, survey.strata))


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
