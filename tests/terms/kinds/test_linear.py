"""Linear terms: a line that is zero in the middle of its range."""

import numpy as np
from meeting import evaluate, meet

from pugam.terms import l


def test_a_linear_term_is_zero_in_the_middle_and_rises_by_one_over_the_range():
    basis = meet(l("x"), [2.0, 3.0, 10.0])

    np.testing.assert_allclose(evaluate(basis, [2.0, 6.0, 10.0, 18.0])[:, 0], [-0.5, 0.0, 0.5, 1.5])
    assert basis.size == 1
    assert basis.penalties == ()


def test_booleans_count_as_zero_and_one_in_a_linear_term():
    basis = meet(l("x"), [True, False, True])

    np.testing.assert_allclose(evaluate(basis, [False, True])[:, 0], [-0.5, 0.5])
