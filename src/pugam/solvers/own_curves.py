"""Unlabelled samples with curves of their own, by marginal likelihood: what varies with the sample, and what is common.

Terms that vary with the column of the samples have a curve for each of them, all others one for all, and each sample
has an intercept. The likelihood is that of `pugam.likelihood.own_curves`: rows have the model columns of common curves,
and each sample multiplies them with coefficients of its own. What is reported has effects of the samples, `f(year)`, in
place of their intercepts: they say what makes densities integrate to one, and nothing about shares.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.layout import Layout
from pugam.likelihood import (
    Mixture,
    Predictors,
    SampleSizes,
    Sums,
    expit,
    logit,
    mixture_sums,
    mixture_trace_slopes,
    outcome_scores,
    sample_outcomes,
)
from pugam.linear_algebra import inverse
from pugam.solvers.families import Families
from pugam.solvers.optimum import Optimum
from pugam.solvers.pi import PiPrior
from pugam.solvers.sampled_objective import SampledModel, SampledObjective, covariance_given
from pugam.solvers.standpoint import Standpoint
from pugam.terms import Basis, Design

__all__ = ["OwnCurves", "OwnModel", "OwnObjective"]

Array = NDArray[np.float64]
Numbers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class OwnCurves:
    """Which terms of a design vary with the sample.

    Attributes
    ----------
    design : Design
        Its last term are the effects of the samples.
    column : str
        That tells samples apart.
    n_samples : int
    """

    design: Design
    column: str
    n_samples: int

    @cached_property
    def _bases(self) -> tuple[Basis, ...]:
        """All terms but the effects of the samples."""
        return self.design.bases[:-1]

    @cached_property
    def common(self) -> Design:
        """The design in which all curves are common, without effects of the samples."""
        return Design(tuple(basis.common(self.column) or basis for basis in self._bases))

    def of_common(self, design: Design) -> OwnCurves:
        """The same for a design with common curves, as a fit may have coarsened it."""
        bases = tuple(basis.varying for basis in design.bases)
        return replace(self, design=Design((*bases, self.design.bases[-1])))

    @cached_property
    def numbers(self) -> Numbers:
        """Which coefficients each sample multiplies the columns of common curves with: shape (K, p of these)."""
        blocks = []
        for basis, block in zip(self._bases, self.design.blocks, strict=False):
            own = np.arange(block.start, block.stop)
            is_own = basis.common(self.column) is not None
            blocks.append(own.reshape(self.n_samples, -1) if is_own else np.tile(own, (self.n_samples, 1)))
        return np.hstack(blocks)

    @cached_property
    def columns(self) -> Numbers:
        """The column of common curves that each coefficient belongs to: shape (p,), effects of samples not counted."""
        found = np.empty(self.numbers.max() + 1, dtype=np.intp)
        found[self.numbers] = np.arange(self.numbers.shape[1])
        return found

    @cached_property
    def layout(self) -> Layout:
        """Where shares, intercepts of the samples and coefficients stand."""
        return Layout((len(self.columns),), self.n_samples, n_intercepts=self.n_samples)

    @cached_property
    def predictors(self) -> Predictors:
        """Negatives of a sample are the rarer the larger its log density ratio is."""
        intercepts = np.arange(self.n_samples)[:, None]
        numbers = np.hstack([intercepts, self.n_samples + self.numbers])
        return Predictors(numbers, -np.ones(self.n_samples), self.layout.of_predictors.size)

    @cached_property
    def contrasts(self) -> Array:
        """What the effects of the samples are made of: orthonormal columns that sum to zero, shape (K, K - 1)."""
        return self.design.bases[-1].columns(np.arange(self.n_samples, dtype=np.int32))

    def families(self, of_common: Families) -> Families:
        """Families in which own curves have the variances that common ones would have."""
        return Families(of_common.names, of_common.weights[:, self.columns], of_common.sizes)


@dataclass(frozen=True, eq=False)
class OwnObjective(SampledObjective):
    """The penalised log-likelihood of samples with curves of their own: shares, intercepts and coefficients.

    The engine has the columns of common curves.
    """

    own: OwnCurves = field(kw_only=True)

    @property
    def layout(self) -> Layout:
        """Where the parameters stand."""
        return self.own.layout

    def trace_slopes(self, beta: Array, matrix: Array) -> Array:
        """How the trace of a symmetric matrix times the expected information in (a, theta) changes with beta."""
        found: Array = self.engine.sum_rows(mixture_trace_slopes, (*self._at(beta), matrix))
        return found

    def given_sizes(self, mode: Standpoint) -> Array:
        """Covariance of all parameters at a mode, the numbers of rows in each sample given: shape (q, q)."""
        scores: Array = self.engine.sum_rows(outcome_scores, self._at(mode.beta))
        unaudited, none = scores[: 1 + self.sizes.n_samples], np.zeros((1, scores.shape[1]))
        return covariance_given(self.sizes.counts, mode, np.vstack([unaudited, none]))

    def _sums(self, beta: Array, observed: bool) -> Sums:
        found: Sums = self.engine.sum_rows(mixture_sums, (*self._at(beta), observed))
        return found

    def _at(self, beta: Array) -> tuple[Array, Mixture]:
        outcomes = sample_outcomes(self.sizes, np.asarray(expit(beta[self.layout.shares])))
        return beta[self.layout.predictor], Mixture(outcomes, self.own.predictors)


@dataclass(frozen=True, eq=False)
class OwnModel(SampledModel):
    """Rows of several samples with curves of their own, and the families of their coefficients.

    Attributes
    ----------
    own : OwnCurves
    rows : Engine
        Of the design that is reported; `engine` and `design` have common curves.
    """

    own: OwnCurves
    rows: Engine

    @classmethod
    def over(cls, own: OwnCurves, rows: Engine, families: Families, prior: PiPrior, sizes: SampleSizes) -> OwnModel:
        """Put rows and terms together; families are those of the coefficients of all samples."""
        engine = rows.redesigned(own.common, range(len(own.common.bases)))
        return cls(engine, own.common, families, prior, sizes, own, rows)

    def at(self, logs: Array) -> OwnObjective:
        """The penalised objective for the logarithms of the families' precisions."""
        precision = self.families.precision(logs)
        return OwnObjective(self.engine, precision, self.prior, sizes=self.sizes, own=self.own)

    @property
    def reported_rows(self) -> Engine:
        """Rows whose curves are those of their own sample."""
        return self.rows

    @property
    def reported_design(self) -> Design:
        """The design with curves of all samples, and their effects."""
        return self.own.design

    def spread(self, of_coefficients: Array) -> Array:
        """Bring what is given for all coefficients to those reported: effects of samples have no prior."""
        return np.append(of_coefficients, np.zeros(self.sizes.n_samples - 1))

    def start(self, together: Optimum, logits: Array) -> Array:
        """Parameters of all samples, of those reported."""
        layout, theta = self.own.layout, together.theta
        beta = np.empty(layout.size)
        effects = together.intercept + self.own.contrasts @ theta[len(self.own.columns) :]
        beta[layout.shares], beta[layout.coefficients] = logits, theta[: len(self.own.columns)]
        beta[layout.intercepts] = effects - self._log_parts(np.asarray(expit(logits)))
        return beta

    def start_common(self, together: Optimum, logits: Array) -> Array:
        """The same where all samples have the curves of a fit with common ones."""
        layout = self.own.layout
        beta = np.empty(layout.size)
        beta[layout.shares], beta[layout.coefficients] = logits, together.theta[self.own.columns]
        beta[layout.intercepts] = together.intercept - self._log_parts(np.asarray(expit(logits)))
        return beta

    def as_one(self, mode: Standpoint) -> Array:
        """The parameters that are reported: the share of all unlabelled rows, and (a, theta)."""
        layout, one = self.own.layout, self.own.design.layout
        intercepts = mode.beta[layout.intercepts] + self._log_parts(mode.shares)
        theta = np.append(mode.theta, self.own.contrasts.T @ intercepts)
        return one.join(float(logit(self.sizes.parts @ mode.shares)), float(intercepts.mean()), theta)

    def change(self, mode: Standpoint) -> Array:
        """How these move with the parameters of all samples."""
        layout, one, parts, pi = self.own.layout, self.own.design.layout, self.sizes.parts, mode.shares
        together, n_samples = float(parts @ pi), self.sizes.n_samples
        change = np.zeros((one.size, layout.size))
        change[one.share, layout.shares] = parts * pi * (1.0 - pi) / (together * (1.0 - together))
        own = np.arange(one.size)[one.coefficients]
        kept, effects = own[: len(self.own.columns)], own[len(self.own.columns) :]
        change[kept, np.arange(layout.size)[layout.coefficients]] = 1.0
        averages = np.vstack([np.full(n_samples, 1.0 / n_samples), self.own.contrasts.T])
        of_logs = parts * pi * (1.0 - pi) / (1.0 - together) - np.diag(pi)  # of the logarithms of parts
        rows = np.append(one.intercept, effects)
        change[rows, layout.intercepts] = averages
        change[rows, layout.shares] = averages @ of_logs
        return change

    def apart(self, mode: Optimum) -> Optimum:
        """The parameters that are reported, with the shares of all samples in place of one."""
        one, n_samples = self.own.design.layout, self.sizes.n_samples
        layout = one.with_n_shares(n_samples)
        change = np.eye(layout.size)
        change[layout.predictor] = self.change(mode)[one.predictor]
        beta, curvature = (
            np.append(mode.beta[mode.layout.shares], self.as_one(mode)[one.predictor]),
            np.zeros(layout.size),
        )
        curvature[layout.coefficients] = self.spread(mode.curvature[mode.layout.coefficients])
        information = inverse(change @ inverse(mode.hessian) @ change.T) - np.diag(curvature)
        gradient = np.zeros(layout.size)
        return replace(mode, beta=beta, gradient=gradient, information=information, curvature=curvature, layout=layout)

    def _log_parts(self, pi: Array) -> Array:
        """Logarithms of each sample's part of the negatives in unlabelled samples: intercepts count all of these."""
        negatives = self.sizes.unlabelled * (1.0 - pi)
        return np.asarray(np.log(negatives / negatives.sum()))
