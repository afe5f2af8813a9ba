"""Certified values: penalised fits of six small data sets in 60-digit arithmetic, by a program of its own.

`python tests/certified/certify.py` writes the data sets (CSV) and `values.json` anew. It and the modules beside it
import the standard library and mpmath, and nothing of the package; all follows from the mathematics stated here.

The model. Labelled rows (z = 1) come from a density g, unlabelled ones (z = 0) from pi g + (1 - pi) h, and

    log g(x)/h(x) = r(x) = alpha + sum_j u_j(x_j).

Rows have weights w; n0 and n1 are the total weights of labelled and unlabelled rows, n = n0 + n1. With lambda = logit
pi and Q = n1 + n0 e^r + n e^(lambda + r), the profile empirical likelihood is sum w log P(z | x), where

    P(z = 1 | x) = n0 e^r (1 + e^lambda) / Q,        P(z = 0 | x) = n1 (1 + e^(lambda + r)) / Q.

(This is c expit(a + sum_j u_j) and its complement, in other coordinates.) With p = expit(lambda + r),
A = n e^(lambda + r)/Q and B = (n0 e^r + n e^(lambda + r))/Q, the derivatives of a row in (lambda, r) are

    score        s1 = (pi - A, 1 - B) for z = 1, s0 = (p - A, p - B) for z = 0
    - Hessian    in lambda lambda, lambda r and rr: A (1 - A), A (1 - B) and B (1 - B), less pi (1 - pi), 0 and 0 for
                 z = 1, less p (1 - p) in all three for z = 0
    information  P(z = 1) s1 s1' + P(z = 0) s0 s0'.

The curves. The range of a column (given bounds, or that of the rows with a weight) is taken as t from 0 to 1.

    smooth       a cubic spline of k B-splines; the k - 4 interior knots even, or at quantiles of the distinct t
                 (interpolated linearly between order statistics); beyond 0 and 1 the tangents there; penalised by
                 kappa int_0^1 u''(t)^2 dt; reported with int_0^1 u(t) dt = 0
    linear       a straight line, reported as zero at t = 1/2
    factor       one effect per level, reported with sum zero over the levels

The climb leaves out one B-spline, or level, of each term, whose constants alpha takes up.

The fit. The maximum of F = log-likelihood - sum_j kappa_j int u_j''^2 + (a - 1) log pi + (b - 1) log(1 - pi) for a
prior Beta(a, b), by Newton's method with exact derivatives, until the largest entry of the gradient is below 1e-45;
from the best of sixty starts, which climb in ordinary floating point; it lies inside the range of pi, and higher than
curves that grow without bound get. Let beta = (lambda, alpha, theta), I the
information, P the Hessian of the penalty, G that of minus the logarithm of the prior ((a + b - 2) pi (1 - pi) in
lambda, zero elsewhere), V = (I + P + G)^-1, and e the first unit vector.

    bias         x = P V e + P V P V e; lambda~ = lambda^ + x' beta^, then F is maximised with lambda fixed at lambda~
    sampling     for given n0 and n1 the score has the variance I - k m m', with k = 1/n0 + 1/n1 and the total score of
                 the labelled rows m = sum w P(z = 1 | x) s1, which is also I v for v = (-1, 1, 0, ..., 0)/(1 - pi)
    bayesian     the covariance V - k (V m)(V m)', at the reported parameters
    curves       the same + b b', with b = V P beta (where the bias was taken out of pi, the same for known pi)
    frequentist  M (I - k m m') M', at the penalised maximum, with M = V, or V + V e (V x)' / (e' V e) where the bias
                 was taken out
    limits       pi exp(-+ q (1 - pi) sd), at most 1, with the normal quantile q of a level of 0.95; sd^2, at the
                 penalised maximum, is the larger of two variances of lambda, with the expected information and with the
                 observed one in the place of I: e' V e - k (e' M I v)^2, or e' M (I + G) M' e - k (e' M I v)^2 where
                 the bias was taken out
    edf          tr(V I), at the penalised maximum
"""

import csv
import json
from collections import Counter
from itertools import accumulate, pairwise
from pathlib import Path

from curves import make_curve
from data_sets import DATA_SETS
from infinity import reached_at_infinity
from lists import dot, inverse, multiply, outer, plus, times, transposed, zeros
from mpmath import mp

from likelihood import Problem, climb, maximize

HERE = Path(__file__).parent
mp.dps = 60
SHOWN_DIGITS = 30
LEVEL = mp.mpf("0.95")
STEP, AGREEMENT = mp.mpf("1e-20"), mp.mpf("1e-30")  # of the check of derivatives by differences
INSIDE = (1e-4, 1 - 1e-4)


