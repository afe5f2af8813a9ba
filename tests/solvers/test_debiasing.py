"""The bias of smoothing is taken out of pi by the series that the model's page derives."""

import numpy as np
import pytest

from pugam.layout import Layout
from pugam.solvers.debiasing import correction_weights, debiased_logits
from pugam.solvers.pi import PiRange

LAYOUT = Layout((3,))


@pytest.fixture
def systems():
    """Four covariances, a penalty on the coefficients, and penalised optima."""
    rng = np.random.default_rng(5)
    roots = rng.normal(size=(4, 5, 9))
    covariances = np.linalg.inv(roots @ roots.transpose(0, 2, 1))
    return covariances, np.array([0.0, 0.7, 2.0]), rng.normal(scale=0.5, size=(4, 5))


def test_the_weights_are_the_first_two_terms_of_the_series(systems):
    (V, *_), penalty, _ = systems
    P = np.diag(LAYOUT.spread(penalty))

    weights = correction_weights(LAYOUT, LAYOUT.spread(penalty), lambda rhs: rhs @ V)

    np.testing.assert_allclose(weights, (V @ P + V @ P @ V @ P)[0], rtol=1e-12)


def test_many_optima_are_corrected_as_each_would_be(systems):
    covariances, penalty, beta = systems

    together = debiased_logits(
        LAYOUT, beta, penalty, lambda rhs: np.einsum("bi,bij->bj", rhs, covariances), PiRange(0.01, 0.99)
    )

    assert together.shape == (4,)
    for V, point, found in zip(covariances, beta, together, strict=True):
        alone = debiased_logits(LAYOUT, point, penalty, lambda rhs, V=V: rhs @ V, PiRange(0.01, 0.99))
        assert float(alone) == pytest.approx(found, rel=1e-12)
        assert found != point[0]


def test_an_optimum_on_the_boundary_stays_and_none_leaves_the_range(systems):
    (V, *_), penalty, beta = systems
    pi_range = PiRange(0.3, 0.6)
    low, high = pi_range.logits
    beta[:, 0] = low, high, low + 1e-3, high - 1e-3

    found = debiased_logits(LAYOUT, beta, 30.0 * penalty, lambda rhs: rhs @ V, pi_range)

    np.testing.assert_array_equal(found[:2], [low, high])
    assert ((low <= found) & (found <= high)).all()
    assert (found[2:] != beta[2:, 0]).all()


def test_without_a_penalty_nothing_is_corrected(systems):
    (V, *_), _, beta = systems

    found = debiased_logits(LAYOUT, beta, np.zeros(3), lambda rhs: rhs @ V, PiRange(0.01, 0.99))

    np.testing.assert_array_equal(found, beta[:, 0])
