"""Shrinkage, where rows are too few for as many columns: one ridge on all of them, whose strength held-out rows choose.

Smoothing restrains the bends of curves, not their slopes nor the levels of factors. Where these are many for the
rows there are, or separate the classes, the likelihood grows as curves do. A ridge keeps the curves small; share,
intercept and steepness then come from rows held out (`held_out`), which also say which ridge predicts best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine, map_in_threads
from pugam.solvers.adjustment import Adjustment
from pugam.solvers.fisher import maximize_fisher
from pugam.solvers.held_out import HeldOutRows
from pugam.solvers.objective import Objective
from pugam.solvers.optimum import Optimum, best_of
from pugam.solvers.pi import PiRange
from pugam.solvers.procedure import Fit, Fitted, Shrinkage
from pugam.solvers.settings import Settings
from pugam.solvers.starts import fit_naively, make_starts
from pugam.terms import Design

__all__ = ["fit_shrunken", "has_enough_rows", "hold_out", "make_folds", "refit_shrunken"]

Array = NDArray[np.float64]

FEWEST_ROWS_PER_COLUMN = 20  # labelled or unlabelled, whichever are fewer; of columns that no smoothing restrains
RIDGES = (3.0, 0.3, 30.0)  # on the squares of coefficients of columns scaled to unit variance; the first is tried first
FUNCTIONS, FEWEST_FUNCTIONS, COARSE_COLUMNS = 6, 3, 150  # of each smooth; where terms are many, a line, a bow, a wave
BENDING = 3.0  # each further function is held so many times as tight
N_FOLDS = 5
# Log-likelihood of rows held out by which a ridge is behind another when it is given up, for rows of weight one; a
# second round was seen to change it by less than 3.
HOPELESS = 5.0
ROUNDS = 2  # of curves at a share of positives, and that share from the rows they were not fitted to
FOLD_SEED = 1
ALIKE_DECIMALS = 12
FEWEST_KINDS = 50  # of rows: with fewer, rows that are alike are dealt out one by one
TOL, ITERATIONS = 1e-2, 30  # of climbs that only serve to compare, or to predict rows held out


@dataclass(frozen=True)
class _Candidate:
    """Curves held by a ridge, and what rows held out say about them."""

    ridge: float
    objective: Objective
    engine: Engine
    design: Design
    folds: NDArray[np.intp]
    penalized: Optimum
    adjustment: Adjustment


def has_enough_rows(design: Design, engine: Engine) -> bool:
    """Whether there are rows enough for the columns that no smoothing restrains."""
    n_free = int(np.count_nonzero(~design.is_penalized))
    return min(engine.n0, engine.n1) >= FEWEST_ROWS_PER_COLUMN * n_free


def fit_shrunken(engine: Engine, designs: Sequence[Design], settings: Settings, rng: np.random.Generator) -> Fitted:
    """Fit with a ridge; of designs of the same terms, and of ridges, keep what predicts held-out rows best.

    The last design is tried first: one with logarithms, if there is one, is the better one as a rule, which shortens
    the rest.
    """
    *others, chosen = designs
    best = _try(engine, chosen, RIDGES[0], settings, rng)
    for design in others:
        other = _try(engine, design, RIDGES[0], settings, rng, best)
        if other.adjustment.value > best.adjustment.value:
            best, chosen = other, design
    for ridge in RIDGES[1:]:
        best = max(best, _try(engine, chosen, ridge, settings, rng, best), key=lambda one: one.adjustment.value)
    return _finish(best, settings)


def refit_shrunken(fitted: Fitted, engine: Engine) -> Fitted:
    """Refit with the same ridge to the same rows with other weights."""
    fit, settings = fitted.fit, fitted.settings
    assert fit.shrinkage is not None
    folds = make_folds(engine)
    objective = Objective(engine, fitted.design.penalty(fit.kappas), settings.prior)
    penalized, adjustment = fit.penalized, fit.shrinkage.adjustment
    for _ in range(ROUNDS):
        start = objective.layout.with_share(penalized.beta, adjustment.logit_pi)
        (penalized,) = maximize_fisher(objective, start[None], _held(adjustment), TOL, ITERATIONS)
        adjustment = hold_out(objective, penalized, folds).adjust(settings.pi_range)
    best = _Candidate(fit.shrinkage.ridge, objective, engine, fitted.design, folds, penalized, adjustment)
    return _finish(best, settings)


def hold_out(objective: Objective, penalized: Optimum, folds: NDArray[np.intp]) -> HeldOutRows:
    """Score every row by curves fitted without its fold, the share of positives held at that of the fit to all."""
    engine = objective.engine
    held = PiRange(penalized.pi, penalized.pi)
    scores = np.empty(engine.n_rows)

    def score(fold: int) -> None:
        outside = folds == fold
        others = replace(objective, engine=engine.reweighted((~outside).astype(float)))
        if min(others.engine.n0, others.engine.n1) == 0.0:  # a fold has all rows of a label: no curves without them
            scores[outside] = penalized.intercept
            return
        (found,) = maximize_fisher(others, penalized.beta[None], held, TOL, ITERATIONS)
        scores[outside] = engine.linear_predictor(found.b)[outside]

    map_in_threads(score, range(N_FOLDS), engine.n_side_by_side)
    if engine.weights is None:
        return HeldOutRows(scores, engine.positive, np.ones(engine.n_rows), objective.prior)
    kept = engine.weights > 0.0
    return HeldOutRows(scores[kept], engine.positive[kept], engine.weights[kept], objective.prior)


def make_folds(engine: Engine) -> NDArray[np.intp]:
    """Deal the rows out to folds, labelled and unlabelled ones evenly: always the same folds for the same rows.

    Rows that are alike go to the same fold: curves that were fitted to one of a row's twins are no judge of it.
    """
    rng = np.random.default_rng(FOLD_SEED)
    twins = _first_alike(engine)
    folds = np.empty(engine.n_rows, dtype=np.intp)
    labelled = np.isin(np.arange(engine.n_rows), twins[engine.positive])
    for chosen in (labelled, ~labelled):
        rows = np.flatnonzero(chosen & (twins == np.arange(engine.n_rows)))
        folds[rng.permutation(rows)] = np.arange(len(rows)) % N_FOLDS
    return folds[twins]


def _first_alike(engine: Engine) -> NDArray[np.intp]:
    """Of each row, the first one that has the same values in all columns.

    That is itself, where there are only a few kinds of rows: they repeat because there is not more to tell of a row.
    """
    factors = np.random.default_rng(FOLD_SEED).uniform(1.0, 2.0, engine.design.layout.of_predictors.size)
    mixed = engine.linear_predictor(factors)
    mixed = np.round(mixed / max(float(np.abs(mixed).max()), 1.0), ALIKE_DECIMALS)
    _, first, kind = np.unique(mixed, return_index=True, return_inverse=True)
    if len(first) < FEWEST_KINDS:
        return np.arange(engine.n_rows)
    return first[kind]


def _try(
    engine: Engine,
    design: Design,
    ridge: float,
    settings: Settings,
    rng: np.random.Generator,
    best: _Candidate | None = None,
) -> _Candidate:
    """Fit with a ridge: curves and the share of positives in turn, the latter from rows held out.

    One that is far behind the best so far is soon given up.
    """
    coarse, _ = design.coarse(max(FEWEST_FUNCTIONS, min(FUNCTIONS, COARSE_COLUMNS // len(design.bases))))
    rows = engine.redesigned(coarse, range(len(coarse.bases)))
    shrunken = coarse.held_by(ridge * _tightness(coarse, rows))
    objective = Objective(rows, shrunken.penalty(np.zeros(len(shrunken.penalties))), settings.prior)
    folds = make_folds(rows)
    naive = penalized = fit_naively(objective, maximize_fisher)
    adjustment = hold_out(objective, naive, folds).adjust(settings.pi_range)
    hopeless = HOPELESS * (rows.n0 + rows.n1) / rows.n_rows
    for _ in range(ROUNDS):
        held = _held(adjustment)
        starts = make_starts(rows, naive, held, settings.n_starts, rng)
        penalized = best_of(maximize_fisher(objective, starts, held, TOL, ITERATIONS))
        adjustment = hold_out(objective, penalized, folds).adjust(settings.pi_range)
        if best is not None and adjustment.value < best.adjustment.value - hopeless:
            break
    return _Candidate(ridge, objective, rows, shrunken, folds, penalized, adjustment)


def _finish(best: _Candidate, settings: Settings) -> Fitted:
    """Climb to the optimum for the best ridge, and adjust share, intercept and steepness to the rows held out."""
    objective, held = best.objective, PiRange(best.penalized.pi, best.penalized.pi)
    (penalized,) = maximize_fisher(objective, best.penalized.beta[None], held, settings.tol, settings.max_iter)
    expected, observed = (objective.stand([penalized.beta], observed=kind)[0] for kind in (False, True))
    penalized = Optimum.at(expected, penalized.n_iter, penalized.converged, penalized.history)
    adjustment = hold_out(objective, penalized, best.folds).settle(settings.pi_range)
    (reported,) = objective.stand([adjustment.moved(penalized.layout, penalized.beta)])
    fit = Fit(
        optimum=Optimum.at(reported, penalized.n_iter, penalized.converged, penalized.history),
        penalized=penalized,
        observed=observed.information,
        kappas=np.zeros(len(best.design.penalties)),
        starts=(),
        debiased=False,
        shrinkage=Shrinkage(best.ridge, adjustment),
    )
    return Fitted(best.engine, best.design, settings, fit)


def _held(adjustment: Adjustment) -> PiRange:
    return PiRange(adjustment.pi, adjustment.pi)


def _tightness(design: Design, engine: Engine) -> Array:
    """How tight a ridge of one holds each column: by its variance, and tighter the more a function bends."""
    bends = np.concatenate([basis.orders for basis in design.bases])
    layout, ones = design.layout, design.layout.of_predictors.intercept
    flat = np.zeros((1, layout.of_predictors.size))
    # Without curves all rows have the same information: what is left of it are products of columns.
    moments = engine.sums(np.array([0.5]), flat).information[0, layout.predictor, layout.predictor]
    means = moments[ones] / moments[ones, ones]
    variances = moments.diagonal() / moments[ones, ones] - means**2
    return np.asarray(2.0 * np.maximum(variances[layout.of_predictors.coefficients], 0.0) * BENDING**bends)
