"""Labels given by preference, by marginal likelihood: curves of the density ratio, and of who is labelled.

A preference may hide behind effects. So climbs begin where a fit ended that takes labels for random, but at several
shares, and the highest evidence wins. From there on all is as for several samples, of which there may be one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from pugam.engines import Engine
from pugam.solvers.evidence_profile import ascend
from pugam.solvers.fits import FittedKind, MarginalFit
from pugam.solvers.laplace import EvidenceAt, Model
from pugam.solvers.marginal import fit_marginal
from pugam.solvers.sampled_objective import SampledModel
from pugam.solvers.samples import follow_shares, sampled_model, start_at
from pugam.solvers.settings import Settings
from pugam.solvers.settling import settle
from pugam.solvers.tuning import TUNING
from pugam.terms import Design

__all__ = ["fit_preference"]


def fit_preference(
    engine: Engine, designs: Sequence[Design], settings: Settings, rng: np.random.Generator, samples: Sequence[str]
) -> FittedKind[MarginalFit]:
    """Fit effects alone, as if labels were given at random, and from there on the preference, too.

    Interactions are not looked for: what a preference leaves unexplained looks like some.

    Parameters
    ----------
    engine : Engine
        Whose rows have codes, see `SampleSizes`.
    designs : sequence of Design
        On the columns' own scales and, where tails are long, on logarithms; terms of the preference come last.
    samples : sequence of str
        Names of the unlabelled samples, if they are told apart.
    """
    effects = [Design(design.bases[: design.n_effects]) for design in designs]
    alone = engine.redesigned(effects[0], range(len(effects[0].bases)))
    ordinary = fit_marginal(alone, effects, replace(settings, most_pairs=0), rng)
    design = Design((*ordinary.design.bases, *designs[-1].bases[designs[-1].n_effects :]))
    joint = engine.redesigned(design, range(len(design.bases)))
    families = Model.of(joint, design, settings.prior).families
    model = sampled_model(joint, design, families, settings, max(1, len(samples)))
    climbs = [ascend(model, start, settings.pi_range) for start in _starts(model, ordinary.fit, settings)]
    return follow_shares(ordinary.fit, model, max(climbs, key=lambda one: one.value), settings, samples)


def _starts(model: SampledModel, fit: MarginalFit, settings: Settings) -> Iterator[EvidenceAt]:
    """Curves as labels at random would have them, no preference, and several shares."""
    known = dict(zip(fit.families, np.log(fit.precisions), strict=True))
    usual = dict(zip(model.families.names, model.families.usual(), strict=True))
    logs = np.array([known.get(name, usual[name]) for name in model.families.names])
    for step in TUNING.preference_starts:
        place = float(np.clip(fit.optimum.logit_pi + step, *settings.pi_range.logits))
        yield settle(model, start_at(model, fit.optimum, place), logs)
