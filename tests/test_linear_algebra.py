"""Solving with matrices whose rows differ in scale by many powers of ten, or that are singular."""

import numpy as np
import pytest

from pugam.linear_algebra import covariance_root, inverse, log_determinant, solve, solve_definite


@pytest.fixture
def definite():
    """A well-conditioned positive definite matrix."""
    root = np.random.default_rng(0).normal(size=(6, 6))
    return root @ root.T + 6.0 * np.eye(6)


SCALES = [np.ones(6), 10.0 ** np.arange(6), 10.0 ** np.linspace(-1.0, 8.0, 6)]


@pytest.mark.parametrize("scale", SCALES, ids=["even", "wide", "wider"])
def test_solve_solves_however_rows_are_scaled(definite, scale):
    matrix = definite * scale * scale[:, None]
    x = np.arange(1.0, 7.0) / scale

    np.testing.assert_allclose(solve(matrix, matrix @ x), x, rtol=1e-6)


@pytest.mark.parametrize("scale", SCALES, ids=["even", "wide", "wider"])
def test_inverse_inverts_however_rows_are_scaled(definite, scale):
    matrix = definite * scale * scale[:, None]
    expected = np.linalg.inv(definite) / scale / scale[:, None]

    inverted = inverse(matrix)

    np.testing.assert_allclose(inverted * scale * scale[:, None], np.linalg.inv(definite), atol=1e-8)
    np.testing.assert_allclose(inverted.diagonal(), expected.diagonal(), rtol=1e-6)


@pytest.mark.parametrize("scale", SCALES, ids=["even", "wide", "wider"])
def test_the_determinant_is_right_however_rows_are_scaled(definite, scale):
    expected = np.linalg.slogdet(definite)[1] + 2.0 * np.sum(np.log(scale))

    assert log_determinant(definite * scale * scale[:, None]) == pytest.approx(expected, rel=1e-10)


def test_the_determinant_of_a_singular_matrix_is_nothing_and_that_of_a_saddle_has_no_sign(definite):
    definite[2] = definite[:, 2] = 0.0

    assert log_determinant(definite) == -np.inf
    assert log_determinant(np.array([[1.0, 2.0], [2.0, 1.0]])) == pytest.approx(np.log(3.0), rel=1e-12)


@pytest.mark.parametrize("damping", [0.1, 10.0])
def test_damping_enlarges_the_diagonal(definite, damping):
    rhs = np.arange(6.0)
    damped = definite + damping * np.diag(definite.diagonal())

    np.testing.assert_allclose(solve(definite, rhs, damping), np.linalg.solve(damped, rhs), rtol=1e-8)


def test_an_indefinite_matrix_is_noticed():
    assert solve_definite(np.array([[1.0, 2.0], [2.0, 1.0]]), np.ones(2)) is None
    assert solve_definite(np.array([[1.0, 0.0], [0.0, -1.0]]), np.ones(2)) is None
    assert solve_definite(np.array([[2.0, 1.0], [1.0, 2.0]]), np.ones(2)) is not None


def test_solving_with_a_column_twice_fits_as_well_as_with_it_once():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(50, 3)), rng.normal(size=50)
    twice = np.column_stack([X, X[:, 2]])

    x = solve(twice.T @ twice, twice.T @ y)

    np.testing.assert_allclose(twice @ x, X @ np.linalg.lstsq(X, y, rcond=None)[0], atol=1e-5)


def test_solving_with_a_column_of_zeros_fits_as_well_as_without_it():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(50, 3)), rng.normal(size=50)
    padded = np.column_stack([X, np.zeros(50)])

    x = solve(padded.T @ padded, padded.T @ y)

    np.testing.assert_allclose(x[:3], np.linalg.lstsq(X, y, rcond=None)[0], atol=1e-6)
    assert x[3] == 0.0


def test_the_inverse_of_a_singular_matrix_keeps_the_variance_of_what_is_determined():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(50, 3))
    twice = np.column_stack([X, X[:, 2]])

    inverted = inverse(twice.T @ twice)

    # The sum of the two equal columns' coefficients, and the other coefficients, are determined.
    determined = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]])
    np.testing.assert_allclose(determined @ inverted @ determined.T, np.linalg.inv(X.T @ X), atol=1e-5)
    assert inverted[3, 3] > 1e3


def test_the_inverse_of_a_nearly_singular_matrix_lacks_no_more_than_rounding_takes():
    near = 1e-6  # eigenvalues near and 2 - near
    matrix = np.array([[1.0, 1.0 - near], [1.0 - near, 1.0]])
    expected = np.array([[1.0, near - 1.0], [near - 1.0, 1.0]]) / (near * (2.0 - near))

    np.testing.assert_allclose(inverse(matrix), expected, rtol=1e-9)


def test_a_root_of_a_covariance_may_be_singular(definite):
    singular = definite - np.outer(definite[0], definite[0]) / definite[0, 0]  # a coefficient that is known

    for covariance in (definite, singular):
        root = covariance_root(covariance)
        np.testing.assert_allclose(root @ root.T, covariance, rtol=0, atol=1e-10)
