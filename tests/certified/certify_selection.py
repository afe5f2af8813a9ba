"""Certified values of the likelihood of labels given by preference, in 60-digit arithmetic, by a program of its own.

`python tests/certified/certify_selection.py` writes `selection.json` anew, for the rows of samples.csv. It imports the
standard library, mpmath and `certify_samples`, and nothing of the package; all follows from what is stated here.

Positives have the density w h with log w = alpha + theta_1 x_1 + theta_2 x_2, and are labelled with chances in
proportion to exp(v), v = c_1 x_1 + c_2 x_1 x_2. Labelled rows have the density w h exp(v) / E exp(v), with the mean
over all positives. That over labelled rows of exp(-v) is 1 / E exp(v), and estimates it. Other rows are as in
`certify_samples`, and so is their likelihood: a row's chance to be in its sample, among all rows like it, times that
of its class, if it was found out. The parameters are (logit pi_1, ..., logit pi_K, alpha, theta, c), and the objective
is the log-likelihood, less half the sum of penalties times squared coefficients, plus the same prior.

The expected information is that over the samples a row may be in, with the mean of exp(-v) as it is.
"""

import json

from certify_samples import HERE, LABELLED, NEGATIVE, SAMPLES, Problem, gradient, hessian, maximize, mp, shown

PENALTY = tuple(mp.mpf(value) for value in ("0.5", "0.25", "2", "1"))
POINT = ("-1.5", "-0.5", "0.25", "-0.75", "1.25", "-0.5", "0.375", "-0.125")


class SelectedProblem(Problem):
    """The objective and its derivatives where labels are given by preference."""

    def __init__(self, rows):
        super().__init__(rows)
        self.means = {}  # of the last parameters alone

    def preference(self, beta, x1, x2):
        return beta[6] * x1 + beta[7] * x1 * x2

    def parts(self, beta, x1, x2):
        """n_l times the density of positives, and of negatives, of each sample over h."""
        parts = super().parts(beta, x1, x2)
        return parts | {LABELLED: (parts[LABELLED][0] * self.tilt(tuple(beta), x1, x2), mp.zero)}

    def tilt(self, beta, x1, x2):
        """exp(v) over its mean among positives."""
        if beta not in self.means:
            labelled = [row[2:] for row in self.rows if row[0] == LABELLED]
            self.means = {beta: sum(mp.exp(-self.preference(beta, *row)) for row in labelled) / len(labelled)}
        return mp.exp(self.preference(beta, x1, x2)) * self.means[beta]

    def objective(self, beta):
        rough = sum(p * t**2 for p, t in zip(PENALTY, beta[4:], strict=True)) / 2
        counts, shares = [self.counts[name] for name in SAMPLES], [1 / (1 + mp.exp(-logit)) for logit in beta[:3]]
        prior = sum(n * (mp.log(pi) + mp.log(1 - pi)) for n, pi in zip(counts, shares, strict=True)) / sum(counts)
        return self.loglik(beta) - rough + prior


def read_rows():
    lines = (HERE / "samples.csv").read_text(encoding="utf-8").splitlines()[1:]
    rows = [line.split(",") for line in lines]
    assert {row[0] for row in rows} == {LABELLED, *SAMPLES, NEGATIVE}
    return [(sample, audit if audit == "" else int(audit), x1, x2) for sample, audit, x1, x2 in rows]


def main():
    problem, point = SelectedProblem(read_rows()), [mp.mpf(value) for value in POINT]
    top = maximize(problem, point)
    observed, size = -hessian(problem.loglik, point), range(len(point))
    found = {
        "penalty": [shown(value) for value in PENALTY],
        "point": list(POINT),
        "loglik": shown(problem.loglik(point)),
        "score": [shown(value) for value in gradient(problem.loglik, point)],
        "observed": [[shown(observed[i, j]) for j in size] for i in size],
        "expected": [[shown(value) for value in line] for line in problem.expected(point)],
        "maximum": [shown(value) for value in top],
        "objective": shown(problem.objective(top)),
    }
    (HERE / "selection.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
