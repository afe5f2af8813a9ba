"""Score tests of directions: their chi-square by hand, directions taken out, ranks with weights."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.inference import choose_rows, profile_of
from pugam.inference.distributions import squares_sf
from pugam.inference.pair_products import in_ranks
from pugam.inference.score_test import score_directions, unit_directions


@pytest.fixture(scope="module")
def rows():
    data = simulate(1, n0=400, n=800, random_state=0)
    return choose_rows(profile_of(PUGAM("x1 + x2", pi=0.4).fit(data.X, data.z)._fitted("The test")))


@pytest.fixture(scope="module")
def directions(rows):
    return np.random.default_rng(0).normal(size=(len(rows.positive), 3))


def test_the_statistic_by_hand(rows, directions):
    left = unit_directions(rows, directions)
    scores, information = left.T @ rows.residuals, left.T @ left
    inside = left @ np.linalg.solve(information, left.T)
    spread = inside.diagonal() @ rows.squares / 3.0

    found = score_directions(rows, left)

    assert found.statistic == pytest.approx(scores @ np.linalg.solve(information, scores) / spread, rel=1e-9)
    assert found.df == 3.0
    assert found.pvalue == pytest.approx(chi2.sf(found.statistic, 3), rel=1e-9)


def test_of_rows_held_out_the_reference_knows_fourth_moments(rows, directions):
    left = unit_directions(rows, directions)
    v = rows.variance
    own = np.sum(left @ np.linalg.inv(left.T @ left) * left, axis=1)

    found = score_directions(replace(rows, held_out=True), left)

    assert found.statistic == score_directions(rows, left).statistic
    excess = own**2 @ ((1.0 - 3.0 * v) / v - 3.0)
    assert found.pvalue == pytest.approx(squares_sf(found.statistic, 3.0, excess), rel=1e-9)


def test_a_row_of_weight_eight_varies_as_eight_rows_do(rows):
    weighted = replace(rows, held_out=True, weights=np.full(len(rows.positive), 8.0))

    np.testing.assert_allclose(8.0 * weighted.excess, replace(rows, held_out=True).excess, rtol=1e-12)


def test_directions_beside_others_are_orthogonal_to_them_and_to_the_model(rows, directions):
    first = unit_directions(rows, directions[:, :1])

    left = unit_directions(rows, directions[:, 1:], first)

    np.testing.assert_allclose(first.T @ left, 0.0, atol=1e-12)
    np.testing.assert_allclose(rows.tangents.T @ left, 0.0, atol=1e-8)
    np.testing.assert_allclose(np.linalg.norm(left, axis=0), 1.0)


def test_directions_of_the_model_say_nothing(rows):
    left = unit_directions(rows, rows.tangents[:, :2])

    assert not left.any()
    assert score_directions(rows, left) == (0.0, 0.0, 1.0)


def test_ranks_go_from_minus_one_to_one_and_count_weights():
    assert in_ranks(np.array([5.0, 1.0, 3.0, 3.0]), np.ones(4)).tolist() == [0.75, -0.75, 0.0, 0.0]
    assert in_ranks(np.array([2.0, 1.0]), np.array([3.0, 1.0])).tolist() == [0.25, -0.75]
