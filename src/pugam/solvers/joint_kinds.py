"""Several kinds of positives, each with a share and curves of its own, by one marginal likelihood.

The likelihood is that of `pugam.likelihood.kind_outcomes`: a row is negative, or of one of the kinds. Curves of each
kind have variances of their own: with common ones pi came out too large for the mushrooms of benchmarks/kinds.py. A fit
that takes all positives for one kind finds terms and scales to begin with, and the evidence is climbed along the shares
of all kinds at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.layout import Layout
from pugam.likelihood import (
    KindSizes,
    Mixture,
    Predictors,
    Sums,
    alpha_shift,
    kind_outcomes,
    label_frequency,
    logit,
    mixture_sums,
    mixture_trace_slopes,
    outcome_scores,
    shares_of_kinds,
)
from pugam.linear_algebra import inverse, inverse_definite
from pugam.solvers.evidence_profile import EvidenceCurve, ascend
from pugam.solvers.families import Families
from pugam.solvers.fisher import maximize_fisher
from pugam.solvers.fits import FittedKind, MarginalFit, Search
from pugam.solvers.laplace import EvidenceAt, Model
from pugam.solvers.objective import Objective, Slopes
from pugam.solvers.optimum import Optimum
from pugam.solvers.pi import FIXED, PiPrior
from pugam.solvers.sampled_objective import SharedObjective, covariance_given
from pugam.solvers.settings import Settings
from pugam.solvers.settling import settle
from pugam.solvers.standpoint import Standpoint
from pugam.solvers.tuning import TUNING
from pugam.terms import Design

__all__ = ["JointKinds", "fit_jointly"]

Array = NDArray[np.float64]
Numbers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class KindObjective(SharedObjective):
    """The penalised log-likelihood of K kinds: logits of their shares, then intercepts and coefficients of each.

    A Beta(a, b) density for pi is a Dirichlet density for the shares, with the exponents (a - 1) / K of kinds and b - 1
    of negatives.
    """

    sizes: KindSizes = field(kw_only=True)
    predictors: Predictors = field(kw_only=True)

    @property
    def layout(self) -> Layout:
        """Where the parameters stand."""
        n_kinds = self.sizes.n_kinds
        return Layout((n_kinds * self.engine.design.n_columns,), n_kinds, n_intercepts=n_kinds)

    def prior_slopes(self, logits: Array) -> Slopes:
        """Log prior and its derivatives."""
        shares, rest = shares_of_kinds(logits)
        success, failure = self.prior.success / self.sizes.n_kinds, self.prior.failure
        value = success * np.log(shares).sum(axis=-1) + failure * np.log(rest)
        return Slopes(value, success - (self.prior.success + failure) * shares)

    def prior_information(self, logits: Array) -> Array:
        """What the prior adds to the diagonal of the information."""
        return np.asarray(self.prior.information(shares_of_kinds(logits)[0]))

    def trace_slopes(self, beta: Array, matrix: Array) -> Array:
        """How the trace of a symmetric matrix times the expected information in (a, theta) changes with beta."""
        found: Array = self.engine.sum_rows(mixture_trace_slopes, (*self._at(beta), matrix))
        return found

    def given_sizes(self, mode: Standpoint) -> Array:
        """Covariance of all parameters at a mode, the numbers of labelled rows of each kind given: shape (q, q)."""
        scores: Array = self.engine.sum_rows(outcome_scores, self._at(mode.beta))
        return covariance_given(self.sizes.counts, mode, scores)

    def _sums(self, beta: Array, observed: bool) -> Sums:
        found: Sums = self.engine.sum_rows(mixture_sums, (*self._at(beta), observed))
        return found

    def _at(self, beta: Array) -> tuple[Array, Mixture]:
        outcomes = kind_outcomes(self.sizes, beta[self.layout.shares])
        return beta[self.layout.predictor], Mixture(outcomes, self.predictors)


@dataclass(frozen=True, eq=False)
class KindModel(Model):
    """Rows, whose codes are those of `KindSizes`, terms that all kinds have, and the families of their coefficients."""

    sizes: KindSizes

    @classmethod
    def over(cls, rows: Engine, design: Design, prior: PiPrior, numbers: Numbers) -> KindModel:
        """Put rows and terms together; numbers are those of the kinds of all rows, -1 for unlabelled ones."""
        codes = (1 + numbers).astype(np.int32)
        counts = np.bincount(codes, weights=rows.weights).astype(float)
        of_one = Model.of(rows, design, prior).families
        n_kinds = len(counts) - 1
        weights: Array = np.kron(np.eye(n_kinds), of_one.weights).astype(np.float64)
        families = Families(n_kinds * of_one.names, weights)
        return cls(rows.coded(codes), design, families, prior, KindSizes(counts[1:], float(counts[0])))

    @cached_property
    def predictors(self) -> Predictors:
        """Each kind has an intercept and coefficients of its own, for itself."""
        n_kinds, size = self.sizes.n_kinds, self.design.n_columns
        own = n_kinds + np.arange(n_kinds * size).reshape(n_kinds, size)
        return Predictors(np.hstack([np.arange(n_kinds)[:, None], own]), np.ones(n_kinds), n_kinds * (1 + size))

    def at(self, logs: Array) -> KindObjective:
        """The penalised objective for the logarithms of the families' precisions."""
        precision = self.families.precision(logs)
        return KindObjective(self.engine, precision, self.prior, sizes=self.sizes, predictors=self.predictors)

    def starts(self) -> Iterator[Array]:
        """Parameters to begin with: the curves of a fit in which unlabelled rows are negative, steeper, at some shares.

        In that fit shares are next to nothing.
        """
        objective = self.at(self.families.start())
        layout, n_kinds = objective.layout, self.sizes.n_kinds
        none = np.zeros(layout.size)
        none[layout.shares] = TUNING.next_to_none
        none[layout.intercepts] = self.sizes.beside(none[layout.shares])
        (naive,) = maximize_fisher(objective, none[None], FIXED, TUNING.naive_tol, TUNING.naive_iterations)
        alphas = naive.beta[layout.intercepts] - self.sizes.beside(naive.beta[layout.shares])
        for steepness, share in product(TUNING.kind_steepness, TUNING.kind_shares):
            beta = steepness * naive.beta
            beta[layout.shares] = logit(share) - np.log(n_kinds)
            beta[layout.intercepts] = steepness * alphas + self.sizes.beside(beta[layout.shares])
            yield beta


