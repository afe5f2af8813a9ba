"""Rows of several samples: the shares that hold for them where that of all rows is another."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import expit, logit

from pugam.inference import pool_shares
from pugam.inference.rows_of_samples import excess_variances, moved_shares, shares_by_others
from pugam.solvers import EvidenceCurve, PiRange, SampledShares
from pugam.solvers.pi import FLAT_PRIOR

SHARES = SimpleNamespace(rows=np.array([100.0, 300.0, 50.0]), reported=logit(np.array([0.05, 0.3, 0.9])))
PI = float(SHARES.rows @ expit(SHARES.reported) / SHARES.rows.sum())


@pytest.mark.parametrize("pi", [0.001, 0.2, 0.5, 0.95, 1.0 - 1e-6])
def test_shares_move_by_the_same_amount_until_they_make_up_that_of_all_rows(pi):
    found = moved_shares(SHARES, pi)

    assert SHARES.rows @ found / SHARES.rows.sum() == pytest.approx(pi, abs=1e-9)
    assert np.ptp(logit(found) - SHARES.reported) < 1e-6


def test_at_the_estimate_they_stay():
    assert moved_shares(SHARES, PI) == pytest.approx(expit(SHARES.reported), abs=1e-10)


def test_pooled_shares_vary_as_they_do_once_pooled():
    steps = np.linspace(-4.0, 4.0, 41)
    curve = EvidenceCurve(0.5 * steps - 1.0, -0.5 * steps**2, -2.0 * steps)
    alone = SampledShares(
        tuple("abcdef"), np.ones(6), np.zeros(6), np.full(6, -1.0), (curve,) * 6, np.ones(6), np.eye(6)
    )
    pooled = replace(alone, pooled=pool_shares(alone, PiRange(), FLAT_PRIOR))
    assert excess_variances(alone, PiRange(), 0.01) == pytest.approx(0.24, rel=0.02)
    assert excess_variances(pooled, PiRange(), 0.01) == pytest.approx(pooled.pooled.covariance.diagonal() - 0.01)
    assert (excess_variances(pooled, PiRange(), 0.01) < 0.15).all()


def test_what_others_say_of_pi_moves_all_shares():
    """Trees may say that there are no positives at all, or nothing else."""
    found = shares_by_others(SimpleNamespace(samples=SHARES, neighbours=(0.2, 0.0, 1.0)))
    assert found[0] == pytest.approx(moved_shares(SHARES, 0.2))
    assert found[1] == pytest.approx(0.0, abs=1e-3)
    assert found[2] == pytest.approx(1.0, abs=1e-3)
    assert shares_by_others(SimpleNamespace(samples=SHARES, neighbours=())).shape[0] == 0
