"""Climbing from many starts, on all rows or a sample of them, and carrying parameters between the two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.likelihood import alpha_shift, expit, logit
from pugam.solvers.objective import Objective
from pugam.solvers.optimum import Optimum, best_of
from pugam.solvers.pi import PiPrior, PiRange
from pugam.solvers.settings import Settings
from pugam.solvers.starts import fit_naively, make_starts
from pugam.solvers.tuning import TUNING
from pugam.terms import Design

__all__ = [
    "ObjectiveAt",
    "StartRecord",
    "carried_over",
    "enough_rows",
    "explore",
    "explore_candidates",
    "objectives",
]

Array = NDArray[np.float64]
ObjectiveAt = Callable[[Array], Objective]  # the objective for given smoothing parameters


@dataclass(frozen=True)
class StartRecord:
    """One start: where it began and where it ended."""

    kappa: float
    pi_start: float
    pi: float
    objective: float
    n_iter: int
    converged: bool


def enough_rows(design: Design) -> int:
    """Return how many rows a first look at a design needs."""
    n_free = int(np.count_nonzero(~design.is_penalized))
    return max(
        TUNING.pilot_rows, TUNING.pilot_rows_per_column * design.n_columns, TUNING.pilot_rows_per_free_column * n_free
    )


def carried_over(beta: Array, source: Engine, target: Engine) -> Array:
    """Bring parameters from one set of rows to another: alpha stays, the intercept depends on the counts of labels."""
    layout = source.design.layout
    carried, pi = beta.copy(), expit(beta[layout.share])
    carried[layout.intercept] += alpha_shift(pi, target.n0, target.n1) - alpha_shift(pi, source.n0, source.n1)
    return carried


def objectives(engine: Engine, design: Design, prior: PiPrior) -> ObjectiveAt:
    """Return the objective as a function of the smoothing parameters."""
    return lambda kappas: Objective(engine, design.penalty(kappas), prior)


def explore(
    at: ObjectiveAt,
    kappas: Array,
    settings: Settings,
    rng: np.random.Generator,
    further_start: Array | None = None,
) -> tuple[list[Optimum], tuple[StartRecord, ...]]:
    """Climb from all starts, and from a further one if given, which comes last."""
    (starts,) = _starts(at, [kappas], settings, rng)
    if further_start is not None:
        starts = np.vstack([starts, further_start])
    optima = _climb(at(kappas), starts, settings)
    return optima, _records(at(kappas), kappas, starts, optima)


def explore_candidates(
    at: ObjectiveAt, candidates: Sequence[Array], settings: Settings, rng: np.random.Generator
) -> tuple[list[Optimum], tuple[StartRecord, ...]]:
    """Climb from all starts at every candidate for the smoothing parameters; return the best optimum of each.

    All these climbs are made side by side. Then each candidate's best point is a further start for the next one, and so
    are curves of zero where they are better than all that was found: few starts may end below them.
    """
    starts = _starts(at, candidates, settings, rng)
    counts = [len(some) for some in starts]
    together = Objective.side_by_side([at(kappas) for kappas in candidates], counts)
    optima = iter(_climb(together, np.vstack(starts), settings))
    best: list[Optimum] = []
    records: list[StartRecord] = []
    for kappas, some in zip(candidates, starts, strict=True):
        found = list(islice(optima, len(some)))
        further = [one.beta for one in best[-1:]]
        flat, value = _flat_curves(at(kappas), settings.pi_range)
        if value > best_of(found).value:
            further.append(flat)
        if further:
            some = np.vstack([some, *further])
            found += _climb(at(kappas), np.array(further), settings)
        best.append(best_of(found))
        records.extend(_records(at(kappas), kappas, some, found))
    return best, tuple(records)


def _starts(at: ObjectiveAt, candidates: Sequence[Array], settings: Settings, rng: np.random.Generator) -> list[Array]:
    """Make the starts of every candidate, from one naive fit where several are to be smoothed alike for it."""
    naive: dict[bytes, Optimum] = {}
    starts = []
    for kappas in candidates:
        smooth = at(np.maximum(kappas, TUNING.pilot_kappa))
        key = smooth.penalty.tobytes()
        if key not in naive:
            naive[key] = fit_naively(smooth, settings.maximize)
        starts.append(make_starts(smooth.engine, naive[key], settings.pi_range, settings.n_starts, rng))
    return starts


def _flat_curves(objective: Objective, pi_range: PiRange) -> tuple[Array, float]:
    """Curves of zero, and the objective there: all rows are alike, so that only the prior tells values of pi apart."""
    layout, n0, n1 = objective.layout, objective.engine.n0, objective.engine.n1
    pi = pi_range.clip(np.array(objective.prior.mode))
    beta = layout.join(logit(pi), alpha_shift(pi, n0, n1), np.zeros(layout.n_coefficients))
    loglik = n0 * np.log(n0 / (n0 + n1)) + n1 * np.log(n1 / (n0 + n1))
    return beta, float(loglik + objective.prior.value(pi))


def _climb(objective: Objective, starts: Array, settings: Settings) -> list[Optimum]:
    return settings.maximize(objective, starts, settings.pi_range, settings.tol, settings.max_iter)


def _records(objective: Objective, kappas: Array, starts: Array, optima: Sequence[Optimum]) -> tuple[StartRecord, ...]:
    kappa = float(kappas.max(initial=0.0))
    return tuple(
        StartRecord(kappa, float(pi), optimum.pi, optimum.value, optimum.n_iter, optimum.converged)
        for pi, optimum in zip(objective.pi(starts), optima, strict=True)
    )
