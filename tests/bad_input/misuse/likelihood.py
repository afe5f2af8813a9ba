"""The penalised likelihood as design notes write it, with NumPy alone: what a reported optimum is held against.

    P(z = 1 | x) = c expit(a + eta(x)),    c = n0 / (n0 + n1 pi)

In beta = (logit pi, a, theta), with a quadratic penalty on theta and a Beta density on pi.
"""

from dataclasses import dataclass

import numpy as np

__all__ = ["Problem"]

NULL = 1e-7  # eigenvalues, relative to a unit diagonal, below which a direction counts as one rows say nothing about
MANY_STEPS, NOTHING_LEFT = 200, 1e-10
LEAST = 1e-5  # information on a parameter: below, it may grow without bound
STEPS, DAMPINGS, LONGEST = 5, (1e-10, 1e-6, 1e-3, 0.1, 10.0), 0.5  # the longest, in linear predictors and logit pi


def _expit(x):
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1.0, small) / (1.0 + small)


def _solve(information, gradient, damping):
    """Solve on a unit diagonal, and say whether the matrix is well conditioned."""
    diagonal = np.maximum(information.diagonal(), np.finfo(float).tiny)
    scale = np.sqrt(diagonal)
    eigenvalues, vectors = np.linalg.eigh(information / scale / scale[:, None])
    along = vectors.T @ (gradient / scale) / (np.maximum(eigenvalues, 0.0) + max(damping, 1e-14))
    return vectors @ along / scale, bool(eigenvalues[0] > NULL and diagonal.min() > LEAST)


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows and penalty.

    Attributes
    ----------
    columns : array of shape (n, 1 + p)
        Model columns, that of the intercept first.
    labelled : bool array of shape (n,)
    weights : array of shape (n,)
    penalty : array of shape (p,)
        Half of sum_j penalty_j theta_j^2 is subtracted.
    prior : (float, float)
        a and b of a Beta(a, b) density.
    """

    columns: np.ndarray
    labelled: np.ndarray
    weights: np.ndarray
    penalty: np.ndarray
    prior: tuple[float, float]

    @property
    def counts(self):
        """Weight of the labelled and of the unlabelled rows."""
        return self.weights[self.labelled].sum(), self.weights[~self.labelled].sum()

    def loglik(self, beta):
        """Log-likelihood of the labels."""
        n0, n1 = self.counts
        pi, s = _expit(beta[0]), self.columns @ beta[1:]
        log_c, log_d = np.log(n0) - np.log(n0 + n1 * pi), np.log(n1 * pi) - np.log(n0 + n1 * pi)
        labelled = log_c - np.logaddexp(0.0, -s)
        above = np.maximum(s, 0.0)  # taken out of both terms, which cancel where it is large
        hidden = np.logaddexp(-above, log_d + (s - above)) - np.logaddexp(-above, s - above)
        return float(self.weights @ np.where(self.labelled, labelled, hidden))

    def value(self, beta):
        """Log-likelihood, less the penalty, plus the logarithm of the density of pi."""
        a, b = self.prior
        pi = _expit(beta[0])
        log_prior = (a - 1.0) * np.log(pi) + (b - 1.0) * np.log1p(-pi)
        return self.loglik(beta) - 0.5 * float(self.penalty @ beta[2:] ** 2) + float(log_prior)

    def derivatives(self, beta):
        """Gradient of `value`, and its expected information with the curvature of penalty and prior."""
        (n0, n1), (a, b) = self.counts, self.prior
        pi, m = float(_expit(beta[0])), _expit(self.columns @ beta[1:])
        below = _expit(-(self.columns @ beta[1:]))  # 1 - m
        c, d = n0 / (n0 + n1 * pi), n1 * pi / (n0 + n1 * pi)
        probability, rest = c * m, below + d * m
        odds = probability / rest
        score_c = np.where(self.labelled, 1.0, -odds)
        slope = -d * (1.0 - pi)  # of log c in logit pi
        score = self.columns.T @ (self.weights * score_c * below)
        gradient = np.concatenate([[slope * (self.weights @ score_c)], score])
        gradient[0] += (a - 1.0) * (1.0 - pi) - (b - 1.0) * pi
        gradient[2:] -= self.penalty * beta[2:]
        information = np.empty((len(beta), len(beta)))
        information[0, 0] = slope**2 * (self.weights @ odds) + (a + b - 2.0) * pi * (1.0 - pi)
        information[0, 1:] = information[1:, 0] = slope * (self.columns.T @ (self.weights * odds * below))
        information[1:, 1:] = (self.columns * (self.weights * odds * below**2)[:, None]).T @ self.columns
        information[2:, 2:] += np.diag(self.penalty)
        return gradient, information

    def gain(self, beta, free):
        """How much higher the top of the hill is, as gradient and information see it: half the Newton decrement.

        None where rows say next to nothing about some direction, as where classes separate: then it does not tell.
        """
        gradient, information = self.derivatives(beta)
        step, definite = _solve(information[free, free], gradient[free], 0.0)
        return 0.5 * float(gradient[free] @ step) if definite else None

    def climb(self, beta, free):
        """How much higher a few short steps lead, damped as needed: not where other hills may be."""
        here, first = beta.copy(), self.value(beta)
        height = first
        for _ in range(STEPS):
            gradient, information = self.derivatives(here)
            for damping in DAMPINGS:
                step = np.zeros_like(here)
                step[free] = _solve(information[free, free], gradient[free], damping)[0]
                longest = max(abs(step[0]), np.abs(self.columns @ step[1:]).max())
                there = here + step * min(1.0, LONGEST / longest if longest > 0.0 else 1.0)
                if self.value(there) > height:
                    here, height = there, self.value(there)
                    break
            else:
                break
        return height - first

    def settled(self, beta):
        """Return the top with pi held where it is."""
        here = beta.copy()
        for _ in range(MANY_STEPS):
            gradient, information = self.derivatives(here)
            step = np.zeros_like(here)
            step[1:], _ = _solve(information[1:, 1:], gradient[1:], 0.0)
            if gradient @ step < NOTHING_LEFT:
                break
            scale = min(1.0, LONGEST / max(np.abs(self.columns @ step[1:]).max(), LONGEST))
            while self.value(here + scale * step) < self.value(here) and scale > NOTHING_LEFT:
                scale /= 2.0
            here = here + scale * step
        return here

    def log_evidence(self, beta):
        """Laplace's approximation of the evidence on pi, up to a constant, from the top with pi held."""
        _, information = self.derivatives(beta)
        _, of_information = np.linalg.slogdet(information[1:, 1:])
        return self.value(beta) + 0.5 * (np.log(information[1, 1]) - of_information)

    def flat_value(self, pi):
        """The value where all curves are zero: labels are explained by their share alone, whatever pi is."""
        (n0, n1), (a, b) = self.counts, self.prior
        log_prior = (a - 1.0) * np.log(pi) + (b - 1.0) * np.log1p(-pi)
        return float(n0 * np.log(n0 / (n0 + n1)) + n1 * np.log(n1 / (n0 + n1)) + log_prior)
