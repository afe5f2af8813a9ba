"""The evidence at one pi: the likelihood with all coefficients integrated out, and its derivatives.

With pi fixed, coefficients are at their mode under priors of precision P, and Laplace's approximation gives

    M(pi, k) = loglik - theta' P theta / 2 + (log |P| - log |H| + log I_aa) / 2 + log prior(pi) + log prior(k),

H the information of (a, theta) with P on its diagonal. The intercept's own information I_aa makes M flat where curves
are: the numbers of labelled and unlabelled rows are given, so that without curves rows say nothing about pi. A flat
prior on the intercept would favour large values.

Derivatives in logit pi and in the logarithms of the precisions k are exact: the mode follows by the observed
information J, and |H| and I_aa change with it. One pass over the rows gives d, the derivative of
(log I_aa - log |H|) / 2 in (a, theta). With f = J^-1 d,

    dM / d log k_j = (m_j - k_j w_j'(theta^2 + diag H^-1)) / 2 - k_j (w_j theta)' f + d log prior(k) / d log k_j.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.likelihood import expit
from pugam.linear_algebra import inverse, solve, solve_definite
from pugam.solvers.families import Families, gather_families
from pugam.solvers.fisher import maximize_fisher
from pugam.solvers.moments import column_variances
from pugam.solvers.objective import Objective
from pugam.solvers.optimum import Optimum
from pugam.solvers.pi import PiPrior, PiRange
from pugam.solvers.standpoint import Standpoint
from pugam.solvers.tuning import TUNING
from pugam.terms import Design

__all__ = ["LOGS", "PLACE", "EvidenceAt", "Model", "climb", "log_evidence"]

Array = NDArray[np.float64]

PLACE, FIRST = range(2)  # of a point: logit pi, and the first logarithm of a precision
LOGS = slice(FIRST, None)


@dataclass(frozen=True, eq=False)
class Model:
    """Rows, terms and the families of their coefficients."""

    engine: Engine
    design: Design
    families: Families
    prior: PiPrior

    @classmethod
    def of(cls, engine: Engine, design: Design, prior: PiPrior) -> Model:
        """Put rows and terms together; columns are standardised by these rows."""
        return cls(engine, design, gather_families(design, column_variances(engine)), prior)

    def at(self, logs: Array) -> Objective:
        """The penalised objective for the logarithms of the families' precisions."""
        return Objective(self.engine, self.families.precision(logs), self.prior)


@dataclass(frozen=True, eq=False)
class EvidenceAt:
    """What is known at one value of pi and of the precisions.

    Attributes
    ----------
    optimum : Optimum
        The mode of the coefficients.
    logs : array of shape (n_families,)
        Logarithms of the precisions.
    value : float
        The log evidence.
    slopes : array of shape (1 + n_families,)
        Its derivatives in logit pi and in the logarithms of the precisions.
    bend, usual_bend : arrays of shape (1 + n_families, 1 + n_families)
        By how much these fall along both: as far as steps have shown, and as one would expect.
    tangent : array of shape (1 + p, 1 + n_families)
        How the mode moves with logit pi and with the logarithms.
    """

    optimum: Optimum
    logs: Array
    value: float
    slopes: Array
    bend: Array
    usual_bend: Array
    tangent: Array

    @property
    def place(self) -> float:
        """Logit of pi."""
        return self.optimum.logit_pi

    @property
    def point(self) -> Array:
        """Logit of pi and the logarithms: shape (1 + n_families,)."""
        return np.append(self.place, self.logs)

    @property
    def slope(self) -> float:
        """Derivative of the log evidence in logit pi, the precisions fixed."""
        return float(self.slopes[PLACE])

    def moved(self, point: Array) -> Array:
        """Parameters at another point: the mode follows along the tangent."""
        layout = self.optimum.layout
        step = self.tangent @ (point - self.point)
        longest = float(np.abs(step).max(initial=0.0))
        beta = layout.with_share(self.optimum.beta, float(point[PLACE]))
        beta[layout.predictor] += step * min(1.0, TUNING.longest_tangent / max(longest, TUNING.longest_tangent))
        return beta


