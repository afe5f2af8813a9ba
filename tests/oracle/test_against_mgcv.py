"""Agreement with mgcv where pi is almost zero, and of shapes with a general-purpose optimiser; see README.md here."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.interpolate import BSpline
from scipy.linalg import block_diag
from scipy.optimize import LinearConstraint, minimize

from pugam import PUGAM
from pugam.likelihood import alpha_shift, expit

# Stricter than the 1e-5 that are asked for; references have nine digits.
PROBABILITY = 1e-8
SHAPED_PROBABILITY = 1e-6
LOGLIK = 1e-6
EDF = 1e-7

# Relative. pugam's Fellner-Schall step takes the weights p (1 - p) of rows as constant, which mgcv does not. Where a
# model spends a degree of freedom on every eleven rows, a term gets up to 18.5% fewer. README.md has the numbers.
REML_EDF = 0.10
REML_EDF_OF_HARD = {"mix": 0.20}

PI = 1e-12  # then labels are those of an ordinary logistic model

FOLDER = Path(__file__).parent / "mgcv"
ROWS = pd.read_csv(FOLDER / "rows.csv")
FEATURES = [name for name in ROWS if not name.startswith("z_")]
REFERENCES = json.loads((FOLDER / "references.json").read_text())
BY_GAM, SHAPED = REFERENCES["gam"], REFERENCES["shapes"]

HARD_ROWS = pd.read_csv(FOLDER / "hard_rows.csv")
HARD = json.loads((FOLDER / "hard_references.json").read_text())["gam"]


def fit(reference, smoothing, rows=ROWS):
    """Fit the model of a reference at its pi, with nothing that gam() has not."""
    model = PUGAM(
        reference["formula"], smoothing=smoothing, pi=PI, pi_prior=None, debias=False, shrinkage="never", tol=1e-10
    )
    return model.fit(rows[FEATURES], rows[reference["label"]])


def given(reference):
    """The reference's smoothing parameters, a tuple where a term has several."""
    kappas = reference["smoothing"]
    return {term: tuple(value) if isinstance(value, list) else value for term, value in kappas.items()}


def probabilities(model):
    """P(z = 1 | x), of being labelled, for every row."""
    s = model.log_density_ratio(ROWS[FEATURES]) + alpha_shift(model.pi_, model.n0_, model.n1_)
    return model.label_frequency_ * expit(s)


def edf_by_term(model):
    frame = model.summary().smooth
    return dict(zip(frame["term"], frame["edf"], strict=True))


def require_degrees(model, expected, **within):
    """Compare degrees of freedom, in all and of each term."""
    assert edf_by_term(model) == pytest.approx(expected["edf"], **within)
    assert model.edf_ == pytest.approx(expected["total_edf"], **within)


@pytest.fixture(scope="module", params=BY_GAM)
def fit_and_reference(request):
    reference = BY_GAM[request.param]
    return fit(reference, given(reference)), reference


def test_probabilities_are_those_of_gam(fit_and_reference):
    model, reference = fit_and_reference

    np.testing.assert_allclose(probabilities(model), reference["probability"], rtol=0, atol=PROBABILITY)


def test_penalised_likelihood_is_that_of_gam(fit_and_reference):
    model, reference = fit_and_reference

    assert model.converged_
    assert model.penalized_loglik_ == pytest.approx(reference["penalized_loglik"], rel=0, abs=LOGLIK)


def test_degrees_of_freedom_are_those_of_gam(fit_and_reference):
    model, reference = fit_and_reference

    require_degrees(model, reference, abs=EDF)


@pytest.mark.parametrize("case", BY_GAM)
def test_reml_chooses_about_as_many_degrees_of_freedom_as_that_of_gam(case):
    model = fit(BY_GAM[case], "reml")

    require_degrees(model, BY_GAM[case]["reml"], rel=REML_EDF)


@pytest.mark.parametrize("case", HARD)
def test_reml_chooses_about_as_many_degrees_of_freedom_in_hard_cases(case):
    model = fit(HARD[case], "reml", HARD_ROWS)

    require_degrees(model, HARD[case]["reml"], rel=REML_EDF_OF_HARD.get(case, REML_EDF))


