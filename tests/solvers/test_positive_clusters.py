"""Clusters of labelled rows: as many as there are, and none where one normal distribution does."""

import numpy as np
import pytest

from pugam.solvers.positive_clusters import find_clusters

FEWEST = 20


def columns_of(rows):
    return list(np.asarray(rows, dtype=float).T)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2))])
def test_one_normal_distribution_is_one_cluster(seed):
    rows = np.random.default_rng(seed).normal(size=(400, 3)) @ np.array([[1.0, 0.8, 0.0], [0, 1, 0.5], [0, 0, 1]])

    assert set(find_clusters(columns_of(rows), FEWEST, seed=0)) == {0}


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2))])
def test_clusters_of_unequal_sizes_are_found(seed):
    rng = np.random.default_rng(seed)
    true = np.repeat([0, 1, 2], [320, 80, 25])
    rows = np.array([[0, 0], [5, 0], [0, 5]])[true] + rng.normal(size=(len(true), 2))

    found = find_clusters(columns_of(rows), FEWEST, seed=0)

    table = np.array(
        [[np.sum((true == one) & (found == other)) for other in range(found.max() + 1)] for one in range(3)]
    )
    assert found.max() == 2
    assert table.max(axis=1).sum() >= 0.97 * len(true)


def test_skewed_columns_are_one_cluster_on_the_scale_of_logarithms():
    rows = np.exp(1.2 * np.random.default_rng(0).normal(size=(400, 2)))

    assert set(find_clusters(columns_of(rows), FEWEST, seed=0)) == {0}


def test_columns_of_few_values_tell_nothing_and_gaps_are_filled():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 2))
    rows[::10, 0] = np.nan
    flags = rng.integers(2, size=200).astype(float)

    assert set(find_clusters([*columns_of(rows), flags], FEWEST, seed=0)) == {0}
    assert set(find_clusters([flags], FEWEST, seed=0)) == {0}


def test_no_cluster_has_fewer_rows_than_asked_for():
    rng = np.random.default_rng(0)
    true = np.repeat([0, 1, 2], [200, 100, 8])
    rows = np.array([[0, 0], [6, 0], [0, 6]])[true] + rng.normal(size=(len(true), 2))

    assert np.bincount(find_clusters(columns_of(rows), FEWEST, seed=0)).min() >= FEWEST


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("unit", [1e-300, 1e-170, 1e160, 1e300])
def test_units_do_not_matter(unit):
    rng = np.random.default_rng(0)
    true = np.repeat([0, 1], [120, 80])
    rows = np.exp(rng.normal(size=(200, 2)) + 4.0 * np.eye(2)[true])

    found = find_clusters(columns_of(unit * rows), FEWEST, seed=0)

    np.testing.assert_array_equal(found, find_clusters(columns_of(rows), FEWEST, seed=0))
    assert len(set(found)) == 2