def log_evidence(model: Model, here: Standpoint, logs: Array) -> float:
    """Laplace's approximation of the log evidence, up to a constant, at the mode of the coefficients."""
    predictor = here.layout.predictor
    _, of_hessian = np.linalg.slogdet(here.hessian[predictor, predictor])
    of_hessian = max(of_hessian, np.log(TUNING.smallest_information))  # none is left where every row is saturated
    of_prior = np.sum(np.log(model.families.precision(logs)))
    return here.value + 0.5 * float(of_prior - of_hessian + np.log(_own(here))) + model.families.log_prior(logs)


def _own(here: Standpoint) -> float:
    """The intercept's own information."""
    return max(float(here.information[here.layout.intercept, here.layout.intercept]), TUNING.smallest_information)


def climb(model: Model, beta: Array, logs: Array, bend: Array | None = None) -> EvidenceAt:
    """Find the mode with pi and precisions fixed, and see how the evidence changes there."""
    pi = float(expit(beta[model.design.layout.share]))
    objective = model.at(logs)
    (found,) = maximize_fisher(objective, beta[None], PiRange(pi, pi), TUNING.evidence_tol, TUNING.evidence_iterations)
    if found.observed:  # where a climb gave up near the top
        (here,) = objective.stand([found.beta])
        found = Optimum.at(here, found.n_iter, found.converged, found.history)
    return _differentiate(model, objective, found, logs, bend)


def _differentiate(model: Model, objective: Objective, mode: Optimum, logs: Array, bend: Array | None) -> EvidenceAt:
    """See how high the evidence is at a mode, and how it changes.

    What a climb has left to gain would make the evidence uneven: it is counted as the parabola at its end shows it.
    """
    predictor, share, alone = mode.layout.predictor, mode.layout.share, mode.layout.of_predictors
    covariance = inverse(mode.hessian[predictor, predictor])
    drift, left = _drift(objective, mode, covariance), mode.gradient[predictor]
    (observed,) = objective.stand([mode.beta], observed=True)
    pulls = np.zeros((alone.size, 1 + len(logs)))
    pulls[:, 0] = observed.information[predictor, share]
    pulls[alone.coefficients, 1:] = (np.exp(logs)[:, None] * model.families.weights * mode.theta).T
    ways = _solve(observed, mode, np.column_stack([drift[predictor], left, pulls]))
    follows, step = ways[:, 0], ways[:, 1]
    gain = float((follows + 0.5 * step) @ left) if mode.converged else 0.0
    variances = covariance.diagonal()[alone.coefficients]
    squares = mode.theta * (mode.theta + 2.0 * follows[alone.coefficients]) + variances
    usual = np.diag(np.append(_share_bend(mode, covariance), model.families.usual_bend(logs, variances)))
    slope = mode.gradient[share] + drift[share] - follows @ pulls[:, 0]
    return EvidenceAt(
        optimum=mode,
        logs=logs,
        value=log_evidence(model, mode, logs) + gain,
        slopes=np.append(slope, model.families.slopes(logs, squares)),
        bend=usual if bend is None else bend,
        usual_bend=usual,
        tangent=-ways[:, 2:],
    )


def _share_bend(mode: Optimum, covariance: Array) -> float:
    """By how much the slope along logit pi falls, the coefficients following: the information about it."""
    share, predictor = mode.layout.share, mode.layout.predictor
    across = mode.hessian[predictor, share]
    return max(float(mode.hessian[share, share] - across @ covariance @ across), TUNING.smallest_information)


def _solve(observed: Standpoint, expected: Standpoint, rhs: Array) -> Array:
    """Solve with the observed information, or with the expected one where a climb gave up on a saddle."""
    predictor = expected.layout.predictor
    found = solve_definite(observed.hessian[predictor, predictor], rhs)
    return solve(expected.hessian[predictor, predictor], rhs) if found is None else found


def _drift(objective: Objective, mode: Optimum, covariance: Array) -> Array:
    """How half of log I_aa - log |H| changes with all parameters at once, the mode not following: shape (q,)."""
    matrix, intercept = -0.5 * covariance, mode.layout.of_predictors.intercept
    matrix[intercept, intercept] += 0.5 / _own(mode)
    return objective.trace_slopes(mode.beta, matrix)
