"""Several tests at once."""

import numpy as np
import pytest

from pugam.inference.multiple_tests import holm


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
