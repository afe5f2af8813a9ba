"""Random labelling as users ask for it: the test, the bounds, the verdict, and what is refused."""

import numpy as np
import pytest

from pugam import PUGAM, InputError, VerdictWarning
from pugam.datasets import simulate


@pytest.fixture(scope="module")
def data():
    return simulate(2, n0=1000, n=2000, random_state=0)


@pytest.fixture(scope="module")
def model(data):
    return PUGAM().fit(data.X, data.z)


@pytest.fixture(scope="module")
def selected():
    """Labels that are given five times as often at x1 = 1 as at x1 = 0."""
    data = simulate(2, n0=4000, n=5200, random_state=1)
    rng = np.random.default_rng(2)
    kept = (data.z == 0) | (rng.random(5200) < 5.0 ** (data.X["x1"] - 1.0))
    return data.X[kept], data.z[kept]


def test_the_diagnosis_has_the_same_test(model):
    assert model.diagnose().labelling == model.test_labelling()


def test_one_column_or_several_can_be_named(model):
    assert model.test_labelling("x2").columns == ("x2",)
    assert set(model.test_labelling(["x2", "x4"]).columns) == {"x2", "x4"}


def test_columns_that_the_model_does_not_have_are_refused(model):
    with pytest.raises(InputError, match=r"no column 'age'; its columns are x1, x2, x3, x4, x5\. Add the column"):
        model.test_labelling(["x1", "age"])
    with pytest.raises(InputError, match="at least one column"):
        model.test_labelling([])


def test_too_few_rows_are_refused(data):
    few = np.append(np.arange(40), np.arange(1000, 1040))
    model = PUGAM("x1 + x2", pi=(0.1, 0.9)).fit(data.X.iloc[few], data.z[few])

    with pytest.raises(InputError, match="cannot be tested here: it takes 100 rows"):
        model.test_labelling()


def test_labels_that_prefer_some_positives_end_in_a_verdict_that_names_the_column(selected):
    with pytest.warns(VerdictWarning, match=r"whether a positive is labelled seems to depend on x1\. "):
        model = PUGAM(check=True).fit(*selected)

    assert model.verdict_ == "does not fit"
    assert model.test_labelling().leading == ("x1",)


def test_bounds_are_those_of_the_model_at_the_level_asked_for(model):
    found = model.labelling_bounds(3, level=0.8)

    assert found.gamma.tolist() == [3.0]
    assert found.pi == model.pi_interval(0.8)
    assert found.lower_limit[0] == pytest.approx(found.pi.lower / 3.0)
    assert len(model.labelling_bounds().gamma) == 5


@pytest.mark.parametrize("gamma", [0.5, [2.0, np.nan], "two", [], [[1.0, 2.0]], None])
def test_gamma_is_one_at_least(model, gamma):
    with pytest.raises(InputError, match="gamma is a number of at least 1"):
        model.labelling_bounds(gamma)


def test_a_fixed_pi_has_no_bounds(data):
    fixed = PUGAM(pi=0.4).fit(data.X, data.z)

    with pytest.raises(InputError, match="pi was fixed"):
        fixed.labelling_bounds()
    assert fixed.test_labelling().pvalue > 0.01


def test_samples_and_weights_have_bounds_too(data):
    year = np.where(np.arange(2000) % 2 == 0, 2023, 2024)
    weights = 1.0 + (np.arange(2000) % 3 == 0)
    model = PUGAM().fit(data.X, data.z, weights, sample=year)

    found = model.labelling_bounds([1.0, 2.0])

    assert found.lower[0] == found.upper[0] == pytest.approx(model.pi_)
    assert model.pi_ < found.upper[1] < 1.0
    assert model.test_labelling().df == 10.0


@pytest.mark.long
def test_shrunken_fits_are_tested_by_rows_held_out(data):
    model = PUGAM(shrinkage="always").fit(data.X, data.z)

    assert model.test_labelling().pvalue > 0.01
    assert model.labelling_bounds(2.0).upper[0] > model.pi_
