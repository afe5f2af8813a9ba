"""The whole fit: starts, smoothing, the climb to the optimum, and the removal of the penalty's bias on pi."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.likelihood import expit
from pugam.linear_algebra import inverse, solve
from pugam.solvers.adjustment import Adjustment
from pugam.solvers.bends import look_for_bends
from pugam.solvers.debiasing import debiased_logits
from pugam.solvers.exploring import (
    PILOT_KAPPA,
    StartRecord,
    carried_over,
    enough_rows,
    explore,
    explore_candidates,
    objectives,
)
from pugam.solvers.lookout import Lookout, look_for_higher, look_for_waves
from pugam.solvers.objective import MANY_COLUMNS, Objective
from pugam.solvers.optimum import Optimum, best_of
from pugam.solvers.pi import PiRange
from pugam.solvers.reml import select_reml
from pugam.solvers.settings import Settings
from pugam.solvers.settling import settle_reml
from pugam.solvers.smoothing import aic
from pugam.terms import Design

__all__ = [
    "Fit",
    "Fitted",
    "Shrinkage",
    "finish_fit",
    "fit_best_design",
    "fit_model",
    "warm_smoothing",
]

Array = NDArray[np.float64]
Start = tuple[Array, Array, tuple[StartRecord, ...]]  # parameters, smoothing parameters, and where all starts ended

PILOT_FUNCTIONS = 3  # of each smooth: a line, a bow and a wave are enough to tell good starts from traps
PILOT_TOL, PILOT_ITERATIONS, PILOT_EDF_TOL = 1e-2, 40, 0.05
# With five times so many rows or more, a sample of so many is fitted first.
REHEARSAL_ROWS = (10_000, 100_000)
WORTH_A_REHEARSAL = 5
EDF_TOL = 1e-2
# Of the intercept, and of any coefficient: further away the tangent is no guide.
LONGEST_FOLLOWING, FARTHEST_FOLLOWING = 1.0, 1e3
START_ROWS = 10_000  # starts at given smoothing parameters are compared on about so many rows
START_ITERATIONS = {"newton": 25, "em": 5_000}  # what has not arrived by then creeps along a boundary


@dataclass(frozen=True)
class Shrinkage:
    """How curves were shrunken, and what rows held out made of them.

    Attributes
    ----------
    ridge : float
        Strength of the ridge on the columns, scaled to unit variance.
    adjustment : Adjustment
        Share of positives, intercept and steepness.
    """

    ridge: float
    adjustment: Adjustment


@dataclass(frozen=True)
class Fit:
    """A fitted model.

    Attributes
    ----------
    optimum, penalized : Optimum
        The parameters reported, and the penalised optimum, each with its expected information. They differ where the
        bias of pi was corrected and the curves refitted.
    kappas : array of shape (n_terms,)
    starts : tuple of StartRecord
    debiased : bool
        Whether the bias correction was applied.
    observed : array of shape (q, q)
        The observed information at the penalised optimum.
    shrinkage : Shrinkage, optional
        Where a ridge held the curves: the parameters reported are then those of the penalised optimum, adjusted.
    """

    optimum: Optimum
    penalized: Optimum
    observed: Array
    kappas: Array
    starts: tuple[StartRecord, ...]
    debiased: bool
    shrinkage: Shrinkage | None = None

    @property
    def converged(self) -> bool:
        """Whether every climb that counts ended at its optimum."""
        return self.optimum.converged and self.penalized.converged


@dataclass(frozen=True)
class Fitted:
    """A fit together with all it was made from."""

    engine: Engine
    design: Design
    settings: Settings
    fit: Fit


def fit_best_design(engine: Engine, designs: Sequence[Design], settings: Settings, rng: np.random.Generator) -> Fitted:
    """Fit designs of the same terms and keep the one of the lowest AIC.

    Of many rows a sample decides, and of many columns a coarser basis. The engine is for the terms of all designs.
    """
    if len(designs) == 1:
        return _fit_design(engine, designs[0], settings, rng)
    many_rows = engine.n_rows > WORTH_A_REHEARSAL * REHEARSAL_ROWS[0]
    many_columns = designs[0].n_columns > MANY_COLUMNS
    rows = engine.pilot(designs[0], REHEARSAL_ROWS[0], rng) if many_rows else engine
    compared = [design.coarse(PILOT_FUNCTIONS)[0] for design in designs] if many_columns else designs
    only_compared = many_rows or many_columns
    most = min(settings.max_iter, START_ITERATIONS[settings.solver])
    trial = replace(settings, max_iter=most, debias=settings.debias and not only_compared)
    fits = [_fit_design(rows, design, trial, rng) for design in compared]
    best = int(np.argmin([aic(one.fit.penalized, one.fit.penalized.free(settings.pi_range)) for one in fits]))
    found = fits[best].fit
    if found.converged and not only_compared:
        return replace(fits[best], settings=settings)
    coarse = (found.penalized.beta, found.kappas, found.starts) if many_columns and not many_rows else None
    return _fit_design(engine, designs[best], settings, rng, coarse)


def _fit_design(
    engine: Engine, design: Design, settings: Settings, rng: np.random.Generator, coarse: Start | None = None
) -> Fitted:
    if design is not engine.design:
        engine = engine.redesigned(design, range(len(design.bases)))
    return Fitted(engine, design, settings, fit_model(engine, design, settings, rng, coarse))


def fit_model(
    engine: Engine, design: Design, settings: Settings, rng: np.random.Generator, coarse: Start | None = None
) -> Fit:
    """Fit the model behind an engine; `coarse` is where a fit with a coarser basis ended, if there was one."""
    if isinstance(settings.smoothing, str) and settings.smoothing == "reml":
        start, kappas, records = _by_reml(engine, design, settings, rng, coarse)
    else:
        start, kappas, records = _by_candidates(engine, design, settings, rng)
    return finish_fit(engine, design, settings, start, kappas, records)


def finish_fit(
    engine: Engine,
    design: Design,
    settings: Settings,
    start: Array,
    kappas: Array,
    records: tuple[StartRecord, ...] = (),
) -> Fit:
    """Climb to the optimum at given smoothing parameters, and take the penalty's bias out of pi."""
    objective = Objective(engine, design.penalty(kappas), settings.prior)
    penalized, observed = _climb(objective, start, settings)
    fit = Fit(penalized, penalized, observed, kappas, records, debiased=False)
    return _debias(fit, objective, settings) if settings.debias else fit


