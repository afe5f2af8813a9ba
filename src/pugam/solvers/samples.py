"""Several unlabelled samples, each with its own share, by marginal likelihood: curves and variances are common.

All unlabelled rows together are a sample like any other, with a share of its own. So a fit to these finds terms, curves
and variances to begin with, and from there the evidence is climbed along all shares at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.layout import Layout
from pugam.likelihood import (
    SampleShares,
    SampleSizes,
    Sums,
    alpha_shift,
    expit,
    logit,
    sample_sums,
    sample_trace_slopes,
    stratum_scores,
)
from pugam.linear_algebra import inverse, inverse_definite
from pugam.solvers.constraints import UNCONSTRAINED
from pugam.solvers.evidence_profile import EvidenceCurve, ascend, follow
from pugam.solvers.families import Families
from pugam.solvers.fits import Fit, FittedKind, MarginalFit, SampledShares
from pugam.solvers.laplace import EvidenceAt, Model, climb
from pugam.solvers.objective import Evaluation, Objective
from pugam.solvers.optimum import Optimum
from pugam.solvers.settings import Settings
from pugam.solvers.tuning import TUNING
from pugam.terms import Design

__all__ = ["fit_samples", "refit_samples", "sampled_loglik"]

Array = NDArray[np.float64]

QUADRATIC = np.array([-4.0, -2.0, 0.0, 2.0, 4.0])  # standard errors at which a parabola is written down


@dataclass(frozen=True)
class SampledObjective(Objective):
    """The penalised log-likelihood of several samples: shares on the logit scale, then (a, theta)."""

    sizes: SampleSizes = field(kw_only=True)

    @property
    def layout(self) -> Layout:
        """Where the parameters stand."""
        return Layout(self.engine.design.layout.sizes, self.sizes.n_samples)

    @property
    def constraints(self) -> Array:
        """None: fits by marginal likelihood have none."""
        return UNCONSTRAINED

    def evaluate(self, beta: Array, observed: bool = False) -> Evaluation:
        """Evaluate value and derivatives at the rows of beta, shape (B, q)."""
        layout = self.layout
        sums = [self._sums(vector, observed) for vector in beta]
        pi, theta = np.asarray(expit(beta[:, layout.shares])), beta[:, layout.coefficients]
        loglik = np.array([one.value[0] for one in sums])
        value = loglik - 0.5 * np.sum(theta**2 * self.penalty, axis=1) + self.prior.value(pi).sum(axis=1)
        gradient, curvature = np.array([one.score[0] for one in sums]), np.zeros_like(beta)
        gradient[:, layout.shares] += self.prior.score(pi)
        gradient[:, layout.coefficients] -= self.penalty * theta
        curvature[:, layout.shares] = self.prior.information(pi)
        curvature[:, layout.coefficients] = self.penalty
        return Evaluation(value, loglik, gradient, np.array([one.information[0] for one in sums]), curvature)

    def trace_slopes(self, beta: Array, matrix: Array) -> Array:
        """How the trace of a symmetric matrix times the expected information in (a, theta) changes with beta."""
        shared = (beta[None, self.layout.predictor], self._shares(beta), matrix)
        found: Array = self.engine.sum_rows(sample_trace_slopes, shared)
        return found

    def stratum_scores(self, beta: Array) -> Array:
        """The score of the rows of each sample: shape (2 + K, q)."""
        shared = (beta[None, self.layout.predictor], self._shares(beta))
        found: Array = self.engine.sum_rows(stratum_scores, shared)
        return found

    def _sums(self, beta: Array, observed: bool) -> Sums:
        shared = (beta[None, self.layout.predictor], self._shares(beta), observed)
        found: Sums = self.engine.sum_rows(sample_sums, shared)
        return found

    def _shares(self, beta: Array) -> SampleShares:
        return SampleShares(self.sizes, np.asarray(expit(beta[self.layout.shares])))


@dataclass(frozen=True, eq=False)
class SampledModel(Model):
    """Rows of several samples, terms and the families of their coefficients."""

    sizes: SampleSizes

    def at(self, logs: Array) -> SampledObjective:
        """The penalised objective for the logarithms of the families' precisions."""
        return SampledObjective(self.engine, self.families.precision(logs), self.prior, sizes=self.sizes)


def fit_samples(pooled: FittedKind[MarginalFit], names: Sequence[str]) -> FittedKind[MarginalFit]:
    """Give each sample its own share, beginning where a fit to all unlabelled rows together ended.

    Rows of the engine have codes, see `SampleSizes`.
    """
    fit, settings = pooled.fit, pooled.settings
    model = _model(pooled.engine, pooled.design, settings, len(names))
    start = climb(model, _start(fit.optimum, pooled.engine, model.sizes), np.log(fit.precisions))
    best = ascend(model, start, settings.pi_range)
    curves = []
    for number in range(len(names)):
        top, curve = follow(model, best, settings.pi_range, number)
        best = top if top.value > best.value else best
        curves.append(curve)
    found = _shares(model, best, names, curves)
    return replace(pooled, fit=replace(_joined(fit, model, best, settings), samples=found))


def refit_samples(fit: MarginalFit, engine: Engine, design: Design, settings: Settings) -> MarginalFit:
    """Refit to rows counted otherwise, with the same variances."""
    known = fit.samples
    assert known is not None
    assert engine.codes is not None
    assert design.ridge is not None
    sizes = SampleSizes.count(engine.codes, engine.weights, len(known.names))
    model = SampledModel(engine, design, Families(("all",), design.ridge[None]), settings.prior, sizes)
    start = climb(model, np.append(known.logits, fit.optimum.b), np.zeros(1))
    best = ascend(model, start, settings.pi_range, settles=False)
    together = _together(best.optimum, best.optimum.hessian, sizes)
    shares = replace(known, logits=best.optimum.beta[best.optimum.layout.shares].copy())
    return replace(fit, optimum=together, penalized=together, samples=shares)