class Model:
    """The terms of a data set side by side, behind lambda and alpha."""

    def __init__(self, data):
        self.rows = [row for row in data.rows if not data.weighted or mp.mpf(row["weight"]) > 0]
        self.terms = data.terms
        self.curves = [make_curve(term, [row[term.column] for row in self.rows]) for term in data.terms]
        ends = list(accumulate((curve.size for curve in self.curves), initial=2))
        self.places = [range(start, end) for start, end in pairwise(ends)]
        self.size = ends[-1]

    def problem(self, prior):
        """Write out all rows."""
        rows = []
        for row in self.rows:
            entries = [(1, mp.one)]
            for term, curve, places in zip(self.terms, self.curves, self.places, strict=True):
                entries += [(places.start + i, x) for i, x in curve.row(row[term.column])]
            rows.append((int(row["z"]), mp.mpf(row.get("weight", 1)), entries))
        penalty = zeros(self.size, mp)
        for curve, places in zip(self.curves, self.places, strict=True):
            for i, line in zip(places, curve.penalty, strict=True):
                penalty[i][places.start : places.stop] = line
        n0, n1 = (sum(weight for z, weight, _ in rows if z == label) for label in (1, 0))
        return Problem(mp, rows, penalty, tuple(map(mp.mpf, prior or (1, 1))), n0, n1)

    def lines(self):
        """Straight lines in each column, for starts."""
        return [(places, curve.line) for places, curve in zip(self.places, self.curves, strict=True)]

    def effect(self, number, value):
        """Weights of beta in the centred effect of a term at a value of its column."""
        weights, curve, places = [mp.zero] * self.size, self.curves[number], self.places[number]
        for i, mean in zip(places, curve.middle, strict=True):
            weights[i] = -mean
        for i, x in curve.row(value):
            weights[places.start + i] += x
        return weights

    def alpha(self):
        """Weights of beta in alpha, all curves centred."""
        weights = [mp.zero, mp.one]
        for curve in self.curves:
            weights += curve.middle
        return weights


class Point:
    """What inference needs to know of one parameter vector."""

    def __init__(self, problem, beta):
        self.problem, self.beta = problem, beta
        self.pi, self.k = problem.expit(beta[0]), 1 / problem.n0 + 1 / problem.n1
        self.loglik, _, self.information, self.labelled = problem.likelihood(beta, expected=True)
        self.observed = problem.likelihood(beta)[2]
        prior, _, self.prior_curvature = problem.prior_on(beta[0])
        rough, self.penalty_slope = problem.roughness(beta)
        self.value = self.loglik - rough + prior
        self.V = self.inverse(self.information)

    def inverse(self, information):
        """V, from the expected or the observed information."""
        hessian = plus(information, self.problem.penalty)
        hessian[0][0] += self.prior_curvature
        return inverse(hessian, mp)

    def correction(self, V):
        """The weights x of beta in the correction of lambda."""
        once = times(self.problem.penalty, V[0])
        return [a + b for a, b in zip(once, times(self.problem.penalty, times(V, once)), strict=True)]

    def corrected_logit(self):
        return self.beta[0] + dot(self.correction(self.V), self.beta)

    def bayesian(self):
        moved = times(self.V, self.labelled)
        return plus(self.V, outer(moved, moved), -self.k)

    def bias(self, known_pi):
        """Return b, which smoothing takes from beta."""
        if not known_pi:
            return times(self.V, self.penalty_slope)
        hessian = plus(self.information, self.problem.penalty)
        return [mp.zero, *times(inverse([line[1:] for line in hessian[1:]], mp), self.penalty_slope[1:])]

    def movement(self, V, corrected):
        """M: how the estimate moves with the score."""
        if not corrected:
            return V
        return plus(V, outer(V[0], times(V, self.correction(V))), 1 / V[0][0])

    def frequentist(self, corrected):
        M = self.movement(self.V, corrected)
        moved = times(M, self.labelled)
        return plus(multiply(multiply(M, self.information), transposed(M)), outer(moved, moved), -self.k)

    def logit_variance(self, information, corrected):
        """Variance of lambda behind the limits of pi, from the expected or the observed information."""
        V = self.inverse(information)
        move = self.movement(V, corrected)[0]
        direction = [-1 / (1 - self.pi), 1 / (1 - self.pi)] + [mp.zero] * (len(V) - 2)
        variance = V[0][0]
        if corrected:
            variance = dot(move, times(information, move)) + self.prior_curvature * move[0] ** 2
        return variance - self.k * dot(move, times(information, direction)) ** 2

    def edf(self):
        return sum(dot(*lines) for lines in zip(self.V, self.information, strict=True))


