"""The penalised objective in beta = (logit pi, a, theta): likelihood, minus roughness, plus the prior on pi."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine, Hessians, ResampledRows
from pugam.layout import Layout
from pugam.likelihood import expit, log_c_bend, log_c_slope, to_logit_pi
from pugam.solvers.constraints import constraint_rows
from pugam.solvers.pi import FLAT_PRIOR, PiPrior
from pugam.solvers.standpoint import Standpoint

__all__ = ["Evaluation", "Objective", "ResampledObjective", "Slopes", "Standpoint"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The objective at B parameter vectors.

    Attributes
    ----------
    value, loglik : arrays of shape (B,)
        Penalised objective, and the profile log-likelihood alone.
    gradient : array of shape (B, q)
    information : array of shape (B, q, q)
        Information of the likelihood alone, expected or observed.
    curvature : array of shape (B, q)
        Diagonal that penalty and prior add to the information.
    """

    value: Array
    loglik: Array
    gradient: Array
    information: Array
    curvature: Array

    def standpoints(
        self, betas: Sequence[Array], observed: bool, layout: Layout, constraints: Array
    ) -> list[Standpoint]:
        """Take the evaluation apart, one standpoint for each parameter vector."""
        rows = zip(betas, self.value, self.loglik, self.gradient, self.information, self.curvature, strict=True)
        return [
            Standpoint(
                beta,
                float(value),
                float(loglik),
                gradient,
                information,
                curvature,
                observed,
                layout,
                constraints=constraints,
            )
            for beta, value, loglik, gradient, information, curvature in rows
        ]


@dataclass(frozen=True, eq=False)
class Slopes:
    """Value, shape (B,), and gradient, shape (B, q), of the penalised objective at B parameter vectors."""

    value: Array
    gradient: Array


class _Penalized:
    """Sums over rows, brought from log c to logit pi, with penalty and prior."""

    engine: Engine | ResampledRows
    penalty: Array
    prior: PiPrior

    @property
    def layout(self) -> Layout:
        """Where the parameters stand."""
        raise NotImplementedError

    def pi(self, beta: Array) -> Array:
        """The mixture proportions of the rows of beta, shape (B,)."""
        return np.asarray(expit(beta[:, self.layout.share]))

    def penalties(self, beta: Array) -> Array:
        """Roughness minus log prior: what is subtracted from the log-likelihood, shape (B,)."""
        return self._penalties(beta, self.pi(beta))

    def _penalties(self, beta: Array, pi: Array) -> Array:
        roughness: Array = 0.5 * np.sum(beta[:, self.layout.coefficients] ** 2 * self.penalty, axis=1)
        return roughness - self.prior.value(pi)

    def _curvature(self, beta: Array, pi: Array) -> Array:
        """What penalty and prior add to the diagonal of the information."""
        curvature = np.zeros_like(beta)
        curvature[:, self.layout.share] = self.prior.information(pi)
        curvature[:, self.layout.coefficients] = self.penalty
        return curvature

    def _slope(self, pi: Array) -> Array:
        """Derivative of log c in logit pi."""
        return log_c_slope(pi, self.engine.n0, self.engine.n1)

    def _corner(self, pi: Array, score: Array, observed: bool) -> Array:
        """What observed information has less than `to_logit_pi` would otherwise make of it."""
        if not observed:
            return np.zeros(len(pi))
        return np.asarray(score[:, self.layout.share] * log_c_bend(pi, self.engine.n0, self.engine.n1))

    def _gradient(self, score: Array, beta: Array, pi: Array, slope: Array) -> Array:
        """Bring the score from log c to logit pi, and add what penalty and prior contribute."""
        share, coefficients = self.layout.share, self.layout.coefficients
        gradient = score.copy()
        gradient[:, share] = gradient[:, share] * slope + self.prior.score(pi)
        gradient[:, coefficients] -= self.penalty * beta[:, coefficients]
        return gradient


