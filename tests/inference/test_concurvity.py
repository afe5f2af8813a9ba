"""Concurvity: shares of a term that others explain, against projections of model columns."""

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM
from pugam.inference.concurvity import measure_concurvity


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    y = rng.random(600) < 0.5
    X = pd.DataFrame({"a": rng.normal(size=600) + y, "b": rng.normal(size=600) + y})
    X["twin"] = X["a"] + 0.05 * rng.normal(size=600)
    return PUGAM("s(a) + b + s(twin)", pi=0.4, check=False).fit(X, (y & (rng.random(600) < 0.5)).astype(int))


def projected(columns, others):
    others = np.column_stack([np.ones(len(others)), others])
    return others @ np.linalg.lstsq(others, columns, rcond=None)[0]


def test_shares_are_those_of_projections(model):
    engine, design = model._rows[0], model._design
    columns = design.matrix(engine.encoded)[:, 1:]
    found = measure_concurvity(engine, model.coef_)

    for number, block in enumerate(design.blocks):
        own = columns[:, block] - columns[:, block].mean(axis=0)
        explained = projected(own, np.delete(columns, np.arange(design.n_columns)[block], axis=1))
        effect, theirs = own @ model.coef_[block], explained @ model.coef_[block]
        angles = np.linalg.svd(np.linalg.qr(own)[0].T @ np.linalg.qr(explained)[0], compute_uv=False)
        assert found.observed[number] == pytest.approx((theirs @ theirs) / (effect @ effect), abs=1e-6)
        assert found.estimate[number] == pytest.approx(np.sum(explained**2) / np.sum(own**2), abs=1e-6)
        assert found.worst[number] >= found.observed[number] - 1e-9
        assert found.worst[number] <= angles[0] ** 2 + 1e-6


def test_twins_are_named(model):
    found = measure_concurvity(model._rows[0], model.coef_)

    assert found.terms == ("s(a)", "l(b)", "s(twin)")
    assert found.observed[0] > 0.95
    assert found.observed[1] < 0.5
    assert (found.nearest[0], found.nearest[2]) == ("s(twin)", "s(a)")


def test_a_term_without_others_is_not_explained():
    rng = np.random.default_rng(1)
    y = rng.random(300) < 0.5
    X = pd.DataFrame({"a": rng.normal(size=300) + 2 * y})
    model = PUGAM("s(a)", pi=0.4, check=False).fit(X, (y & (rng.random(300) < 0.5)).astype(int))

    found = measure_concurvity(model._rows[0], model.coef_)

    assert (found.worst[0], found.observed[0], found.nearest) == (0.0, 0.0, ("",))
