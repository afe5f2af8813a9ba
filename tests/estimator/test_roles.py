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
    with pytest.raises(InputError, match="z='label' is not a column of X; its columns are 1, 1, w"):
        quick().fit(rows[["x1", "x2", "w"]].set_axis([1, "1", "w"], axis=1), "label")
    with pytest.raises(InputError, match="give z as an array"):
        quick(None).fit(rows[["x1", "x2"]].to_numpy(), "label")


def test_a_column_of_the_model_cannot_be_taken_by_its_name(rows):
    with pytest.raises(InputError, match=r"Column 'clinic' is in the model, but groups='clinic' takes it"):
        quick("s(x1) + s(x2) + r(clinic)").fit(rows, "known", groups="clinic")
    with pytest.raises(InputError, match=r"Column 'w' is in the model, but sample_weight='w' takes it"):
        quick("s(x1) + l(w)").fit(rows, "known", "w")
