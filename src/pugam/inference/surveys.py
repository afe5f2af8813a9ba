"""How much estimates vary over surveys: the variance of the score, as clusters within strata show it.

Estimates move with the score of the rows, sum w_i s_i, by the inverse V of the penalised information. Where rows were
drawn in clusters, within strata and with unequal chances, the variance B of that sum is estimated from its parts,

    B = sum over strata of m / (m - 1) sum over clusters (S_c - mean)(S_c - mean)',

for m clusters in a stratum, S_c the sum over the rows of a cluster. Numbers of labelled and of unlabelled rows vary
among clusters, too, and the label frequency c = n0 / (n0 + n1 pi) with them. With r = log(n0 / n1) and pi kept, log c
moves by (1 - c) dr and the intercept a = alpha + log((n0 + n1 pi) / (n1 (1 - pi))) by c dr. So the influence of a row
on (logit pi, alpha, theta) is that of the score s_i - I v r_i, where r_i = z_i / n0 - (1 - z_i) / n1 is its influence
on r, and v = (-1/(1 - pi), c, 0). As I v is the sum of the score over labelled rows, up to what vanishes in large
samples, this is the score less its mean over the rows of the same label. The same holds of several samples.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from pugam.data import SurveyRows
from pugam.engines import Engine
from pugam.inference.kinds import inference_of
from pugam.inference.shares import samples_of
from pugam.likelihood import SampleShares, label_frequency, log_c_slope, sample_scores, saturating_rows
from pugam.linear_algebra import inverse
from pugam.solvers import TUNING, Fitted, SampledMode, SampledShares, Survey, sampled_mode

__all__ = ["know_survey"]

Array = NDArray[np.float64]
Numbers = NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class RowScores:
    """Scores of rows, weights counted: in the logits of K shares, shape (K, n), and in the linear predictor, (n,)."""

    shares: Array
    predictor: Array

    def summed(self, engine: Engine, groups: Numbers, n_groups: int) -> Array:
        """Sum the scores in all parameters over the rows of each group: shape (n_groups, K + 1 + p)."""
        shares = [np.bincount(groups, weights=one, minlength=n_groups) for one in self.shares]
        others = np.zeros((n_groups, 1 + engine.design.n_columns))
        for rows, matrix in engine.design.matrices(engine.encoded_at(np.arange(engine.n_rows))):
            present, places = np.unique(groups[rows], return_inverse=True)
            each = np.arange(len(places))
            others[present] += csr_array((self.predictor[rows], (places, each)), (len(present), len(each))) @ matrix
        return np.column_stack([*shares, others])


def know_survey(fitted: Fitted, rows: SurveyRows | None) -> Fitted:
    """Tell a fit how its rows were drawn, if it can make use of it: a shrunken one cannot."""
    if rows is None or not inference_of(fitted).knows_surveys:
        return fitted
    if fitted.fit.samples is None:
        sums = _among_clusters(fitted, _scores(fitted), rows)
        return replace(fitted, fit=replace(fitted.fit, survey=_survey(sums, rows)))
    known = sampled_mode(fitted)
    sums = _among_clusters(fitted, _sampled_scores(fitted, known), rows)
    shares = _shares_by_survey(fitted.fit.samples, known, variance_of_sum(sums, rows.strata))
    survey = _survey(_scores_together(fitted, known, sums, rows), rows)
    return replace(fitted, fit=replace(fitted.fit, survey=survey, samples=shares))


def _survey(sums: Array, rows: SurveyRows) -> Survey:
    return Survey(len(rows.clusters), rows.n_clusters, rows.n_strata, variance_of_sum(sums, rows.strata))


def variance_of_sum(sums: Array, strata: Numbers) -> Array:
    """Estimate the variance of the sum over all clusters from those within each, shape (n_clusters, q)."""
    counts = np.bincount(strata)
    totals = np.zeros((len(counts), sums.shape[1]))
    np.add.at(totals, strata, sums)
    apart = sums - (totals / counts[:, None])[strata]
    apart *= np.sqrt(counts / (counts - 1.0))[strata][:, None]
    return np.asarray(apart.T @ apart)


def _scores(fitted: Fitted) -> RowScores:
    """Scores of rows of one unlabelled sample, at the penalised optimum."""
    engine, optimum = fitted.engine, fitted.fit.penalized
    pi = np.array(optimum.pi)
    c, d = label_frequency(pi, engine.n0, engine.n1)
    rows = saturating_rows(engine.positive, engine.linear_predictor(optimum.b), c, d)
    slope = float(log_c_slope(pi, engine.n0, engine.n1))
    weights = _weights(engine)
    return RowScores((rows.score_c * slope * weights)[None], rows.score_s * weights)


def _sampled_scores(fitted: Fitted, known: SampledMode) -> RowScores:
    """Scores of rows of several samples."""
    engine, shares = fitted.engine, SampleShares(known.sizes, known.mode.shares)
    assert engine.codes is not None
    of_shares, of_predictor = sample_scores(engine.codes, engine.linear_predictor(known.mode.b), shares)
    weights = _weights(engine)
    return RowScores(of_shares * weights, of_predictor * weights)


def _weights(engine: Engine) -> Array:
    return np.ones(engine.n_rows) if engine.weights is None else engine.weights


def _among_clusters(fitted: Fitted, scores: RowScores, rows: SurveyRows) -> Array:
    """Sums over clusters of scores that are centred within each sample: shape (n_clusters, K + 1 + p)."""
    engine, samples = fitted.engine, samples_of(fitted)
    n_samples = 1 + int(samples.max())
    sizes = np.zeros((rows.n_clusters, n_samples))
    np.add.at(sizes, (rows.clusters, samples), _weights(engine))
    totals, there = scores.summed(engine, samples, n_samples), sizes.sum(axis=0)
    means = totals / np.maximum(there, TUNING.smallest_information)[:, None]
    return np.asarray(scores.summed(engine, rows.clusters, rows.n_clusters) - sizes @ means)


def _shares_by_survey(shares: SampledShares, known: SampledMode, score_variance: Array) -> SampledShares:
    """How sure shares are by a survey."""
    mode, own = known.mode, known.mode.layout.shares
    covariance = inverse(mode.hessian)
    among = (covariance @ (score_variance + np.diag(mode.curvature)) @ covariance)[own, own]
    variances = np.maximum(among.diagonal(), TUNING.smallest_information)
    return replace(
        shares,
        factors=np.minimum(covariance.diagonal()[own] / variances, TUNING.largest_factor_given),
        correlation=among / np.sqrt(np.outer(variances, variances)),
    )


def _scores_together(fitted: Fitted, known: SampledMode, sums: Array, rows: SurveyRows) -> Array:
    """The scores of clusters as if all unlabelled rows were one sample: shape (n_clusters, 2 + p).

    How much each sample counts among them varies with the clusters, too.
    """
    engine, optimum, shares = fitted.engine, fitted.fit.optimum, known.mode.shares
    moved = sums @ inverse(known.mode.hessian) @ known.together.T
    apart = np.concatenate([[0.0], (shares - optimum.pi) / (optimum.pi * (1.0 - optimum.pi) * engine.n1), [0.0]])
    of_rows = apart[samples_of(fitted)] * _weights(engine)
    moved[:, optimum.layout.share] += np.bincount(rows.clusters, weights=of_rows, minlength=rows.n_clusters)
    return np.asarray(moved @ optimum.hessian)
