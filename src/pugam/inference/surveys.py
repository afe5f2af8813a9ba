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

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pugam.data import SurveyRows
from pugam.engines import Engine
from pugam.inference.kinds import inference_of
from pugam.inference.shares import samples_of
from pugam.likelihood import SampleShares, SampleSizes, label_frequency, log_c_slope, sample_scores, saturating_rows
from pugam.linear_algebra import inverse
from pugam.solvers import TUNING, Fitted, SampledMode, SampledShares, Standpoint, Survey, sampled_mode

__all__ = [
    "RowScores",
    "know_survey",
    "over_surveys",
    "sampled_scores",
    "sandwich",
    "sums_among_clusters",
    "variance_of_sum",
    "weights_of",
]

Array = NDArray[np.float64]
Numbers = NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class RowScores:
    """Scores of rows, weights counted: in K parameters of their own, shape (K, n), and in L predictors, (L, n)."""

    own: Array
    predictors: Array

    def summed(self, engine: Engine, groups: Numbers, n_groups: int) -> Array:
        """Sum the scores in all parameters over the rows of each group: shape (n_groups, K + L (1 + p))."""
        own = [np.bincount(groups, weights=one, minlength=n_groups) for one in self.own]
        return np.hstack([np.array(own).T, *engine.sum_groups(self.predictors, groups, n_groups)])


def know_survey(fitted: Fitted, rows: SurveyRows | None) -> Fitted:
    """Tell a fit how its rows were drawn, if it can make use of it: a shrunken one cannot."""
    if rows is None or not inference_of(fitted).knows_surveys:
        return fitted
    if fitted.fit.samples is None:
        sums = sums_among_clusters(fitted.engine, samples_of(fitted), rows, partial(_scores, fitted))
        return replace(fitted, fit=replace(fitted.fit, survey=_survey(sums, rows)))
    known = sampled_mode(fitted)
    of_rows = partial(sampled_scores, mode=known.mode, sizes=known.sizes)
    sums = sums_among_clusters(fitted.engine, samples_of(fitted), rows, of_rows)
    shares = _shares_by_survey(fitted.fit.samples, known, variance_of_sum(sums, rows.strata))
    survey = _survey(_scores_together(fitted, known, sums, rows), rows)
    return replace(fitted, fit=replace(fitted.fit, survey=survey, samples=shares))


def _survey(sums: Array, rows: SurveyRows) -> Survey:
    return Survey(len(rows.of_all), rows.n_clusters, rows.n_strata, variance_of_sum(sums, rows.strata))


def variance_of_sum(sums: Array, strata: Numbers) -> Array:
    """Estimate the variance of the sum over all clusters from those within each, shape (n_clusters, q)."""
    counts = np.bincount(strata)
    totals = np.zeros((len(counts), sums.shape[1]))
    np.add.at(totals, strata, sums)
    apart = sums - (totals / counts[:, None])[strata]
    apart *= np.sqrt(counts / (counts - 1.0))[strata][:, None]
    return np.asarray(apart.T @ apart)


def over_surveys(statistic: float, among: Array) -> tuple[float, float]:
    """Scale a sum of squares, whose terms have this covariance over surveys, to a chi-square variable: it, and its df.

    It has the mean and the variance that the sum has over surveys (Rao and Scott 1984).
    """
    mean, squares = float(np.trace(among)), float(np.sum(among**2))
    return (statistic * mean / squares, mean**2 / squares) if squares > 0.0 else (0.0, 0.0)


def _scores(fitted: Fitted, engine: Engine) -> RowScores:
    """Scores of rows of one unlabelled sample, at the penalised optimum."""
    optimum = fitted.fit.penalized
    pi = np.array(optimum.pi)
    c, d = label_frequency(pi, engine.n0, engine.n1)
    rows = saturating_rows(engine.positive, engine.linear_predictor(optimum.b), c, d)
    slope = float(log_c_slope(pi, engine.n0, engine.n1))
    weights = weights_of(engine)
    return RowScores((rows.score_c * slope * weights)[None], (rows.score_s * weights)[None])


def sampled_scores(engine: Engine, mode: Standpoint, sizes: SampleSizes) -> RowScores:
    """Scores of rows of several samples."""
    shares = SampleShares(sizes, mode.shares)
    assert engine.codes is not None
    of_shares, of_predictor = sample_scores(engine.codes, engine.linear_predictor(mode.b), shares)
    weights = weights_of(engine)
    return RowScores(of_shares * weights, (of_predictor * weights)[None])


def weights_of(engine: Engine) -> Array:
    """Weights of rows, ones where there are none."""
    return np.ones(engine.n_rows) if engine.weights is None else engine.weights


def sums_among_clusters(
    engine: Engine, samples: Numbers, rows: SurveyRows, scores_of: Callable[[Engine], RowScores]
) -> Array:
    """Sums over clusters of scores that are centred within each sample: shape (n_clusters, q).

    Known negatives are a sample of their own.

    Parameters
    ----------
    samples : int array of shape (n_rows,)
        Which sample each row of the engine is in.
    scores_of : callable
        Scores of the rows of an engine, that of known negatives included.
    """
    found = _centred(engine, samples, rows.clusters, rows.n_clusters, scores_of(engine))
    beside = engine.negatives
    if beside is None:
        return found
    alike = np.zeros(beside.n_rows, dtype=np.intp)
    return found + _centred(beside, alike, rows.negatives, rows.n_clusters, scores_of(beside))


def _centred(engine: Engine, samples: Numbers, clusters: Numbers, n_clusters: int, scores: RowScores) -> Array:
    """Sums over the clusters of rows, none of which shares a sample with the rows of another engine."""
    n_samples = 1 + int(samples.max())
    sizes = np.zeros((n_clusters, n_samples))
    np.add.at(sizes, (clusters, samples), weights_of(engine))
    totals, there = scores.summed(engine, samples, n_samples), sizes.sum(axis=0)
    means = totals / np.maximum(there, TUNING.smallest_information)[:, None]
    return np.asarray(scores.summed(engine, clusters, n_clusters) - sizes @ means)


def sandwich(mode: Standpoint, score_variance: Array) -> Array:
    """Covariance of the parameters where the score varies so; priors and penalties count as rows would."""
    covariance = inverse(mode.hessian)
    return np.asarray(covariance @ (score_variance + np.diag(mode.curvature)) @ covariance)


def _shares_by_survey(shares: SampledShares, known: SampledMode, score_variance: Array) -> SampledShares:
    """How sure shares are by a survey."""
    mode, own = known.mode, known.mode.layout.shares
    covariance, among = inverse(mode.hessian), sandwich(mode, score_variance)[own, own]
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
    of_rows = apart[samples_of(fitted)] * weights_of(engine)
    moved[:, optimum.layout.share] += np.bincount(rows.clusters, weights=of_rows, minlength=rows.n_clusters)
    return np.asarray(moved @ optimum.hessian)