@dataclass(frozen=True, eq=False)
class Objective(_Penalized):
    """The penalised profile log-likelihood of the rows behind an engine.

    Parameters
    ----------
    engine : Engine
    penalty : array of shape (p,) or (B, p)
        Diagonal Hessian of the roughness penalty, `Design.penalty`; or one for each of B climbs made at once.
    prior : PiPrior
    """

    engine: Engine
    penalty: Array
    prior: PiPrior = FLAT_PRIOR

    @property
    def layout(self) -> Layout:
        """Where the parameters stand."""
        return self.engine.design.layout

    @property
    def constraints(self) -> Array:
        """Rows A of shape (c, q): parameters keep to A beta >= 0."""
        return constraint_rows(self.engine.design)

    @classmethod
    def side_by_side(cls, objectives: Sequence[Objective], counts: Sequence[int]) -> Objective:
        """Join objectives that differ in their penalty, each for so many climbs."""
        penalty = np.repeat([objective.penalty for objective in objectives], counts, axis=0)
        return cls(objectives[0].engine, penalty, objectives[0].prior)

    def of_climbs(self, numbers: int | Sequence[int]) -> Objective:
        """Return the objective of one climb, or of several."""
        return self if self.penalty.ndim == 1 else replace(self, penalty=self.penalty[numbers])

    def evaluate(self, beta: Array, observed: bool = False) -> Evaluation:
        """Evaluate value and derivatives at the rows of beta, shape (B, q)."""
        assert self.layout.n_preference == 0  # labels at random: others have an objective of their own
        pi = self.pi(beta)
        sums = self.engine.sums(pi, beta[:, self.layout.predictor], observed)
        slope = self._slope(pi)
        to_logit_pi(self.layout, sums.information, slope, self._corner(pi, sums.score, observed))
        value, gradient = sums.value - self._penalties(beta, pi), self._gradient(sums.score, beta, pi, slope)
        return Evaluation(value, sums.value, gradient, sums.information, self._curvature(beta, pi))

    def trace_slopes(self, beta: Array, matrix: Array) -> Array:
        """How the trace of a symmetric matrix times the expected information in (a, theta) changes with beta."""
        pi = self.pi(beta[None])
        slopes = self.engine.trace_slopes(pi, beta[None, self.layout.predictor], matrix)
        slopes[self.layout.share] *= self._slope(pi)[0]
        return slopes

    def stand(self, betas: Sequence[Array], observed: bool = False) -> list[Standpoint]:
        """Evaluate at several parameter vectors in one pass over the rows."""
        evaluation = self.evaluate(np.array(betas), observed)
        return evaluation.standpoints(betas, observed, self.layout, self.constraints)


@dataclass(frozen=True, eq=False)
class ResampledObjective(_Penalized):
    """The same for B weightings of the rows at once: the b-th parameter vector belongs to the b-th weighting."""

    engine: ResampledRows
    penalty: Array
    prior: PiPrior = FLAT_PRIOR

    @property
    def layout(self) -> Layout:
        """Where the parameters stand."""
        return self.engine.layout

    def take(self, numbers: NDArray[np.intp]) -> ResampledObjective:
        """Return the objective of these weightings only."""
        if len(numbers) == len(self.engine.n0):
            return self
        return ResampledObjective(self.engine.take(numbers), self.penalty, self.prior)

    def slopes(self, beta: Array) -> Slopes:
        """Evaluate value and gradient at the rows of beta, shape (B, q)."""
        pi = self.pi(beta)
        sums = self.engine.scores(pi, beta[:, self.layout.predictor])
        return Slopes(sums.value - self._penalties(beta, pi), self._gradient(sums.score, beta, pi, self._slope(pi)))

    def survey(self, beta: Array, observed: bool) -> tuple[Slopes, Hessians]:
        """Evaluate value, gradient and Hessian, with expected or observed information, at the rows of beta."""
        pi = self.pi(beta)
        slope = self._slope(pi)
        # One parameter vector that all weightings share is cheaper to evaluate.
        once = slice(1) if (beta == beta[0]).all() else slice(None)
        sums = self.engine.sums(pi[once], beta[once, self.layout.predictor], observed)
        corner, gradient = self._corner(pi, sums.score, observed), self._gradient(sums.score, beta, pi, slope)
        hessians = self.engine.hessians(sums.information, slope, corner, self._curvature(beta, pi))
        return Slopes(sums.value - self._penalties(beta, pi), gradient), hessians
