"""Labels given by preference, by marginal likelihood: curves of the density ratio, and of who is labelled.

A preference may hide behind effects. So climbs begin where a fit ended that takes labels for random, but at several
shares; the highest evidence wins. From there on all is as for several samples, of which there may be one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.linear_algebra import inverse, inverse_definite
from pugam.solvers.evidence_profile import EvidenceCurve, ascend, follow
from pugam.solvers.families import Families
from pugam.solvers.fits import FittedKind, LabellingFit, MarginalFit
from pugam.solvers.laplace import EvidenceAt, Model, climb
from pugam.solvers.marginal import fit_marginal
from pugam.solvers.optimum import Optimum
from pugam.solvers.samples import count_samples
from pugam.solvers.selected_objective import SelectedModel, SelectedObjective
from pugam.solvers.settings import Settings
from pugam.solvers.settling import settle
from pugam.solvers.tuning import TUNING
from pugam.terms import Design

__all__ = ["fit_preference", "fix_selected", "refit_selected", "selected_loglik"]

Array = NDArray[np.float64]


def fit_preference(
    engine: Engine, designs: Sequence[Design], settings: Settings, rng: np.random.Generator
) -> FittedKind[MarginalFit]:
    """Fit effects alone, as if labels were given at random, and from there on the preference, too.

    Interactions are not looked for: what a preference leaves unexplained looks like some.

    Parameters
    ----------
    designs : sequence of Design
        On the columns' own scales and, where tails are long, on logarithms; terms of the preference come last.
    """
    effects = [Design(design.bases[: design.n_effects]) for design in designs]
    alone = engine.redesigned(effects[0], range(len(effects[0].bases)))
    ordinary = fit_marginal(alone, effects, replace(settings, most_pairs=0), rng)
    design = Design((*ordinary.design.bases, *designs[-1].bases[designs[-1].n_effects :]))
    joint = engine.redesigned(design, range(len(design.bases)))
    families = Model.of(joint, design, settings.prior).families
    model = _model(joint, design, families, settings)
    climbs = [ascend(model, start, settings.pi_range) for start in _starts(model, ordinary.fit, settings)]
    best, curve = follow(model, max(climbs, key=lambda one: one.value), settings.pi_range)
    restrained = design.with_ridge(families.precision(best.logs))
    return FittedKind(joint, restrained, settings, _made(ordinary.fit, model, best, curve))


def _model(engine: Engine, design: Design, families: Families, settings: Settings) -> SelectedModel:
    sizes, n_preference = count_samples(engine, 1), design.layout.n_preference
    return SelectedModel(engine, design, families, settings.prior, sizes, n_preference)


def _starts(model: SelectedModel, fit: MarginalFit, settings: Settings) -> Iterator[EvidenceAt]:
    """Curves as labels at random would have them, no preference, and several shares."""
    layout, optimum = model.design.layout, fit.optimum
    known = dict(zip(fit.families, np.log(fit.precisions), strict=True))
    usual = dict(zip(model.families.names, model.families.usual(), strict=True))
    logs = np.array([known.get(name, usual[name]) for name in model.families.names])
    theta = np.append(optimum.theta, np.zeros(layout.n_preference))
    for step in TUNING.preference_starts:
        place = float(np.clip(optimum.logit_pi + step, *settings.pi_range.logits))
        yield settle(model, layout.join(place, optimum.intercept, theta), logs)


def _made(fit: MarginalFit, model: SelectedModel, best: EvidenceAt, curve: EvidenceCurve) -> MarginalFit:
    objective, mode = model.at(best.logs), best.optimum
    (observed,) = objective.stand([mode.beta], observed=True)
    seen = observed if inverse_definite(observed.hessian) is not None else mode
    precision = model.families.precision(best.logs)
    return replace(
        fit,
        optimum=replace(mode, n_iter=len(curve.places)),
        penalized=mode,
        observed=seen.information,
        kappas=model.design.smoothing_like(precision),
        families=model.families.names,
        precisions=np.exp(best.logs),
        curve=curve,
        labelling=LabellingFit(objective.preference(mode.beta).log_mean, _factor(objective, mode)),
    )


def _factor(objective: SelectedObjective, mode: Optimum) -> float:
    """How many times faster the evidence along pi falls given the numbers of labels; see `LabellingFit`."""
    share = mode.layout.share
    drawn = float(inverse(mode.hessian)[share, share])
    given = float(given_sizes(objective, mode)[share, share])
    return float(np.clip(drawn / max(given, TUNING.smallest_information), 0.0, TUNING.largest_factor_given))


def given_sizes(objective: SelectedObjective, mode: Optimum) -> Array:
    """Covariance of all parameters, the numbers of rows in each sample given: shape (q, q).

    The score varies less than the information says, by its sums over each sample, and more, as the mean of exp(-w)
    over labelled rows is random.
    """
    sums, sizes = objective.stratum_sums(mode.beta), objective.sizes
    counts = np.concatenate([[sizes.labelled], sizes.unlabelled, [sizes.negative]])
    there = counts > 0.0
    fixed = sums.scores[there] / np.sqrt(counts[there])[:, None]
    shift, together = sums.scores[0] / sizes.labelled, sums.together
    drawn = sums.spread * np.outer(shift, shift) - np.outer(shift, together) - np.outer(together, shift)
    root = np.linalg.cholesky(inverse(mode.hessian))
    values, vectors = np.linalg.eigh(np.eye(mode.layout.size) + root.T @ (drawn - fixed.T @ fixed) @ root)
    half = root @ (vectors * np.sqrt(np.maximum(values, 0.0)))
    return np.asarray(half @ half.T)


def _same_variances(engine: Engine, design: Design, settings: Settings) -> SelectedModel:
    """The model with the precisions that its design remembers."""
    assert design.ridge is not None
    return _model(engine, design, Families(("all",), design.ridge[None]), settings)


def refit_selected(fit: MarginalFit, engine: Engine, design: Design, settings: Settings) -> MarginalFit:
    """Refit to rows counted otherwise, with the same variances."""
    model = _same_variances(engine, design, settings)
    start = climb(model, fit.penalized.beta, np.zeros(1))
    best = ascend(model, start, settings.pi_range, settles=False)
    curve = EvidenceCurve(best.point[:1], np.array([best.value]), best.slopes[:1])
    return replace(fit, optimum=best.optimum, penalized=best.optimum, curve=curve)


def fix_selected(fitted: FittedKind[MarginalFit], start: Array) -> Optimum:
    """Let all else follow where the share is fixed as in `start`; variances stay."""
    model = _same_variances(fitted.engine, fitted.design, fitted.settings)
    return climb(model, start, np.zeros(1)).optimum


def selected_loglik(fitted: FittedKind[MarginalFit]) -> float:
    """The log-likelihood of rows labelled by preference."""
    model = _same_variances(fitted.engine, fitted.design, fitted.settings)
    (here,) = model.at(np.zeros(1)).stand([fitted.fit.optimum.beta])
    return float(here.loglik)
