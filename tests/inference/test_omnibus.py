"""The omnibus test: data from the model, data that trees know more about, and rows that are too few."""

import numpy as np
import pytest

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.inference import profile_of
from pugam.inference.omnibus import probe_residuals
from pugam.inference.rows_tested import choose_rows


def probe(X, z, terms=None, weights=None, **options):
    model = PUGAM(terms, n_starts=2, **options).fit(X, z, weights)
    return probe_residuals(choose_rows(profile_of(model._fitted("The test"))))


@pytest.mark.parametrize("setting", [3, *(pytest.param(setting, marks=pytest.mark.long) for setting in (1, 2))])
def test_data_from_the_model_pass(setting):
    data = simulate(setting, n0=700, n=1400, random_state=20 + setting)

    found = probe(data.X, data.z)

    assert found.pvalue > 0.01
    assert found.n_rows == 1400


def test_what_no_sum_of_curves_follows_is_found(make_interacting):
    found = probe(*make_interacting(4.0), terms="s(x1) + s(x2) + s(x3) + s(x4) + s(x5)", shrinkage="never")

    assert found.statistic > 4.0
    assert found.pvalue < 1e-4


def test_the_order_of_rows_does_not_matter():
    data = simulate(2, n0=700, n=1400, random_state=0)
    order = np.random.default_rng(1).permutation(1400)

    one, other = probe(data.X, data.z, tol=1e-8), probe(data.X.iloc[order], data.z[order], tol=1e-8)

    # Trees split at other places where two splits are as good up to rounding.
    assert other.statistic == pytest.approx(one.statistic, abs=0.1)


def test_weights_levels_and_gaps_are_taken():
    data = simulate(2, n0=700, n=1400, random_state=3)
    X = data.X.assign(site=np.array(["a", "b", "c"])[np.arange(1400) % 3])
    X.loc[X.index % 7 == 0, "x1"] = np.nan

    found = probe(X, data.z, "s(x1, missing='effect') + s(x2) + s(x3) + f(site)", np.linspace(0.5, 1.5, 1400))

    assert abs(found.statistic) < 3.0


def test_with_fewer_rows_there_are_fewer_stages_and_then_no_test():
    data = simulate(2, n0=600, n=1200, random_state=0)
    few = np.append(np.arange(150), np.arange(600, 750))

    assert abs(probe(data.X.iloc[few], data.z[few], shrinkage="never").statistic) < 3.0  # 47 parameters: two stages
    assert probe(data.X.iloc[few[::2]], data.z[few[::2]], shrinkage="never") is None
