"""What holds for every table: a fit ends, its numbers are finite, and the units of the features do not matter."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pugam import PUGAM, PugamWarning

FITS = settings.default.max_examples // 8  # take longer than other examples
COMMON = {"deadline": None, "derandomize": True, "suppress_health_check": [HealthCheck.too_slow]}

KINDS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "skewed": lambda rng, n: np.exp(1.5 * rng.normal(size=n)),
    "heavy-tailed": lambda rng, n: rng.standard_t(2, size=n),
    "discrete": lambda rng, n: rng.integers(0, 6, size=n).astype(float),
    "two-valued": lambda rng, n: rng.integers(0, 2, size=n).astype(float),
    "mostly zero": lambda rng, n: np.where(rng.random(n) < 0.7, 0.0, rng.random(n)),
}


@st.composite
def tables(draw):
    """Draw a table of two to four columns in any units, and labels that depend on it not at all up to completely."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(20, 150))
    kinds = draw(st.lists(st.sampled_from(list(KINDS)), min_size=2, max_size=4))
    columns = [KINDS[kind](rng, n) for kind in kinds]
    assume(all(np.ptp(column) > 0 for column in columns))
    signal = sum((column - column.mean()) / column.std() for column in columns)
    score = draw(st.sampled_from([0.0, 0.5, 2.0, 50.0])) * signal + rng.logistic(size=n)
    positive = score > np.quantile(score, draw(st.sampled_from([0.2, 0.5])))
    labelled = positive & (rng.random(n) < 0.5)
    labelled[np.argmax(score)] = True
    units = [(draw(st.sampled_from([1e-6, 1.0, 1e5])), draw(st.sampled_from([0.0, -3.0, 1e4]))) for _ in columns]
    moved = {f"c{j}": scale * (c + shift) for j, (c, (scale, shift)) in enumerate(zip(columns, units, strict=True))}
    return pd.DataFrame(moved), labelled.astype(int)


def fit_quietly(model, X, z):
    """Fit; warnings of the package may come on such tables, but none of arithmetic."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("ignore", PugamWarning)
        return model.fit(X, z)


@pytest.mark.parametrize(
    "options",
    [{}, {"smoothing": 1.0}, pytest.param({"solver": "em", "smoothing": 1.0, "n_starts": 2}, marks=pytest.mark.long)],
    ids=str,
)
@settings(max_examples=FITS, **COMMON)
@given(table=tables())
def test_every_table_gives_finite_results(options, table):
    X, z = table
    model = fit_quietly(PUGAM(**options), X, z)
    proba = model.predict_proba(X)
    scalars = [model.alpha_, model.loglik_, model.penalized_loglik_, model.edf_, model.aic_, model.score(X, z)]

    assert 0.0 < model.pi_ < 1.0
    assert 0.0 < model.pi_penalized_ < 1.0
    assert np.isfinite(scalars).all()
    assert model.loglik_ <= 0.0
    assert 0.0 <= model.edf_ <= 2 + len(model.coef_) + 1e-6
    assert proba.min() >= 0.0
    assert proba.max() <= 1.0
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    interval = model.pi_interval()
    assert 0.0 <= interval.lower <= model.pi_ <= interval.upper <= 1.0
    for term in model.terms_:
        assert np.isfinite(model.effect(term.column)).all(axis=None)


@settings(max_examples=FITS, **COMMON)
@given(table=tables())
def test_the_reported_optimum_is_the_best_of_all_starts(table):
    X, z = table
    model = fit_quietly(PUGAM(smoothing=1.0, debias=False), X, z)

    assert model.penalized_loglik_ >= max(start["objective"] for start in model.starts_) - 1e-6


@settings(max_examples=FITS, **COMMON)
@given(table=tables(), scales=st.lists(st.sampled_from([-1e3, -0.5, 1e-4, 7.0]), min_size=4, max_size=4))
def test_the_units_of_the_features_do_not_matter(table, scales):
    X, z = table
    moved = X.assign(**{name: scale * (X[name] - X[name].mean()) for name, scale in zip(X, scales, strict=False)})
    here, there = (fit_quietly(PUGAM(smoothing=1.0), rows, z) for rows in (X, moved))

    assert there.pi_ == pytest.approx(here.pi_, abs=1e-6)
    assert there.penalized_loglik_ == pytest.approx(here.penalized_loglik_, abs=1e-6)
    np.testing.assert_allclose(there.predict_proba(moved), here.predict_proba(X), rtol=0, atol=1e-5)
