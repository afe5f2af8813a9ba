"""Several unlabelled samples, each with its own share, by marginal likelihood: curves and variances are common.

All unlabelled rows together are a sample like any other, with a share of its own. So a fit to these finds terms, curves
and variances to begin with, and from there the evidence is climbed along all shares at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.likelihood import (
    SampleShares,
    SampleSizes,
    Sums,
    expit,
    logit,
    sample_sums,
)
from pugam.linear_algebra import inverse, inverse_definite
from pugam.solvers.evidence_profile import EvidenceCurve, ascend, follow
from pugam.solvers.families import Families
from pugam.solvers.fits import Fit, FittedKind, MarginalFit, SampledShares
from pugam.solvers.laplace import EvidenceAt, Model, climb
from pugam.solvers.optimum import Optimum
from pugam.solvers.sampled_objective import SampledMode, SampledModel, SampledObjective
from pugam.solvers.settings import Settings
from pugam.solvers.standpoint import Standpoint
from pugam.solvers.tuning import TUNING
from pugam.terms import Design

__all__ = [
    "count_samples",
    "fit_samples",
    "fix_shares",
    "refit_samples",
    "refit_unaudited",
    "sampled_loglik",
    "sampled_mode",
    "sampled_parameters",
]

Array = NDArray[np.float64]


def fit_samples(pooled: FittedKind[MarginalFit], names: Sequence[str]) -> FittedKind[MarginalFit]:
    """Give each sample its own share, beginning where a fit to all unlabelled rows together ended.

    Rows of the engine have codes, see `SampleSizes`.
    """
    fit, settings = pooled.fit, pooled.settings
    model = _model(pooled.engine, pooled.design, settings, len(names))
    logits = np.full(len(names), fit.optimum.logit_pi)  # the share of all unlabelled rows, for each sample
    start = climb(model, _with_shares(fit.optimum, logits, model.sizes), np.log(fit.precisions))
    best = ascend(model, start, settings.pi_range)
    curves = []
    for number in range(len(names)):
        top, curve = follow(model, best, settings.pi_range, number)
        best = top if top.value > best.value else best
        curves.append(curve)
    found = _shares(model, best, names, curves)
    design = pooled.design.with_ridge(model.families.precision(best.logs))
    return replace(pooled, design=design, fit=replace(_joined(fit, model, best, curves), samples=found))


def refit_samples(fit: MarginalFit, engine: Engine, design: Design, settings: Settings) -> MarginalFit:
    """Refit to rows counted otherwise, with the same variances."""
    known = fit.samples
    assert known is not None
    model = _same_variances(engine, design, settings, len(known.names))
    start = climb(model, _with_shares(fit.optimum, known.logits, model.sizes), np.zeros(1))
    best = ascend(model, start, settings.pi_range, settles=False)
    together = _together(best.optimum, best.optimum.hessian, model.sizes)
    shares = replace(known, logits=best.optimum.beta[best.optimum.layout.shares].copy())
    return replace(fit, optimum=together, penalized=together, samples=shares)


def refit_unaudited(fitted: FittedKind[Fit]) -> Optimum:
    """The mode, shares first, of a fit to the same rows that does not know what an audit found; variances stay."""
    fit, engine = fitted.fit, fitted.engine
    assert fit.samples is not None
    assert engine.codes is not None
    sizes = count_samples(engine, len(fit.samples.names))
    engine = engine.coded(sizes.unaudited[engine.codes], engine.negatives)
    model = _same_variances(engine, fitted.design, fitted.settings, sizes.n_samples)
    start = climb(model, sampled_parameters(fit, sizes), np.zeros(1))
    return ascend(model, start, fitted.settings.pi_range, settles=False).optimum


def fix_shares(fitted: FittedKind[MarginalFit], logits: Array) -> Optimum:
    """Let the curves follow where all shares are fixed; variances stay, and all unlabelled rows are told as one sample.

    Parameters
    ----------
    logits : array of shape (K,)
    """
    model = _same_variances(fitted.engine, fitted.design, fitted.settings, len(logits))
    mode = climb(model, _with_shares(fitted.fit.optimum, logits, model.sizes), np.zeros(1)).optimum
    return _together(mode, mode.hessian, model.sizes)


def _same_variances(engine: Engine, design: Design, settings: Settings, n_samples: int) -> SampledModel:
    """The model with the precisions that its design remembers."""
    assert design.ridge is not None
    sizes = count_samples(engine, n_samples)
    return SampledModel(engine, design, Families(("all",), design.ridge[None]), settings.prior, sizes)


def _model(engine: Engine, design: Design, settings: Settings, n_samples: int) -> SampledModel:
    families = Model.of(engine, design, settings.prior).families
    return SampledModel(engine, design, families, settings.prior, count_samples(engine, n_samples))


def count_samples(engine: Engine, n_samples: int) -> SampleSizes:
    """How many rows, by weight, there are in each sample, known negatives included."""
    assert engine.codes is not None
    sizes = SampleSizes.count(engine.codes, engine.weights, n_samples)
    return sizes if engine.negatives is None else replace(sizes, negative=engine.negatives.n1)


def _with_shares(together: Optimum, logits: Array, sizes: SampleSizes) -> Array:
    """Parameters of several samples, of those as if all unlabelled rows were one: the inverse of `_together`."""
    layout = together.layout.with_n_shares(sizes.n_samples)
    beta = np.empty(layout.size)
    beta[layout.shares], beta[layout.coefficients] = logits, together.theta
    beta[layout.intercept] = together.intercept - SampleShares(sizes, np.asarray(expit(logits))).beside
    return beta


def _shares(
    model: SampledModel, best: EvidenceAt, names: Sequence[str], curves: Sequence[EvidenceCurve]
) -> SampledShares:
    """What is known of the shares."""
    mode, shares, sizes = best.optimum, best.optimum.layout.shares, model.sizes
    given = _given_sizes(model.at(best.logs), mode)
    drawn = inverse(mode.hessian).diagonal()[shares]
    own = np.maximum(given.diagonal()[shares], TUNING.smallest_information)
    assert model.engine.codes is not None
    return SampledShares(
        names=tuple(names),
        rows=sizes.unlabelled,
        audited=sizes.count_audited(model.engine.codes, model.engine.weights),
        logits=mode.beta[shares].copy(),
        curves=tuple(curves),
        factors=np.clip(drawn / own, 1.0, TUNING.largest_factor_given),
        correlation=given[shares, shares] / np.sqrt(np.outer(own, own)),
        negatives=sizes.negative,
    )


def _joined(fit: MarginalFit, model: SampledModel, best: EvidenceAt, curves: Sequence[EvidenceCurve]) -> MarginalFit:
    """What is reported of all unlabelled rows together, as if they were one sample."""
    mode, precision = best.optimum, model.families.precision(best.logs)
    (observed,) = model.at(best.logs).stand([mode.beta], observed=True)
    seen = observed.hessian if inverse_definite(observed.hessian) is not None else mode.hessian
    together = _together(mode, mode.hessian, model.sizes)
    return replace(
        fit,
        optimum=together,
        penalized=together,
        observed=_together(mode, seen, model.sizes).information,
        kappas=model.design.smoothing_like(precision),
        precisions=np.exp(best.logs),
        curve=_along_all(fit, together, curves),
    )


def _given_sizes(objective: SampledObjective, mode: Optimum) -> Array:
    """Covariance of all parameters, the numbers of rows in each sample given: shape (q, q).

    The score varies less than the information says, by its sums over each sample.
    """
    sizes, sums = objective.sizes, objective.stratum_scores(mode.beta)
    counts = np.concatenate([[sizes.labelled], sizes.unlabelled, [sizes.negative]])
    there = counts > 0.0
    root = np.linalg.cholesky(inverse(mode.hessian))
    fixed = (sums[there] @ root) / np.sqrt(counts[there])[:, None]
    values, vectors = np.linalg.eigh(np.eye(mode.layout.size) - fixed.T @ fixed)
    half = root @ (vectors * np.sqrt(np.clip(values, 0.0, 1.0)))
    return np.asarray(half @ half.T)


def _together(mode: Optimum, hessian: Array, sizes: SampleSizes) -> Optimum:
    """The parameters as if all unlabelled rows were one sample, with what is known of them.

    The intercept stays as it is, but for known negatives, which are no longer counted among the negatives.
    """
    layout, one = mode.layout, mode.layout.with_n_shares(1)
    shares = SampleShares(sizes, mode.shares)
    pi = float(sizes.unlabelled @ mode.shares / sizes.unlabelled.sum())
    change = _change(mode, sizes)
    curvature = np.zeros(one.size)
    curvature[one.coefficients] = mode.curvature[layout.coefficients]
    information = inverse(change @ inverse(hessian) @ change.T) - np.diag(curvature)
    return replace(
        mode,
        beta=one.join(float(logit(pi)), mode.intercept + shares.beside, mode.theta),
        gradient=np.zeros(one.size),
        information=information,
        curvature=curvature,
        layout=one,
    )


def _change(mode: Standpoint, sizes: SampleSizes) -> Array:
    """How (logit pi, a, theta) of all unlabelled rows together move with the parameters of all samples."""
    layout, one = mode.layout, mode.layout.with_n_shares(1)
    weights = sizes.parts
    pi = float(weights @ mode.shares)
    change = np.zeros((one.size, layout.size))
    change[one.share, layout.shares] = weights * mode.shares * (1.0 - mode.shares) / (pi * (1.0 - pi))
    change[one.predictor, layout.predictor] = np.eye(one.of_predictors.size)
    change[one.intercept, layout.shares] = SampleShares(sizes, mode.shares).beside_slopes
    return change


def _along_all(fit: MarginalFit, together: Optimum, curves: Sequence[EvidenceCurve]) -> EvidenceCurve:
    """The evidence along the share of all unlabelled rows.

    Of one sample it was followed. Of several it is as skewed as in the fit to all of these rows as one sample, and as
    narrow as they, audits and known negatives make it; a parabola, where that fit ended on a boundary.
    """
    if len(curves) == 1:
        return curves[0]
    error = _error(together)
    if len(fit.curve.places) < TUNING.fewest_places:
        steps = np.linspace(-4.0, 4.0, 5)
        return EvidenceCurve(together.logit_pi + error * steps, -0.5 * steps**2, -steps / error)
    narrower = error / _error(fit.optimum)
    places = together.logit_pi + (fit.curve.places - fit.optimum.logit_pi) * narrower
    return EvidenceCurve(places, fit.curve.values, fit.curve.slopes / narrower)


def _error(optimum: Optimum) -> float:
    """Standard error of logit pi."""
    share = optimum.layout.share
    return float(np.sqrt(inverse(optimum.hessian)[share, share]))


def sampled_parameters(fit: Fit, sizes: SampleSizes) -> Array:
    """The parameters of a fit to several samples: shares on the logit scale, then (a, theta)."""
    assert fit.samples is not None
    return _with_shares(fit.optimum, fit.samples.logits, sizes)


def sampled_mode(fitted: FittedKind[Fit]) -> SampledMode:
    """Stand again where a fit to several samples ended."""
    fit = fitted.fit
    assert isinstance(fit, MarginalFit)
    assert fit.samples is not None
    model = _model(fitted.engine, fitted.design, fitted.settings, len(fit.samples.names))
    (mode,) = model.at(np.log(fit.precisions)).stand([sampled_parameters(fit, model.sizes)])
    return SampledMode(mode, model.sizes, _change(mode, model.sizes))


def sampled_loglik(fit: Fit, engine: Engine) -> float:
    """The log-likelihood of rows of several samples at the parameters of a fit."""
    assert fit.samples is not None
    sizes = count_samples(engine, len(fit.samples.names))
    shares, beta = SampleShares(sizes, np.asarray(expit(fit.samples.logits))), sampled_parameters(fit, sizes)
    sums: Sums = engine.sum_rows(sample_sums, (beta[None, sizes.n_samples :], shares, False))
    return float(sums.value[0])
