"""Agreement with an independent implementation in R, at the same fixed smoothing parameter; see README.md here."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM, l, s

# Stricter than the 1e-5 (pi, log-likelihood) and 1e-4 (curves, posteriors) that are asked for.
PI = 1e-6
LOGLIK = 1e-6
ALPHA = 1e-5
CURVE = 1e-5
POSTERIOR = 1e-6
SLOPE = 1e-5

HERE = Path(__file__).parent
FEATURES = [f"x{number}" for number in range(1, 6)]
SETTINGS = (1, 2, 3)
SOLVERS = ("newton", "em")


def read_rows(setting):
    frame = pd.read_csv(HERE / f"s{setting}_n1500.csv")
    return frame[FEATURES], frame["z"]


def read_reference(setting):
    return json.loads((HERE / f"s{setting}_n1500.json").read_text())


def plain(terms, solver, **options):
    """Return the estimator of the reference: no prior on pi, no bias correction, climbed to the end."""
    return PUGAM(terms, solver=solver, pi_prior=None, debias=False, tol=1e-9, **options)


def runs():
    """EM takes seconds for curves; lines show that it is right, and to Newton's optimum it comes in other tests."""
    for setting in SETTINGS:
        for solver in SOLVERS:
            yield pytest.param((setting, solver), marks=[pytest.mark.long] if solver == "em" else [])


@pytest.fixture(scope="module", params=[*runs()], ids=str)
def smooth_fit(request):
    setting, solver = request.param
    X, z = read_rows(setting)
    reference = read_reference(setting)
    terms = [s(name, bounds=(0, 1)) for name in FEATURES]
    return plain(terms, solver, smoothing=reference["smooth"]["kappa"]).fit(X, z), reference, X[z == 0].head(20)


@pytest.fixture(scope="module", params=[(setting, solver) for setting in SETTINGS for solver in SOLVERS], ids=str)
def linear_fit(request):
    setting, solver = request.param
    X, z = read_rows(setting)
    model = plain([l(name) for name in FEATURES], solver).fit(X, z)
    return model, read_reference(setting)["linear"], X[z == 0].head(20)


def test_smooth_pi_alpha_and_likelihood_are_those_of_r(smooth_fit):
    model, reference, _ = smooth_fit
    expected = reference["smooth"]

    assert model.converged_
    assert model.pi_ == pytest.approx(expected["pi"], rel=0, abs=PI)
    assert model.alpha_ == pytest.approx(expected["alpha"], rel=0, abs=ALPHA)
    assert model.loglik_ == pytest.approx(expected["profile_loglik"], rel=0, abs=LOGLIK)


def test_smooth_curves_are_those_of_r(smooth_fit):
    model, reference, _ = smooth_fit
    curves = [model.effect(name, grid=reference["u_grid"], center="range")["u"] for name in FEATURES]

    np.testing.assert_allclose(curves, reference["smooth"]["u_centred"], rtol=0, atol=CURVE)


def test_smooth_posteriors_are_those_of_r(smooth_fit):
    model, reference, first_unlabelled = smooth_fit
    posterior = model.predict_proba(first_unlabelled)[:, 1]

    np.testing.assert_allclose(posterior, reference["smooth"]["posterior_first20"], rtol=0, atol=POSTERIOR)


def test_linear_pi_and_likelihood_are_those_of_r(linear_fit):
    model, expected, _ = linear_fit

    assert model.converged_
    assert model.pi_ == pytest.approx(expected["pi"], rel=0, abs=PI)
    assert model.loglik_ == pytest.approx(expected["profile_loglik"], rel=0, abs=LOGLIK)
    # pi, the intercept and one slope a feature: nothing is shrunk.
    assert model.edf_ == pytest.approx(2 + len(FEATURES), abs=1e-8)


def test_linear_slopes_and_alpha_are_those_of_r(linear_fit):
    model, expected, _ = linear_fit
    at_ends = [np.asarray(model.effect(name, grid=[0.0, 0.5, 1.0], center="range")["u"]) for name in FEATURES]

    np.testing.assert_allclose([u[2] - u[0] for u in at_ends], expected["slopes"], rtol=0, atol=SLOPE)
    # R centres each line at 1/2, pugam at the middle of the range that was seen.
    alpha_at_half = model.alpha_ + sum(u[1] for u in at_ends)
    assert alpha_at_half == pytest.approx(expected["alpha"], rel=0, abs=ALPHA)


def test_linear_posteriors_are_those_of_r(linear_fit):
    model, expected, first_unlabelled = linear_fit
    posterior = model.predict_proba(first_unlabelled)[:, 1]

    np.testing.assert_allclose(posterior, expected["posterior_first20"], rtol=0, atol=POSTERIOR)
