"""Rows dealt out to folds by their weight."""

import numpy as np
import pytest

from pugam.solvers.dealing import deal_rows, deal_weights

N_FOLDS = 5


def few_kinds(n, seed):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 6, n), rng.random(n) < 0.3, rng.integers(0, 9, n).astype(float)


def dealt(dealing, groups, weights):
    """How much of each group is in each fold: shape (N_FOLDS, n_groups)."""
    parts = [dealing.held_out(fold, len(weights)) * weights for fold in range(N_FOLDS)]
    return np.array([np.bincount(groups, part, 12) for part in parts])


@pytest.mark.parametrize("seed", range(5))
def test_copies_of_a_row_are_dealt_out_as_its_weight_is(seed):
    kinds, positive, weights = few_kinds(60, seed)
    copies = np.repeat(np.arange(60), weights.astype(int))
    groups = 2 * kinds + positive

    weighted = dealt(deal_weights(kinds, positive, weights, N_FOLDS), groups, weights)
    copied = deal_rows(kinds[copies], positive[copies], N_FOLDS)

    expected = [np.bincount(groups[copies][copied == fold], minlength=12) for fold in range(N_FOLDS)]
    np.testing.assert_allclose(weighted, expected, atol=1e-9)


@pytest.mark.parametrize("scale", [1e-3, 0.3, 1.0, 1e4])
def test_all_of_a_row_is_dealt_out_and_folds_weigh_alike(scale):
    kinds, positive, _ = few_kinds(200, 0)
    weights = scale * np.random.default_rng(1).uniform(0.5, 2.0, 200)

    dealing = deal_weights(kinds, positive, weights, N_FOLDS)

    np.testing.assert_allclose(np.bincount(dealing.rows, dealing.parts), 1.0, rtol=1e-12)
    totals = [dealing.held_out(fold, 200) @ weights for fold in range(N_FOLDS)]
    assert np.ptp(totals) <= max(1.0, scale) * 1.01
    assert (np.diff(dealing.rows) >= 0).all()


def test_copies_of_a_row_stand_where_its_weight_was_dealt():
    kinds, positive, weights = few_kinds(60, 3)
    order = np.lexsort((weights, kinds, ~positive))
    copies = np.repeat(order, weights[order].astype(int))
    numbers = np.concatenate([np.arange(n) for n in weights[order].astype(int)])

    dealing = deal_weights(kinds, positive, weights, N_FOLDS)

    places = dealing.places(copies, numbers)
    np.testing.assert_array_equal(dealing.rows[places], copies)
    np.testing.assert_array_equal(dealing.folds[places], np.arange(len(copies)) % N_FOLDS)


def test_rows_of_weight_zero_are_in_no_fold():
    kinds, positive, weights = few_kinds(60, 0)

    dealing = deal_weights(kinds, positive, weights, N_FOLDS)

    assert not np.isin(np.flatnonzero(weights == 0.0), dealing.rows).any()
