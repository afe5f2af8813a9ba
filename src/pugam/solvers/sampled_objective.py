"""The penalised log-likelihood of several samples, and the model whose evidence is climbed along all shares."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.layout import Layout
from pugam.likelihood import (
    SampleShares,
    SampleSizes,
    Sums,
    expit,
    logit,
    sample_sums,
    sample_trace_slopes,
    stratum_scores,
)
from pugam.linear_algebra import inverse
from pugam.solvers.constraints import UNCONSTRAINED
from pugam.solvers.fits import LabellingFit
from pugam.solvers.laplace import Model
from pugam.solvers.objective import Evaluation, Objective, Slopes
from pugam.solvers.optimum import Optimum
from pugam.solvers.standpoint import Standpoint
from pugam.terms import Design

__all__ = ["SampledMode", "SampledModel", "SampledObjective", "SharedObjective", "covariance_given"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SharedObjective(Objective, ABC):
    """A penalised log-likelihood with several shares: on the logit scale, then intercepts and coefficients.

    However many shares there are, the prior on pi counts once.
    """

    @abstractmethod
    def prior_slopes(self, logits: Array) -> Slopes:
        """Log prior, shape (B,), and its derivatives, shape (B, n_shares), at logits of the shares."""

    @abstractmethod
    def prior_information(self, logits: Array) -> Array:
        """What the prior adds to the diagonal of the information, shape (B, n_shares)."""

    @property
    def constraints(self) -> Array:
        """None: fits by marginal likelihood have none."""
        return UNCONSTRAINED

    def penalties(self, beta: Array) -> Array:
        """Roughness minus log prior: what is subtracted from the log-likelihood, shape (B,)."""
        logits, theta = beta[:, self.layout.shares], beta[:, self.layout.coefficients]
        return np.asarray(0.5 * np.sum(theta**2 * self.penalty, axis=1) - self.prior_slopes(logits).value)

    def evaluate(self, beta: Array, observed: bool = False) -> Evaluation:
        """Evaluate value and derivatives at the rows of beta, shape (B, q)."""
        layout = self.layout
        sums = [self._sums(vector, observed) for vector in beta]
        logits, theta = beta[:, layout.shares], beta[:, layout.coefficients]
        loglik = np.array([one.value[0] for one in sums])
        value = loglik - self.penalties(beta)
        gradient, curvature = np.array([one.score[0] for one in sums]), np.zeros_like(beta)
        gradient[:, layout.shares] += self.prior_slopes(logits).gradient
        gradient[:, layout.coefficients] -= self.penalty * theta
        curvature[:, layout.shares] = self.prior_information(logits)
        curvature[:, layout.coefficients] = self.penalty
        return Evaluation(value, loglik, gradient, np.array([one.information[0] for one in sums]), curvature)

    @abstractmethod
    def _sums(self, beta: Array, observed: bool) -> Sums: ...


@dataclass(frozen=True, eq=False)
class SampledObjective(SharedObjective):
    """The penalised log-likelihood of several samples, whose shares have parts of the prior by their rows."""

    sizes: SampleSizes = field(kw_only=True)

    @property
    def layout(self) -> Layout:
        """Where the parameters stand."""
        return self.engine.design.layout.with_n_shares(self.sizes.n_samples)

    def prior_slopes(self, logits: Array) -> Slopes:
        """Log prior and its derivatives."""
        pi, parts = np.asarray(expit(logits)), self.sizes.parts
        return Slopes(self.prior.value(pi) @ parts, self.prior.score(pi) * parts)

    def prior_information(self, logits: Array) -> Array:
        """What the prior adds to the diagonal of the information."""
        return np.asarray(self.prior.information(np.asarray(expit(logits))) * self.sizes.parts)

    def trace_slopes(self, beta: Array, matrix: Array) -> Array:
        """How the trace of a symmetric matrix times the expected information in (a, theta) changes with beta."""
        shared = (beta[None, self.layout.predictor], self._shares(beta), matrix)
        found: Array = self.engine.sum_rows(sample_trace_slopes, shared)
        return found

    def given_sizes(self, mode: Standpoint) -> Array:
        """Covariance of all parameters at a mode, the numbers of rows in each sample given: shape (q, q).

        The score varies less than the information says, by its sums over each sample.
        """
        shared = (mode.beta[None, self.layout.predictor], self._shares(mode.beta))
        scores: Array = self.engine.sum_rows(stratum_scores, shared)
        return covariance_given(self.sizes.counts, mode, scores)

    def labelling(self, mode: Standpoint) -> LabellingFit | None:
        """What is known of who is labelled: nothing where labels are given at random."""
        return None

    def _sums(self, beta: Array, observed: bool) -> Sums:
        shared = (beta[None, self.layout.predictor], self._shares(beta), observed)
        found: Sums = self.engine.sum_rows(sample_sums, shared)
        return found

    def _shares(self, beta: Array) -> SampleShares:
        return SampleShares(self.sizes, np.asarray(expit(beta[self.layout.shares])))


def covariance_given(counts: Array, mode: Standpoint, scores: Array, drawn: Array | None = None) -> Array:
    """Covariance of parameters whose score has these sums over each sample, which do not vary: shape (q, q).

    Counts are those of rows in each sample.

    What else varies is added to the variance of the score, as `drawn`, shape (q, q).
    """
    there = counts > 0.0
    root = np.linalg.cholesky(inverse(mode.hessian))
    fixed = (scores[there] @ root) / np.sqrt(counts[there])[:, None]
    spread = np.eye(mode.layout.size) - fixed.T @ fixed
    if drawn is not None:
        spread += root.T @ drawn @ root
    values, vectors = np.linalg.eigh(spread)
    half = root @ (vectors * np.sqrt(np.maximum(values, 0.0)))
    return np.asarray(half @ half.T)


@dataclass(frozen=True, eq=False)
class SampledMode:
    """Where the parameters of several samples are: shares on the logit scale, then (a, theta).

    Attributes
    ----------
    mode : Standpoint
    sizes : SampleSizes
    together : array of shape (2 + p, K + 1 + p)
        How the parameters of all unlabelled rows together, taken for one sample, move with these.
    """

    mode: Standpoint
    sizes: SampleSizes
    together: Array


@dataclass(frozen=True, eq=False)
class SampledModel(Model):
    """Rows of several samples, terms and the families of their coefficients.

    What is reported are the parameters of all unlabelled rows together, as if they were one sample.
    """

    sizes: SampleSizes

    def at(self, logs: Array) -> SampledObjective:
        """The penalised objective for the logarithms of the families' precisions."""
        return SampledObjective(self.engine, self.families.precision(logs), self.prior, sizes=self.sizes)

    @property
    def reported_rows(self) -> Engine:
        """The engine of the design that is reported."""
        return self.engine

    @property
    def reported_design(self) -> Design:
        """The design that is reported."""
        return self.design

    def spread(self, of_coefficients: Array) -> Array:
        """Bring what is given for all coefficients to those reported."""
        return of_coefficients

    def start(self, together: Optimum, logits: Array) -> Array:
        """Parameters of all samples, of those reported: the inverse of `as_one`.

        In the layout of a design that may have further coefficients, which are zero.
        """
        layout = self.design.layout.with_n_shares(self.sizes.n_samples)
        beta = np.zeros(layout.size)
        beta[layout.shares], beta[layout.coefficients][: len(together.theta)] = logits, together.theta
        beta[layout.intercept] = together.intercept - SampleShares(self.sizes, np.asarray(expit(logits))).beside
        return beta

    def as_one(self, mode: Standpoint) -> Array:
        """The parameters that are reported.

        The intercept stays as it is, but for known negatives, which are no longer counted among the negatives.
        """
        pi = float(self.sizes.unlabelled @ mode.shares / self.sizes.unlabelled.sum())
        beside = SampleShares(self.sizes, mode.shares).beside
        return mode.layout.with_n_shares(1).join(float(logit(pi)), mode.intercept + beside, mode.theta)

    def change(self, mode: Standpoint) -> Array:
        """How these move with the parameters of all samples."""
        layout, one = mode.layout, mode.layout.with_n_shares(1)
        weights = self.sizes.parts
        pi = float(weights @ mode.shares)
        change = np.zeros((one.size, layout.size))
        change[one.share, layout.shares] = weights * mode.shares * (1.0 - mode.shares) / (pi * (1.0 - pi))
        change[one.predictor, layout.predictor] = np.eye(one.of_predictors.size)
        change[one.intercept, layout.shares] = SampleShares(self.sizes, mode.shares).beside_slopes
        return change

    def apart(self, mode: Optimum) -> Optimum:
        """The same as `together`, with the shares of all samples in place of one: as it is, for common curves."""
        return mode

    def together(self, mode: Optimum, hessian: Array) -> Optimum:
        """The parameters that are reported, with what is known of them."""
        one, change = self.reported_design.layout, self.change(mode)
        curvature = np.zeros(one.size)
        curvature[one.coefficients] = self.spread(mode.curvature[mode.layout.coefficients])
        return replace(
            mode,
            beta=self.as_one(mode),
            gradient=np.zeros(one.size),
            information=inverse(change @ inverse(hessian) @ change.T) - np.diag(curvature),
            curvature=curvature,
            layout=one,
        )
