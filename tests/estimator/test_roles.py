import numpy as np
import pandas as pd
import polars as pl
import pytest

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.errors import InputError

TERMS = "s(x1) + s(x2) + s(x3)"


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    data = simulate(2, n0=300, n=700, random_state=1)
    weights = np.where(np.arange(700) % 2 == 0, 2.0, 1.0)
    return data.X[["x1", "x2", "x3"]].assign(known=data.z, w=weights, clinic=np.arange(700) % 20)


def quick(terms: str | None = TERMS) -> PUGAM:
    return PUGAM(terms, pi=0.4, interactions=None, check=False)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.from_pandas, pd.DataFrame.convert_dtypes])
def test_labels_and_weights_may_be_named_columns(rows, frame):
    expected = quick().fit(rows[["x1", "x2", "x3"]], rows["known"], rows["w"])
    named = quick(None).fit(frame(rows.drop(columns="clinic")), "known", "w")
    assert named.formula_ == expected.formula_
    assert named.loglik_ == expected.loglik_
    assert list(named.feature_names_in_) == ["x1", "x2", "x3"]
    assert named.attach(rows.drop(columns="clinic"), z="known", sample_weight="w").loglik_ == expected.loglik_


def test_a_name_that_is_no_column_is_told(rows):
    with pytest.raises(InputError, match="z='label' is not a column of X; its columns are x1, "):
        quick().fit(rows, "label")
    with pytest.raises(InputError, match="z='label' is not a column of X; its columns are 1, 2, w"):
        quick().fit(rows[["x1", "x2", "w"]].set_axis([1, "2", "w"], axis=1), "label")
    with pytest.raises(InputError, match="give z as an array"):
        quick(None).fit(rows[["x1", "x2"]].to_numpy(), "label")


def test_a_column_of_the_model_cannot_be_taken_by_its_name(rows):
    with pytest.raises(InputError, match=r"Column 'clinic' is in the model, but groups='clinic' takes it"):
        quick("s(x1) + s(x2) + r(clinic)").fit(rows, "known", groups="clinic")
    with pytest.raises(InputError, match=r"Column 'w' is in the model, but sample_weight='w' takes it"):
        quick("s(x1) + l(w)").fit(rows, "known", "w")


def test_columns_with_a_role_have_the_names_that_they_have_in_a_table():
    rng = np.random.default_rng(0)
    numbered = pd.DataFrame(rng.normal(size=(600, 3))).assign(label=np.arange(600) % 3 == 0, site=np.arange(600) % 2)
    numbered.columns = range(5)
    pairs = numbered.set_axis(pd.MultiIndex.from_product([["a"], range(5)]), axis=1)

    by_number = PUGAM(check=False).fit(numbered, "3", sample="4")
    by_pair = PUGAM(check=False).fit(pairs, "('a', 3)", sample="('a', 4)")

    assert list(by_number.feature_names_in_) == ["0", "1", "2"]
    assert list(by_pair.feature_names_in_) == ["('a', 0)", "('a', 1)", "('a', 2)"]
    assert by_pair.pi_ == pytest.approx(by_number.pi_)
    scored = by_number.predict_proba(numbered, sample="4")
    np.testing.assert_array_equal(scored, by_number.predict_proba(numbered, sample=numbered[4]))
    with pytest.raises(InputError, match="X has several columns named '1'"):
        PUGAM(check=False).fit(numbered.set_axis([0, 1, 1, 3, 4], axis=1), "3")
