"""Importance of terms: by hand, on every engine, for the rows that count, and limits that cover."""

import numpy as np
import pytest

from pugam import PUGAM
from pugam.data import read_table
from pugam.datasets import simulate
from pugam.inference import effect_spreads, measure_terms
from pugam.inference.importance import Importance, _limits
from pugam.inference.shapes import draw_deviations


@pytest.fixture(scope="module")
def data():
    return simulate(2, n0=300, n=600, random_state=0)


def spreads_by_hand(model, X, weights=None):
    design = model._design
    effects = [
        basis.columns(values) @ model.coef_[block]
        for basis, block, values in zip(design.bases, design.blocks, design.encode(read_table(X)), strict=True)
    ]
    means = [np.average(u, weights=weights) for u in effects]
    return [np.sqrt(np.average((u - mean) ** 2, weights=weights)) for u, mean in zip(effects, means, strict=True)]


@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_importance_is_the_weighted_spread_over_the_unlabelled_rows(data, tmp_path, engine):
    weights = np.linspace(0.0, 2.0, len(data.z))
    data.X.assign(z=data.z, w=weights).to_parquet(tmp_path / "rows.parquet")
    rows = (tmp_path / "rows.parquet", "z", "w") if engine == "stream" else (data.X, data.z, weights)

    model = PUGAM("s(x1) + x2 + s(x3)", pi=0.4, check=False, engine=engine).fit(*rows)

    unlabelled = data.z == 0
    expected = spreads_by_hand(model, data.X[unlabelled], weights[unlabelled])
    np.testing.assert_allclose(
        effect_spreads(measure_terms(model._fitted("It")), model._design, model.coef_), expected, rtol=1e-8
    )


def test_known_negatives_do_not_count(data):
    flags = np.zeros(len(data.z), dtype=int)
    flags[np.flatnonzero(data.z == 0)[:60]] = 1
    model = PUGAM("s(x1) + x2 + s(x3)", check=False).fit(data.X, data.z, negative=flags)

    expected = spreads_by_hand(model, data.X[(data.z == 0) & (flags == 0)])

    np.testing.assert_allclose(
        effect_spreads(measure_terms(model._fitted("It")), model._design, model.coef_), expected, rtol=1e-8
    )


@pytest.mark.parametrize("size", [0.0, 2.0, 6.0])
def test_limits_hold_the_true_spread_of_estimates_with_normal_errors(size):
    """500 estimates of three coefficients: 95% limits miss at most 7.5%, three Monte-Carlo errors above 5%."""
    rng = np.random.default_rng(0)
    root, theta = np.tril(rng.normal(size=(3, 3))), size * np.array([1.0, -0.5, 0.2])
    true = np.linalg.norm(root.T @ theta)
    deviations = draw_deviations(np.eye(3))
    limits = [_limits(estimate, estimate + deviations, root, 0.95) for estimate in theta + rng.normal(size=(500, 3))]

    missed = [not lower <= true <= upper for lower, upper in limits]

    assert np.mean(missed) < 0.075


def test_limits_hold_the_estimate_and_begin_at_zero_where_an_effect_is_flat():
    root, deviations = np.eye(3), draw_deviations(np.eye(3))

    assert _limits(np.zeros(3), deviations, root, 0.95)[0] == 0.0
    lower, upper = _limits(np.full(3, 9.0), 9.0 + deviations, root, 0.95)
    assert 0.0 < lower < np.sqrt(3 * 81.0) < upper


def test_shares_add_up_and_are_zero_where_nothing_varies():
    zeros = np.zeros(2)

    assert Importance(("a", "b"), np.array([3.0, 4.0]), zeros, zeros, 0.95).share.tolist() == [0.36, 0.64]
    assert Importance(("a", "b"), zeros, zeros, zeros, 0.95).share.tolist() == [0.0, 0.0]
