"""Several tests at once."""

import numpy as np
import pytest
from scipy.special import chdtrc

from pugam.inference.distributions import weighted_chi2_sf
from pugam.inference.multiple_tests import combine, holm


@pytest.mark.parametrize(
    ("pvalues", "rejected"),
    [
        ([], []),
        ([0.04], [True]),
        ([0.04, 0.03], [False, False]),  # the smaller one has to be below 0.025
        ([0.04, 0.02], [True, True]),
        ([0.02, 0.04, 0.3], [False, False, False]),
        ([0.3, 0.001, 0.02], [False, True, True]),
        ([0.001, np.nan, 0.04], [True, False, False]),
    ],
)
def test_a_hypothesis_is_rejected_where_all_smaller_pvalues_reject(pvalues, rejected):
    assert holm(pvalues, 0.05).tolist() == rejected


def test_true_hypotheses_are_rejected_as_rarely_as_promised():
    """Twenty true ones and one false one, 4000 times: at most 0.05, with a standard error of 0.0035."""
    rng = np.random.default_rng(0)
    pvalues = np.column_stack([np.full(4000, 1e-12), rng.random((4000, 20))])
    wrong = np.mean([holm(row, 0.05)[1:].any() for row in pvalues])
    assert wrong == pytest.approx(0.05, abs=3.5 * 0.0035)


def test_a_single_small_p_value_is_divided_by_its_weight():
    assert combine([1e-12, 0.5], [0.8, 0.2]) == pytest.approx(1e-12 / 0.8, rel=1e-6)
    assert combine([1.0, 1e-200], [0.8, 0.2]) == pytest.approx(1e-200 / 0.2, rel=1e-6)
    assert combine([0.03, 0.03], [0.8, 0.2]) == pytest.approx(0.03)
    assert 0.98 <= combine([1.0, 1.0], [0.8, 0.2]) <= 1.0


def test_the_combined_p_value_keeps_its_level():
    z = np.random.default_rng(0).normal(size=(20_000, 6)) ** 2
    weights = np.array([1.0, 0.6, 0.3, 0.1, 0.05, 0.02])
    both = [combine([weighted_chi2_sf(float(row @ weights), weights), chdtrc(6, row.sum())], [0.8, 0.2]) for row in z]

    rate = np.mean(np.array(both) < 0.05)

    assert 0.045 < rate < 0.062  # 0.05, a tenth more at most by dependence; Monte-Carlo standard error 0.0016
