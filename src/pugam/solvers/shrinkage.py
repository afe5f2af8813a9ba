"""Shrinkage, where rows are too few for as many columns: one ridge on all of them.

Smoothing restrains the bends of curves, not their slopes nor the levels of factors. Where these are many for the
rows there are, or separate the classes, the likelihood grows as curves do. A ridge keeps the curves small; share,
intercept and steepness then come from rows held out (`held_out`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine, map_in_threads
from pugam.solvers.adjustment import Adjustment
from pugam.solvers.dealing import Dealing, deal_weights, kinds_of_rows
from pugam.solvers.fisher import maximize_fisher
from pugam.solvers.fits import FittedKind, ShrunkenFit
from pugam.solvers.held_out import HeldOutRows
from pugam.solvers.moments import column_variances, shared_variances
from pugam.solvers.objective import Objective
from pugam.solvers.optimum import Optimum, best_of
from pugam.solvers.pi import PiRange
from pugam.solvers.settings import Settings
from pugam.solvers.starts import fit_naively, make_starts
from pugam.solvers.summit import reach_summit
from pugam.solvers.tuning import TUNING
from pugam.terms import Design

__all__ = ["fit_shrunken", "hold_out", "make_folds", "refit_shrunken"]

Array = NDArray[np.float64]
Dealings = Sequence[Dealing]

# By engine: what was asked for last, and the answer.
LAST_HELD_OUT: WeakKeyDictionary[Engine, tuple[bytes, HeldOutRows]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class _Candidate:
    """Curves shrunken by a ridge, and what rows held out say about them."""

    ridge: float
    objective: Objective
    engine: Engine
    design: Design
    folds: Dealings
    penalized: Optimum
    adjustment: Adjustment


def fit_shrunken(
    engine: Engine, designs: Sequence[Design], settings: Settings, rng: np.random.Generator
) -> FittedKind[ShrunkenFit]:
    """Fit with a ridge; of designs of the same terms, keep the one that predicts held-out rows best."""
    tried = [_try(engine, design, settings, rng) for design in designs]
    return _finish(max(tried, key=lambda one: one.adjustment.value), settings)


def refit_shrunken(fitted: FittedKind[ShrunkenFit], engine: Engine) -> FittedKind[ShrunkenFit]:
    """Refit with the same ridge to the same rows with other weights."""
    fit, settings = fitted.fit, fitted.settings
    folds = make_folds(engine)
    objective = Objective(engine, fitted.design.penalty(fit.kappas), settings.prior)
    fixed = _share_fixed(hold_out(objective, fit.penalized, folds).adjust(settings.pi_range))
    start = objective.layout.with_share(fit.penalized.beta, fixed.logits[0])
    (penalized,) = maximize_fisher(objective, start[None], fixed, TUNING.comparing_tol, TUNING.comparing_iterations)
    adjustment = hold_out(objective, penalized, folds).adjust(settings.pi_range)
    return _finish(_Candidate(fit.ridge, objective, engine, fitted.design, folds, penalized, adjustment), settings)


def hold_out(objective: Objective, penalized: Optimum, dealings: Dealings) -> HeldOutRows:
    """Score every row by curves fitted without its fold, the share of positives fixed at that of the fit to all.

    Every dealing scores a row anew, and each of its scores has its part of the row's weight. What a fit ends with is
    remembered as long as its engine is there: the diagnosis asks for it again.
    """
    dealt = [part for dealing in dealings for part in (dealing.rows, dealing.folds, dealing.parts)]
    asked = b"".join(part.tobytes() for part in (objective.penalty, penalized.beta, *dealt))
    known = LAST_HELD_OUT.get(objective.engine)
    if known is None or known[0] != asked or known[1].prior != objective.prior:
        known = LAST_HELD_OUT[objective.engine] = asked, _hold_out(objective, penalized, dealings)
    return known[1]


def _hold_out(objective: Objective, penalized: Optimum, dealings: Dealings) -> HeldOutRows:
    engine, times = objective.engine, len(dealings)
    scores = np.concatenate(_score(objective, penalized, dealings))
    rows = np.concatenate([dealing.rows for dealing in dealings])
    parts = np.concatenate([dealing.parts for dealing in dealings]) / times
    weights = parts if engine.weights is None else parts * engine.weights[rows]
    kept = weights > 0.0
    return HeldOutRows(scores[kept], engine.positive[rows[kept]], weights[kept], objective.prior, unit=1.0 / times)


def _score(objective: Objective, penalized: Optimum, dealings: Dealings) -> list[Array]:
    """Scores by curves that were fitted without them of what was dealt, one array for each dealing."""
    engine, fixed = objective.engine, PiRange(penalized.pi, penalized.pi)
    scores = [np.empty(len(dealing.rows)) for dealing in dealings]

    def score(task: tuple[int, int]) -> None:
        dealing, fold = dealings[task[0]], task[1]
        outside = dealing.folds == fold
        others = replace(objective, engine=engine.reweighted(1.0 - dealing.held_out(fold, engine.n_rows)))
        if min(others.engine.n0, others.engine.n1) == 0.0:  # a fold has all rows of a label: no curves without them
            scores[task[0]][outside] = penalized.intercept
            return
        (found,) = maximize_fisher(
            others, penalized.beta[None], fixed, TUNING.comparing_tol, TUNING.comparing_iterations
        )
        scores[task[0]][outside] = engine.linear_predictor(found.b)[dealing.rows[outside]]

    tasks = [(number, fold) for number in range(len(dealings)) for fold in range(TUNING.n_folds)]
    map_in_threads(score, tasks, engine.n_side_by_side)
    return scores


def make_folds(engine: Engine) -> list[Dealing]:
    """Deal the rows out to folds, several times over: always the same folds for the same rows.

    Three dealings leave less to luck than one: how far 2% of the rows left out move pi is in
    benchmarks/results/stability.md.
    """
    return [
        deal_weights(kinds_of_rows(engine, number), engine.positive, engine.weights, TUNING.n_folds)
        for number in range(TUNING.n_dealings)
    ]


def _try(engine: Engine, design: Design, settings: Settings, rng: np.random.Generator) -> _Candidate:
    """Fit with a ridge: curves at the share that rows held out of a naive fit give, and that share once more."""
    coarse, _ = design.coarse(TUNING.functions_each(len(design.bases)))
    rows = engine.redesigned(coarse, range(len(coarse.bases)))
    shrunken = coarse.with_ridge(TUNING.ridge * _tightness(coarse, rows))
    objective = Objective(rows, shrunken.penalty(np.zeros(len(shrunken.penalties))), settings.prior)
    folds = make_folds(rows)
    naive = fit_naively(objective, maximize_fisher)
    fixed = _share_fixed(hold_out(objective, naive, folds).adjust(settings.pi_range))
    starts = make_starts(rows, naive, fixed, settings.n_starts, rng)
    penalized = best_of(maximize_fisher(objective, starts, fixed, TUNING.comparing_tol, TUNING.comparing_iterations))
    adjustment = hold_out(objective, penalized, folds).adjust(settings.pi_range)
    return _Candidate(TUNING.ridge, objective, rows, shrunken, folds, penalized, adjustment)


def _finish(best: _Candidate, settings: Settings) -> FittedKind[ShrunkenFit]:
    """Climb to the optimum for the best ridge, and adjust share, intercept and steepness to the rows held out."""
    objective, fixed = best.objective, PiRange(best.penalized.pi, best.penalized.pi)
    by_newton = replace(settings, solver="newton")
    penalized = reach_summit(objective, best.penalized.beta, fixed, by_newton)
    (observed,) = objective.stand([penalized.beta], observed=True)
    adjustment = hold_out(objective, penalized, best.folds).settle(settings.pi_range)
    (reported,) = objective.stand([adjustment.moved(penalized.layout, penalized.beta)])
    fit = ShrunkenFit(
        optimum=Optimum.at(reported, penalized.n_iter, penalized.converged, penalized.history),
        penalized=penalized,
        observed=observed.information,
        kappas=np.zeros(len(best.design.penalties)),
        starts=(),
        ridge=best.ridge,
        adjustment=adjustment,
    )
    return FittedKind(best.engine, best.design, settings, fit)


def _share_fixed(adjustment: Adjustment) -> PiRange:
    return PiRange(adjustment.pi, adjustment.pi)


def _tightness(design: Design, engine: Engine) -> Array:
    """How tight a ridge of one holds each column: by its variance, and tighter the more a function bends."""
    bends = np.concatenate([basis.orders for basis in design.bases])
    variances = shared_variances(design, column_variances(engine))
    return np.asarray(2.0 * variances * TUNING.ridge_growth**bends)
