"""Prints the numbers of seventeen computations as JSON; run in different surroundings, they have to agree.

`python tests/reproducibility/compute.py > tests/reproducibility/values.json` writes those that are kept. The number of
threads may be given, and after it `marginal`, for those of default fits alone, or `settings`, for three of them.
"""

import json
import sys
import warnings

import numpy as np
import pandas as pd

from pugam import PUGAM, PugamWarning, f, l, s
from pugam.datasets import load_tumours, simulate


def mixed_table():
    """Rows with weights, a factor, values that are missing, and a column that matters little."""
    data = simulate(1, n0=300, n=700, random_state=3)
    rng = np.random.default_rng(4)
    X = pd.DataFrame(np.asarray(data.X), columns=[f"x{j}" for j in range(np.shape(data.X)[1])])
    X["group"] = rng.choice(["a", "b", "c"], size=len(X))
    X.loc[rng.random(len(X)) < 0.1, "x1"] = np.nan
    return X, data.z, rng.uniform(0.5, 2.0, size=len(X))


def simulated(setting):
    data = simulate(setting, n0=500, n=1500, random_state=setting)
    return data.X, data.z


def few_rows():
    table = load_tumours()
    chosen = np.random.default_rng(5).permutation(len(table.X))[:150]
    return table.X.iloc[chosen], table.z[chosen]


def crossed():
    """Rows of features whose effects do not add up."""
    rng = np.random.default_rng(8)
    x = rng.random((40_000, 4))
    log_odds = 6.0 * (x[:, :3].sum(axis=1) - 1.5) + 24.0 * (x[:, 0] - 0.5) * (x[:, 1] - 0.5)
    positive = rng.random(len(x)) < 1.0 / (1.0 + np.exp(-log_odds))
    rows = np.vstack([x[positive][:1400], x[~positive][:600]])
    return pd.DataFrame(rows, columns=["x1", "x2", "x3", "x4"]), np.repeat([1, 0], 1000)


def numbers_of(model, X):
    """What a user would publish of a fit."""
    interval = model.pi_interval()
    return {
        "pi": [model.pi_, model.pi_penalized_],
        "interval": [interval.lower, interval.upper],
        "likelihood": [model.alpha_, model.loglik_, model.penalized_loglik_],
        "edf": [model.edf_],
        "posteriors": model.predict_proba(X)[:20, 1].tolist(),
        "standard errors": np.sqrt(np.diag(model.covariance()))[:5].tolist(),
    }


def compute(n_jobs):
    """Fit and collect; the same numbers whatever n_jobs is."""
    return {**compute_modes(n_jobs), **compute_marginal(n_jobs)}


def compute_modes(n_jobs):
    found, mode = {}, {"estimate": "mode", "check": False, "n_jobs": n_jobs}
    for setting in (1, 2, 3):
        X, z = simulated(setting)
        found[f"setting {setting}"] = numbers_of(PUGAM(**mode).fit(X, z), X)
    X, z = simulated(2)
    linear = PUGAM([l(name) for name in X.columns], **mode).fit(X, z)
    found["linear"] = numbers_of(linear, X)
    found["as in the paper"] = numbers_of(PUGAM.paper(n_starts=4, kappas=(1.0, 10.0), n_jobs=n_jobs).fit(X, z), X)
    bootstrapped = linear.bootstrap(40, random_state=6, n_jobs=n_jobs)
    found["bootstrap"] = {"pi": np.asarray(bootstrapped.pi).tolist()}
    profile = linear.pi_interval(method="profile")
    found["profile"] = {"interval": [profile.lower, profile.upper]}

    X, z, weights = mixed_table()
    terms = [s("x0"), s("x1", missing="effect"), l("x2"), f("group")]
    mixed = PUGAM(terms, **mode).fit(X, z, sample_weight=weights)
    found["weights, a factor, missing values"] = numbers_of(mixed, X)

    many = simulate(1, n0=20_000, n=60_000, random_state=7)
    found["many rows"] = numbers_of(PUGAM("s(x1) + s(x2)", **mode).fit(many.X, many.z), many.X[:20])

    X, z = few_rows()
    found["few rows, shrunken"] = numbers_of(PUGAM(**mode).fit(X, z), X)
    return found


def default_fits(n_jobs):
    for setting in (1, 2, 3):
        X, z = simulated(setting)
        yield f"marginal, setting {setting}", PUGAM(check=False, n_jobs=n_jobs).fit(X, z), X


def compute_settings(n_jobs):
    """What the default gives in the settings of the paper."""
    return {name: numbers_of(model, X) for name, model, X in default_fits(n_jobs)}


def compute_marginal(n_jobs):
    """What the default gives."""
    found = {}
    for name, model, X in default_fits(n_jobs):
        found[name] = numbers_of(model, X)
    found["marginal, bootstrap"] = {"pi": model.bootstrap(5, random_state=6, n_jobs=n_jobs).pi.tolist()}

    X, z = crossed()
    model = PUGAM(check=False, n_jobs=n_jobs).fit(X, z)
    assert "ti(x1, x2)" in model._fit.added, model._fit.added
    found["marginal, an interaction added"] = numbers_of(model, X)

    X, z, weights = mixed_table()
    terms = [s("x0"), s("x1", missing="effect"), l("x2"), f("group")]
    mixed = PUGAM(terms, check=False, n_jobs=n_jobs).fit(X, z, sample_weight=weights)
    found["marginal, weights, a factor, missing values"] = numbers_of(mixed, X)

    many = simulate(1, n0=20_000, n=60_000, random_state=7)
    found["marginal, many rows"] = numbers_of(
        PUGAM("s(x1) + s(x2)", check=False, n_jobs=n_jobs).fit(many.X, many.z), many.X[:20]
    )
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore", PugamWarning)
    chosen = {"marginal": compute_marginal, "settings": compute_settings}.get(sys.argv[-1], compute)
    json.dump(chosen(n_jobs=int(sys.argv[1]) if len(sys.argv) > 1 else 1), sys.stdout, indent=1)
