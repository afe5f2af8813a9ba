"""Agreement with certified values of the likelihood of several samples, audits and known negatives; see README.md.

The certified parameters are the logits of the shares, alpha and theta; ours have a = alpha + log(A / B) in place of
alpha, which depends on the shares.
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

HERE = Path(__file__).parent
CERTIFIED = json.loads((HERE / "samples.json").read_text(encoding="utf-8"))
with (HERE / "samples.csv").open(encoding="utf-8") as file:
    ROWS = list(csv.DictReader(file))
CODES = {"labelled": 0, "a": 1, "b": 2, "c": 3, "negative": 10}
AUDITED = {"": 0, "1": 3, "0": 6}
LAYOUT = Layout((2,), 3)
ROUNDING = 1e-12  # relative


def certified(name):
    return np.array(CERTIFIED[name], dtype=float)


@pytest.fixture(scope="module")
def objective():
    codes = np.array([CODES[row["sample"]] + AUDITED[row["audit"]] for row in ROWS], dtype=np.int32)
    X = DenseColumns(np.array([[1.0, float(row["x1"]), float(row["x2"])] for row in ROWS]))
    engine = SimpleNamespace(
        sum_rows=lambda function, shared: function(X, codes, None, *shared),
        design=SimpleNamespace(layout=Layout((2,))),
    )
    sizes = SampleSizes.count(codes, None, 3)
    return SampledObjective(engine, certified("penalty"), PiPrior(1.0, 1.0), sizes=sizes)


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


def test_there_are_three_samples_audits_and_known_negatives(objective):
    assert (objective.sizes.labelled, objective.sizes.negative) == (18.0, 10.0)
    assert objective.sizes.unlabelled.tolist() == [14.0, 16.0, 18.0]
    assert sum(row["audit"] != "" for row in ROWS) == 13


@pytest.mark.parametrize("observed", [False, True], ids=["expected", "observed"])
def test_value_score_and_information(objective, observed):
    point = certified("point")
    shares, sums = shares_at(objective, point), objective._sums(from_certified(objective, point), observed)
    by = change(shares)
    score, information = by.T @ sums.score[0], by.T @ sums.information[0] @ by
    if observed:
        information[LAYOUT.shares, LAYOUT.shares] -= sums.score[0, LAYOUT.intercept] * bend(shares)
    wanted = certified("observed" if observed else "expected")
    assert sums.value[0] == pytest.approx(float(CERTIFIED["loglik"]), rel=ROUNDING)
    assert score == pytest.approx(certified("score"), rel=ROUNDING, abs=ROUNDING * np.abs(certified("score")).max())
    assert information == pytest.approx(wanted, rel=1e-10, abs=ROUNDING * np.abs(wanted).max())


def test_the_maximum(objective):
    """Newton's method from the certified point; parameters agree to eleven digits."""
    beta = from_certified(objective, certified("point"))
    for _ in range(50):
        (here,) = objective.stand([beta], observed=True)
        step = np.linalg.solve(here.hessian, here.gradient)
        beta = beta + step * min(1.0, 1.0 / np.abs(step).max())
    found, shares = beta.copy(), shares_at(objective, beta)
    found[LAYOUT.intercept] -= np.log(shares.positives / shares.negatives)
    assert found == pytest.approx(certified("maximum"), rel=1e-11)
    assert here.value == pytest.approx(float(CERTIFIED["objective"]), rel=ROUNDING)