def certify(model, fit):
    """Solve one fit; return its values as text."""
    problem = model.problem(fit.prior)
    beta, ends = maximize(problem, model.lines())
    require_maximum(ends, reached_at_infinity(model.rows, model.terms, problem.prior))
    check_derivatives(problem, beta)
    penalized = end = Point(problem, beta)
    if fit.debias:
        _, beta = climb(problem, [penalized.corrected_logit(), *beta[1:]], held=True)
        end = Point(problem, beta)
    covariances = {"bayesian": end.bayesian(), "frequentist": penalized.frequentist(fit.debias)}
    bias = end.bias(known_pi=fit.debias)
    covariances["curves"] = plus(covariances["bayesian"], outer(bias, bias))
    values = {name: shown(value) for name, value in scalars(penalized, end, fit.debias).items()}
    values["alpha"] = shown(dot(model.alpha(), end.beta))
    values["se_alpha"] = shown(error(covariances["bayesian"], model.alpha()))
    for kind in ("bayesian", "frequentist"):
        values[f"se_logit_pi_{kind}"] = shown(mp.sqrt(covariances[kind][0][0]))
    values["effects"] = {
        term.column: effects(model, number, end.beta, covariances) for number, term in enumerate(model.terms)
    }
    return values


def scalars(penalized, end, corrected):
    """Everything that is one number and no standard error."""
    variance = max(penalized.logit_variance(one, corrected) for one in (penalized.information, penalized.observed))
    half = mp.sqrt(2) * mp.erfinv(LEVEL) * (1 - end.pi) * mp.sqrt(variance)
    return {
        "pi": end.pi,
        "pi_penalized": penalized.pi,
        "loglik": end.loglik,
        "penalized_loglik": end.value,
        "edf": penalized.edf(),
        "pi_lower": end.pi * mp.exp(-half),
        "pi_upper": min(mp.one, end.pi * mp.exp(half)),
    }


def effects(model, number, beta, covariances):
    """Effects of one term at its points, and their differences from that at the first point."""
    points = model.terms[number].points
    at = [model.effect(number, point) for point in points]
    away = [[a - b for a, b in zip(weights, at[0], strict=True)] for weights in at[1:]]
    return {
        "at": points,
        "u": [shown(dot(weights, beta)) for weights in at],
        "se": [shown(error(covariances["curves"], weights)) for weights in at],
        "difference": [shown(dot(weights, beta)) for weights in away],
        **{
            f"difference_se_{kind}": [shown(error(covariance, weights)) for weights in away]
            for kind, covariance in covariances.items()
        },
    }


def error(covariance, weights):
    """Standard error of a weighted sum of parameters."""
    return mp.sqrt(dot(weights, times(covariance, weights)))


def shown(value):
    return mp.nstr(value, SHOWN_DIGITS, strip_zeros=False)


def require_maximum(ends, at_infinity):
    """Print where the starts ended; refuse an end on the boundary of the range of pi, or lower than at infinity."""
    counts = Counter(f"{value:.4f} (pi = {pi:.4f})" for value, pi in ends)
    print("   starts ended at", ", ".join(f"{end}: {count}" for end, count in counts.items()))
    value, pi = ends[0]
    assert INSIDE[0] < pi < INSIDE[1]
    if at_infinity is not None:
        print(f"   curves without bound reach {at_infinity:.4f}")
        assert value > at_infinity


def check_derivatives(problem, beta):
    """Compare gradient and Hessian along one direction, next to the maximum, with differences."""
    direction = [mp.one / (2 + number) for number in range(len(beta))]
    at, plus_step, minus_step = (
        problem.objective([b + (mp.mpf("0.01") + shift) * d for b, d in zip(beta, direction, strict=True)])
        for shift in (0, STEP, -STEP)
    )
    slope = (plus_step[0] - minus_step[0]) / (2 * STEP)
    bends = [(a - b) / (2 * STEP) for a, b in zip(plus_step[1], minus_step[1], strict=True)]
    assert abs(slope - dot(at[1], direction)) < AGREEMENT * (1 + abs(slope))
    for bend, exact in zip(bends, times(at[2], direction), strict=True):
        assert abs(bend + exact) < AGREEMENT * (1 + abs(bend))


def described(term):
    """Return a term for whoever fits it."""
    return {key: value for key, value in vars(term).items() if key != "points"}


def write_rows(data):
    """Write a data set as CSV."""
    with (HERE / f"{data.name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, data.rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(data.rows)


def main():
    """Write all data sets and their values."""
    written = {}
    for data in DATA_SETS:
        write_rows(data)
        model, fits = Model(data), {}
        for name, fit in data.fits.items():
            print(f"{data.name}, {name}", flush=True)
            fits[name] = {"prior": fit.prior, "debias": fit.debias, "values": certify(model, fit)}
            print("   pi =", fits[name]["values"]["pi"], flush=True)
        written[data.name] = {
            "difficulty": data.difficulty,
            "weighted": data.weighted,
            "terms": [described(term) for term in data.terms],
            "fits": fits,
        }
    (HERE / "values.json").write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
