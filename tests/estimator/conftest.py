"""A small table on which pi is well determined, for the tests of the estimator."""

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM

N_LABELLED, N_HIDDEN, N_NEGATIVE = 300, 120, 180


@pytest.fixture(autouse=True, scope="module")
def _quick_diagnoses(no_trees, few_places):
    """Of modules, so that what their fixtures keep of a diagnosis is as quick."""
    with no_trees(), few_places():
        yield


@pytest.fixture(scope="session")
def y():
    """The truth, which a fit does not see; rows are in random order."""
    labels = np.repeat([1, 0], [N_LABELLED + N_HIDDEN, N_NEGATIVE])
    return np.random.default_rng(0).permutation(labels)


@pytest.fixture(scope="session")
def z(y):
    """Of the 420 positives 300 are labelled; of the 300 rows that are not, 120 are positive."""
    labelled = np.random.default_rng(2).choice(np.flatnonzero(y), N_LABELLED, replace=False)
    return np.isin(np.arange(len(y)), labelled).astype(int)


@pytest.fixture(scope="session", name="X")
def features(y):
    """Normal features that tell the classes apart, though not perfectly; the effects are bows and lines."""
    rng = np.random.default_rng(1)
    n = len(y)
    columns = {
        "x1": np.where(y, rng.normal(1.0, 0.6, n), rng.normal(-0.5, 1.0, n)),
        "x2": np.where(y, rng.normal(0.0, 0.5, n), rng.normal(0.5, 1.2, n)),
        "x3": np.where(y, rng.normal(0.5, 1.0, n), rng.normal(-0.5, 1.0, n)),
    }
    return pd.DataFrame(columns)


@pytest.fixture(scope="session")
def model(X, z):
    return PUGAM().fit(X, z)


@pytest.fixture(scope="session")
def model_given(X, z):
    """With smoothing given, and so fitted faster, for what does not depend on how smoothing is found."""
    return PUGAM(smoothing=0.1).fit(X, z)


@pytest.fixture(scope="session")
def mixed(X):
    """Numbers, text, a two-valued number and gaps."""
    rng = np.random.default_rng(2)
    site = np.where(rng.random(len(X)) < 0.6 * X["x1"], "north", rng.choice(["east", "south"], len(X)))
    dose = np.where(rng.random(len(X)) < 0.2, np.nan, X["x2"] + 0.2 * rng.random(len(X)))
    return X.assign(site=site, dose=dose, old=(X["x3"] > 0.5).astype(int))