def _model(engine: Engine, design: Design, settings: Settings, n_samples: int) -> SampledModel:
    assert engine.codes is not None
    families = Model.of(engine, design, settings.prior).families
    sizes = SampleSizes.count(engine.codes, engine.weights, n_samples)
    return SampledModel(engine, design, families, settings.prior, sizes)


def _start(optimum: Optimum, engine: Engine, sizes: SampleSizes) -> Array:
    """The share of all unlabelled rows for each sample."""
    layout = Layout(optimum.layout.sizes, sizes.n_samples)
    shares = SampleShares(sizes, np.full(sizes.n_samples, optimum.pi))
    alpha = optimum.intercept - float(alpha_shift(optimum.pi, engine.n0, engine.n1))
    beta = np.empty(layout.size)
    beta[layout.shares], beta[layout.coefficients] = optimum.logit_pi, optimum.theta
    beta[layout.intercept] = alpha + np.log(shares.positives / shares.negatives)
    return beta


def _shares(
    model: SampledModel, best: EvidenceAt, names: Sequence[str], curves: Sequence[EvidenceCurve]
) -> SampledShares:
    """What is known of the shares."""
    mode, shares, sizes = best.optimum, best.optimum.layout.shares, model.sizes
    given = _given_sizes(model.at(best.logs), mode)
    drawn = inverse(mode.hessian).diagonal()[shares]
    own = np.maximum(given.diagonal()[shares], TUNING.smallest_information)
    assert model.engine.codes is not None
    return SampledShares(
        names=tuple(names),
        rows=sizes.unlabelled,
        audited=sizes.count_audited(model.engine.codes),
        logits=mode.beta[shares].copy(),
        curves=tuple(curves),
        factors=np.clip(drawn / own, 1.0, TUNING.largest_factor_given),
        correlation=given[shares, shares] / np.sqrt(np.outer(own, own)),
    )


def _joined(fit: MarginalFit, model: SampledModel, best: EvidenceAt, settings: Settings) -> MarginalFit:
    """What is reported of all unlabelled rows together, as if they were one sample."""
    mode, precision = best.optimum, model.families.precision(best.logs)
    (observed,) = model.at(best.logs).stand([mode.beta], observed=True)
    seen = observed.hessian if inverse_definite(observed.hessian) is not None else mode.hessian
    together = _together(mode, mode.hessian, model.sizes)
    return replace(
        fit,
        optimum=together,
        penalized=together,
        observed=_together(mode, seen, model.sizes).information,
        kappas=model.design.smoothing_like(precision),
        precisions=np.exp(best.logs),
        curve=_parabola(together, settings),
    )


def _given_sizes(objective: SampledObjective, mode: Optimum) -> Array:
    """Covariance of all parameters, the numbers of rows in each sample given: shape (q, q).

    The score varies less than the information says, by its sums over each sample.
    """
    sizes, sums = objective.sizes, objective.stratum_scores(mode.beta)
    counts = np.concatenate([[sizes.labelled], sizes.unlabelled, [sizes.negative]])
    there = counts > 0.0
    root = np.linalg.cholesky(inverse(mode.hessian))
    fixed = (sums[there] @ root) / np.sqrt(counts[there])[:, None]
    values, vectors = np.linalg.eigh(np.eye(mode.layout.size) - fixed.T @ fixed)
    half = root @ (vectors * np.sqrt(np.clip(values, 0.0, 1.0)))
    return np.asarray(half @ half.T)


def _together(mode: Optimum, hessian: Array, sizes: SampleSizes) -> Optimum:
    """The parameters as if all unlabelled rows were one sample, with what is known of them.

    The intercept stays as it is: how many rows are positive, and how many negative, is the same.
    """
    layout, one = mode.layout, Layout(mode.layout.sizes)
    weights = sizes.unlabelled / sizes.unlabelled.sum()
    pi = float(weights @ mode.shares)
    change = np.zeros((one.size, layout.size))
    change[one.share, layout.shares] = weights * mode.shares * (1.0 - mode.shares) / (pi * (1.0 - pi))
    change[one.predictor, layout.predictor] = np.eye(one.of_predictors.size)
    curvature = np.zeros(one.size)
    curvature[one.coefficients] = mode.curvature[layout.coefficients]
    information = inverse(change @ inverse(hessian) @ change.T) - np.diag(curvature)
    return replace(
        mode,
        beta=one.join(float(logit(pi)), mode.intercept, mode.theta),
        gradient=np.zeros(one.size),
        information=information,
        curvature=curvature,
        layout=one,
    )


def _parabola(together: Optimum, settings: Settings) -> EvidenceCurve:
    """The evidence along the share of all unlabelled rows, as its top shows it."""
    share = together.layout.share
    error = float(np.sqrt(inverse(together.hessian)[share, share]))
    places = together.logit_pi + error * QUADRATIC
    inside = (places > settings.pi_range.logits[0]) & (places < settings.pi_range.logits[1])
    return EvidenceCurve(places[inside], -0.5 * QUADRATIC[inside] ** 2, -QUADRATIC[inside] / error)


def sampled_loglik(fit: Fit, engine: Engine) -> float:
    """The log-likelihood of rows of several samples at the parameters of a fit."""
    assert fit.samples is not None
    assert engine.codes is not None
    sizes = SampleSizes.count(engine.codes, engine.weights, len(fit.samples.names))
    shares = SampleShares(sizes, np.asarray(expit(fit.samples.logits)))
    sums: Sums = engine.sum_rows(sample_sums, (fit.optimum.b[None], shares, False))
    return float(sums.value[0])