def warm_smoothing(
    engine: Engine, design: Design, settings: Settings, start: Array, kappas: Array
) -> tuple[Array, Array]:
    """Choose smoothing anew for rows much like those of a fit that ended at `start` with `kappas`."""
    at = objectives(engine, design, settings.prior)
    if not isinstance(settings.smoothing, str):
        return start, kappas
    if settings.smoothing == "reml":
        return select_reml(design, at, start, kappas, settings.pi_range, EDF_TOL)
    candidates = [np.full(len(design.penalties), kappa) for kappa in settings.grid]
    optima = [_climb(at(candidate), start, settings)[0] for candidate in candidates]
    best = int(np.argmin([aic(optimum, optimum.free(settings.pi_range)) for optimum in optima]))
    return optima[best].beta, candidates[best]


def _by_reml(
    engine: Engine, design: Design, settings: Settings, rng: np.random.Generator, coarse: Start | None = None
) -> Start:
    """Choose smoothing; with many rows from what a sample of them says, with many columns from a coarser basis."""
    sizes = [size for size in REHEARSAL_ROWS if engine.n_rows > WORTH_A_REHEARSAL * size]
    if not sizes:
        if design.n_columns > MANY_COLUMNS and len(design.bases) * PILOT_FUNCTIONS < design.n_columns:
            return _from_coarse(engine, design, settings, rng, coarse)
        return _from_nothing(engine, design, settings, rng)
    sample = engine.pilot(design, max(sizes), rng)
    beta, kappas, records = _by_reml(sample, design, settings, rng)
    at = objectives(engine, design, settings.prior)
    beta = carried_over(beta, sample, engine)
    return *settle_reml(design, at, beta, kappas, settings.pi_range, EDF_TOL), records


def _from_coarse(
    engine: Engine, design: Design, settings: Settings, rng: np.random.Generator, start: Start | None
) -> Start:
    """Choose smoothing from where it ended with the smoothest functions of each term, all looking around done there."""
    coarse, columns = design.coarse(PILOT_FUNCTIONS)
    if start is None:
        start = _from_nothing(engine.redesigned(coarse, range(len(design.bases))), coarse, settings, rng)
    found, kappas, records = start
    at, beta = objectives(engine, design, settings.prior), _with_more_columns(found, design, columns)
    beta, kappas = select_reml(design, at, beta, kappas, settings.pi_range, EDF_TOL)
    return *look_for_bends(design, at, beta, kappas, settings.pi_range), records


def _with_more_columns(beta: Array, design: Design, columns: NDArray[np.intp]) -> Array:
    """Parameters of a coarser basis as those of the whole one."""
    whole = np.zeros(design.layout.size)
    whole[design.layout.keeping(columns)] = beta
    return whole


