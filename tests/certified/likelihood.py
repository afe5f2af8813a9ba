"""The penalised likelihood of `certify`, its derivatives, and the climb to its maximum, in any arithmetic."""

from dataclasses import dataclass
from itertools import product

from lists import cholesky, dot, plus, solve, times, zeros
from mpmath import fp, mp

__all__ = ["Problem", "climb", "maximize"]

FLAT_ENOUGH = mp.mpf("1e-45")  # the largest entry of the gradient
FLAT_FOR_A_START = 1e-7
MOST_STEPS, LEAST_DAMPING, MOST_DAMPING = 300, 1e-6, 1e12
LONGEST_STEP, FARTHEST = 2, 11.5  # of lambda; what goes further ends on the boundary
# Starts: pi, how far the curves rise, and how much less those of the first or of the last term do.
SHARES, RISES, TILTS = (0.03, 0.2, 0.5, 0.8, 0.97), (1.0, 4.0, 15.0, 60.0), ((1.0, 1.0), (1.0, 0.2), (0.2, 1.0))


@dataclass(frozen=True)
class Problem:
    """Rows and penalty in one arithmetic: many digits (`mp`), or ordinary floating point (`fp`).

    Each of `rows` is (labelled, weight, [(place in beta, value), ...]), where alpha, at place 1, has the value one.
    """

    arithmetic: object
    rows: list
    penalty: list
    prior: tuple
    n0: object
    n1: object

    def rounded(self):
        """Return the same problem in ordinary floating point."""
        rows = [(z, float(weight), [(place, float(x)) for place, x in entries]) for z, weight, entries in self.rows]
        penalty = [[float(entry) for entry in line] for line in self.penalty]
        return Problem(fp, rows, penalty, tuple(map(float, self.prior)), float(self.n0), float(self.n1))

    def expit(self, x):
        small = self.arithmetic.exp(-abs(x))
        return 1 / (1 + small) if x >= 0 else small / (1 + small)

    def likelihood(self, beta, expected=False):
        """Log-likelihood, score, information (observed or expected), and the expected score of labelled rows."""
        zero, size = self.arithmetic.zero, len(beta)
        total, score, labelled, information = zero, [zero] * size, [zero] * size, zeros(size, self.arithmetic)
        for z, weight, entries in self.rows:
            r = sum(beta[place] * x for place, x in entries)
            value, scores, bends, share = self._row(z, beta[0], r)
            if expected:
                bends = [
                    share * scores[1][i] * scores[1][j] + (1 - share) * scores[0][i] * scores[0][j] for i, j in PAIRS
                ]
            total += weight * value
            score[0] += weight * scores[z][0]
            labelled[0] += weight * share * scores[1][0]
            information[0][0] += weight * bends[0]
            for number, (place, x) in enumerate(entries):
                score[place] += weight * scores[z][1] * x
                labelled[place] += weight * share * scores[1][1] * x
                information[place][0] += weight * bends[1] * x
                bent = weight * bends[2] * x
                for other, y in entries[: number + 1]:
                    information[place][other] += bent * y
        for i, j in product(range(size), range(size)):
            information[min(i, j)][max(i, j)] = information[max(i, j)][min(i, j)]
        return total, score, information, labelled

    def _row(self, z, logit, r):
        """Log-likelihood, scores of both labels and minus the Hessian in (lambda, r), and P(z = 1 | x)."""
        n0, n1, exp, log = self.n0, self.n1, self.arithmetic.exp, self.arithmetic.log
        odds, shrunk = exp(logit), exp(-abs(r))
        # The three parts of Q, divided by e^r where that is large.
        parts = (n1 * shrunk, n0, (n0 + n1) * odds) if r > 0 else (n1, n0 * shrunk, (n0 + n1) * odds * shrunk)
        Q = sum(parts)
        A, B, not_B = parts[2] / Q, (parts[1] + parts[2]) / Q, parts[0] / Q
        pi, p, not_p = self.expit(logit), self.expit(logit + r), self.expit(-logit - r)
        log_Q = log(Q) + (r if r > 0 else 0)
        if z:
            value = log(n0) + r + log(1 + odds) - log_Q
            hollow = pi * (1 - pi), 0, 0
        else:
            value = log(n1) + log(1 + exp(-abs(logit + r))) + (logit + r if logit + r > 0 else 0) - log_Q
            hollow = (p * not_p,) * 3
        bends = A * (1 - A) - hollow[0], A * not_B - hollow[1], B * not_B - hollow[2]
        return value, ((p - A, not_B - not_p), (pi - A, not_B)), bends, parts[1] * (1 + odds) / Q

    def roughness(self, beta):
        """The penalty and its gradient P beta."""
        slope = times(self.penalty, beta)
        return dot(slope, beta) / 2, slope

    def prior_on(self, logit):
        """Logarithm of the prior up to a constant, its slope in lambda, and minus its second derivative."""
        (a, b), pi, rest = self.prior, self.expit(logit), self.expit(-logit)
        value = (a - 1) * self.arithmetic.log(pi) + (b - 1) * self.arithmetic.log(rest)
        return value, (a - 1) * rest - (b - 1) * pi, (a + b - 2) * pi * rest

    def objective(self, beta):
        """Return the penalised objective, its gradient, and minus its Hessian."""
        loglik, score, information, _ = self.likelihood(beta)
        rough, slope = self.roughness(beta)
        value, push, hold = self.prior_on(beta[0])
        gradient = [a - b for a, b in zip(score, slope, strict=True)]
        gradient[0] += push
        return loglik - rough + value, gradient, self._penalized(information, hold)

    def expected_hessian(self, beta):
        """Return minus the Hessian of the objective with the expected information, which is never indefinite."""
        return self._penalized(self.likelihood(beta, expected=True)[2], self.prior_on(beta[0])[2])

    def _penalized(self, information, hold):
        hessian = plus(information, self.penalty)
        hessian[0][0] += hold
        return hessian


