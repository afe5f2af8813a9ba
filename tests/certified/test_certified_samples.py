"""Agreement with certified values of the likelihood of several samples, audits and known negatives; see README.md.

Labels are given at random, or by preference. The certified parameters are the logits of the shares, alpha, theta, and
coefficients of the preference; ours have a = alpha + log(A / B) in place of alpha, which depends on the shares.
"""

import csv
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from pugam.layout import Layout
from pugam.likelihood import DenseColumns, SampleShares, SampleSizes, expit
from pugam.solvers.pi import PiPrior
from pugam.solvers.sampled_objective import SampledObjective
from pugam.solvers.selected_objective import SelectedObjective

HERE = Path(__file__).parent
CERTIFIED = {
    likelihood: json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    for likelihood, name in (("random", "samples"), ("preferred", "selection"))
}
with (HERE / "samples.csv").open(encoding="utf-8") as file:
    ROWS = list(csv.DictReader(file))
CODES = {"labelled": 0, "a": 1, "b": 2, "c": 3, "negative": 10}
AUDITED = {"": 0, "1": 3, "0": 6}
LAYOUT = Layout((2,), 3)
ROUNDING = 1e-12  # relative


def numbers(texts):
    return np.array(texts, dtype=float)


def objective_of(likelihood):
    """That of labels given at random, or by a preference with the columns x1 and x1 x2."""
    codes = np.array([CODES[row["sample"]] + AUDITED[row["audit"]] for row in ROWS], dtype=np.int32)
    pairs = numbers([(row["x1"], row["x2"]) for row in ROWS])
    columns, layout = [np.ones(len(pairs)), *pairs.T], Layout((2,))
    if likelihood == "preferred":
        columns, layout = [*columns, pairs[:, 0], pairs.prod(axis=1)], Layout((4,), n_preference=2)
    X = DenseColumns(np.column_stack(columns))
    engine = SimpleNamespace(
        sum_rows=lambda function, shared: function(X, codes, None, *shared), design=SimpleNamespace(layout=layout)
    )
    kind = SelectedObjective if likelihood == "preferred" else SampledObjective
    penalty = numbers(CERTIFIED[likelihood]["penalty"])
    return kind(engine, penalty, PiPrior(1.0, 1.0), sizes=SampleSizes.count(codes, None, 3))


@pytest.fixture(scope="module")
def objectives():
    return {likelihood: objective_of(likelihood) for likelihood in CERTIFIED}


def shares_at(objective, beta):
    return SampleShares(objective.sizes, expit(beta[LAYOUT.shares]))


def from_certified(objective, beta):
    """Our parameters at certified ones."""
    shares, beta = shares_at(objective, beta), beta.copy()
    beta[LAYOUT.intercept] += np.log(shares.positives / shares.negatives)
    return beta


def change(shares):
    """How our parameters change with the certified ones."""
    found = np.eye(LAYOUT.size)
    found[LAYOUT.intercept, LAYOUT.shares] = shares.alpha + shares.beta
    return found


def bend(shares):
    """Second derivatives of a in the logits."""
    own = (shares.alpha + shares.beta) * (1.0 - 2.0 * shares.pi)
    return np.diag(own) - np.outer(shares.alpha, shares.alpha) + np.outer(shares.beta, shares.beta)


def test_there_are_three_samples_audits_and_known_negatives(objectives):
    objective = objectives["random"]
    assert (objective.sizes.labelled, objective.sizes.negative) == (18.0, 10.0)
    assert objective.sizes.unlabelled.tolist() == [14.0, 16.0, 18.0]
    assert sum(row["audit"] != "" for row in ROWS) == 13


def score_and_information(objective, point, observed):
    """In certified parameters, of which the preference's, if any, are the last."""
    shares, sums = shares_at(objective, point), objective._sums(from_certified(objective, point), observed)
    by = np.eye(len(point))
    by[: LAYOUT.size, : LAYOUT.size] = change(shares)
    score, information = by.T @ sums.score[0], by.T @ sums.information[0] @ by
    if observed:
        information[LAYOUT.shares, LAYOUT.shares] -= sums.score[0, LAYOUT.intercept] * bend(shares)
    return sums.value[0], score, information


def climbed(objective, beta):
    """Newton's method from certified parameters, to certified ones; also the objective there."""
    beta = from_certified(objective, beta)
    for _ in range(50):
        (here,) = objective.stand([beta], observed=True)
        step = np.linalg.solve(here.hessian, here.gradient)
        beta = beta + step * min(1.0, 1.0 / np.abs(step).max())
    found, shares = beta.copy(), shares_at(objective, beta)
    found[LAYOUT.intercept] -= np.log(shares.positives / shares.negatives)
    return found, here.value


@pytest.mark.parametrize("likelihood", ["random", "preferred"])
@pytest.mark.parametrize("observed", [False, True], ids=["expected", "observed"])
def test_value_score_and_information(objectives, likelihood, observed):
    values = CERTIFIED[likelihood]
    value, score, information = score_and_information(objectives[likelihood], numbers(values["point"]), observed)
    wanted, slopes = numbers(values["observed" if observed else "expected"]), numbers(values["score"])
    assert value == pytest.approx(float(values["loglik"]), rel=ROUNDING)
    assert score == pytest.approx(slopes, rel=ROUNDING, abs=ROUNDING * np.abs(slopes).max())
    assert information == pytest.approx(wanted, rel=1e-10, abs=ROUNDING * np.abs(wanted).max())


@pytest.mark.parametrize("likelihood", ["random", "preferred"])
def test_the_maximum(objectives, likelihood):
    """Parameters agree to eleven digits."""
    values = CERTIFIED[likelihood]
    found, value = climbed(objectives[likelihood], numbers(values["point"]))
    assert found == pytest.approx(numbers(values["maximum"]), rel=1e-11)
    assert value == pytest.approx(float(values["objective"]), rel=ROUNDING)
