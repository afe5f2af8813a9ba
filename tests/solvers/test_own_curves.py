"""Curves of their own for each sample: where parameters stand, what is reported, and how the evidence changes."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from pugam.data import read_table
from pugam.engines import MemoryEngine
from pugam.likelihood import SampleSizes
from pugam.solvers.families import gather_families
from pugam.solvers.laplace import climb
from pugam.solvers.moments import column_variances
from pugam.solvers.own_curves import OwnCurves, OwnModel
from pugam.solvers.pi import PiPrior
from pugam.solvers.sampled_objective import SampledModel
from pugam.terms import Design, f, s

N = {"labelled": 60, "a": 50, "b": 40, "c": 45}
PRIOR = PiPrior(2.0, 2.0)
LOGITS = np.array([-1.0, 0.2, 0.7])


@pytest.fixture(scope="module")
def model():
    """Three samples, with curves of their own along the second of three columns."""
    rng = np.random.default_rng(0)
    site = np.repeat(["a", "a", "b", "c"], list(N.values()))
    X = pd.DataFrame(rng.normal(size=(sum(N.values()), 3)), columns=["x", "y", "z"]).assign(site=site)
    X.loc[60:, ["x", "y", "z"]] -= rng.uniform(size=(135, 1))
    terms = [s("x", k=4), s("y", k=5, by="site"), s("z", k=3), f("site")]
    table = read_table(X)
    design = Design.resolve(terms, table)
    codes = np.repeat([0, 1, 2, 3], list(N.values())).astype(np.int32)
    engine = MemoryEngine(design, design.encode(table), codes == 0, None, 1).coded(codes)
    own = OwnCurves(design, "site", 3)
    common = engine.redesigned(own.common, range(3))
    families = gather_families(own.common, column_variances(common))
    return OwnModel.over(own, engine, own.families(families), PRIOR, SampleSizes.count(codes, None, 3))


@pytest.fixture(scope="module")
def mode(model):
    """The mode of curves at given shares and precisions."""
    beta = np.zeros(model.own.layout.size)
    beta[model.own.layout.shares] = LOGITS
    return climb(model, beta, np.zeros(2)).optimum


def test_each_sample_has_its_own_coefficients_where_terms_vary(model):
    numbers = model.own.numbers
    assert numbers.shape == (3, 3 + 4 + 2)
    assert (numbers[:, :3] == np.arange(3)).all()
    assert numbers[:, 3:7].tolist() == [[3, 4, 5, 6], [7, 8, 9, 10], [11, 12, 13, 14]]
    assert (numbers[:, 7:] == [15, 16]).all()
    assert model.own.layout.size == 3 + 3 + 17
    assert model.own.columns.tolist() == [0, 1, 2, 3, 4, 5, 6, 3, 4, 5, 6, 3, 4, 5, 6, 7, 8]


def test_where_samples_have_the_same_curves_the_likelihood_is_that_of_common_ones(model):
    families = gather_families(model.design, column_variances(model.engine))
    common = SampledModel(model.engine, model.design, families, PRIOR, model.sizes)
    start = np.append(LOGITS, np.zeros(1 + model.design.n_columns))
    there = climb(common, start, np.zeros(2)).optimum
    beta = model.start_common(common.together(there, there.hessian), LOGITS)
    (here,) = model.at(np.zeros(2)).stand([beta])
    assert here.loglik == pytest.approx(there.loglik, rel=1e-12)


def test_what_is_reported_leads_back(model, mode):
    reported = model.together(mode, mode.hessian)
    assert model.start(reported, LOGITS) == pytest.approx(mode.beta, abs=1e-12)
    assert reported.pi == pytest.approx(model.sizes.parts @ expit(LOGITS))


def test_log_density_ratios_are_those_of_each_sample(model, mode):
    """log(g / h_k) = a_k + eta_k - log(A / (n_k (1 - pi_k))), for a row of its own sample."""
    reported, pi, sizes = model.together(mode, mode.hessian), expit(LOGITS), model.sizes
    positives = sizes.labelled + sizes.unlabelled @ pi
    negatives = sizes.unlabelled * (1.0 - pi)
    ratio = model.rows.linear_predictor(reported.b) - np.log(positives / negatives.sum())
    b = mode.beta[model.own.layout.predictor]
    for number, own in enumerate(model.own.predictors.numbers):
        wanted = model.engine.linear_predictor(b[own]) - np.log(positives / negatives[number])
        rows = model.engine.codes == 1 + number
        assert ratio[rows] == pytest.approx(wanted[rows], rel=1e-10)


def test_how_reported_parameters_move_is_their_derivative(model, mode):
    """Central differences with steps of 1e-6: to six digits."""

    def reported(beta):
        return model.as_one(replace(mode, beta=beta))

    ways = 1e-6 * np.eye(len(mode.beta))
    moves = [(reported(mode.beta + way) - reported(mode.beta - way)) / 2e-6 for way in ways]
    assert model.change(mode) == pytest.approx(np.array(moves).T, abs=1e-6)


def test_with_shares_apart_all_else_is_reported(model, mode):
    apart, together = model.apart(mode), model.together(mode, mode.hessian)
    assert apart.beta[apart.layout.shares] == pytest.approx(LOGITS)
    assert apart.beta[apart.layout.predictor] == pytest.approx(together.beta[together.layout.predictor])
    covariances = np.linalg.inv(apart.hessian), np.linalg.inv(together.hessian)
    ours, theirs = (
        one[layout.predictor, layout.predictor]
        for one, layout in zip(covariances, (apart.layout, together.layout), strict=True)
    )
    assert ours == pytest.approx(theirs, rel=1e-6, abs=1e-9)


def test_slopes_of_the_evidence_are_its_derivatives(model, mode):
    """Central differences with steps of 1e-3, each at a mode of its own: to four digits."""
    here = climb(model, mode.beta, np.zeros(2))
    for number, step in enumerate(1e-3 * np.eye(5)):
        ends = [climb(model, here.moved(here.point + way), here.logs + way[3:]).value for way in (step, -step)]
        assert here.slopes[number] == pytest.approx((ends[0] - ends[1]) / 2e-3, rel=2e-4, abs=2e-4)


def test_without_curves_the_evidence_is_flat_in_the_shares(model):
    """As the numbers of rows are given, samples without curves say nothing about shares."""
    logs = np.full(2, 20.0)
    values = []
    for logits in (LOGITS, LOGITS + 1.0, -LOGITS):
        beta = np.zeros(model.own.layout.size)
        beta[model.own.layout.shares] = logits
        pi = expit(logits)
        prior = float(PRIOR.value(pi) @ model.sizes.parts)
        values.append(climb(model, beta, logs).value - prior)
    assert values[1] == pytest.approx(values[0], abs=1e-4)
    assert values[2] == pytest.approx(values[0], abs=1e-4)
