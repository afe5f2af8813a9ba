"""Rows of several samples: the shares that hold for them where that of all rows is another."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import expit, logit

from pugam.inference.rows_of_samples import moved_shares

SHARES = SimpleNamespace(rows=np.array([100.0, 300.0, 50.0]), reported=logit(np.array([0.05, 0.3, 0.9])))
PI = float(SHARES.rows @ expit(SHARES.reported) / SHARES.rows.sum())


@pytest.mark.parametrize("pi", [0.001, 0.2, 0.5, 0.95, 1.0 - 1e-6])
def test_shares_move_by_the_same_amount_until_they_make_up_that_of_all_rows(pi):
    found = moved_shares(SHARES, pi)

    assert SHARES.rows @ found / SHARES.rows.sum() == pytest.approx(pi, abs=1e-9)
    assert np.ptp(logit(found) - SHARES.reported) < 1e-6


def test_at_the_estimate_they_stay():
    assert moved_shares(SHARES, PI) == pytest.approx(expit(SHARES.reported), abs=1e-10)
