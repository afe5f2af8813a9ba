"""A second look around once smoothing is chosen: are there better maxima than the one reached?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.solvers.bends import is_better
from pugam.solvers.exploring import ObjectiveAt, carried_over, enough_rows, explore, objectives
from pugam.solvers.optimum import Optimum, best_of
from pugam.solvers.reml import Choice, select_reml
from pugam.solvers.settings import Settings
from pugam.solvers.smoothing import edf_by_term
from pugam.solvers.tuning import TUNING
from pugam.terms import Design

__all__ = ["Lookout", "look_for_higher", "look_for_waves"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Lookout:
    """A coarser basis on a sample of the rows, from which to look for better maxima than the one reached."""

    engine: Engine
    design: Design
    settings: Settings
    rng: np.random.Generator
    sample: Engine
    coarse: Design
    places: NDArray[np.intp]  # of the coarser basis' parameters among those of the whole one

    @classmethod
    def over(cls, engine: Engine, design: Design, settings: Settings, rng: np.random.Generator) -> Lookout:
        """Build a lookout over the rows of an engine."""
        coarse, columns = design.coarse(TUNING.functions_each(len(design.estimated_terms)))
        sample = engine.pilot(coarse, enough_rows(coarse), rng)
        exploring = replace(settings, tol=TUNING.lookout_tol, max_iter=TUNING.lookout_iterations)
        return cls(engine, design, exploring, rng, sample, coarse, design.layout.keeping(columns))

    @property
    def at(self) -> ObjectiveAt:
        """The objective on all rows."""
        return objectives(self.engine, self.design, self.settings.prior)

    @property
    def at_sample(self) -> ObjectiveAt:
        """The objective on the sample, with the coarser basis."""
        return objectives(self.sample, self.coarse, self.settings.prior)

    def down(self, beta: Array) -> Array:
        """Bring parameters to the sample."""
        return carried_over(beta[self.places], self.engine, self.sample)

    def up(self, beta: Array) -> Array:
        """Bring parameters from the sample to all rows."""
        whole = np.zeros(self.design.layout.size)
        whole[self.places] = carried_over(beta, self.sample, self.engine)
        return whole

    def explore(self, kappas: Array, beta: Array, n_starts: int) -> tuple[Optimum, Optimum]:
        """Climb from some starts and from `beta`, on the sample; return the best end and that of `beta`."""
        settings = replace(self.settings, n_starts=min(self.settings.n_starts, n_starts))
        optima, _ = explore(self.at_sample, kappas, settings, self.rng, self.down(beta))
        return best_of(optima), optima[-1]

    def settled(self, kappas: Array, beta: Array) -> Optimum:
        """Climb from `beta` alone, on the sample."""
        starts, settings = self.down(beta)[None], self.settings
        return settings.maximize(self.at_sample(kappas), starts, settings.pi_range, settings.tol, settings.max_iter)[0]


def look_for_waves(lookout: Lookout, beta: Array, kappas: Array) -> Choice:
    """Choose smoothing anew from a rough fit, where some terms are smooth; keep what the REML criterion prefers.

    Smoothed much, a wave is a straight line, with nothing left of it that could grow: the choice of smoothing may end
    there although far better ones exist.
    """
    rough = np.minimum(kappas, TUNING.rough_kappa)
    if (rough == kappas).all():
        return beta, kappas
    pi_range = lookout.settings.pi_range
    best, _ = lookout.explore(rough, beta, TUNING.rough_starts)
    there = select_reml(lookout.coarse, lookout.at_sample, best.beta, rough, pi_range, TUNING.pilot_edf_tol)
    if _is_alike(lookout, there, (lookout.settled(kappas, beta).beta, kappas)):
        return beta, kappas
    new = select_reml(lookout.design, lookout.at, lookout.up(there[0]), there[1], pi_range, TUNING.pilot_edf_tol)
    if not is_better(lookout.design, lookout.at, new, (beta, kappas), pi_range):
        return beta, kappas
    return select_reml(lookout.design, lookout.at, *new, pi_range, TUNING.edf_tol)


def _is_alike(lookout: Lookout, one: Choice, other: Choice) -> bool:
    """Whether two choices of smoothing on the sample give nearly the same curves and pi."""
    degrees, logits, pi_range = [], [], lookout.settings.pi_range
    for beta, kappas in (one, other):
        (here,) = lookout.at_sample(kappas).stand([beta])
        degrees.append(edf_by_term(lookout.coarse, here, here.covariance(pi_range)))
        logits.append(here.logit_pi)
    bend_alike = np.max(np.abs(degrees[0] - degrees[1]), initial=0.0) < TUNING.alike_edf
    return bool(bend_alike) and (pi_range.fixed or abs(logits[0] - logits[1]) < TUNING.alike_logit)


def look_for_higher(lookout: Lookout, beta: Array, kappas: Array) -> Choice:
    """Try some starts at the chosen smoothing; move where one of them ends higher on all rows, and choose anew."""
    pi_range = lookout.settings.pi_range
    for _ in range(TUNING.most_moves):
        best, stay = lookout.explore(kappas, beta, TUNING.lookout_starts)
        if best.value < stay.value + TUNING.worth_moving:
            break
        starts = np.array([beta, lookout.up(best.beta)])
        here, there = lookout.settings.maximize(
            lookout.at(kappas), starts, pi_range, TUNING.lookout_tol, TUNING.lookout_iterations
        )
        if there.value < here.value + TUNING.worth_moving:
            break
        beta, kappas = select_reml(lookout.design, lookout.at, there.beta, kappas, pi_range, TUNING.edf_tol)
    return beta, kappas
