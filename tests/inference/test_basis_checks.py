"""Are functions enough? Tests of finer functions: found where there are too few, quiet where there are enough."""

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM
from pugam.datasets import simulate


def waves(seed=0, n=3000):
    """A column whose density ratio is a wave of about two periods, and two straight ones."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.5
    x = rng.uniform(size=20 * n)
    wave = x[rng.random(20 * n) < 0.5 + 0.5 * np.sin(12 * x)][:n]
    X = pd.DataFrame(
        {"wave": np.where(y, wave, rng.uniform(size=n)), "b": rng.normal(size=n) + y, "c": rng.normal(size=n) + y}
    )
    return X, (y & (rng.random(n) < 0.5)).astype(int)


@pytest.mark.parametrize(("k", "enough"), [(4, False), (20, True)])
def test_too_few_functions_are_found(k, enough):
    X, z = waves()
    found = PUGAM(f"s(wave, k={k}) + s(b) + s(c)", check=False, interactions=None).fit(X, z).check_terms()

    wave, *others = found.bases
    assert (wave.term, wave.size) == ("s(wave)", k - 1)
    assert (wave.pvalue > 0.01) is enough
    assert min(line.pvalue for line in others) > 0.001


@pytest.mark.long
def test_p_values_are_even_where_functions_are_enough():
    """Of 75 p-values at most 13 are below 0.1, which has a chance of 3% if each has one of 0.1."""
    pvalues = []
    for seed in range(15):
        data = simulate(1 + seed % 3, n0=400, n=1000, pi=0.4, random_state=seed)
        model = PUGAM(smoothing=0.01, check=False).fit(data.X, data.z)
        pvalues += [line.pvalue for line in model.check_terms().bases]

    assert len(pvalues) > 50
    assert np.mean(np.array(pvalues) < 0.1) <= 13 / 75


def test_terms_of_several_columns_and_tables_of_few_rows_are_not_tested():
    X, z = waves(n=1500)
    together = PUGAM("te(wave, b) + s(c)", pi=0.4, check=False).fit(X, z).check_terms()
    few = PUGAM("s(b, k=6) + s(c, k=6)", pi=0.4, smoothing=1.0, check=False).fit(X[:60], z[:60]).check_terms()

    assert np.isnan(together.bases[0].pvalue)
    assert not np.isnan(together.bases[1].pvalue)
    assert all(np.isnan(line.pvalue) for line in few.bases)
    assert "not tested" in str(few)
