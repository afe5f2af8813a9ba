"""The prior that smoothing stands for, on all coefficients and on a face of the constraints."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import null_space

from pugam.solvers.priors import prior_at
from pugam.solvers.standpoint import Standpoint


@pytest.fixture(scope="module")
def design(make_problem):
    return make_problem(2, n0=90, n=120, k=7, shapes={"x1": "increasing", "x3": "convex"}).design


KAPPAS = np.array([1e-3, 2.0, 0.1, 5.0, 1.0])


def standing(design, active):
    """A point, flat, at which some constraints are active, because the gradient pushes against them."""
    layout = design.layout
    rows = layout.spread(design.constraints)
    gradient = -rows[active].sum(axis=0)
    eye = np.eye(layout.size)
    return Standpoint(
        np.zeros(layout.size), 0.0, 0.0, gradient, eye, np.zeros(layout.size), False, layout, constraints=rows
    )


def test_without_active_constraints_it_is_the_inverse_of_the_penalty(design):
    here = replace(standing(design, []), gradient=np.zeros(design.layout.size))
    penalty = design.penalty(KAPPAS)
    penalized = penalty > 0.0

    prior = prior_at(design, here, KAPPAS)

    np.testing.assert_allclose(prior.variances[penalized], 1.0 / penalty[penalized])
    assert not prior.variances[~penalized].any()
    assert prior.log_determinant == pytest.approx(np.sum(np.log(penalty[penalized])))


@pytest.mark.parametrize("active", [[0], [0, 1], [7, 8], [0, 5, 8]], ids=str)
def test_on_a_face_it_is_that_of_the_directions_left(design, active):
    here = standing(design, active)
    rows = design.constraints[active]
    np.testing.assert_allclose(here.active_constraints[:, design.layout.coefficients], rows)
    directions = null_space(rows)
    along = directions.T @ np.diag(design.penalty(KAPPAS)) @ directions
    values = np.linalg.eigvalsh(along)

    prior = prior_at(design, here, KAPPAS)

    expected = directions @ np.linalg.pinv(along, rcond=1e-9) @ directions.T
    np.testing.assert_allclose(prior.variances, expected.diagonal(), atol=1e-6 * expected.diagonal().max())
    assert prior.log_determinant == pytest.approx(np.sum(np.log(values[values > 1e-9 * values.max()])), rel=1e-6)
