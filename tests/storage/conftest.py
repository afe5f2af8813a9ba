"""Fitted models of all kinds, and the two steps between an estimator and what is saved of it."""

import math

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM, f, l, s
from pugam.estimator.loading import restore
from pugam.estimator.storing import stored_form
from pugam.storage import Provenance, to_json

N_LABELLED, N_HIDDEN, N_NEGATIVE = 150, 60, 90


def take_out(model, command=None):
    """What is saved of a fitted estimator."""
    return stored_form(model, Provenance.now(command))


def put_back(stored):
    """The estimator that a stored model came from."""
    return restore(stored, "model.json")


@pytest.fixture(autouse=True, scope="module")
def _quick_diagnoses(no_trees, few_places):
    """Of modules, so that what their fixtures keep of a diagnosis is as quick."""
    with no_trees(), few_places():
        yield


@pytest.fixture(scope="session")
def stored_of():
    return take_out


@pytest.fixture(scope="session")
def restored():
    return put_back


def truth(times=1):
    """Who is positive: labelled rows come first, then hidden positives, then negatives."""
    return np.repeat([True, True, False], [times * N_LABELLED, times * N_HIDDEN, times * N_NEGATIVE])


def make_rows(times=1):
    """Features that tell positives from negatives, of every type, some with gaps; and who is labelled."""
    rng = np.random.default_rng(0)
    positive = truth(times)
    n = len(positive)
    x1 = np.where(positive, rng.normal(1.0, 0.6, n), rng.normal(-0.5, 1.0, n))
    x2 = np.where(positive, rng.normal(0.0, 0.5, n), rng.normal(0.5, 1.2, n))
    site = np.where(rng.random(n) < 0.3 + 0.4 * positive, "north", rng.choice(["east", 'süd "quoted"\n'], n))
    X = pd.DataFrame({"x1": x1, "x2": x2, "site": site})
    X["dose"] = np.where(rng.random(n) < 0.2, math.nan, x2 + 0.2 * rng.random(n))
    X["ward"] = pd.Series(np.where(rng.random(n) < 0.2, None, X["site"]), dtype=object)
    X["old"] = x1 > 0.5
    X["seen"] = pd.Series(np.where(rng.random(n) < 0.2, None, x2 > 0.5), dtype=object)
    X["grade"] = pd.Categorical(rng.integers(1, 4, n))
    X["size"] = pd.Categorical(rng.choice([0.5, 1.0, 2.5], n))
    X["few"] = rng.integers(0, 3, n)
    return X, np.arange(n) < times * N_LABELLED


def make_crossed_rows():
    """The same with two more features, of which only the product tells positives from negatives."""
    X, z = make_rows(2)
    rng = np.random.default_rng(1)
    side = np.where(rng.random(len(z)) < 0.5, -1.0, 1.0)
    other = np.where(truth(2), side, -side)
    noise = rng.normal(0.0, 0.6, (2, len(z)))
    return X.assign(left=side + noise[0], right=other + noise[1]), z


def fit_varied(X, z):
    """A small model with a term of every kind."""
    smooth = [s("x1", k=5, scale="linear"), s("dose", k=4, missing="effect", scale="linear")]
    terms = [*smooth, l("x2"), f("ward", missing="effect"), f("grade")]
    return PUGAM(terms, n_starts=3, kappas=[0.1, 1.0], pi=(0.05, 0.9), shrinkage="never").fit(X, z.astype(int))


def fit_crossed(X, z):
    """A small model with a term of every kind, pi by marginal likelihood, and an interaction that was added."""
    smooth = [s("x1", k=5, scale="linear"), s("dose", k=4, missing="effect", scale="linear")]
    terms = [*smooth, l("x2"), f("ward", missing="effect"), f("grade"), s("left", k=4), s("right", k=4)]
    return PUGAM(terms, n_starts=3, pi=(0.05, 0.9)).fit(X, z.astype(int))


@pytest.fixture(scope="session")
def rows():
    return make_rows()


@pytest.fixture(scope="session")
def crossed_rows():
    return make_crossed_rows()


@pytest.fixture(scope="session")
def crossed(crossed_rows):
    return fit_crossed(*crossed_rows)


@pytest.fixture(scope="session")
def crossed_text(crossed):
    return to_json(take_out(crossed, command="pugam fit table.csv"))


@pytest.fixture(scope="session")
def varied(rows):
    return fit_varied(*rows)


@pytest.fixture(scope="session")
def varied_text(varied):
    return to_json(take_out(varied, command="pugam fit table.csv"))
