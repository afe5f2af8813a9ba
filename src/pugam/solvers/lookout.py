"""A second look around once smoothing is chosen: are there better maxima than the one reached?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.solvers.bends import Choice
from pugam.solvers.exploring import ObjectiveAt, carried_over, enough_rows, explore, objectives
from pugam.solvers.optimum import Optimum, best_of
from pugam.solvers.reml import select_reml
from pugam.solvers.settings import Settings
from pugam.terms import Design

__all__ = ["Lookout", "look_for_higher"]

Array = NDArray[np.float64]

LOOKOUT_FUNCTIONS, STARTS = 6, 6
FEWEST_FUNCTIONS, COARSE_COLUMNS = 3, 150  # of many terms fewer functions are looked at
LOOKOUT_TOL, LOOKOUT_ITERATIONS, EDF_TOL = 1e-2, 40, 1e-2
WORTH_MOVING = 0.01  # gain in the objective
MOST_MOVES = 4


@dataclass(frozen=True)
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
        n_functions = max(FEWEST_FUNCTIONS, min(LOOKOUT_FUNCTIONS, COARSE_COLUMNS // len(design.bases)))
        coarse, columns = design.coarse(n_functions)
        sample = engine.pilot(coarse, enough_rows(coarse), rng)
        exploring = replace(settings, tol=LOOKOUT_TOL, max_iter=LOOKOUT_ITERATIONS)
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


def look_for_higher(lookout: Lookout, beta: Array, kappas: Array) -> Choice:
    """Try some starts at the chosen smoothing; move where one of them ends higher on all rows, and choose anew."""
    pi_range = lookout.settings.pi_range
    for _ in range(MOST_MOVES):
        best, stay = lookout.explore(kappas, beta, STARTS)
        if best.value < stay.value + WORTH_MOVING:
            break
        starts = np.array([beta, lookout.up(best.beta)])
        here, there = lookout.settings.maximize(lookout.at(kappas), starts, pi_range, LOOKOUT_TOL, LOOKOUT_ITERATIONS)
        if there.value < here.value + WORTH_MOVING:
            break
        beta, kappas = select_reml(lookout.design, lookout.at, there.beta, kappas, pi_range, EDF_TOL)
    return beta, kappas
