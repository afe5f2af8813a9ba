"""Many refits of one model to resampled rows: all at once at the same smoothing, or one by one with it chosen anew.

A resample is a vector of counts, one for each row; every climb begins where that of all rows ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Counts, Engine
from pugam.likelihood import alpha_shift
from pugam.solvers.batch import maximize_resamples, solve_semidefinite
from pugam.solvers.debiasing import debiased_logits
from pugam.solvers.fits import Fit, Fitted, FittedKind, MarginalFit, ShrunkenFit, SmoothedFit
from pugam.solvers.marginal import refit_marginal
from pugam.solvers.objective import ResampledObjective
from pugam.solvers.pi import FIXED, PiRange
from pugam.solvers.samples import refit_samples
from pugam.solvers.settings import Settings
from pugam.solvers.shrinkage import refit_shrunken
from pugam.solvers.strategy import finish_fit, warm_smoothing
from pugam.terms import Design

__all__ = ["Refits", "refit", "refit_resamples", "reselect", "reselect_resamples"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Refits:
    """Refits to B resamples.

    Attributes
    ----------
    beta, penalized : arrays of shape (B, q)
        The parameters reported, and the penalised optimum they came from.
    alpha : array of shape (B,)
        The intercept of the log density ratio; the intercept in `beta` depends on the counts of labels.
    kappas : array of shape (B, n_penalties)
    converged : bool array of shape (B,)
    shares : array of shape (B, K)
        Logits of the shares of K unlabelled samples; of shape (B, 0) where samples are not told apart.
    """

    beta: Array
    penalized: Array
    alpha: Array
    kappas: Array
    converged: NDArray[np.bool_]
    shares: Array


def refit_resamples(fitted: Fitted, counts: Counts) -> Refits:
    """Refit with the smoothing parameters of the fit, or its ridge; `counts` has shape (B, n_rows)."""
    if fitted.fit.climbs_together(fitted.design):
        return _refit_together(fitted, counts)
    resamples = [fitted.engine.reweighted(row) for row in counts]
    return _joined([(row, refit(fitted.fit, row, fitted.design, fitted.settings)) for row in resamples])


def reselect_resamples(fitted: Fitted, counts: Counts) -> Refits:
    """Refit with smoothing parameters chosen anew for every resample; a ridge stays as it is."""
    resamples = [fitted.engine.reweighted(row) for row in counts]
    return _joined([(row, reselect(fitted.fit, row, fitted.design, fitted.settings)) for row in resamples])


@singledispatch
def refit(fit: Fit, engine: Engine, design: Design, settings: Settings) -> Fit:
    """Refit to rows counted otherwise, with the same smoothing parameters or ridge: each kind of fit in its own way."""
    raise NotImplementedError


@refit.register
def _refit_smoothed(fit: SmoothedFit, engine: Engine, design: Design, settings: Settings) -> Fit:
    return finish_fit(engine, design, settings, fit.penalized.beta, fit.kappas)


@refit.register
def _refit_shrunken(fit: ShrunkenFit, engine: Engine, design: Design, settings: Settings) -> Fit:
    return refit_shrunken(FittedKind(engine, design, settings, fit), engine).fit


@refit.register
def _refit_marginal(fit: MarginalFit, engine: Engine, design: Design, settings: Settings) -> Fit:
    is_plain = fit.samples is None and fit.labelling is None
    return (refit_marginal if is_plain else refit_samples)(fit, engine, design, settings)


@singledispatch
def reselect(fit: Fit, engine: Engine, design: Design, settings: Settings) -> Fit:
    """Refit with smoothing parameters chosen anew; without any to choose, as they are."""
    return refit(fit, engine, design, settings)


@reselect.register
def _reselect_smoothed(fit: SmoothedFit, engine: Engine, design: Design, settings: Settings) -> Fit:
    beta, kappas = warm_smoothing(engine, design, settings, fit.penalized.beta, fit.kappas)
    return finish_fit(engine, design, settings, beta, kappas)


def _refit_together(fitted: Fitted, counts: Counts) -> Refits:
    """Climb with all resamples at once."""
    design, settings, fit = fitted.design, fitted.settings, fitted.fit
    penalty = design.penalty(fit.kappas)
    objective = ResampledObjective(fitted.engine.resampled(counts), penalty, settings.prior)
    starts = np.tile(fit.penalized.beta, (len(counts), 1))
    penalized, converged = maximize_resamples(objective, starts, settings.pi_range, settings.tol, settings.max_iter)
    beta = penalized
    if settings.debias and not settings.pi_range.fixed and penalty.any():
        logits = _debiased_logits(objective, penalized, settings.pi_range)
        starts = objective.layout.with_share(penalized, logits)
        beta, settled = maximize_resamples(objective, starts, FIXED, settings.tol, settings.max_iter)
        converged &= settled
    shift = alpha_shift(objective.pi(beta), objective.engine.n0, objective.engine.n1)
    alpha = beta[:, objective.layout.intercept] - shift
    kappas, shares = np.tile(fit.kappas, (len(counts), 1)), np.empty((len(counts), 0))
    return Refits(beta, penalized, alpha, kappas, converged, shares)


def _joined(made: Sequence[tuple[Engine, Fit]]) -> Refits:
    """Put fits to resamples side by side."""
    fits = [fit for _, fit in made]
    alpha = [
        float(fit.optimum.intercept - alpha_shift(fit.optimum.pi, resample.n0, resample.n1)) for resample, fit in made
    ]
    return Refits(
        np.array([one.optimum.beta for one in fits]),
        np.array([one.penalized.beta for one in fits]),
        np.array(alpha),
        np.array([one.kappas for one in fits]),
        np.array([one.converged for one in fits]),
        np.array([() if one.samples is None else one.samples.logits for one in fits], dtype=float),
    )


def _debiased_logits(objective: ResampledObjective, beta: Array, pi_range: PiRange) -> Array:
    """Take the penalty's bias out of logit pi, for each weighting by its own information."""
    _, hessians = objective.survey(beta, observed=False)
    numbers, undamped, free = np.arange(len(beta)), np.zeros(len(beta)), np.zeros(len(beta), dtype=bool)

    def multiply(rhs: Array) -> Array:
        return solve_semidefinite(hessians, numbers, rhs, undamped, free)

    return debiased_logits(objective.layout, beta, objective.penalty, multiply, pi_range)
