"""Where parameters stand: one share and one predictor, several of both, and batches."""

import numpy as np
import pytest

from pugam.layout import Layout

SEVERAL = Layout((2, 3), n_shares=2)  # two logits, then (a, theta) of two predictors: 2 + 3 + 4 parameters


def test_one_share_and_one_predictor_stand_one_after_another():
    layout = Layout((3,))
    beta = np.array([-1.0, 0.5, 1.0, 2.0, 3.0])

    assert layout.size == 5
    assert beta[layout.share] == -1.0
    assert beta[layout.intercept] == 0.5
    np.testing.assert_array_equal(beta[layout.coefficients], [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(beta[layout.predictor], [0.5, 1.0, 2.0, 3.0])
    np.testing.assert_array_equal(beta[layout.shares], [-1.0])


def test_a_predictor_without_coefficients_has_its_intercept():
    layout = Layout((0,))

    assert layout.size == 2
    assert layout.coefficients == slice(2, 2)
    np.testing.assert_array_equal(layout.join(1.0, 2.0, []), [1.0, 2.0])


def test_several_shares_and_predictors_cover_the_vector_without_overlap():
    numbers = np.arange(SEVERAL.size)
    parts = [numbers[SEVERAL.shares], *(numbers[predictor.whole] for predictor in SEVERAL.predictors)]

    np.testing.assert_array_equal(np.concatenate(parts), numbers)
    assert SEVERAL.size == 9
    assert SEVERAL.n_coefficients == 5
    assert [predictor.intercept for predictor in SEVERAL.predictors] == [2, 5]
    np.testing.assert_array_equal(SEVERAL.all_coefficients, [3, 4, 6, 7, 8])


@pytest.mark.parametrize("name", ["intercept", "coefficients", "predictor"])
def test_the_only_predictor_of_several_is_refused(name):
    with pytest.raises(ValueError, match="too many values"):
        getattr(SEVERAL, name)


def test_the_only_share_of_several_or_of_none_is_refused():
    with pytest.raises(ValueError, match="too many values"):
        _ = SEVERAL.share
    with pytest.raises(ValueError, match="not enough values"):
        _ = Layout((3,), n_shares=0).share


def test_predictors_alone_begin_with_the_intercept():
    alone = Layout((3,)).of_predictors

    assert (alone.size, alone.intercept, alone.coefficients) == (4, 0, slice(1, 4))


def test_with_shares_fixed_all_but_the_shares_are_free():
    numbers = np.arange(SEVERAL.size)

    np.testing.assert_array_equal(numbers[SEVERAL.free(share_fixed=True)], numbers[2:])
    np.testing.assert_array_equal(numbers[SEVERAL.free(share_fixed=False)], numbers)


def test_batches_are_joined_and_read_along_the_last_axis():
    layout = Layout((2,))
    theta = np.arange(6.0).reshape(3, 2)

    beta = layout.join([-1.0, 0.0, 1.0], 0.5, theta)

    assert beta.shape == (3, 4)
    np.testing.assert_array_equal(beta[..., layout.share], [-1.0, 0.0, 1.0])
    np.testing.assert_array_equal(beta[..., layout.intercept], [0.5, 0.5, 0.5])
    np.testing.assert_array_equal(beta[..., layout.coefficients], theta)


def test_one_vector_of_coefficients_is_joined_with_many_shares():
    beta = Layout((2,)).join(np.array([1.0, 2.0]), 0.0, [5.0, 6.0])

    np.testing.assert_array_equal(beta, [[1.0, 0.0, 5.0, 6.0], [2.0, 0.0, 5.0, 6.0]])


def test_what_coefficients_have_is_spread_with_zeros_elsewhere():
    np.testing.assert_array_equal(SEVERAL.spread(np.arange(1.0, 6.0)), [0, 0, 0, 1, 2, 0, 3, 4, 5])
    np.testing.assert_array_equal(Layout((1,)).spread(np.array([[7.0], [8.0]])), [[0, 0, 7], [0, 0, 8]])


def test_parameters_are_kept_with_their_columns():
    np.testing.assert_array_equal(Layout((4,)).keeping([0, 2]), [0, 1, 2, 4])
    np.testing.assert_array_equal(SEVERAL.keeping([1, 2]), [0, 1, 2, 4, 5, 6])


def test_intercept_and_coefficients_are_joined_without_a_share():
    layout = Layout((2,))

    np.testing.assert_array_equal(layout.join_predictor(0.5, [1.0, 2.0]), [0.5, 1.0, 2.0])
    np.testing.assert_array_equal(layout.join_predictor([3.0, 4.0], np.eye(2)), [[3.0, 1.0, 0.0], [4.0, 0.0, 1.0]])


def test_another_share_leaves_the_rest_and_the_original_alone():
    layout, beta = Layout((1,)), np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

    np.testing.assert_array_equal(layout.with_share(beta, [7.0, 8.0]), [[7.0, 2.0, 3.0], [8.0, 5.0, 6.0]])
    assert beta[0, 0] == 1.0


def test_layouts_of_one_predictor_are_made_once():
    assert Layout.single(4) is Layout.single(4)
    assert Layout.single(4) == Layout((4,))