@pytest.mark.parametrize("case", HARD)
def test_degrees_of_freedom_of_hard_cases_differ_only_by_the_choice_of_smoothing(case):
    model = fit(HARD[case], given(HARD[case]["reml"]), HARD_ROWS)

    require_degrees(model, HARD[case]["reml"], abs=EDF)


@pytest.mark.parametrize("case", SHAPED)
def test_shapes_are_those_of_pcls(case):
    reference = SHAPED[case]
    model = fit(reference, given(reference))

    np.testing.assert_allclose(probabilities(model), reference["probability"], rtol=0, atol=SHAPED_PROBABILITY)
    assert model.penalized_loglik_ == pytest.approx(reference["penalized_loglik"], rel=0, abs=LOGLIK)


@pytest.mark.parametrize("case", SHAPED)
def test_shapes_are_those_of_a_general_purpose_optimiser(case):
    reference = SHAPED[case]
    model = fit(reference, given(reference))

    np.testing.assert_allclose(probabilities(model), optimise(reference), rtol=0, atol=SHAPED_PROBABILITY)


# What follows shares no code with pugam: B-splines by SciPy, constrained as they come, and SLSQP.

N_SPLINES = 10
KNOTS = np.concatenate([np.zeros(4), np.arange(1, 7) / 7, np.ones(4)])
SPLINES = BSpline(KNOTS, np.eye(N_SPLINES), 3)
SHAPE_ROWS = {
    "increasing": np.diff(np.eye(N_SPLINES), axis=0),
    "decreasing": -np.diff(np.eye(N_SPLINES), axis=0),
    "convex": SPLINES(np.unique(KNOTS), 2),
    "concave": -SPLINES(np.unique(KNOTS), 2),
    None: np.zeros((0, N_SPLINES)),
}


def optimise(reference):
    """Maximise the penalised likelihood of the labels under the shapes, and return the probabilities."""
    y = ROWS[reference["label"]].to_numpy(float)
    blocks = [make_block(term, reference["smoothing"]) for term in reference["formula"].split(" + ")]
    X = np.hstack([np.ones((len(y), 1)), *(block[0] for block in blocks)])
    penalty, shapes, centred = (
        block_diag(np.zeros(size), *(block[part] for block in blocks))
        for part, size in ((1, (1, 1)), (2, (0, 1)), (3, (0, 1)))
    )

    def loss(b):
        s = X @ b
        return np.logaddexp(0.0, s).sum() - y @ s + b @ penalty @ b

    def gradient(b):
        return X.T @ (expit(X @ b) - y) + 2.0 * penalty @ b

    constraints = [LinearConstraint(shapes, 0.0, np.inf), LinearConstraint(centred, 0.0, 0.0)]
    start, options = np.zeros(X.shape[1]), {"ftol": 1e-15, "maxiter": 1000}
    found = minimize(loss, start, jac=gradient, method="SLSQP", constraints=constraints, options=options)
    assert np.min(shapes @ found.x) > -1e-10
    return expit(X @ found.x)


def make_block(term, smoothing):
    """Return a term's columns, penalty, and the rows that shape and centre its coefficients."""
    if term == "f(site)":
        levels = pd.get_dummies(ROWS["site"]).to_numpy(float)
        size = levels.shape[1]
        return levels, np.zeros((size, size)), np.zeros((0, size)), np.ones((1, size))
    name, shape = re.fullmatch(r"s\((\w+)(?:, shape='(\w+)')?\)", term).groups()
    values = ROWS[name].to_numpy()
    places = (values - values.min()) / (values.max() - values.min())
    bending, integral = spline_integrals()
    shape_rows = SHAPE_ROWS[shape] / np.abs(SHAPE_ROWS[shape]).max(initial=1.0)
    return SPLINES(places), smoothing[f"s({name})"] * bending, shape_rows, integral[None]


def spline_integrals():
    """Integrals of products of the splines' second derivatives, and of the splines, by Gauss's rule."""
    points, weights = np.polynomial.legendre.leggauss(4)
    breaks = np.unique(KNOTS)
    width = np.diff(breaks)[:, None]
    nodes, weights = (breaks[:-1, None] + width * (points + 1.0) / 2.0).ravel(), (width * weights / 2.0).ravel()
    second = SPLINES(nodes, 2)
    return (second * weights[:, None]).T @ second, weights @ SPLINES(nodes)
