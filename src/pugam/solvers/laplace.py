"""The evidence at one pi: the likelihood with all coefficients integrated out, and its derivatives.

With pi fixed, coefficients are at their mode under priors of precision P, and Laplace's approximation gives

    M(pi, k) = loglik - theta' P theta / 2 + (log |P| - log |H| + log I_aa) / 2 + log prior(pi) + log prior(k),

H the information of (a, theta) with P on its diagonal. The intercept's own information I_aa makes M flat where curves
are: the numbers of labelled and unlabelled rows are given, so that without curves rows say nothing about pi. A flat
prior on the intercept would favour large values. Of several intercepts, I_aa is the determinant of their information.

Derivatives in logit pi and in the logarithms of the precisions k are exact: the mode follows by the observed
information J, and |H| and I_aa change with it. One pass over the rows gives d, the derivative of
(log I_aa - log |H|) / 2 in (a, theta). With f = J^-1 d,

    dM / d log k_j = (m_j - k_j w_j'(theta^2 + diag H^-1)) / 2 - k_j (w_j theta)' f + d log prior(k) / d log k_j.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag

from pugam.engines import Engine
from pugam.linear_algebra import inverse, log_determinant, solve, solve_definite
from pugam.solvers.families import Families, gather_families
from pugam.solvers.fisher import maximize_fisher
from pugam.solvers.moments import column_variances
from pugam.solvers.objective import Objective
from pugam.solvers.optimum import Optimum
from pugam.solvers.pi import FIXED, PiPrior
from pugam.solvers.standpoint import Standpoint
from pugam.solvers.steps import bounded_steps, slack
from pugam.solvers.summit import newton_path
from pugam.solvers.tuning import TUNING
from pugam.terms import Design

__all__ = ["EvidenceAt", "Model", "climb", "has_few_rows", "log_evidence"]

Array = NDArray[np.float64]


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
    slopes : array of shape (n_shares + n_families,)
        Its derivatives in the logits of the shares and in the logarithms of the precisions.
    bend, usual_bend : arrays of shape (n_shares + n_families, n_shares + n_families)
        By how much these fall along both: as far as steps have shown, and as one would expect.
    tangent : array of shape (1 + p, n_shares + n_families)
        How the mode moves with both.
    """

    optimum: Optimum
    logs: Array
    value: float
    slopes: Array
    bend: Array
    usual_bend: Array
    tangent: Array

    @property
    def n_shares(self) -> int:
        """Number of shares."""
        return self.optimum.layout.n_shares

    @property
    def point(self) -> Array:
        """Logits of the shares, and the logarithms: shape (n_shares + n_families,)."""
        return np.append(self.optimum.beta[self.optimum.layout.shares], self.logs)

    def moved(self, point: Array) -> Array:
        """Parameters at another point: the mode follows along the tangent."""
        layout = self.optimum.layout
        step = self.tangent @ (point - self.point)
        longest = float(np.abs(step).max(initial=0.0))
        beta = layout.with_shares(self.optimum.beta, point[: self.n_shares])
        beta[layout.predictor] += step * min(1.0, TUNING.longest_tangent / max(longest, TUNING.longest_tangent))
        return beta


def log_evidence(model: Model, here: Standpoint, logs: Array) -> float:
    """Laplace's approximation of the log evidence, up to a constant, at the mode of the coefficients."""
    predictor = here.layout.predictor
    of_prior = float(np.sum(np.log(model.families.precision(logs))))
    of_hessian = log_determinant(here.hessian[predictor, predictor])
    # Where every row is saturated, the prior is all that is left.
    of_hessian = max(of_hessian, of_prior + np.log(TUNING.smallest_information))
    return here.value + 0.5 * float(of_prior - of_hessian + _log_own(here)) + model.families.log_prior(logs)


def _log_own(here: Standpoint) -> float:
    """Logarithm of the intercept's own information; of several, of its determinant."""
    own = _own(here)
    return float(np.log(own[0, 0])) if len(own) == 1 else log_determinant(own)


def _own(here: Standpoint) -> Array:
    """Information of the intercepts by themselves."""
    own = here.information[here.layout.intercepts, here.layout.intercepts].copy()
    own.flat[:: len(own) + 1] = np.maximum(own.diagonal(), TUNING.smallest_information)
    return own


def has_few_rows(model: Model) -> bool:
    """Whether coefficients may well have several modes next to each other."""
    return model.engine.n0 + model.engine.n1 < TUNING.pilot_rows


def climb(model: Model, beta: Array, logs: Array, bend: Array | None = None) -> EvidenceAt:
    """Find the mode with pi and precisions fixed, and see how the evidence changes there.

    Few rows may have several modes next to each other, and Newton steps would follow one that is not the highest.
    """
    objective = model.at(logs)
    followed = None if has_few_rows(model) else _follow(objective, beta)
    mode, observed = followed or _search(objective, beta)
    return _differentiate(model, objective, mode, observed, logs, bend)