def _from_nothing(engine: Engine, design: Design, settings: Settings, rng: np.random.Generator) -> Start:
    """Explore with a coarse basis on few rows, then choose smoothing with ever more of both."""
    coarse, columns = design.coarse(PILOT_FUNCTIONS)
    pilot = engine.pilot(coarse, enough_rows(coarse), rng)
    kappas = np.full(len(design.penalties), PILOT_KAPPA)
    at = objectives(pilot, coarse, settings.prior)
    exploring = replace(settings, tol=PILOT_TOL, max_iter=PILOT_ITERATIONS)
    optima, records = explore(at, kappas, exploring, rng)
    found, kappas = select_reml(coarse, at, best_of(optima).beta, kappas, settings.pi_range, PILOT_EDF_TOL)

    beta = carried_over(_with_more_columns(found, design, columns), pilot, engine)
    at = objectives(engine, design, settings.prior)
    beta, kappas = select_reml(design, at, beta, kappas, settings.pi_range, EDF_TOL)
    beta, kappas = look_for_bends(design, at, beta, kappas, settings.pi_range)
    lookout = Lookout.over(engine, design, settings, rng)
    beta, kappas = look_for_waves(lookout, beta, kappas)
    return *look_for_higher(lookout, beta, kappas), records


def _by_candidates(engine: Engine, design: Design, settings: Settings, rng: np.random.Generator) -> Start:
    """Try all starts at each candidate, from smooth to rough, and keep the candidate of the lowest AIC.

    Given smoothing parameters are the only candidate.
    """
    n_penalties = len(design.penalties)
    if isinstance(settings.smoothing, str):
        candidates = [np.full(n_penalties, kappa) for kappa in sorted(settings.grid, reverse=True)]
    else:
        candidates = [settings.smoothing]
    sample = engine.pilot(design, START_ROWS, rng)
    exploring = replace(settings, max_iter=min(settings.max_iter, START_ITERATIONS[settings.solver]))
    best, records = explore_candidates(objectives(sample, design, settings.prior), candidates, exploring, rng)
    starts = [carried_over(optimum.beta, sample, engine) for optimum in best]
    if len(candidates) == 1:
        return starts[0], candidates[0], records
    at = objectives(engine, design, settings.prior)
    optima = [_climb(at(kappas), start, settings)[0] for kappas, start in zip(candidates, starts, strict=True)]
    chosen = int(np.argmin([aic(optimum, optimum.free(settings.pi_range)) for optimum in optima]))
    return optima[chosen].beta, candidates[chosen], records


def _climb(objective: Objective, start: Array, settings: Settings) -> tuple[Optimum, Array]:
    """Climb to the optimum; return it with the expected information there, and the observed information."""
    optimum = settings.maximize(objective, start[None], settings.pi_range, settings.tol, settings.max_iter)[0]
    (expected,) = objective.stand([optimum.beta])
    observed = optimum if optimum.observed else objective.stand([optimum.beta], observed=True)[0]
    return Optimum.at(expected, optimum.n_iter, optimum.converged, optimum.history), observed.information


def _debias(fit: Fit, objective: Objective, settings: Settings) -> Fit:
    """Step from the penalised towards the unpenalised optimum in pi alone, then refit the rest."""
    optimum, pi_range = fit.penalized, settings.pi_range
    if not pi_range.is_inside(optimum.pi) or not objective.penalty.any():
        return fit
    layout, hessian = optimum.layout, optimum.hessian
    covariance = inverse(hessian)
    logit_pi = debiased_logits(layout, optimum.beta, objective.penalty, lambda rhs: rhs @ covariance, pi_range)
    shift, start = float(logit_pi) - optimum.logit_pi, layout.with_share(optimum.beta, logit_pi)
    predictor, pi = layout.predictor, float(expit(start[layout.share]))
    # Where everything else goes when pi moves a little.
    followed = solve(hessian[predictor, predictor], -shift * hessian[predictor, layout.share])
    of_intercept = followed[layout.of_predictors.intercept]
    if np.abs(of_intercept) < LONGEST_FOLLOWING and np.abs(followed).max() < FARTHEST_FOLLOWING:
        start[predictor] += followed
    refit = settings.maximize(objective, start[None], PiRange(pi, pi), settings.tol, settings.max_iter)[0]
    (expected,) = objective.stand([refit.beta])
    refit = Optimum.at(expected, refit.n_iter, refit.converged, refit.history)
    return replace(fit, optimum=refit, debiased=True)