PAIRS = ((0, 0), (0, 1), (1, 1))  # of (lambda, r), in the order in which second derivatives are listed


def climb(problem, beta, flat_enough=FLAT_ENOUGH, held=False):
    """Newton's method, damped; with the expected information where the Hessian is not definite, or None if it fails.

    Returns objective and end. With `held` lambda stays where it is; without, a climb that leads out of its range goes
    on with lambda held there.
    """
    free = range(1 if held else 0, len(beta))
    here, damping = problem.objective(beta), 0
    for _ in range(MOST_STEPS):
        value, gradient, hessian = here
        definite = factorized(problem, hessian, free, damping)
        if definite is not None and max(abs(gradient[i]) for i in free) < flat_enough:
            return value, beta
        L = definite or factorized(problem, problem.expected_hessian(beta), free, max(damping, LEAST_DAMPING))
        trial = stepped(beta, free, solve(L, [gradient[i] for i in free]))
        if abs(trial[0] - beta[0]) < LONGEST_STEP:
            if abs(trial[0]) > FARTHEST:
                return climb(problem, beta, flat_enough, held=True)
            there = problem.objective(trial)
            if there[0] >= value - 1000 * problem.arithmetic.eps * abs(value):
                beta, here, damping = trial, there, (damping / 10 if damping > LEAST_DAMPING else 0)
                continue
        damping = max(10 * damping, LEAST_DAMPING)
        if damping > MOST_DAMPING:
            return None
    return None


def factorized(problem, hessian, free, damping):
    """Cholesky factor of the free part of a damped matrix, or None."""
    part = [[hessian[i][j] + (damping * (1 + abs(hessian[i][i])) if i == j else 0) for j in free] for i in free]
    return cholesky(part, problem.arithmetic)


def stepped(beta, free, step):
    """Add a step to the free entries of beta."""
    moved = list(beta)
    for i, change in zip(free, step, strict=True):
        moved[i] += change
    return moved


def maximize(problem, lines):
    """Climb from all starts in floating point, then from the best end in many digits.

    `lines` lists, for each curve, its places in beta and its coefficients of a straight line. Returns the maximum and
    the ends of all starts, as objective and pi, the highest first.
    """
    rounded = problem.rounded()
    ends = [end for start in starts(rounded, lines) if (end := climb(rounded, start, FLAT_FOR_A_START)) is not None]
    ends.sort(key=lambda end: -end[0])
    _, beta = climb(problem, [mp.mpf(entry) for entry in ends[0][1]])
    return beta, [(value, rounded.expit(end[0])) for value, end in ends]


def starts(problem, lines):
    """Straight lines that rise more or less, up or down as the labelled rows lie, with several pi."""
    size = len(problem.penalty)
    means = [[0.0] * size, [0.0] * size]
    for z, weight, entries in problem.rows:
        for place, x in entries:
            means[z][place] += weight * x / (problem.n0 if z else problem.n1)
    for share, rise, (first, last) in product(SHARES, RISES, TILTS):
        beta = [fp.log(share / (1 - share))] + [0.0] * (size - 1)
        for number, (places, line) in enumerate(lines):
            further = sum((means[1][i] - means[0][i]) * float(entry) for i, entry in zip(places, line, strict=True))
            own = first if number == 0 else last if number == len(lines) - 1 else 1.0
            for i, entry in zip(places, line, strict=True):
                beta[i] = float(entry) * own * (rise if further > 0 else -rise)
        beta[1] = -dot(beta[2:], means[0][2:])
        yield beta
