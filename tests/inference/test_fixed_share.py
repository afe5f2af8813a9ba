"""Shares that were given, against what the rows say."""

import warnings

import numpy as np
import pytest

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.errors import PugamWarning
from pugam.inference.fixed_share import ShareContradicted, find_contradiction


def found(pi, seed, **options):
    data = simulate(2, n0=600, n=1500, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = PUGAM(pi=pi, check=False, interactions=None, **options).fit(data.X, data.z)
    return list(find_contradiction(model._fitted("The test")))


@pytest.mark.parametrize("options", [{}, {"estimate": "mode"}], ids=["marginal", "mode"])
@pytest.mark.parametrize(("pi", "side"), [(0.15, "larger"), (0.65, "smaller")])
def test_a_share_far_off_is_contradicted(pi, side, options):
    (finding,) = found(pi, 0, **options)
    assert (finding.pi, finding.side) == (pytest.approx(pi), side)
    assert finding.pvalue < 1e-4


def test_the_true_share_is_hardly_ever():
    # A test of size 0.01 at most: of ten data sets two or more are rejected in 0.004 of the cases.
    assert sum(len(found(0.4, seed)) for seed in range(10)) <= 1


def test_a_share_that_is_estimated_is_not_tested():
    assert found(None, 0) == []


def test_a_fit_says_so_and_its_diagnosis():
    data = simulate(2, n0=600, n=1500, random_state=0)
    with pytest.warns(PugamWarning, match=r"pi is fixed at 0.1, but these rows suggest a larger share"):
        model = PUGAM(pi=0.1, estimate="mode").fit(data.X, data.z)
    assert any(isinstance(finding, ShareContradicted) for finding in model.diagnose().findings)
    assert np.isclose(model.pi_, 0.1)