@dataclass(frozen=True, eq=False)
class JointKinds:
    """Where the evidence of several kinds is highest.

    Attributes
    ----------
    model : KindModel
    best : EvidenceAt
    settings : Settings
    pooled : MarginalFit
        With the same terms, of all positives as one kind.
    """

    model: KindModel
    best: EvidenceAt
    settings: Settings
    pooled: MarginalFit

    @property
    def _mode(self) -> Optimum:
        return self.best.optimum

    @property
    def _logits(self) -> Array:
        """Those of shares among rows of no other kind, shape (K,)."""
        return self._mode.beta[self._mode.layout.shares]

    def design(self, number: int) -> Design:
        """The terms of a kind, which remember their precisions."""
        return self.model.design.with_ridge(self._precision(number))

    def _precision(self, number: int) -> Array:
        return np.asarray(self._by_kind(self.model.families.precision(self.best.logs))[number])

    def _by_kind(self, values: Array) -> Array:
        """What families or coefficients have, those of each kind together: shape (K, -1)."""
        return np.asarray(values.reshape(self.model.sizes.n_kinds, -1))

    def correlation(self) -> Array:
        """Of the logits of the shares, shape (K, K)."""
        shares = self._mode.layout.shares
        given = self.model.at(self.best.logs).given_sizes(self._mode)[shares, shares]
        errors = np.sqrt(np.maximum(given.diagonal(), TUNING.smallest_information))
        correlation = given / np.outer(errors, errors)
        np.fill_diagonal(correlation, 1.0)
        return np.asarray(correlation)

    def posterior_logits(self, rows: NDArray[np.bool_]) -> Array:
        """Logits of being of each kind, among negatives and that kind, of some unlabelled rows: shape (n, K)."""
        b = self._mode.beta[self._mode.layout.predictor]
        found = [self.model.engine.linear_predictor(b[own])[rows] for own in self.model.predictors.numbers]
        return np.column_stack(found) - self.model.sizes.beside(self._logits) + self._logits

    def of_kind(self, number: int, engine: Engine) -> FittedKind[MarginalFit]:
        """The fit of one kind, over its labelled rows and what is left of unlabelled rows when others are taken out."""
        model = self.model
        prior = replace(model.prior, success=model.prior.success / model.sizes.n_kinds)
        settings = replace(self.settings, prior=prior)
        optimum, observed = self._optimum(number, Objective(engine, self._precision(number), prior))
        fit = replace(
            self.pooled,
            optimum=optimum,
            penalized=optimum,
            observed=observed,
            kappas=model.design.smoothing_like(self._precision(number)),
            families=model.families.names[: len(model.families.names) // model.sizes.n_kinds],
            precisions=np.exp(self._by_kind(self.best.logs)[number]),
            curve=self._curve(number),
            average=None,
            known_average=None,
            averaging=None,
        )
        return FittedKind(engine, self.design(number), settings, fit)

    def _curve(self, number: int) -> EvidenceCurve:
        """The evidence along the logit of a kind's share among rows of no other kind: a parabola."""
        error = float(np.sqrt(inverse(self.best.bend)[number, number]))
        steps = np.linspace(-TUNING.farthest_error, TUNING.farthest_error, 9)
        return EvidenceCurve(self._logits[number] + error * steps, self.best.value - 0.5 * steps**2, -steps / error)

    def _optimum(self, number: int, objective: Objective) -> tuple[Optimum, Array]:
        """Parameters of one kind with what is known of them, whatever those of others are: also as observed."""
        mode, engine, one = self._mode, objective.engine, objective.layout
        change = self._change(number, engine)
        logits, own = self._logits, mode.layout.predictor
        b = mode.beta[own][self.model.predictors.numbers[number]]
        share = float(1.0 / (1.0 + np.exp(-logits[number])))
        moved = float(alpha_shift(share, engine.n0, engine.n1) - self.model.sizes.beside(logits)[number])
        (here,) = objective.stand([one.join(logits[number], b[0] + moved, b[1:])])
        (observed,) = self.model.at(self.best.logs).stand([mode.beta], observed=True)
        seen = observed.hessian if inverse_definite(observed.hessian) is not None else mode.hessian
        expected, observed_information = (
            inverse(change @ inverse(hessian) @ change.T) - np.diag(here.curvature) for hessian in (mode.hessian, seen)
        )
        here = replace(here, gradient=np.zeros(one.size), information=expected)
        return Optimum.at(here, mode.n_iter, mode.converged, mode.history), observed_information

    def _change(self, number: int, engine: Engine) -> Array:
        """How the parameters of one kind move with those of all."""
        layout, one = self._mode.layout, self.model.design.layout
        change = np.zeros((one.size, layout.size))
        change[one.share, number] = 1.0
        change[one.predictor, layout.n_shares + self.model.predictors.numbers[number]] = np.eye(one.of_predictors.size)
        pi = 1.0 / (1.0 + np.exp(-self._logits[number]))
        c, _ = label_frequency(np.array(pi), engine.n0, engine.n1)
        change[one.intercept, layout.shares] -= self.model.sizes.beside_slopes(self._logits)[number]
        change[one.intercept, number] += pi + (1.0 - pi) * (1.0 - float(c))
        return change


def fit_jointly(pooled: FittedKind[MarginalFit], numbers: Numbers) -> JointKinds:
    """Fit all kinds at once, beginning with the terms of a fit that takes all positives for one kind.

    Interactions that this fit has found stay if they are worth it for kinds, too: kinds are what it took for some.

    Parameters
    ----------
    numbers : int array of shape (n_rows,)
        The kind of each labelled row, from 0 on; -1 for unlabelled rows.
    """
    engine, design, fit, prior = pooled.engine, pooled.design, pooled.fit, pooled.settings.prior
    plain = Design(design.bases[: len(design.bases) - len(fit.added)])
    rows = engine.redesigned(plain, range(len(plain.bases))) if fit.added else engine
    model = KindModel.over(rows, plain, prior, numbers)
    best, kept = _climb(model, pooled.settings), replace(fit, search=Search(pi=fit.search.pi))
    if fit.added and model.sizes.n_kinds * design.n_columns <= TUNING.most_kind_columns:
        wider = KindModel.over(engine, design, prior, numbers)
        wanted = best.value + TUNING.clear_gain
        found = ascend(
            wider, settle(wider, *_carried(best, model, wider), wanted), pooled.settings.pi_range, wanted=wanted
        )
        if found.value > wanted:
            model, best, kept = wider, found, fit
    return JointKinds(model, best, pooled.settings, kept)


def _carried(best: EvidenceAt, model: KindModel, wider: KindModel) -> tuple[Array, Array]:
    """Where a wider model begins: where the smaller one ended, with interactions of zero that may grow."""
    layout, n_kinds = wider.at(wider.families.start()).layout, model.sizes.n_kinds
    beta, theta = np.zeros(layout.size), np.zeros((n_kinds, wider.design.n_columns))
    theta[:, : model.design.n_columns] = best.optimum.theta.reshape(n_kinds, -1)
    own = best.optimum.layout
    beta[layout.shares], beta[layout.intercepts] = best.optimum.beta[own.shares], best.optimum.beta[own.intercepts]
    beta[layout.coefficients] = theta.ravel()
    logs = np.zeros((n_kinds, len(wider.families.names) // n_kinds))
    logs[:, : len(best.logs) // n_kinds] = best.logs.reshape(n_kinds, -1)  # those of interactions are the last ones
    return beta, logs.ravel()


def _climb(model: KindModel, settings: Settings) -> EvidenceAt:
    """Climb the evidence from the most promising starts, but once only from those that have settled at one place."""
    settled = sorted((settle(model, beta, model.families.start()) for beta in model.starts()), key=_value, reverse=True)
    chosen = settled[:1]
    for one in settled[1:]:
        if TUNING.settled_gain < chosen[-1].value - one.value and chosen[0].value - one.value < TUNING.kind_fall:
            chosen.append(one)
    return max((ascend(model, one, settings.pi_range) for one in chosen), key=_value)


def _value(here: EvidenceAt) -> float:
    return here.value
