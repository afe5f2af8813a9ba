"""Factors: contrasts between levels, and levels that the fit never saw."""

import numpy as np
import pytest
from meeting import SITES, evaluate, meet, slopes

from pugam.errors import InputError
from pugam.terms import f


@pytest.mark.parametrize("values", [SITES, [3, 1, 2, 1], [True, False], [0.5, -0.5, 7.0]])
def test_factor_effects_sum_to_zero_over_the_levels_through_orthonormal_contrasts(values):
    basis = meet(f("x"), values)

    effects = evaluate(basis, sorted(set(values)))

    n_levels = len(set(values))
    assert effects.shape == (n_levels, n_levels - 1)
    np.testing.assert_allclose(effects.sum(axis=0), 0.0, atol=1e-14)
    np.testing.assert_allclose(effects.T @ effects, np.eye(n_levels - 1), atol=1e-14)


def test_rows_of_the_same_level_have_the_same_columns():
    effects = evaluate(meet(f("x"), SITES), SITES)

    np.testing.assert_array_equal(effects[0], effects[4])
    np.testing.assert_array_equal(effects[1], effects[3])
    assert np.abs(effects[0] - effects[1]).max() > 0.1


def test_factors_are_not_penalised():
    assert meet(f("x"), SITES).penalties == ()


def test_an_unseen_level_has_a_zero_effect_where_that_is_permitted():
    basis = meet(f("x", unseen="zero"), SITES)

    effects = evaluate(basis, ["a", "z"])

    assert effects[1].tolist() == [0.0, 0.0, 0.0]
    assert np.abs(effects[0]).max() > 0.1


@pytest.mark.parametrize("term", [f("x"), f("x", missing="effect")], ids=["complete", "gaps"])
def test_a_factor_has_no_slopes(term):
    values = ["a", "b", None] if term.missing == "effect" else ["a", "b"]

    with pytest.raises(InputError, match=r"f\(x\) is a factor and has no derivative; compare its levels"):
        slopes(meet(term, values), values)
