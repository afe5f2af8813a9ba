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
from pugam.layout import Layout
from pugam.likelihood import (
    SampleShares,
    SampleSizes,
    expit,
    logit,
)
from pugam.linear_algebra import inverse, inverse_definite
from pugam.solvers.evidence_profile import EvidenceCurve, ascend, follow
from pugam.solvers.families import Families
from pugam.solvers.fits import Fit, FittedKind, MarginalFit, SampledShares
from pugam.solvers.laplace import EvidenceAt, Model, climb
from pugam.solvers.optimum import Optimum
from pugam.solvers.sampled_objective import SampledMode, SampledModel
from pugam.solvers.selected_objective import SelectedModel
from pugam.solvers.settings import Settings
from pugam.solvers.standpoint import Standpoint
from pugam.solvers.tuning import TUNING
from pugam.terms import Design

__all__ = [
    "count_samples",
    "fit_samples",
    "fix_shares",
    "follow_shares",
    "refit_samples",
    "refit_unaudited",
    "sampled_loglik",
    "sampled_mode",
    "sampled_model",
    "sampled_parameters",
    "start_at",
]

Array = NDArray[np.float64]


def fit_samples(pooled: FittedKind[MarginalFit], names: Sequence[str]) -> FittedKind[MarginalFit]:
    """Give each sample its own share, beginning where a fit to all unlabelled rows together ended.

    Rows of the engine have codes, see `SampleSizes`.
    """
    fit, settings = pooled.fit, pooled.settings
    families = Model.of(pooled.engine, pooled.design, settings.prior).families
    model = sampled_model(pooled.engine, pooled.design, families, settings, len(names))
    start = climb(model, start_at(model, fit.optimum, fit.optimum.logit_pi), np.log(fit.precisions))
    return follow_shares(fit, model, ascend(model, start, settings.pi_range), settings, names)


def start_at(model: SampledModel, optimum: Optimum, place: float) -> Array:
    """Parameters with the same share, on the logit scale, for each sample, and no preference."""
    logits = np.full(model.sizes.n_samples, place)
    return _with_shares(model.design.layout, optimum, logits, model.sizes)


def follow_shares(
    fit: MarginalFit, model: SampledModel, best: EvidenceAt, settings: Settings, names: Sequence[str]
) -> FittedKind[MarginalFit]:
    """Follow the evidence along each share, and put together what is known of all of them."""
    curves = []
    for number in range(model.sizes.n_samples):
        top, curve = follow(model, best, settings.pi_range, number)
        best = top if top.value > best.value else best
        curves.append(curve)
    found = _shares(model, best, names, curves) if names else None
    design = model.design.with_ridge(model.families.precision(best.logs))
    made = replace(
        _joined(fit, model, best, curves), samples=found, labelling=model.at(best.logs).labelling(best.optimum)
    )
    return FittedKind(model.engine, design, settings, made)


def refit_samples(fit: MarginalFit, engine: Engine, design: Design, settings: Settings) -> MarginalFit:
    """Refit to rows counted otherwise, with the same variances."""
    model = _same_variances(engine, design, settings, _n_samples(fit))
    start = climb(model, sampled_parameters(fit, model.sizes), np.zeros(1))
    best = ascend(model, start, settings.pi_range, settles=False)
    together = _together(best.optimum, best.optimum.hessian, model.sizes)
    logits = best.optimum.beta[best.optimum.layout.shares].copy()
    shares = None if fit.samples is None else replace(fit.samples, logits=logits)
    return replace(fit, optimum=together, penalized=together, samples=shares)


def _n_samples(fit: Fit) -> int:
    """Number of shares: one where samples are not told apart."""
    return 1 if fit.samples is None else len(fit.samples.names)


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
    start = _with_shares(fitted.design.layout, fitted.fit.optimum, logits, model.sizes)
    mode = climb(model, start, np.zeros(1)).optimum
    return _together(mode, mode.hessian, model.sizes)


def _same_variances(engine: Engine, design: Design, settings: Settings, n_samples: int) -> SampledModel:
    """The model with the precisions that its design remembers."""
    assert design.ridge is not None
    return sampled_model(engine, design, Families(("all",), design.ridge[None]), settings, n_samples)


def sampled_model(
    engine: Engine, design: Design, families: Families, settings: Settings, n_samples: int
) -> SampledModel:
    """The model of several samples; where terms say who is labelled, of labels given by preference."""
    kind = SelectedModel if design.layout.n_preference else SampledModel
    return kind(engine, design, families, settings.prior, count_samples(engine, n_samples))


def count_samples(engine: Engine, n_samples: int) -> SampleSizes:
    """How many rows, by weight, there are in each sample, known negatives included."""
    assert engine.codes is not None
    sizes = SampleSizes.count(engine.codes, engine.weights, n_samples)
    return sizes if engine.negatives is None else replace(sizes, negative=engine.negatives.n1)


def _with_shares(one: Layout, together: Optimum, logits: Array, sizes: SampleSizes) -> Array:
    """Parameters of several samples, of those as if all unlabelled rows were one: the inverse of `_together`.

    In the layout of a design that may have further coefficients, which are zero.
    """
    layout = one.with_n_shares(sizes.n_samples)
    beta = np.zeros(layout.size)
    beta[layout.shares], beta[layout.coefficients][: len(together.theta)] = logits, together.theta
    beta[layout.intercept] = together.intercept - SampleShares(sizes, np.asarray(expit(logits))).beside
    return beta


def _shares(
    model: SampledModel, best: EvidenceAt, names: Sequence[str], curves: Sequence[EvidenceCurve]
) -> SampledShares:
    """What is known of the shares."""
    mode, shares, sizes = best.optimum, best.optimum.layout.shares, model.sizes
    given = model.at(best.logs).given_sizes(mode)
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
        families=model.families.names,
        precisions=np.exp(best.logs),
        curve=_along_all(fit, together, curves),
    )


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
    optimum = fit.optimum
    logits = np.array([optimum.logit_pi]) if fit.samples is None else fit.samples.logits
    return _with_shares(optimum.layout, optimum, logits, sizes)


def sampled_mode(fitted: FittedKind[Fit]) -> SampledMode:
    """Stand again where a fit to several samples ended."""
    fit = fitted.fit
    assert isinstance(fit, MarginalFit)
    model = _same_variances(fitted.engine, fitted.design, fitted.settings, _n_samples(fit))
    (mode,) = model.at(np.zeros(1)).stand([sampled_parameters(fit, model.sizes)])
    return SampledMode(mode, model.sizes, _change(mode, model.sizes))


def sampled_loglik(fitted: FittedKind[Fit]) -> float:
    """The log-likelihood of rows of several samples at the parameters of a fit."""
    return sampled_mode(fitted).mode.loglik
