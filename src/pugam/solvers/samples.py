"""Several unlabelled samples, each with its own share, by marginal likelihood: curves and variances are common.

All unlabelled rows together are a sample like any other, with a share of its own. So a fit to these finds terms, curves
and variances to begin with, and from there the evidence is climbed along all shares at once. Where samples have curves
of their own along some terms, these begin as the common ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.likelihood import SampleSizes
from pugam.linear_algebra import inverse, inverse_definite
from pugam.solvers.evidence_profile import EvidenceCurve, ascend, follow
from pugam.solvers.families import Families
from pugam.solvers.fits import Fit, FittedKind, MarginalFit, SampledShares
from pugam.solvers.laplace import EvidenceAt, Model, climb
from pugam.solvers.marginal import fit_marginal
from pugam.solvers.optimum import Optimum
from pugam.solvers.own_curves import OwnCurves, OwnModel
from pugam.solvers.sampled_objective import SampledMode, SampledModel
from pugam.solvers.selected_objective import SelectedModel
from pugam.solvers.settings import Settings
from pugam.solvers.settling import settle
from pugam.solvers.tuning import TUNING
from pugam.terms import Design

__all__ = [
    "count_samples",
    "fit_samples",
    "fix_shares",
    "follow_shares",
    "predictors_by_sample",
    "refit_samples",
    "refit_unaudited",
    "sampled_loglik",
    "sampled_mode",
    "sampled_model",
    "start_at",
]

Array = NDArray[np.float64]


def fit_samples(
    engine: Engine,
    designs: Sequence[Design],
    settings: Settings,
    rng: np.random.Generator,
    names: Sequence[str],
    column: str | None = None,
) -> FittedKind[MarginalFit]:
    """Give each sample its own share, beginning where a fit to all unlabelled rows together ended.

    Parameters
    ----------
    engine : Engine
        Whose rows have codes, see `SampleSizes`.
    designs : sequence of Design
        On the columns' own scales and, where tails are long, on logarithms.
    column : str, optional
        That tells samples apart, where they have curves of their own along the terms that vary with it; the effects of
        its levels are then the last term.
    """
    if column is not None:
        return _fit_own_curves(
            engine, [OwnCurves(design, column, len(names)) for design in designs], settings, rng, names
        )
    pooled = fit_marginal(engine, designs, settings, rng)
    model, best = _climb_shares(pooled, names)
    return follow_shares(pooled.fit, model, best, settings, names)


def _climb_shares(pooled: FittedKind[MarginalFit], names: Sequence[str]) -> tuple[SampledModel, EvidenceAt]:
    """The model of samples with common curves, and where its evidence is highest."""
    fit, settings = pooled.fit, pooled.settings
    families = Model.of(pooled.engine, pooled.design, settings.prior).families
    model = sampled_model(pooled.engine, pooled.design, families, settings, len(names))
    start = climb(model, start_at(model, fit.optimum, fit.optimum.logit_pi), np.log(fit.precisions))
    return model, ascend(model, start, settings.pi_range)


def _fit_own_curves(
    engine: Engine, owns: Sequence[OwnCurves], settings: Settings, rng: np.random.Generator, names: Sequence[str]
) -> FittedKind[MarginalFit]:
    """Let curves of samples part from where common ones ended.

    Interactions are not looked for: what differs between samples looks like some.
    """
    alone = engine.redesigned(owns[0].common, range(len(owns[0].common.bases)))
    pooled = fit_marginal(alone, [own.common for own in owns], replace(settings, most_pairs=0), rng)
    common, begun = _climb_shares(pooled, names)
    own = owns[0].of_common(pooled.design)
    rows = engine.redesigned(own.design, range(len(own.design.bases)))
    model = OwnModel.over(own, rows, own.families(common.families), settings.prior, common.sizes)
    together = common.together(begun.optimum, begun.optimum.hessian)
    start = model.start_common(together, begun.optimum.beta[begun.optimum.layout.shares])
    best = ascend(model, settle(model, start, begun.logs), settings.pi_range)
    return follow_shares(pooled.fit, model, best, settings, names)


def start_at(model: SampledModel, optimum: Optimum, place: float) -> Array:
    """Parameters with the same share, on the logit scale, for each sample, and no preference."""
    return model.start(optimum, np.full(model.sizes.n_samples, place))


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
    design = model.reported_design.with_ridge(model.spread(model.families.precision(best.logs)))
    made = replace(
        _joined(fit, model, best, curves), samples=found, labelling=model.at(best.logs).labelling(best.optimum)
    )
    return FittedKind(model.reported_rows, design, settings, made)


def refit_samples(fit: MarginalFit, engine: Engine, design: Design, settings: Settings) -> MarginalFit:
    """Refit to rows counted otherwise, with the same variances."""
    model = _same_variances(engine, design, settings, fit)
    start = climb(model, _parameters(fit, model), np.zeros(1))
    best = ascend(model, start, settings.pi_range, settles=False)
    together = model.together(best.optimum, best.optimum.hessian)
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
    model = _same_variances(engine, fitted.design, fitted.settings, fit)
    start = climb(model, _parameters(fit, model), np.zeros(1))
    return model.apart(ascend(model, start, fitted.settings.pi_range, settles=False).optimum)


def fix_shares(fitted: FittedKind[MarginalFit], logits: Array) -> Optimum:
    """Let the curves follow where all shares are fixed; variances stay, and all unlabelled rows are told as one sample.

    Parameters
    ----------
    logits : array of shape (K,)
    """
    model = _same_variances(fitted.engine, fitted.design, fitted.settings, fitted.fit)
    mode = climb(model, model.start(fitted.fit.optimum, logits), np.zeros(1)).optimum
    return model.together(mode, mode.hessian)


def _same_variances(engine: Engine, design: Design, settings: Settings, fit: Fit) -> SampledModel:
    """The model of a fit with the precisions that its design remembers."""
    assert design.ridge is not None
    shares, n_samples = fit.samples, _n_samples(fit)
    if shares is None or shares.own_column is None:
        return sampled_model(engine, design, Families(("all",), design.ridge[None]), settings, n_samples)
    own = OwnCurves(design, shares.own_column, n_samples)
    families = Families(("all",), design.ridge[None, : len(own.columns)])
    return OwnModel.over(own, engine, families, settings.prior, count_samples(engine, n_samples))


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
        column=model.own.column if isinstance(model, OwnModel) else None,
        has_own_curves=isinstance(model, OwnModel),
    )


def _joined(fit: MarginalFit, model: SampledModel, best: EvidenceAt, curves: Sequence[EvidenceCurve]) -> MarginalFit:
    """What is reported of all unlabelled rows together, as if they were one sample."""
    mode, precision = best.optimum, model.spread(model.families.precision(best.logs))
    (observed,) = model.at(best.logs).stand([mode.beta], observed=True)
    seen = observed.hessian if inverse_definite(observed.hessian) is not None else mode.hessian
    together = model.together(mode, mode.hessian)
    return replace(
        fit,
        optimum=together,
        penalized=together,
        observed=model.together(mode, seen).information,
        kappas=model.reported_design.smoothing_like(precision),
        families=model.families.names,
        precisions=np.exp(best.logs),
        curve=_along_all(fit, together, best.value, curves),
    )


def _along_all(fit: MarginalFit, together: Optimum, highest: float, curves: Sequence[EvidenceCurve]) -> EvidenceCurve:
    """The evidence along the share of all unlabelled rows.

    Of one sample it was followed. Of several it is as skewed as in the fit to all of these rows as one sample, and as
    narrow as they, audits and known negatives make it; a parabola, where that fit ended on a boundary. It is as high as
    the evidence of all shares.
    """
    if len(curves) == 1:
        return curves[0]
    error = _error(together)
    if len(fit.curve.places) < TUNING.fewest_places:
        steps = np.linspace(-4.0, 4.0, 5)
        return EvidenceCurve(together.logit_pi + error * steps, highest - 0.5 * steps**2, -steps / error)
    narrower = error / _error(fit.optimum)
    places = together.logit_pi + (fit.curve.places - fit.optimum.logit_pi) * narrower
    values = fit.curve.values + (highest - fit.curve.values.max())
    return EvidenceCurve(places, values, fit.curve.slopes / narrower)


def _error(optimum: Optimum) -> float:
    """Standard error of logit pi."""
    share = optimum.layout.share
    return float(np.sqrt(inverse(optimum.hessian)[share, share]))


def _parameters(fit: Fit, model: SampledModel) -> Array:
    """The parameters of a fit to several samples: shares on the logit scale, then (a, theta)."""
    logits = np.array([fit.optimum.logit_pi]) if fit.samples is None else fit.samples.logits
    return model.start(fit.optimum, logits)


def sampled_mode(fitted: FittedKind[Fit]) -> SampledMode:
    """Stand again where a fit to several samples ended."""
    fit = fitted.fit
    assert isinstance(fit, MarginalFit)
    model = _same_variances(fitted.engine, fitted.design, fitted.settings, fit)
    (mode,) = model.at(np.zeros(1)).stand([_parameters(fit, model)])
    return SampledMode(mode, model.sizes, model.change(mode))


def predictors_by_sample(fitted: FittedKind[Fit]) -> tuple[OwnModel, Array] | None:
    """The model of curves that samples have of their own, and predictors of all rows in each sample: shape (K, n_rows).

    None where curves are common.
    """
    fit = fitted.fit
    if fit.samples is None or fit.samples.own_column is None:
        return None
    model = _same_variances(fitted.engine, fitted.design, fitted.settings, fit)
    assert isinstance(model, OwnModel)
    b = _parameters(fit, model)[model.own.layout.predictor]
    return model, np.array([model.engine.linear_predictor(b[own]) for own in model.own.predictors.numbers])


def sampled_loglik(fitted: FittedKind[Fit]) -> float:
    """The log-likelihood of rows of several samples at the parameters of a fit."""
    return sampled_mode(fitted).mode.loglik