def _follow(objective: Objective, beta: Array) -> tuple[Optimum, Standpoint] | None:
    """Find a mode nearby by Newton steps, with the observed information from where the last one was taken.

    A step squares what is left to gain, so that the last one may promise the root of what may be left. None where that
    does not hold.
    """
    path = newton_path(objective, beta, FIXED, TUNING.last_steps, float(np.sqrt(TUNING.evidence_tol)))
    if path is None:
        return None
    (here,) = objective.stand([path.end])
    (rest,) = bounded_steps([replace(here, information=path.last_seen.information, observed=True)], FIXED, [0.0])
    if rest is None or rest.gain > TUNING.evidence_tol or here.value < path.values[-1] - slack(here.value):
        return None
    return Optimum.at(here, len(path.values), True, path.values), path.last_seen


def _search(objective: Objective, beta: Array) -> tuple[Optimum, Standpoint]:
    """Find the mode from anywhere, with the observed information there."""
    (found,) = maximize_fisher(
        objective, beta[None], FIXED, TUNING.evidence_tol, TUNING.evidence_iterations, TUNING.longest_creep
    )
    (observed,) = objective.stand([found.beta], observed=True)
    if found.observed:  # where a climb gave up near the top
        (here,) = objective.stand([found.beta])
        found = Optimum.at(here, found.n_iter, found.converged, found.history)
    return found, observed


def _differentiate(
    model: Model, objective: Objective, mode: Optimum, observed: Standpoint, logs: Array, bend: Array | None
) -> EvidenceAt:
    """See how high the evidence is at a mode, and how it changes.

    What a climb has left to gain would make the evidence uneven: value and slopes are those at the top of the parabola
    that the end of the climb shows.
    """
    layout = mode.layout
    predictor, shares, alone, n_shares = layout.predictor, layout.shares, layout.of_predictors, layout.n_shares
    covariance = inverse(mode.hessian[predictor, predictor])
    drift, left = _drift(objective, mode, covariance), mode.gradient[predictor]
    pulls = np.zeros((alone.size, n_shares + len(logs)))
    pulls[:, :n_shares] = observed.information[predictor, shares]
    pulls[alone.coefficients, n_shares:] = (np.exp(logs)[:, None] * model.families.weights * mode.theta).T
    ways = _solve(observed, mode, np.column_stack([drift[predictor], left, pulls]))
    follows, step = ways[:, 0], ways[:, 1]
    gain = float((follows + 0.5 * step) @ left) if mode.converged else 0.0
    if mode.converged and abs(gain) < TUNING.most_left:  # more is rounding, where matrices are next to singular
        follows = follows + step
    else:
        gain = 0.0
    variances = covariance.diagonal()[alone.coefficients]
    squares = mode.theta * (mode.theta + 2.0 * follows[alone.coefficients]) + variances
    usual = block_diag(_share_bend(mode, covariance), np.diag(model.families.usual_bend(logs, variances)))
    along = mode.gradient[shares] + drift[shares] - follows @ pulls[:, :n_shares]
    return EvidenceAt(
        optimum=mode,
        logs=logs,
        value=log_evidence(model, mode, logs) + gain,
        slopes=np.append(along, model.families.slopes(logs, squares)),
        bend=usual if bend is None else bend,
        usual_bend=usual,
        tangent=-ways[:, 2:],
    )


def _share_bend(mode: Optimum, covariance: Array) -> Array:
    """By how much slopes along the shares fall, the coefficients following: the information about them."""
    shares, predictor = mode.layout.shares, mode.layout.predictor
    across = mode.hessian[predictor, shares]
    bend = mode.hessian[shares, shares] - across.T @ covariance @ across
    bend.flat[:: len(bend) + 1] = np.maximum(bend.diagonal(), TUNING.smallest_information)
    return np.asarray(bend)


def _solve(observed: Standpoint, expected: Standpoint, rhs: Array) -> Array:
    """Solve with the observed information, or with the expected one where a climb gave up on a saddle."""
    predictor = expected.layout.predictor
    found = solve_definite(observed.hessian[predictor, predictor], rhs)
    return solve(expected.hessian[predictor, predictor], rhs) if found is None else found


def _drift(objective: Objective, mode: Optimum, covariance: Array) -> Array:
    """How half of log I_aa - log |H| changes with all parameters at once, the mode not following: shape (q,)."""
    matrix, intercepts, own = -0.5 * covariance, mode.layout.of_predictors.intercepts, _own(mode)
    matrix[intercepts, intercepts] += 0.5 / own if len(own) == 1 else 0.5 * inverse(own)
    return objective.trace_slopes(mode.beta, matrix)
