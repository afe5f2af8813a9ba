"""All kinds of positives at once: one kind is an ordinary fit, the evidence has its slopes, shares come back."""

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM
from pugam.likelihood import expit
from pugam.solvers import TUNING, fit_jointly
from pugam.solvers.joint_kinds import KindModel
from pugam.solvers.laplace import climb

N_LABELLED, N_HIDDEN, N_NEGATIVE = (150, 30), (60, 60), 280
PLACES = ((3.0, -2.0), (-1.0, 3.0))


@pytest.fixture(scope="module")
def pooled():
    """A fit to two kinds of positives as if they were one."""
    rng = np.random.default_rng(3)
    centres = np.repeat([*PLACES, *PLACES, (0.0, 0.0)], [*N_LABELLED, *N_HIDDEN, N_NEGATIVE], axis=0)
    X = pd.DataFrame(centres + rng.normal(size=centres.shape), columns=["a", "b"])
    z = np.repeat([1, 0], [sum(N_LABELLED), sum(N_HIDDEN) + N_NEGATIVE])
    return PUGAM("s(a, k=4) + s(b, k=4)", interactions=None, check=False).fit(X, z)._fitted("A test")


def kinds_of(pooled, n_kinds=2):
    labelled = pooled.engine.positive
    numbers = np.full(len(labelled), -1)
    numbers[labelled] = np.repeat([0, 1], N_LABELLED) if n_kinds == 2 else 0
    return numbers


def test_one_kind_is_an_ordinary_fit(pooled):
    """The same maximum of the same evidence: pi to what climbs leave, and its error; limits are those of a parabola."""
    found = fit_jointly(pooled, kinds_of(pooled, 1))
    alone = found.of_kind(0, pooled.engine).fit

    assert alone.optimum.beta == pytest.approx(pooled.fit.optimum.beta, abs=0.02)
    assert found.best.value == pytest.approx(pooled.fit.curve.values.max(), abs=TUNING.settled_gain)
    assert alone.optimum.information == pytest.approx(pooled.fit.optimum.information, rel=0.05, abs=0.05)


def test_slopes_of_the_evidence_are_those_of_differences(pooled):
    """Along all shares and precisions, with steps of 1e-3: to two parts in a thousand."""
    model = KindModel.over(pooled.engine, pooled.design, pooled.settings.prior, kinds_of(pooled))
    start = next(iter(model.starts()))
    here = climb(model, start, model.families.start())
    n_shares, step = here.n_shares, 1e-3

    def value(point):
        return climb(model, here.moved(point), point[n_shares:]).value

    ways = step * np.eye(len(here.point))
    slopes = [(value(here.point + way) - value(here.point - way)) / (2 * step) for way in ways]
    assert here.slopes == pytest.approx(slopes, rel=2e-3, abs=2e-3)


def test_shares_come_back_whatever_mix_was_labelled(pooled):
    """Three standard errors of counting 60 of 400 rows, and of telling them apart: 0.06."""
    found = fit_jointly(pooled, kinds_of(pooled))
    odds = np.exp(found.best.optimum.beta[:2])

    assert odds / (1.0 + odds.sum()) == pytest.approx([0.15, 0.15], abs=0.06)
    assert found.correlation().diagonal().tolist() == [1.0, 1.0]
    mean = expit(found.posterior_logits(~pooled.engine.positive)).mean(axis=0)
    assert mean == pytest.approx([0.15, 0.15], abs=0.06)


def test_what_is_left_of_a_kind_has_its_parameters(pooled):
    """Its density ratio is that of the joint fit: intercepts count labelled rows of this kind alone."""
    found = fit_jointly(pooled, kinds_of(pooled))
    alone = found.of_kind(1, pooled.engine)
    mode, sizes = found.best.optimum, found.model.sizes
    own = mode.beta[mode.layout.predictor][found.model.predictors.numbers[1]]
    alpha = own[0] - sizes.beside(mode.beta[:2])[1]
    n0, n1, pi = pooled.engine.n0, pooled.engine.n1, alone.fit.optimum.pi

    assert alone.fit.optimum.theta.tolist() == own[1:].tolist()
    assert alone.fit.optimum.intercept - np.log((n0 + n1 * pi) / (n1 * (1.0 - pi))) == pytest.approx(alpha)
    assert alone.settings.prior.success == pooled.settings.prior.success / 2
    top = alone.fit.curve
    assert top.places[top.best] == pytest.approx(mode.beta[1])
