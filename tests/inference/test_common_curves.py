"""Are curves the same in all samples? A test by sample and by term."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.stats import f

from pugam import PUGAM, InputError
from pugam.datasets import simulate
from pugam.errors import PugamWarning, VerdictWarning
from pugam.inference import CurveTest, CurveTests
from pugam.inference.findings import CurvesDiffer

FEATURES = ["x1", "x2", "x3"]


def make_rows(power=1.0):
    """Two samples of the same curves; in the second x1 is raised to a power."""
    first, second = (simulate(2, n0=n0, n=n0 + 600, random_state=seed) for n0, seed in ((700, 1), (1, 2)))
    table = pd.concat([first.X.assign(z=first.z, site="a"), second.X.assign(z=second.z, site="b")[second.z == 0]])
    table = table.reset_index(drop=True)
    table["x1"] = np.where(table["site"] == "b", table["x1"] ** power, table["x1"])
    return table[FEATURES], table["z"], table["site"]


def fit_rows(check=False, **options):
    X, z, site = make_rows(**options)
    return PUGAM(interactions=None, check=check).fit(X, z, sample=site)


def test_curves_that_are_the_same_are_not_told_apart():
    """At these seeds; over 500 data sets the test rejects as often as it should (benchmarks/results/samples.md)."""
    table = fit_rows().test_curves()
    assert table["sample"].tolist() == ["a"] * 3 + ["b"] * 3 + ["a", "b", "all"]
    assert table["term"].tolist() == [*(f"s({name})" for name in FEATURES)] * 2 + ["all"] * 3
    assert table["df"].tolist() == [3.0] * 6 + [9.0] * 3
    assert (table["pvalue"] > 0.01).all()


def test_a_column_that_differs_is_named_and_makes_the_verdict():
    with pytest.warns(VerdictWarning, match="Curves are not the same in all samples"):
        model = fit_rows(check=True, power=2.0)
    table = model.test_curves()
    assert table["pvalue"].iloc[-1] < 1e-6
    assert table["term"][table["pvalue"][:6].idxmin()] == "s(x1)"
    assert model.verdict_ == "does not fit"
    (finding,) = (one for one in model.diagnose().findings if isinstance(one, CurvesDiffer))
    assert any(term.startswith("s(x1) in ") for term in finding.terms)
    assert "same curves" in str(model.diagnose())


def test_one_sample_has_nothing_to_compare():
    X, z, _ = make_rows()
    model = PUGAM(smoothing=1.0, check=False).fit(X, z)
    for one in (model, pickle.loads(pickle.dumps(model))):  # to fetch the rows would lead nowhere
        with pytest.raises(InputError, match="one unlabelled sample only"):
            one.test_curves()
    assert model.diagnose().curves is None


def test_terms_are_named_by_a_level_for_all_of_them():
    pvalues = [0.001, 0.012, 0.02, 0.6]
    terms = tuple(CurveTest("a", f"x{number}", 1.0, 1.0, pvalue) for number, pvalue in enumerate(pvalues))
    tests = CurveTests(terms[0], terms[:1], terms[::-1])
    assert [test.term for test in tests.differing(0.05)] == ["x0", "x1", "x2"]
    assert [test.term for test in tests.differing(0.03)] == ["x0"]
    assert tests.differing(0.001) == ()


# Samples of which rows were drawn in clusters: wards of clinics


def make_wards(rng, n_clinics, n_wards, n=1500):
    """Rows of wards that differ by chance, in clinics that do not: features, labels, clinics and wards."""
    rows = np.arange(n)
    clinic = rows % n_clinics
    ward = clinic * n_wards + rng.integers(0, n_wards, n)
    positive = (rows < n // 5) | (rng.random(n) < 0.4)
    X = rng.normal(size=(n, 2)) + 1.5 * positive[:, None] + rng.normal(0.0, 0.3, (n_clinics * n_wards, 2))[ward]
    return pd.DataFrame(X, columns=["x1", "x2"]), (rows < n // 5).astype(int), clinic.astype(str), ward


def fit_wards(rng, n_clinics, n_wards, strata=None, check=False):
    X, z, clinic, ward = make_wards(rng, n_clinics, n_wards)
    model = PUGAM("s(x1, k=5) + s(x2, k=5)", interactions=None, check=check)
    return model.fit(X, z, sample=clinic, groups=ward, strata=None if strata is None else strata(ward))


def test_clusters_tell_as_often_of_a_sample_as_there_are_more_of_them_than_strata():
    of_wards = fit_wards(np.random.default_rng(0), 2, 6).test_curves()
    of_wings = fit_wards(np.random.default_rng(0), 2, 6, strata=lambda ward: ward % 2).test_curves()
    for table, freedom in ((of_wards, 5), (of_wings, 4)):
        expected = f.sf(table["statistic"] / table["df"], table["df"], freedom * table["df"])
        assert table["pvalue"].tolist() == pytest.approx(expected.tolist())


@pytest.mark.parametrize(("strata", "told"), [(None, "a single cluster, "), (lambda ward: ward % 2, "of each stratum")])
def test_samples_of_one_cluster_have_no_test(strata, told):
    n_wards = 1 if strata is None else 2
    with pytest.warns(PugamWarning, match=f"same in all samples is not tested: unlabelled rows of sample '0' .*{told}"):
        model = fit_wards(np.random.default_rng(0), 4, n_wards, strata, check=True)
    assert model.diagnose().curves is None
    assert not any(isinstance(finding, CurvesDiffer) for finding in model.diagnose().findings)
    with pytest.raises(InputError, match="no test of curves where the rows of a sample are in a single cluster"):
        model.test_curves()


@pytest.mark.long
@pytest.mark.parametrize(("n_clinics", "n_wards"), [(3, 3), (3, 10), (12, 4)])
def test_wards_that_differ_by_chance_are_not_taken_for_curves_of_clinics(n_clinics, n_wards):
    """Of 100 tables the tests reject at most 11 at 5%, which a test of that size does in 99 of 100 cases."""
    found = [fit_wards(np.random.default_rng(seed), n_clinics, n_wards).test_curves() for seed in range(100)]
    for row in (0, -2, -1):
        assert sum(table["pvalue"].iloc[row] < 0.05 for table in found) <= 11
