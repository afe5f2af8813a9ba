"""Certified values of the likelihood of several samples, in 60-digit arithmetic, by a program of its own.

`python tests/certified/certify_samples.py` writes the rows (samples.csv) and `samples.json` anew. It imports the
standard library and mpmath, and nothing of the package; all follows from the mathematics stated here.

Labelled rows have the density w h, rows of unlabelled sample k the density (pi_k w + 1 - pi_k) h, known negatives h,
and log w = alpha + theta_1 x_1 + theta_2 x_2. With n_l rows in sample l and d_l its density over h, a row at x is in
sample l with the chance n_l d_l / sum_m n_m d_m; where its class was found out, the part of d_l of that class is in the
numerator. The parameters are (logit pi_1, ..., logit pi_K, alpha, theta_1, theta_2), and the objective is

    log-likelihood - (P_1 theta_1^2 + P_2 theta_2^2) / 2 + sum_k n_k (log pi_k + log(1 - pi_k)) / sum_k n_k.

Derivatives are differences with steps far below the digits shown. The expected information is that over the samples a
row may be in, and over both classes if its class was found out.
"""

import csv
import json
from functools import partial
from pathlib import Path

from mpmath import mp

HERE = Path(__file__).parent
mp.dps = 110  # differences lose half of them
STEP = mp.mpf("1e-30")
SHOWN_DIGITS = 30
FLAT_ENOUGH = mp.mpf("1e-45")
SAMPLES, PENALTY = ("a", "b", "c"), (mp.mpf("0.5"), mp.mpf("0.25"))
LABELLED, NEGATIVE = "labelled", "negative"
POINT = ("-1.5", "-0.5", "0.25", "-0.75", "1.25", "-0.5")


def draw_rows():
    """Rows from a linear congruential generator in whole numbers: sample, audit, x1, x2."""
    state, rows = 12345, []

    def uniform():
        nonlocal state
        state = (1103515245 * state + 12345) % 2**31
        return state // 2**11

    for sample, count in ((LABELLED, 18), *zip(SAMPLES, (14, 16, 18), strict=True), (NEGATIVE, 10)):
        for number in range(count):
            share = {LABELLED: 100, NEGATIVE: 0, "a": 15, "b": 35, "c": 60}[sample]
            positive = uniform() % 100 < share
            x1 = (uniform() % 4000 + uniform() % 4000 + (1500 if positive else 0)) / 1000
            x2 = (uniform() % 4000 + uniform() % 4000 - (1000 if positive else 0)) / 1000
            audit = int(positive) if sample in SAMPLES and number % 4 == 0 else ""
            rows.append((sample, audit, f"{x1:.3f}", f"{x2:.3f}"))
    return rows


class Problem:
    """The objective and its derivatives."""

    def __init__(self, rows):
        self.rows = [(sample, audit, mp.mpf(x1), mp.mpf(x2)) for sample, audit, x1, x2 in rows]
        self.counts = {name: sum(row[0] == name for row in rows) for name in (LABELLED, *SAMPLES, NEGATIVE)}

    def parts(self, beta, x1, x2):
        """n_l times the density of positives, and of negatives, of each sample over h."""
        w = mp.exp(beta[3] + beta[4] * x1 + beta[5] * x2)
        parts = {LABELLED: (self.counts[LABELLED] * w, mp.zero), NEGATIVE: (mp.zero, mp.mpf(self.counts[NEGATIVE]))}
        for logit, name in zip(beta, SAMPLES, strict=False):
            pi, n = 1 / (1 + mp.exp(-logit)), self.counts[name]
            parts[name] = n * pi * w, n * (1 - pi)
        return parts

    def log_chance(self, beta, sample, known, x1, x2):
        parts = self.parts(beta, x1, x2)
        positive, negative = parts[sample]
        own = positive + negative if known == "" else positive if known else negative
        return mp.log(own / sum(a + b for a, b in parts.values()))

    def loglik(self, beta):
        return sum(self.log_chance(beta, *row) for row in self.rows)

    def objective(self, beta):
        rough = sum(p * t**2 for p, t in zip(PENALTY, beta[4:], strict=True)) / 2
        counts, shares = [self.counts[name] for name in SAMPLES], [1 / (1 + mp.exp(-logit)) for logit in beta[:3]]
        prior = sum(n * (mp.log(pi) + mp.log(1 - pi)) for n, pi in zip(counts, shares, strict=True)) / sum(counts)
        return self.loglik(beta) - rough + prior

    def expected(self, beta):
        """The expected information."""
        total = [[mp.zero] * len(beta) for _ in beta]
        for _, audit, x1, x2 in self.rows:
            for sample in self.counts:
                for known in ("",) if audit == "" else (0, 1):
                    if (sample, known) in ((LABELLED, 0), (NEGATIVE, 1)):
                        continue
                    of_row = partial(self.log_chance, sample=sample, known=known, x1=x1, x2=x2)
                    chance, score = mp.exp(of_row(beta)), gradient(of_row, beta)
                    for i, one in enumerate(score):
                        for j, other in enumerate(score):
                            total[i][j] += chance * one * other
        return total


def moved(beta, *steps):
    beta = list(beta)
    for place, step in steps:
        beta[place] += step
    return beta


def gradient(function, beta):
    return [
        (function(moved(beta, (i, STEP))) - function(moved(beta, (i, -STEP)))) / (2 * STEP) for i in range(len(beta))
    ]


def hessian(function, beta):
    """Second differences."""
    size = range(len(beta))
    return mp.matrix(
        [
            [
                sum(a * b * function(moved(beta, (i, a * STEP), (j, b * STEP))) for a in (1, -1) for b in (1, -1))
                / (4 * STEP**2)
                for j in size
            ]
            for i in size
        ]
    )


def maximize(problem, point):
    """Newton's method from the given point."""
    beta = list(point)
    for _ in range(60):
        slope = gradient(problem.objective, beta)
        if max(map(abs, slope)) < FLAT_ENOUGH:
            return beta
        step = mp.lu_solve(-hessian(problem.objective, beta), mp.matrix(slope))
        longest = max(map(abs, step))
        beta = [b + s * min(1, 1 / longest) for b, s in zip(beta, step, strict=True)]
    raise AssertionError("no maximum was reached")


def shown(value):
    return mp.nstr(value, SHOWN_DIGITS, strip_zeros=False)


def main():
    rows = draw_rows()
    with (HERE / "samples.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([("sample", "audit", "x1", "x2"), *rows])
    problem, point = Problem(rows), [mp.mpf(value) for value in POINT]
    top = maximize(problem, point)
    observed = -hessian(problem.loglik, point)
    found = {
        "penalty": [shown(value) for value in PENALTY],
        "point": list(POINT),
        "loglik": shown(problem.loglik(point)),
        "score": [shown(value) for value in gradient(problem.loglik, point)],
        "observed": [[shown(observed[i, j]) for j in range(6)] for i in range(6)],
        "expected": [[shown(value) for value in line] for line in problem.expected(point)],
        "maximum": [shown(value) for value in top],
        "objective": shown(problem.objective(top)),
    }
    (HERE / "samples.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
